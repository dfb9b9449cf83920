"""parscan/allocate.h: room for outputs of different sizes, given out by a scan."""

from __future__ import annotations

import numpy as np

from ._arguments import integers
from ._context import Context
from ._counted import cut, need_one_axis, number, refuse_counted, waited
from ._errors import CapacityError, Error, InvalidArgumentError, TotalOverflowError, of_room
from ._families import choose, choose_counted, on_stream
from ._host import is_short
from ._library import (CODES, INDEX_TYPES, UNSIGNED, allocate_options, check_index, flag,
                       index_type, library, pointer_of, whole)
from ._axes import axis_of
from ._scan import plain_options

_I64, _U64 = np.dtype(np.int64), np.dtype(np.uint64)
_MOST = 2**63 - 1  # of a total that is an array's length
_MOST_COPIES = 2**20  # of a short array's elements, by NumPy without a look at the total


def _sizes(arrays, context, sizes, what="sizes", copied=False):
    """Sizes of one dimension, taken, and the library's number of their type.

    Negative ones are refused: of 64 bits by the total, which they make too large (_overflow()). So are
    others where the total is not waited for.
    """
    sizes = integers(arrays, context, sizes, what)
    sizes, dtype = arrays.copy(sizes) if copied else sizes, arrays.dtype(sizes)
    if dtype.kind == "i" and dtype != _I64 and not context.counted:
        _refuse_negative(arrays, context, sizes, dtype, what)
    return sizes, UNSIGNED[dtype]


def _refuse_negative(arrays, context, sizes, dtype, what):
    lowest, place = context.room(dtype)
    context.call(library.reduce, CODES[dtype], arrays.pointer(sizes), place, arrays.size(sizes),
                 plain_options("min"))
    if lowest < 0:
        raise ValueError(f"{what} has {lowest}: none may be negative")


def _exact_total(arrays, context, sizes, alignment) -> int:
    """The sum of taken sizes, each rounded up to the alignment, however large: for errors."""
    dtype = arrays.dtype(sizes)
    units = np.empty(arrays.size(sizes), dtype)
    context.call(library.copy, pointer_of(units), arrays.pointer(sizes), units.nbytes)
    context.synchronize()
    units = units.astype(_U64)
    units = units // np.uint64(alignment) + (units % np.uint64(alignment) != 0)
    low, high = units & np.uint64(2**32 - 1), units >> np.uint64(32)  # sums below 2^64
    return (int(low.sum()) + (int(high.sum()) << 32)) * alignment


def _overflow(arrays, context, sizes, what, most_of, alignment=1, capacity=None) -> Error:
    """The error of a total that is beyond a type; ValueError if sizes are negative."""
    if arrays.dtype(sizes) == _I64:
        _refuse_negative(arrays, context, sizes, _I64, what)
    total = _exact_total(arrays, context, sizes, alignment)
    if capacity is not None and total > capacity:
        return CapacityError(f"capacity = {capacity}: total = {total} exceeds it", total=total)
    return TotalOverflowError(f"the total {total} of {what} is beyond {most_of}", total=total)


def _offsets(arrays, context, offsets, n, what):
    """Offsets in bytes, and the library's number of their type."""
    offsets = integers(arrays, context, offsets, what)
    dtype = arrays.dtype(offsets)
    if arrays.size(offsets) != n:
        raise ValueError(f"{what} has {arrays.size(offsets)} elements, sizes {n}")
    if dtype not in INDEX_TYPES:
        return arrays.cast(offsets, _I64), UNSIGNED[_I64]
    return offsets, UNSIGNED[dtype]


def total_of(arrays, context, sizes, code, what="sizes", room=None) -> int:
    """The sum of taken sizes; the room for it, if that is given."""
    if room is not None:
        return whole(room, "room", 0, _MOST)
    count = context.count
    try:
        context.call(library.allocate, code, arrays.pointer(sizes), arrays.size(sizes), CODES[_U64],
                     None, count.at, None)
        total = count.value
    except TotalOverflowError:
        if context.plain is not context:  # of counted sizes, the exact one is not looked for
            raise
        total = _MOST + 1
    if total > _MOST:
        raise _overflow(arrays, context, sizes, what, "int64")
    return total


def expand_into(arrays, context, sizes, size_type, index_code, owner, rank, total, what="sizes"):
    """parscan_expand() of taken sizes whose total is known, or the room for it if that is counted; owner or
    rank may be None. Returns the count."""
    count = context.count
    try:
        context.call(library.expand, UNSIGNED[size_type], arrays.pointer(sizes), arrays.size(sizes),
                     index_code, None if owner is None else arrays.pointer(owner),
                     None if rank is None else arrays.pointer(rank), total, count.at)
    except CapacityError as error:  # of a capacity that is not the caller's
        if context.counted:
            raise of_room(error) from None
    if not context.counted and count.value != total:
        raise InvalidArgumentError(
            f"{what} changed during the call: their total was {total}, then {count.value}")
    return count


def allocate(sizes, *, alignment: int = 1, capacity: int | None = None, dtype=np.int64,
             close: bool = False, counted: bool | None = None, context: Context | None = None, stream=None):
    """Where outputs of given sizes go: an exclusive scan that widens and checks its total.

    Parameters
    ----------
    sizes : integers (n,)
        None may be negative.
    alignment : int
        A power of two: each offset is a multiple of it.
    capacity : int, optional
        The room that there is; a larger total raises CapacityError, whose ``total`` is what is needed.
    dtype : int64, uint64, int32 or uint32
        The type of the offsets. A total beyond it raises TotalOverflowError, which has it too.
    close : bool
        One offset more, the total: the offsets are those of CSR's rows and of ``segments=``.
    counted : bool, optional
        True: the total stays in the engine's memory, and nothing waits. None: if the sizes are counted.

    Returns
    -------
    offsets : array (n,), with close (n + 1,)
        Of counted sizes counted too, and with close closed.
    total : int
        Of all sizes, each rounded up to the alignment. With counted an int64 array without dimensions. A total
        beyond a device's capacity, and negative sizes, are then errors of ``parscan.synchronize()``.

    >>> parscan.allocate([3, 0, 5])  # where each begins, and the total
    (array([0, 3, 3]), 8)
    """
    if stream is not None:
        return on_stream(allocate, locals())
    arrays, context = choose_counted(sizes, context, counted=counted)
    sizes, code = _sizes(arrays, context, sizes)
    n, (dtype, offset_code) = arrays.size(sizes), index_type(dtype)
    alignment, close, options = whole(alignment, "alignment") or 1, flag(close, "close"), None
    capacity = None if capacity is None else whole(capacity, "capacity")
    if alignment != 1 or capacity is not None or close:
        options = allocate_options(alignment, capacity or 0, close, 0)
    offsets, count = arrays.empty((n + close,), dtype), context.count
    if context.plain is not context and capacity == 0:
        raise ValueError("capacity = 0 with counted sizes or a counted total: it must be at least 1")
    try:
        context.call(library.allocate, code, arrays.pointer(sizes), n, offset_code,
                     arrays.pointer(offsets), count.at, options)
        total = number(count)
    except TotalOverflowError:
        if context.plain is not context:
            raise
        total = np.inf
    if context.plain is not context:
        return arrays.give_along(offsets, closed=close), total
    if total > np.iinfo(dtype).max:
        raise _overflow(arrays, context, sizes, "sizes", dtype, alignment, capacity)
    if capacity == 0 and total:
        raise CapacityError(f"capacity = 0: total = {total} exceeds it", total=total)
    return arrays.give(offsets), total


def expand(sizes, *, dtype=np.int64, room: int | None = None, context: Context | None = None, stream=None):
    """The inverse of an allocation: slot j is the ``rank[j]``-th slot of item ``owner[j]``.

    Parameters
    ----------
    sizes : integers (n,), not negative
    dtype : int64, uint64, int32 or uint32
        The type of owner and rank.
    room : int, optional
        The most slots. With it owner and rank are ``Counted``, and the call does not wait for their number;
        more slots are a CapacityError, on a device of ``parscan.synchronize()``.

    Returns
    -------
    owner, rank : arrays (sum of sizes,)

    >>> parscan.expand([2, 0, 3])
    (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    if stream is not None:
        return on_stream(expand, locals())
    arrays, context = choose_counted(sizes, context, counted=room is not None)
    sizes, code = _sizes(arrays, context, sizes)
    index, index_code = index_type(dtype)
    check_index(index, arrays.size(sizes))
    total = total_of(arrays, context, sizes, code, room=room)
    owner, rank = arrays.empty((total,), index), arrays.empty((total,), index)
    count = expand_into(arrays, context, sizes, arrays.dtype(sizes), index_code, owner, rank, total)
    if room is None:
        return arrays.give(owner), arrays.give(rank)
    return cut(arrays, owner, count), cut(arrays, rank, count)


def _short_repeat(x, repeats, axis):
    """NumPy's repeat() of a short array; None where it refuses the repeats, or takes one of an array for all."""
    if type(repeats) is int:
        if not 0 <= repeats <= _MOST_COPIES:
            return None
    elif (type(repeats) is not np.ndarray or repeats.ndim != 1 or repeats.dtype not in INDEX_TYPES
          or repeats.size == 1):
        return None
    try:
        return x.repeat(repeats, axis)
    except (TypeError, ValueError, MemoryError, OverflowError):
        return None


def repeat(x, repeats, axis: int | None = None, *, room: int | None = None, context: Context | None = None, stream=None):
    """Repeats elements or rows, as ``numpy.repeat()``.

    Parameters
    ----------
    x : array
        Of any type without Python objects.
    repeats : int, or integers as long as the axis
    axis : int, optional
        None: the flattened array.
    room : int, optional
        The most elements or rows of the result, which then is counted, as for ``expand()``.

    Returns
    -------
    array

    >>> parscan.repeat(np.array([7, 8]), [2, 1])
    array([7, 7, 8])
    """
    if stream is not None:
        return on_stream(repeat, locals())
    if is_short(x, context) and room is None:
        y = _short_repeat(x, repeats, axis)
        if y is not None:
            return y
    need_one_axis(x, "x", axis)
    arrays, context = choose_counted(x, context, repeats, counted=room is not None)
    x = arrays.take_any(x)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    axis = axis_of(tuple(x.shape), axis)
    if axis and context.plain is not context:
        raise TypeError(f"axis = {axis}: a length is counted along the first axis alone")
    n = x.shape[axis]
    is_one = hasattr(repeats, "__index__") and getattr(repeats, "ndim", 0) == 0
    if is_one:
        repeats = whole(repeats, "repeats", 0, _MOST)
        if n * repeats > _MOST:
            total = n * repeats
            raise TotalOverflowError(f"the total {total} of repeats is beyond int64", total=total)
        if arrays.where == "host" and context.plain is context and room is None:
            return arrays.give(x.repeat(repeats, axis))  # NumPy knows the length of each
        repeats = arrays.full((n,), repeats, _I64)
    copied = not (is_one or arrays.bounds_indices)  # repeats that change may give any owner
    repeats, code = _sizes(arrays, context, repeats, "repeats", copied)
    if arrays.size(repeats) != n:
        raise ValueError(f"repeats has {arrays.size(repeats)} elements, the axis {n}")
    total = total_of(arrays, context, repeats, code, "repeats", room)
    owner = arrays.empty((total,), _I64)
    count = expand_into(arrays, context, repeats, arrays.dtype(repeats), UNSIGNED[_I64], owner, None, total,
                        "repeats")
    if room is not None:
        y = arrays.like(x, (total, *tuple(x.shape)[1:]))
        row = arrays.nbytes(x) // n if n else 0
        if row:
            context.of(count).call(library.gather, row, arrays.pointer(x), n, CODES[_I64],
                                   arrays.pointer(owner), arrays.pointer(y), total)
        return cut(arrays, y, count)
    return arrays.give(arrays.gather(x, (slice(None),) * axis + (owner,)))


def _refuse_overlap(arrays, out, array, what):
    begin, first = arrays.pointer(out) or 0, arrays.pointer(array) or 0
    sizes = arrays.nbytes(out), arrays.nbytes(array)
    if min(sizes) > 0 and first < begin + sizes[0] and begin < first + sizes[1]:
        raise ValueError(f"out overlaps {what}")


def _packed(arrays, context, records, code, in_offsets, size_code, sizes):
    """pack() of many records into a new array in host memory: so many at a time that copies of their sizes and offsets stay
    within the caches."""
    n, most, total = arrays.size(sizes), arrays.pieces, total_of(arrays, context, sizes, size_code)
    y, done, count = arrays.empty((total,), np.uint8), 0, context.count
    records, beyond = records.reshape(-1).view(np.uint8), f"records beyond the {arrays.nbytes(records)} bytes of the input"
    room, begins, ends = (arrays.like(array, (most,)) for array in (sizes, in_offsets, in_offsets))
    for k in range(0, n, most):
        some = min(most, n - k)
        begins[:some] = in_offsets[k:k + some]
        if some <= total - done and (sizes[k:k + some] == 1).all():  # bytes: NumPy's gather takes a third of the time
            places = begins[:some].view(f"u{begins.itemsize}")
            if places.max() >= records.size:
                raise ValueError(beyond)
            records.take(places if places.itemsize < 8 else places.view(_I64), out=y[done:done + some], mode="clip")
            done += some
            continue
        room[:some] = sizes[k:k + some]
        if not arrays.within(begins[:some], room[:some], arrays.nbytes(records)):
            raise ValueError(beyond)
        context.call(library.allocate, size_code, arrays.pointer(room), some, code, arrays.pointer(ends), count.at, None)
        if count.value > total - done:
            break
        context.call(library.pack, arrays.pointer(records), code, arrays.pointer(begins), size_code, arrays.pointer(room),
                     arrays.pointer(y) + done, arrays.pointer(ends), some)
        done += count.value
    if done < total:
        raise InvalidArgumentError(f"sizes changed during the call: their total was {total}")
    return y


def pack(records, in_offsets, sizes, out_offsets=None, *, out=None, context: Context | None = None,
         stream=None):
    """Moves records of different sizes at once.

    Parameters
    ----------
    records : array
        Its bytes are the input.
    in_offsets, sizes : integers (n,)
        Record i is the ``sizes[i]`` bytes from byte ``in_offsets[i]`` of records.
    out_offsets : integers (n,), optional
        Where they go, in bytes, of the width of in_offsets. None: one behind the other.
    out : array, optional
        Contiguous; its bytes are written. Needed with out_offsets. None: a new array of uint8. It
        must not overlap records.

    That records lie within both arrays is checked, for which the call waits, as for the lengths of counted
    arrays. Records must not overlap where they are written.

    Returns
    -------
    out, or a uint8 array of as many bytes as the records have

    >>> parscan.pack(np.frombuffer(b"abcdef", np.uint8), [4, 0], [2, 3]).tobytes()
    b'efabc'
    """
    if stream is not None:
        return on_stream(pack, locals())
    records, in_offsets, sizes, out_offsets = map(waited, (records, in_offsets, sizes, out_offsets))
    refuse_counted(out, "out")
    arrays, context = choose(records, context)
    records = arrays.take_any(records, "records")
    sizes, size_code = _sizes(arrays, context, sizes)
    n = arrays.size(sizes)
    in_offsets, code = _offsets(arrays, context, in_offsets, n, "in_offsets")
    if arrays.where == "host" and n > arrays.pieces and out is out_offsets is None:
        return arrays.give(_packed(arrays, context, records, code, in_offsets, size_code, sizes))
    # Copies of sizes and offsets, so that those that are checked are used.
    sizes, in_offsets = arrays.copy(sizes), arrays.copy(in_offsets)
    if not arrays.within(in_offsets, sizes, arrays.nbytes(records)):
        raise ValueError(f"records beyond the {arrays.nbytes(records)} bytes of the input")
    if out_offsets is None:
        out_offsets, count = arrays.like(in_offsets, (n,)), context.count
        context.call(library.allocate, size_code, arrays.pointer(sizes), n, code,
                     arrays.pointer(out_offsets), count.at, None)
        room = count.value
    elif out is None:
        raise ValueError("out_offsets needs out")
    else:
        out_offsets, other = _offsets(arrays, context, out_offsets, n, "out_offsets")
        out_offsets = arrays.copy(out_offsets)
        if other != code:
            raise TypeError("in_offsets and out_offsets must be of one width")
    y = arrays.empty((room,), np.uint8) if out is None else arrays.writable(out)
    _refuse_overlap(arrays, y, records, "records")
    if out is not None and not arrays.within(out_offsets, sizes, arrays.nbytes(y)):
        raise ValueError(f"records beyond the {arrays.nbytes(y)} bytes of out")
    context.call(library.pack, arrays.pointer(records), code, arrays.pointer(in_offsets), size_code,
                 arrays.pointer(sizes), arrays.pointer(y), arrays.pointer(out_offsets), n)
    return arrays.finish(y, out)
