#!/bin/sh
# xarray 2026.9.0 with flox 0.11.2: values of one group spoil the cumulative sums of another.
#
# Seen: groupby("k").cumsum(), the first element or two with key 0, the others with key 1. xarray uses flox if it is
# installed, unless told otherwise.
#
#     f64   1e16 | 1 1 1        with flox 1e16 | 0 0 0        without 1e16 | 1 2 3
#     f32   1e8 | 1 1 1         1e8 | 0 0 0                   1e8 | 1 2 3
#     f64   inf | 1 1 1         inf | nan nan nan             inf | 1 2 3
#     f32   3e38 3e38 | 1 1     3e38 inf | nan nan            3e38 inf | 1 2
#
# groupby("k").sum() is right with flox, too: the last cumulative sum of a group is not its sum. It would be so if one
# cumulative sum ran over all groups, one after the other, and the sum of those before were subtracted; the source was
# not read.
#
# For us: segmented scans start anew at each segment, in every engine: nothing of a segment is seen beyond its end
# (tests/apps/segmented/test_segmented_values.c, docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q xarray==2026.9.0 flox==0.11.2 numpy-groupies==0.16.0 numpy==2.4.6
cat >"$work/cumsum.py" <<'END'
import numpy as np
import xarray

for dtype, values, keys in (
    ("float64", [1e16, 1, 1, 1], [0, 1, 1, 1]),
    ("float32", [1e8, 1, 1, 1], [0, 1, 1, 1]),
    ("float64", [np.inf, 1, 1, 1], [0, 1, 1, 1]),
    ("float32", [3e38, 3e38, 1, 1], [0, 0, 1, 1]),
):
    array = xarray.DataArray(np.array(values, dtype), dims="x", coords={"k": ("x", keys)})
    print(dtype, values, keys)
    for use_flox in (True, False):
        with xarray.set_options(use_flox=use_flox):
            by_key = array.groupby("k")
            print("    flox" if use_flox else "    without", by_key.cumsum().values, "sums", by_key.sum().values)
END
cat >"$work/expected" <<'END'
float64 [1e+16, 1, 1, 1] [0, 1, 1, 1]
    flox [1.e+16 0.e+00 0.e+00 0.e+00] sums [1.e+16 3.e+00]
    without [1.e+16 1.e+00 2.e+00 3.e+00] sums [1.e+16 3.e+00]
float32 [100000000.0, 1, 1, 1] [0, 1, 1, 1]
    flox [1.e+08 0.e+00 0.e+00 0.e+00] sums [1.e+08 3.e+00]
    without [1.e+08 1.e+00 2.e+00 3.e+00] sums [1.e+08 3.e+00]
float64 [inf, 1, 1, 1] [0, 1, 1, 1]
    flox [inf nan nan nan] sums [inf  3.]
    without [inf  1.  2.  3.] sums [inf  3.]
float32 [3e+38, 3e+38, 1, 1] [0, 0, 1, 1]
    flox [3.e+38    inf    nan    nan] sums [inf  2.]
    without [3.e+38    inf 1.e+00 2.e+00] sums [inf  2.]
END
"$work/venv/bin/python" -W ignore "$work/cumsum.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: groups are not kept apart"
