#!/bin/sh
# test_typed_complete.sh SOURCE TYPES_H: every function that takes a type or the bytes of an element beside
# arrays has its macro in parscan/typed.h, and test_use_typed.c runs every macro.
set -eu
source=$1 types=$2
typed=$source/include/parscan/typed.h
functions=$(cat "$source"/include/parscan/[!t]*.h "$types" | tr '\n' ' ' | tr ';' '\n' |
    grep 'PARSCAN_API .*void \*' | grep -E 'parscan_type [a-z_]*type,|size_t (element|value)_size,' |
    sed 's/.*PARSCAN_API [a-z_]* *\(parscan_[a-z_]*\)(.*/\1/' | grep -v '_create_' | sort)
[ "$(echo "$functions" | wc -l)" -ge 36 ] || { echo "found only: $functions"; exit 1; }
for name in $functions; do
    grep -q "^#define parscan_typed_${name#parscan_}(" "$typed" || { echo "no macro for $name"; exit 1; }
done
macros=$(sed -n 's/^#define \(parscan_typed_[a-z_]*\)(.*/\1/p' "$typed")
for macro in $macros; do
    grep -q "[^a-z_]$macro(" "$source/tests/scan/headers/test_use_typed.c" ||
        { echo "test_use_typed.c does not run $macro"; exit 1; }
done
echo "$(echo "$functions" | wc -l) functions, $(echo "$macros" | wc -l) macros"
