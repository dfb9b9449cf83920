# Sourced by apps/demo.sh, .ci/run and the run.sh of tests/: installs what a bare Debian 12 or Ubuntu
# 24.04 lacks. Nothing is installed when nothing is missing.
#
#   need PACKAGE command NAME      PACKAGE is wanted unless the command NAME is there
#   need PACKAGE header NAME       ... unless the C compiler finds the header <NAME>
#   need PACKAGE file PATTERN      ... unless a file matches
#   install_missing                installs what was wanted
#   install_or_leave_out WHAT      the same; where that fails, says so, and the script ends well

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
    $as_root apt-get update -qq
    # shellcheck disable=SC2086  # the packages are words
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null || return
    missing=
}

install_or_leave_out() {
    # In a process of its own, which an exit ends.
    if ! (install_missing); then
        leave_out "$1" "not to be had on this machine:$missing"
    fi
    missing=
}

leave_out() {
    echo "LEFT OUT: $1: $2"
    exit 0
}
