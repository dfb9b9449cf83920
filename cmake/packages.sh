# Sourced by apps/demo.sh, .ci/run and the run.sh of tests/: installs what a bare Debian 12 or Ubuntu
# 24.04 lacks. Nothing is installed when nothing is missing.
#
#   need_build_tools and its sisters: what a script needs; .ci/run installs what all of them need at once
#   need PACKAGE command NAME      PACKAGE is wanted unless the command NAME is there
#   need PACKAGE header NAME       ... unless the C compiler finds the header <NAME>
#   need PACKAGE file PATTERN      ... unless a file matches
#   install_missing                installs what was wanted; where that fails, the script ends with 1

missing=

need() {
    case $2 in
    command) command -v "$3" >/dev/null 2>&1 && return ;;
    header)
        # One folder a multiarch triplet, for a machine that has no compiler yet.
        for folder in /usr/include /usr/local/include /usr/include/*-linux-gnu; do
            [ -e "$folder/$3" ] && return
        done ;;
    file)
        for found in $3; do
            [ -e "$found" ] && return
        done ;;
    esac
    missing="$missing $1"
}

need_build_tools() {
    need gcc command cc
    need libc6-dev header stdio.h
    need cmake command cmake
    need ninja-build command ninja
    need pkg-config command pkg-config
    need zlib1g-dev header zlib.h
}

# For tests/run.sh.
need_tests() {
    need_build_tools
    need g++ command c++
    need libcriterion-dev header criterion/criterion.h
    need binutils command nm
    need patch command patch
    need libopenmpi-dev command mpicc
    need openmpi-bin command mpirun
    need man-db command man
    need mandoc command mandoc
    need python3-matplotlib file /usr/lib/python3/dist-packages/matplotlib
    need python3-numpy file /usr/lib/python3/dist-packages/numpy
    need python3-scipy file /usr/lib/python3/dist-packages/scipy
    need bible-kjv command bible
    need ieee-data file /usr/share/ieee-data/oui.csv
    need iso-codes file /usr/share/iso-codes/json/iso_639-3.json
    need scowl file /usr/share/dict/scowl/english-words.10
    need python3-pytest file /usr/lib/python3/dist-packages/pytest
    need python3-hypothesis file /usr/lib/python3/dist-packages/hypothesis
    need mypy command mypy
}

# For .ci/run's own parts, tests/race and tests/fuzz.
need_clang() {
    need_build_tools
    need g++ command c++
    need clang command clang
    need clang-format command clang-format
    need libomp-dev file '/usr/lib/llvm-*/lib/libomp.so'
    need libclang-rt-dev file '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.tsan-*.a'
}

# For tests/cross.
need_cross() {
    need_build_tools
    need gcc-aarch64-linux-gnu command aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross file /usr/aarch64-linux-gnu/include/stdio.h
    need g++-aarch64-linux-gnu command aarch64-linux-gnu-g++
    need qemu-user command qemu-aarch64
}

install_missing() {
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "Please install with your package manager (Debian's names):$missing" >&2
        exit 1
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "Please install, as root: apt-get install$missing" >&2
            exit 1
        fi
        as_root=sudo
    fi
    echo "Installing:$missing"
    # Where it fails, the packages may still be there.
    $as_root apt-get update -qq || true
    # shellcheck disable=SC2086  # the packages are words
    if ! $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null; then
        echo "not to be had on this machine:$missing" >&2
        exit 1
    fi
    missing=
}
