#!/bin/sh
# Finds `break`, `return` and `goto` inside a step of a block algorithm (EACH_THREAD, EACH_LANE, EACH_ITEM of
# scan/block/block.h): they would leave the step without its barrier, or for other threads too.
#     sh tests/scan/block/check_steps.sh
set -eu
cd "$(dirname "$0")/../../.."

# Prints FILE: STEP for each step of the files whose body has one of them.
steps_that_leave() {
    for file; do
        tr '\n' ' ' <"$file" | awk -v file="$file" '
            function skip(text, opens, closes,    at, depth, c) { # behind the bracket that closes the first one
                for (at = 1; at <= length(text); at++) {
                    c = substr(text, at, 1)
                    if (c == opens)
                        depth++
                    else if (c == closes && --depth == 0)
                        return at
                }
                return length(text)
            }
            {
                gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ")
                while (match($0, /EACH_(THREAD|LANE|ITEM)\(/)) {
                    $0 = substr($0, RSTART)
                    at = skip($0, "(", ")")
                    step = substr($0, 1, at)
                    $0 = substr($0, at + 1)
                    sub(/^ +/, "")
                    end = substr($0, 1, 1) == "{" ? skip($0, "{", "}") : index($0, ";")
                    if (substr($0, 1, end) ~ /(^|[^A-Za-z0-9_])(break|return|goto)([^A-Za-z0-9_]|$)/)
                        print file ": " step
                }
            }'
    done
}

# The check itself: it has to find them, and nothing else.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'END'
EACH_THREAD(a, f(n)) { if (a) return; }
EACH_LANE(b) goto out;
EACH_ITEM(c, n, m) { /* return */ returned(c); if (c) continue; } return;
EACH_ITEM(d, n, m) { if (d) break; }
END
[ "$(steps_that_leave "$sample" | sed 's/.*: //' | tr '\n' ' ')" = "EACH_THREAD(a, f(n)) EACH_LANE(b) EACH_ITEM(d, n, m) " ] || {
    echo "check_steps.sh: does not find what it should in its sample" >&2
    exit 1
}

files=$(grep -rlE 'EACH_(THREAD|LANE|ITEM)\(' scan apps --include='*.[ch]' --include='*.cu' --include='*.cuh' |
    grep -v '^scan/block/block\.h$')
[ -n "$files" ]
found=$(steps_that_leave $files)
[ -z "$found" ] || {
    echo "a break, return or goto leaves a step:" >&2
    echo "$found" >&2
    exit 1
}
echo "$(echo "$files" | wc -l) files with steps: none leaves one"
