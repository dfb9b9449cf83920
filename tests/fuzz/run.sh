#!/bin/sh
# Fuzzes the program's readers, each for PARSCAN_FUZZ_SECONDS (default 20), by the seed PARSCAN_FUZZ_SEED (default 1;
# 0: another one each time). A search:
#     PARSCAN_FUZZ_SECONDS=3600 PARSCAN_FUZZ_SEED=0 sh tests/fuzz/run.sh
set -eu
cd "$(dirname "$0")/../.."
. cmake/packages.sh
need_clang
install_missing

# The targets are made in clang's build, whose library .ci/run has then.
. cmake/simd_sets.sh
cmake --preset clang ${simd_sets:+"$simd_sets"} -DPARSCAN_FUZZ_SECONDS="${PARSCAN_FUZZ_SECONDS:-20}" \
    -DPARSCAN_FUZZ_SEED="${PARSCAN_FUZZ_SEED:-1}"
cmake --build --preset fuzz
# All three at once, on whatever cores there are.
ctest --preset fuzz --parallel 3
# Prints how many inputs each target ran and how much of the code they reached.
grep -E '^#[0-9]+.DONE|^stat::peak_rss_mb' build-clang/Testing/Temporary/LastTest.log
