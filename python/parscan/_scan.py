"""parscan/scan.h: inclusive scan, exclusive scan, reduction."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ._context import Context, host_context
from ._families import choose, on_stream
from ._library import (ALGORITHMS, CODES, OPS, ScanOptions, Segments, address_of, code_of, library,
                       number_of, scalar)

_BOOL, _U64 = np.dtype(bool), np.dtype(np.uint64)
_I64 = np.dtype(np.int64)
_SUM, _PRODUCT = OPS["sum"], OPS["product"]
_OFFSETS = 1  # PARSCAN_SEGMENTS_OFFSETS
_kept: list = []  # options that calls have used; the library only reads them


def _fields(op, algorithm, out_type, reverse, reproducible, block_threads, items_per_thread):
    if min(block_threads, items_per_thread) < 0:
        raise ValueError("block_threads and items_per_thread must not be negative")
    return {"op": number_of(OPS, op, "op"),
            "algorithm": number_of(ALGORITHMS, algorithm, "algorithm"), "out_type": out_type,
            "reverse": bool(reverse), "reproducible": bool(reproducible),
            "block_threads": block_threads, "items_per_thread": items_per_thread}


@lru_cache(maxsize=None)
def _options(*fields) -> int:
    """The address of options without an initial value; the same for the same fields."""
    options = ScanOptions(**_fields(*fields))
    _kept.append(options)
    return options.address


class _WithInitial:
    """Options with an initial value."""

    def __init__(self, initial, dtype, fields):
        self.element = scalar(initial, dtype)
        self.options = ScanOptions(init=address_of(self.element), **_fields(*fields))
        self.address = self.options.address


@lru_cache(maxsize=None)
def widens(source: int, target: int) -> bool:
    """Whether a sum may read elements of one type and accumulate in another: the library's answer."""
    options = ScanOptions(out_type=target)
    status = library.inclusive_scan(host_context().handle, source, None, None, 0, options.address)
    return status == 0


@lru_cache(maxsize=None)
def plan(dtype, op, target):
    """For elements of dtype: the type of the result, its number, and the type to convert to before
    (None: no conversion)."""
    number = number_of(OPS, op, "op")
    if target is None:
        sums = number in (_SUM, _PRODUCT)
        target = _I64 if dtype == _BOOL and sums else dtype
    target = np.dtype(target)
    code = code_of(target)
    if target == dtype:
        return target, code, None
    if number == _SUM and target.kind in "iuf":
        # The sum of bools is that of bytes; its bits are the same for signed and unsigned types.
        wide = CODES[np.dtype(f"u{target.itemsize}")] if dtype == _BOOL and target.kind == "i" else code
        if widens(CODES[dtype], wide):
            return target, wide, None
    return target, code, target


def numpy_sum_type(dtype, target):
    """The type of NumPy's cumsum() and cumprod(): integers become 64 bits wide."""
    if target is not None or dtype.kind not in "biu":
        return target
    return _U64 if dtype.kind == "u" else _I64


def rows_of(arrays, x, axis):
    """The array with the axis last, taken; its shape; the axis's length."""
    shape = arrays.shape(x)
    if not -len(shape) <= axis < len(shape):
        raise np.exceptions.AxisError(axis, len(shape)) if hasattr(np, "exceptions") else \
            np.AxisError(axis, len(shape))
    if axis not in (-1, len(shape) - 1):
        x = arrays.moveaxis(x, axis, -1)
        shape = arrays.shape(x)
    return x, shape, shape[-1]


def row_segments(arrays, rows, length):
    """Rows of one length as segments; and the array of their offsets, to be kept."""
    offsets = arrays.multiples(rows + 1, length, _U64)
    return Segments(kind=_OFFSETS, type=CODES[_U64], data=arrays.pointer(offsets), count=rows), offsets


def _scan_rows(arrays, context, kind, x, y, length, code, fields, initial, dtype):
    """Scans each row of x into y."""
    rows = arrays.size(x) // length if length else 0
    held = None if initial is None else _WithInitial(initial, dtype, fields)
    options = _options(*fields) if held is None else held.address
    source, target = arrays.pointer(x), arrays.pointer(y)
    _, algorithm, _, _, reproducible, *_ = fields
    if rows > 1 and algorithm == "auto" and not reproducible:
        segments, _offsets = row_segments(arrays, rows, length)
        context.call(getattr(library, f"segmented_{kind}_scan"), code, source, target,
                     arrays.size(x), segments.address, options)
        return
    # What scans of segments do not offer.
    function = getattr(library, f"{kind}_scan")
    steps = length * (arrays.nbytes(x) // max(arrays.size(x), 1)), length * dtype.itemsize
    for row in range(rows):
        context.call(function, code, source + row * steps[0], target + row * steps[1], length, options)


def _scan(kind, function, x, op, axis, dtype, initial, reverse, out, algorithm, reproducible,
          block_threads, items_per_thread, context, numpy_type=False):
    arrays, context = choose(x, context)
    x = arrays.take(x)
    source = arrays.dtype(x)
    if numpy_type:
        dtype = numpy_sum_type(source, dtype)
    target, out_code, convert = plan(source, op, dtype)
    if convert is not None:
        x = arrays.cast(x, convert)
        source = convert
    fields = (op, algorithm, out_code, reverse, reproducible, block_threads, items_per_thread)
    if axis is None:
        n = arrays.size(x)
        y = arrays.output(out, (n,), target, x, in_place=source.itemsize == target.itemsize)
        if initial is None:
            context.call(function, CODES[source], arrays.pointer(x), arrays.pointer(y), n,
                         _options(*fields))
        else:
            held = _WithInitial(initial, target, fields)
            context.call(function, CODES[source], arrays.pointer(x), arrays.pointer(y), n,
                         held.address)
        return arrays.finish(y, out)
    x, shape, length = rows_of(arrays, x, axis)
    last = axis in (-1, len(shape) - 1)
    y = (arrays.output(out, shape, target, x, in_place=source.itemsize == target.itemsize) if last
         else arrays.empty(shape, target))
    _scan_rows(arrays, context, kind, x, y, length, CODES[source], fields, initial, target)
    if last:
        return arrays.finish(y, out)
    y = arrays.moveaxis(y, -1, axis)
    if out is not None:
        arrays.output(out, arrays.shape(y), target)  # that it is as it must be
    return arrays.finish(y, out)


def inclusive_scan(x, op="sum", *, axis: int | None = None, dtype=None, initial=None,
                   reverse: bool = False, out=None, algorithm: str = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream=None):
    """Inclusive scan: ``out[i] = x[0] op ... op x[i]``.

    Parameters
    ----------
    x : array of any shape
        bool, integers of 8 to 64 bits, float32, float64.
    op : {"sum", "product", "min", "max", "and", "or", "xor"} or NumPy's ufunc of it
        "and", "or", "xor" are for integers and bool. "min" and "max" propagate NaN, and -0 is below +0.
    axis : int, optional
        Scans along this axis. None: the flattened array, and the result has one dimension.
    dtype : optional
        The type of the result, to which elements are converted before. None: that of x (unlike
        ``cumsum()``); int64 for sums and products of bool.
    initial : scalar, optional
        Combined before the first element (in reverse: the last) of every row.
    reverse : bool
        From the end: ``out[i] = x[n-1] op ... op x[i]``.
    out : array, optional
        Of the result's shape and dtype; may be x. If it is not contiguous, or overlaps x otherwise,
        the result is copied to it.
    algorithm : str
        A name of ``parscan.algorithms``; "auto" is the fastest.
    reproducible : bool
        Sums and products of floats have the same bits on every machine and number of threads.
    block_threads, items_per_thread : int
        The shape of a block, for block algorithms; 0: a default.
    context : Context, optional
        None: this thread's own.
    stream : optional
        For device arrays: the CUDA stream; None: the current stream of their library.

    Returns
    -------
    array
        Contiguous, of x's shape, or of ``x.size`` elements with axis=None.
    """
    if stream is not None:
        return on_stream(inclusive_scan, locals())
    return _scan("inclusive", library.inclusive_scan, x, op, axis, dtype, initial, reverse, out,
                 algorithm, reproducible, block_threads, items_per_thread, context)


def exclusive_scan(x, op="sum", *, axis: int | None = None, dtype=None, initial=None,
                   reverse: bool = False, out=None, algorithm: str = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream=None):
    """Exclusive scan: ``out[i] = x[0] op ... op x[i-1]``; ``out[0]`` is ``initial``, or the identity.

    The identity of a sum of floats is -0. Otherwise as ``inclusive_scan()``.
    """
    if stream is not None:
        return on_stream(exclusive_scan, locals())
    return _scan("exclusive", library.exclusive_scan, x, op, axis, dtype, initial, reverse, out,
                 algorithm, reproducible, block_threads, items_per_thread, context)


def cumsum(x, axis: int | None = None, dtype=None, out=None, *, reproducible: bool = False,
           context: Context | None = None, stream=None):
    """Cumulative sum, as ``numpy.cumsum()``: integers and bool of less than 64 bits give int64 or
    uint64. Floats are summed in their own type; ``inclusive_scan()`` has the other options.
    """
    if stream is not None:
        return on_stream(cumsum, locals())
    return _scan("inclusive", library.inclusive_scan, x, "sum", axis, dtype, None, False, out, "auto",
                 reproducible, 0, 0, context, True)


def cumprod(x, axis: int | None = None, dtype=None, out=None, *, reproducible: bool = False,
            context: Context | None = None, stream=None):
    """Cumulative product, as ``numpy.cumprod()``; types as in ``cumsum()``, to which smaller integers
    are converted before, in a copy.
    """
    if stream is not None:
        return on_stream(cumprod, locals())
    return _scan("inclusive", library.inclusive_scan, x, "product", axis, dtype, None, False, out,
                 "auto", reproducible, 0, 0, context, True)


def _reduce_rows(arrays, context, x, y, code, fields, initial, target):
    *shape, length = arrays.shape(x)
    rows = math.prod(shape)
    held = None if initial is None else _WithInitial(initial, target, fields)
    options = _options(*fields) if held is None else held.address
    _, algorithm, _, _, reproducible, *_ = fields
    if algorithm == "auto" and not reproducible:
        segments, _offsets = row_segments(arrays, rows, length)
        context.call(library.segmented_reduce, code, arrays.pointer(x), arrays.pointer(y),
                     arrays.size(x), segments.address, None, options)
        return
    step = arrays.nbytes(x) // max(rows, 1)
    for row in range(rows):
        context.call(library.reduce, code, arrays.pointer(x) + row * step,
                     arrays.pointer(y) + row * target.itemsize, length, options)


def reduce(x, op="sum", *, axis: int | None = None, dtype=None, initial=None, keepdims: bool = False,
           reverse: bool = False, algorithm: str = "auto", reproducible: bool = False,
           block_threads: int = 0, items_per_thread: int = 0, context: Context | None = None,
           stream=None):
    """Reduction: ``x[0] op ... op x[n-1]``; of no element ``initial``, or the identity.

    Parameters are those of ``inclusive_scan()``.

    keepdims : bool
        With an axis, the result keeps it, with length 1.

    Returns
    -------
    scalar or array
        With axis=None NumPy's scalar; for device arrays an array without dimensions, on the device.
    """
    if stream is not None:
        return on_stream(reduce, locals())
    arrays, context = choose(x, context)
    x = arrays.take(x)
    source = arrays.dtype(x)
    target, out_code, convert = plan(source, op, dtype)
    if convert is not None:
        x = arrays.cast(x, convert)
        source = convert
    fields = (op, algorithm, out_code, reverse, reproducible, block_threads, items_per_thread)
    if axis is None:
        y = arrays.empty((), target)
        held = None if initial is None else _WithInitial(initial, target, fields)
        context.call(library.reduce, CODES[source], arrays.pointer(x), arrays.pointer(y),
                     arrays.size(x), _options(*fields) if held is None else held.address)
        return arrays.element(y)
    ndim = len(arrays.shape(x))
    x, shape, _ = rows_of(arrays, x, axis)
    y = arrays.empty(shape[:-1], target)
    if math.prod(shape[:-1]):
        _reduce_rows(arrays, context, x, y, CODES[source], fields, initial, target)
    if keepdims:
        whole = list(shape[:-1])
        whole.insert(axis % ndim, 1)
        y = arrays.reshape(y, tuple(whole))
    return arrays.give(y)
