#!/bin/sh
# parscan on the example arrays of data/, checked against their known answers, and on real input:
# the sizes in bytes of every file on this machine, scanned by every algorithm and checked against
# awk. From a bare Debian 12 or Ubuntu 24.04:
#     sh apps/demo.sh
# Exit status 1 if any result differs.
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
need_build_tools
need gawk command awk
need findutils command find
install_missing

cmake --preset release -B build-demo -DPARSCAN_BUILD_TESTS=OFF -DPARSCAN_BUILD_BENCH=OFF \
    -DPARSCAN_CUDA=OFF >build-demo.log 2>&1 ||
    { cat build-demo.log >&2; exit 1; }
cmake --build build-demo >>build-demo.log 2>&1 || { cat build-demo.log >&2; exit 1; }
mv build-demo.log build-demo/
parscan=$PWD/build-demo/bin/parscan

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# Folders that may not be read are left out; that is no error.
find / -xdev -type f -printf '%s\n' 2>/dev/null >"$work/sizes" || true
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

# awk counts in doubles: exact up to 2^53, and printed whole by %.0f, not by print.
inclusive='{ s += $1; printf "%.0f\n", s }'
exclusive='{ printf "%.0f\n", s; s += $1 }'

printf '%-36s %10s %13s %13s   %s\n' what elements parscan awk result

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

for kind in inclusive exclusive; do
    eval "program=\$$kind"
    flag=
    [ $kind = inclusive ] || flag=--exclusive
    seconds awk "$program" "$work/sizes"
    checker=$seconds
    mv "$work/out" "$work/expected"
    for algorithm in $("$parscan" info | sed -n 's/^algorithms: *//p'); do
        # shellcheck disable=SC2086  # no flag is no word
        seconds "$parscan" scan --quiet $flag --algorithm "$algorithm" "$work/sizes"
        row "scan, $kind, $algorithm" "$work/expected"
    done
done
exit $different
