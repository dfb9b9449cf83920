#!/bin/sh
# NumPy 2.4.6: quantile() is nan at a place that is exactly an element, if the next one is infinite: of [0, 1, inf] at 0.5,
# where median() is 1. Of [1, inf] it depends on the type of the place: 0 gives 1, 0.0 gives nan.
#
# Seen (array, q: quantile with the default method, quantile with method="lower", median):
#
#     [0, 1, inf], 0.5    nan   1     1
#     [1, inf], 0         1     1     inf
#     [1, inf], 0.0       nan   1     inf
#     [1, inf], 0.25      inf   1     inf
#     [1, inf], 0.5       nan   1     inf
#
# The source was not read.
#
# For us: `parscan quantile --linear` gives the element there, and between 1 and infinity infinity; its manual tells of the difference.
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q numpy==2.4.6
cat >"$work/quantile.py" <<'END'
import warnings

import numpy as np

warnings.simplefilter("ignore", RuntimeWarning)  # invalid value encountered
for x, q in (([0, 1, np.inf], 0.5), ([1, np.inf], 0), ([1, np.inf], 0.0), ([1, np.inf], 0.25),
             ([1, np.inf], 0.5)):
    print(x, repr(q), np.quantile(x, q), np.quantile(x, q, method="lower"), np.median(x))
END
"$work/venv/bin/python" "$work/quantile.py" >"$work/seen"
cat "$work/seen"
cat >"$work/expected" <<'END'
[0, 1, inf] 0.5 nan 1.0 1.0
[1, inf] 0 1.0 1.0 inf
[1, inf] 0.0 nan 1.0 inf
[1, inf] 0.25 inf 1.0 inf
[1, inf] 0.5 nan 1.0 inf
END
cmp "$work/expected" "$work/seen"
