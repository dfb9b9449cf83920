"""Arrays as functions want them, out of what a caller gives. Errors have the parameters' names."""

from __future__ import annotations

import numpy as np

from ._bool import BOOL, BYTE, FLAG_TYPES, well_formed
from ._context import checked, host_context, thread
from ._families import choose_counted
from ._host import HOST
from ._library import DTYPES, INDEX_TYPES, UNSIGNED, flag

ndarray = np.ndarray


def take(arrays, context, x, what="x"):
    """The caller's array, taken; of bool with no other bytes than 0 and 1."""
    x = arrays.take(x, what)
    return well_formed(arrays, context.plain, x) if arrays.dtype(x) == BOOL else x


def taken(x, context, counted=None, room=None, what="x"):
    """choose_counted(), and the array, taken; its type; its number of elements."""
    if counted is not None:
        counted = flag(counted, "counted")
    if type(x) is ndarray and not counted and room is None and x.flags.c_contiguous:
        dtype = x.dtype
        if dtype in DTYPES:
            context = (thread.host or host_context()) if context is None else checked(context)
            return HOST, context, x, dtype, x.size
    arrays, context = choose_counted(x, context, counted=counted, room=room)
    x = take(arrays, context, x, what)
    return arrays, context, x, arrays.dtype(x), arrays.size(x)


def need_vector(x, what="x"):
    """That an array has one dimension."""
    if x.ndim != 1:
        raise ValueError(f"{what} has {x.ndim} dimensions: it must have 1")


def vector(arrays, context, x, what="x"):
    """A taken array of one dimension."""
    x = take(arrays, context, x, what)
    need_vector(x, what)
    return x


def _is_empty_list(x) -> bool:
    """Whether it is [], which is of any type, not of NumPy's float64 alone."""
    return isinstance(x, (list, tuple)) and not len(x)


def integers(arrays, context, x, what="x"):
    """The same of integers or bool."""
    if _is_empty_list(x):
        return arrays.empty((0,), INDEX_TYPES[0])
    x = vector(arrays, context, x, what)
    if arrays.dtype(x) not in UNSIGNED:
        raise TypeError(f"{what} is {arrays.dtype(x)}: it must be integers")
    return x


def flags_of(arrays, flags, what):
    """Taken flags, of which is asked whether their bytes are 0."""
    if _is_empty_list(flags):
        return arrays.empty((0,), BYTE)
    flags = arrays.take(flags, what)
    if arrays.dtype(flags) not in FLAG_TYPES:
        raise TypeError(f"{what} is {arrays.dtype(flags)}: it must be bool or uint8")
    return flags
