#!/bin/sh
# installed_example.sh SOURCE BUILD CMAKE CC CFLAGS PKG_CONFIG READELF: the first C block of README.md,
# compiled against an installed parscan as its users do: by pkg-config and by find_package(), with the
# shared and with the static library. Each program runs, and needs libparscan.so only if it is meant to.
# The installation was moved to another folder before, and names the first one and the build nowhere.
set -eu
source=$1 build=$2 cmake=$3 cc=$4 flags=$5 pkg_config=$6 readelf=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first/prefix" "$work/installed"
if grep -rIlF -e "$work/first" -e "$build" "$work/installed"; then
    echo "these files name folders of the installation before it was moved, or of the build"
    exit 1
fi
sed -n '/^```c$/,/^```$/{/^```$/q;/^```/!p}' "$source/README.md" >"$work/example.c"
PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name parscan.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# check PROGRAM shared|static|alone: it runs, and needs libparscan.so, other libraries alone, or none.
check() {
    printed=$("$1")
    [ "$printed" = "3 4 11 11 15 16 22 25 " ] || { echo "$1 printed: $printed"; exit 1; }
    "$readelf" -d "$1" | grep -F '(NEEDED)' >"$work/needed" || true
    case $2 in
    shared) grep -q 'libparscan\.so' "$work/needed" ;;
    static) grep -q 'libc\.' "$work/needed" && ! grep -q 'libparscan' "$work/needed" ;;
    alone) [ ! -s "$work/needed" ] ;;
    esac || { echo "$1 is not $2. It needs:"; cat "$work/needed"; exit 1; }
}

# compile PROGRAM FLAGS PKG_CONFIG_WORDS
compile() {
    # shellcheck disable=SC2086  # the flags are words
    words=$("$pkg_config" --cflags --libs $3)
    # shellcheck disable=SC2086
    "$cc" $flags $2 "$work/example.c" $words -o "$work/$1" ||
        { echo "$cc $flags $2 example.c $words failed"; exit 1; }
}

compile by_pkg_config "" parscan
check "$work/by_pkg_config" shared
compile static_by_pkg_config "" parscan-static
check "$work/static_by_pkg_config" static
compile static_by_static_pkg_config "" "--static parscan-static"
check "$work/static_by_static_pkg_config" static

# A program without any shared library, where the compiler can make one: not with a sanitizer, and
# not where a library is there as a shared one alone.
echo 'int main(void) { return 0; }' >"$work/empty.c"
# shellcheck disable=SC2086
if "$cc" $flags -static -pthread "$work/empty.c" -o "$work/empty" 2>"$work/log"; then
    compile alone -static "--static parscan"
    check "$work/alone" alone
else
    echo "this compiler makes no static programs:"
    head -n 1 "$work/log"
fi

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(example LANGUAGES C)
find_package(parscan REQUIRED)
foreach(library parscan parscan_static)
    add_executable(with_${library} ../example.c)
    target_link_libraries(with_${library} parscan::${library})
endforeach()
CMAKE
if ! { "$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$work/installed" &&
    "$cmake" --build "$work/project/build"; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
check "$work/project/build/with_parscan" shared
check "$work/project/build/with_parscan_static" static

# The programs find their library in the folder beside them, and man the pages.
unset LD_LIBRARY_PATH
for program in "$work"/installed/bin/*; do
    "$program" --version | grep -q '^parscan' || { echo "$program does not run"; exit 1; }
done
if [ -d "$build/man/man3" ] && command -v man >/dev/null; then
    MANPATH=$work/installed/share/man man parscan_reduce | grep -q 'Reduction: out\[0\]' ||
        { echo "man parscan_reduce does not find its page"; exit 1; }
fi

# The project among the examples, with either library.
for static in OFF ON; do
    if ! { "$cmake" -S "$source/apps/examples/project" -B "$work/example-$static" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$work/installed" -DPARSCAN_STATIC=$static &&
        "$cmake" --build "$work/example-$static"; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    "$work/example-$static/horner" | grep -qx 'value: 5' || { echo "horner does not print 'value: 5'"; exit 1; }
done
