#!/bin/sh
# plan_tables.sh SOURCE PRINT_PLANS: the tables of plans, the variants in docs/design.md and the limits in
# docs/limits.md, are what the program prints.
#     plan_tables.sh SOURCE PRINT_PLANS write       writes them
set -eu
source=$1 print_plans=$2 action=${3-}
begin='<!-- plans: begin -->' end='<!-- plans: end -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# table DOCUMENT WHAT
table() {
    for marker in "$begin" "$end"; do
        [ "$(grep -Fcx -- "$marker" "$source/$1")" -eq 1 ] ||
            { echo "$1 has no line, or several: $marker"; exit 1; }
    done
    { printf '%s\n\n' "$begin"; "$print_plans" "$2"; printf '\n%s\n' "$end"; } >"$work/printed"
    awk -v begin="$begin" -v end="$end" -v printed="$work/printed" '
        $0 == begin { while ((getline line <printed) > 0) print line; skips = 1 }
        !skips { print }
        $0 == end { skips = 0 }' "$source/$1" >"$work/document"
    if [ "$action" = write ]; then
        cat "$work/document" >"$source/$1"
    elif ! diff -u "$source/$1" "$work/document"; then
        echo "$1 is not what the plans are: sh tests/docs/plan_tables.sh . $print_plans write"
        exit 1
    fi
}

table docs/design.md variants
table docs/limits.md limits
