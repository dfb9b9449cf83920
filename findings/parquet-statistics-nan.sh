#!/bin/sh
# Parquet files of pyarrow 26.0.1 with a NaN: what a query finds depends on whether the file has statistics.
#
# Seen: the column is 5.0 and NaN. Without statistics in the file, pyarrow and DuckDB 2.0.1 find the NaN by
# x != 5, and DuckDB, which orders NaN above all numbers, by x > 5 and as the maximum. With statistics, as they are
# written unless one says otherwise, the smallest and the largest value are both 5.0: pyarrow and DuckDB find
# no row by x != 5, DuckDB none by x > 5, and 5.0 is its maximum. Polars 2.1.0 finds the NaN in both files.
# In memory, pyarrow finds it too.
#
# The format leaves NaNs out of statistics, so a reader may not skip a row group by them where a NaN
# would pass the test. For us: a file must be read whole, and then be compacted, for parscan's rule that a
# NaN passes !=, and that it is the maximum of an array wherever it stands (docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0
cat >"$work/read.py" <<'END'
import os
import sys

import duckdb
import polars
import pyarrow
import pyarrow.compute as pc
import pyarrow.parquet

table = pyarrow.table({"x": [5.0, float("nan")]})
os.chdir(sys.argv[1])
print("in memory: pyarrow x != 5", table.filter(pc.field("x") != 5.0)["x"].to_pylist())
for statistics in (False, True):
    pyarrow.parquet.write_table(table, "x.parquet", write_statistics=statistics)
    print("with statistics:" if statistics else "without statistics:")
    found = pyarrow.parquet.read_table("x.parquet", filters=[("x", "!=", 5.0)])
    print("    pyarrow x != 5", found["x"].to_pylist())
    for words in ("x <> 5", "x > 5"):
        rows = duckdb.sql(f"select x from 'x.parquet' where {words}").fetchall()
        print(f"    DuckDB {words}", [row[0] for row in rows])
    print("    DuckDB max(x)", duckdb.sql("select max(x) from 'x.parquet'").fetchall()[0][0])
    print("    Polars x != 5", polars.scan_parquet("x.parquet").filter(polars.col("x") != 5).collect()["x"].to_list())
END
cat >"$work/expected" <<'END'
in memory: pyarrow x != 5 [nan]
without statistics:
    pyarrow x != 5 [nan]
    DuckDB x <> 5 [nan]
    DuckDB x > 5 [nan]
    DuckDB max(x) nan
    Polars x != 5 [nan]
with statistics:
    pyarrow x != 5 []
    DuckDB x <> 5 []
    DuckDB x > 5 []
    DuckDB max(x) 5.0
    Polars x != 5 [nan]
END
"$work/venv/bin/python" "$work/read.py" "$work" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: statistics hide a NaN"
