#!/bin/sh
# guide.sh SOURCE BUILD CC CFLAGS [MPI_FLAGS MPIEXEC]: compiles every program of docs/guide.md after
# the page's first block, runs it, and compares what it prints with the text block after it. A
# program that needs CUDA's header is only compiled where there is no GPU, and left out where there is no
# header; that of MPI runs on two ranks, where MPI is.
set -eu
source=$1 build=$2 cc=$3 flags=$4 mpi_flags=${5-} mpiexec=${6-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v folder="$work" '
    /^```c$/ { file = sprintf("%s/%02d.c", folder, blocks++); next }
    /^```text$/ { file = sprintf("%s/%02d.text", folder, blocks - 1); next }
    /^```/ { file = "" }
    file != "" { print >file }' "$source/docs/guide.md"

fail() {
    echo "docs/guide.md: $*"
    exit 1
}

# run PROGRAM; the exit status 77 says that there is no GPU.
run() {
    if grep -q comm_mpi.h "$program"; then
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$mpiexec" -n 2 --oversubscribe "$1"
    else
        "$1"
    fi
}

programs=0
for program in "$work"/*.c; do
    [ "$program" != "$work/00.c" ] || continue
    expected=${program%.c}.text
    [ -e "$expected" ] || fail "a program without a text block behind it: $(head -n 3 "$program")"
    libraries=
    if grep -q cuda_runtime_api.h "$program"; then
        cuda=$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")/..
        [ -e "$cuda/include/cuda_runtime_api.h" ] || continue
        libraries="-I$cuda/include -L$cuda/lib64 -Wl,-rpath,$cuda/lib64 -lcudart"
    elif grep -q comm_mpi.h "$program"; then
        [ -n "$mpiexec" ] || continue
        libraries="-lparscan_mpi $mpi_flags"
    fi
    std=c99
    ! grep -q parscan/typed.h "$program" || std=c11
    cat "$work/00.c" "$program" >"$work/whole.c"
    # shellcheck disable=SC2086  # the flags are words
    "$cc" $flags -std=$std -Wall -Wextra -Werror -Wno-unused-function \
        -I"$source/include" -I"$build/include" "$work/whole.c" \
        -L"$build/lib" -Wl,-rpath,"$build/lib" $libraries -lparscan -o "$work/program" ||
        fail "this does not compile: $(cat "$program")"
    code=0
    run "$work/program" >"$work/printed" 2>"$work/errors" || code=$?
    programs=$((programs + 1))
    [ $code -ne 77 ] || continue
    [ $code -eq 0 ] || fail "exit status $code: $(cat "$work/errors" "$program")"
    sed 's/ *$//' "$work/printed" | cmp -s - "$expected" ||
        fail "printed $(cat "$work/printed") and not $(cat "$expected")"
done
[ $programs -ge 7 ] || fail "only $programs programs"
echo "$programs programs"
