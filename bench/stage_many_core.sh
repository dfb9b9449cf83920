#!/bin/sh
# Gathers the programs for many cores, with the libraries that they load, to run them on a machine
# without compilers:
#     cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DPARSCAN_BENCH_ARCH=x86-64-v4 ...
#     cmake --build build
#     sh bench/stage_many_core.sh [BUILD [STAGE]]               build, BUILD/many-core
# There, with this repository (no build) or without: PARSCAN_BENCH_BIN=STAGE sh bench/run.sh --threads,
# or STAGE/bench_cpu. Peers are compiled for PARSCAN_BENCH_ARCH: not "native", unless both machines
# have the same processor.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
stage=${2:-$build/many-core}
rm -rf "$stage"
mkdir -p "$stage"
for program in bench_cpu bench_busy; do
    [ -x "$build/bin/$program" ] || {
        echo "stage_many_core.sh: not built: $build/bin/$program" >&2
        exit 1
    }
    cp "$build/bin/$program" "$stage/"
done
# Not the C library and the compiler's: that machine has its own.
ldd "$stage"/bench_* | awk '$3 ~ /^\// { print $3 }' | sort -u |
    grep -Ev '/(ld-linux[^/]*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so' |
    while read -r library; do
        cp -L "$library" "$stage/"
    done
ls "$stage"
