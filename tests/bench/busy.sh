#!/bin/sh
# bench_busy, on small arrays: its rows, right results, and that spinning processes end: busy.sh PROGRAMS
set -eu
programs=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
quick="--reps 2 --min-reps 1 --seconds 1e-6 --seed 7"

fail() {
    echo "busy.sh: $1" >&2
    cat "$folder/rows.csv" >&2
    exit 1
}

# run PROGRAM OPTIONS...: its rows, in $folder/table.
run() {
    program=$1
    shift
    "$programs/$program" "$@" >"$folder/rows.csv" || fail "$program $*: exit $?"
    grep -v '^#' "$folder/rows.csv" >"$folder/table" || fail "$program $*: no rows"
}

has() {
    grep -q "^$1" "$folder/table" || fail "no row $1"
}

# Beside spinning processes, and beside a spinning team.
run bench_busy $quick --min 10 --max 17 --step 7 --spin 1 --rows '^(scan/u32|sort-keys/u32|unique)'
awk -F, 'NF != 12 || ($8 != "ok" && NR > 1) || ($8 == "ok" && !($10 <= $12)) { exit 1 }' \
    "$folder/table" || fail "rows that are not right"
for condition in quiet spin-1; do
    has "scan,u32,uniform,17,[0-9]*,parscan,$condition,ok,"
    has "unique,u32,runs-of-4,10,[0-9]*,plain,$condition,ok,"
done
run bench_busy $quick --min 10 --max 10 --threads 2 --openmp --rows '^scan/u32'
has 'scan,u32,uniform,10,2,parscan,openmp,ok,'
! grep -q spin- "$folder/table" || fail "--openmp has spinning processes"

# Wrong usage: 2, words, and no rows.
refuse() {
    words=$1
    shift
    status=0
    "$programs/$@" >"$folder/rows.csv" 2>"$folder/words" || status=$?
    [ $status = 2 ] || fail "$*: exit $status"
    [ ! -s "$folder/rows.csv" ] || fail "$*: rows"
    grep -qF -- "$words" "$folder/words" || fail "$*: $(cat "$folder/words")"
}
refuse '--rows ^scam/: in no row' bench_busy --rows '^scam/'
refuse 'a number out of range: 9' bench_busy --spin 9
refuse '--threads is one number' bench_busy --threads 1 --threads 2
