#!/bin/sh
# Runs all tests and measurements that need a GPU, in the folder that stage.sh gathered, on a machine
# without compiler and Criterion:
#     sh run_staged.sh [RESULTS]
# It writes into RESULTS:
#     tests.txt        every suite of the folder, on CUDA
#     NAME-cuda.csv    the measurements: parscan beside CUB and the copy (run_cuda.sh)
#     sanitizers.txt   compute-sanitizer
#     unspecialised.txt     some suites with the unspecialised kernels, if lib80/ has a library built with
#                      -DCMAKE_CUDA_ARCHITECTURES=80-virtual
# PARSCAN_STAGED=tests runs the suites alone, PARSCAN_STAGED=small those that run beside others,
# PARSCAN_STAGED=sanitizers the last of it alone. PARSCAN_SUITES_FIRST="NAME..." begins with these suites.
# PARSCAN_SUITE_SECONDS limits the time of each suite, PARSCAN_SUITES_AT_ONCE (5) says how many share a GPU.
# PARSCAN_SUITES_DONE="NAME..." leaves these out, and after PARSCAN_SUITES_END, seconds of `date +%s`, none starts (verify.sh).
#     sh run_staged.sh --suite NAME [GPU]      a suite, which sees one GPU or all
set -u
results=${1:-.}
here=$PWD
what=${PARSCAN_STAGED:-all}
LD_LIBRARY_PATH=$here/lib PARSCAN_TEST_BACKEND=cuda
PARSCAN_PROGRAM=$here/parscan PARSCAN_DATA=$here/data
export LD_LIBRARY_PATH PARSCAN_TEST_BACKEND PARSCAN_PROGRAM PARSCAN_DATA

# Criterion would start a process for each processor, each with a context.
jobs=
[ ! -e lib/libcriterion.so.3 ] || jobs="--jobs 2"

# NCCL and MPI are this machine's. NCCL may be in a folder that the loader does not know: CUDA's, or
# Python's packages.
nccl=$(find /usr /opt -name libnccl.so.2 2>/dev/null | head -n 1)
[ -z "$nccl" ] || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:${nccl%/*}
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# Several GPUs: a process for each, and the example with a thread for each. Exit status 77: skipped.
several() {
    timeout "${PARSCAN_SUITE_SECONDS:-300}" "$@" >log_several 2>&1
    echo "$*: exit $?, $(tail -n 1 log_several | cut -c1-300)"
}

# Prints a line for a suite: its exit status, its time, and the summary of the plain runner or of Criterion.
suite() {
    begin=$(date +%s)
    [ "$begin" -lt "${PARSCAN_SUITES_END:-$((begin + 1))}" ] || return 0
    timeout "${PARSCAN_SUITE_SECONDS:-300}" "./test_$1" $jobs --verbose >"log_$1" 2>&1
    code=$?
    echo "$1: exit $code, $(($(date +%s) - begin)) s, $(grep -aE 'Synthesis|^[0-9]+ passed' "log_$1")"
    # 77: all of its tests were skipped.
    [ $code -eq 0 ] || [ $code -eq 77 ] || grep -aE -B 2 'FAIL|Assert' "log_$1" | cut -c1-220 | head -20
}

# Suites that take most of the device's or the host's memory run last, one after another.
is_large() {
    case $1 in
    large | *_large | large_cuda | exhausted_cuda | program_cuda) return 0 ;;
    esac
    return 1
}

if [ "${1:-}" = --suite ]; then
    [ -z "${3:-}" ] || export CUDA_VISIBLE_DEVICES="$3"
    suite "$2"
    exit
fi
gpus=$(nvidia-smi -L | wc -l)

is_done() {
    case " ${PARSCAN_SUITES_DONE:-} " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# The names of all suites that run beside others, those first that were asked for or take longest.
small_suites() {
    {
        printf '%s\n' ${PARSCAN_SUITES_FIRST:-} compact_cuda segmented_cuda compact_if compact_runs \
            segmented_scan dist_segmented dist_sort dist_counts bin compact_flags
        printf '%s\n' test_* | sed 's/^test_//'
    } | awk '!seen[$0]++' | while read -r name; do
        [ ! -x "test_$name" ] || is_large "$name" || is_done "$name" || echo "$name"
    done
}

# Each suite gets a GPU, but for those of NCCL, which get all.
run_suites() {
    ./parscan info
    small_suites | awk -v gpus="$gpus" '{ print $0 (/^nccl/ ? "" : " " NR % gpus) }' |
        xargs -L 1 -P $((${PARSCAN_SUITES_AT_ONCE:-5} * gpus)) sh "$0" --suite
    [ "$what" != small ] || return 0
    [ -z "$jobs" ] || jobs="--jobs 1"
    for program in test_*; do
        ! is_large "${program#test_}" || is_done "${program#test_}" || suite "${program#test_}"
    done
    if [ -x test_nccl_processes ]; then
        several mpirun -n "$gpus" --oversubscribe ./test_nccl_processes
    fi
    [ ! -x example_sort_gpus ] || several ./example_sort_gpus
}

if [ "$what" != sanitizers ]; then
    run_suites >"$results/tests.txt" 2>&1
    cat "$results/tests.txt"
fi
case $what in
tests | small) exit 0 ;;
esac

[ "$what" = sanitizers ] || sh run_cuda.sh . "$results"

# The tools make a program some hundred times as slow: all at once, and of each suite its reduced set.
# racecheck has a library of its own, whose barriers it follows, and has to find the race of racecheck_control.
sanitize() {
    timeout "${PARSCAN_SANITIZER_SECONDS:-240}" compute-sanitizer --target-processes all \
        --error-exitcode 9 --tool "$@"
}
racechecked() {
    LD_LIBRARY_PATH=$here/lib-racecheck:$LD_LIBRARY_PATH sanitize racecheck --num-cuda-barriers 64 "$@"
}
turn=0
for program in test_*_cuda; do
    for tool in memcheck initcheck synccheck racecheck; do
        grep -q sanitized "$program" || continue
        turn=$((turn + 1))
        (
            export CUDA_VISIBLE_DEVICES=$((turn % gpus))
            log=log_${program#test_}_$tool
            [ $tool = racecheck ] && run=racechecked || run="sanitize $tool"
            $run "./$program" --filter 'sanitized*/*' >"$log" 2>&1
            echo "$program, $tool: exit $?, $(grep -a SUMMARY "$log" | tail -n 1)"
            grep -aE 'Error:|Race' "$log" | cut -c1-300 | sort | uniq -c | sort -rn | head -5
        ) &
    done
done >"$results/sanitizers.txt"
wait
for way in ordered raced; do
    racechecked ./racecheck_control $way >log_control_$way 2>&1
    code=$?
    [ $way = ordered ] && wanted=0 || wanted=9
    [ $code -eq $wanted ] && verdict=right || verdict=WRONG
    echo "racecheck_control $way: exit $code, $verdict, $(grep -a SUMMARY log_control_$way | tail -n 1)"
done >>"$results/sanitizers.txt"

if [ -d lib80 ]; then
    LD_LIBRARY_PATH=$PWD/lib80:$LD_LIBRARY_PATH
    {
        suite single_pass
        suite options
        ./bench_cuda --type u32 --type u64 --type u8 --rows '^(scan|reduce)' --stream --min 16 --max 28 --step 4 --reps 7
    } >"$results/unspecialised.txt" 2>&1
fi
tail -n 30 "$results/tests.txt" "$results/sanitizers.txt"
