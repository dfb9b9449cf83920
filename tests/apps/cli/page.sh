#!/bin/sh
# page.sh PARSCAN CHECK: the page of `parscan trace --html`. By CHECK, which is page.js, Node runs what the page computes,
# over many algorithms, shapes, types and operators, and compares it with what C recorded; a headless Chromium opens
# the page at a few states, and what it shows is compared with what the program prints. Where neither is, it is
# skipped (77): test_trace_picture.c looks at the file.
set -eu
parscan=$1 check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node=$(command -v node || command -v nodejs || true)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$node$browser" ] || { echo "no Node and no Chromium"; exit 77; }

count=0
# page ARGUMENTS...: one more page.
page() {
    count=$((count + 1))
    "$parscan" trace --html "$work/$count.html" "$@" >/dev/null
}

if [ -n "$node" ]; then
    # shellcheck disable=SC2046  # the values are words
    for algorithm in sequential kogge-stone brent-kung three-phase warp warp-padded; do
        for n in 1 2 5 8 33 128; do
            page --algorithm $algorithm -- $(seq 1 $n)
            page --algorithm $algorithm --exclusive -- $(seq 1 $n)
        done
    done
    # shellcheck disable=SC2046
    for n in 5 16 63; do
        page --block-threads 4 -- $(seq 1 $n)
        page --block-threads 2 --exclusive -- $(seq 1 $n)
        page --algorithm brent-kung --block-threads 1 -- $(seq 1 $n)
        page --algorithm brent-kung --block-threads 2 --exclusive -- $(seq 1 $n)
        page --algorithm three-phase --block-threads 2 --items 3 -- $(seq 1 $n)
        page --algorithm three-phase --items 4 --exclusive -- $(seq 1 $n)
        page --algorithm three-phase --block-threads 3 -- $(seq 1 $n)
    done
    for op in sum product min max and or xor; do
        for type in u8 i64 $([ $op != sum ] || echo i8 u16 i16 u32 i32 u64); do
            page --op $op --type $type --exclusive -- 100 90 3 7 127 0 5
        done
        page --op $op --algorithm brent-kung -- -9223372036854775808 9223372036854775807 -1 77
        page --op $op --type u64 -- 18446744073709551615 2 0 9
        case $op in and | or | xor) continue ;; esac
        for type in f32 f64 f16 bf16; do
            page --op $op --type $type --algorithm warp-padded --exclusive -- -0 0.1 0.2 0.3 -7 2048 1 3e4 1e-7
            page --op $op --type $type --algorithm three-phase -- 0.1 0.7 -0 -0 nan 1 -inf 2.5 60000
        done
    done
    "$node" "$check" "$work"/*.html
else
    echo "no Node: of what the page computes a few states are compared, in the browser"
fi
[ -n "$browser" ] || { echo "no Chromium: the page is not opened"; exit 0; }

# open_page QUERY: its document after its script has run, a tag that begins a row or a part on a line.
"$parscan" trace --html "$work/page.html" 4 6 7 1 2 8 5 2 >"$work/first"
open_page() {
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom \
        "file://$work/page.html$1" 2>/dev/null | sed 's|<g id="row|\n&|g; s|</svg>|\n&|g; s|<li>|\n&|g; s|<tr>|\n&|g' >"$work/dom"
}

# counts NAME: of this step, so far, in all.
counts() {
    sed -n "s|.*<th scope=\"row\">$1</th>||p" "$work/dom" | grep -o '<td>[0-9]*' | sed 's/<td>//; 3q'
}

# expect WHAT FOUND WANTED
expect() {
    [ "$2" = "$3" ] || { printf '%s: the page has\n%s\nand not\n%s\n' "$1" "$2" "$3"; exit 1; }
}

# state STEP OPTIONS -- VALUES: the page at this step is what the program prints for the same.
state() {
    step=$1
    shift
    "$parscan" trace "$@" >"$work/text"
    query="?step=$step"
    while [ "$1" != -- ]; do
        case $1 in
        --exclusive) query="$query&exclusive=1" ;;
        *) query="$query&${1#--}=$2" && shift ;;
        esac
        shift
    done
    shift
    open_page "$query&values=$(echo "$*" | tr ' ' ,)"
    expect "text of $query" "$(sed -n '/<pre id="text">/,/<\/pre>/{s/.*<pre id="text">//; /<\/pre>/d; p;}' "$work/dom")" \
        "$(cat "$work/text")"
    # The row that is shown, its number of cells written, and the counts.
    sed -n "s/<g id=\"row-$step\" class=\"now\">//p" "$work/dom" | grep -o '>[^<]*</text>' | sed '1d; s/^>//; s/<.*//' >"$work/row"
    sed -n "$((step + 3)){s/   [0-9]* operations*\$//; s/|//g; p;}" "$work/text" | tr -s ' ' '\n' |
        tail -n "$(wc -l <"$work/row")" >"$work/line"
    expect "row of $query" "$(cat "$work/row")" "$(cat "$work/line")"
    expect "operations of $query" "$(counts operations | tr '\n' ' ')" \
        "$(awk -v last="$((step + 3))" '
            /operations?$/ && NR <= last { far += $(NF - 1) }
            /operations?$/ && NR == last { now = $(NF - 1) }
            /^operations: / { printf "%d %d %d ", now, far, $2 }' "$work/text")"
    expect "steps of $query" "$(counts 'steps (depth)' | tail -n 1)" \
        "$(grep -c 'operations*$' "$work/text")"
}

state 4 --algorithm brent-kung -- 4 6 7 1 2 8 5 2
expect "the browser's check" "$(grep -o 'data-same="[a-z]*"' "$work/dom")" 'data-same="true"'
expect "elements read" "$(grep -o '<g id="cell[^>]*[ "]read"' "$work/dom" | wc -l)" 2
expect "what the step does" "$(sed -n 's|<li>\(element[^<]*\)<.*|\1|p' "$work/dom")" "element 5 ← 18 + 10 = 28   (element 3 and element 5)"
state 8 --algorithm brent-kung --block-threads 2 --op max --exclusive -- 2 1 3 1 0 4 1 2 0 3 1 2 5 3 1 2
open_page '?values=1,x2&algorithm=warp'
expect "a word that is no number" "$(sed -n 's|.*role="alert">\([^<]*\)<.*|\1|p' "$work/dom")" "'x2' is not a number"
echo "Chromium shows what the program prints"
