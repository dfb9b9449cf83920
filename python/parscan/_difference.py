"""Differences of neighbours."""

from __future__ import annotations

from . import _times
from ._arguments import taken
from ._bool import BOOL
from ._context import Context
from ._counted import refuse_counted
from ._families import on_stream
from ._library import CODES, OPS, library
from ._axes import axis_of
from ._scan import options_of
from ._times import is_time


def _differences(arrays, context, x, dtype, n, y, op, initial, reverse, what="initial"):
    """Those of a taken array, in y; of bool, which has no others, by "xor"."""
    options, _element = options_of(initial, dtype, "xor" if dtype == BOOL else op, CODES[dtype],
                                   ("auto", reverse, False, 0, 0), what)
    context.call(library.difference, CODES[dtype], arrays.pointer(x), arrays.pointer(y), n, options)


def difference(x, op="sum", *, initial=None, reverse: bool = False, out=None,
               context: Context | None = None, stream=None):
    """Differences of neighbours of the flattened array, the inverse of ``inclusive_scan()`` with the same
    options: ``out[i] = x[i] - x[i-1]``, and ``out[0]`` is ``x[0]``, or ``x[0] - initial``.

    Parameters
    ----------
    op : "sum" or "xor"
        "xor": ``x[i] ^ x[i-1]``, for integers; for bool always.
    initial : scalar, optional
        What comes before the first element; in reverse, after the last one.
    reverse : bool
        ``out[i] = x[i] - x[i+1]``; the last one is ``x[n-1]``, or ``x[n-1] - initial``.
    out : array, optional
        Of x.size elements of x's type; may be x.

    Returns
    -------
    array of x.size elements of x's type; integers wrap, float16 and bfloat16 are rounded once

    >>> parscan.difference(np.array([3, 4, 11]))
    array([3, 1, 7])
    """
    if stream is not None:
        return on_stream(difference, locals())
    arrays, context, x, dtype, n = taken(x, context)
    y = arrays.output(out, (n,), dtype, x)
    _differences(arrays, context, x, dtype, n, y, op, initial, reverse)
    return arrays.finish(y, out)


def diff(x, *, axis: int = -1, prepend=None, context: Context | None = None, stream=None):
    """Differences of neighbours along an axis, as ``numpy.diff(x, axis=axis, prepend=prepend)``: one fewer
    than elements. Of bool, whether neighbours differ; of datetime64, timedelta64.

    Parameters
    ----------
    prepend : scalar, optional
        Comes before the first element; then there are as many as elements. For arrays of one dimension.

    >>> parscan.diff(np.array([3, 4, 11]))
    array([1, 7])
    """
    if stream is not None:
        return on_stream(diff, locals())
    if is_time(x):
        return _times.diff(diff, x, prepend, axis=axis, context=context)
    if prepend is None:
        refuse_counted(x, "x")  # whose result has another length
    arrays, context, x, dtype, n = taken(x, context)
    shape = arrays.shape(x)
    axis = axis_of(shape, axis)
    if prepend is not None and len(shape) != 1:
        raise ValueError(f"prepend with {len(shape)} dimensions: x must have 1")
    across = axis != len(shape) - 1
    if across:
        x = arrays.swapaxes(x, axis, -1)
    y = arrays.empty(arrays.shape(x), dtype)
    if n:
        _differences(arrays, context, x, dtype, n, y, "sum", prepend, False, "prepend")
    y = y[..., 1:] if prepend is None else y
    return arrays.give_along(arrays.swapaxes(y, axis, -1) if across else y)
