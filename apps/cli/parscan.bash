# bash completion of parscan and parscan-mpi. Subcommands, options and their values are those of --help of
# the program itself; all else is files.

# Of a page of --help: what it says about the option $2, in one line, without what is in parentheses.
_parscan_about() {
    local line="^  \(-[A-Za-z], \)\{0,1\}$2 "
    printf '%s\n' "$1" | sed -n "/$line/,/^\(  -.*\)\{0,1\}\$/{/$line/p; /^      /p;}" |
        tr -s '\n ' '  ' | sed "s/^ *\(-[A-Za-z], \)*$2 [A-Z]* //; s/([^)]*)//g"
}

# The words that the option $2 takes, of the page $1; none if it takes others.
_parscan_values() {
    local about=
    case $2 in
    --op) about=$(_parscan_about "$1" "$2") ;;
    --algorithm) about=$(_parscan_about "$1" "$2" | sed 's/ or / /') ;;
    --backend) about=$(_parscan_about "$1" "$2" | sed 's/[:.].*//; s/ or / /') ;;
    --type | --*-type) about=$(_parscan_about "$1" --type) ;;
    --format | --output-format) about=$(_parscan_about "$1" --format | sed 's/ or / /') ;;
    esac
    printf '%s\n' "${about##*: }" | tr -cs 'a-z0-9-' '\n' | sort -u
}

_parscan() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} page words=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        words="$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p') --help --version"
    else
        page=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null) || return 0
        case $before:$word in
        --*:[!-]* | --*:) words=$(_parscan_values "$page" "$before") ;;
        *:-*) words=$(printf '%s\n' "$page" | sed -n '/^  -/{s/  [^ ,-].*//; p;}' | grep -o -e '-[A-Za-z-]*[a-zA-Z]') ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o bashdefault -o default -F _parscan parscan parscan-mpi
