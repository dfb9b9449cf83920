"""NumPy's functions that are made of other ones of parscan."""

from __future__ import annotations

import operator

import numpy as np

from ._context import Context
from ._families import family_of, on_stream
from ._gather import scatter
from ._compact import flatnonzero
from ._axes import axis_of
from ._library import flag
from ._nulls import shape_of
from ._scan import cumprod, cumsum
from ._select import top_k
from ._sort import argsort

ndarray = np.ndarray


def argpartition(x, kth: int | tuple, axis: int | None = -1, *, dtype=np.int64, context: Context | None = None,
                 stream=None):
    """Indices that move the element that a sort would have at kth there, smaller ones before it, as
    ``numpy.argpartition()``. Those up to kth are in the order of a stable sort; of the rest no order is told.

    Parameters
    ----------
    x : array
        Elements of the types of ``sort()``.
    kth : int, or tuple of int
        From -n to n - 1 along the axis.
    axis, dtype, context, stream : as for ``argsort()``

    Returns
    -------
    array
        Indices of x's shape (of one dimension with axis=None).

    >>> x = np.array([5, 3, 9, 1])
    >>> x[parscan.argpartition(x, 1)][:2]
    array([1, 3])
    """
    if stream is not None:
        return on_stream(argpartition, locals())
    shape = shape_of(x, "x")
    n = int(np.prod(shape)) if axis is None else shape[axis_of(shape, axis)]
    last = -1
    for k in np.ravel(kth) if isinstance(kth, ndarray) else kth if isinstance(kth, (tuple, list)) else (kth,):
        try:
            k = operator.index(k)
        except TypeError:
            raise TypeError(f"kth = {k!r}: it must be an integer") from None
        if not -n <= k < n:
            raise ValueError(f"kth = {k}: there are {n} elements along the axis")
        last = max(last, k % n)
    # Few of many are selected in little more than one read.
    if type(x) is not ndarray or len(shape) != 1 or 8 * last > n or n < 4096 or x.dtype.kind in "mM":
        return argsort(x, axis, dtype=dtype, context=context)
    _, first = top_k(x, last + 1, smallest=True, dtype=dtype, context=context)
    others = np.ones(n, np.uint8)
    scatter(np.zeros(last + 1, np.uint8), first, others, context=context)
    return np.concatenate([first, flatnonzero(others, dtype=dtype, context=context)])


def _cumulative(function, start, x, axis, dtype, out, include_initial, context):
    shape = shape_of(x, "x")
    if axis is None:
        if len(shape) > 1:
            raise ValueError(f"axis = None: x has {len(shape)} dimensions, so it must be told")
        axis = 0 if shape else None
    if not flag(include_initial, "include_initial"):
        return function(x, axis, dtype, out, context=context)
    if type(x) is not ndarray and hasattr(x, "__cuda_array_interface__"):
        raise TypeError("include_initial: it is for arrays in host memory")
    arrays = family_of(x)
    x = np.atleast_1d(arrays.take_any(x, "x"))
    shape, axis = x.shape, axis_of(x.shape, axis or 0)
    longer = shape[:axis] + (shape[axis] + 1,) + shape[axis + 1:]
    is_new = out is None
    if is_new:
        out = np.empty(longer, function(x[(slice(0, 0),) * x.ndim], 0, dtype, context=context).dtype)
    elif not isinstance(out, ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
    elif out.shape != longer:
        raise ValueError(f"out has shape {list(out.shape)}: it must be {list(longer)}")
    elif not out.flags.writeable:
        raise ValueError("out is read-only")
    before = (slice(None),) * axis
    out[(*before, 0)] = start
    function(x, axis, dtype, out[(*before, slice(1, None))], context=context)
    return arrays.give(out) if is_new else out


def cumulative_sum(x, *, axis: int | None = None, dtype=None, out=None, include_initial: bool = False,
                   context: Context | None = None, stream=None):
    """``cumsum()`` by the name and the rules of the array API standard, as ``numpy.cumulative_sum()``.

    Parameters
    ----------
    axis : int
        May be None for arrays of one dimension.
    dtype, out : as for ``cumsum()``
    include_initial : bool
        The result begins with 0, and is longer by one along the axis. For arrays in host memory.
    context, stream : as for ``inclusive_scan()``

    >>> parscan.cumulative_sum(np.array([3, 1, 7]), include_initial=True)
    array([ 0,  3,  4, 11])
    """
    if stream is not None:
        return on_stream(cumulative_sum, locals())
    return _cumulative(cumsum, 0, x, axis, dtype, out, include_initial, context)


def cumulative_prod(x, *, axis: int | None = None, dtype=None, out=None, include_initial: bool = False,
                    context: Context | None = None, stream=None):
    """``cumprod()`` by the rules of ``cumulative_sum()``, as ``numpy.cumulative_prod()``; it begins with 1.

    >>> parscan.cumulative_prod(np.array([2, 3, 4]), include_initial=True)
    array([ 1,  2,  6, 24])
    """
    if stream is not None:
        return on_stream(cumulative_prod, locals())
    return _cumulative(cumprod, 1, x, axis, dtype, out, include_initial, context)
