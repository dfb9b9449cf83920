#!/bin/sh
# python-graphblas 2025.2.0 on SuiteSparse:GraphBLAS 9.4.5: the prefix sums of a vector or matrix whose values
# are all equal are the values themselves.
#
# Seen: ss.scan(monoid.plus) of 5 5 6 is 5 10 16, and of 5 5 5 it is 5 5 5. The last element of a scan is the
# reduction otherwise; here it is 5, and reduce(monoid.plus) says 15. It is so for a matrix row by row, and for
# the ones that unary.one gives, whose prefix sums are the places of a compaction. Such objects are stored as
# one value ("iso"), and that property tells the two cases apart; the source was not read.
#
# For us: parscan.inclusive_scan of the values (A.to_coo()) has no such case (docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q python-graphblas==2025.2.0 suitesparse-graphblas==9.4.5.0 numpy==2.4.6
cat >"$work/scan.py" <<'END'
from graphblas import Matrix, Vector, monoid, unary


def show(name, x):
    scan = x.ss.scan(monoid.plus).to_coo()[-1].tolist()
    print(f"{name}: iso {x.ss.is_iso}, scan {scan}")


different = Vector.from_coo([0, 1, 2], [5, 5, 6])
equal = Vector.from_coo([0, 1, 2], [5, 5, 5])
show("5 5 6", different)
show("5 5 5", equal)
print("reduction of 5 5 5:", equal.reduce(monoid.plus).new().value)
show("ones at the places 0, 2, 5", unary.one(Vector.from_coo([0, 2, 5], [7, 8, 9], size=6)).new())
show("rows 2 2 and 2 3", Matrix.from_coo([0, 0, 1, 1], [0, 1, 0, 1], [2, 2, 2, 3]))
show("rows 2 2 and 2 2", Matrix.from_coo([0, 0, 1, 1], [0, 1, 0, 1], [2, 2, 2, 2]))
END
cat >"$work/expected" <<'END'
5 5 6: iso False, scan [5, 10, 16]
5 5 5: iso True, scan [5, 5, 5]
reduction of 5 5 5: 15
ones at the places 0, 2, 5: iso True, scan [1, 1, 1]
rows 2 2 and 2 3: iso False, scan [2, 4, 2, 5]
rows 2 2 and 2 2: iso True, scan [2, 2, 2, 2]
END
"$work/venv/bin/python" "$work/scan.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: equal values are not summed"
