#!/bin/sh
# kinds.sh SOURCE CMAKE CC NINJA: what is built and installed for BUILD_SHARED_LIBS not given, ON and OFF, and the flags
# of parscan.pc: the archive alone needs its libraries named.
set -eu
source=$1 cmake=$2 cc=$3 ninja=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect LIBRARIES WORDS OPTION...
expect() {
    libraries=$1 words=$2
    shift 2
    "$cmake" -S "$source" -B "$work/build" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" -DCMAKE_C_COMPILER="$cc" -DPARSCAN_CUDA=OFF \
        -DPARSCAN_MPI=OFF -DPARSCAN_SIMD_SETS=portable -DPARSCAN_BUILD_TESTS=OFF -DPARSCAN_BUILD_BENCH=OFF \
        -DPARSCAN_BUILD_PROGRAM=OFF "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    built=$("$ninja" -C "$work/build" -t query all | sed -n 's|^ *lib/||p' | sort | tr '\n' ' ')
    [ "$built" = "$libraries " ] || { echo "with '$*' these are built: $built"; exit 1; }
    installed=$(grep -o 'lib/libparscan\.[a-z]*"' "$work/build/cmake_install.cmake" | sed 's|lib/||; s/"//' | sort -u | tr '\n' ' ')
    [ "$installed" = "$libraries " ] || { echo "with '$*' these are installed: $installed"; exit 1; }
    grep -qxF "Libs: -L\${libdir} -lparscan$words" "$work/build/parscan.pc" ||
        { echo "with '$*' parscan.pc says"; cat "$work/build/parscan.pc"; exit 1; }
}

expect "libparscan.a libparscan.so" ""
expect "libparscan.so" "" -DBUILD_SHARED_LIBS=ON
expect "libparscan.a" " -pthread -lm" -DBUILD_SHARED_LIBS=OFF
