#!/bin/sh
# boost-histogram 1.8.1: a value that is an edge as Regular.edges reports it may be counted in the bin before.
#
# Seen: bins are half-open, so the bin that an edge begins should count a value equal to it. Of the
# ten bins of [-1, 1) the second and the third begin at -0.8 and -0.6000000000000001, and count neither: both values
# are one bin too low. So are 0.58 of fifty bins of [0, 1), and three values of a hundred. numpy.histogram() with the
# reported edges counts all of them where they belong, and so does boost-histogram where the same edges are given to an
# axis.Variable. Bins would be those if the index were floor((x - lower) / (upper - lower) * bins) while edges
# are made by another formula; the source was not read.
#
# For us: bins of parscan_histogram() are those that its edges enclose, edge(b) = lower + b * ((upper - lower) / bins)
# (include/parscan/histogram.h, docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q boost-histogram==1.8.1 numpy==2.4.6
cat >"$work/edges.py" <<'END'
import boost_histogram as bh
import numpy as np


def too_low(axis, edges):
    """The edges that are not counted in the bin that they begin."""
    found = []
    for b, edge in enumerate(edges[:-1]):
        histogram = bh.Histogram(axis)
        histogram.fill([edge])
        if histogram.values().argmax() != b:
            found.append(float(edge))
    return found


for bins, lower, upper in ((10, -1, 1), (50, 0, 1), (100, 0, 1)):
    regular = bh.axis.Regular(bins, lower, upper)
    edges = regular.edges
    numpy = [b for b, edge in enumerate(edges[:-1]) if np.histogram([edge], edges)[0].argmax() != b]
    print(f"{bins} bins of [{lower}, {upper}): {too_low(regular, edges)}, Variable "
          f"{too_low(bh.axis.Variable(edges), edges)}, NumPy {numpy}")
END
cat >"$work/expected" <<'END'
10 bins of [-1, 1): [-0.8, -0.6000000000000001], Variable [], NumPy []
50 bins of [0, 1): [0.58], Variable [], NumPy []
100 bins of [0, 1): [0.29, 0.57, 0.58], Variable [], NumPy []
END
"$work/venv/bin/python" "$work/edges.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: edges are counted one bin too low"
