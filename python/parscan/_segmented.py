"""parscan/segmented.h and segments.h: scans and reductions of segments, linear recurrences."""

from __future__ import annotations

import numpy as np

from ._context import Context
from ._families import choose, on_stream, vector
from ._host import OFFSETS
from ._library import CODES, INDEX_TYPES, UNSIGNED, library, pointer_of, scalar, segments_of
from ._scan import options_of, plan

FLAGS, KEYS = 0, 2  # PARSCAN_SEGMENTS_FLAGS, _KEYS
_FLAG_TYPES = (np.dtype(bool), np.dtype(np.uint8), np.dtype(np.int8))
_I64 = np.dtype(np.int64)


class Described:
    """The segments of n elements, from exactly one of flags, offsets and keys."""

    def __init__(self, arrays, n, flags, offsets, keys):
        if (flags is None) + (offsets is None) + (keys is None) != 2:
            raise ValueError("give exactly one of flags, offsets and keys")
        self.count = None
        if offsets is not None:
            kind, code = OFFSETS, self._take_offsets(arrays, offsets)
        else:
            self.data = arrays.take(flags if keys is None else keys)
            dtype, size = arrays.dtype(self.data), arrays.size(self.data)
            kind, code = (FLAGS, 0) if keys is None else (KEYS, CODES[dtype])
            if kind == FLAGS and dtype not in _FLAG_TYPES:
                raise TypeError(f"flags are {dtype}: they must be bool or uint8")
            if size != n:
                raise ValueError(f"{size} flags or keys of {n} elements")
        self.struct = segments_of(kind, code, arrays.pointer(self.data) or 0, self.count or 0)

    def _take_offsets(self, arrays, offsets):
        self.data = arrays.take(offsets)
        dtype = arrays.dtype(self.data)
        if dtype not in INDEX_TYPES:
            if dtype.kind not in "iu":
                raise TypeError(f"offsets are {dtype}: they must be integers")
            self.data, dtype = arrays.cast(self.data, _I64), _I64
        self.count = arrays.size(self.data) - 1
        if self.count < 0:
            raise ValueError("offsets must have at least one element")
        return UNSIGNED[dtype]


def _prepare(arrays, x, op, dtype):
    """x, taken and converted; its number; the result's type and number."""
    x = vector(arrays, x)
    source = arrays.dtype(x)
    target, code, convert = plan(source, op, dtype)
    if convert is not None:
        x, source = arrays.cast(x, convert), convert
    return x, source, target, code


def _segmented_scan(function, x, op, flags, offsets, keys, dtype, initial, reverse, out, context):
    arrays, context = choose(x, context)
    x, source, target, code = _prepare(arrays, x, op, dtype)
    n = arrays.size(x)
    segments = Described(arrays, n, flags, offsets, keys)
    y = arrays.output(out, (n,), target, x, segments.data)
    options, _element = options_of(initial, target, op, code, "auto", reverse, False, 0, 0)
    context.call(function, CODES[source], arrays.pointer(x), arrays.pointer(y), n, segments.struct,
                 options)
    return arrays.finish(y, out)


def segmented_inclusive_scan(x, op="sum", *, flags=None, offsets=None, keys=None, dtype=None,
                             initial=None, reverse: bool = False, out=None,
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
    op, dtype, initial, reverse, out, context, stream
        As for ``inclusive_scan()``; initial is combined before every segment.

    Exactly one of flags, offsets and keys is given. int32, uint32, int64 and uint64 offsets are not
    copied; other integers become int64. Sums and products of floats may differ in their last bits
    between machines and numbers of threads.

    Returns
    -------
    array (n,)
    """
    if stream is not None:
        return on_stream(segmented_inclusive_scan, locals())
    return _segmented_scan(library.segmented_inclusive_scan, x, op, flags, offsets, keys, dtype,
                           initial, reverse, out, context)


def segmented_exclusive_scan(x, op="sum", *, flags=None, offsets=None, keys=None, dtype=None,
                             initial=None, reverse: bool = False, out=None,
                             context: Context | None = None, stream=None):
    """Exclusive scan of every segment; the first element of each is ``initial``, or the identity.

    Otherwise as ``segmented_inclusive_scan()``.
    """
    if stream is not None:
        return on_stream(segmented_exclusive_scan, locals())
    return _segmented_scan(library.segmented_exclusive_scan, x, op, flags, offsets, keys, dtype,
                           initial, reverse, out, context)


def segmented_reduce(x, op="sum", *, flags=None, offsets=None, keys=None, dtype=None, initial=None,
                     reverse: bool = False, context: Context | None = None, stream=None):
    """Reduction of every segment; of an empty one ``initial``, or the identity.

    Parameters are those of ``segmented_inclusive_scan()``.

    Returns
    -------
    array (segments,)
    """
    if stream is not None:
        return on_stream(segmented_reduce, locals())
    arrays, context = choose(x, context)
    x, source, target, code = _prepare(arrays, x, op, dtype)
    n = arrays.size(x)
    segments = Described(arrays, n, flags, offsets, keys)
    y = arrays.empty((n if segments.count is None else segments.count,), target)
    count = context.count
    options, _element = options_of(initial, target, op, code, "auto", reverse, False, 0, 0)
    context.call(library.segmented_reduce, CODES[source], arrays.pointer(x), arrays.pointer(y), n,
                 segments.struct, count.at, options)
    return arrays.give(y if segments.count is not None else arrays.head(y, count.value))


def recurrence(a, b, x0=None, *, out=None, context: Context | None = None, stream=None):
    """The linear recurrence ``out[i] = a[i] * out[i-1] + b[i]`` with ``out[-1] = x0``.

    Last bits may differ between machines and numbers of threads.

    Parameters
    ----------
    a, b : float32 or float64 (n,), of one type
    x0 : scalar, optional
        None: 0.
    out : array (n,), optional
        May be a.

    Returns
    -------
    array (n,)
    """
    if stream is not None:
        return on_stream(recurrence, locals())
    arrays, context = choose(a, context)
    a, b = vector(arrays, a, "a"), vector(arrays, b, "b")
    dtype, n = arrays.dtype(a), arrays.size(a)
    if arrays.dtype(b) != dtype or arrays.size(b) != n:
        raise ValueError(f"b is {arrays.dtype(b)}[{arrays.size(b)}]: it must be as a, {dtype}[{n}]")
    first = None if x0 is None else scalar(x0, dtype, "x0")
    y = arrays.output(out, (n,), dtype, a, b)
    context.call(library.recurrence, CODES[dtype], arrays.pointer(a), arrays.pointer(b),
                 None if first is None else pointer_of(first), arrays.pointer(y), n)
    return arrays.finish(y, out)
