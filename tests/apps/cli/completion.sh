#!/usr/bin/env bash
# completion.sh PROGRAM COMPLETION: what bash offers: every subcommand, every option that --help names, the
# words that an option takes; files (that is, nothing) elsewhere.
set -euo pipefail
program=$1
# MPI does not free what it has taken; LeakSanitizer would tell of it.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
# shellcheck source=/dev/null
. "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The program, whose pages are asked for once: under MPI each start takes long.
asked() {
    local page=$work/${*//[! a-z-]/}
    [ -e "$page" ] || "$program" "$@" >"$page" || { rm "$page"; return 2; }
    cat "$page"
}

# offers EXPECTED WORD...: the words of a command line, the last of which is being completed.
offers() {
    local expected=$1 found
    shift
    COMP_WORDS=(asked "$@")
    COMP_CWORD=$#
    _parscan
    found=$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)
    [ "$found" = "$(printf '%s\n' $expected | sort | xargs)" ] ||
        { echo "$*: offers '$found', not '$expected'"; exit 1; }
}

tables=$(dirname "$2")/../../scan/tables.h
types=$(sed -n '/define PARSCAN_[A-Z]*_TYPES(/,/^$/s/^ *X(ctx, [A-Z0-9]*, *[0-9]*, *\([a-z0-9]*\),.*/\1/p' "$tables" | xargs)
ops=$(sed -n 's/^ *X(ctx, [A-Z]*, *[0-9]*, \([a-z]*\), *".*/\1/p' "$tables" | xargs)
subcommands=$(asked --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
offers "$subcommands --help --version" ""
offers "scan" sca
# The words of what most pages say in the same lines (COMMON_HELP) are looked at in the first of them.
common_seen=
for subcommand in $subcommands; do
    page=$(asked "$subcommand" --help)
    common=$([[ $page != *$'\nInput and output'* ]] || echo "$common_seen")
    [[ $page != *$'\nInput and output'* ]] || common_seen=again
    options=$(grep '^  -' <<<"$page" | sed 's/  [^ ,-].*//' | grep -o -e '--*[A-Za-z][a-z-]*')
    offers "$options" "$subcommand" -
    formats=$([ "${program##*/}" = parscan-mpi ] && echo raw npy || echo text raw npy)
    for option in $options; do
        case $common$option in
        --type | --*-type) offers "$types" "$subcommand" "$option" "" ;;
        --format | --output-format) offers "$formats" "$subcommand" "$option" "" ;;
        --op | again--op)
            case $subcommand in
            group | reduce) ops_offered="sum count min max mean" ;;
            *) ops_offered=$ops ;;
            esac
            offers "$ops_offered" "$subcommand" --op "" ;;
        --backend) offers "auto cpu $([ "$subcommand" = trace ] || echo cuda)" "$subcommand" --backend "" ;;
        --algorithm | again--algorithm) offers "sequential" "$subcommand" --algorithm se ;;
        --output | --bins | --values | again--bins | again--values) offers "" "$subcommand" "$option" "" ;;
        esac
    done
    offers "" "$subcommand" ""
done
offers "kogge-stone" scan --algorithm ko
offers "" nonsense --op ""
