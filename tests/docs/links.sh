#!/bin/sh
# links.sh SOURCE: every relative link of the documents leads to a file, and every file that they name
# in backticks exists. First it shows, on a document with mistakes, that it finds them.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# documents FOLDER: its *.md, without those of build folders.
documents() {
    (cd "$1" && find . \( -name 'build*' -o -name .git \) -prune -o -name '*.md' -print | sort)
}

# named FILE: "link TARGET" and "path NAME", a line each, of the text outside of fenced blocks.
named() {
    awk '
        /^ *```/ { fenced = !fenced; next }
        fenced || /^    / { next }
        {
            rest = $0
            while (match(rest, /\]\([^)]*\)/)) {
                print "link", substr(rest, RSTART + 2, RLENGTH - 3)
                rest = substr(rest, RSTART + RLENGTH)
            }
            parts = split($0, part, "`")
            for (i = 2; i < parts; i += 2)
                print "path", part[i]
        }' "$1"
}

# missing FOLDER: what its documents name and it has not, a line each.
missing() {
    folder=$1
    (cd "$folder" && find . \( -name 'build*' -o -name .git \) -prune -o -type f -print) |
        sed 's|.*/||' | sort -u >"$work/names"
    documents "$folder" | while read -r document; do
        named "$folder/$document" | while read -r kind target; do
            case $kind:$target in
            *://* | link:mailto:* | link:\#*) ;;
            link:*)
                [ -e "$folder/${document%/*}/${target%%#*}" ] || echo "$document: link to $target" ;;
            # Of no file of the tree: commands, options, patterns, placeholders in capitals, build output.
            path:*[!A-Za-z0-9_./-]* | path:/* | path:-* | path:*NAME* | path:build*) ;;
            path:*/*)
                # A fraction or a choice of words is no path: its first part has to look like a folder.
                case $target in
                *.* | */) ;;
                *) [ -e "$folder/${target%%/*}" ] || continue ;;
                esac
                [ -e "$folder/$target" ] || [ -e "$folder/${document%/*}/$target" ] ||
                    echo "$document: \`$target\`" ;;
            path:*.[ch] | path:*.cu | path:*.cuh | path:*.sh | path:*.py | path:*.md | path:*.cmake)
                grep -qxF "$target" "$work/names" || echo "$document: \`$target\`" ;;
            esac
        done
    done
}

mkdir -p "$work/planted/docs/folder" "$work/planted/build"
cat >"$work/planted/docs/a.md" <<'END'
[here](a.md), [a heading](a.md#one), [away](https://example.org/a), [gone](none.md), [up](../docs/none/)
`docs/a.md`, `folder/`, `a.md`, `u8/u16`, `--flag`, `build/bin/x`, `docs/b.md`, `folder/none.c`, `none.sh`
```
`docs/fenced.md`
```
    `docs/indented.md`
END
cat >"$work/expected" <<'END'
./docs/a.md: link to none.md
./docs/a.md: link to ../docs/none/
./docs/a.md: `docs/b.md`
./docs/a.md: `folder/none.c`
./docs/a.md: `none.sh`
END
missing "$work/planted" >"$work/found"
diff "$work/expected" "$work/found" || { echo "links.sh does not find what is planted"; exit 1; }

[ -n "$(documents "$source")" ] || { echo "$source: no documents"; exit 1; }
missing "$source" >"$work/found"
if [ -s "$work/found" ]; then
    echo "named in a document, and not there:"
    cat "$work/found"
    exit 1
fi
