#!/bin/sh
# readme_example.sh SOURCE BUILD CC CFLAGS: the first C block of README.md is a program, which is compiled
# and run as it stands; the other blocks are statements, which are compiled. Their inputs are const, so
# that none of them writes to one.
set -eu
source=$1 build=$2 cc=$3 flags=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v folder="$work" '
    /^```c$/ { file = sprintf("%s/block%d.c", folder, ++blocks); next }
    /^```/ { file = "" }
    file != "" { print >file }' "$source/README.md"
compile() {
    # shellcheck disable=SC2086  # the flags are words
    "$cc" $flags -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$source/include" \
        -I"$build/include" "$@"
}
compile "$work/block1.c" -L"$build/lib" -Wl,-rpath,"$build/lib" -lparscan -o "$work/example"
printed=$("$work/example")
[ "$printed" = "3 4 11 11 15 16 22 25 " ] || { echo "README's example printed: $printed"; exit 1; }
for block in "$work"/block[2-9].c; do
    [ -e "$block" ] || { echo "README.md: no other C block"; exit 1; }
    cat >"$work/statements.c" <<END
#include <parscan/parscan.h>
void statements(parscan_context *context, const uint32_t *in, uint32_t *out, uint64_t *wide,
                const float *real, uint64_t *count, size_t n, void *stream);
void statements(parscan_context *context, const uint32_t *in, uint32_t *out, uint64_t *wide,
                const float *real, uint64_t *count, size_t n, void *stream)
{
    float largest;
    (void)in, (void)out, (void)wide, (void)real, (void)count, (void)n, (void)stream, (void)&largest;
$(cat "$block")
}
END
    compile -c "$work/statements.c" -o "$work/statements.o"
done
