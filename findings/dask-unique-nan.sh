#!/bin/sh
# dask 2026.8.0: dask.array.unique finds NaN, and counts it 0 times.
#
# Seen: of 1 nan nan 2 nan, in chunks of any length, the unique values are 1, 2 and nan with the counts 1, 1 and 0, so
# the counts do not sum to the length; numpy.unique has 1, 1 and 3. return_inverse has each NaN at the place of the
# first value: values[inverse] is 1 1 1 2 1. It would be so if the values of the chunks were found again by ==, which no
# NaN passes; the source was not read.
#
# For us: a NaN equals NaNs in parscan_unique(), parscan_run_length_encode() and segments by keys (docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q dask==2026.8.0 numpy==2.4.6
cat >"$work/unique.py" <<'END'
import dask.array
import numpy as np

nan = float("nan")
x = np.array([1, nan, nan, 2, nan])
print("NumPy", *(part.tolist() for part in np.unique(x, return_inverse=True, return_counts=True)))
for chunk in (1, 2, 5):
    parts = dask.array.unique(dask.array.from_array(x, chunks=chunk), return_inverse=True, return_counts=True)
    values, inverse, counts = (part.compute() for part in parts)
    print("chunks of", chunk, values.tolist(), inverse.tolist(), counts.tolist(),
          "values[inverse]", values[inverse].tolist())
END
cat >"$work/expected" <<'END'
NumPy [1.0, 2.0, nan] [0, 2, 2, 1, 2] [1, 1, 3]
chunks of 1 [1.0, 2.0, nan] [0, 0, 0, 1, 0] [1, 1, 0] values[inverse] [1.0, 1.0, 1.0, 2.0, 1.0]
chunks of 2 [1.0, 2.0, nan] [0, 0, 0, 1, 0] [1, 1, 0] values[inverse] [1.0, 1.0, 1.0, 2.0, 1.0]
chunks of 5 [1.0, 2.0, nan] [0, 0, 0, 1, 0] [1, 1, 0] values[inverse] [1.0, 1.0, 1.0, 2.0, 1.0]
END
"$work/venv/bin/python" "$work/unique.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: every NaN is counted 0 times"
