#!/bin/sh
# check_spack.sh CLIENT PACKAGES [FOLDER [SPEC...]]: spack/package.py, built and tested by Spack with what is committed here. CLIENT is a clone of Spack (1.0 or
# later), PACKAGES one of spack-packages of the same time; nothing else is fetched but clingo, from PyPI. The compiler, CMake, Ninja, zlib, MPI and CUDA are this
# machine's ("externals"): Spack builds nothing but parscan and what it puts around its compiler. Each SPEC (those below) is installed and tried:
# the program, and the program of a stranger by pkg-config and by CMake. FOLDER keeps all of it; otherwise it is removed.
# PARSCAN_CUDA_KERNELS=I8 in the environment, with the spec `parscan +cuda cuda_arch=90`, makes the kernels of that type alone: all take nvcc hours.
# Where Spack has its packages and the network, `spack install parscan +mpi` and `spack test run parscan` do it.
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
. packaging/steps.sh
[ -x "${1:-}/bin/spack" ] || { echo "check_spack.sh: CLIENT = ${1:-}: it has no bin/spack" >&2; exit 2; }
[ -d "${2:-}/repos/spack_repo/builtin" ] || { echo "check_spack.sh: PACKAGES = ${2:-}: it has no repos/spack_repo/builtin" >&2; exit 2; }
need_build_tools
need g++ command c++
need git command git
need libopenmpi-dev command mpicc
need openmpi-bin command mpirun
install_missing
client=$(cd "$1" && pwd)
packages=$(cd "$2" && pwd)
kept_in ${3:+"$3"}
shift $(($# > 3 ? 3 : $#))
[ $# -gt 0 ] || set -- parscan 'parscan ~shared' 'parscan +mpi'

# Nothing of the user's, nothing from the network: `::` replaces what Spack comes with.
configure() {
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" install -q clingo
    rm -rf "$folder/source" "$folder/repository"
    git clone -q . "$folder/source"
    git -C "$folder/source" checkout -q -B main
    repository=$folder/repository/spack_repo/parscan_check
    mkdir -p "$repository/packages/parscan" "$folder/configuration"
    cp packaging/spack/package.py "$repository/packages/parscan"
    if [ -n "${PARSCAN_CUDA_KERNELS:-}" ]; then
        sed -i "s/args = \[/&self.define('PARSCAN_CUDA_KERNELS', '$PARSCAN_CUDA_KERNELS'), /" "$repository/packages/parscan/package.py"
    fi
    echo 'repo: { namespace: parscan_check, api: v2.0 }' >"$repository/repo.yaml"
    cat >"$folder/configuration/repos.yaml" <<END
repos:: { parscan_check: $repository, builtin: $packages/repos/spack_repo/builtin }
END
    echo 'mirrors:: {}' >"$folder/configuration/mirrors.yaml"
    echo 'bootstrap: { enable: false }' >"$folder/configuration/bootstrap.yaml"
    cat >"$folder/configuration/config.yaml" <<END
config:
  install_tree: { root: $folder/installed }
  build_stage:: [$folder/stage]
  test_stage: $folder/test
  source_cache: $folder/cache
  build_jobs: ${CPU_COUNT:-$(nproc)}
  ccache: $([ -n "${CCACHE_DIR:-}" ] && echo true || echo false)
END
    gcc=$(gcc -dumpfullversion)
    cat >"$folder/configuration/packages.yaml" <<END
packages:
  all: { buildable: false }
  parscan: { buildable: true, package_attributes: { git: "file://$folder/source" } }
  compiler-wrapper: { buildable: true }
  gcc-runtime: { buildable: true }
  gcc:
    externals:
      - { spec: "gcc@$gcc languages:='c,c++'", prefix: /usr, extra_attributes: { compilers: { c: /usr/bin/gcc, cxx: /usr/bin/g++ } } }
  cmake: { externals: [{ spec: "cmake@$(cmake --version | sed -n 's/^cmake version //p')", prefix: /usr }] }
  ninja: { externals: [{ spec: "ninja@$(ninja --version)", prefix: /usr }] }
  zlib: { externals: [{ spec: "zlib@$(sed -n 's/^#define ZLIB_VERSION "\([0-9.]*\).*/\1/p' /usr/include/zlib.h)", prefix: /usr }] }
  openmpi: { externals: [{ spec: "openmpi@$(mpirun --version | sed -n 's/^mpirun (Open MPI) //p')", prefix: /usr }] }
  zlib-api: { require: zlib }
  mpi: { require: openmpi }
END
    if command -v nvcc >/dev/null; then
        cuda=$(nvcc --version | sed -n 's/.*, V//p')
        echo "  cuda: { externals: [{ spec: 'cuda@$cuda', prefix: $(dirname "$(dirname "$(command -v nvcc)")") }] }" >>"$folder/configuration/packages.yaml"
    fi
}

unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER # Spack has its own
export CCACHE_BASEDIR="$folder" # its folders have other names for each spec
spack() {
    SPACK_DISABLE_LOCAL_CONFIG=1 SPACK_USER_CACHE_PATH=$folder/user SPACK_PYTHON=$folder/python/bin/python \
        "$client/bin/spack" -C "$folder/configuration" "$@"
}

# use SPEC: the recipe's own test, and what a stranger does with the package that is installed.
# shellcheck disable=SC2046,SC2086  # specs and flags are words
use() {
    prefix=$(spack location -i $1)
    spack test run $1
    cd "$folder"
    PATH=$prefix/bin:$PATH
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    seq 10 | parscan scan | tail -n 1 | grep -qx 55
    printf '#include <parscan/parscan.h>\nint main(void) { return parscan_version()[0] == 0; }\n' >a.c
    gcc a.c $(pkg-config --cflags --libs parscan) -Wl,-rpath,"$prefix/lib" -o a
    ./a
    rm -rf project
    cmake -S source/apps/examples/project -B project "-DCMAKE_PREFIX_PATH=$prefix"
    cmake --build project
    case $1 in
    *+mpi*)
        seq 1 7 70000 >numbers
        parscan sort --descending -o numbers.npy numbers
        parscan sort -o expected.npy numbers.npy
        mpirun -n 2 parscan-mpi sort -o sorted.npy numbers.npy
        cmp sorted.npy expected.npy
        mpicc source/apps/examples/sort_mpi.c $(pkg-config --cflags --libs parscan-mpi) -Wl,-rpath,"$prefix/lib" -o sort_mpi
        mpirun -n 2 ./sort_mpi | grep 'on 2 ranks'
        ;;
    esac
}

step "clingo by pip, Spack's configuration" configure
echo "          Spack $(spack --version)"
for spec; do
    # shellcheck disable=SC2086  # what is in a spec are words
    step "spack install $spec" spack install --fail-fast $spec
    (step "$spec: its test, program, pkg-config, CMake$(echo "$spec" | sed -n 's/.*+mpi.*/, two ranks/p')" use "$spec")
done
