#!/bin/sh
# compute-sanitizer's four tools over a reduced set of calls, on a machine with a GPU:
#     cmake --preset racecheck && cmake --build --preset racecheck
#     sh tests/cuda/sanitize.sh [BUILD [RACECHECK]]        build, build-racecheck
# racecheck runs the library of the second build, which has barriers that the tool follows
# (scan/cuda/pipeline.cuh). racecheck_control shows that it follows them: one that is left out is reported.
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build}
racecheck=${2:-build-racecheck}
[ -e "$racecheck/lib/libparscan.so" ] || {
    echo "sanitize.sh: $racecheck has no library: cmake --preset racecheck && cmake --build --preset racecheck" >&2
    exit 1
}

# sanitize TOOL PROGRAM ARGUMENTS...
sanitize() {
    compute-sanitizer --target-processes all --error-exitcode 9 --tool "$@"
}

# 64: more mbarriers than a block of any kernel has. The tool's own guess may be too low.
racechecked() {
    sanitize racecheck --num-cuda-barriers 64 "$@"
}

for program in sanitized lengths segment_lengths sort_lengths room sort sort_lines compact segmented histogram allocate \
    relation custom_segments custom_tree; do
    for tool in memcheck initcheck synccheck racecheck; do
        echo "=== $program: $tool"
        set -- "$build/bin/test_${program}_cuda" --filter 'sanitized*/*'
        if [ "$tool" = racecheck ]; then
            LD_LIBRARY_PATH=$racecheck/lib racechecked "$@"
        else
            sanitize "$tool" "$@"
        fi
    done
done

echo "=== racecheck_control"
racechecked "$build/bin/racecheck_control" ordered
code=0
racechecked "$build/bin/racecheck_control" raced || code=$?
[ $code -eq 9 ] || {
    echo "sanitize.sh: racecheck does not report a barrier that is left out: exit $code" >&2
    exit 1
}
