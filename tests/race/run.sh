#!/bin/sh
# Runs the tests of threaded code under ThreadSanitizer. race_planted and race_none (test_race.c) show that
# it finds a race of the look-back, and none where there is none. race_null shows that arithmetic on NULL
# is found: then a test here fails.
set -eu
cd "$(dirname "$0")/../.."
. cmake/packages.sh
need_clang
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
# The label race: not the tests of one thread, of headers and of documents, but those where NULL is usual; of
# each application one suite or two. Not scan_changing_input, which has races by intention.
# A suite's threads wait for each other: one suite more than processors keeps these busy.
# Of cases that are many and alike one in eight, by chance.
export PARSCAN_TEST_CASES="${PARSCAN_TEST_CASES:-8}"
$same_addresses ctest --preset tsan --parallel $(($(nproc) + 1))
