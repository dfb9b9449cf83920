#!/bin/sh
# Everything that wants a GPU, in the folder that stage.sh gathered, on a machine that has neither
# compiler nor Criterion:
#     sh run_staged.sh [RESULTS]
# tests.txt: every suite that is in the folder, on CUDA; NAME-cuda.csv: the measurements, parscan beside CUB,
# Thrust and the copy (run_cuda.sh); sanitizers.txt: compute-sanitizer; and, where lib80/ has a library built with
# -DCMAKE_CUDA_ARCHITECTURES=80-virtual, the same for the form of the kernels that has no bulk copies:
# in_turns.txt.
# PARSCAN_STAGED=tests: the suites alone. PARSCAN_SUITE_SECONDS: of one suite, at most.
set -u
results=${1:-.}
here=$PWD
LD_LIBRARY_PATH=$here/lib OMP_WAIT_POLICY=passive PARSCAN_TEST_BACKEND=cuda
PARSCAN_PROGRAM=$here/parscan PARSCAN_DATA=$here/data
export LD_LIBRARY_PATH OMP_WAIT_POLICY PARSCAN_TEST_BACKEND PARSCAN_PROGRAM PARSCAN_DATA

# Criterion's processes, each with a context, would be as many as there are processors.
jobs=
[ ! -e lib/libcriterion.so.3 ] || jobs="--jobs 2"

# The last line is the plain runner's, or Criterion's.
suite() {
    begin=$(date +%s)
    timeout "${PARSCAN_SUITE_SECONDS:-300}" "./test_$1" $jobs --verbose >"log_$1" 2>&1
    code=$?
    echo "$1: exit $code, $(($(date +%s) - begin)) s, $(grep -aE 'Synthesis|^[0-9]+ passed' "log_$1")"
    # 77: all of its tests were skipped.
    [ $code -eq 0 ] || [ $code -eq 77 ] || grep -aE -B 2 'FAIL|Assert' "log_$1" | cut -c1-220 | head -20
}

# Suites that take most of the device's memory, or of the host's, come last, one after another.
is_large() {
    case $1 in
    large | *_large | large_cuda | exhausted_cuda | program_cuda) return 0 ;;
    esac
    return 1
}

{
    ./parscan info
    running=0
    for program in test_*; do
        ! is_large "${program#test_}" || continue
        suite "${program#test_}" &
        running=$((running + 1))
        [ $((running % 5)) -ne 0 ] || wait
    done
    wait
    [ -z "$jobs" ] || jobs="--jobs 1"
    for program in test_*; do
        ! is_large "${program#test_}" || suite "${program#test_}"
    done
} >"$results/tests.txt" 2>&1

if [ "${PARSCAN_STAGED:-all}" = tests ]; then
    cat "$results/tests.txt"
    exit
fi

sh run_cuda.sh . "$results"

# The tools make a program some hundred times as slow: all at once, and of each suite its reduced set.
for program in test_*_cuda; do
    for tool in memcheck initcheck synccheck racecheck; do
        grep -q sanitized "$program" || continue
        (
            log=log_${program#test_}_$tool
            timeout 120 compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 \
                "./$program" --filter 'sanitized*/*' >"$log" 2>&1
            echo "$program, $tool: exit $?, $(grep -a SUMMARY "$log" | tail -n 1)"
            grep -aE 'Error:|Race' "$log" | cut -c1-300 | sort | uniq -c | sort -rn | head -5
        ) &
    done
done >"$results/sanitizers.txt"
wait

if [ -d lib80 ]; then
    LD_LIBRARY_PATH=$PWD/lib80:$LD_LIBRARY_PATH
    {
        suite single_pass
        suite options
        ./bench_cuda_scan --type u32 --type u64 --type u8 --min 16 --max 28 --step 4 --reps 7
    } >"$results/in_turns.txt" 2>&1
fi
tail -n 30 "$results/tests.txt" "$results/sanitizers.txt"
