"""Runs of equal keys with values, and run lengths decoded."""

from __future__ import annotations

from ._allocate import _sizes, total_of
from ._arguments import vector
from ._context import Context
from ._counted import cut
from ._errors import CapacityError, InvalidArgumentError
from ._families import choose_counted, on_stream
from ._library import CODES, library
from ._sort import rows_of_values


def unique_pairs(keys, values, *, counted: bool | None = None, context: Context | None = None, stream=None):
    """The first key of every run of equal neighbouring keys, and its value; NaN equals NaN. Of what
    ``sort_pairs()`` gives, the first value of each key.

    Parameters
    ----------
    keys : array (n,)
    values : array (n, ...)
        Of any type without Python objects.
    counted : as for ``compact_if()``

    Returns
    -------
    keys, values : arrays (runs,), (runs, ...)
    """
    if stream is not None:
        return on_stream(unique_pairs, locals())
    arrays, context = choose_counted(keys, context, values, counted=counted)
    keys = vector(arrays, context, keys, "keys")
    n, dtype = arrays.size(keys), arrays.dtype(keys)
    values, size = rows_of_values(arrays, values, n)
    firsts, moved, count = arrays.empty((n,), dtype), arrays.like(values, tuple(values.shape)), context.count
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
    except CapacityError:  # of a capacity that is not the caller's
        if room is not None:
            raise
    if room is not None:
        return cut(arrays, out, count)
    if count.value != total:
        raise InvalidArgumentError(
            f"lengths changed during the call: their total was {total}, then {count.value}")
    return arrays.give(out)
