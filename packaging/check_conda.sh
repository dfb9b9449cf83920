#!/bin/sh
# check_conda.sh [cpu|cuda [FOLDER]]: conda/recipe.yaml, built and tested by rattler-build (from PyPI) where conda's channels cannot be
# reached. **The packages that it builds with are stand-ins**: compilers, sysroot, CMake, Ninja, zlib, Python and CUDA are
# this machine's own under the names that conda-forge's packages have, with what these set in a build; NumPy is PyPI's
# wheel. Where conda-forge can be reached, this does it, with conda-forge's own packages:
#
#   rattler-build build --recipe packaging/conda/recipe.yaml -c conda-forge -m VARIANTS.yaml
#
# with a file of the variants below. The packages are then installed by py-rattler in a new environment, where the program and
# the tests of the Python package run. FOLDER keeps all of it; otherwise it is removed. CPU_COUNT is the number of jobs.
#
# `cuda` wants nvcc in /usr/local/cuda, and makes code for 90 and the kernels of I8 alone: all would take hours.
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
. packaging/steps.sh
kind=${1:-cpu}
[ "$kind" = cpu ] || [ "$kind" = cuda ] || { echo "check_conda.sh: $kind: it must be cpu or cuda" >&2; exit 2; }
need_build_tools
need g++ command c++
need python3 file /usr/bin/python3
install_missing
kept_in ${2:+"$2"}

tools() {
    python3 -m venv "$folder/tools"
    "$folder/tools/bin/pip" install -q py-rattler-build==0.73.0 py-rattler==0.28.0
    "$folder/tools/bin/pip" install -q --target "$folder/tests" pytest hypothesis
}

# stand_in NAME VERSION [RUN_EXPORT [REQUIREMENT...]]: the files of $stand_ins/NAME (there may be none) as a package.
stand_in() {
    name=$1 version=$2 exported=${3:-}
    shift $(($# > 3 ? 3 : $#))
    mkdir -p "$stand_ins/$name/share/stand-ins"
    echo "of this machine" >"$stand_ins/$name/share/stand-ins/$name"
    cat <<END
  - package: { name: $name, version: "$version" }
    source: { path: $name, target_directory: files }
    build:
      script: cp -a files/. "\$PREFIX/"
      dynamic_linking: { binary_relocation: false }
      prefix_detection: { ignore: true }
    requirements:
      run: [$(printf '"%s",' "$@" | sed 's/^"",$//')]
      run_exports: [${exported:+\"$exported\"}]
END
}

# calls NAME PATH PROGRAM: PATH of the package NAME starts a program of this machine; PROGRAM may name $here, the folder of PATH.
calls() {
    mkdir -p "$(dirname "$stand_ins/$1/$2")"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nhere=$(dirname "$0")\nexec %s "$@"\n' "$3" >"$stand_ins/$1/$2"
    chmod +x "$stand_ins/$1/$2"
}

# All stand-ins: their files, and the recipe that packs them.
make_stand_ins() {
    stand_ins=$folder/stand-ins
    rm -rf "$stand_ins"
    mkdir -p "$stand_ins"
    multiarch=$(gcc -print-multiarch)
    triplet=x86_64-conda-linux-gnu
    launcher=${CCACHE_DIR:+"env $(env | grep '^CCACHE_' | tr '\n' ' ')ccache "} # rattler-build empties the environment
    activate=etc/conda/activate.d

    calls gcc_linux-64 bin/$triplet-cc "$launcher/usr/bin/gcc"
    calls gcc_linux-64 bin/$triplet-gcc "$launcher/usr/bin/gcc"
    calls gxx_linux-64 bin/$triplet-g++ "$launcher/usr/bin/g++"
    for tool in ar ld nm ranlib strip; do
        calls gcc_linux-64 bin/$triplet-$tool /usr/bin/$tool
    done
    # What conda-forge's compilers set: flags, and where CMake searches and installs.
    mkdir -p "$stand_ins/gcc_linux-64/$activate" "$stand_ins/gxx_linux-64/$activate"
    cat >"$stand_ins/gcc_linux-64/$activate/activate-gcc_linux-64.sh" <<'END'
if [ "${CONDA_BUILD:-0}" = 1 ]; then prefix=$PREFIX; else prefix=$CONDA_PREFIX; fi
export HOST=x86_64-conda-linux-gnu
export CC=$CONDA_PREFIX/bin/$HOST-cc AR=$CONDA_PREFIX/bin/$HOST-ar
export CPPFLAGS="-DNDEBUG -D_FORTIFY_SOURCE=2 -O2 -isystem $prefix/include"
export CFLAGS="-march=nocona -mtune=haswell -ftree-vectorize -fPIC -fstack-protector-strong -fno-plt -O2 -ffunction-sections -pipe -isystem $prefix/include"
export LDFLAGS="-Wl,-O2 -Wl,--sort-common -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,--disable-new-dtags -Wl,--gc-sections -Wl,-rpath,$prefix/lib -Wl,-rpath-link,$prefix/lib -L$prefix/lib"
if [ "${CONDA_BUILD:-0}" = 1 ]; then
    CFLAGS="$CFLAGS -fdebug-prefix-map=$SRC_DIR=/usr/local/src/conda -fdebug-prefix-map=$PREFIX=/usr/local/src/conda-prefix"
    CMAKE_ARGS="-DCMAKE_AR=$AR -DCMAKE_RANLIB=$CONDA_PREFIX/bin/$HOST-ranlib -DCMAKE_LINKER=$CONDA_PREFIX/bin/$HOST-ld -DCMAKE_STRIP=$CONDA_PREFIX/bin/$HOST-strip -DCMAKE_BUILD_TYPE=Release"
    CMAKE_ARGS="$CMAKE_ARGS -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY"
    export CMAKE_ARGS="$CMAKE_ARGS -DCMAKE_FIND_ROOT_PATH=$PREFIX;$BUILD_PREFIX/$HOST/sysroot -DCMAKE_INSTALL_PREFIX=$PREFIX -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PROGRAM_PATH=$BUILD_PREFIX/bin;$PREFIX/bin"
fi
END
    cat >"$stand_ins/gxx_linux-64/$activate/activate-gxx_linux-64.sh" <<'END'
export CXX=$CONDA_PREFIX/bin/x86_64-conda-linux-gnu-g++ CXXFLAGS="-fvisibility-inlines-hidden $CFLAGS"
END

    for tool in cmake ninja; do
        calls $tool bin/$tool "$(command -v $tool)"
    done
    # shellcheck disable=SC2016  # $here is for the program itself
    calls pkg-config bin/pkg-config 'env PKG_CONFIG_LIBDIR="$here/../lib/pkgconfig" /usr/bin/pkg-config'
    mkdir -p "$stand_ins/zlib/include" "$stand_ins/zlib/lib" "$stand_ins/libzlib/lib"
    cp /usr/include/zlib.h /usr/include/zconf.h "$stand_ins/zlib/include"
    cp -a "/lib/$multiarch"/libz.so.1* "$stand_ins/libzlib/lib"
    ln -s libz.so.1 "$stand_ins/zlib/lib/libz.so"

    # Debian's Python has its own folders for packages; conda's is in sitecustomize.
    version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    library=lib/python$version
    mkdir -p "$stand_ins/python/bin" "$stand_ins/python/$library/site-packages"
    cp "/usr/bin/python$version" "$stand_ins/python/bin"
    ln -s "python$version" "$stand_ins/python/bin/python"
    ln -s "python$version" "$stand_ins/python/bin/python3"
    cp -RL --preserve=mode "/usr/$library/." "$stand_ins/python/$library"
    rm -rf "$stand_ins/python/$library"/test "$stand_ins/python/$library"/config-*
    echo "import site, sys; site.addsitedir(sys.prefix + '/$library/site-packages')" >"$stand_ins/python/$library/sitecustomize.py"
    for package in numpy pip; do
        "$folder/tools/bin/pip" install -q --python-version "$version" --only-binary :all: \
            --target "$stand_ins/$package/$library/site-packages" $package
    done
    # shellcheck disable=SC2016
    calls pip bin/pip '"$here/python" -m pip'

    if [ "$kind" = cuda ]; then
        targets=targets/x86_64-linux
        calls cuda-nvcc_linux-64 bin/nvcc /usr/local/cuda/bin/nvcc
        mkdir -p "$stand_ins/cuda-cudart-dev/$targets" "$stand_ins/cuda-nvtx-dev/$targets/include" \
            "$stand_ins/cuda-nvcc_linux-64/$activate"
        cp -RL /usr/local/cuda/include "$stand_ins/cuda-cudart-dev/$targets"
        mv "$stand_ins/cuda-cudart-dev/$targets/include/nvtx3" "$stand_ins/cuda-nvtx-dev/$targets/include"
        mkdir -p "$stand_ins/cuda-cudart-dev/$targets/lib"
        cp -a /usr/local/cuda/lib64/libcudart* /usr/local/cuda/lib64/libcudadevrt.a "$stand_ins/cuda-cudart-dev/$targets/lib"
        cat >"$stand_ins/cuda-nvcc_linux-64/$activate/~cuda-nvcc_activate.sh" <<'END'
if [ "${CONDA_BUILD:-0}" = 1 ]; then
    [ -n "${CXX:-}" ] || { echo 'cuda-nvcc: compiler("cxx") is missing'; exit 1; }
    export NVCC_PREPEND_FLAGS="-ccbin=$CXX" CUDAARCHS=all
    export NVCC_APPEND_FLAGS="-I$PREFIX/targets/x86_64-linux/include -L$PREFIX/targets/x86_64-linux/lib"
    CFLAGS="$CFLAGS -I$PREFIX/targets/x86_64-linux/include"
    LDFLAGS="$LDFLAGS -L$PREFIX/targets/x86_64-linux/lib"
    CMAKE_ARGS="$CMAKE_ARGS -DCMAKE_FIND_ROOT_PATH=$PREFIX;$BUILD_PREFIX/$HOST/sysroot;$PREFIX/targets/x86_64-linux;$BUILD_PREFIX/targets/x86_64-linux"
    # Here alone: less than everything.
    CMAKE_ARGS="$CMAKE_ARGS -DCMAKE_CUDA_ARCHITECTURES=90-real -DPARSCAN_CUDA_KERNELS=I8"
fi
END
    fi

    # The versions that recipe.yaml asks for are those of this machine; the sysroot's is conda-forge's oldest.
    {
        printf 'recipe: { name: stand-ins, version: "1" }\noutputs:\n'
        stand_in sysroot_linux-64 2.28
        stand_in gcc_linux-64 "$gcc" '' sysroot_linux-64
        stand_in gxx_linux-64 "$gcc" '' "gcc_linux-64 $gcc.*"
        stand_in cmake "$(cmake --version | sed -n 's/^cmake version //p')"
        stand_in ninja "$(ninja --version)"
        stand_in pkg-config "$(pkg-config --version)"
        zlib=$(sed -n 's/^#define ZLIB_VERSION "\([0-9.]*\).*/\1/p' /usr/include/zlib.h)
        stand_in libzlib "$zlib"
        stand_in zlib "$zlib" "libzlib >=$zlib,<2" "libzlib $zlib.*"
        stand_in python "$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')"
        for package in numpy pip; do
            found=$(basename "$stand_ins/$package/$library/site-packages/$package"-*.dist-info .dist-info)
            stand_in $package "${found#*-}" '' "python ${library#lib/python}.*"
        done
        if [ "$kind" = cuda ]; then
            stand_in cuda-version "$cuda"
            stand_in cuda-nvcc_linux-64 "$cuda" "cuda-version >=$cuda,<$((${cuda%.*} + 1))"
            stand_in cuda-cudart-dev "$cuda" "cuda-cudart >=$cuda,<$((${cuda%.*} + 1))"
            stand_in cuda-nvtx-dev "$cuda" "cuda-nvtx >=$cuda,<$((${cuda%.*} + 1))"
        fi
    } >"$stand_ins/recipe.yaml"
}

# rattler RECIPE [test]: builds all packages of a recipe that are not there yet, in the channel $folder/channel; runs the tests in them.
rattler() {
    "$folder/tools/bin/python" - "$1" "$folder/channel" "$gcc" "$cuda" "${2:-}" <<'END'
import sys
from rattler_build import Package, Stage0Recipe, VariantConfig

recipe, channel, gcc, cuda, tested = sys.argv[1:]
variants = VariantConfig({
    "c_compiler": ["gcc"], "c_compiler_version": [gcc], "cxx_compiler": ["gxx"], "cxx_compiler_version": [gcc],
    "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"],
    "cuda_compiler": ["cuda-nvcc"], "cuda_compiler_version": [cuda],
})
for package in Stage0Recipe.from_file(recipe).render(variants):
    built = package.run_build(output_dir=channel, channels=["file://" + channel], no_build_id=True,
                              no_include_recipe=not tested, package_format=None if tested else "conda:1")
    for file in built.packages:
        print(f"built: {file}, {built.build_time:.0f} s")
        if tested:
            results = Package.from_file(file).run_tests(channel=["file://" + channel])
            for result in results:
                print(f"test {result.test_index} of {built.name}: {'passed' if result.success else 'FAILED'}", *result.output, sep="\n")
            if not results or not all(result.success for result in results):
                sys.exit(1)
END
}

# The packages in a new environment.
install_packages() {
    rm -rf "$folder/environment"
    "$folder/tools/bin/python" - "$folder" "$kind" <<'END'
import asyncio
import os
import sys
from rattler import VirtualPackage, VirtualPackageOverrides, install, solve

async def main(folder, kind):
    # Without a driver that is libparscan for the CPU, with one CUDA's.
    machine = VirtualPackage.detect(VirtualPackageOverrides.from_env())
    records = await solve(["file://" + folder + "/channel"], ["parscan"], virtual_packages=machine)
    assert any(record.name.normalized == "libparscan" and str(record.build).startswith(kind) for record in records)
    await install(records, folder + "/environment", cache_dir=folder + "/cache", show_progress=False)
    print(*(f"{record.name.normalized} {record.version} {record.build}" for record in records), sep="\n")

asyncio.run(main(*sys.argv[1:]))
sys.stdout.flush()
os._exit(0)  # py-rattler 0.28 aborts now and then when Python ends
END
}

use_packages() {
    seq 10 | "$folder/environment/bin/parscan" scan | tail -n 1 | grep -qx 55
    ldd "$folder/environment/bin/parscan" | grep "$folder/environment"
    (cd "$folder" && PYTHONPATH=$folder/tests environment/bin/python -m pytest -q -p no:cacheprovider "$OLDPWD/python/tests")
}

gcc=$(gcc -dumpversion)
cuda=None
if [ "$kind" = cuda ]; then
    cuda=$(/usr/local/cuda/bin/nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
    export CONDA_OVERRIDE_CUDA="$cuda" # as if there were a driver
fi
[ -x "$folder/tools/bin/python" ] || step "rattler-build, rattler and pytest by pip" tools
step "stand-ins made" make_stand_ins
mkdir -p "$folder/channel"
step "stand-ins packed" rattler "$folder/stand-ins/recipe.yaml"
step "recipe.yaml built and tested, $kind" rattler packaging/conda/recipe.yaml test
grep -E '^(built|test [0-9])' "$folder/log"
step "packages installed in a new environment" install_packages
step "program and Python tests there" use_packages
tail -n 1 "$folder/log"
