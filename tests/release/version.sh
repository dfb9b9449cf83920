#!/bin/sh
# version.sh SOURCE BUILD VERSION LIBRARY READELF NM PYTHON: the version that CMakeLists.txt gives the project is
# that of the headers, the library's file and SONAME, the newest symbols of a release, the .pc files, the CMake package,
# the programs, the man pages, the Python package, the Debian package and the CHANGELOG.
set -eu
source=$1 build=$2 version=$3 library=$4 readelf=$5 nm=$6 python=$7
major=${version%%.*}
minor=${version%.*}

# same WHAT FOUND [EXPECTED]
same() {
    [ "$2" = "${3-$version}" ] || { echo "$1: $2, not ${3-$version}"; exit 1; }
}

macro() {
    sed -n "s/^#define PARSCAN_VERSION_$1 //p" "$build/include/parscan/types.h"
}

same "project() of CMakeLists.txt" "$(sed -n 's/^project(parscan VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")"
same PARSCAN_VERSION_STRING "$(macro STRING)" "\"$version\""
same "PARSCAN_VERSION_MAJOR, MINOR, PATCH" "$(macro MAJOR).$(macro MINOR).$(macro PATCH)"
for pc in "$build"/*.pc; do
    same "$pc" "$(sed -n 's/^Version: //p' "$pc")"
    same "Requires of $pc" "$(sed -n 's/^Requires: parscan = //p' "$pc")" \
        "$(grep -q '^Requires:' "$pc" && echo "$version" || true)"
done
same parscan-config-version.cmake "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/parscan-config-version.cmake")"
for program in "$build/bin/parscan" "$build/bin/parscan-mpi"; do
    [ ! -x "$program" ] || same "$program --version" "$("$program" --version)" "${program##*/} $version"
done
for page in "$build"/man/man3/parscan.3; do
    [ ! -e "$page" ] || same "$page" "$(sed -n 's/^\.TH.*"parscan \([0-9.]*\)".*/\1/p' "$page")"
done
# The newest release; what comes after it is in "Unreleased".
same "CHANGELOG.md" "$(sed -n 's/^## \([0-9.]*\) - [0-9-]*$/\1/p' "$source/CHANGELOG.md" | head -n 1)"
same "packaging/debian/changelog" "$(sed -n '1s/^parscan (\([0-9.]*\)-.*/\1/p' "$source/packaging/debian/changelog")"
same "python/pyproject.toml" "$("$python" - "$source" <<'END'
import pathlib, re, sys
folder = pathlib.Path(sys.argv[1], "python")
words = (folder / "pyproject.toml").read_text()
regex = re.search(r"^regex = '(.*)'$", words, re.M).group(1)
path = folder / re.search(r'^input = "(.*)"$', words, re.M).group(1)
print(re.search(regex, path.read_text())["value"])
END
)"

# ELF's: Mach-O has neither SONAME nor versions of symbols.
case $library in
*.so.*)
    same "the file of the library" "${library##*.so.}"
    same "its SONAME" "$("$readelf" -d "$library" | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p')" \
        "libparscan.so.$major"
    # What is new since the release has symbols of the next minor version, and stands in "Unreleased". A release
    # has no symbols of a later version than its own.
    next=$major.$((${minor#*.} + 1))
    if sed -n '/^## Unreleased$/,/^## [0-9]/p' "$source/CHANGELOG.md" | grep -q '^- '; then
        most=$next
    else
        most=$minor
    fi
    newest=$("$nm" -D "$library" | sed -n 's/.* A PARSCAN_//p' | sort -V | tail -n 1)
    [ "$(printf '%s\n' "$newest" "$most" | sort -V | tail -n 1)" = "$most" ] ||
        { echo "the library has symbols of $newest, which is after $most"; exit 1; }
    ;;
esac
