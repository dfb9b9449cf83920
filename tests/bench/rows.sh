#!/bin/sh
# The rows of the CPU's benchmarks, of small arrays: rows.sh PROGRAMS
set -eu
programs=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
header=work,type,input,log2n,threads,cache,name,role,status,median_s,q1_s,q3_s,timings,bytes
header=$header,gb_per_s,elements_per_s,share_of_copy,times_peer,way
small="--min 10 --max 10 --threads 1 --reps 1 --seconds 1e-6"

fail() {
    echo "rows.sh: $1" >&2
    cat "$folder/rows.csv" >&2
    exit 1
}

# measure PROGRAM OPTIONS...: its CSV must have the head, whole rows, and no wrong result.
measure() {
    program=$1
    shift
    "$programs/$program" $small "$@" >"$folder/rows.csv" || fail "$program $*: exit $?"
    grep -q "^# parscan .*, $program, commit .*, [0-9-]*T" "$folder/rows.csv" ||
        fail "no commit and date"
    grep -q '^# machine: ' "$folder/rows.csv" || fail "no machine"
    [ ! -r /proc/stat ] ||
        grep -q '^# \(not \)\{0,1\}quiet: other work kept [0-9.]* processors' "$folder/rows.csv" ||
        fail "no word on other work"
    grep -q '^# seed 7;' "$folder/rows.csv" || fail "no seed"
    grep -v '^#' "$folder/rows.csv" >"$folder/table"
    [ "$(head -n 1 "$folder/table")" = "$header" ] || fail "another header"
    awk -F, 'NF != 19 || ($9 != "ok" && $9 != "missing" && NR > 1) { exit 1 }' "$folder/table" ||
        fail "rows that are neither right nor missing"
    awk -F, '$9 == "ok" && ($10 <= 0 || $11 > $10 || $12 < $10) { exit 1 }' "$folder/table" ||
        fail "medians outside of their quartiles"
}

has() {
    grep -q "^$1" "$folder/table" || fail "no row $1"
}

measure bench_cpu --seed 7 --type u32 --type f32 --rows '^scan/'
has 'scan,u32,uniform,10,1,warm,auto,parscan,ok,'
! grep -q '^reduce,' "$folder/table" || fail "--rows has no effect"
has 'scan,f32,uniform,10,1,warm,kogge-stone,parscan,ok,'
has 'scan,u32,uniform,10,1,warm,memcpy,copy,ok,'
has 'scan,u32,uniform,10,1,warm,openmp-simd,peer,ok,'
measure bench_cpu --seed 7 --rows '^scan/u32/' --cold --only auto
has 'scan,u32,uniform,10,1,cold,auto,parscan,ok,'
! grep -q ',openmp-simd,' "$folder/table" || fail "--only has no effect"
# A peer that was not built is missing, and is left out unless it is named: its threads would stay.
measure bench_cpu --seed 7 --rows '^scan/u32/' --only parlaylib
grep -q '^scan,u32,uniform,10,1,warm,parlaylib,peer,ok,' "$folder/table" ||
    has 'scan,u32,uniform,10,1,warm,parlaylib,peer,missing,,,,,,,,,,direct$'

# Whole programs give what plain loops give.
measure bench_programs --seed 7
rows=$("$programs/bench_programs" --list | wc -l)
[ "$rows" -ge 8 ] || fail "$rows programs"
[ "$(grep -c ',10,1,warm,parscan,parscan,ok,' "$folder/table")" = "$rows" ] || fail "not every program"

# Every row is right, with one thread and with three.
measure bench_cpu --seed 7 --threads 3
rows=$("$programs/bench_cpu" --list | wc -l)
[ "$rows" -ge 50 ] || fail "$rows rows"
[ "$(grep -c ',3,warm,\(parscan\|auto\),parscan,ok,' "$folder/table")" = "$rows" ] || fail "not every row"
[ "$(grep -c ',1,warm,\(parscan\|auto\),parscan,ok,' "$folder/table")" = "$rows" ] || fail "not every row"
[ "$("$programs/bench_cpu" --list --rows '^pack/u8/64')" = pack/u8/64-bytes ] || fail "--list"

# What leaves nothing to measure is wrong usage: 2, words, and no CSV.
refuse() {
    words=$1
    program=$2
    shift 2
    status=0
    "$programs/$program" "$@" >"$folder/rows.csv" 2>"$folder/words" || status=$?
    [ $status = 2 ] || fail "$program $*: exit $status"
    [ ! -s "$folder/rows.csv" ] || fail "$program $*: rows"
    grep -qF -- "$words" "$folder/words" || fail "$program $*: $(cat "$folder/words")"
}
refuse '--rows ^scam/: in no row' bench_cpu --rows '^scam/'
refuse '--rows ^scam/: in no row' bench_cpu --list --rows '^scam/'
refuse '--only atuo, --only x*: no case' bench_cpu $small --rows '^scan/u32' --only atuo --only 'x*'
refuse '--min 12 is more than --max 11' bench_cpu --min 12 --max 11

# Programs: without pigz on the path, its row says so.
if [ -x "$programs/bench_program" ]; then
    for command in sh cat cmp sort gzip; do
        ln -s "$(command -v $command)" "$folder/$command"
    done
    PATH=$folder "$programs/bench_program" $small >"$folder/rows.csv" || fail "exit $?"
    grep -v '^#' "$folder/rows.csv" >"$folder/table"
    has 'program-sort,text,integers,10,1,warm,parscan-sort,parscan,ok,'
    has 'program-sort,text,integers,10,1,warm,coreutils-sort,peer,ok,'
    has 'program-gzip,text,integers,10,1,warm,pigz,peer,missing,'
fi
