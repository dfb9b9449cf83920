"""parscan/gather.h: elements moved by their indices."""

from __future__ import annotations

import math

from ._arguments import integers
from ._context import Context
from ._counted import refuse_counted
from ._families import choose_counted, on_stream
from ._library import CODES, INDEX_TYPES, flag, library, scatter_options
from ._axes import axis_of


def _indices(arrays, context, indices):
    """Taken indices of any shape, and the library's number of their type."""
    shape = None
    if getattr(indices, "ndim", 1) != 1:
        indices = arrays.take(indices, "indices")
        shape = arrays.shape(indices)
        indices = arrays.reshape(indices, (-1,))
    indices = integers(arrays, context, indices, "indices")
    dtype = arrays.dtype(indices)
    if dtype not in INDEX_TYPES:
        indices = arrays.cast(indices, INDEX_TYPES[0])
        dtype = INDEX_TYPES[0]
    return indices, CODES[dtype], arrays.shape(indices) if shape is None else shape


def take(x, indices, axis: int | None = None, *, context: Context | None = None, stream=None):
    """Elements, or rows, by their indices, as ``numpy.take()``.

    Parameters
    ----------
    x : array
        Of any type without Python objects.
    indices : integers, of any shape
        At least 0; one that is negative or beyond the axis raises InvalidArgumentError (for arrays on a
        device when the context is synchronized). Of 32 or 64 bits they are not copied. Of a counted x they
        are compared with its room.
    axis : int, optional
        None: the flattened array. Another axis than the first costs two transpositions.

    Returns
    -------
    array
        Of x's shape with the shape of indices in place of the axis.

    >>> parscan.take(np.array([10, 20, 30]), [2, 0])
    array([30, 10])
    """
    if stream is not None:
        return on_stream(take, locals())
    arrays, context = choose_counted(x, context, indices, by_room="x")
    x = arrays.take_any(x)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    axis = axis_of(tuple(x.shape), axis)
    if axis and context.plain is not context:
        raise TypeError(f"axis = {axis}: a length is counted along the first axis alone")
    indices, code, shape = _indices(arrays, context, indices)
    moved = arrays.swapaxes(x, 0, axis) if axis != 0 else x
    count, rest = moved.shape[0], tuple(moved.shape[1:])
    n = math.prod(shape)
    row = arrays.nbytes(moved) // count if count else 1
    y = arrays.like(moved, (n, *rest))
    if row:
        context.call(library.gather, row, arrays.pointer(moved), count, code,
                     arrays.pointer(indices), arrays.pointer(y), n)
    if axis != 0:
        y = arrays.swapaxes(y, 0, axis)
    return arrays.give_along(arrays.reshape(y, (*x.shape[:axis], *shape, *x.shape[axis + 1:])))


def scatter(values, indices, out, *, last_wins: bool = False, context: Context | None = None,
            stream=None):
    """``out[indices] = values``: moves elements, or rows, to their indices.

    Parameters
    ----------
    values : array (n, ...)
        Of out's type, without Python objects.
    indices : integers (n,)
        At least 0; elements with one that is negative or beyond out are left out, and raise
        InvalidArgumentError (for arrays on a device when the context is synchronized).
    out : array (m, ...)
        Contiguous. Its other elements stay as they are. It must not overlap values or indices.
    last_wins : bool
        Of elements with equal indices the last one is stored, as NumPy does. Otherwise any of them.

    Returns
    -------
    out

    >>> parscan.scatter(np.array([10, 20]), np.array([2, 0]), np.zeros(3, int))
    array([20,  0, 10])
    """
    if stream is not None:
        return on_stream(scatter, locals())
    refuse_counted(out, "out")
    arrays, context = choose_counted(values, context, indices)
    values, y = arrays.take_any(values, "values"), arrays.writable(out)
    indices, code, shape = _indices(arrays, context, indices)
    if not y.shape:
        raise ValueError("out has 0 dimensions: it must have at least 1")
    if tuple(values.shape[:1]) != tuple(shape) or tuple(values.shape[1:]) != tuple(y.shape[1:]):
        raise ValueError(f"values has shape {list(values.shape)}, indices {list(shape)}, out "
                         f"{list(y.shape)}: they must be (n, ...), (n,) and (m, ...)")
    if values.dtype != y.dtype:
        raise TypeError(f"values is {values.dtype}, out {y.dtype}: they must have one type")
    row = arrays.nbytes(values) // shape[0] if shape[0] else 0
    if row:
        context.call(library.scatter, row, arrays.pointer(values), shape[0], code,
                     arrays.pointer(indices), arrays.pointer(y), y.shape[0],
                     scatter_options(flag(last_wins, "last_wins"), 0))
    return out
