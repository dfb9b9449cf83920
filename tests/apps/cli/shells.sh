#!/usr/bin/env bash
# shells.sh PROGRAM FOLDER: zsh and fish, if they are there, offer what bash does by the completion in the folder.
# Exit status 77 if neither is there.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$2
mkdir "$work/bin" "$work/empty"
ln -s "$1" "$work/bin/parscan"
PATH=$work/bin:$PATH
# shellcheck source=/dev/null
. "$folder/parscan.bash"

lines=("sca" "scan --op " "reduce --op " "scan --type " "scan --output-format " "sort --format r"
    "scan --algorithm " "trace --backend " "scan --backend c" "pack -" "join --" "scan --bins " "scan --values ")

in_bash() {
    read -ra COMP_WORDS <<<"parscan $1"
    case $1 in *" ") COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _parscan
    printf '%s\n' "${COMPREPLY[@]}"
}

# What zsh would offer, of which it keeps those that begin like the last word.
in_zsh() {
    sed '$d' "$folder/parscan.zsh" >"$work/functions"
    zsh -f -c '. "$1"
        compadd() { shift; print -l -- "$@"; }
        _files() { }
        _describe() { print -l -- ${(P)2%%:*}; }
        words=(${=2}); [[ $2 = *" " ]] && words+=("")
        CURRENT=$#words; _parscan' zsh "$work/functions" "parscan $1" | grep -e "^${1##* }" || true
}

# Where there are no files.
in_fish() {
    (cd "$work/empty" && fish -N -c 'source $argv[1]; complete -C $argv[2]' "$folder/parscan.fish" "parscan $1") |
        sed 's/\t.*//'
}

found=0
for shell in zsh fish; do
    command -v "$shell" >/dev/null 2>&1 || continue
    found=$((found + 1))
    for line in "${lines[@]}"; do
        expected=$(in_bash "$line" | sort | xargs) offered=$("in_$shell" "$line" | sort | xargs)
        [ "$offered" = "$expected" ] || { echo "$shell: parscan $line: offers '$offered', not '$expected'"; exit 1; }
    done
done
[ "$found" -gt 0 ] || { echo "skipped: no zsh and no fish"; exit 77; }
