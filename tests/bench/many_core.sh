#!/bin/sh
# The programs for many cores, on small arrays: their rows, right results, missing peers, and that
# spinning processes end: many_core.sh PROGRAMS
set -eu
programs=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
quick="--reps 2 --min-reps 1 --seconds 1e-6 --seed 7 --small-pages"

fail() {
    echo "many_core.sh: $1" >&2
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

# Every primitive, with each number of threads, at each size, is right and beside a copy.
run bench_threads $quick --threads 1 --threads 3 --log2n 10 --log2n 17 --bytes 64K
grep -q '^# parscan .*, bench_threads, commit .*, [0-9-]*T' "$folder/rows.csv" || fail "no commit"
awk -F, 'NF != 19 || ($9 != "ok" && NR > 1) || ($8 == "parscan" && !($17 > 0)) { exit 1 }' \
    "$folder/table" || fail "rows that are not right, or without a share of the copy"
rows=$("$programs/bench_threads" --list | wc -l)
[ "$rows" -ge 24 ] || fail "$rows rows"
[ "$(grep -c ',parscan,ok,' "$folder/table")" = $((rows * 2 * 3)) ] || fail "not every row"
has 'scan,u32,uniform,14,3,warm,parscan,parscan,ok,' # 64K of u32
has 'sort-keys,u64,uniform,12,3,warm,parscan,parscan,ok,'
has 'histogram-256,u8,uniform,16,1,warm,parscan,parscan,ok,'
has 'copy,u8,any,16,3,warm,nt-copy,copy,ok,'
has 'copy,u8,any,16,1,warm,read,reference,ok,'

# Each peer is right or, not built, missing.
"$programs/bench_peer_process" --list >"$folder/peers"
grep -q '^ips4o sort-keys/u64/uniform$' "$folder/peers" || fail "no list of peers"
while read -r peer row; do
    for threads in 1 2; do
        run bench_peer_process $quick --peer "$peer" --rows "^$row\$" --log2n 17 --threads $threads
        [ "$(wc -l <"$folder/table")" = 1 ] || fail "$peer $row: not one row"
        awk -F, -v row="$row" -v peer="$peer" -v threads=$threads 'NF != 19 || $8 != "peer" ||
            $7 != peer || $5 != threads || $1 "/" $2 "/" $3 != row ||
            ($9 != "ok" && $9 != "missing") { exit 1 }' "$folder/table" || fail "$peer $row"
    done
done <"$folder/peers"

# Beside spinning processes, and beside a spinning team.
run bench_busy $quick --log2n 10 --log2n 17 --spin 1 --rows '^(scan/u32|sort-keys/u32|unique)'
awk -F, 'NF != 12 || ($8 != "ok" && NR > 1) || ($8 == "ok" && !($10 <= $12)) { exit 1 }' \
    "$folder/table" || fail "rows that are not right"
for condition in quiet spin-1; do
    has "scan,u32,uniform,17,[0-9]*,parscan,$condition,ok,"
    has "unique,u32,runs-4,10,[0-9]*,plain,$condition,ok,"
done
run bench_busy $quick --log2n 10 --threads 2 --openmp --rows '^scan/u32'
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
refuse '--rows ^scam/: in no row' bench_threads --rows '^scam/'
refuse '--rows ^scam/: in no row' bench_busy --rows '^scam/'
refuse 'not 0 or a power of two from 4K to 2G: 3G' bench_threads --bytes 3G
refuse 'a number out of range: 0' bench_threads --threads 0
refuse "--peer: not one peer's name" bench_peer_process --peer nobody
refuse '--rows: not in the name of one row' bench_peer_process --peer std --rows scan
refuse '--threads: not one number' bench_peer_process --peer std --rows ^scan/u32 --log2n 10
refuse '--log2n, --bytes: not one size' bench_peer_process --peer std --rows ^scan/u32 --threads 1
