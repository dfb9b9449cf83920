#!/bin/sh
# parscan on the example arrays of data/, checked against their known answers, and on real input: the
# sizes in bytes of every file on this machine, and how deep in folders each one lies. Every subcommand
# that computes is checked against an independent program (awk, sort, uniq, gzip), and both are timed.
# From a bare Debian 12 or Ubuntu 24.04:
#     sh apps/demo.sh
# PARSCAN_PROGRAM in the environment names a program that is built already. Exit status 1 if any result differs.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C
. cmake/packages.sh
need_build_tools
need gawk command awk
need findutils command find
need gzip command gzip
install_missing

build() {
    cmake --preset release -B build-demo -DPARSCAN_BUILD_TESTS=OFF -DPARSCAN_BUILD_BENCH=OFF \
        -DPARSCAN_CUDA=OFF && cmake --build build-demo
}
parscan=${PARSCAN_PROGRAM:-}
if [ -z "$parscan" ]; then
    build >build-demo.log 2>&1 || { cat build-demo.log >&2; exit 1; }
    mv build-demo.log build-demo/
    parscan=$PWD/build-demo/bin/parscan
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# Folders that may not be read are left out; that is no error.
find / -xdev -type f -printf '%s %d\n' 2>/dev/null >"$work/found" || true
cut -d ' ' -f 1 "$work/found" >"$work/sizes"
cut -d ' ' -f 2 "$work/found" >"$work/depths"
n=$(wc -l <"$work/sizes")
different=0

# seconds COMMAND...: runs it, output to $work/out, and leaves the time it took in $seconds.
seconds() {
    begin=$(date +%s.%N)
    "$@" >"$work/out"
    end=$(date +%s.%N)
    seconds=$(awk "BEGIN { printf \"%.3f\", $end - $begin }")
}

# row WHAT EXPECTED: compares the output of the last command with the checker's.
row() {
    if cmp -s "$work/out" "$2"; then verdict=same; else verdict=DIFFERENT; different=1; fi
    printf '%-36s %10d %11s s %11s s   %s\n' "$1" "$n" "$seconds" "$checker" "$verdict"
}

printf '%-36s %10s %13s %13s   %s\n' what elements parscan checker result

# known FILE ANSWER OPTION...: scans data/FILE and compares it with data/ANSWER, a number a line.
known() {
    file=$1 answer=$2 kind=inclusive
    shift 2
    case $answer in *.exclusive.txt) kind=exclusive; set -- --exclusive "$@" ;; esac
    tr -s ' ' '\n' <"data/$answer" >"$work/expected"
    n=$(wc -l <"$work/expected")
    seconds "$parscan" scan --quiet --output-format text "$@" "data/$file"
    row "$file, $kind" "$work/expected"
}

all=$n
checker=-
for kind in inclusive exclusive; do
    known eight.txt eight.$kind.txt
    known eight.txt.gz eight.$kind.txt
    known eight.i32.raw eight.$kind.txt --format raw --type i32
    known eight.npy eight.$kind.txt
    known sixteen.txt sixteen.$kind.txt
    known sixteen.u8.raw sixteen.$kind.txt --format raw --type u8
    known sixteen.f32.npy sixteen.$kind.txt
done
known network.txt network.inclusive.txt
n=$all

# check COMMAND...: the checker; its output is what is expected.
check() {
    seconds "$@"
    checker=$seconds
    mv "$work/out" "$work/expected"
}

# ours WHAT SUBCOMMAND OPTION...: parscan on the sizes, compared with what is expected.
ours() {
    what=$1 subcommand=$2
    shift 2
    seconds "$parscan" "$subcommand" --quiet "$@" "$work/sizes"
    row "$what" "$work/expected"
}

# awk counts in doubles: exact up to 2^53, and printed whole by %.0f, not by print.
check awk '{ s += $1; printf "%.0f\n", s }' "$work/sizes"
for algorithm in $("$parscan" info | sed -n 's/^algorithms: *//p'); do
    ours "scan, inclusive, $algorithm" scan --algorithm "$algorithm"
done
check awk '{ printf "%.0f\n", s; s += $1 }' "$work/sizes"
for algorithm in $("$parscan" info | sed -n 's/^algorithms: *//p'); do
    ours "scan, exclusive, $algorithm" scan --exclusive --algorithm "$algorithm"
done

# The sizes summed up where files of one depth follow each other.
awk 'NR > 1 && $1 != last { print 1 } NR == 1 || $1 == last { print 0 } { last = $1 }' \
    "$work/depths" >"$work/flags"
awk 'BEGIN { print 0 } NR > 1 && $1 != last { print NR - 1 } { last = $1 } END { if (NR) print NR }' \
    "$work/depths" >"$work/offsets"
check awk '$2 != last { s = 0 } { s += $1; last = $2; printf "%.0f\n", s }' "$work/found"
ours "segscan --keys" segscan --keys "$work/depths"
ours "segscan --flags" segscan --flags "$work/flags"
ours "segscan --offsets" segscan --offsets "$work/offsets"
check awk '$2 != last { s = 0 } { if ($1 > s) s = $1; last = $2; printf "%.0f\n", s }' "$work/found"
ours "segscan --keys --op max" segscan --op max --keys "$work/depths"

sorted_found() { sort -s -n -k 1,1 "$work/found"; }
sorted_depths() { sorted_found | cut -d ' ' -f 2; }
sorted_lines() { awk '{ print $1, NR - 1 }' "$work/sizes" | sort -s -n -k 1,1 | cut -d ' ' -f 2; }
check sort -n -r "$work/sizes"
ours "sort --descending" sort --descending
check sorted_lines
ours "sort --argsort" sort --argsort
check sorted_depths
ours "sort --values" sort --values "$work/depths" -o "$work/keys" --values-output -
check sort -n "$work/sizes"
ours "sort" sort
cmp -s "$work/keys" "$work/expected" || different=1

check awk '$1 >= 4096' "$work/sizes"
ours "compact --where '>=4096'" compact --where '>=4096'
check awk '$1 >= 100 && $1 <= 999 { print NR - 1 }' "$work/sizes"
ours "compact --where 100..999 --indices" compact --where 100..999 --indices
check grep -c -v -x 0 "$work/sizes"
ours "compact --count" compact --count
check awk '$2 != last && NR > 1 { print $1 } { last = $2 }' "$work/found"
ours "compact --flags" compact --flags "$work/flags"

counted_sizes() {
    awk '$1 < 1000' "$work/sizes" | sort -n | uniq -c |
        awk '{ count[$2] = $1 } END { for (i = 0; i < 1000; i++) print count[i] + 0 }'
}
check counted_sizes
ours "histogram --bins 1000" histogram --bins 1000
check awk '$1 < 1048576 { count[int($1 / 4096)]++ }
    END { for (i = 0; i < 256; i++) print count[i] + 0 }' "$work/sizes"
ours "histogram --range 0:1048576" histogram --bins 256 --range 0:1048576

check awk '{ printf "%.0f\n", s; s += $1 }' "$work/sizes"
ours "allocate" allocate
check awk '{ printf "%.0f\n", s; s += int(($1 + 4095) / 4096) * 4096 }' "$work/sizes"
ours "allocate --align 4096" allocate --align 4096

# The machine's libraries, up to 64 MiB of them, packed, and unpacked by gzip, which packs them too.
find /usr/lib /lib -type f -name '*.so*' -exec cat {} + 2>/dev/null |
    head -c 67108864 >"$work/libraries" || true
n=$(wc -c <"$work/libraries")
check gzip -c "$work/libraries"
seconds "$parscan" pack --quiet "$work/libraries"
mv "$work/out" "$work/libraries.gz"
gzip -dc "$work/libraries.gz" >"$work/out" || true
row "pack, bytes" "$work/libraries"

echo
"$parscan" bench --megabytes 16 || different=1
exit $different
