#!/bin/sh
# Runs the tests of threaded code under ThreadSanitizer. race_planted and race_none (test_race.c) show that
# it finds a race of the look-back, and none where there is none. race_null shows that arithmetic on NULL
# is found: then a test here fails.
set -eu
cd "$(dirname "$0")/../.."
. cmake/packages.sh
need_build_tools
need g++ command c++
need clang command clang
need libclang-rt-dev file '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.tsan-*.a'
install_missing

export TSAN_OPTIONS="allocator_may_return_null=1"

cmake --preset tsan
# ThreadSanitizer reserves some address ranges. A kernel that randomises many bits of an address may have
# used them already; setarch -R turns that off.
cmake --build --preset tsan --target test_race_none
same_addresses=
if build-tsan/bin/test_race_none 2>&1 | grep 'unexpected memory mapping'; then
    same_addresses="setarch $(uname -m) -R"
    $same_addresses build-tsan/bin/test_race_none || {
        echo "tests/race/run.sh: this kernel gives ThreadSanitizer no room" >&2
        exit 1
    }
fi
cmake --build --preset tsan
# Not the tests of one thread, of headers and of documents, but those where NULL is usual. Of each
# application one suite or two.
skip='header_.*|macros_.*|use_.*|symbols|names|values|block.*|steps|golden_bits|large'
# changing_input has races by intention.
skip="$skip|changing_input|kernel_table|read_struct|struct_size|small_stack|fork.*|unload"
some='sort_(sort_prefetch|sort_segments)|compact_compact_(if|csr)|histogram_(histogram_edges|bin)'
some="$some|merge_merge|sort_sorter(_errors)?|allocate_(allocate|pack_records)|segmented_(segmented_values|recurrence)"
some="$some|distributed_dist_(scan|failures)"
tests=$(ctest --preset tsan --show-only | sed -n 's/^ *Test *#[0-9]*: //p' |
    grep -Ev "^scan_($skip)\$" |
    grep -E "^(scan|race)_|^cli\$|^($some)\$" | paste -sd '|')
$same_addresses ctest --preset tsan --parallel 2 --tests-regex "^($tests)\$"
