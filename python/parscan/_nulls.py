"""Arrays of pandas, polars and Arrow. NumPy's conversions turn nulls into NaN, and integers beside nulls
or floats into floats, without a word; here nulls, and integers that would be rounded, are refused. None of
these packages is imported: their arrays are known by what they have."""

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


def _parts(name, column):
    """Names and columns of a column: itself, and within it a polars Array's elements, a Struct's fields."""
    yield name, column
    dtype = getattr(column, "dtype", None)
    if hasattr(dtype, "inner") and all(getattr(dtype, "shape", (0,))):
        yield from _parts(name, column.explode())
    elif hasattr(dtype, "fields") and hasattr(column, "struct"):
        for field in column.struct.unnest().get_columns():
            yield from _parts(field.name, field)


def _refuse_nulls(name, column, what):
    nulls = _nulls_of(column)
    if nulls is None:
        return
    places = np.flatnonzero(np.asarray(nulls))
    if places.size:
        where = "" if name is None else f" in column {name!r}"
        raise ValueError(f"{what} has {places.size} null{'s' * (places.size > 1)}{where} among "
                         f"{len(column)} elements, the first at {places[0]}: fill or drop them before")


def _numpy_of_column(column):
    return column.to_numpy(dtype=column.dtype.numpy_dtype) if _is_nullable(column) else np.asarray(column)


def _rounded(integers, dtype):
    """Which integers are no value of a type of floats."""
    floats = integers.astype(dtype).real
    within = floats < 2.0 ** (8 * integers.itemsize - (integers.dtype.kind == "i"))  # what may be cast back
    return ~within | (np.where(within, floats, 0).astype(integers.dtype) != integers)


def _refuse_rounding(name, column, dtype, what):
    """ValueError for integers, or times, that NumPy's type of the whole table would round."""
    values = _numpy_of_column(column)
    if values.dtype.kind in "mM":
        values = values.view(np.int64)
    if values.dtype.kind not in "iu":
        return
    places = np.flatnonzero(_rounded(values, dtype))
    if places.size:
        raise ValueError(f"{what} has columns of several types, of which NumPy makes {dtype}: "
                         f"{values.flat[places[0]]} in column {name!r} would be rounded; "
                         "give columns of one type")


def as_array(values, what: str) -> np.ndarray:
    """np.asarray(), whose errors name the parameter."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"{what} is no array: {error}") from None


def shape_of(array, what: str) -> tuple:
    """The shape of what may be an array of any library, or a list."""
    if hasattr(array, "shape") and not isinstance(array, type):
        return tuple(array.shape)
    return as_array(array, what).shape


def numpy_of(array, what: str) -> np.ndarray:
    """NumPy's array of what is none, to all digits; ValueError if there are nulls or digits would go."""
    columns, parts = _columns(array), []
    for column in columns:
        for part in _parts(*column):
            _refuse_nulls(*part, what)
            parts.append(part)
    if len(columns) == 1 and columns[0][1] is array:
        result = _numpy_of_column(array) if _is_nullable(array) else as_array(array, what)
    elif any(_is_nullable(column) for _, column in columns):  # np.asarray() would make them objects
        result = np.stack([_numpy_of_column(column) for _, column in columns], axis=1)
    else:
        result = np.asarray(array)
    if len(parts) > 1 and result.dtype.kind in "fc":
        for part in parts:
            _refuse_rounding(*part, result.dtype, what)
    return result


def refuse_masked(array, what):
    """TypeError for NumPy's masked arrays."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} is masked, which has no meaning here: give .filled() or .compressed()")


def _may_hold_arrays(values) -> bool:
    """Whether a list or tuple is none of scalars, by its first element: NumPy takes no mixture."""
    first = values[0] if values else None
    if isinstance(first, (int, float, np.generic)):
        return False
    return isinstance(first, (list, tuple)) or hasattr(first, "__array__")


def with_numpy(values, what: str):
    """A list or tuple, with NumPy's arrays in place of others; itself if it is one of scalars."""
    if not _may_hold_arrays(values):
        return values
    found = []
    for k, value in enumerate(values):
        if isinstance(value, (list, tuple)):
            if _may_hold_arrays(value):
                value = with_numpy(value, f"{what}[{k}]")
        elif type(value) is np.ndarray:
            pass
        elif isinstance(value, np.ndarray):
            refuse_masked(value, f"{what}[{k}]")
        elif hasattr(value, "__array__") and not isinstance(value, np.generic):
            value = numpy_of(value, f"{what}[{k}]")
        found.append(value)
    return found
