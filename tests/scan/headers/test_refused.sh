#!/bin/sh
# test_refused.sh SOURCE COMPILER FLAG...: with REFUSED=0 the source compiles without a warning. With each
# number of its lines "#if REFUSES(NUMBER) /* WORDS */" it does not, and the errors have the words (a
# regular expression).
set -eu
source=$1
shift
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
"$@" -fsyntax-only -DREFUSED=0 "$source"
cases=0
while read -r number words; do
    if "$@" -fsyntax-only -DREFUSED="$number" "$source" 2>"$errors"; then
        echo "$source: case $number compiles"
        exit 1
    fi
    grep -Eq "$words" "$errors" || {
        echo "$source: case $number is not refused with '$words':"
        cat "$errors"
        exit 1
    }
    cases=$((cases + 1))
done <<EOF
$(sed -n 's,^#[a-z]*if REFUSES(\([0-9]*\)) */\* \(.*\) \*/$,\1 \2,p' "$source")
EOF
[ $cases -ge 8 ] || { echo "$source: only $cases cases"; exit 1; }
echo "$cases cases"
