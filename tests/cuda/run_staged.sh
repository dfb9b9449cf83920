#!/bin/sh
# Everything that wants a GPU, in about three minutes, in a folder of staged programs and their libraries
# (lib/), on a machine that has neither compiler nor Criterion:
#     sh run_staged.sh [RESULTS]
# tests.txt: every suite on CUDA; bench.csv: CUB, the copy and parscan; sanitizers.txt: compute-sanitizer;
# and, where lib80/ has a library built with -DCMAKE_CUDA_ARCHITECTURES=80-virtual, the same for the form
# of the kernels that has no bulk copies: in_turns.txt.
set -u
results=${1:-.}
LD_LIBRARY_PATH=$PWD/lib OMP_WAIT_POLICY=passive PARSCAN_TEST_BACKEND=cuda
export LD_LIBRARY_PATH OMP_WAIT_POLICY PARSCAN_TEST_BACKEND

suite() {
    name=$1
    shift
    timeout 75 "./test_$name" "$@" --verbose >"log_$name" 2>&1
    code=$?
    echo "$name: exit $code, $(grep -a Synthesis "log_$name")"
    [ $code -eq 0 ] || grep -aE 'FAIL|\[----\]|Assert' "log_$name" | cut -c1-220 | head -20
}

# Those that take most of the device's memory come last, one after another.
{
    ./parscan info
    running=0
    for program in test_*; do
        case ${program#test_} in
        large_cuda | exhausted_cuda | large) continue ;;
        esac
        suite "${program#test_}" &
        running=$((running + 1))
        [ $((running % 5)) -ne 0 ] || wait
    done
    wait
    for name in large_cuda exhausted_cuda large; do
        [ ! -x "test_$name" ] || suite "$name" --jobs 1
    done
} >"$results/tests.txt" 2>&1

./bench_cuda_scan --min 10 --max 30 --step 2 --reps 9 >"$results/bench.csv" 2>&1

for tool in memcheck initcheck synccheck racecheck; do
    (
        timeout 60 compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 \
            ./test_sanitized_cuda >"log_$tool" 2>&1
        echo "$tool: exit $?, $(grep -a SUMMARY "log_$tool")"
        grep -aE 'Error|Race' "log_$tool" | cut -c1-200 | sort | uniq -c | sort -rn | head -5
    ) &
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
