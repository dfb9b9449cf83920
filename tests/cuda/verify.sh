#!/bin/sh
# What a change of device code needs, on a machine with GPUs, CUDA's compiler, CMake and Ninja: builds, every suite of the label
# cuda, then compute-sanitizer over sanitized.txt. Such a machine may be lent for minutes at a time, so:
#     sh tests/cuda/verify.sh SECONDS [RESULTS]
# stops by itself before SECONDS are over, and exits with 3 if something is left: called again it goes on, in the same folder.
# RESULTS receives suites.txt and sanitizers.txt, what was found so far, and failed.txt. Exit status 1: something failed.
#     PARSCAN_VERIFY="sanitizers suites"      the order of the two, or one of them alone
#     PARSCAN_TOOLS_AT_ONCE=6                 how many runs of compute-sanitizer share a GPU
set -u
cd "$(dirname "$0")/../.." || exit 1

# One run of compute-sanitizer, in the folder that stage.sh gathered: its line, and the log if it found something.
if [ "${1:-}" = --tool ]; then
    tool=$2 program=$3 filter=$4 end=$5 gpu=$6
    cd build-gpu/stage || exit 1
    begin=$(date +%s)
    [ "$begin" -lt "$end" ] || exit 0
    case $program in nccl*) ;; *) export CUDA_VISIBLE_DEVICES="$gpu" ;; esac
    libraries=$PWD/lib
    if [ "$tool" = racecheck ]; then
        libraries=$PWD/lib-racecheck:$libraries
        set -- --num-cuda-barriers 64
    else # what a call returns and NCCL or parscan handles is no error
        set -- --report-api-errors no
    fi
    [ "$tool" != memcheck ] && [ "$tool" != racecheck ] && set --
    log=log_${tool}_${program}_$(echo "$filter" | tr -c 'a-z0-9\n' _)
    # The tool may lose track of a launch and say so; then its result counts for nothing, and it runs again, with fewer cases.
    cases=
    for fewer in 8 64 none; do
        seconds=$((end - $(date +%s)))
        [ $seconds -gt 0 ] || exit 0
        LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} PARSCAN_TEST_BACKEND=cuda \
            env ${cases:+"PARSCAN_TEST_CASES=$cases"} timeout $seconds compute-sanitizer --target-processes all \
            --error-exitcode 9 --tool "$tool" "$@" "./test_$program" --filter "$filter" >"$log" 2>&1
        code=$?
        grep -aq 'Internal Sanitizer Error' "$log" && [ $fewer != none ] || break
        cases=$fewer
    done
    [ $code -ne 124 ] || exit 0
    echo "$tool $program $filter: exit $code, $(($(date +%s) - begin)) s${cases:+, one in $cases of the cases}, $(grep -a SUMMARY "$log" | tail -n 1), $(
        grep -aE 'Synthesis|^[0-9]+ passed' "$log" | tail -n 1)" >>verified_sanitizers.txt
    [ $code -eq 0 ] || { echo "== $log" && grep -aE 'Error|Race|FAIL|Assert' "$log" | cut -c1-300 | head -12; } >>verified_failed.txt
    exit 0
fi

# The library's host code without warnings as errors: this machine's gcc is another one.
if [ "${1:-}" = --build ]; then
    cmake --preset gpu -DPARSCAN_WERROR=OFF && cmake --build --preset gpu && cmake --preset racecheck -DPARSCAN_WERROR=OFF &&
        cmake --build --preset racecheck && sh tests/cuda/stage.sh && touch build-gpu/stage/complete
    exit
fi

end=$(($(date +%s) + ${1:?seconds} - 5))
results=$(mkdir -p "${2:-.}" && cd "${2:-.}" && pwd)
stage=build-gpu/stage
left() { echo $((end - $(date +%s))); }

if [ ! -e $stage/complete ]; then
    timeout "$(left)" sh tests/cuda/verify.sh --build >"$results/build.log" 2>&1
    code=$?
    tail -n 3 "$results/build.log"
    [ $code -ne 124 ] || exit 3
    [ $code -eq 0 ] || exit 1
    echo "built, $(left) s are left"
fi
gpus=$(nvidia-smi -L | wc -l)
touch $stage/verified_suites.txt $stage/verified_sanitizers.txt $stage/verified_failed.txt

# Suites that time has cut are no result.
suites() {
    [ "$(left)" -gt 0 ] || return 0
    (
        cd $stage || exit 1
        finished=$(sed -n 's/^\([a-z0-9_]*\): exit .*/\1/p' verified_suites.txt | tr '\n' ' ')
        mkdir -p part
        PARSCAN_STAGED=tests PARSCAN_SUITES_DONE=$finished PARSCAN_SUITES_END=$((end - 20)) PARSCAN_SUITE_SECONDS=$(left) \
            timeout "$(left)" sh run_staged.sh part >/dev/null 2>&1
        grep -v ': exit 124,' part/tests.txt >>verified_suites.txt
    )
}

sanitizers() {
    grep -v '^#' tests/cuda/sanitized.txt | awk -v gpus="$gpus" -v end="$end" '{ print $0, end, NR % gpus }' |
        while read -r tool program filter until gpu; do
            grep -qF "$tool $program $filter:" $stage/verified_sanitizers.txt || echo "$tool $program '$filter' $until $gpu"
        done | xargs -L 1 -P $((${PARSCAN_TOOLS_AT_ONCE:-6} * gpus)) sh tests/cuda/verify.sh --tool
}

for what in ${PARSCAN_VERIFY:-suites sanitizers}; do
    $what
done
cp $stage/verified_suites.txt "$results/suites.txt"
cp $stage/verified_sanitizers.txt "$results/sanitizers.txt"
cp $stage/verified_failed.txt "$results/failed.txt"
cat $stage/verified_*.txt

missing=0
for program in $stage/test_*; do
    name=${program##*/test_}
    case " ${PARSCAN_VERIFY:-suites} " in
    *" suites "*) grep -q "^$name: exit" $stage/verified_suites.txt || missing=$((missing + 1)) ;;
    esac
done
wanted=$(grep -vc '^#' tests/cuda/sanitized.txt)
case " ${PARSCAN_VERIFY:-sanitizers} " in
*" sanitizers "*) missing=$((missing + wanted - $(grep -c ': exit' $stage/verified_sanitizers.txt))) ;;
esac
echo "$missing left"
[ $missing -eq 0 ] || exit 3
! grep -hE ': exit [0-9]+,' $stage/verified_suites.txt $stage/verified_sanitizers.txt | grep -vE ': exit (0|77),'
