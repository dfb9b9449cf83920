#!/bin/sh
# mpi_program.sh PARSCAN PARSCAN_MPI: parscan-mpi on 1, 2, 3 and 4 ranks writes the files that parscan
# writes; errors are one line and one exit status.
set -u
parscan=$1 parscan_mpi=$2
. "$(dirname "$0")/ranks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0

complain() {
    echo "$*"
    wrong=1
}

# same RANKS SUBCOMMAND ARGUMENT...: both programs, to out.ext and values.ext.
same() {
    count=$1
    shift
    rm -rf mpi one
    mkdir mpi one
    (cd mpi && ranks "$count" "$parscan_mpi" "$@" >../out 2>../err) ||
        complain "$count ranks: $*: exit status $?: $(cat err)"
    [ ! -s out ] && [ ! -s err ] || complain "$count ranks: $*: prints $(cat out err)"
    (cd one && "$parscan" "$@" 2>../err) || complain "parscan $*: $(cat err)"
    diff -r mpi one >differences || complain "$count ranks: $*: $(cat differences)"
}

# refused STATUS WORDS ARGUMENT...: on 2 ranks one line with these words, and nothing written.
refused() {
    expected=$1 words=$2
    shift 2
    ls -A >before
    ranks 2 "$parscan_mpi" "$@" >out 2>err
    status=$?
    [ $status -eq "$expected" ] || complain "$*: exit status $status"
    [ "$(grep -c . err)" -eq 1 ] && grep -q "^parscan-mpi: .*$words" err ||
        complain "$*: prints $(cat err)"
    ls -A >after
    cmp -s before after || complain "$*: leaves $(diff before after)"
}
: >out
: >err
: >before
: >after
: >differences

# The bytes of a program serve as numbers: many are equal, and many are not.
dd if="$parscan" of=keys.raw bs=1000 count=70 2>/dev/null
dd if="$parscan" of=bytes.raw bs=500 count=35 2>/dev/null
dd if="$parscan" of=three.raw bs=4 count=3 2>/dev/null
"$parscan" scan --quiet --format raw --type u32 -o keys.npy keys.raw
"$parscan" scan --quiet --format raw --type u8 -o bytes.npy bytes.raw
"$parscan" scan --quiet --format raw --type f32 -o none.npy /dev/null

same 1 sort --values ../keys.npy --values-output values.npy -o out.npy ../keys.npy
same 2 scan --format raw --type i32 --exclusive --init 7 --out-type i64 -o out.npy ../keys.raw
same 2 allocate --align 16 --format raw --type u32 -o out.npy ../keys.raw
same 3 sort --format raw --type u8 --descending --values ../keys.raw --values-type u32 \
    --values-output values.npy -o out.raw ../bytes.raw
same 3 histogram --bins 1000 --range 0:4294967296 -o out.npy ../keys.npy
same 4 scan --format raw --type i32 --reverse -o out.raw ../keys.raw
same 4 sort --format raw --type i32 -o out.npy ../three.raw
same 4 sort --values ../bytes.npy --values-output values.npy -o out.npy ../keys.npy
same 3 scan --op max -o out.npy ../none.npy
same 3 sort --format raw --type f16 -o out.npy ../keys.raw

refused 2 'unknown option --bogus' sort --bogus -o new.raw keys.npy
refused 2 "'nan' is not a number of seconds above 0" sort --timeout nan -o new.raw keys.npy
refused 1 'missing.npy: No such file' sort -o new.npy missing.npy
refused 1 '12 values for' sort --values three.raw --values-type u8 --values-output v.raw \
    -o new.npy keys.npy
refused 1 'more than --capacity 5' allocate --capacity 5 -o new.npy keys.npy
exit $wrong
