"""parscan/merge.h: two sorted arrays become one."""

from __future__ import annotations

from ._arguments import vector
from ._context import Context
from ._families import choose, on_stream
from ._library import CODES, library
from ._sort import rows_of_values


def _two(a, b, context):
    """Two taken arrays of one type."""
    arrays, context = choose(a, context)
    a, b = vector(arrays, context, a, "a"), vector(arrays, context, b, "b")
    if arrays.dtype(b) != arrays.dtype(a):
        raise TypeError(f"b is {arrays.dtype(b)}: it must be as a, {arrays.dtype(a)}")
    return arrays, context, a, b, arrays.dtype(a)


def _values(arrays, a_values, b_values, n, n2):
    """The values of both, the bytes of one, and room for all."""
    a_values, size = rows_of_values(arrays, a_values, n, "a_values")
    b_values, other = rows_of_values(arrays, b_values, n2, "b_values")
    shape, rest = tuple(a_values.shape), tuple(b_values.shape)[1:]
    if b_values.dtype != a_values.dtype or rest != shape[1:]:
        raise ValueError(f"b_values has elements {b_values.dtype}{list(rest)}: they must be as those of "
                         f"a_values, {a_values.dtype}{list(shape[1:])}")
    size = size if n else other
    if size > 64:
        raise ValueError(f"values of {size} bytes: at most 64 are merged along; merge their indices")
    return a_values, b_values, size, arrays.like(a_values, (n + n2, *shape[1:]))


def merge(a, b, a_values=None, b_values=None, *, context: Context | None = None, stream=None):
    """Merges two sorted arrays: ``numpy.sort(numpy.concatenate([a, b]), kind="stable")``.

    Parameters
    ----------
    a, b : arrays (n,) and (m,), of one type
        In the order of ``sort()``: -0 before +0, every NaN last. Of arrays that are not sorted the
        result is unspecified.
    a_values, b_values : arrays (n, ...) and (m, ...), optional
        Moved with their keys; an element, or a row, of at most 64 bytes.

    Returns
    -------
    keys : array (n + m,)
        Of equal ones a's come first.
    values : array (n + m, ...), if there are values
    """
    if stream is not None:
        return on_stream(merge, locals())
    if (a_values is None) != (b_values is None):
        raise ValueError("a_values and b_values: there must be both, or neither")
    arrays, context, a, b, dtype = _two(a, b, context)
    n, n2 = arrays.size(a), arrays.size(b)
    y, size, values = arrays.empty((n + n2,), dtype), 0, (None, None, None)
    if a_values is not None:
        a_values, b_values, size, moved = _values(arrays, a_values, b_values, n, n2)
        if size:
            values = arrays.pointer(a_values), arrays.pointer(b_values), arrays.pointer(moved)
    context.call(library.merge, CODES[dtype], arrays.pointer(a), n, arrays.pointer(b), n2,
                 arrays.pointer(y), size, *values)
    return arrays.give(y) if a_values is None else (arrays.give(y), arrays.give(moved))
