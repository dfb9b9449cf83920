#!/bin/sh
# compute-sanitizer's four tools over a reduced set of calls, on a machine with a GPU:
#     sh tests/cuda/sanitize.sh [BUILD]
set -eu
cd "$(dirname "$0")/../.."
program=${1:-build}/bin/test_sanitized_cuda
for tool in memcheck initcheck synccheck racecheck; do
    echo "=== $tool"
    compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$program"
done
