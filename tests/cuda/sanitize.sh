#!/bin/sh
# Runs compute-sanitizer's four tools on a reduced set of calls, on a machine with a GPU:
#     sh tests/cuda/sanitize.sh [BUILD]
set -eu
cd "$(dirname "$0")/../.."
for program in sanitized sort compact segmented histogram allocate; do
    for tool in memcheck initcheck synccheck racecheck; do
        echo "=== $program: $tool"
        compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 \
            "${1:-build}/bin/test_${program}_cuda" --filter 'sanitized*/*'
    done
done
