#!/bin/sh
# Gathers what a GPU machine without the build's packages needs: the programs of all tests with the label
# cuda, parscan, the measurements, the libraries that they load, data/, run_staged.sh and run_cuda.sh.
#     cmake --preset gpu && cmake --build --preset gpu
#     cmake --preset racecheck && cmake --build --preset racecheck
#     sh tests/cuda/stage.sh [BUILD [STAGE [RACECHECK]]]        build-gpu, BUILD/stage, build-racecheck
# By that preset a suite runs in one process. By Criterion each test has one, and makes a context, which
# takes the driver a third of a second, in one process after another: many minutes for all suites.
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build-gpu}
stage=${2:-$build/stage}
racecheck=${3:-build-racecheck}

# ctest lists the programs, and those that it cannot find.
list=$(ctest --test-dir "$build" -L cuda -N -V)
# A test on several ranks is a script, whose first program of the build is what it runs.
programs=$(echo "$list" | sed -n 's/^[0-9]*: Test command: //p' | tr ' ' '\n' | tr -d '"' |
    grep -E "/(test_|example_|racecheck_)[a-z0-9_]*$" | sort -u)
echo "$list" | sed -n 's/^Could not find executable /stage.sh: not built: /p' | sort -u >&2
[ -n "$programs" ] || {
    echo "stage.sh: $build has no tests for CUDA" >&2
    exit 1
}
programs="$programs $build/bin/parscan"
for program in "$build"/bin/bench_cuda* "$build"/bin/bench_nccl; do
    [ ! -x "$program" ] || programs="$programs $program"
done

[ -e "$racecheck/lib/libparscan.so.0" ] || {
    echo "stage.sh: $racecheck has no library for racecheck" >&2
    exit 1
}

rm -rf "$stage"
mkdir -p "$stage/lib" "$stage/lib-racecheck"
cp -L "$racecheck/lib/libparscan.so.0" "$stage/lib-racecheck/"
cp $programs "$stage/"
cp -R data tests/cuda/run_staged.sh bench/run_cuda.sh "$stage/"
# Not the C and C++ libraries, NCCL and MPI, and what belongs to them: that machine has its own, with
# the plugins and mpirun that fit.
ldd $programs | awk '$3 ~ /^\// { print $3 }' | sort -u |
    grep -Ev '/(ld-linux[^/]*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so' |
    grep -Ev '/lib(nccl|mpi|open-(pal|rte)|hwloc|event[a-z_]*|pmix)[-.0-9a-z]*\.so' |
    while read -r library; do
        cp -L "$library" "$stage/lib/"
    done
du -sh "$stage"
