#!/bin/sh
# Builds parscan and runs every test. From a bare Debian 12 or Ubuntu 24.04:
#     sh tests/run.sh
# Without nvcc the CUDA tests are not built; without a GPU they are built and skipped.
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
need_build_tools
need g++ command c++
need libcriterion-dev header criterion/criterion.h
need binutils command nm
need patch command patch
need python3-matplotlib file /usr/lib/python3/dist-packages/matplotlib
install_missing

# One architecture: a machine that only compiles CUDA code need not compile it seven times.
cmake --preset release -DCMAKE_CUDA_ARCHITECTURES=90
cmake --build --preset release
ctest --preset release --parallel 2
