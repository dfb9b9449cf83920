#!/bin/sh
# readme_commands.sh SOURCE BUILD [DOCUMENT]: runs each command of the `console` blocks of a document, README.md
# by default, in a copy of data/, with the built programs in PATH. A line that starts with "$ " is a command; lines after it are
# its output, which is compared. First it shows, on a document with mistakes, that it finds them.
set -eu
source=$1 build=$2 document=${3:-README.md}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
PATH=$build/bin:$PATH

# run DOCUMENT: prints how many commands it has; what fails goes to standard error. In $work/tree.
run() {
    rm -rf "$work/commands" "$work/tree"
    mkdir "$work/commands" "$work/tree"
    cp -r "$source/data" "$work/tree"
    ln -s "$build" "$work/tree/build"
    awk -v folder="$work/commands" '
        /^```console$/ { console = 1; next }
        /^```/ { console = 0 }
        !console { next }
        /^\$ / {
            file = sprintf("%s/%03d", folder, ++commands)
            print substr($0, 3) >(file ".command")
            next
        }
        { print >(file ".expected") }' "$1"
    failed=
    count=0
    for command in "$work/commands"/*.command; do
        [ -e "$command" ] || break
        count=$((count + 1))
        status=0
        (cd "$work/tree" && sh "$command" </dev/null) >"$work/out" 2>"$work/errors" || status=$?
        if [ "$status" != 0 ]; then
            echo "exit status $status: $(cat "$command")" >&2
            cat "$work/errors" >&2
            failed=1
        elif [ -e "${command%.command}.expected" ] &&
            ! diff "${command%.command}.expected" "$work/out" >"$work/difference"; then
            echo "the document shows (<) and the program prints (>): $(cat "$command")" >&2
            cat "$work/difference" >&2
            failed=1
        fi
    done
    echo "$count"
    [ -z "$failed" ]
}

cat >"$work/planted.md" <<'END'
```console
$ echo 1
1
$ false
$ echo 2
3
```
END
if run "$work/planted.md" >"$work/count" 2>"$work/planted.errors" ||
    [ "$(cat "$work/count")" != 3 ] ||
    [ "$(grep -c '^exit status 1: false$\|^the document shows.*: echo 2$' "$work/planted.errors")" != 2 ]; then
    echo "readme_commands.sh does not find what is planted"
    exit 1
fi

count=$(run "$source/$document")
[ "$count" -gt 0 ] || { echo "$document: no commands"; exit 1; }
echo "$count commands"
