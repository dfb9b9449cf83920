"""parscan/select.h: the k first of an array; extremes and their indices."""

from __future__ import annotations

import math

import numpy as np

from ._arguments import taken, vector
from . import _times
from ._context import Context
from ._counted import cut
from ._families import choose_counted, on_stream
from ._library import (CODES, OPS, ROWS, arg_reduce_options, check_index, flag, in_memory,
                       index_type, library, pointer_of, segments_of, top_k_options, whole, with_shape)
from ._axes import axes_of, axis_of
from ._segmented import Described
from ._times import is_time

_MIN, _MAX = OPS["min"], OPS["max"]


def _arg_of_segments(op, x, described, dtype, counted, context):
    arrays, context = choose_counted(x, context, *described, counted=counted)
    x = vector(arrays, context, x)
    n, (index, code) = arrays.size(x), index_type(dtype)
    check_index(index, n)
    segments = Described(arrays, context, n, *described)
    y, count = arrays.empty((segments.room,), index), context.count
    struct = in_memory(segments.struct)
    options = arg_reduce_options(pointer_of(struct), count.at if segments.count is None else 0, 0, 0)
    segments.call(context, library.arg_reduce, CODES[arrays.dtype(x)], arrays.pointer(x), segments.n, op,
                  None, code, arrays.pointer(y), options)
    return segments.give(arrays, y, count)


def _arg_of_rows(op, name, x, axis, keepdims, dtype, context):
    arrays, context, x, key, n = taken(x, context)
    shape, (index, code) = arrays.shape(x), index_type(dtype)
    axes = tuple(range(len(shape))) if axis is None else axes_of(shape, axis)
    length = math.prod(shape[k] for k in axes)
    others = tuple(k for k in range(len(shape)) if k not in axes)
    if length == 0 and all(shape[k] for k in others):
        raise ValueError(f"{name}() of no element: x has shape {list(shape)}")
    check_index(index, length)
    if others and context.plain is not context:
        raise TypeError(f"axis = {axis}: x is counted, and its axis is reduced")
    along = bool(axes) and axes == tuple(range(axes[0], axes[-1] + 1)) and axes[-1] < len(shape) - 1
    along = along and n > 0
    if not along and others + axes != tuple(range(len(shape))):
        x = arrays.permuted(x, others + axes)
    y = arrays.empty(tuple(1 if k in axes else shape[k] for k in range(len(shape))) if keepdims
                     else tuple(shape[k] for k in others), index)
    if along:
        options, _held = with_shape(arg_reduce_options(0, 0, 0, 0), math.prod(shape[:axes[0]]),
                                    math.prod(shape[axes[-1] + 1:]), 1)
        context.call(library.arg_reduce, CODES[key], arrays.pointer(x), length, op, None, code,
                     arrays.pointer(y), options)
    elif n:
        rows = in_memory(segments_of(ROWS, 0, 0, length))
        options = arg_reduce_options(pointer_of(rows), 0, 0, 0) if others else None
        context.call(library.arg_reduce, CODES[key], arrays.pointer(x), n, op, None, code,
                     arrays.pointer(y), options)
    return arrays.give(y) if axis is not None or keepdims else arrays.element(y)


def _arg(op, name, x, axis, described, keepdims, dtype, counted, context):
    keepdims = flag(keepdims, "keepdims")
    counted = None if counted is None else flag(counted, "counted")
    if is_time(x):
        if any(one is not None for one in described):
            raise TypeError(f"{name}() of segments: x is {x.dtype}: it must be numbers")
        return _times.arg_of_extreme(argmax if op == _MAX else argmin, x, op == _MAX, axis=axis, keepdims=keepdims,
                                     dtype=dtype, context=context)
    if all(one is None for one in described):
        return _arg_of_rows(op, name, x, axis, keepdims, dtype, context)
    if axis is not None or keepdims:
        raise ValueError("axis and keepdims are not for segments")
    return _arg_of_segments(op, x, described, dtype, counted, context)


def argmin(x, axis: int | tuple | None = None, *, keepdims: bool = False, flags=None, offsets=None,
           keys=None, rows: int | None = None, dtype=np.int64, counted: bool | None = None,
           context: Context | None = None, stream=None):
    """The index of the first minimum, as ``numpy.argmin()``: a NaN is less than all others, and -0 less
    than +0.

    Parameters
    ----------
    x : array of any shape
        bool, integers, floats; NumPy's times, of which NaT is found first. NumPy takes -0 and +0 for equal.
    axis : int or tuple of int, optional
        The axes of which each row has a minimum; None: of the flattened array.
    keepdims : bool
        The result keeps these axes, with length 1.
    flags, offsets, keys, rows : optional
        Segments of an array of one dimension, as in ``segmented_inclusive_scan()``: one index for
        each, counted within the segment; 0 for an empty one.
    dtype : int64, uint64, int32 or uint32
        The type of the indices.
    counted : as for ``segmented_reduce()``
    context, stream : as for ``inclusive_scan()``

    Returns
    -------
    scalar or array
        With axis=None NumPy's scalar; for device arrays an array without dimensions, on the device.

    >>> int(parscan.argmin(np.array([3, 7, 1])))
    2
    """
    if stream is not None:
        return on_stream(argmin, locals())
    return _arg(_MIN, "argmin", x, axis, (flags, offsets, keys, rows), keepdims, dtype, counted, context)


def argmax(x, axis: int | tuple | None = None, *, keepdims: bool = False, flags=None, offsets=None,
           keys=None, rows: int | None = None, dtype=np.int64, counted: bool | None = None,
           context: Context | None = None, stream=None):
    """The index of the first maximum, as ``numpy.argmax()``: a NaN is greater than all others, and +0
    greater than -0.

    Otherwise as ``argmin()``.

    >>> int(parscan.argmax(np.array([3, 7, 1])))
    1
    """
    if stream is not None:
        return on_stream(argmax, locals())
    return _arg(_MAX, "argmax", x, axis, (flags, offsets, keys, rows), keepdims, dtype, counted, context)


def _top_of_segments(x, k, smallest, described, dtype, context):
    arrays, context = choose_counted(x, context, *described)
    x = vector(arrays, context, x)
    n, key, (index, code) = arrays.size(x), arrays.dtype(x), index_type(dtype)
    check_index(index, n)
    segments, count = Described(arrays, context, n, *described), context.plain.count
    struct = in_memory(segments.struct)

    def call(k, values, indices, counts):
        options = top_k_options(pointer_of(struct), count.at if segments.count is None else 0, counts, smallest, 0, 0, 0)
        segments.call(context, library.top_k, CODES[key], arrays.pointer(x), segments.n, k, values, code,
                      indices, options)

    length = segments.count
    if length is None:  # how many there are is found out first
        call(0, None, None, 0)
        length = count.value
    values, indices = arrays.empty((length, k), key), arrays.full((length, k), 0, index)
    counts = arrays.full((length,), 0, np.dtype(np.int64))
    if length:
        call(k, arrays.pointer(values) or None, arrays.pointer(indices) or None, arrays.pointer(counts))
    return tuple(arrays.give_along(part, "segment_count") for part in (values, indices, counts))


def _counted_top(arrays, context, x, k, smallest, index, values, indices):
    count = context.count
    context.call(library.top_k, CODES[arrays.dtype(x)], arrays.pointer(x), arrays.size(x), k,
                 arrays.pointer(values), CODES[index], arrays.pointer(indices),
                 top_k_options(0, 0, count.at, smallest, 0, 0, 0))
    return cut(arrays, values, count), cut(arrays, indices, count)


def top_k(x, k: int, axis: int | None = -1, *, smallest: bool = False, flags=None, offsets=None, keys=None,
          rows: int | None = None, dtype=np.int64, context: Context | None = None, stream=None):
    """The k largest elements in descending order, or the k smallest in ascending order, and their
    indices; of equal ones the lowest indices.

    The order is that of ``sort()`` and ``argsort()``, of which these are the first k: NaN is the
    largest, -0 comes before +0 in ascending order.

    Parameters
    ----------
    x : array of any shape
        bool, integers, floats.
    k : int
        At most the length of the axis; for segments any.
    axis : int, optional
        The axis along which rows are searched; None: the flattened array.
    smallest : bool
        The smallest elements, not the largest.
    flags, offsets, keys, rows : optional
        Segments of an array of one dimension, as in ``segmented_inclusive_scan()``.
    dtype : int64, uint64, int32 or uint32
        The type of the indices.
    context, stream : as for ``inclusive_scan()``

    Returns
    -------
    values, indices : arrays
        Of x's shape with k in place of the axis. Indices count within a row.
    values (segments, k), indices (segments, k), counts (segments,)
        With segments: the first counts[s] of row s, k or the length of the segment if that is less;
        what is behind them means nothing.

    Of a counted x the results are counted too, since there may be fewer than k.

    >>> parscan.top_k(np.array([3, 9, 5]), 2)
    (array([9, 5]), array([1, 2]))
    """
    if stream is not None:
        return on_stream(top_k, locals())
    k, described, smallest = whole(k, "k", 0, 2**63 - 1), (flags, offsets, keys, rows), flag(smallest, "smallest")
    if any(one is not None for one in described):
        if axis not in (-1, 0, None):
            raise ValueError("axis is not for segments")
        return _top_of_segments(x, k, smallest, described, dtype, context)
    arrays, context, x, key, n = taken(x, context)
    shape, (index, code) = arrays.shape(x), index_type(dtype)
    if axis is None:
        x, shape, axis = arrays.reshape(x, (n,)), (n,), 0
    axis = axis_of(shape, axis)
    length, last = shape[axis], axis == len(shape) - 1
    if k > length:
        raise ValueError(f"k = {k}: the axis has {length} elements")
    check_index(index, length)
    if not last and context.plain is context:
        out = (*shape[:axis], k, *shape[axis + 1:])
        values, indices = arrays.empty(out, key), arrays.empty(out, index)
        options, _held = with_shape(top_k_options(0, 0, 0, smallest, 0, 0, 0), math.prod(shape[:axis]),
                                    math.prod(shape[axis + 1:]), 1)
        context.call(library.top_k, CODES[key], arrays.pointer(x), length, k, arrays.pointer(values), code,
                     arrays.pointer(indices), options)
        return arrays.give(values), arrays.give(indices)
    if not last:
        x = arrays.swapaxes(x, axis, -1)
    out = (*arrays.shape(x)[:-1], k)
    values, indices = arrays.empty(out, key), arrays.empty(out, index)
    if context.plain is not context:
        return _counted_top(arrays, context, x, k, smallest, index, values, indices)
    if n and k:
        struct = in_memory(segments_of(ROWS, 0, 0, length))
        options = top_k_options(pointer_of(struct) if len(shape) > 1 else 0, 0, 0, smallest, 0, 0, 0)
        context.call(library.top_k, CODES[key], arrays.pointer(x), n, k, arrays.pointer(values), code,
                     arrays.pointer(indices), options)
    if not last:
        values, indices = arrays.swapaxes(values, axis, -1), arrays.swapaxes(indices, axis, -1)
    return arrays.give(values), arrays.give(indices)
