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

# on_ranks RANKS ARGUMENT...: in the folder mpi.
on_ranks() {
    count=$1
    shift
    rm -rf mpi one
    mkdir mpi one
    (cd mpi && ranks "$count" "$parscan_mpi" "$@" >shown 2>../err) ||
        complain "$count ranks: $*: exit status $?: $(cat err)"
    [ ! -s err ] || complain "$count ranks: $*: prints $(cat err)"
}

# same RANKS SUBCOMMAND ARGUMENT...: both programs, to out.ext and values.ext, and to standard output.
same() {
    on_ranks "$@"
    shift
    (cd one && "$parscan" "$@" >shown 2>../err) || complain "parscan $*: $(cat err)"
    diff -r mpi one >differences || complain "$count ranks: $*: $(cat differences)"
}

# same_groups RANKS KEYS ELEMENTS: of a file of u8 and one of i32, as parscan has the groups of a text.
same_groups() {
    on_ranks "$1" group --keys "../$2" --keys-type u8 --op sum,count,min,max,mean -o out.txt --format raw --type i32 "../$3"
    od -An -v -tu1 -w1 "$2" >keys.txt
    od -An -v -td4 -w4 "$3" | paste keys.txt - >table.txt
    "$parscan" group -g 1 -k 2 --op sum,count,min,max,mean -o one/out.txt table.txt
    cmp mpi/out.txt one/out.txt || complain "groups of $2 and $3: $(diff mpi/out.txt one/out.txt)"
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
: >keys.txt
: >table.txt

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

dd if=/dev/zero of=zeros.raw bs=500 count=35 2>/dev/null
dd if=/dev/zero of=few.raw bs=3 count=1 2>/dev/null
same 3 sort --argsort --descending -o out.npy ../keys.npy
same 4 compact --where '>=1000' -o out.npy ../keys.npy
same 3 compact --flags ../bytes.npy --indices -o out.npy ../keys.npy
same 2 compact --flags ../bytes.npy --count ../keys.npy
same 4 unique --format raw --type f32 -o out.raw ../keys.raw
same 3 unique --count -o out.txt ../bytes.npy
same 4 reduce --op sum,count,min,max,mean ../keys.npy
same 3 reduce --op mean,sum,max --format raw --type bf16 -o out.txt ../keys.raw
same 2 reduce --op max,sum,count ../none.npy
same_groups 4 bytes.raw keys.raw
same_groups 3 zeros.raw keys.raw
same_groups 4 few.raw three.raw

refused 2 'unknown option --bogus' sort --bogus -o new.raw keys.npy
refused 2 "'nan' is not a number of seconds above 0" sort --timeout nan -o new.raw keys.npy
refused 1 'missing.npy: No such file' sort -o new.npy missing.npy
refused 1 '12 values for' sort --values three.raw --values-type u8 --values-output v.raw \
    -o new.npy keys.npy
refused 1 '3 keys for the 17500' group --keys few.raw --keys-type u8 -o new.txt keys.npy
refused 2 'the output is text' unique --count -o new.npy keys.npy
refused 1 'more than --capacity 5' allocate --capacity 5 -o new.npy keys.npy
exit $wrong
