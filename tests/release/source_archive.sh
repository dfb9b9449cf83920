#!/bin/sh
# source_archive.sh SOURCE CMAKE CC CXX VERSION READELF: the target dist. The archive has the same bytes
# whenever it is made. What is in it can be configured by itself. apps/examples/project takes it by
# FetchContent and links the static library; the program and the archive's tests run: none of this has git.
# To be quick it builds one SIMD set, not optimised, and it is also the build of tests/docs/contributing_diffs.sh: with
# the operator and the type of CONTRIBUTING.md's diffs, which the list of the binary interface has not.
set -eu
source=$1 cmake=$2 cc=$3 cxx=$4 version=$5 readelf=$6
if ! [ -e "$source/.git" ] || ! command -v git >/dev/null; then
    echo "no git repository, so no archive is made"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
logged() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }
}

mkdir "$work/first" "$work/second"
logged sh "$source/cmake/dist.sh" "$source" "$work/first" "$version"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C logged sh "$source/cmake/dist.sh" "$source" "$work/second" "$version")
name=parscan-$version
cmp "$work/first/$name.tar.gz" "$work/second/$name.tar.gz" || { echo "two archives differ"; exit 1; }
tar -C "$work" -xzf "$work/first/$name.tar.gz"
[ -d "$work/$name" ] && [ ! -e "$work/$name/.git" ] || { echo "the archive is not $name"; exit 1; }
# What a repository around it says must not matter.
GIT_CEILING_DIRECTORIES=$work
export GIT_CEILING_DIRECTORIES
logged "$cmake" -S "$work/$name" -B "$work/alone" -G Ninja -DPARSCAN_CUDA=OFF \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx"

project() {
    example=$1
    shift
    logged "$cmake" -S "$work/$name/apps/examples/project" -B "$example" -G Ninja -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 "$@"
}

(cd "$work/$name" && sed -n '/^```diff$/,/^```$/{/^```/!p}' CONTRIBUTING.md | logged patch -p1)
tar -C "$work" -czf "$work/with_diffs.tar.gz" "$name"
project "$work/build" -DPARSCAN_SOURCE="$work/with_diffs.tar.gz" -DPARSCAN_STATIC=ON -DPARSCAN_SIMD_SETS=portable \
    -DPARSCAN_CUDA=OFF -DPARSCAN_MPI=OFF -DPARSCAN_BUILD_TESTS=ON -DPARSCAN_BUILD_PROGRAM=ON
logged "$cmake" --build "$work/build" --target horner test_overlap parscan parscan_program
"$work/build/horner" | grep -qx 'value: 5' || { "$work/build/horner"; echo "horner does not print 'value: 5'"; exit 1; }
if "$readelf" -d "$work/build/horner" | grep libparscan; then
    echo "the static library was asked for"
    exit 1
fi
# A project that uses parscan installs its own files alone.
logged "$cmake" --install "$work/build" --prefix "$work/installed"
[ "$(cd "$work/installed" && find . -type f)" = ./bin/horner ] ||
    { find "$work/installed" -type f; echo "more than the program is installed"; exit 1; }
built=$work/build/_deps/parscan-build
logged ctest --test-dir "$built" --no-tests=error \
    -R '^(scan_overlap|scan_symbols_parscan|include_directions|design_index|readme_links|scan_header_scan_c99)$'
grep -q '100% tests passed, 0 tests failed out of 6' "$work/log" || { cat "$work/log"; exit 1; }
if ctest --test-dir "$built" --no-tests=error --output-on-failure -R '^abi$' >"$work/log" 2>&1 ||
    ! grep -q PARSCAN_LAST "$work/log" || ! grep -q PARSCAN_F80 "$work/log"; then
    cat "$work/log"
    echo "the test abi does not see that there are PARSCAN_LAST and PARSCAN_F80"
    exit 1
fi
sh "$source/tests/docs/contributing_diffs.sh" "$source" "$cc" "$built/bin/parscan"
