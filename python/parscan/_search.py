"""parscan/search.h: bounds of elements in a sorted array."""

from __future__ import annotations

import numpy as np

from ._arguments import need_vector, take, taken
from . import _times
from ._context import Context
from ._counted import Counted
from ._families import choose_counted, on_stream
from ._library import CODES, check_index, index_type, library, of_list, scalar
from ._times import is_time

_NUMBERS = (int, float, np.generic)


def _needles(arrays, context, v, dtype):
    """v as an array of the type of the sorted one."""
    if isinstance(v, _NUMBERS):
        element = scalar(v, dtype, "v").reshape(1)
        return element if arrays.where == "host" else arrays.full((1,), element.item(), dtype)
    if isinstance(v, (list, tuple)):
        v = of_list(v, dtype, "v")
    v = take(arrays, context, v, "v")
    if arrays.dtype(v) != dtype:
        raise TypeError(f"v is {arrays.dtype(v)}: it must be {dtype}, as the sorted array is")
    return v


def searchsorted(a, v, side: str = "left", *, dtype=np.int64, context: Context | None = None,
                 stream=None):
    """Where elements belong in a sorted array, as ``numpy.searchsorted()``.

    Parameters
    ----------
    a : array of one dimension
        In ascending order, as by ``sort()``: -0 before +0, NaN (of times NaT) last. If it is
        not, results are any numbers from 0 to its length.
    v : scalar or array of any shape
        What is searched, of a's type.
    side : "left" or "right"
        "left": how many elements are less; "right": less or equal.
    dtype : int64, uint64, int32 or uint32
        The type of the results.
    context, stream : as for ``inclusive_scan()``

    Returns
    -------
    scalar or array
        Of v's shape. Of a scalar NumPy's scalar; for device arrays an array without dimensions.

    >>> parscan.searchsorted(np.array([1, 3, 5]), np.array([3, 4]))
    array([1, 2])
    """
    if stream is not None:
        return on_stream(searchsorted, locals())
    if str(side) not in ("left", "right"):
        raise ValueError(f"side = {side!r}: it must be 'left' or 'right'")
    if is_time(a):
        return _times.searchsorted(searchsorted, a, v, side=side, dtype=dtype, context=context)
    if type(v) is Counted:
        arrays, context = choose_counted(a, context, v, second="v")
        a = take(arrays, context, a, "a")
        key, count = arrays.dtype(a), arrays.size(a)
    else:
        arrays, context, a, key, count = taken(a, context, what="a")
    need_vector(a, "a")
    index, code = index_type(dtype)
    check_index(index, count)
    is_number = isinstance(v, _NUMBERS)
    v = _needles(arrays, context, v, key)
    y = arrays.empty(() if is_number else arrays.shape(v), index)
    context.call(library.lower_bound if side == "left" else library.upper_bound, CODES[key],
                 arrays.pointer(a), count, arrays.pointer(v), arrays.size(v), code, arrays.pointer(y))
    return arrays.element(y) if is_number else arrays.give_along(y, "n2")
