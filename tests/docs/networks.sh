#!/bin/sh
# networks.sh SOURCE BUILD: the drawings of docs/algorithms.md are what the program draws.
#     networks.sh SOURCE BUILD write       writes them
set -eu
pictures=$1/docs/pictures parscan=$2/bin/parscan
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "${3-}" != write ] || work=$pictures
eight='4 6 7 1 2 8 5 2'
# shellcheck disable=SC2086  # the values are words
{
    for algorithm in sequential kogge-stone brent-kung three-phase warp; do
        "$parscan" trace --algorithm $algorithm --svg "$work/trace-$algorithm.svg" $eight
    done
    "$parscan" trace --algorithm brent-kung --block-threads 2 --svg "$work/trace-hierarchical.svg" \
        2 1 3 1 0 4 1 2 0 3 1 2 5 3 1 2
} >/dev/null
for picture in "$pictures"/trace-*.svg; do
    cmp "$picture" "$work/${picture##*/}"
done
