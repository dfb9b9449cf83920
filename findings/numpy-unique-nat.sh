#!/bin/sh
# NumPy 2.4.6: unique() with equal_nan=False keeps every NaT of timedelta64 and every NaN of floats; of datetime64 it keeps
# one, or all where counts or the inverse are asked for too.
#
# Seen, of three elements of which two are missing (how many values; how many beside return_counts):
#
#     equal_nan=False    NumPy 2.2.6   NumPy 2.4.6
#     datetime64[D]      3; 3          2; 3
#     timedelta64[s]     3; 3          3; 3
#     float64            3; 3          3; 3
#
# So adding return_counts=True changes the values that are returned, of one type alone. The source was not read.
#
# For us: parscan.unique(equal_nan=False) of datetime64 is what both versions give with counts (python/parscan/_times.py,
# python/tests/test_numpy_names.py).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
cat >"$work/unique.py" <<'END'
import numpy as np

for x in (np.array(["NaT", "NaT", "2020-01-01"], "M8[D]"), np.array(["NaT", "NaT", 3], "m8[s]"),
          np.array([np.nan, np.nan, 1.0])):
    values = np.unique(x, equal_nan=False)
    beside, counts = np.unique(x, return_counts=True, equal_nan=False)
    print(np.__version__, x.dtype, len(values), len(beside), counts)
END
for version in 2.2.6 2.4.6; do
    "$work/venv/bin/pip" install -q "numpy==$version"
    "$work/venv/bin/python" "$work/unique.py"
done >"$work/seen"
cat "$work/seen"
cat >"$work/expected" <<'END'
2.2.6 datetime64[D] 3 3 [1 1 1]
2.2.6 timedelta64[s] 3 3 [1 1 1]
2.2.6 float64 3 3 [1 1 1]
2.4.6 datetime64[D] 2 3 [1 1 1]
2.4.6 timedelta64[s] 3 3 [1 1 1]
2.4.6 float64 3 3 [1 1 1]
END
diff "$work/expected" "$work/seen" && echo "as described: the values of datetime64 depend on whether counts are asked for"
