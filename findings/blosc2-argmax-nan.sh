#!/bin/sh
# python-blosc2 4.14.1: beside a NaN argmax depends on the chunks, and is neither the NaN's place nor the maximum's.
#
# Seen, for f64:
#
#     array                        chunks   max   argmax, argmin   of NumPy
#     1 3 nan 2                    4        nan   0, 0             2, 2
#     1 3 2 nan                    4        nan   0, 0             3, 3
#     1 3 2 nan                    2        nan   1, 0             3, 3
#     1000 ones, but a 7 at 3      1000     nan   0, 0             500, 500
#     and a NaN at 500             100      nan   3, 0             500, 500
#
# In a chunk with a NaN the answer is the chunk's first element, as if every comparison with the maximum, a NaN, were
# false; chunks are then compared with each other. So x[argmax(x)] is not max(x), and the same numbers in other chunks
# have another argmax. The source was not read.
#
# For us: parscan_arg_reduce() points at the first NaN, so that x[argmax] is max on every engine
# (include/parscan/select.h, tests/apps/select/test_arg_reduce.c).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q blosc2==4.14.1 numpy==2.4.6
cat >"$work/argmax.py" <<'END'
import blosc2
import numpy as np

nan = np.nan
long = np.ones(1000)
long[3] = 7
long[500] = nan
for values, chunk in (([1, 3, nan, 2], 4), ([1, 3, 2, nan], 4), ([1, 3, 2, nan], 2), (long, 1000), (long, 100)):
    plain = np.array(values, "f8")
    array = blosc2.asarray(plain, chunks=(chunk,))
    print(len(plain), chunk, "max", float(array.max()),
          "argmax", int(blosc2.argmax(array)), int(np.argmax(plain)),
          "argmin", int(blosc2.argmin(array)), int(np.argmin(plain)))
END
cat >"$work/expected" <<'END'
4 4 max nan argmax 0 2 argmin 0 2
4 4 max nan argmax 0 3 argmin 0 3
4 2 max nan argmax 1 3 argmin 0 3
1000 1000 max nan argmax 0 500 argmin 0 500
1000 100 max nan argmax 3 500 argmin 0 500
END
"$work/venv/bin/python" "$work/argmax.py" >"$work/seen"
cat "$work/seen"
diff "$work/expected" "$work/seen" && echo "as described: argmax depends on the chunks beside a NaN"
