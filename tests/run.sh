#!/bin/sh
# Builds parscan and runs every test. From a bare Debian 12 or Ubuntu 24.04:
#     sh tests/run.sh
# Without nvcc the CUDA tests are not built; without a GPU they are built and skipped.
#     sh tests/run.sh --quick
# What a change needs before a commit: the tests with the label quick, in a build of their own without
# CUDA, benchmarks and optimised kernels, and with two of the three SIMD sets: after an edit of a file of
# the CPU engine it takes about a minute.
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
preset=release
case $# in
0) ;;
*)
    [ "$*" = --quick ] || {
        echo "usage: sh tests/run.sh [--quick]" >&2
        exit 2
    }
    preset=quick
    ;;
esac
need_tests
install_missing

# One architecture: a machine that only compiles CUDA code need not compile it seven times. Without a
# GPU to run it, nvcc (12.9 or newer) need not optimise it either, nor keep PTX for other GPUs. What ptxas says (too
# much shared memory, a wrong instruction) is seen where kernels are made: for the largest integers, for floats of 16 bits,
# which compute in F32, for what floats of 64 bits alone have, and in all files that are compiled once. nvcc 13 checks the
# syntax of the others alone.
architecture=90 kernels=ALL
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if ! nvidia-smi -L >/dev/null 2>&1 && "$nvcc" --help 2>/dev/null | grep -q -e --Ofast-compile; then
    architecture=90-real
    ! "$nvcc" --help | grep -q -e --fdevice-syntax-only || kernels='U64;F16;F64/recurrence|reproducible'
    set -- '-DCMAKE_CUDA_FLAGS_RELEASE=-O1 -DNDEBUG --Ofast-compile=max'
else
    set -- '-DCMAKE_CUDA_FLAGS_RELEASE=-O3 -DNDEBUG'
fi
set -- "$@" -DCMAKE_CUDA_ARCHITECTURES=$architecture -DPARSCAN_CUDA_COMPRESSION=balance \
    "-DPARSCAN_CUDA_KERNELS=$kernels"
if [ $preset = quick ]; then
    . cmake/simd_sets.sh
    set -- ${simd_sets:+"$simd_sets"}
fi
cmake --preset $preset "$@"
cmake --build --preset $preset
# A suite's threads wait for each other, the program's and MPI's processes too: one entry more than processors keeps
# these busy.
ctest --preset $preset --parallel $(($(nproc) + 1))
