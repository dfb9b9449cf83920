"""parscan/segmented.h and segments.h: scans and reductions of segments, linear recurrences."""

from __future__ import annotations

import math
from operator import lt

import numpy as np

from ._arguments import flags_of, integers, take, vector
from ._bool import BOOL, FLAG_TYPES
from ._context import Context, ThreadContext, thread
from ._counted import cut
from ._errors import InvalidArgumentError, UnsupportedError, signed
from ._families import choose_counted, on_stream
from ._host import HOST, is_short
from ._library import (CODES, DTYPES, FLAGS, INDEX_TYPES, KEYS, OFFSETS, ROWS, UNSIGNED, code_of, library, pointer_of,
                       recurrence_options, scalar, segments_of, whole, with_shape)
from ._operator import CUSTOM, Operator, elements, need_line
from ._axes import axis_of
from ._scan import custom_options, options_of, plan, prepared

_I64 = np.dtype(np.int64)
_REDUCES = {"sum": np.add.reduceat, "min": np.minimum.reduceat, "max": np.maximum.reduceat}
_FEW = 64  # offsets, which Python compares in less time than the library takes for a call


class Described:
    """The segments of n elements, from exactly one of flags, offsets, keys and the length of rows."""

    def __init__(self, arrays, context, n, flags, offsets, keys, rows, keys_name="keys"):
        if (flags is None) + (offsets is None) + (keys is None) + (rows is None) != 3:
            raise ValueError(f"give exactly one of flags, offsets, {keys_name} and rows")
        self.count = self._signed = self.data = None  # count: None: only the call finds it out
        self.n, self.room = n, n  # the most elements and segments
        if rows is not None:
            self._take_rows(context, n, whole(rows, "rows"))
            return
        if offsets is not None:
            kind, code = OFFSETS, self._take_offsets(arrays, context, offsets)
        elif keys is None:
            kind, code, name, self.data = FLAGS, 0, "flags", flags_of(arrays, flags, "flags")
        else:
            kind, name, self.data = KEYS, keys_name, take(arrays, context, keys, keys_name)
            code = CODES[arrays.dtype(self.data)]
        if offsets is None and arrays.size(self.data) != n:
            raise ValueError(f"{name} has {arrays.size(self.data)} elements: it must have {n}")
        if offsets is None:
            self.room = context.room_for(n)
        self.struct = segments_of(kind, code, arrays.pointer(self.data) or 0, self.count or 0)

    def _take_rows(self, context, n, rows):
        is_counted = context.length_of("n")  # then its multiple is not known here
        if (n % rows if rows else n) and not (is_counted and rows):
            raise ValueError(f"rows = {rows}: the {n} elements are no multiple of it")
        self.room = n // rows if n else 0
        self.n = self.room * rows
        self.count = None if is_counted else self.room
        self.struct = segments_of(ROWS, 0, 0, rows)

    def _take_offsets(self, arrays, context, offsets):
        self.data = integers(arrays, context, offsets, "offsets")
        dtype = arrays.dtype(self.data)
        if dtype not in INDEX_TYPES:
            self.data, dtype = arrays.cast(self.data, _I64), _I64
        self.room = self.count = arrays.size(self.data) - 1
        if self.count < 0:
            raise ValueError("offsets has no element: it must have at least one")
        self._signed = dtype if dtype.kind == "i" else None
        return UNSIGNED[dtype]

    def give(self, arrays, y, count):
        """What the caller gets for an array with an element for each segment, of which there is room; count:
        what the call has counted if it was to."""
        if self.count is None:
            return cut(arrays, y, count)
        return arrays.give_along(y, "segment_count")

    def call(self, context, *arguments):
        """context.call(), whose errors know negative offsets."""
        try:
            context.call(*arguments)
        except InvalidArgumentError as error:
            raise (error if self._signed is None else signed(error, self._signed)) from None


def _prepare(arrays, context, x, op, dtype, initial, reverse):
    """x, taken and converted; its type's number; its elements; the result's type; the options, and what they point to."""
    shape = "auto", reverse, False, 0, 0
    if type(op) is Operator:
        x, lines, n = elements(arrays, x, op.source)
        need_line(lines)
        return x, CUSTOM, n, op.result, *custom_options(op, dtype, initial, shape)
    x = vector(arrays, context, x)
    source = arrays.dtype(x)
    target, code, convert = plan(source, op, dtype)
    if convert is not None:
        x, source = arrays.cast(x, convert), convert
    return x, CODES[source], arrays.size(x), target, *options_of(initial, target, op, code, shape)


_MARKS = {**{dtype: (OFFSETS, UNSIGNED[dtype]) for dtype in INDEX_TYPES}, **{dtype: (FLAGS, 0) for dtype in FLAG_TYPES}}


def _direct(function, reduces, x, op, flags, offsets, dtype, reverse):
    """What most calls by offsets and flags are, in half of the time of the general way: NumPy's arrays, taken as they
    are, this thread's context, a new result. None: it is not, or there is an error, which the general way tells."""
    context, marks = thread.host, flags if offsets is None else offsets
    if not (type(x) is type(marks) is np.ndarray and type(context) is ThreadContext and x.ndim == marks.ndim == 1
            and x.dtype in DTYPES and type(op) is not Operator and marks.size
            and x.flags.c_contiguous and marks.flags.c_contiguous):
        return None
    n, count = x.size, marks.size
    kind, code = _MARKS.get(marks.dtype, (KEYS, 0))
    if kind != (OFFSETS if flags is None else FLAGS) or kind == FLAGS and count != n:
        return None
    target, _, convert, options = prepared(x.dtype, op, dtype, None, "auto", reverse, False, 0, 0)
    if convert is not None:
        return None
    count -= kind == OFFSETS
    y, counted = np.empty(count if reduces else n, target), context.count
    arguments = CODES[x.dtype], pointer_of(x), pointer_of(y), n, segments_of(kind, code, pointer_of(marks), count)
    if reduces:
        status = function(context.handle, *arguments, counted.at, options)
    else:
        status = function(context.handle, *arguments, options)
    if status:
        return None
    return HOST.head(y, counted.value) if reduces else y


def _short_reduce(x, op, flags, offsets):
    """NumPy's reductions of the segments of a short array of integers, none of them empty; None where they are not. Of
    floats NumPy warns."""
    marks = flags if offsets is None else offsets
    if not (type(op) is str and op in _REDUCES and type(marks) is np.ndarray and marks.ndim == x.ndim == 1
            and x.dtype.kind in "iu"):
        return None
    if offsets is None:
        if not marks.size == x.size > 0 or marks.dtype != BOOL or not marks[0]:
            return None
        begins = marks.nonzero()[0]
    else:
        if marks.size > _FEW or marks.dtype not in INDEX_TYPES:
            return None
        places = marks.tolist()
        if not (len(places) > 1 and places[0] == 0 and places[-1] == x.size and all(map(lt, places, places[1:]))):
            return None
        begins = marks[:-1]
    try:
        return _REDUCES[op](x, begins, 0, x.dtype)
    except (TypeError, IndexError):  # uint64, and places that have changed
        return None


def _is_direct(flags, offsets, keys, rows, initial, context) -> bool:
    return context is None and (flags is None) != (offsets is None) and keys is None and rows is None and initial is None


def _segmented_scan(function, x, op, flags, offsets, keys, rows, dtype, initial, reverse, out, context):
    if out is None and _is_direct(flags, offsets, keys, rows, initial, context):
        y = _direct(function, False, x, op, flags, offsets, dtype, reverse)
        if y is not None:
            return y
    arrays, context = choose_counted(x, context, flags, offsets, keys)
    x, code, n, target, options, _element = _prepare(arrays, context, x, op, dtype, initial, reverse)
    segments = Described(arrays, context, n, flags, offsets, keys, rows)
    y = arrays.output(out, (n, *target.shape), target.base, x, *(() if segments.data is None else (segments.data,)),
                      in_place=type(op) is not Operator or not op.has_maps)
    segments.call(context, function, code, arrays.pointer(x), arrays.pointer(y), segments.n, segments.struct, options)
    return arrays.finish(y, out)


def segmented_inclusive_scan(x, op="sum", *, flags=None, offsets=None, keys=None, rows: int | None = None,
                             dtype=None, initial=None, reverse: bool = False, out=None,
                             context: Context | None = None, stream=None):
    """Inclusive scan of every segment of an array.

    Parameters
    ----------
    x : array (n,)
    flags : bool or uint8 (n,)
        True starts a segment; element 0 always does.
    offsets : integers (segments + 1,)
        Segment s is ``x[offsets[s]:offsets[s+1]]``, and may be empty. The first is 0, the last is n.
    keys : array (n,)
        A segment is a run of equal keys; NaN equals NaN.
    rows : int
        Every so many elements are a segment; n is a multiple of it.
    op, dtype, initial, reverse, out, context, stream
        As for ``inclusive_scan()``; initial is combined before every segment.

    Exactly one of flags, offsets, keys and rows is given. Counted offsets are closed. int32, uint32, int64 and uint64 offsets are not
    copied; other integers become int64. Sums and products of floats may differ in their last bits
    between machines and numbers of threads.

    Returns
    -------
    array (n,)

    >>> parscan.segmented_inclusive_scan(np.array([1, 2, 3, 4]), flags=[True, False, True, False])
    array([1, 3, 3, 7])
    """
    if stream is not None:
        return on_stream(segmented_inclusive_scan, locals())
    return _segmented_scan(library.segmented_inclusive_scan, x, op, flags, offsets, keys, rows,
                           dtype, initial, reverse, out, context)


def segmented_exclusive_scan(x, op="sum", *, flags=None, offsets=None, keys=None, rows: int | None = None,
                             dtype=None, initial=None, reverse: bool = False, out=None,
                             context: Context | None = None, stream=None):
    """Exclusive scan of every segment; the first element of each is ``initial``, or the identity.

    Otherwise as ``segmented_inclusive_scan()``.

    >>> parscan.segmented_exclusive_scan(np.array([1, 2, 3, 4]), offsets=[0, 2, 4])
    array([0, 1, 0, 3])
    """
    if stream is not None:
        return on_stream(segmented_exclusive_scan, locals())
    return _segmented_scan(library.segmented_exclusive_scan, x, op, flags, offsets, keys, rows,
                           dtype, initial, reverse, out, context)


def segmented_reduce(x, op="sum", *, flags=None, offsets=None, keys=None, rows: int | None = None,
                     dtype=None, initial=None, reverse: bool = False, counted: bool | None = None,
                     room: int | None = None, context: Context | None = None, stream=None):
    """Reduction of every segment; of an empty one ``initial``, or the identity.

    Parameters are those of ``segmented_inclusive_scan()``, and counted and room as for ``compact_if()``: for
    flags and keys, and counted for rows of a counted x.

    Returns
    -------
    array (segments,)

    >>> parscan.segmented_reduce(np.array([1, 2, 3, 4]), offsets=[0, 3, 3, 4])
    array([6, 0, 4])
    """
    if stream is not None:
        return on_stream(segmented_reduce, locals())
    if (counted is None or counted is False) and room is None and _is_direct(flags, offsets, keys, rows, initial, context):
        y = _short_reduce(x, op, flags, offsets) if dtype is None and is_short(x, None) else None
        if y is None:
            y = _direct(library.segmented_reduce, True, x, op, flags, offsets, dtype, reverse)
        if y is not None:
            return y
    arrays, context = choose_counted(x, context, flags, offsets, keys, counted=counted, room=room)
    x, code, n, target, options, _element = _prepare(arrays, context, x, op, dtype, initial, reverse)
    segments = Described(arrays, context, n, flags, offsets, keys, rows)
    y, count = arrays.empty((segments.room, *target.shape), target.base), context.count
    segments.call(context, library.segmented_reduce, code, arrays.pointer(x), arrays.pointer(y), segments.n, segments.struct, count.at if segments.count is None else None, options)
    return segments.give(arrays, y, count)


def reduce_by_key(keys, x, op="sum", *, dtype=None, initial=None, reverse: bool = False,
                  counted: bool | None = None, room: int | None = None, context: Context | None = None,
                  stream=None):
    """Of each run of equal neighbouring keys the first key, and the reduction of its elements: of sorted
    keys, what a GROUP BY gives. NaN equals NaN.

    Parameters
    ----------
    keys : array (n,)
    x : array (n,)
    op, dtype, initial, reverse, context, stream
        As for ``segmented_reduce()``.
    counted, room : as for ``compact_if()``

    Returns
    -------
    keys, results : arrays (runs,)

    >>> parscan.reduce_by_key(np.array([1, 1, 4]), np.array([10, 20, 30]))
    (array([1, 4]), array([30, 30]))
    """
    if stream is not None:
        return on_stream(reduce_by_key, locals())
    arrays, context = choose_counted(keys, context, x, counted=counted, room=room)
    keys = vector(arrays, context, keys, "keys")
    kind, n = arrays.dtype(keys), arrays.size(keys)
    x, code, values, target, options, _element = _prepare(arrays, context, x, op, dtype, initial, reverse)
    if values != n:
        raise ValueError(f"x has {values} elements: it must have {n}")
    length, count = context.room_for(n), context.count
    firsts, y = arrays.empty((length,), kind), arrays.empty((length, *target.shape), target.base)
    context.call(library.reduce_by_key, CODES[kind], arrays.pointer(keys), arrays.pointer(firsts),
                 code, arrays.pointer(x), arrays.pointer(y), n, count.at, options)
    return cut(arrays, firsts, count), cut(arrays, y, count)


def recurrence_code(dtype) -> int:
    """The library's number of a recurrence's type, which for bool would be that of uint8."""
    if dtype == BOOL:
        raise UnsupportedError("dtype = bool: a recurrence takes floats of at most 64 bits")
    return code_of(dtype)


def _terms(arrays, context, x, what, axis):
    """A taken array of a recurrence: of one dimension, or an axis is named."""
    if axis is None:
        return vector(arrays, context, x, what)
    x = take(arrays, context, x, what)
    if x.ndim > 1 and context.plain is not context:
        raise TypeError(f"{what} is counted, with {x.ndim} dimensions: it must have 1")
    return x


def recurrence(a, b, x0=None, *, axis: int | None = None, out=None, context: Context | None = None, stream=None):
    """The linear recurrence ``out[i] = a[i] * out[i-1] + b[i]`` with ``out[-1] = x0``.

    Last bits may differ between machines and numbers of threads.

    Parameters
    ----------
    a, b : floats (n,), of one type
        a may be a number, which stands for all of them.
    x0 : scalar, optional
        None: 0.
    axis : int, optional
        The axis along which the recurrence runs; then a and b may have any shape, which is the same. x0 is
        that of every line.
    out : array, optional
        May be a, or b.

    Returns
    -------
    array
        Of b's shape.

    >>> parscan.recurrence(0.5, np.array([1.0, 1.0, 1.0]))  # y[i] = 0.5 * y[i-1] + b[i]
    array([1.  , 1.5 , 1.75])
    """
    if stream is not None:
        return on_stream(recurrence, locals())
    constant = isinstance(a, (int, float, np.floating))
    arrays, context = choose_counted(b, context) if constant else choose_counted(a, context, b)
    if not constant:
        a = _terms(arrays, context, a, "a", axis)
    b = _terms(arrays, context, b, "b", axis)
    dtype, n, shape = arrays.dtype(b), arrays.size(b), tuple(arrays.shape(b))
    if not constant and (arrays.dtype(a) != dtype or tuple(arrays.shape(a)) != shape):
        raise ValueError(f"b is {dtype}{list(shape)}: it must be as a, {arrays.dtype(a)}{list(arrays.shape(a))}")
    code, first = recurrence_code(dtype), None if x0 is None else scalar(x0, dtype, "x0")
    options = recurrence_options(constant, 0, 0)
    if axis is not None:
        axis = axis_of(shape, axis)
        n, (options, _held) = shape[axis], with_shape(options, math.prod(shape[:axis]), math.prod(shape[axis + 1:]))
    factor = scalar(a, dtype, "a") if constant else None
    y = arrays.output(out, shape, dtype, *(() if constant else (a,)), b)
    context.call(library.recurrence_with, code, pointer_of(factor) if constant else arrays.pointer(a),
                 arrays.pointer(b), None if first is None else pointer_of(first), arrays.pointer(y), n, options)
    return arrays.finish(y, out)
