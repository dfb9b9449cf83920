#!/bin/sh
# man_pages.sh SOURCE BUILD TYPES_H: the man pages of section 3 that the build made of the headers. Each
# renders without a warning; each public function has a page, with its prototype and the start of its
# description as the header has them.
set -eu
source=$1 pages=$2/man/man3 types=$3
command -v man >/dev/null || { echo "there is no man here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rendered PAGE: as text, its words separated by single spaces.
rendered() {
    MANWIDTH=300 man -E ascii -l "$1" | col -b | tr -s ' \n\t' ' '
}

# described HEADER: for each function "NAME<tab>PROTOTYPE<tab>FIRST LINE OF THE COMMENT".
described() {
    awk '
        /^\/\*/ { comment = "" }
        /^\/\*/, /\*\// {
            line = $0
            gsub(/^\/\*|\*\/$|^ \*( |$)/, "", line)
            gsub(/^ +| +$/, "", line)
            if (comment == "")
                comment = line
            next
        }
        /^PARSCAN_API /, /;$/ {
            prototype = prototype " " $0
            if ($0 !~ /;$/)
                next
            gsub(/ +/, " ", prototype)
            sub(/^ PARSCAN_API /, "", prototype)
            name = prototype
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            print name "\t" prototype "\t" comment
            prototype = ""
        }' "$1"
}

count=0
tab=$(printf '\t')
for page in "$pages"/*.3; do
    if grep -q '^\.so ' "$page"; then
        [ -f "$pages/../$(sed 's/^\.so //' "$page")" ] || { echo "$page leads nowhere"; exit 1; }
        continue
    fi
    LC_ALL=C.UTF-8 man --warnings -l "$page" 2>"$work/warnings" >"$work/text"
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >>"$work/warnings" || true
    fi
    [ -s "$work/text" ] && [ ! -s "$work/warnings" ] || { echo "$page:"; cat "$work/warnings"; exit 1; }
    header=$source/include/$(sed -n 's/^\.B #include <\(.*\)>$/\1/p' "$page")
    [ "${header##*/}" != types.h ] || header=$types
    rendered "$page" >"$work/words"
    described "$header" >"$work/functions"
    while IFS=$tab read -r name prototype description; do
        [ "$page" = "$pages/$name.3" ] || [ "$(cat "$pages/$name.3")" = ".so man3/${page##*/}" ] ||
            { echo "$name.3 is not ${page##*/}"; exit 1; }
        [ -n "$description" ] || { echo "$header: $name has no comment"; exit 1; }
        for words in "$prototype" "$description"; do
            grep -qF -- "$words" "$work/words" || { echo "$page does not say: $words"; exit 1; }
        done
        count=$((count + 1))
    done <"$work/functions"
done
# Macros with the names of functions have pages too, without what is inside them.
for name in $(sed -n 's/^#define \(parscan_[a-z_]*\)(.*/\1/p' "$source"/include/parscan/*.h); do
    [ "$(cat "$pages/$name.3")" = ".so man3/parscan_typed.3" ] || { echo "no page $name.3"; exit 1; }
done
if grep -E 'PARSCAN_TYPED_|static inline|template|= delete' "$pages"/*.3; then
    echo "a page shows what is inside a macro"
    exit 1
fi
expected=$(cat "$2"/symbols/*.map | grep -c '^    parscan_')
mpi=$([ -e "$pages/parscan_comm_mpi.3" ] || echo 1)
nccl=$([ -e "$pages/parscan_comm_nccl.3" ] || echo 1)
[ "$count" = $((expected - ${mpi:-0} - ${nccl:-0})) ] ||
    { echo "$count functions have pages, the libraries have $expected"; exit 1; }
echo "$count functions"
