#compdef parscan parscan-mpi
# zsh completion of parscan and parscan-mpi. Subcommands, options and their values are those of --help of the
# program itself; all else is files.

# The words that the option $2 takes, of the page of --help $1, one a line; none if it takes others.
_parscan_values() {
    local name=$2 end='$' or=' or ' about
    case $2 in
    --op) or='$' ;;
    --algorithm) ;;
    --backend) end='[:.].*' ;;
    --type | --*-type) name=--type ;;
    --format | --output-format) name=--format ;;
    *) return ;;
    esac
    about=$(print -r -- "$1" | sed -n "/^  \(-[A-Za-z], \)\{0,1\}$name /,/^\(  -.*\)\{0,1\}\$/{
        /^  \(-[A-Za-z], \)\{0,1\}$name /p; /^      /p;}" | tr -s '\n ' '  ' |
        sed "s/^ *\(-[A-Za-z], \)*$name [A-Z]* //; s/([^)]*)//g; s/$end//; s/$or/ /")
    print -r -- "${about##*: }" | tr -cs 'a-z0-9-' '\n' | sort -u
}

_parscan() {
    local program=$words[1] page before=$words[CURRENT-1]
    local -a offered
    if ((CURRENT == 2)); then
        offered=(${(f)"$($program --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1:\2/p')"}
            '--help:print help' '--version:print the version')
        _describe subcommand offered
        return
    fi
    page=$($program $words[2] --help 2>/dev/null) || return
    if [[ $words[CURRENT] = -* ]]; then
        offered=(${(f)"$(print -r -- $page | sed -n '/^  -/{s/  [^ ,-].*//; p;}' | grep -o -e '-[A-Za-z-]*[a-zA-Z]')"})
    elif [[ $before = --* ]]; then
        offered=(${(f)"$(_parscan_values $page $before)"})
    fi
    offered=(${offered:#})
    if (($#offered > 0)); then
        compadd -- $offered
    else
        _files
    fi
}

_parscan "$@"
