"""parscan/segmented.h and segments.h: scans and reductions of segments, linear recurrences."""

from __future__ import annotations

import ctypes

import numpy as np

from ._context import Context
from ._families import choose, on_stream, vector
from ._library import CODES, COUNT, INDEX_TYPES, Segments, address_of, library, scalar, unsigned_code
from ._scan import _I64, _WithInitial, _options, plan

_KINDS = {"flags": 0, "offsets": 1, "keys": 2}
_FLAG_TYPES = (np.dtype(bool), np.dtype(np.uint8), np.dtype(np.int8))


class Described:
    """The segments of n elements, from exactly one of flags, offsets and keys."""

    def __init__(self, arrays, n, flags, offsets, keys):
        given = {name: value for name, value in (("flags", flags), ("offsets", offsets), ("keys", keys))
                 if value is not None}
        if len(given) != 1:
            raise ValueError("give exactly one of flags, offsets and keys")
        (kind, data), = given.items()
        data = arrays.take(data)
        dtype, size = arrays.dtype(data), arrays.size(data)
        if kind == "flags" and dtype not in _FLAG_TYPES:
            raise TypeError(f"flags are {dtype}: they must be bool or uint8")
        if kind == "offsets":
            if dtype not in INDEX_TYPES:
                data, dtype = arrays.cast(data, _I64), _I64
            if size == 0:
                raise ValueError("offsets must have at least one element")
        elif size != n:
            raise ValueError(f"{kind} has {size} elements, x has {n}")
        code = {"flags": 0, "offsets": unsigned_code(dtype), "keys": CODES[dtype]}[kind]
        self.data = data
        self.count = size - 1 if kind == "offsets" else None
        self.struct = Segments(kind=_KINDS[kind], type=code, data=arrays.pointer(data),
                               count=self.count or 0)
        self.address = self.struct.address


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
    y = arrays.output(out, (n,), target, x, segments.data,
                      in_place=source.itemsize == target.itemsize)
    fields = (op, "auto", code, reverse, False, 0, 0)
    held = None if initial is None else _WithInitial(initial, target, fields)
    context.call(function, CODES[source], arrays.pointer(x), arrays.pointer(y), n, segments.address,
                 _options(*fields) if held is None else held.address)
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
    copied; other integers become int64.

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
    count = COUNT(0)
    fields = (op, "auto", code, reverse, False, 0, 0)
    held = None if initial is None else _WithInitial(initial, target, fields)
    context.call(library.segmented_reduce, CODES[source], arrays.pointer(x), arrays.pointer(y), n,
                 segments.address, None if segments.count is not None else ctypes.addressof(count),
                 _options(*fields) if held is None else held.address)
    return arrays.give(y if segments.count is not None else arrays.head(y, count.value))


def recurrence(a, b, x0=None, *, out=None, context: Context | None = None, stream=None):
    """The linear recurrence ``out[i] = a[i] * out[i-1] + b[i]`` with ``out[-1] = x0``.

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
    first = None if x0 is None else scalar(x0, dtype)
    y = arrays.output(out, (n,), dtype, a, b)
    context.call(library.recurrence, CODES[dtype], arrays.pointer(a), arrays.pointer(b),
                 None if first is None else address_of(first), arrays.pointer(y), n)
    return arrays.finish(y, out)
