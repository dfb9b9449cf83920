"""Nulls of pandas, polars and Arrow are refused, and arrays without keep all digits: with fakes that have
what their arrays have, and with the packages where they are."""

import numpy as np
import pytest

import parscan
from arrays import equal

BIG = 2**53 + 1  # no float64


class NAType:
    """pandas' NA."""


class Nullable:
    """An extension array, an index or a Series of pandas. NumPy makes it floats, as pandas 3 does."""

    ndim = 1

    def __init__(self, values, kind="int64"):
        self.values = values
        self.dtype = type("Dtype", (), {"na_value": NAType(), "numpy_dtype": np.dtype(kind)})()

    def __len__(self):
        return len(self.values)

    def isna(self):
        return np.array([value is None for value in self.values])

    def to_numpy(self, dtype):
        return np.array(self.values, dtype)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, float)


class Series(Nullable):
    """A Series of NumPy's type, whose NaN is no null."""

    def __init__(self, values):
        self.values, self.dtype = values, np.dtype(float)


class Categorical(Nullable):
    def __init__(self, values):
        self.values, self.dtype = values, type("Dtype", (), {"categories": [1, BIG]})()


class Polars(Nullable):
    def __init__(self, values):
        self.values, self.dtype = values, "Int64"

    def null_count(self):
        return sum(value is None for value in self.values)

    is_null = Nullable.isna


class Arrow(Polars):
    null_count = property(Polars.null_count)


class Frame:
    ndim = 2

    def __init__(self, **columns):
        self.columns = columns

    def items(self):
        return self.columns.items()

    def __array__(self, dtype=None, copy=None):
        return np.array([column.values for column in self.columns.values()], object).T


class PolarsFrame:
    def __init__(self, **columns):
        self.found = columns
        for name, column in columns.items():
            column.name = name

    def get_columns(self):
        return list(self.found.values())


class Table:
    def __init__(self, **columns):
        self.column_names, self.columns = list(columns), list(columns.values())

    def __array__(self, dtype=None, copy=None):
        return np.array([column.values for column in self.columns], float).T


@pytest.mark.parametrize("kind", [Nullable, Categorical, Polars, Arrow])
def test_nulls_are_counted_and_their_place_is_said(kind):
    with pytest.raises(ValueError, match="^x has 2 nulls among 4 elements, the first at 1: fill or drop"):
        parscan.cumsum(kind([1, None, BIG, None]))
    with pytest.raises(ValueError, match="^keys has 1 null among 2 elements, the first at 0"):
        parscan.sort_pairs(kind([None, 1]), [1, 2])


@pytest.mark.parametrize("table", [Frame, PolarsFrame, Table])
def test_nulls_of_tables_are_in_a_column(table):
    column = {Frame: Nullable, PolarsFrame: Polars, Table: Arrow}[table]
    with pytest.raises(ValueError, match="x has 1 null in column 'b' among 2 elements, the first at 1"):
        parscan.cumsum(table(a=column([1, 2]), b=column([3, None])), 0)


def test_every_argument_is_named():
    null, x = Nullable([1, None, 2]), np.arange(3)
    calls = {
        "repeats": lambda: parscan.repeat(x, null), "sizes": lambda: parscan.allocate(null),
        "condition": lambda: parscan.compress(Nullable([True, None, False], bool), x),
        "offsets": lambda: parscan.segmented_reduce(x, offsets=null),
        "flags": lambda: parscan.segmented_reduce(x, flags=Nullable([1, None, 0], "uint8")),
        "keys": lambda: parscan.segmented_reduce(x, keys=null), "values": lambda: parscan.sort_pairs(x, null),
        "segment_keys": lambda: parscan.sort_segments(x, segment_keys=null),
        "bin_of": lambda: parscan.bin(null, 3), "b": lambda: parscan.recurrence(np.ones(3), null),
        "dense": lambda: parscan.dense_to_csr(null), "records": lambda: parscan.pack(null, [0], [1]),
        "in_offsets": lambda: parscan.pack(x, null, [1, 1, 1]), "the chunk": lambda: parscan.Chunked.reduce(int).update(null),
        "x": lambda: parscan.flatnonzero(null),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=f"^{name} has 1 null "):
            call()
    with parscan.Sorter(int) as sorter, pytest.raises(ValueError, match="^keys has 1 null"):
        sorter.push(null)


def test_arrays_without_nulls_keep_all_digits():
    equal(parscan.cumsum(Nullable([BIG, 1])), np.array([BIG, BIG + 1]))
    equal(parscan.cumsum(Nullable([True, True], bool)), np.array([1, 2]))
    equal(parscan.cumsum(Frame(a=Nullable([BIG, 1]), b=Nullable([1, BIG])), 0), np.array([[BIG, 1], [BIG + 1, BIG + 1]]))
    assert np.isnan(parscan.cumsum(Series([1.0, np.nan]))[1])  # NaN in floats of NumPy is no null


def test_none_in_lists():
    for call in (lambda: parscan.cumsum([1.0, None]), lambda: parscan.Chunked.reduce(float).update([1.0, None]),
                 lambda: parscan.sort([None, 1])):
        with pytest.raises(TypeError, match="None in a list|x is an array of object"):
            call()


def real_arrays(name):
    """Makers of arrays of a package, from a list of integers, bools, and floats."""
    package = pytest.importorskip(name)
    if name == "pandas":
        names = {"i": "Int64", "b": "boolean", "f": "Float64"}
        return [lambda v, k: package.array(v, dtype=names[k]), lambda v, k: package.Series(v, dtype=names[k]),
                lambda v, k: package.Series(package.array(v, dtype=names[k]), dtype="category")]
    if name == "polars":
        return [lambda v, k: package.Series(v)]
    return [lambda v, k: package.array(v),
            lambda v, k: package.chunked_array([package.array(v)[:1], package.array(v)[1:]])]


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_the_packages(name):
    for make in real_arrays(name):
        equal(parscan.cumsum(make([1, BIG], "i")), np.array([1, BIG + 1]))
        equal(parscan.sort(make([True, False], "b")), np.array([False, True]))
        equal(parscan.cumsum(make([1.5, 2.5], "f")), np.array([1.5, 4.0]))
        for values, kind in (([1, None, BIG], "i"), ([True, None], "b"), ([1.5, None], "f")):
            with pytest.raises(ValueError, match=f"^x has 1 null among {len(values)} elements, the first at 1"):
                parscan.sort(make(values, kind))


def test_tables_of_the_packages():
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    columns = {"a": [1, 2], "b": [BIG, 3]}
    for table in (pandas.DataFrame(columns, dtype="Int64"), pandas.DataFrame(columns), polars.DataFrame(columns),
                  arrow.table(columns), pandas.DataFrame(columns, dtype="int64[pyarrow]")):
        equal(parscan.cumsum(table, 0), np.array([[1, BIG], [3, BIG + 3]]))
    columns["b"][1] = None
    for table in (pandas.DataFrame(columns, dtype="Int64"), polars.DataFrame(columns), arrow.table(columns)):
        with pytest.raises(ValueError, match="1 null in column 'b'"):
            parscan.cumsum(table, 0)
    with pytest.raises(ValueError, match="1 null"):
        parscan.cumsum(pandas.Series([1, None], dtype="int64[pyarrow]"))
    with pytest.raises(ValueError, match="1 null"):
        parscan.cumsum(pandas.Index([1, None], dtype="Int64"))
