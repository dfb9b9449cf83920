#!/bin/sh
# Builds the library for 64-bit Arm and runs its tests under qemu. The program is not built: it would
# need zlib for Arm.
set -eu
cd "$(dirname "$0")/../.."
. cmake/packages.sh
if [ "$(uname -m)" = aarch64 ]; then
    echo "tests/cross/run.sh: this machine is 64-bit Arm; tests/run.sh has covered it"
    exit 0
fi
need_build_tools
need gcc-aarch64-linux-gnu command aarch64-linux-gnu-gcc
need libc6-dev-arm64-cross file /usr/aarch64-linux-gnu/include/stdio.h
need g++-aarch64-linux-gnu command aarch64-linux-gnu-g++
need qemu-user command qemu-aarch64
install_missing

cmake --preset arm64
cmake --build --preset arm64
# Left out: the headers, which the host's compilers have checked; the longest suites of the applications,
# which take the emulator many minutes; and what only calls the kernels that the other suites test.
# More than 2^32 elements are not registered. (CMake's expressions have at most nine groups.)
long='sort_sort_(keys|pairs|segments|memory)|segmented_segmented_(scan|memory|guard_pages)'
long="$long|compact_compact_(runs|csr|if|memory)|allocate_(allocate|expand)|histogram_(histogram|bin|.*_memory)"
long="$long|chunked_chunked_(counts|compact|segmented)|distributed_dist_(sort|segmented)|sort_sorter_memory"
long="$long|scan_hierarchical.*|scan_block.*"
# scan_changing_input: what it looks for is no matter of the processor, and it would take minutes.
# scan_fork too: a child of a program with threads cannot start a thread under qemu 7, whose own check
# ends it (qemu_plugin_vcpu_init_hook: assertion failed).
ctest --preset arm64 --parallel 2 --exclude-regex \
    "^scan_(header|macros)_|^($long|scan_fork|scan_changing_input)\$"
