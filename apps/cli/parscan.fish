# fish completion of parscan and parscan-mpi. Subcommands, options and their values are those of --help of the
# program itself; all else is files.

# The page of --help of the subcommand on the command line.
function __parscan_page
    set -l words (commandline -opc)
    test (count $words) -ge 2; and $words[1] $words[2] --help 2>/dev/null
end

# The options of that page, with what it says of each in its line.
function __parscan_options
    __parscan_page | string match -r '^  -.*' | while read -l line
        set -l about (string replace -r '^\s*-.*?\s{2,}' '' -- $line)
        for option in (string match -ar -- '-[A-Za-z-]*[a-zA-Z]' (string replace -r '  [^ ,-].*' '' -- $line))
            printf '%s\t%s\n' $option $about
        end
    end
end

# The words that the option before takes; none if it takes others.
function __parscan_values
    set -l option (commandline -opc)[-1]
    set -l name $option
    switch $option
        case --type '--*-type'
            set name --type
        case --format --output-format
            set name --format
        case --op --algorithm --backend
        case '*'
            return
    end
    set -l about
    set -l inside 0
    __parscan_page | while read -l line
        if string match -qr -- "^  (-[A-Za-z], )?$name " $line
            set inside 1
            set about (string replace -r -- "^  (-[A-Za-z], )?$name [A-Z]* +" '' $line)
        else if string match -qr -- '^(  -.*)?$' $line
            set inside 0
        else if test $inside = 1
            set about "$about $line"
        end
    end
    set about (string replace -ra -- '\([^)]*\)' '' "$about")
    test $name != --op; and set about (string replace -r -- ' or ' ' ' $about)
    test $name = --backend; and set about (string replace -r -- '[:.].*' '' $about)
    string replace -r -- '^.*: ' '' $about | string match -ar -- '[a-z0-9-]+' | sort -u
end

function __parscan_subcommands
    set -l words (commandline -opc)
    $words[1] --help 2>/dev/null | string replace -rf -- '^  ([a-z]+)  +(.*)$' '$1\t$2'
    printf '%s\n' --help --version
end

for program in parscan parscan-mpi
    complete -c $program -n 'test (count (commandline -opc)) = 1' -f -a '(__parscan_subcommands)'
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__parscan_options)'
    complete -c $program -n 'test (count (__parscan_values)) -gt 0' -f -a '(__parscan_values)'
end
