"""parscan/merge.h: two sorted arrays become one, are joined, or are taken as sets."""

from __future__ import annotations

import numpy as np

from ._arguments import vector
from ._context import Context
from ._counted import cut
from ._errors import CapacityError, InvalidArgumentError, of_room
from ._families import choose_counted, on_stream
from ._library import CODES, UNSIGNED, check_index, index_type, library, number_of, whole
from ._scan import plain_options
from ._sort import rows_of_values

_I64 = np.dtype(np.int64)
_KINDS = {"inner": 0, "left": 1, "semi": 2, "anti": 3}


def _two(a, b, context, first="a", second="b", counted=None, others=()):
    """Two taken arrays of one type."""
    arrays, context = choose_counted(a, context, b, *others, counted=counted, second=second)
    a, b = vector(arrays, context, a, first), vector(arrays, context, b, second)
    if arrays.dtype(b) != arrays.dtype(a):
        raise TypeError(f"{second} is {arrays.dtype(b)}: it must be as {first}, {arrays.dtype(a)}")
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

    >>> parscan.merge(np.array([1, 4]), np.array([2, 3]))
    array([1, 2, 3, 4])
    """
    if stream is not None:
        return on_stream(merge, locals())
    if (a_values is None) != (b_values is None):
        raise ValueError("a_values and b_values: there must be both, or neither")
    arrays, context, a, b, dtype = _two(a, b, context, others=(a_values, b_values))
    n, n2 = arrays.size(a), arrays.size(b)
    y, size, values = arrays.empty((n + n2,), dtype), 0, (None, None, None)
    if a_values is not None:
        a_values, b_values, size, moved = _values(arrays, a_values, b_values, n, n2)
        if size:
            values = arrays.pointer(a_values), arrays.pointer(b_values), arrays.pointer(moved)
    context.call(library.merge, CODES[dtype], arrays.pointer(a), n, arrays.pointer(b), n2,
                 arrays.pointer(y), size, *values)
    if context.plain is context:
        return arrays.give(y) if a_values is None else (arrays.give(y), arrays.give(moved))
    count = _sum_of_lengths(arrays, context, n, n2)
    return cut(arrays, y, count) if a_values is None else (cut(arrays, y, count), cut(arrays, moved, count))


def _sum_of_lengths(arrays, context, n, n2):
    """The count of a merge, by calls that wait for nothing."""
    count, lengths, plain = context.count, arrays.empty((2,), _I64), context.plain
    for k, (role, room) in enumerate((("n", n), ("n2", n2))):
        known = None if context.length_of(role) else arrays.full((), room, _I64)
        plain.call(library.copy, arrays.pointer(lengths) + 8 * k,
                   context.length_of(role) if known is None else arrays.pointer(known), 8)
    plain.call(library.reduce, UNSIGNED[_I64], arrays.pointer(lengths), count.at, 2, plain_options("sum"))
    return count


def join(left, right, how: str = "inner", *, dtype=np.int64, room: int | None = None,
         context: Context | None = None, stream=None):
    """The pairs of indices of equal elements of two sorted arrays.

    Parameters
    ----------
    left, right : arrays (n,) and (m,), of one type
        In the order of ``sort()`` or ``numpy.sort()``. Every NaN equals every NaN, -0 equals +0. Of arrays
        that are not sorted the result is unspecified.
    how : {"inner", "left", "semi", "anti"}
        inner: each element of left with each equal one of right; left: the same, and each of left without
        any with m as the index of right; semi: each element of left that has an equal one, once; anti:
        each that has none.
    dtype : int64, uint64, int32 or uint32
        The type of the indices.
    room : int, optional
        The most pairs. With it the results are ``Counted``, and the call does not wait for their number; more
        pairs are a CapacityError.

    Returns
    -------
    left_index, right_index : arrays (pairs,)
        Ordered by left, then by right. With "semi" and "anti" left_index alone.

    >>> parscan.join(np.array([1, 2, 2]), np.array([2, 3]))  # pairs of indices
    (array([1, 2]), array([0, 0]))
    """
    if stream is not None:
        return on_stream(join, locals())
    arrays, context, left, right, kind = _two(left, right, context, "left", "right", room is not None)
    number, (index, code) = number_of(_KINDS, how, "how"), index_type(dtype)
    n, n2 = arrays.size(left), arrays.size(right)
    check_index(index, n)
    check_index(index, n2 + 1)
    both = how in ("inner", "left")

    def call(left_out, right_out, room, count):
        context.call(library.join, number, CODES[kind], arrays.pointer(left), n, arrays.pointer(right), n2,
                     code, left_out, right_out, room, count.at)

    count, is_counted = context.count, context.counted
    room = n if room is None else whole(room, "room", 0, 2**63 - 1)
    outputs = [arrays.empty((room,), index) for _ in range(1 + both)]
    try:
        call(arrays.pointer(outputs[0]), arrays.pointer(outputs[1]) if both else None, room, count)
    except CapacityError as error:  # elements of right are equal
        if is_counted:
            raise of_room(error) from None
        room = count.value
        outputs = [arrays.empty((room,), index) for _ in range(1 + both)]
        try:
            call(arrays.pointer(outputs[0]), arrays.pointer(outputs[1]) if both else None, room, count)
        except CapacityError:
            raise InvalidArgumentError("left and right changed during the call") from None
    results = tuple(cut(arrays, part, count) for part in outputs)
    return results if both else results[0]


def _as_sets(function, a, b, counted, context, most):
    """A set operation; most(n, m): the elements that its result has at most."""
    arrays, context, a, b, dtype = _two(a, b, context, counted=counted)
    n, n2, count = arrays.size(a), arrays.size(b), context.count
    y = arrays.empty((most(n, n2),), dtype)
    context.call(function, CODES[dtype], arrays.pointer(a), n, arrays.pointer(b), n2, arrays.pointer(y),
                 most(n, n2), count.at)
    return cut(arrays, y, count)


def set_union(a, b, *, counted: bool | None = None, context: Context | None = None, stream=None):
    """The union of two sorted arrays as multisets: an element that stands k times in one and m times in the
    other is there max(k, m) times. Where no array has an element twice, it is ``numpy.union1d()``.

    Parameters
    ----------
    a, b : arrays (n,) and (m,), of one type
        In the order of ``sort()``: -0 before +0, which are two elements; all NaNs are one. Of arrays that
        are not sorted the result is unspecified.
    counted : as for ``compact_if()``

    Returns
    -------
    array of one dimension, in order
        Of equal elements a's, whose bits are kept.

    >>> parscan.set_union(np.array([1, 2]), np.array([2, 3]))
    array([1, 2, 3])
    """
    if stream is not None:
        return on_stream(set_union, locals())
    return _as_sets(library.set_union, a, b, counted, context, lambda n, m: n + m)


def set_intersection(a, b, *, counted: bool | None = None, context: Context | None = None, stream=None):
    """The intersection of two sorted arrays as multisets: min(k, m) of each element, as ``set_union()``.

    >>> parscan.set_intersection(np.array([1, 2, 2]), np.array([2, 2, 3]))
    array([2, 2])
    """
    if stream is not None:
        return on_stream(set_intersection, locals())
    return _as_sets(library.set_intersection, a, b, counted, context, min)


def set_difference(a, b, *, counted: bool | None = None, context: Context | None = None, stream=None):
    """The difference of two sorted arrays as multisets: max(k - m, 0) of each element, as ``set_union()``.

    >>> parscan.set_difference(np.array([1, 2, 2]), np.array([2]))
    array([1, 2])
    """
    if stream is not None:
        return on_stream(set_difference, locals())
    return _as_sets(library.set_difference, a, b, counted, context, lambda n, _: n)


def set_symmetric_difference(a, b, *, counted: bool | None = None, context: Context | None = None, stream=None):
    """The symmetric difference of two sorted arrays as multisets: abs(k - m) of each element, as
    ``set_union()``.

    >>> parscan.set_symmetric_difference(np.array([1, 2]), np.array([2, 3]))
    array([1, 3])
    """
    if stream is not None:
        return on_stream(set_symmetric_difference, locals())
    return _as_sets(library.set_symmetric_difference, a, b, counted, context, lambda n, m: n + m)
