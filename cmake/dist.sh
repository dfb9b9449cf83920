#!/bin/sh
# dist.sh SOURCE FOLDER VERSION: parscan-VERSION.tar.gz in FOLDER, of what is committed in SOURCE. A commit
# has one archive, to the byte: git archive gives its files the commit's time, gzip writes none.
set -eu
source=$1 name=parscan-$3 archive=$2/parscan-$3.tar.gz
[ -e "$source/.git" ] || {
    echo "$source is no git repository: an archive is made of a commit" >&2
    exit 1
}
[ -z "$(git -C "$source" status --porcelain)" ] || echo "dist: what is not committed is not in the archive" >&2
git -C "$source" -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD >"$archive.tar"
gzip -n -9 <"$archive.tar" >"$archive.part"
rm "$archive.tar"
mv "$archive.part" "$archive"
echo "$archive"
