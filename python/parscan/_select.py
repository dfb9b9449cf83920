"""parscan/select.h: extremes and their indices."""

from __future__ import annotations

import math

import numpy as np

from ._arguments import taken, vector
from ._context import Context
from ._families import choose, on_stream
from ._library import (CODES, OPS, ROWS, arg_reduce_options, check_index, in_memory, index_type, library,
                       pointer_of, segments_of)
from ._scan import axes_of
from ._segmented import Described

_MIN, _MAX = OPS["min"], OPS["max"]


def _arg_of_segments(op, x, described, dtype, context):
    arrays, context = choose(x, context)
    x = vector(arrays, context, x)
    n, (index, code) = arrays.size(x), index_type(dtype)
    check_index(index, n)
    segments = Described(arrays, context, n, *described)
    y = arrays.empty((n if segments.count is None else segments.count,), index)
    count = context.count
    struct = in_memory(segments.struct)
    options = arg_reduce_options(pointer_of(struct), count.at)
    segments.call(context, library.arg_reduce, CODES[arrays.dtype(x)], arrays.pointer(x), n, op, None,
                  code, arrays.pointer(y), options)
    return arrays.give(y if segments.count is not None else arrays.head(y, count.value))


def _arg_of_rows(op, name, x, axis, keepdims, dtype, context):
    arrays, context, x, key, n = taken(x, context)
    shape, (index, code) = arrays.shape(x), index_type(dtype)
    axes = tuple(range(len(shape))) if axis is None else axes_of(shape, axis)
    length = math.prod(shape[k] for k in axes)
    others = tuple(k for k in range(len(shape)) if k not in axes)
    if length == 0 and all(shape[k] for k in others):
        raise ValueError(f"{name}() of no element: x has shape {list(shape)}")
    check_index(index, length)
    if others + axes != tuple(range(len(shape))):
        x = arrays.permuted(x, others + axes)
    y = arrays.empty(tuple(1 if k in axes else shape[k] for k in range(len(shape))) if keepdims
                     else tuple(shape[k] for k in others), index)
    if n:
        rows = in_memory(segments_of(ROWS, 0, 0, length))
        options = arg_reduce_options(pointer_of(rows), 0) if others else None
        context.call(library.arg_reduce, CODES[key], arrays.pointer(x), n, op, None, code,
                     arrays.pointer(y), options)
    return arrays.give(y) if axis is not None or keepdims else arrays.element(y)


def _arg(op, name, x, axis, described, keepdims, dtype, context):
    if all(one is None for one in described):
        return _arg_of_rows(op, name, x, axis, keepdims, dtype, context)
    if axis is not None or keepdims:
        raise ValueError("axis and keepdims are not for segments")
    return _arg_of_segments(op, x, described, dtype, context)


def argmin(x, axis: int | tuple | None = None, *, keepdims: bool = False, flags=None, offsets=None,
           keys=None, rows: int | None = None, dtype=np.int64, context: Context | None = None, stream=None):
    """The index of the first minimum, as ``numpy.argmin()``: a NaN is less than all others, and -0 less
    than +0.

    Parameters
    ----------
    x : array of any shape
        bool, integers, floats. NumPy takes -0 and +0 for equal.
    axis : int or tuple of int, optional
        The axes of which each row has a minimum; None: of the flattened array.
    keepdims : bool
        The result keeps these axes, with length 1.
    flags, offsets, keys, rows : optional
        Segments of an array of one dimension, as in ``segmented_inclusive_scan()``: one index for
        each, counted within the segment; 0 for an empty one.
    dtype : int64, uint64, int32 or uint32
        The type of the indices.
    context, stream : as for ``inclusive_scan()``

    Returns
    -------
    scalar or array
        With axis=None NumPy's scalar; for device arrays an array without dimensions, on the device.
    """
    if stream is not None:
        return on_stream(argmin, locals())
    return _arg(_MIN, "argmin", x, axis, (flags, offsets, keys, rows), keepdims, dtype, context)


def argmax(x, axis: int | tuple | None = None, *, keepdims: bool = False, flags=None, offsets=None,
           keys=None, rows: int | None = None, dtype=np.int64, context: Context | None = None, stream=None):
    """The index of the first maximum, as ``numpy.argmax()``: a NaN is greater than all others, and +0
    greater than -0.

    Otherwise as ``argmin()``.
    """
    if stream is not None:
        return on_stream(argmax, locals())
    return _arg(_MAX, "argmax", x, axis, (flags, offsets, keys, rows), keepdims, dtype, context)
