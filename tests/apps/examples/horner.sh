#!/bin/sh
# horner.sh PROGRAM: the output and the exit status of the example.
set -eu
program=$1

# expect OUTPUT ARGUMENT...: status 0, and this output.
expect() {
    expected=$1
    shift
    printed=$("$program" "$@") || { echo "horner $*: exit status $?"; exit 1; }
    [ "$printed" = "$expected" ] || { echo "horner $*: $printed; expected $expected"; exit 1; }
}
expect 'partial results: 2 0 2 5
value: 5'
expect 'partial results: 1 -2 2 0 1
value: 1' 2 1 -4 6 -4 1

# No number: a status of the program's own, not a signal's.
status=0
"$program" 2 x >/dev/null 2>&1 || status=$?
[ $status -gt 0 ] && [ $status -lt 126 ] || { echo "horner 2 x: exit status $status"; exit 1; }
