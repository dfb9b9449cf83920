#!/bin/sh
# contributing_diffs.sh SOURCE CC [PROGRAM]: the lists "Add an operator" and "Add a type" of CONTRIBUTING.md name every
# file that has all operators or all types written by hand. A copy of the sources with both diffs applied to
# scan/tables.h builds, and its program knows the new operator and the new type. PROGRAM is the program of such a copy,
# which is then not built here: tests/release/source_archive.sh builds one.
set -eu
source=$1 cc=$2 program=${3-}
# listed SECTION WORD...: the section names every file that has all the words, and only files that there are.
listed() {
    section=$(sed -n "/^## $1\$/,/^## /p" "$source/CONTRIBUTING.md")
    shift
    # shellcheck disable=SC2086  # folders are words
    files=$(cd "$source" && grep -rlwiE "(PARSCAN_|KEY_)?$1" $folders)
    for word; do
        files=$(cd "$source" && grep -lwiE "(PARSCAN_|KEY_)?$word" $files /dev/null)
    done
    for file in $files; do
        echo "$section" | grep -qF "\`$file\`" || { echo "$file names all of $*, and is in no list"; exit 1; }
    done
    for file in $(echo "$section" | grep -o '`[a-z_/]*/[A-Za-z0-9_.]*`' | tr -d '`'); do
        [ -e "$source/$file" ] || { echo "CONTRIBUTING.md names $file"; exit 1; }
    done
}
code="scan apps cmake tests/support tests/scan/context tests/abi"
folders="include docs python/parscan $code"
listed "Add an operator" sum product min max and or xor
listed "Add a type" u8 i8 u16 i16 u32 i32 u64 i64 f32 f64
folders=$code # documents speak of the two as such
listed "Add a type" f16 bf16
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$program" ]; then
    cp -r "$source/CMakeLists.txt" "$source/cmake" "$source/include" "$source/scan" "$source/apps" "$work"
    (cd "$work" && sed -n '/^```diff$/,/^```$/{/^```/!p}' "$source/CONTRIBUTING.md" | patch -p1)
    cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$cc" -DPARSCAN_CUDA=OFF -DPARSCAN_BUILD_TESTS=OFF \
        -DPARSCAN_BUILD_BENCH=OFF -DPARSCAN_INSTALL=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
        -DPARSCAN_SIMD_SETS=portable
    cmake --build "$work/build" --target parscan_program
    program=$work/build/bin/parscan
fi
cd "$work"
expect() {
    expected=$1
    shift
    printed=$(tr '\n' ' ' | "$program" scan "$@" | tr '\n' ' ')
    [ "$printed" = "$expected" ] || { echo "scan $*: $printed, expected $expected"; exit 1; }
}
for algorithm in auto sequential single-pass kogge-stone brent-kung three-phase warp warp-padded; do
    echo 0 5 0 0 -7 0 | expect "0 5 5 5 -7 -7 " --op last --algorithm "$algorithm"
    echo 0.5 2 -3 | expect "0.5 2.5 -0.5 " --type f80 --algorithm "$algorithm"
done
# Arrays that are longer than a vector, a row and a tile, of each kind of call, as one element after another.
awk 'BEGIN { for (i = 0; i < 20000; i++) print i * 7919 % 13 == 0 ? i % 97 - 40 : 0 }' >long
for options in "" --exclusive --reverse --reproducible "--algorithm kogge-stone" "--algorithm warp"; do
    for type in i8 i32 i64 f32 f64; do
        direction=
        [ "$options" != --exclusive ] && [ "$options" != --reverse ] || direction=$options
        # shellcheck disable=SC2086  # the options are words
        "$program" scan --op last --type $type $options long >found
        # shellcheck disable=SC2086
        "$program" scan --op last --type $type --algorithm sequential $direction long >expected
        cmp found expected || { echo "scan --op last --type $type $options"; exit 1; }
    done
done
awk '{ print int(NR / 1000) }' long >keys
"$program" segscan --op last --keys keys long >found
"$program" segscan --op last --algorithm sequential --keys keys long >expected
cmp found expected || { echo "segscan --op last"; exit 1; }
# The type has no class of keys.
words=$(echo 1 | "$program" sort --type f80 2>&1) && { echo "sort --type f80: exit 0"; exit 1; }
echo "$words" | grep 'key_type = f80: keys of this type cannot be sorted' || { echo "sort --type f80: $words"; exit 1; }
# It has one set of SIMD instructions, and says so when it is asked for another.
if [ "$(uname -m)" = x86_64 ]; then
    words=$(echo 1 | PARSCAN_SIMD=avx2 "$program" scan 2>&1) && { echo "PARSCAN_SIMD=avx2: exit 0"; exit 1; }
    echo "$words" | grep -E 'PARSCAN_SIMD = avx2: this (library was built without it|processor has portable)' ||
        { echo "PARSCAN_SIMD=avx2: $words"; exit 1; }
fi
