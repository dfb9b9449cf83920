#!/bin/sh
# site.sh SOURCE DOXYFILE SITE MAN LIBRARY: the documents, the headers, the man pages and the Python package as one
# static site in the folder SITE: Doxygen's pages, mandoc's in SITE/man, pydoc's in SITE/python. MAN is the folder of the
# pages of section 3, LIBRARY the libparscan.so that Python loads to read its package.
set -eu
source=$1 doxyfile=$2 site=$3 man=$4 library=$5
rm -rf "$site"
mkdir -p "$site/man" "$site/python"
doxygen "$doxyfile"
# Doxygen copies the pictures that it finds by name, of docs/.
mkdir "$site/results"
cp "$source"/bench/results/*.svg "$site/results"
sed -i 's|"\(\.\./\)*\(bench/\)*results/|"results/|g' "$site"/md_*.html

# page NAME TITLE: an index of the files of SITE/NAME, whose names are in the input.
page() {
    {
        echo "<!DOCTYPE html><meta charset=utf-8><title>parscan: $2</title><h1>$2</h1>"
        echo '<p><a href="../index.html">parscan</a></p><ul>'
        sed 's|\(.*\)\.html$|<li><a href="\1.html">\1</a></li>|'
        echo '</ul>'
    } >"$site/$1/index.html"
}

find "$source/apps/cli" "$man" -name '*.[13]' | sort | while read -r file; do
    name=${file##*/}
    mandoc -T html -O "man=%N.%S.html" "$file" >"$site/man/$name.html"
    echo "$name.html"
done >"$site/names"
# References to pages of other projects, as gzip(1), lead nowhere here.
for file in "$site"/man/*.html; do
    grep -o 'href="[^"#/:]*\.html"' "$file" | sort -u | sed 's/href="\(.*\)"/\1/' | while read -r target; do
        [ -e "$site/man/$target" ] || sed -i "s|<a class=\"Xr\" href=\"$target\">\([^<]*\)</a>|\1|g" "$file"
    done
done
page man "Man pages" <"$site/names"
rm "$site/names"

python=${PARSCAN_PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
(cd "$site/python" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source/python PARSCAN_LIBRARY=$library \
    "$python" -m pydoc -w parscan >/dev/null &&
    sed -i 's|<a href="file:[^"]*">[^<]*</a>||g; s|<a href="\.">index</a>\(<br>\)*||g
        s|<a href="[a-z0-9._]*\.html\(#[^"]*\)*">\([^<]*\)</a>|\2|g; s|<a href="#[A-Za-z]*-[a-z_]*">\([^<]*\)</a>|\1|g' parscan.html)
echo parscan.html | page python "Python"
