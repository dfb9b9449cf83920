#!/bin/sh
# test_empty_api.sh COMPILER FLAG...: with PARSCAN_API defined empty the preprocessed headers have no attribute
# of ours, as cffi and the like want it; every function is still declared.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#include "parscan/parscan.h"\n' >"$work/all.c"
"$@" -E -P "$work/all.c" >"$work/usual"
"$@" -E -P -DPARSCAN_API= "$work/all.c" >"$work/empty"
grep -q 'visibility' "$work/usual"
if grep 'visibility' "$work/empty"; then
    echo "PARSCAN_API is defined again"
    exit 1
fi
grep -q 'parscan_status parscan_inclusive_scan(' "$work/empty"
