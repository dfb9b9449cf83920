"""parscan/columns.h: rows in the order of several columns."""

from __future__ import annotations

import math

import numpy as np

from ._arguments import take
from ._context import Context
from ._families import choose_counted, on_stream
from ._library import CODES, check_index, column_of, flag, index_type, library, sort_columns_options

_STRINGS = 0  # PARSCAN_BYTES
_BYTE = np.dtype(np.uint8)
_FLAG = np.dtype(bool)


def _bytes_of(column):
    """NumPy's strings of bytes as rows of a matrix of bytes."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "S" and column.ndim == 1:
        return np.ascontiguousarray(column).view(_BYTE).reshape(column.shape[0], column.dtype.itemsize)
    return column


def _taken(arrays, context, columns, names):
    """The columns, taken, and the type and width of each."""
    result = []
    for column, what in zip(columns, names):
        column = take(arrays, context, _bytes_of(column), what)
        shape = tuple(column.shape)
        if len(shape) == 2 and arrays.dtype(column) == _BYTE:
            kind = _STRINGS, shape[1]
        elif len(shape) == 1:
            kind = CODES[arrays.dtype(column)], 0
        else:
            raise ValueError(f"{what} has shape {list(shape)}: it must have one dimension, or be strings, of bytes: "
                             "bytes_ or a matrix of uint8")
        if result and shape[0] != result[0][0].shape[0]:
            raise ValueError(f"{what} has {shape[0]} rows: {names[0]} has {result[0][0].shape[0]}")
        result.append((column, *kind))
    return result


def _directions(descending, count):
    if not np.ndim(descending):
        return [flag(descending, "descending")] * count
    directions = [flag(one, f"descending[{k}]") for k, one in enumerate(descending)]
    if len(directions) != count:
        raise ValueError(f"descending has {len(directions)} elements: there are {count} columns")
    return directions


def _sorted(first, columns, names, descending, dtype, heads, values, context):
    arrays, context = choose_counted(_bytes_of(first), context)
    index, code = index_type(dtype)
    taken = _taken(arrays, context, columns, names)
    n = taken[0][0].shape[0]
    check_index(index, n)
    y = arrays.empty((n,), index)
    table = b"".join(column_of(kind, down, arrays.pointer(column) or 0, width)
                     for (column, kind, width), down in zip(taken, _directions(descending, len(taken))))
    results, options = [y], [0, 0, 0, 0]
    if flag(heads, "heads"):
        results.append(arrays.empty((n,), _FLAG))
        options[0] = arrays.pointer(results[-1])
    if values is not None:
        values = take(arrays, context, values, "values")
        if not values.shape or values.shape[0] != n:
            raise ValueError(f"values has shape {list(values.shape)}: it must have {n} rows")
        results.append(arrays.empty(tuple(values.shape), arrays.dtype(values)))
        size = arrays.dtype(values).itemsize * math.prod(values.shape[1:])
        if size > 0:
            options[1:] = size, arrays.pointer(values), arrays.pointer(results[-1])
    context.call(library.sort_columns_with, table, len(taken), code, arrays.pointer(y), n, sort_columns_options(*options))
    results = [arrays.give_along(one) for one in results]
    return results[0] if len(results) == 1 else tuple(results)


def sort_columns(columns, descending=False, *, dtype=np.int64, heads=False, values=None,
                 context: Context | None = None, stream=None):
    """The order of rows by several columns: indices, which ``take()`` takes.

    Parameters
    ----------
    columns : arrays of n elements, at least one
        The most significant first, of any types, each in the order of ``sort()``: -0 before +0, NaN last. Strings
        of 1 to 64 bytes, NumPy's bytes_ or a matrix of uint8, a row a string, are in the order of
        their bytes. At most 64 columns.
    descending : bool, or one for each column
        The largest first; equal rows stay in their order.
    dtype : int64, uint64, int32 or uint32
        The type of the indices.
    heads : bool
        Whether flags of groups are wanted too: true for the first row of each group of equal rows, as
        ``segmented_reduce(flags=)`` takes them.
    values : array of n rows
        Rows that are wanted in the order too, as ``take(values, indices)`` gives them.
    context, stream : as for ``inclusive_scan()``

    Returns
    -------
    array (n,)
        Indices, of equal rows in their order; with heads or values a tuple of the indices and of these.

    >>> parscan.sort_columns([np.array([5, 5, 4]), np.array([2, 1, 0])])
    array([2, 1, 0])
    """
    columns = _list_of(columns, "columns")
    return _sort(columns, [f"columns[{k}]" for k in range(len(columns))], descending, dtype, heads, values, context, stream)


def _list_of(columns, what):
    try:
        columns = list(columns)
    except TypeError:
        raise TypeError(f"{what} is {type(columns).__name__}: it must be a sequence of arrays") from None
    if not columns:
        raise ValueError(f"{what} is empty: there must be at least one")
    return columns


def _sort(columns, names, descending=False, dtype=np.int64, heads=False, values=None, context=None, stream=None):
    arguments = {"first": columns[0], "columns": columns, "names": names, "descending": descending, "dtype": dtype, "heads": heads,
                 "values": values, "context": context}
    if stream is not None:
        return on_stream(_sorted, {**arguments, "stream": stream})
    return _sorted(**arguments)


def lexsort(keys, *, dtype=np.int64, context: Context | None = None, stream=None):
    """``sort_columns()`` with the arguments of ``numpy.lexsort()``: the last key is the most significant one.

    >>> parscan.lexsort([np.array([2, 1, 0]), np.array([5, 5, 4])])
    array([2, 1, 0])
    """
    keys = _list_of(keys, "keys")
    names = [f"keys[{k}]" for k in range(len(keys))]
    return _sort(keys[::-1], names[::-1], dtype=dtype, context=context, stream=stream)
