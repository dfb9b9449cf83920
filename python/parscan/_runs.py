"""Runs of equal elements: their first elements, lengths and values; distinct elements; run lengths decoded."""

from __future__ import annotations

import numpy as np

from . import _times
from ._allocate import _sizes, expand_into, total_of
from ._arguments import taken, vector
from ._context import Context
from ._counted import cut
from ._errors import CapacityError, InvalidArgumentError, of_room
from ._families import choose_counted, on_stream
from ._library import CODES, UNSIGNED, check_index, flag, index_type, library
from ._sort import rows_of_values
from ._times import is_time

_I64 = np.dtype(np.int64)


def _firsts(arrays, context, code, x, y, n):
    """The first element of every run of n elements at x, in y, which may be there."""
    count = context.count
    context.call(library.unique, code, x, arrays.pointer(y), n, count.at)
    return cut(arrays, y, count)


def _runs(arrays, context, code, x, y, n, count_type=np.int64):
    """The same, the lengths of the runs, and how many there are."""
    count, (count_type, count_code) = context.count, index_type(count_type)
    check_index(count_type, n)
    z = arrays.empty((arrays.size(y),), count_type)
    context.call(library.run_length_encode, code, x, arrays.pointer(y), count_code, arrays.pointer(z),
                 n, count.at)
    return y, z, count


def unique_consecutive(x, *, counted: bool | None = None, room: int | None = None,
                       context: Context | None = None, stream=None):
    """The first element of every run of equal elements of the flattened array; NaN equals NaN. counted
    and room are those of ``compact_if()``.

    Returns
    -------
    array of one dimension

    >>> parscan.unique_consecutive(np.array([3, 3, 1, 3]))
    array([3, 1, 3])
    """
    if stream is not None:
        return on_stream(unique_consecutive, locals())
    arrays, context, x, dtype, n = taken(x, context, counted, room)
    y = arrays.empty((context.room_for(n),), dtype)
    return _firsts(arrays, context, CODES[dtype], arrays.pointer(x), y, n)


def run_length_encode(x, *, dtype=np.int64, counted: bool | None = None, room: int | None = None,
                      context: Context | None = None, stream=None):
    """The first element and the length of every run of equal elements of the flattened array.

    Parameters
    ----------
    x : array
    dtype : int64, uint64, int32 or uint32
        The type of the lengths.
    counted, room : as for ``compact_if()``

    Returns
    -------
    values, lengths : arrays of one dimension

    >>> parscan.run_length_encode(np.array([7, 7, 8]))
    (array([7, 8]), array([2, 1]))
    """
    if stream is not None:
        return on_stream(run_length_encode, locals())
    arrays, context, x, kind, n = taken(x, context, counted, room)
    y = arrays.empty((context.room_for(n),), kind)
    values, lengths, count = _runs(arrays, context, CODES[kind], arrays.pointer(x), y, n, dtype)
    return cut(arrays, values, count), cut(arrays, lengths, count)


def unique(x, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           *, equal_nan: bool = True, counted: bool | None = None, context: Context | None = None, stream=None):
    """The distinct elements of the flattened array in order, as ``numpy.unique()``.

    All NaNs are one element, and so are -0 and +0; of times, all NaTs. counted is that of ``compact_if()``.

    Parameters
    ----------
    equal_nan : bool
        False: each NaN, or NaT, is a value of its own, as often as it occurs. For arrays in host memory.

    Returns
    -------
    values : array of one dimension
    index : int64, with return_index
        Where each value occurs first; of -0 and +0, of NaNs of different bits, the place of the
        one that is first in the order of ``sort()``.
    inverse : int64, of x's shape, with return_inverse
        ``values[inverse]`` is x.
    counts : int64, with return_counts

    >>> parscan.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    if stream is not None:
        return on_stream(unique, locals())
    return_index, return_inverse = flag(return_index, "return_index"), flag(return_inverse, "return_inverse")
    return_counts = flag(return_counts, "return_counts")
    if not flag(equal_nan, "equal_nan"):
        return _with_each_nan(x, return_index, return_inverse, return_counts, counted, context)
    if is_time(x):
        return _times.unique(unique, x, return_index=return_index, return_inverse=return_inverse,
                             return_counts=return_counts, context=context)
    arrays, context, x, dtype, n = taken(x, context, counted)
    ordered, code = arrays.empty((n,), dtype), CODES[dtype]
    place = arrays.pointer(ordered)
    if not (return_index or return_inverse):
        context.call(library.sort_keys, code, arrays.pointer(x), place, n, None)
        if not return_counts:
            return _firsts(arrays, context, code, place, ordered, n)
        values, counts, count = _runs(arrays, context, code, place, ordered, n)
        return cut(arrays, values, count), cut(arrays, counts, count)
    source = arrays.pointer(x)
    if return_inverse and not arrays.bounds_indices:  # keys that change may give any order
        ordered = arrays.copy(arrays.reshape(x, (n,)))
        source = place = arrays.pointer(ordered)
    places = arrays.places(n)
    order = arrays.like(places, (n,))
    context.call(library.sort_pairs, code, source, place, 8, arrays.pointer(places),
                 arrays.pointer(order), n, None)
    values, counts, count = _runs(arrays, context, code, place, ordered, n)
    if context.counted:
        return _counted_unique(arrays, context, x, order, values, counts, count,
                               return_index, return_inverse, return_counts)
    values, counts = arrays.head(values, count.value), arrays.head(counts, count.value)
    result = [values]
    if return_index:
        result.append(arrays.gather(order, _starts(arrays, context, counts)))
    if return_inverse:
        owner = arrays.empty((n,), np.int64)
        expand_into(arrays, context, counts, _I64, UNSIGNED[_I64], owner, None, n)
        inverse = arrays.scattered(order, owner)
        result.append(arrays.reshape(inverse, arrays.shape(x)))
    if return_counts:
        result.append(counts)
    return tuple(arrays.give(part) for part in result)


def _with_each_nan(x, return_index, return_inverse, return_counts, counted, context):
    """unique() without equal_nan: NaNs are the last ones in order, so each of them is made a value there."""
    if counted or type(x) is not np.ndarray:
        raise TypeError("equal_nan = False: x must be NumPy's array, and nothing is counted")
    values, index, inverse, counts = unique(x, True, True, True, context=context)
    if x.dtype.kind in "fmM" and len(values) and values[-1] != values[-1]:
        missing, last = int(counts[-1]), len(values) - 1
        places = np.flatnonzero((x != x).ravel())
        values = np.concatenate([values[:last], x.ravel()[places]])
        index = np.concatenate([index[:last], places])
        counts = np.concatenate([counts[:last], np.ones(missing, counts.dtype)])
        inverse.ravel()[places] = np.arange(last, last + missing)
    chosen = [part for part, wanted in ((index, return_index), (inverse, return_inverse), (counts, return_counts))
              if wanted]
    return (values, *chosen) if chosen else values


def _counted_unique(arrays, context, x, order, values, counts, count, return_index, return_inverse,
                    return_counts):
    """The results of unique() where the number of values is not known."""
    of_values, n, code = context.of(count), arrays.size(x), CODES[_I64]
    result = [cut(arrays, values, count)]
    if return_index:
        starts, index = _starts(arrays, of_values, counts), arrays.empty((n,), _I64)
        of_values.call(library.gather, 8, arrays.pointer(order), n, code, arrays.pointer(starts),
                       arrays.pointer(index), n)
        result.append(cut(arrays, index, count))
    if return_inverse:
        owner, inverse = arrays.empty((n,), _I64), arrays.empty((n,), _I64)
        expand_into(arrays, of_values, counts, _I64, UNSIGNED[_I64], owner, None, n)
        context.call(library.scatter, 8, arrays.pointer(owner), n, code, arrays.pointer(order),
                     arrays.pointer(inverse), n, None)
        result.append(arrays.give_along(arrays.reshape(inverse, arrays.shape(x))))
    if return_counts:
        result.append(cut(arrays, counts, count))
    return tuple(result)


def _starts(arrays, context, counts):
    """Where each run begins."""
    starts, code = arrays.like(counts, (arrays.size(counts),)), UNSIGNED[_I64]
    total = context.count
    context.call(library.allocate, code, arrays.pointer(counts), arrays.size(counts), code,
                 arrays.pointer(starts), total.at, None)
    return starts


def unique_pairs(keys, values, *, counted: bool | None = None, room: int | None = None,
                 context: Context | None = None, stream=None):
    """The first key of every run of equal neighbouring keys, and its value; NaN equals NaN. Of what
    ``sort_pairs()`` gives, the first value of each key.

    Parameters
    ----------
    keys : array (n,)
    values : array (n, ...)
        Of any type without Python objects.
    counted, room : as for ``compact_if()``

    Returns
    -------
    keys, values : arrays (runs,), (runs, ...)

    >>> parscan.unique_pairs(np.array([3, 3, 1]), np.array([10, 20, 30]))
    (array([3, 1]), array([10, 30]))
    """
    if stream is not None:
        return on_stream(unique_pairs, locals())
    arrays, context = choose_counted(keys, context, values, counted=counted, room=room)
    keys = vector(arrays, context, keys, "keys")
    n, dtype = arrays.size(keys), arrays.dtype(keys)
    values, size = rows_of_values(arrays, values, n)
    length, count = context.room_for(n), context.count
    firsts, moved = arrays.empty((length,), dtype), arrays.like(values, (length, *tuple(values.shape)[1:]))
    call, code, place = context.call, CODES[dtype], (arrays.pointer(keys), arrays.pointer(firsts))
    if size == 0:  # rows of no element
        call(library.unique, code, *place, n, count.at)
    else:
        call(library.unique_pairs, code, *place, size, arrays.pointer(values), arrays.pointer(moved), n,
             count.at)
    return cut(arrays, firsts, count), cut(arrays, moved, count)


def run_length_decode(values, lengths, *, room: int | None = None, context: Context | None = None, stream=None):
    """Each value, or row, as often as its length tells: the inverse of ``run_length_encode()``, and what
    ``numpy.repeat(values, lengths, axis=0)`` gives.

    Parameters
    ----------
    values : array (n, ...)
        Of any type without Python objects.
    lengths : integers (n,), not negative
    room : int, optional
        The most values of the result, which then is counted, as for ``expand()``.

    Returns
    -------
    array (sum of lengths, ...)

    >>> parscan.run_length_decode(np.array([7, 8]), np.array([2, 1]))
    array([7, 7, 8])
    """
    if stream is not None:
        return on_stream(run_length_decode, locals())
    arrays, context = choose_counted(values, context, lengths, counted=room is not None)
    lengths, code = _sizes(arrays, context, lengths, "lengths")
    n = arrays.size(lengths)
    values, size = rows_of_values(arrays, values, n)
    total, count = total_of(arrays, context, lengths, code, "lengths", room), context.count
    out = arrays.like(values, (total, *tuple(values.shape)[1:]))
    if size == 0 and room is not None:
        raise TypeError("room with values without bytes: their number is not counted")
    if size == 0:
        return arrays.give(out)
    try:
        context.call(library.run_length_decode, size, arrays.pointer(values), code, arrays.pointer(lengths), n,
                     arrays.pointer(out), total, count.at)
    except CapacityError as error:  # of a capacity that is not the caller's
        if room is not None:
            raise of_room(error) from None
    if room is not None:
        return cut(arrays, out, count)
    if count.value != total:
        raise InvalidArgumentError(
            f"lengths changed during the call: their total was {total}, then {count.value}")
    return arrays.give(out)
