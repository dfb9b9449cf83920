#!/bin/sh
# readme_example.sh SOURCE BUILD CC CFLAGS: the first C block of README.md, compiled as it stands.
set -eu
source=$1 build=$2 cc=$3 flags=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^```c$/,/^```$/{/^```/!p}' "$source/README.md" >"$work/example.c"
# shellcheck disable=SC2086  # the flags are words
"$cc" $flags -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$source/include" -I"$build/include" \
    "$work/example.c" -L"$build/lib" -Wl,-rpath,"$build/lib" -lparscan -o "$work/example"
printed=$("$work/example")
[ "$printed" = "3 4 11 11 15 16 22 25 " ] || { echo "README's example printed: $printed"; exit 1; }
