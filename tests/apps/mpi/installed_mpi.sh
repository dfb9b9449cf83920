#!/bin/sh
# installed_mpi.sh SOURCE BUILD CMAKE MPICC PKG_CONFIG [CFLAGS]: apps/examples/sort_mpi.c against an installed
# libparscan_mpi: by mpicc and pkg-config, and by find_package(parscan COMPONENTS mpi), shared and static.
set -eu
source=$1 build=$2 cmake=$3 mpicc=$4 pkg_config=$5 flags=${6:-}
. "$(dirname "$0")/ranks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/installed" >"$work/log" || { cat "$work/log"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name parscan-mpi.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# check PROGRAM
check() {
    printed=$(ranks 2 "$1" 1000)
    [ "$printed" = "2000 keys on 2 ranks are in order" ] || { echo "$1 printed: $printed"; exit 1; }
}

# shellcheck disable=SC2046,SC2086  # the flags are words
"$mpicc" $flags "$source/apps/examples/sort_mpi.c" $("$pkg_config" --cflags --libs parscan-mpi) \
    -o "$work/by_pkg_config"
check "$work/by_pkg_config"

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(example LANGUAGES C)
find_package(parscan REQUIRED COMPONENTS mpi)
foreach(library parscan_mpi parscan_mpi_static)
    add_executable(with_\${library} $source/apps/examples/sort_mpi.c)
    target_link_libraries(with_\${library} parscan::\${library})
endforeach()
CMAKE
if ! { "$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_PREFIX_PATH="$work/installed" &&
    "$cmake" --build "$work/project/build"; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
check "$work/project/build/with_parscan_mpi"
check "$work/project/build/with_parscan_mpi_static"

# The program, with the libraries beside it.
unset LD_LIBRARY_PATH
ranks 2 "$work/installed/bin/parscan-mpi" --version | grep -q '^parscan-mpi ' ||
    { echo "the installed parscan-mpi does not run"; exit 1; }
