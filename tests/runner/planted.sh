#!/bin/sh
# planted.sh CTEST PLANTED TESTS: what ctest says of the planted tests in the folder PLANTED. A program
# that skips tests and fails one has failed; one all of whose tests are skipped was skipped; one that
# skips some and passes the rest has passed. Nothing in TESTS is skipped for what it prints.
set -eu
ctest=$1 planted=$2 tests=$3
printed=$("$ctest" --test-dir "$planted" -C planted -R '^planted_' 2>&1) || true

# expect NAME VERDICT
expect() {
    echo "$printed" | grep -q "planted_$1 \.*\** *$2" || {
        echo "planted_$1 should be \"$2\":"
        echo "$printed"
        exit 1
    }
}
expect failed 'Failed'
expect skipped 'Skipped'
expect partly_skipped 'Passed'

! grep -r SKIP_REGULAR_EXPRESSION --include CTestTestfile.cmake "$tests" || {
    echo "an entry is skipped for what it prints"
    exit 1
}
