#!/bin/sh
# DataFusion 55.0.0: moving sums of positive numbers may be negative, and are NaN after an infinity or a NaN has left.
#
# Seen: the sum of each row and the next (rows between current row and 1 following):
#
#     1e16 1 1 1 1      1e16 0 0 0 -1           DuckDB 2.0.1 and polars 2.1.0: 1e16 2 2 2 1
#     1 inf 1 1 1       inf inf nan nan nan     inf inf 2 2 1
#     1 nan 1 1 1       nan nan nan nan nan     nan nan 2 2 1
#
# It is so for avg and the other direction, and in every window of the partition after that row. max and min come back
# to numbers. It would be so if what leaves the window were subtracted from the sum, for floats as it is for
# integers; the source was not read.
#
# For us: the difference of two prefix sums, which is how moving sums are often made of a scan, has the same
# fault: take it for integers only; of floats add the elements of each window (docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q datafusion==55.0.0 pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0
cat >"$work/sums.py" <<'END'
import datafusion
import duckdb
import polars
import pyarrow

context = datafusion.SessionContext()
for first in ([1e16, 1.0], [1.0, float("inf")], [1.0, float("nan")]):
    x = first + [1.0, 1.0, 1.0]
    t = pyarrow.table({"i": range(5), "x": x})
    context.deregister_table("t")
    context.from_arrow(t, "t")
    print(x)
    for function in ("sum", "avg", "max"):
        window = "order by i rows between current row and 1 following"
        words = f"select i, {function}(x) over ({window}) as y from t order by i"
        print("    DataFusion", function, context.sql(words).to_pydict()["y"])
        print("    DuckDB", function, [row[1] for row in duckdb.sql(words).fetchall()])
    backwards = polars.Series(x).reverse().rolling_sum(2, min_samples=1)
    print("    Polars sum", backwards.reverse().to_list())
END
cat >"$work/expected" <<'END'
[1e+16, 1.0, 1.0, 1.0, 1.0]
    DataFusion sum [1e+16, 0.0, 0.0, 0.0, -1.0]
    DuckDB sum [1e+16, 2.0, 2.0, 2.0, 1.0]
    DataFusion avg [5000000000000000.0, 0.0, 0.0, 0.0, -1.0]
    DuckDB avg [5000000000000000.0, 1.0, 1.0, 1.0, 1.0]
    DataFusion max [1e+16, 1.0, 1.0, 1.0, 1.0]
    DuckDB max [1e+16, 1.0, 1.0, 1.0, 1.0]
    Polars sum [1e+16, 2.0, 2.0, 2.0, 1.0]
[1.0, inf, 1.0, 1.0, 1.0]
    DataFusion sum [inf, inf, nan, nan, nan]
    DuckDB sum [inf, inf, 2.0, 2.0, 1.0]
    DataFusion avg [inf, inf, nan, nan, nan]
    DuckDB avg [inf, inf, 1.0, 1.0, 1.0]
    DataFusion max [inf, inf, 1.0, 1.0, 1.0]
    DuckDB max [inf, inf, 1.0, 1.0, 1.0]
    Polars sum [inf, inf, 2.0, 2.0, 1.0]
[1.0, nan, 1.0, 1.0, 1.0]
    DataFusion sum [nan, nan, nan, nan, nan]
    DuckDB sum [nan, nan, 2.0, 2.0, 1.0]
    DataFusion avg [nan, nan, nan, nan, nan]
    DuckDB avg [nan, nan, 1.0, 1.0, 1.0]
    DataFusion max [nan, nan, 1.0, 1.0, 1.0]
    DuckDB max [nan, nan, 1.0, 1.0, 1.0]
    Polars sum [nan, nan, 2.0, 2.0, 1.0]
END
"$work/venv/bin/python" "$work/sums.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: moving sums keep what has left the window"
