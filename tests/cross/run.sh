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
need_cross
install_missing

cmake --preset arm64
cmake --build --preset arm64
# Left out by their labels: the headers, which the host's compilers have checked; native, which are the longest
# suites of the applications, which take the emulator many minutes, what only calls the kernels that the
# other suites test or looks at the host's system (libgomp, dlopen, files, bytes that are allocated, pages beside arrays), and two that
# cannot run in it: scan_changing_input, since what it looks for is no matter
# of the processor and it would take minutes; scan_fork, since a child of a program with threads cannot start
# a thread under qemu 7, whose own check ends it (qemu_plugin_vcpu_init_hook: assertion failed).
# More than 2^32 elements are not registered.
# Of cases that are many and alike one in eight, by chance.
PARSCAN_TEST_CASES="${PARSCAN_TEST_CASES:-8}" ctest --preset arm64 --parallel $(($(nproc) + 1))
