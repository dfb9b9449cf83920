#!/bin/sh
# Zig 0.13 to 0.15 as a C compiler (ziglang on PyPI): -mavx512f gives no 512-bit code. Vectors of 64 bytes become two of 32,
# without a word, and a function that takes __m512i is an error.
#
# Seen, for x86_64-linux-gnu.2.28, -O2:
#
#     ziglang              0.12.1    0.15.2                      0.16.0
#     -mavx512f            zmm       ymm, no zmm                 zmm
#     the same, __m512i    compiles  error, it names evex512     compiles
#     -mavx512f -mevex512  error     zmm                         zmm
#
# (0.13.0 and 0.14.1 are as 0.15.2; 0.17.1 does not know -mevex512 again.) Zig hands clang a list of features, in which
# -mavx512f did not bring evex512, as it does by clang's own driver, it seems; the source was not read. So no spelling of the
# features is taken by all versions.
#
# For us: packaging/build_wheel.sh makes wheels for an old glibc by Zig, from sources that have intrinsics of AVX-512 in one
# of the SIMD sets. The version there is one that compiles them.
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
cat >"$work/plain.c" <<'END'
typedef int vector __attribute__((vector_size(64)));
void twice(vector *x) { *x += *x; }
END
cat >"$work/intrinsics.c" <<'END'
#include <immintrin.h>
static __attribute__((noinline)) __m512i twice(__m512i x) { return _mm512_add_epi32(x, x); }
void store(void *to, const void *from) { _mm512_storeu_si512(to, twice(_mm512_loadu_si512(from))); }
END
python3 -m venv "$work/venv"

# seen FILE FLAGS: the widest registers of the code, or the error.
seen() {
    # shellcheck disable=SC2086
    if "$zig" cc -target x86_64-linux-gnu.2.28 -O2 $2 -S "$work/$1" -o "$work/code.s" 2>"$work/log"; then
        grep -q zmm "$work/code.s" && echo zmm || { grep -q ymm "$work/code.s" && echo "ymm, no zmm"; }
    else
        grep -q evex512 "$work/log" && echo "error, evex512 is named" || echo error
    fi
}

for version in 0.12.1 0.15.2 0.16.0; do
    "$work/venv/bin/pip" install -q "ziglang==$version"
    zig=$(echo "$work"/venv/lib/python3*/site-packages/ziglang/zig)
    echo "$version -mavx512f: $(seen plain.c -mavx512f)"
    echo "$version -mavx512f, __m512i: $(seen intrinsics.c -mavx512f)"
    echo "$version -mavx512f -mevex512: $(seen plain.c "-mavx512f -mevex512")"
done >"$work/seen"
cat "$work/seen"
cat >"$work/expected" <<'END'
0.12.1 -mavx512f: zmm
0.12.1 -mavx512f, __m512i: zmm
0.12.1 -mavx512f -mevex512: error, evex512 is named
0.15.2 -mavx512f: ymm, no zmm
0.15.2 -mavx512f, __m512i: error, evex512 is named
0.15.2 -mavx512f -mevex512: zmm
0.16.0 -mavx512f: zmm
0.16.0 -mavx512f, __m512i: zmm
0.16.0 -mavx512f -mevex512: zmm
END
diff "$work/expected" "$work/seen" && echo "as described: -mavx512f alone makes no 512-bit code in 0.15.2"
