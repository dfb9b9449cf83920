#!/bin/sh
# The measurements on a GPU, on a machine that needs neither a compiler nor packages
# (tests/cuda/stage.sh gathers the programs, and this script):
#     sh run_cuda.sh PROGRAMS RESULTS
# scan-cuda.csv, types-cuda.csv, apps-cuda.csv, short-cuda.csv, host-cuda.csv in RESULTS: about three minutes,
# five at most. Copied to bench/results, they are drawn there by `sh bench/run.sh --draw`.
set -eu
programs=$1
results=$2
mkdir -p "$results"

# A limit for each: what is measured by then is kept.
into() {
    file=$1
    program=$programs/$2
    shift 2
    [ -x "$program" ] || return 0
    timeout 60 "$program" "$@" >"$results/$file.csv" || echo "run_cuda.sh: $file: exit $?" >&2
}

# Scans from 2^10 to the largest that fits; then each type at 2^28; then the applications; then
# short calls in graphs.
into scan-cuda bench_cuda --rows '^scan/u32/' --max 32 --seconds 0.05
into types-cuda bench_cuda --rows '^(scan|scan-.*|reduce)/' --min 28 --max 28 --seconds 0.05
into apps-cuda bench_cuda --min 16 --max 28 --step 6 --seconds 0.05 --rows \
    '^(sort-keys/(u32|u64)/uniform|sort-pairs/(u32|u64)\+u32/uniform|argsort/u32/uniform|'\
'sort-segments/u32/mean-1000|compact-if/u32/50%$|unique/u32/runs-of-4|run-lengths/u32/runs-of-4|'\
'histogram-256/u8/uniform|histogram-65536/u32/uniform|segmented-scan/u32/mean-100$|'\
'segmented-reduce-keys/u32/mean-100$|allocate/u32-u64/align-1$|bin-65536/u32\+u32/uniform)'
into short-cuda bench_cuda --min 8 --max 20 --seconds 0.01 --only auto --only reduce --only keys \
    --only parscan --only 'cub*' --rows \
    '^((scan|reduce|sort-keys)/(u8|u32|u64|f32)/uniform|sort-pairs/(u|f)..\+u32/uniform|'\
'histogram-256/u8/uniform|segmented-scan/.*/mean-100$|(partition|compact-if)/.*/50%$)'

# Arrays of 4 GiB in pinned host memory, an eighth of them on the device at a time.
into host-cuda bench_cuda_host --seconds 1 --reps 5
