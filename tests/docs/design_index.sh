#!/bin/sh
# design_index.sh SOURCE: docs/design.md and docs/contracts.md say where things are as `FILE`: `function()`,
# `NAME`. Each FILE exists and defines each function, and each NAME as a macro, a struct or a type. First it
# shows, on a document with mistakes, that it finds them.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pairs DOCUMENT: "FILE NAME", a line each, where a colon leads from the file to the name and commas from
# name to name. Fenced blocks are left out.
pairs() {
    awk -F '`' '
        /^ *```/ { fenced = !fenced; next }
        fenced { next }
        {
            file = ""
            for (i = 2; i <= NF; i += 2) {
                if ($i ~ /^[A-Za-z0-9_.\/]+\/[A-Za-z0-9_.]+\.[a-z.]+$/)
                    file = $(i + 1) ~ /^: *$/ ? $i : ""
                else if (file != "" && $i ~ /^[A-Za-z_][A-Za-z0-9_]*(\(\))?$/) {
                    print file, $i
                    if ($(i + 1) !~ /^, *$/)
                        file = ""
                } else
                    file = ""
            }
        }' "$1"
}

# defines FILE NAME: a function NAME() is defined where its head stands before a line with nothing but
# a brace. Files that are compiled once a type write NAMED(function), and the sort OF_KEY, OF_ELEMENT.
defines() {
    case $1:$2 in
    *.cmake:*'()') grep -Eq "^function\\(${2%??}\\)" "$1" ;;
    *'()')
        awk -v name="${2%??}" '
            BEGIN {
                pattern = "(^|[^A-Za-z0-9_])((NAMED|OF_KEY|OF_ELEMENT)\\()?" name "\\)?\\("
            }
            /^ *\{$/ && head ~ pattern { found = 1; exit }
            $0 ~ "^#define " name "\\(" { found = 1; exit }
            /^$|^#|[;}:]$|\*\/$/ { head = ""; next }
            { head = head " " $0 }
            END { exit !found }' "$1" ;;
    *) grep -Eq "^#define $2([ (]|\$)|struct $2( |;|\$)|^}? *(typedef .* )?$2;" "$1" ;;
    esac
}

# wrong FOLDER DOCUMENT: the pairs that do not hold, a line each.
wrong() {
    pairs "$2" | while read -r file name; do
        if [ ! -f "$1/$file" ]; then
            echo "$file: there is no such file"
        elif ! defines "$1/$file" "$name"; then
            echo "$file does not define $name"
        fi
    done
}

mkdir -p "$work/planted/docs"
cat >"$work/planted/docs/a.c" <<'END'
#define MACRO 1
typedef struct thing {
    int member;
} thing;
/* mentioned() in words */
static int defined(int x);
static int
defined_below(int x)
{
    if (called(x)) {
        return 1;
    }
    return defined(x);
}
T NAMED(of_type)(T x)
{
    return x;
}
END
cat >"$work/planted/a.md" <<'END'
| here | `docs/a.c`: `defined_below()`, `of_type()`, `MACRO`; `docs/a.c`: `thing`, `defined()` |
| there | `docs/a.c`: `called()`; `docs/a.c`: `mentioned()`, `member` | `docs/b.c`: `defined_below()` |
not a pair: `docs/a.c` and `called()`, `docs/a.c`: words, `called()`
END
cat >"$work/expected" <<'END'
docs/a.c does not define defined()
docs/a.c does not define called()
docs/a.c does not define mentioned()
docs/a.c does not define member
docs/b.c: there is no such file
END
wrong "$work/planted" "$work/planted/a.md" >"$work/found"
diff "$work/expected" "$work/found" || { echo "design_index.sh does not find what is planted"; exit 1; }

count=$(pairs "$source/docs/design.md" | wc -l)
[ "$count" -ge 20 ] || { echo "docs/design.md names $count functions"; exit 1; }
for document in design contracts; do
    wrong "$source" "$source/docs/$document.md" >"$work/found"
    if [ -s "$work/found" ]; then
        echo "in docs/$document.md, and not so:"
        cat "$work/found"
        exit 1
    fi
done
