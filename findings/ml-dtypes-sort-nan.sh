#!/bin/sh
# NumPy 2.4.6 with ml_dtypes 0.6.0: numpy.sort of bfloat16 with a NaN leaves the numbers unsorted, without a word.
#
# Seen: NumPy's own float types are sorted with every NaN at the end. An array of bfloat16 or of an 8-bit float of
# ml_dtypes that has one NaN comes back as it was, from sort of every kind, argsort, partition and lexsort, and what
# stands on a sort is wrong too: unique keeps equal numbers, median takes an element of the middle of the unsorted
# array, searchsorted finds a NaN in the first place.
#
#     float16   sort [1, 2, 3, nan]   unique [1, 2, nan]       argsort [2, 3, 0, 1]
#     bfloat16  sort [3, nan, 1, 2]   unique [1, nan, 1, 2]    argsort [0, 1, 2, 3]
#
# It would be so if the comparison that the types give to NumPy were a plain <, by which a NaN is equal to
# everything; NumPy's own types order it last. The source was not read. For us: parscan sorts floats by their bits,
# every NaN last.
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0
cat >"$work/sort.py" <<'END'
import ml_dtypes
import numpy as np

nan = float("nan")


def plain(array):
    return [float(x) if x != x else int(x) for x in array]


for name in ("float16", "bfloat16", "float8_e5m2"):
    dtype = np.float16 if name == "float16" else getattr(ml_dtypes, name)
    x = np.array([3, nan, 1, 2], dtype)
    for kind in ("quicksort", "mergesort", "heapsort"):
        print(name, kind, plain(np.sort(x, kind=kind)))
    print(name, "argsort", np.argsort(x, kind="stable").tolist())
    print(name, "unique", plain(np.unique(np.array([1, nan, 1, 2, 1, 2], dtype))))
    print(name, "searchsorted", np.searchsorted(np.array([1, 2, 3, nan], dtype), np.array([nan], dtype)).tolist())
END
cat >"$work/expected" <<'END'
float16 quicksort [1, 2, 3, nan]
float16 mergesort [1, 2, 3, nan]
float16 heapsort [1, 2, 3, nan]
float16 argsort [2, 3, 0, 1]
float16 unique [1, 2, nan]
float16 searchsorted [3]
bfloat16 quicksort [3, nan, 1, 2]
bfloat16 mergesort [3, nan, 1, 2]
bfloat16 heapsort [3, nan, 1, 2]
bfloat16 argsort [0, 1, 2, 3]
bfloat16 unique [1, nan, 1, 2]
bfloat16 searchsorted [0]
float8_e5m2 quicksort [3, nan, 1, 2]
float8_e5m2 mergesort [3, nan, 1, 2]
float8_e5m2 heapsort [3, nan, 1, 2]
float8_e5m2 argsort [0, 1, 2, 3]
float8_e5m2 unique [1, nan, 1, 2]
float8_e5m2 searchsorted [0]
END
"$work/venv/bin/python" "$work/sort.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: numbers beside a NaN are not sorted"
