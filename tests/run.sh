#!/bin/sh
# Builds parscan and runs every test. From a bare Debian 12 or Ubuntu 24.04:
#     sh tests/run.sh
# Without nvcc the CUDA tests are not built; without a GPU they are built and skipped.
#     sh tests/run.sh --quick
# What a change needs before a commit: the tests with the label quick, in a build of their own without
# CUDA, benchmarks and optimised kernels, so that a file of the CPU engine is compiled and tested in a
# minute.
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
need_build_tools
need g++ command c++
need libcriterion-dev header criterion/criterion.h
need binutils command nm
need patch command patch
need python3-matplotlib file /usr/lib/python3/dist-packages/matplotlib
install_missing

# One architecture: a machine that only compiles CUDA code need not compile it seven times.
cmake --preset $preset -DCMAKE_CUDA_ARCHITECTURES=90
cmake --build --preset $preset
ctest --preset $preset --parallel "$(nproc)"
