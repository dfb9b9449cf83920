"""parscan/sort.h: stable radix sorts of keys, pairs, indices and segments."""

from __future__ import annotations

import math

import numpy as np

from ._arguments import taken, vector
from ._bool import BOOL
from ._context import Context
from ._errors import InvalidArgumentError
from ._families import choose_counted, on_stream
from ._host import direct
from ._library import (CODES, DTYPES, check_index, flag, index_type, library, remembered, sort_options, whole,
                       with_shape)
from ._axes import axis_of
from . import _times
from ._segmented import Described
from ._times import is_time

ndarray = np.ndarray
_MOST_VALUE_BYTES = 64


@remembered
def _options(descending, begin_bit, end_bit, dtype=None) -> bytes | None:
    """dtype: of keys that may be bool."""
    begin_bit = whole(begin_bit, "begin_bit", 0, 2**32 - 1)
    end_bit = whole(end_bit, "end_bit", 0, 2**32 - 1)
    if not (flag(descending, "descending") or begin_bit or end_bit):
        return None
    if dtype == BOOL and end_bit > 8:  # the library would call it uint8
        raise InvalidArgumentError(f"end_bit = {end_bit}: dtype = bool has only 8 bits")
    return _packed(descending, begin_bit, end_bit)


def _packed(descending, begin_bit, end_bit):
    return sort_options(bool(descending), begin_bit, end_bit, 0, 0, 0, 0)


def _call_along(arrays, context, function, x, axis, options, *between, y):
    """A call along an axis."""
    shape = arrays.shape(x)
    options, _held = with_shape(options or _packed(False, 0, 0), math.prod(shape[:axis]),
                                math.prod(shape[axis + 1:]), 2)
    context.call(function, CODES[arrays.dtype(x)], arrays.pointer(x), *between, arrays.pointer(y),
                 shape[axis], options)


def _need_kind(kind):
    if kind is not None and str(kind) not in ("quicksort", "heapsort", "mergesort", "stable"):
        raise ValueError(f"kind = {kind!r}: it must be one of numpy.sort()")


def sort(x, axis: int | None = -1, kind: str | None = None, *, stable: bool | None = None, descending: bool = False,
         begin_bit: int = 0, end_bit: int = 0, out=None, context: Context | None = None, stream=None):
    """A sorted copy, as ``numpy.sort()``; the sort is stable.

    Parameters
    ----------
    x : array of any shape
        bool, integers, floats. -0 comes before +0, NaN after all others,
        whatever its sign. NumPy's datetime64 and timedelta64, NaT after all others.
    axis : int, optional
        The axis along which rows are sorted; None: the flattened array.
    kind, stable : optional
        Those of ``numpy.sort()``. Every kind is the same, stable sort.
    descending : bool
        The reverse order of keys (NaN first); equal ones stay in their order.
    begin_bit, end_bit : int
        Integers are compared by these bits alone; end_bit=0: up to the top bit.
    out : array, optional
        May be x: then it is sorted in place.
    context, stream : as for ``inclusive_scan()``

    Returns
    -------
    array
        Contiguous, of x's shape (of one dimension with axis=None).

    >>> parscan.sort(np.array([3, 1, 2]), descending=True)
    array([3, 2, 1])
    """
    if stream is not None:
        return on_stream(sort, locals())
    if kind is not None:
        _need_kind(kind)
    if (type(x) is ndarray and context is None and out is None and type(axis) is int and axis == -1 and x.ndim == 1
            and x.flags.c_contiguous and x.dtype in DTYPES):
        return direct(library.sort_keys, CODES[x.dtype], x, x.size, x.dtype,
                      _options(descending, begin_bit, end_bit))
    if is_time(x):
        return _times.sort(sort, x, out, axis=axis, descending=descending, begin_bit=begin_bit, end_bit=end_bit,
                           context=context)
    arrays, context, x, dtype, n = taken(x, context)
    shape, options = arrays.shape(x), _options(descending, begin_bit, end_bit, dtype)
    if axis is None or len(shape) == 1 and axis_of(shape, axis) == 0:
        y = arrays.output(out, (n,), dtype, x)
        context.call(library.sort_keys, CODES[dtype], arrays.pointer(x), arrays.pointer(y), n, options)
        return arrays.finish(y, out)
    axis = axis_of(shape, axis)
    y = arrays.output(out, shape, dtype, x)
    _call_along(arrays, context, library.sort_keys, x, axis, options, y=y)
    return arrays.finish(y, out)


def argsort(x, axis: int | None = -1, kind: str | None = None, *, stable: bool | None = None,
            descending: bool = False, begin_bit: int = 0, end_bit: int = 0, dtype=np.int64, context: Context | None = None, stream=None):
    """The indices that sort, as ``numpy.argsort(kind="stable")``.

    Parameters
    ----------
    dtype : int64, uint64, int32 or uint32
        The type of the indices.
    x, axis, kind, stable, descending, begin_bit, end_bit, context, stream : as for ``sort()``

    Returns
    -------
    array
        Indices within each row, of x's shape (of one dimension with axis=None).

    >>> parscan.argsort(np.array([30, 10, 20]))
    array([1, 2, 0])
    """
    if stream is not None:
        return on_stream(argsort, locals())
    if kind is not None:
        _need_kind(kind)
    if is_time(x):
        return _times.argsort(argsort, x, axis=axis, descending=descending, begin_bit=begin_bit, end_bit=end_bit,
                              dtype=dtype, context=context)
    arrays, context, x, key, n = taken(x, context)
    shape, (index, code) = arrays.shape(x), index_type(dtype)
    options = _options(descending, begin_bit, end_bit, key)
    if axis is None or len(shape) == 1 and axis_of(shape, axis) == 0:
        check_index(index, n)
        y = arrays.empty((n,), index)
        context.call(library.argsort, CODES[key], arrays.pointer(x), code, arrays.pointer(y), n,
                     options)
        return arrays.give_along(y)
    axis = axis_of(shape, axis)
    check_index(index, shape[axis])
    y = arrays.empty(shape, index)
    _call_along(arrays, context, library.argsort, x, axis, options, code, y=y)
    return arrays.give(y)


def rows_of_values(arrays, values, n, what="values"):
    """Values that are moved whole, and the bytes of one, which may be none: elements, or rows of a
    matrix."""
    values = arrays.take_any(values, what)
    shape = tuple(values.shape)
    if not shape or shape[0] != n:
        raise ValueError(f"{what} has shape {list(shape)}: its first axis must have {n} elements")
    return values, arrays.nbytes(values) // n if n else 1


def sort_pairs(keys, values, *, descending: bool = False, begin_bit: int = 0, end_bit: int = 0,
               context: Context | None = None, stream=None):
    """Sorts keys, and moves each value with its key.

    Parameters
    ----------
    keys : array (n,)
    values : array (n, ...)
        Of any type without Python objects; an element, or a row, of at most 64 bytes.
    descending, begin_bit, end_bit, context, stream : as for ``sort()``

    Returns
    -------
    keys, values : arrays

    >>> parscan.sort_pairs(np.array([3, 1, 2]), np.array([30, 10, 20]))
    (array([1, 2, 3]), array([10, 20, 30]))
    """
    if stream is not None:
        return on_stream(sort_pairs, locals())
    return _pairs(keys, values, None, descending, begin_bit, end_bit, context)


def _pairs(keys, values, described, descending, begin_bit, end_bit, context):
    """described: flags, offsets, keys and rows of segments, or None."""
    arrays, context = choose_counted(keys, context, values, *(described or ()))
    keys = vector(arrays, context, keys, "keys")
    n, dtype = arrays.size(keys), arrays.dtype(keys)
    y = arrays.empty((n,), dtype)
    given = moved = None
    size = 0
    if values is not None:
        given, size = rows_of_values(arrays, values, n)
        if size > _MOST_VALUE_BYTES:
            raise ValueError(f"values of {size} bytes: at most {_MOST_VALUE_BYTES} are sorted along; "
                             "sort their indices with argsort()")
        moved = arrays.like(given, tuple(given.shape))
    pointers = (None, None) if size == 0 else (arrays.pointer(given), arrays.pointer(moved))
    options = _options(descending, begin_bit, end_bit, dtype)
    places = CODES[dtype], arrays.pointer(keys), arrays.pointer(y)
    if described is not None:
        segments = Described(arrays, context, n, *described, "segment_keys")
        segments.call(context, library.sort_segments, *places, size, *pointers, segments.n, segments.struct,
                      options)
    elif size == 0:
        context.call(library.sort_keys, *places, n, options)
    else:
        context.call(library.sort_pairs, *places, size, *pointers, n, options)
    return arrays.give_along(y), None if moved is None else arrays.give_along(moved)


def sort_segments(keys, values=None, *, flags=None, offsets=None, segment_keys=None,
                  rows: int | None = None, descending: bool = False, begin_bit: int = 0, end_bit: int = 0,
                  context: Context | None = None, stream=None):
    """Sorts every segment on its own.

    Parameters
    ----------
    keys : array (n,)
    values : array (n, ...), optional
        Moved with the keys, as in ``sort_pairs()``.
    flags, offsets, segment_keys, rows
        The segments: exactly one of them, as flags, offsets, keys and rows of
        ``segmented_inclusive_scan()``.
    descending, begin_bit, end_bit, context, stream : as for ``sort()``

    Returns
    -------
    keys, or keys and values if there are values

    >>> parscan.sort_segments(np.array([3, 1, 2, 0]), rows=2)
    array([1, 3, 0, 2])
    """
    if stream is not None:
        return on_stream(sort_segments, locals())
    sorted_keys, moved = _pairs(keys, values, (flags, offsets, segment_keys, rows), descending,
                                begin_bit, end_bit, context)
    return sorted_keys if values is None else (sorted_keys, moved)
