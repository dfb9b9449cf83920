#!/bin/sh
# check_in_chroot.sh FOLDER [MIRROR [SUITE]]: what a stranger does, in a bare Debian 12 (or trixie) that debootstrap makes and that is
# removed afterwards. FOLDER has what build_deb.sh makes, and the wheel (README.md). The packages are
# installed by apt; the programs run; the first program of docs/guide.md is compiled by pkg-config, a project by CMake; the sources
# are built for both MPIs, and run; the wheel passes its tests in a virtual environment, whose pip is the distribution's; an sdist is
# built and installed in another; the packages are removed again. Prints the seconds of each step. As root.
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
need debootstrap command debootstrap
install_missing
packages=$(cd "$1" && pwd)
mirror=${2:-http://deb.debian.org/debian}
suite=${3:-bookworm}
version=$(sed -n 's/^project(parscan VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
root=$(mktemp -d)
leave() {
    umount "$root/root/proc" "$root/root/sys" "$root/root/dev/pts" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap leave EXIT

seconds() {
    date +%s.%N
}

# step WORDS COMMAND...: the end of its output is shown if it fails.
step() {
    words=$1
    shift
    begin=$(seconds)
    "$@" >"$root/log" 2>&1 || { tail -n 40 "$root/log"; echo "failed: $words"; exit 1; }
    awk -v a="$begin" -v b="$(seconds)" -v words="$words" 'BEGIN { printf "%7.1f s  %s\n", b - a, words }'
    tail -n "${shown:-0}" "$root/log" | sed 's/^/             /'
}

# More ranks than there are cores, by Open MPI 4 and 5.
ranks='OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe'
# shellcheck disable=SC2086  # the assignments are words
inside() {
    chroot "$root/root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${certificates:+"$certificates"} $ranks sh -euc "$1"
}

# in_chroot COMMAND: a step whose words are the command.
in_chroot() {
    step "$1" inside "cd /root && $1"
}

install='apt-get install -qq --no-install-recommends'
step "debootstrap --variant=minbase $suite" debootstrap --variant=minbase "$suite" "$root/root" "$mirror"
for mounted in proc:proc sysfs:sys "devpts:dev/pts -o newinstance,ptmxmode=666"; do
    # shellcheck disable=SC2086  # the options are words
    mount -t "${mounted%%:*}" "${mounted%%:*}" "$root/root/"${mounted#*:} 2>/dev/null ||
        echo "             (no ${mounted%%:*}: mount is not allowed here)"
done
cp /etc/resolv.conf "$root/root/etc/"
# The certificates that pip trusts here: a network may have its own.
certificates=
if [ -n "${PIP_CERT:-}" ]; then
    cp "$PIP_CERT" "$root/root/root/certificates.crt"
    certificates=PIP_CERT=/root/certificates.crt
fi
mkdir "$root/root/root/packages"
cp "$packages"/*.deb "$packages"/parscan-"$version"-*.whl "$root/root/root/packages"
tar -C "$root/root/root" -xzf "$packages/parscan-$version.tar.gz"
in_chroot 'apt-get update -qq'
in_chroot "$install ./packages/libparscan0_*.deb ./packages/libparscan-dev_*.deb ./packages/parscan_*.deb"
shown=1
in_chroot 'parscan --version'
in_chroot 'seq 10000000 >numbers && parscan scan numbers | tail -n 1'
in_chroot 'parscan sort --descending numbers | head -n 1'
shown=0
in_chroot "$install gcc libc6-dev pkg-config man-db"
# The page's first block starts every program.
awk '/^```c$/ { inside = ++blocks <= 2; next } /^```/ { inside = 0 } inside' docs/guide.md >"$root/root/root/first.c"
awk '/^```text$/ { inside = ++blocks == 1; next } /^```/ { inside = 0 } inside' docs/guide.md >"$root/root/root/first.text"
# shellcheck disable=SC2016  # the chroot's shell expands it
in_chroot 'cc first.c $(pkg-config --cflags --libs parscan) -o first'
shown=1
in_chroot './first | sed "s/ *$//" | tee printed && cmp printed first.text'
shown=0
# shellcheck disable=SC2016
in_chroot 'cc first.c $(pkg-config --cflags --libs parscan-static) -o first && ./first'
in_chroot 'man -w parscan_inclusive_scan && man 3 parscan_sort_pairs | grep -q "Sorts keys"'
in_chroot 'bash -c ". /usr/share/bash-completion/completions/parscan && complete -p parscan"'
in_chroot "$install cmake ninja-build"
in_chroot "cmake -G Ninja -S parscan-$version/apps/examples/project -B project && cmake --build project && ./project/horner"
in_chroot "cmake -DPARSCAN_STATIC=ON project && cmake --build project && ./project/horner"
in_chroot 'parscan sort --descending --output numbers.npy numbers && parscan sort -o expected.npy numbers.npy'
# The packages know the MPI of the Debian that they were built on.
if [ "$suite" = "$(. /etc/os-release && echo "$VERSION_CODENAME")" ]; then
    in_chroot "$install ./packages/libparscan-mpi0_*.deb ./packages/libparscan-mpi-dev_*.deb ./packages/parscan-mpi_*.deb"
    in_chroot 'mpirun -n 2 parscan-mpi sort -o sorted.npy numbers.npy && cmp sorted.npy expected.npy'
    # shellcheck disable=SC2016
    in_chroot "mpicc parscan-$version/apps/examples/sort_mpi.c"' $(pkg-config --cflags --libs parscan-mpi) -o sort_mpi'
    in_chroot 'mpirun -n 2 ./sort_mpi | grep "on 2 ranks"'
fi
# From the sources, for each of the two; kernels as fast as those of the packages would take minutes.
in_chroot "$install zlib1g-dev libopenmpi-dev openmpi-bin libmpich-dev mpich"
in_chroot "cmake -G Ninja -S parscan-$version -B build -DPARSCAN_MPI=ON -DMPI_C_COMPILER=mpicc.openmpi -DPARSCAN_CUDA=OFF -DPARSCAN_WERROR=ON \
    -DPARSCAN_SIMD_SETS=portable -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DPARSCAN_BUILD_TESTS=OFF -DPARSCAN_BUILD_BENCH=OFF"
for mpi in openmpi mpich; do
    [ $mpi = openmpi ] || in_chroot "cmake -U 'MPI_*' -DMPI_C_COMPILER=mpicc.$mpi build"
    in_chroot "cmake --build build --target parscan_mpi_program example_sort_mpi"
    shown=1
    in_chroot "mpiexec.$mpi -n 4 build/bin/example_sort_mpi | grep 'on 4 ranks'"
    shown=0
    in_chroot "mpiexec.$mpi -n 2 build/bin/parscan-mpi sort -o sorted.npy numbers.npy && cmp sorted.npy expected.npy"
done
in_chroot "$install ./packages/python3-parscan_*.deb"
in_chroot 'python3 -c "import parscan; assert parscan.cumsum([1, 2]).tolist() == [1, 3] and parscan.library_path == \"libparscan.so.0\""'
in_chroot "$install python3-venv"
in_chroot 'python3 -m venv venv'
in_chroot './venv/bin/pip install -q packages/*.whl pytest hypothesis build'
in_chroot 'test -s venv/lib/python3*/site-packages/parscan-*.dist-info/licenses/LICENSE'
in_chroot "./venv/bin/python -m build --sdist --outdir sdist parscan-$version/python"
# Of the sources only the tests and what they read are left, so that the package is the wheel's.
rm -rf "$root/root/root/parscan-$version/python/parscan"
shown=1
in_chroot "cd parscan-$version/python && ../../venv/bin/python -m pytest -q -p no:cacheprovider tests"
shown=0
in_chroot 'python3 -m venv other && ./other/bin/pip install -q sdist/*.tar.gz --config-settings=cmake.define.PARSCAN_SIMD_SETS=portable'
in_chroot './other/bin/python -c "import parscan; assert parscan.cumsum([1, 2]).tolist() == [1, 3]"'
in_chroot 'apt-get purge -qq "libparscan*" "parscan*" && ! find /usr -name "*parscan*" | grep .'
echo "all steps passed"
