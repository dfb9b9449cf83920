"""parscan/compact.h: stream compaction, partition, dense matrix to CSR."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from ._arguments import flags_of, need_vector, take, taken
from ._bool import BOOL, BYTE
from ._context import Context
from ._counted import cut, need_one_axis, number
from ._families import choose_counted, on_stream
from ._host import is_short
from ._library import (CODES, check_index, constant, index_type, lengths_of, library, number_of,
                       pointer_of, predicate_of, remembered, scalar)
from ._operator import CUSTOM, Predicate, elements, need_line, taken_elements
from ._axes import axis_of
from ._sort import rows_of_values

_LINE = 64  # bytes; rows of so many take longer to move than a look at their flags
_COMPARISONS = {"nonzero": 0, "==": 1, "!=": 2, "<": 3, "<=": 4, ">": 5, ">=": 6, "between": 7}


def _any_byte(keep, value, upper) -> bool:
    """Whether a predicate asks of bool arrays only if bytes are 0."""
    return isinstance(keep, str) and keep == "nonzero" and value is None and upper is None


def kept(keep, value, upper, dtype):
    """A predicate for elements of dtype, in the library's form, and what it points to."""
    if _any_byte(keep, value, upper):
        return None, []
    return _comparison(keep, constant(value, "value"), constant(upper, "upper"), dtype)


@remembered
def _comparison(keep, value, upper, dtype):
    comparison = number_of(_COMPARISONS, keep, "keep")
    wanted = 0 if keep == "nonzero" else 2 if keep == "between" else 1
    if wanted != (value is not None) + (upper is not None) or wanted == 1 and value is None:
        words = ("no value and no upper", "a value and no upper", "value and upper")
        raise ValueError(f"keep = {keep!r} takes {words[wanted]}")
    bounds = [scalar(bound, dtype, what) for what, bound in (("value", value), ("upper", upper))
              if bound is not None]
    places = [pointer_of(bound) for bound in bounds] + [0, 0]
    return predicate_of(comparison, places[0], places[1], 0), bounds


def by_predicate(keep, value, upper):
    """kept() for a Predicate."""
    if value is not None or upper is not None:
        raise ValueError("keep is a Predicate, which takes no value")
    return predicate_of(0, 0, 0, keep.handle), keep


def _tested(x, keep, value, upper, context, counted=None, room=None):
    """taken(); the number of x's type; its elements; the predicate, and what it points to."""
    if type(keep) is Predicate:
        arrays, context, x, _, n = taken_elements(x, keep.dtype, context, counted, room)
        return arrays, context, x, keep.dtype, CUSTOM, n, *by_predicate(keep, value, upper)
    arrays, context, x, dtype, n = taken(x, context, counted, room)
    return arrays, context, x, dtype, CODES[dtype], n, *kept(keep, value, upper, dtype)


def _tested_alone(arrays, context, x, keep, value, upper, what="x"):
    """An array whose elements are only tested, taken; the shape of its elements; the number of their type; the predicate,
    and what it points to."""
    if type(keep) is Predicate:
        x, shape, _ = elements(arrays, x, keep.dtype, what)
        return x, shape, CUSTOM, *by_predicate(keep, value, upper)
    x = arrays.take(x, what) if _any_byte(keep, value, upper) else take(arrays, context, x, what)
    dtype = arrays.dtype(x)
    return x, tuple(arrays.shape(x)), CODES[dtype], *kept(keep, value, upper, dtype)


def _selects(condition, x, axis) -> bool:
    """Whether NumPy may take a condition as an index: of other bytes than 0 and 1 it promises nothing."""
    return (type(condition) is np.ndarray and condition.dtype == BOOL and condition.ndim == 1
            and (x.ndim == 1 and axis is None or axis == 0 and x.ndim > 0) and condition.size == x.shape[0] > 0
            and not condition.tobytes().translate(None, b"\0\1"))  # which are fewer steps than max()


def compress(condition, x, axis: int | None = None, *, counted: bool | None = None,
             room: int | None = None, context: Context | None = None, stream=None):
    """The elements, or the rows, for which a condition is true, as ``numpy.compress()``.

    Parameters
    ----------
    condition : bool or uint8 (n,)
        Unlike NumPy's it is as long as the axis.
    x : array
        Of any type without Python objects.
    axis : int, optional
        None: the flattened array. Other axes than the first are moved to the front in a copy.
    counted, room : as for ``compact_if()``
        Of the first axis, or of the flattened array.

    Returns
    -------
    array

    >>> parscan.compress([True, False, True], np.array([5, 1, 7]))
    array([5, 7])
    """
    if stream is not None:
        return on_stream(compress, locals())
    if is_short(x, context) and (counted is None or counted is False) and room is None and _selects(condition, x, axis):
        return x[condition]
    need_one_axis(x, "x", axis)
    arrays, context = choose_counted(x, context, condition, counted=counted, room=room)
    x = arrays.take_any(x)
    shape = tuple(x.shape)
    if axis is not None and context.counted and axis_of(shape, axis):
        raise TypeError(f"axis = {axis}: a length is counted along the first axis alone")
    if axis is None:
        x = arrays.reshape(x, (math.prod(shape),))
    else:
        axis = axis_of(shape, axis)
        if axis:
            x = arrays.swapaxes(x, axis, 0)
    flags = flags_of(arrays, condition, "condition")
    need_vector(flags, "condition")
    n = arrays.size(flags)
    x, size = rows_of_values(arrays, x, n, "x")
    room, call = context.room_for(n), context.call
    if size >= _LINE and arrays.where == "host" and context.plain is context:
        # Room for what is kept, which is not new pages; not for more, should the flags change meanwhile.
        room = int(np.count_nonzero(flags.view(BYTE)))
        call = functools.partial(context.call_with, lengths_of(0, 0, max(room, 1), 0))
    y = arrays.like(x, (room, *tuple(x.shape)[1:]))
    if room == 0:
        n = 0
    moved, to = x, y
    if size == 0:  # rows without bytes: the flags are moved, to be counted
        moved, to, size = flags, arrays.like(flags, (n,)), 1
    count = context.count
    call(library.compact, size, arrays.pointer(moved), arrays.pointer(flags), arrays.pointer(to), n, count.at)
    if not axis:
        return cut(arrays, y, count)
    return arrays.give(arrays.swapaxes(arrays.head(y, count.value), 0, axis))


def compact_if(x, keep: str = "nonzero", value=None, upper=None, *, indices=None, counted: bool | None = None,
               room: int | None = None, context: Context | None = None, stream=None):
    """The elements of the flattened array for which a comparison holds: ``x[x < value]``.

    Parameters
    ----------
    x : array
    keep : {"nonzero", "==", "!=", "<", "<=", ">", ">=", "between"} or Predicate
        "between" is ``value <= x <= upper``. A NaN is kept by "nonzero" and "!=" alone. Of a ``Predicate`` x has
        the type, and there is no value.
    value, upper : scalars of x's type
    indices : int64, uint64, int32 or uint32, optional
        The type of the indices, in the flattened array, that are wanted too. True: int64.
    counted : bool, optional
        True: the result is a ``Counted``, with room for all elements of x, and the call does not wait for
        their number. None: it is one if an argument is.
    room : int, optional
        The most elements that there is room for; it makes the result a ``Counted``. More are a CapacityError, whose
        ``total`` is their number; on a device of ``parscan.synchronize()``.

    Returns
    -------
    array of one dimension; with indices, a tuple of it and of these

    >>> parscan.compact_if(np.array([5, 1, 7]), ">", 4)
    array([5, 7])
    """
    if stream is not None:
        return on_stream(compact_if, locals())
    arrays, context, x, dtype, element, n, predicate, _held = _tested(x, keep, value, upper, context, counted, room)
    y, count = arrays.empty((context.room_for(n), *dtype.shape), dtype.base), context.count
    if indices is not None and indices is not False:
        index, code = index_type(np.int64 if indices is True else indices, "indices")
        check_index(index, n)
        z = arrays.empty((context.room_for(n),), index)
        context.call(library.compact_with_indices, element, arrays.pointer(x), predicate, arrays.pointer(y),
                     code, arrays.pointer(z), n, count.at)
        return cut(arrays, y, count), cut(arrays, z, count)
    context.call(library.compact_if, element, arrays.pointer(x), predicate, arrays.pointer(y), n, count.at)
    return cut(arrays, y, count)


def flags_if(x, keep: str = "nonzero", value=None, upper=None, *, context: Context | None = None,
             stream=None):
    """For which elements a comparison holds: ``x < value``.

    Parameters are those of ``compact_if()``.

    Returns
    -------
    bool array of x's shape

    >>> parscan.flags_if(np.array([5, 1, 7]), ">", 4)
    array([ True, False,  True])
    """
    if stream is not None:
        return on_stream(flags_if, locals())
    arrays, context, x, dtype, element, n, predicate, _held = _tested(x, keep, value, upper, context)
    shape = tuple(arrays.shape(x))
    y = arrays.empty(shape[:len(shape) - len(dtype.shape)], np.dtype(bool))
    context.call(library.flags_if, element, arrays.pointer(x), predicate, arrays.pointer(y), n)
    return arrays.give_along(y)


def compact_by(x, by, keep: str = "nonzero", value=None, upper=None, *, counted: bool | None = None,
               room: int | None = None, context: Context | None = None, stream=None):
    """The elements, or the rows, of an array where a comparison holds for another: ``x[by < value]``.

    Parameters
    ----------
    x : array
        Of any type without Python objects.
    by : array (n,)
        As long as x; what is compared.
    keep, value, upper, counted, room : as for ``compact_if()``, of by's type

    Returns
    -------
    array

    >>> parscan.compact_by(np.array([10, 20, 30]), np.array([5, 1, 7]), ">", 4)
    array([10, 30])
    """
    if stream is not None:
        return on_stream(compact_by, locals())
    arrays, context = choose_counted(x, context, by, counted=counted, room=room)
    x = arrays.take_any(x)
    by, shape, element, predicate, _held = _tested_alone(arrays, context, by, keep, value, upper, "by")
    need_line(shape, "by")
    n = shape[0]
    x, size = rows_of_values(arrays, x, n, "x")
    if size == 0:
        raise ValueError("x has rows without bytes")
    count = context.count
    y = arrays.like(x, (context.room_for(n), *tuple(x.shape)[1:]))
    context.call(library.compact_by, size, arrays.pointer(x), element, arrays.pointer(by), predicate, arrays.pointer(y), n, count.at)
    return cut(arrays, y, count)


def count_if(x, keep: str = "nonzero", value=None, upper=None, *, context: Context | None = None,
             stream=None) -> int:
    """How many elements a comparison holds for: ``numpy.count_nonzero(x < value)``.

    Parameters are those of ``compact_if()``.

    >>> parscan.count_if(np.array([5, 1, 7]), ">", 4)
    2
    """
    if stream is not None:
        return on_stream(count_if, locals())
    arrays, context, x, _, element, n, predicate, _held = _tested(x, keep, value, upper, context)
    count = context.plain.count
    context.call(library.compact_if, element, arrays.pointer(x), predicate, None, n, count.at)
    return count.value


def _indices(arrays, context, x, keep, value, upper, dtype):
    """The indices of an array's elements, their number, and the shape of these elements."""
    x, shape, element, predicate, _held = _tested_alone(arrays, context, x, keep, value, upper)
    (index, code), n = index_type(dtype), math.prod(shape)
    check_index(index, n)
    # What lies behind counted indices goes through unravel().
    length = context.room_for(n)
    y = arrays.full((length,), 0, index) if context.counted and len(shape) > 1 else arrays.empty((length,), index)
    count = context.count
    context.call(library.compact_indices, element, arrays.pointer(x), predicate, code, arrays.pointer(y), n, count.at)
    return y, count, shape


def flatnonzero(x, keep: str = "nonzero", value=None, upper=None, *, dtype=np.int64,
                counted: bool | None = None, room: int | None = None, context: Context | None = None,
                stream=None):
    """The indices, in the flattened array, of the elements for which a comparison holds; by default
    ``numpy.flatnonzero()``.

    Parameters are those of ``compact_if()``; dtype is int64, uint64, int32 or uint32.

    Returns
    -------
    array of one dimension, ascending

    >>> parscan.flatnonzero(np.array([5, 0, 7]))
    array([0, 2])
    """
    if stream is not None:
        return on_stream(flatnonzero, locals())
    arrays, context = choose_counted(x, context, counted=counted, room=room)
    return cut(arrays, *_indices(arrays, context, x, keep, value, upper, dtype)[:2])


def nonzero(x, keep: str = "nonzero", value=None, upper=None, *, counted: bool | None = None,
            context: Context | None = None, stream=None) -> tuple:
    """The indices of the elements for which a comparison holds, an int64 array for each dimension of x; by default
    ``numpy.nonzero()``. Parameters are those of ``compact_if()``.

    >>> parscan.nonzero(np.array([[0, 5], [7, 0]]))
    (array([0, 1]), array([1, 0]))
    """
    if stream is not None:
        return on_stream(nonzero, locals())
    arrays, context = choose_counted(x, context, counted=counted)
    index, count, shape = _indices(arrays, context, x, keep, value, upper, np.int64)
    if not shape:
        raise ValueError("x has 0 dimensions: it must have at least 1")
    if len(shape) == 1:
        return (cut(arrays, index, count),)
    if context.counted:
        return tuple(cut(arrays, part, count) for part in arrays.unravel(index, shape))
    return tuple(arrays.give(part) for part in arrays.unravel(arrays.head(index, count.value), shape))


def partition(x, keep: str = "nonzero", value=None, upper=None, *, counted: bool | None = None,
              context: Context | None = None, stream=None):
    """All elements in two parts: those for which a comparison holds, then the others, both in order.

    It is the partition of the C++ library; ``numpy.partition()`` is a selection.
    Parameters are those of ``compact_if()``.

    Returns
    -------
    array of ``x.size`` elements, and the length of the first part
        With counted, as for ``compact_if()``, the length is an int64 array without dimensions.

    >>> parscan.partition(np.array([5, 1, 7]), "<", 4)
    (array([1, 5, 7]), 1)
    """
    if stream is not None:
        return on_stream(partition, locals())
    arrays, context, x, dtype, element, n, predicate, _held = _tested(x, keep, value, upper, context, counted)
    y, count = arrays.empty((n, *dtype.shape), dtype.base), context.count
    context.call(library.partition, element, arrays.pointer(x), predicate, arrays.pointer(y),
                 n, count.at)
    return arrays.give_along(y), number(count)


class Csr(NamedTuple):
    """Compressed sparse rows, in the words of ``scipy.sparse.csr_array``."""

    indptr: object
    indices: object
    data: object


def dense_to_csr(dense, *, dtype=np.int64, counted: bool | None = None, room: int | None = None,
                 context: Context | None = None, stream=None) -> Csr:
    """A dense matrix to compressed sparse rows: its elements that are not zero.

    Parameters
    ----------
    dense : array (rows, columns)
    dtype : int64, uint64, int32 or uint32
        The type of indptr and indices.
    counted, room : as for ``compact_if()``
        indices and data are. Of a counted dense, whose rows are counted, indptr is too, closed.

    Returns
    -------
    Csr
        indptr (rows + 1,), indices (entries,), data (entries,) of dense's type:
        ``scipy.sparse.csr_array((data, indices, indptr), dense.shape)``.

    On a device the call needs memory for rows * columns indices and elements, or, where there is less,
    for a copy of dense, which takes longer.

    >>> parscan.dense_to_csr(np.array([[0, 5], [7, 0]])).indices
    array([1, 0])
    """
    if stream is not None:
        return on_stream(dense_to_csr, locals())
    arrays, context = choose_counted(dense, context, counted=counted, room=room)
    dense = take(arrays, context, dense, "dense")
    shape = arrays.shape(dense)
    if len(shape) != 2:
        raise ValueError(f"dense has {len(shape)} dimensions: it must have 2")
    rows, columns = shape
    kind, n, (index, code) = arrays.dtype(dense), arrays.size(dense), index_type(dtype)
    check_index(index, n)
    indptr, count = arrays.empty((rows + 1,), index), context.count

    def call(dense, indices, data):
        context.call(library.dense_to_csr, CODES[kind], arrays.pointer(dense), rows, columns, code,
                     arrays.pointer(indptr), indices, data, count.at)

    # Entries that were counted may be more when they are written, if another thread changes the
    # matrix. So there is room for the most, of which the host's is only reserved, or a copy is counted.
    try:
        length = context.room_for(n)
        indices, data = arrays.empty((length,), index), arrays.empty((length,), kind)
    except (MemoryError, RuntimeError):  # the latter is PyTorch's
        if context.counted:
            raise
        dense = arrays.copy(dense)
        call(dense, None, None)
        indices, data = arrays.empty((count.value,), index), arrays.empty((count.value,), kind)
    call(dense, arrays.pointer(indices), arrays.pointer(data))
    return Csr(arrays.give_along(indptr, closed=True), cut(arrays, indices, count), cut(arrays, data, count))
