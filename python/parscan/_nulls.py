"""Arrays of pandas, polars and Arrow. NumPy's conversions turn nulls into NaN, and integers beside them
into floats, without a word; here they are refused. None of these packages is imported: their arrays are
known by what they have."""

from __future__ import annotations

import numpy as np


def _is_nullable(array) -> bool:
    """Whether it is pandas' with pd.NA, whose dtype is none of NumPy's."""
    dtype = getattr(array, "dtype", None)
    return hasattr(dtype, "numpy_dtype") and type(getattr(dtype, "na_value", None)).__name__ == "NAType"


def _columns(array) -> list:
    """Names and columns of a table; of another array itself, without a name."""
    if hasattr(array, "get_columns"):  # polars
        return [(column.name, column) for column in array.get_columns()]
    if hasattr(array, "column_names") and hasattr(array, "columns"):  # Arrow
        return list(zip(array.column_names, array.columns))
    if getattr(array, "ndim", 1) == 2 and hasattr(array, "items"):  # pandas
        return list(array.items())
    return [(None, array)]


def _nulls_of(column):
    """Where a column has nulls, or None where it says that it has none."""
    if hasattr(column, "null_count") and hasattr(column, "is_null"):
        count = column.null_count
        return column.is_null() if (count() if callable(count) else count) else None
    is_categorical = hasattr(getattr(column, "dtype", None), "categories")
    return column.isna() if _is_nullable(column) or is_categorical else None


def _refuse(column, name, what):
    nulls = _nulls_of(column)
    if nulls is None:
        return
    places = np.flatnonzero(np.asarray(nulls))
    if places.size:
        where = "" if name is None else f" in column {name!r}"
        raise ValueError(f"{what} has {places.size} null{'s' * (places.size > 1)}{where} among "
                         f"{len(column)} elements, the first at {places[0]}: fill or drop them before")


def numpy_of(array, what: str) -> np.ndarray:
    """NumPy's array of what is none, to all digits; ValueError if there are nulls."""
    columns = _columns(array)
    for name, column in columns:
        _refuse(column, name, what)
    if columns[0:1] != [] and columns[0][1] is array:
        return array.to_numpy(dtype=array.dtype.numpy_dtype) if _is_nullable(array) else np.asarray(array)
    if any(_is_nullable(column) for _, column in columns):  # np.asarray() would make them objects
        return np.stack([numpy_of(column, what) for _, column in columns], axis=1)
    return np.asarray(array)
