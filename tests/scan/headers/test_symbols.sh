#!/bin/sh
# test_symbols.sh NM READELF SHARED STATIC SONAME HEADER...: the shared library exports exactly
# the functions that the headers mark PARSCAN_API (each has a version: cmake/symbols.cmake), has its SONAME, and
# no global symbol of the static library could clash with a user's.
set -eu
nm=$1 readelf=$2 shared=$3 static=$4 soname=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Not ours: a sanitizer's symbols, the lock that clang's OpenMP shares among all reductions, and the weak
# symbols that all users of NVTX's header share.
not_ours='^__[a-z_]*san[._]|^\.gomp_critical_user_\.reduction\.var$|^nvtx[A-Za-z_]*_v3$|^InitializeInjectionNvtx2_fnptr$'
# A version itself is an absolute symbol (A).
"$nm" -D --defined-only "$shared" | awk '$(NF - 1) != "A" { sub(/@.*/, "", $NF); print $NF }' |
    grep -Ev "$not_ours" | sort >"$work/exported"
cat "$@" | tr '\n' ' ' |
    grep -o 'PARSCAN_API [a-z_ *]*[ *]parscan_[a-z0-9_]*(' |
    sed 's/.*[ *]\(parscan_[a-z0-9_]*\)($/\1/' | sort >"$work/declared"
[ -s "$work/declared" ] || { echo "found no declarations"; exit 1; }
diff "$work/declared" "$work/exported" || {
    echo "declared (<) and exported (>) differ"
    exit 1
}

"$readelf" -d "$shared" | grep -F "Library soname: [$soname]" ||
    { echo "the SONAME is not $soname"; exit 1; }

"$nm" --defined-only --extern-only "$static" 2>/dev/null | awk 'NF == 3 { print $3 }' |
    grep -Ev "$not_ours" | sort -u >"$work/global"
[ -s "$work/global" ] || { echo "$static has no symbols"; exit 1; }
if grep -v '^parscan_' "$work/global"; then
    echo "global symbols of $static without the prefix"
    exit 1
fi
