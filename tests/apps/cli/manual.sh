#!/bin/sh
# manual.sh PARSCAN SOURCE: the pages of --help and the manual page agree, and their examples run as they
# stand in the folder of the source.
set -eu
parscan=$1 source=$2
manual=$source/apps/cli/parscan.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

complain() {
    echo "$*"
    wrong=1
}

# The examples write files: they run in a folder that has data/ as the source has it.
mkdir "$work/bin" "$work/folder"
ln -s "$parscan" "$work/bin/parscan"
cp -R "$source/data" "$work/folder/data"
PATH=$work/bin:$PATH
cd "$work/folder"

# run LINE: status 0, and something is written, to standard output or to a new file.
examples=0
run() {
    examples=$((examples + 1))
    find . -maxdepth 1 -type f -exec rm -f {} +
    sh -c "$1" >../out 2>../err || complain "fails: $1: $(cat ../err)"
    [ -s ../out ] || [ -n "$(find . -maxdepth 1 -type f -size +0c)" ] || complain "writes nothing: $1"
}

# A page has a usage line, a sentence, and an example; the manual has all of its options.
pages=0
for subcommand in "" $(parscan --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    # shellcheck disable=SC2086  # no subcommand is no word
    parscan $subcommand --help >../page
    pages=$((pages + 1))
    grep -q '^usage: parscan ' ../page || complain "$subcommand --help has no usage line"
    grep -q '^Examples*:$' ../page || complain "$subcommand --help has no example"
    sed -n '/^Example:$/,$s/^  \(parscan .*\)/\1/p' ../page >../lines
    [ -s ../lines ] || complain "$subcommand --help: its example is not found"
    while IFS= read -r line; do run "$line"; done <../lines
    sed 's/\\-/-/g' "$manual" >../manual
    grep -o -e '--[a-z][a-z-]*' ../page | sort -u >../options
    while IFS= read -r option; do
        grep -q -e "$option" ../manual || complain "the manual page has no $option"
    done <../options
done
[ "$pages" = 23 ] || complain "$pages pages, not 23"

# The manual's: between .EX and .EE, with roff's escapes undone.
sed -n '/^\.EX$/,/^\.EE$/{/^\.E[XE]$/!p}' "$manual" |
    sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' >../lines
while IFS= read -r line; do run "$line"; done <../lines
[ "$examples" -ge 23 ] || complain "only $examples examples were found"

# The formatter has nothing to say, where there is one.
if command -v groff >/dev/null 2>&1; then
    groff -man -ww -Tutf8 "$manual" 2>../warnings >/dev/null
    [ ! -s ../warnings ] || complain "groff: $(cat ../warnings)"
fi
exit "$wrong"
