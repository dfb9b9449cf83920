#!/bin/sh
# Runs parscan and checks every result. From a bare Debian 12 or Ubuntu 24.04:
#     sh apps/demo.sh
# First it scans the example arrays of data/, whose answers are known. Then it takes the size in bytes of
# every file on this machine, and the depth of its folder, runs every subcommand that computes on
# them, compares the output with that of another program (awk, sort, uniq, gzip) and times both.
# It ends with pictures that the examples (apps/examples) make of real data, in build-demo/pictures, and the
# machine's speed beside a copy. PARSCAN_PROGRAM in the environment names a parscan that is already built.
# Exit status 1 if a result differs or a picture cannot be made.
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

# Folders without read permission are skipped; that is no error.
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

# row WORK EXPECTED: compares the output of the last command with the expected one.
row() {
    if cmp -s "$work/out" "$2"; then verdict=same; else verdict=DIFFERENT; different=1; fi
    printf '%-36s %10d %11s s %11s s   %s\n' "$1" "$n" "$seconds" "$checker" "$verdict"
}

printf '%-36s %10s %13s %13s   %s\n' work elements parscan 'other program' result

# known FILE ANSWER OPTION...: scans data/FILE and compares the output with the numbers of data/ANSWER.
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

# check COMMAND...: runs the other program, whose output is the expected one.
check() {
    seconds "$@"
    checker=$seconds
    mv "$work/out" "$work/expected"
}

# ours WORK SUBCOMMAND OPTION...: runs parscan on the sizes and compares the output with the expected one.
ours() {
    what=$1 subcommand=$2
    shift 2
    seconds "$parscan" "$subcommand" --quiet "$@" "$work/sizes"
    row "$what" "$work/expected"
}

# awk computes in doubles, which are exact up to 2^53. %.0f prints them whole; print does not.
check awk '{ s += $1; printf "%.0f\n", s }' "$work/sizes"
for algorithm in $("$parscan" info | sed -n 's/^algorithms: *//p'); do
    ours "scan, inclusive, $algorithm" scan --algorithm "$algorithm"
done
check awk '{ printf "%.0f\n", s; s += $1 }' "$work/sizes"
for algorithm in $("$parscan" info | sed -n 's/^algorithms: *//p'); do
    ours "scan, exclusive, $algorithm" scan --exclusive --algorithm "$algorithm"
done

# Segments: runs of files of the same depth.
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

# Where MPI is, two processes sort a file together, each of which reads and writes its half.
if [ -x "${parscan%/*}/parscan-mpi" ] && command -v mpirun >/dev/null 2>&1; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    "$parscan" compact --quiet --type u64 --where '>=0' -o "$work/sizes.npy" "$work/sizes"
    check sort -n "$work/sizes"
    seconds mpirun -n 2 "${parscan%/*}/parscan-mpi" sort --quiet -o "$work/sorted.npy" "$work/sizes.npy"
    "$parscan" compact --quiet --where '>=0' --output-format text "$work/sorted.npy" >"$work/out"
    row "mpirun -n 2 parscan-mpi sort" "$work/expected"
fi

# pack: up to 64 MiB of this machine's libraries. gzip unpacks the result, and packs the same for the time.
find /usr/lib /lib -type f -name '*.so*' -exec cat {} + 2>/dev/null |
    head -c 67108864 >"$work/libraries" || true
n=$(wc -c <"$work/libraries")
check gzip -c "$work/libraries"
seconds "$parscan" pack --quiet "$work/libraries"
mv "$work/out" "$work/libraries.gz"
gzip -dc "$work/libraries.gz" >"$work/out" || true
row "pack, bytes" "$work/libraries"

echo
"$parscan" bench --megabytes 16 >"$work/bench" || different=1
cat "$work/bench"

# picture NAME WHAT COMMAND...: the command writes the picture to its standard output.
pictures=build-demo/pictures
mkdir -p "$pictures"
picture() {
    picture=$pictures/$1.svg what=$2
    shift 2
    if "$@" >"$picture" 2>"$work/errors" && tail -n 1 "$picture" | grep -q '</svg>'; then
        printf '%-34s %s\n' "$picture" "$what" >>"$work/pictures"
    else
        echo "$picture cannot be made:"
        cat "$work/errors"
        different=1
    fi
}
examples=${parscan%/*}/example

# folders: a line "parent size name" for each file and folder, as example_tree reads them. Names with a
# newline, and what is below them, are left out.
folders() {
    find / -xdev -printf '%s %p\n' 2>/dev/null | awk '
        { size = $1; path = $0; sub(/^[0-9]+ /, "", path) }
        path == "/" { id[path] = count++; print 0, size, path; next }
        path !~ /^\// || size !~ /^[0-9]+$/ { next }
        {
            up = path; sub(/\/[^\/]*$/, "", up)
            if (up == "") up = "/"
            if (!(up in id)) next
            id[path] = count++
            name = path; sub(/.*\//, "", name)
            print id[up], size, name
        }'
}
folders_picture() { "${examples}_tree" "$work/tree" | awk -f apps/examples/icicle.awk; }
ridge_picture() { "${examples}_quick_sort" "$work/ridge" "$work/svg" >/dev/null && cat "$work/svg"; }
words_picture() { "${examples}_word_count" "$work/words" "$work/svg" >/dev/null && cat "$work/svg"; }
network_picture() {
    "$parscan" trace --algorithm brent-kung --svg "$work/svg" 4 6 7 1 2 8 5 2 >/dev/null && cat "$work/svg"
}
picture network 'Brent-Kung on eight numbers, step by step' network_picture
if [ -x "${examples}_tree" ]; then
    folders >"$work/tree"
    cat README.md docs/*.md >"$work/words"
    tail -c 69488 data/jacksboro.pgm | od -A n -v -w2 -t u2 --endian=big -j 34744 -N 404 >"$work/ridge"
    picture contours 'heights at Jacksboro, Tennessee, a line every 50 m' \
        "${examples}_contours" data/jacksboro.pgm 50
    picture folders 'what fills the disk of this machine' folders_picture
    picture quick-sort 'a section through these hills in the rounds of a quick sort' ridge_picture
    picture words 'the words of the documents by how often they come' words_picture
fi
echo
if [ $different = 0 ]; then echo "All results are right."; else echo "Some results are wrong."; fi
echo
echo "To look at (any browser opens them):"
cat "$work/pictures"
awk '$1 == "copy" { copy = $3 } $1 == "scan" { printf "This machine: scan %s GB/s, ", $3 }
    END { if (copy) printf "copy %s GB/s\n", copy }' "$work/bench"
exit $different
