"""Nulls of pandas, polars and Arrow are refused, and arrays without keep all digits: with fakes that have
what their arrays have, and with the packages where they are."""

import re

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


    def __array__(self, dtype=None, copy=None):
        return np.stack([np.array(column.values) for column in self.found.values()], axis=1)


class Mixed(Frame):
    """A DataFrame of NumPy's types."""

    def __array__(self, dtype=None, copy=None):
        return np.stack([np.asarray(column) for column in self.columns.values()], axis=1)


class Values(Polars):
    """A column that NumPy takes to all digits."""

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values)


class Array(Values):
    """A polars Series of arrays; `inner` is the Series of their elements."""

    def __init__(self, values, inner):
        super().__init__(values)
        self.inner, self.dtype = inner, type("Dtype", (), {"inner": inner.dtype, "shape": np.shape(values)[1:]})()

    def explode(self):
        return self.inner


class Struct(Values):
    """A polars Series of structs; NumPy makes a matrix of it."""

    def __init__(self, frame):
        columns = [np.array(column.values, object) for column in frame.get_columns()]
        super().__init__(np.array([column.astype(float) for column in columns]).T)
        self.dtype, self.struct = type("Dtype", (), {"fields": []})(), type("", (), {"unnest": lambda _: frame})()


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


def test_nulls_one_level_down():
    for null, inner in ([[1, 2], [3, None]], [1, 2, 3, None]), ([[[1, 2]], [[3, None]]], [1, 2, 3, None]):
        with pytest.raises(ValueError, match="^x has 1 null among 4 elements, the first at 3"):
            parscan.sort(Array(np.array(null, float), Values(inner)))
    equal(parscan.sort(Array([[BIG, 1], [3, 2]], Values([BIG, 1, 3, 2]))), np.array([[1, BIG], [2, 3]]))
    equal(parscan.sort(Array(np.zeros((2, 0)), Values([None]))), np.zeros((2, 0)))  # an empty list may become a null
    with pytest.raises(ValueError, match="^x has 1 null in column 'b' among 2 elements, the first at 1"):
        parscan.sort(Struct(PolarsFrame(a=Values([1, 2]), b=Values([3, None]))))


@pytest.mark.parametrize("kind", [Nullable, Polars, Arrow])
def test_nulls_of_arrays_in_lists(kind):
    null = kind([1, None, BIG])
    for x, name in ([null], "x[0]"), ((kind([1, 2, 3]), null), "x[1]"), ([[[1, 2, 3]], [null]], "x[1][0]"), \
            ([np.arange(3), null], "x[1]"):
        with pytest.raises(ValueError, match=rf"^{re.escape(name)} has 1 null among 3 elements"):
            parscan.sort(x)
    with pytest.raises(ValueError, match=r"^values\[0\] has 1 null"):
        parscan.sort_pairs([1], [null])


def test_lists_of_arrays_without_nulls():
    equal(parscan.sort([Nullable([BIG, 1]), Nullable([3, 2])]), np.array([[1, BIG], [2, 3]]))
    equal(parscan.sort([[2, 1], Nullable([BIG, 2]), np.arange(2)]), np.array([[1, 2], [2, BIG], [0, 1]]))
    equal(parscan.sort([np.float64(2), 1.0]), np.array([1.0, 2.0]))
    with pytest.raises(TypeError, match=r"^x\[1\] is masked"):
        parscan.sort([[1, 2], np.ma.array([1, 2], mask=[0, 1])])


@pytest.mark.parametrize("kind", [Mixed, PolarsFrame, Table])
def test_tables_whose_digits_would_go(kind):
    for column in [BIG, 1], [2**63 - 1, 1], [2, -BIG]:
        worst = max(column, key=abs)
        with pytest.raises(ValueError, match=rf"^x has columns .* makes float64: {worst} in column 'a' would be"):
            parscan.sort(kind(a=Values(column), b=Values([.5, 1.])))
        with pytest.raises(ValueError, match=rf"^values has .* {worst} in column 'a'"):
            parscan.sort_pairs([1, 2], kind(a=Values(column), b=Values([.5, 1.])))
    for column in np.array([2**63 + 1, 1], np.uint64), np.array([2**64 - 1, 1], np.uint64):
        with pytest.raises(ValueError, match=f": {column[0]} in column 'b' would be rounded"):
            parscan.sort(kind(a=Values([1, 2]), b=Values(column)))


def test_other_tables_whose_digits_would_go():
    floats = Values([.5, 1.])
    for x in (Frame(a=Nullable([BIG, 1]), b=Nullable([.5, 1.], float)),
              Struct(PolarsFrame(a=Values([BIG, 1]), b=floats)),
              Struct(PolarsFrame(a=Values(np.array([BIG, 1], "m8[ns]")), b=floats))):  # polars' durations
        with pytest.raises(ValueError, match=f": {BIG} in column 'a' would be rounded"):
            parscan.sort(x)


@pytest.mark.parametrize("kind", [Mixed, PolarsFrame, Table])
def test_tables_of_several_types_without_loss(kind):
    for column in [3, -2**63], [2**62, 1], np.array([2**63, 7], np.uint64), np.array([2**24 + 1, 1], np.int32):
        equal(parscan.reduce(kind(a=Values(column), b=Values([.5, 1.])), "max", axis=0),
              np.array([max(column), 1.], float))


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


def test_what_dlpack_does_not_describe_goes_through_numpy():
    """PyArrow's booleans until its version 25 or 26."""
    class Bits:
        def __dlpack_device__(self):
            raise TypeError("bits")

        def __array__(self, dtype=None, copy=None):
            return np.array([True, False], dtype)

    equal(parscan.sort(Bits()), np.array([False, True]))


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_the_packages(name):
    for make in real_arrays(name):
        equal(parscan.cumsum(make([1, BIG], "i")), np.array([1, BIG + 1]))
        equal(parscan.sort(make([True, False], "b")), np.array([False, True]))
        equal(parscan.cumsum(make([1.5, 2.5], "f")), np.array([1.5, 4.0]))
        for values, kind in (([1, None, BIG], "i"), ([True, None], "b"), ([1.5, None], "f")):
            with pytest.raises(ValueError, match=f"^x has 1 null among {len(values)} elements, the first at 1"):
                parscan.sort(make(values, kind))


def test_what_the_packages_would_lose():
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    columns = {"a": [BIG, 1], "b": [.5, 1.]}
    mixed = [pandas.DataFrame(columns), polars.DataFrame(columns), arrow.table(columns), arrow.record_batch(columns),
             pandas.DataFrame({"a": pandas.array([BIG, 1], "Int64"), "b": pandas.array([.5, 1.], "Float64")}),
             pandas.DataFrame({"a": pandas.Categorical([BIG, 1]), "b": [.5, 1.]}),
             polars.Series([{"a": BIG, "b": .5}, {"a": 1, "b": 1.}]),
             pandas.DataFrame({"b": [1, 2], "a": np.array([BIG + 2**63, 1], np.uint64)})]
    for table in mixed:
        with pytest.raises(ValueError, match=r"\d in column 'a' would be rounded"):
            parscan.sort(table)
    two = polars.Array(polars.Int64, 2)
    for x, name in (([pandas.Series([BIG, None], dtype="Int64")], "x[0]"), ([arrow.array([BIG, None])], "x[0]"),
                    (polars.Series([[1, 2], [3, None]], dtype=two), "x"),
                    (polars.Series([[[1, 2], [3, None]]], dtype=polars.Array(two, 2)), "x"),
                    (polars.Series([{"a": 1, "b": None}]), "x"), (polars.Series([[1, 2], None], dtype=two), "x")):
        with pytest.raises(ValueError, match=f"^{re.escape(name)} has 1 null"):
            parscan.sort(x)
    equal(parscan.sort(polars.Series([[BIG, 1], [3, 2]], dtype=two)), np.array([[1, BIG], [2, 3]]))
    assert parscan.sort(polars.Series([[], []], dtype=polars.Array(polars.Int64, 0))).shape == (2, 0)
    with pytest.raises(TypeError, match="^x is an array of object"):
        parscan.sort(arrow.array([[1, 2], [3, None]], arrow.list_(arrow.int64(), 2)))


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
