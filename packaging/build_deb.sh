#!/bin/sh
# build_deb.sh [FOLDER]: the Debian packages of the commit that is checked out, and its source archive, in
# FOLDER (build-deb), checked by lintian. PARSCAN_CUDA=ON builds them with the CUDA engine (README.md).
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh
source=$PWD
mkdir -p "${1:-build-deb}"
output=$(cd "${1:-build-deb}" && pwd)
need_build_tools
need git command git
need libopenmpi-dev command mpicc
need debhelper command dh
need dh-python command dh_python3
need dpkg-dev command dpkg-buildpackage
need fakeroot command fakeroot
need lintian command lintian
install_missing

version=$(sed -n 's/^project(parscan VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
rm -rf "$output/parscan-$version" "$output"/*.deb "$output"/*.ddeb "$output"/*.changes
sh cmake/dist.sh "$source" "$output" "$version"
cp "$output/parscan-$version.tar.gz" "$output/parscan_$version.orig.tar.gz"
tar -C "$output" -xzf "$output/parscan-$version.tar.gz"
cp -R packaging/debian "$output/parscan-$version/debian"
cd "$output/parscan-$version"
dpkg-buildpackage --no-sign
cd "$output"
# These packages close no bug of Debian's. Between releases the sources have symbols of the next version, which dpkg
# gives the version of the package.
lintian --fail-on error,warning --tag-display-limit 0 \
    --suppress-tags initial-upload-closes-no-bugs,symbols-file-contains-current-version-with-debian-revision parscan_"$version"-*.changes
ls -l ./*.deb
