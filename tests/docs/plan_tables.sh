#!/bin/sh
# plan_tables.sh SOURCE PRINT_PLANS: the tables of plans in docs/design.md are what the program prints.
#     plan_tables.sh SOURCE PRINT_PLANS write       writes them
set -eu
document=$1/docs/design.md print_plans=$2
begin='<!-- plans: begin -->' end='<!-- plans: end -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for marker in "$begin" "$end"; do
    [ "$(grep -Fcx -- "$marker" "$document")" -eq 1 ] || { echo "$document has no line, or several: $marker"; exit 1; }
done
{ printf '%s\n\n' "$begin"; "$print_plans"; printf '\n%s\n' "$end"; } >"$work/printed"
awk -v begin="$begin" -v end="$end" -v printed="$work/printed" '
    $0 == begin { while ((getline line <printed) > 0) print line; skips = 1 }
    !skips { print }
    $0 == end { skips = 0 }' "$document" >"$work/document"
if [ "${3-}" = write ]; then
    cat "$work/document" >"$document"
elif ! diff -u "$document" "$work/document"; then
    echo "docs/design.md is not what the plans are: sh tests/docs/plan_tables.sh . $print_plans write"
    exit 1
fi
