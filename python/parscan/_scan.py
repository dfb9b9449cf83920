"""parscan/scan.h: inclusive scan, exclusive scan, reduction."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from . import _times
from ._arguments import taken
from ._axes import as_auto, axes_of, axis_of, kept_shape
from ._bool import BOOL, operator_on, reduction
from ._context import Context, checked, host_context
from ._errors import UnsupportedError
from ._families import on_stream
from ._host import direct
from ._library import (ALGORITHMS, CODES, DTYPES, OFFSETS, OPS, ROWS, UNSIGNED, code_of, dtype_of, flag, library,
                       number_of, pointer_of, remembered, scalar, scan_options, segments_of, whole, with_shape)
from ._operator import CUSTOM, Operator, element_of, taken_elements
from ._times import is_time

ndarray = np.ndarray
_I64, _U64 = np.dtype(np.int64), np.dtype(np.uint64)
_SUM, _PRODUCT = OPS["sum"], OPS["product"]


_PLAIN = ("auto", False, False, 0, 0)  # algorithm, reverse, reproducible, block_threads, items_per_thread


@remembered
def _fields(op, algorithm, out_type, reverse, reproducible, block_threads, items_per_thread):
    """The fields of parscan_scan_options before and behind init. op: a name or a number."""
    block_threads = whole(block_threads, "block_threads", 0, 2**32 - 1)
    items_per_thread = whole(items_per_thread, "items_per_thread", 0, 2**32 - 1)
    number = op if type(op) is int else number_of(OPS, op, "op")
    return ((number, number_of(ALGORITHMS, algorithm, "algorithm"), out_type),
            (flag(reverse, "reverse"), flag(reproducible, "reproducible"), block_threads, items_per_thread))


def plain_options(op, out_type=0, shape=_PLAIN, start=0, custom=0) -> bytes:
    """Options with no initial value, or that at the address `start`."""
    algorithm, *rest = shape
    before, behind = _fields(op, algorithm, out_type, *rest)
    return scan_options(*before, start, *behind, 0, custom)


def options_of(initial, dtype, op, out_type, shape=_PLAIN, what="initial"):
    """Options for results of dtype, and what they point to. what: the parameter that initial is."""
    number, start = operator_on(op, dtype)
    element = None if initial is None else scalar(initial, dtype, what)
    if element is not None:
        start = pointer_of(element)
    return plain_options(number, out_type, shape, start), element


def custom_options(op, dtype, initial, shape=_PLAIN):
    """options_of() for an Operator, which has a type of its own."""
    if dtype is not None and dtype_of(dtype) != op.result:
        raise TypeError(f"dtype = {dtype_of(dtype)}: the results of the operator are {op.result}")
    element = None if initial is None else element_of(initial, op.dtype, "initial")
    return plain_options(0, 0, shape, 0 if element is None else pointer_of(element), op.handle), element


def _need_line(shape, axis):
    """That elements of this shape are scanned as one line."""
    if axis is not None and (len(shape) != 1 or axes_of(shape, axis) != (0,)):
        raise UnsupportedError(f"axis = {axis!r} of {len(shape)} dimensions: by an Operator scans and reductions go "
                               "along one; segmented ones with rows= go along the last axis")


def _scan_by(function, x, op, axis, dtype, initial, reverse, out, *rest):
    """A scan by an Operator."""
    *shape, context = rest
    options, _element = custom_options(op, dtype, initial, (shape[0], reverse, *shape[1:]))
    arrays, context, x, lines, n = taken_elements(x, op.source, context)
    _need_line(lines, axis)
    y = arrays.output(out, (n, *op.result.shape), op.result.base, x, in_place=not op.has_maps)
    context.call(function, CUSTOM, arrays.pointer(x), arrays.pointer(y), n, options)
    return arrays.finish(y, out)


def _reduce_by(x, op, axis, dtype, initial, keepdims, *rest):
    """A reduction by an Operator."""
    *shape, context = rest
    options, _element = custom_options(op, dtype, initial, shape)
    arrays, context, x, lines, n = taken_elements(x, op.source, context)
    _need_line(lines, axis)
    y = arrays.empty((1,) * (keepdims and axis is not None) + op.result.shape, op.result.base)
    context.call(library.reduce, CUSTOM, arrays.pointer(x), arrays.pointer(y), n, options)
    return arrays.give(y) if arrays.shape(y) else arrays.element(y)


@lru_cache(maxsize=None)
def widens(source: int, target: int) -> bool:
    """Whether a sum may read elements of one type and accumulate in another: the library's answer."""
    try:
        host_context().call(library.inclusive_scan, source, None, None, 0, plain_options("sum", target))
    except UnsupportedError:
        return False
    return True


@remembered
def plan(dtype, op, target, wide_unsigned=None):
    """For elements of dtype: the type of the result, its number, and the type to convert to before
    (None: no conversion). wide_unsigned: integers become 64 bits wide, as in NumPy's cumsum(), and
    unsigned ones of this type."""
    number = number_of(OPS, op, "op")
    if target is None:
        if wide_unsigned is not None and dtype.kind in "biu":
            target = wide_unsigned if dtype.kind == "u" else _I64
        else:
            target = _I64 if dtype == BOOL and number in (_SUM, _PRODUCT) else dtype
    target = dtype_of(target)
    code = code_of(target)
    if target == dtype:
        return target, code, None
    if number == _SUM and target.kind in "iuf":
        # The sum of bools is that of bytes. Its bits are the same for signed and unsigned types.
        wide = UNSIGNED[target] if dtype.kind in "bu" and target.kind == "i" else code
        if CODES[dtype] == wide:
            return target, wide, None
        if widens(CODES[dtype], wide):
            return target, wide, None
    return target, code, target


@remembered
def prepared(dtype, op, target, wide_unsigned, *shape):
    """plan(), and the options without an initial value, by one look into a cache."""
    target, code, convert = plan(dtype, op, target, wide_unsigned)
    return target, code, convert, options_of(None, target, op, code, shape)[0]


def _scan_rows(arrays, context, kind, x, y, length, code, options, by_row):
    """Scans each row of x into y. by_row: for what scans of segments do not offer."""
    source, target, n = arrays.pointer(x), arrays.pointer(y), arrays.size(x)
    if not n:
        return
    if not by_row:
        segments = segments_of(ROWS, 0, 0, length)
        context.call(getattr(library, f"segmented_{kind}_scan"), code, source, target, n, segments,
                     options)
        return
    function = getattr(library, f"{kind}_scan")
    steps = length * arrays.dtype(x).itemsize, length * arrays.dtype(y).itemsize
    for row in range(n // length):
        context.call(function, code, source + row * steps[0], target + row * steps[1], length, options)


def _scan(kind, function, x, op, axis, dtype, initial, reverse, out, algorithm, reproducible,
          block_threads, items_per_thread, context, widens_all=False):
    if type(op) is Operator:
        return _scan_by(function, x, op, axis, dtype, initial, reverse, out, algorithm, reproducible, block_threads,
                        items_per_thread, context)
    if (type(x) is ndarray and context is None and axis is None and out is None and initial is None
            and x.flags.c_contiguous and x.dtype in DTYPES):
        target, _, convert, options = prepared(x.dtype, op, dtype, _U64 if widens_all else None,
                                                algorithm, reverse, reproducible, block_threads,
                                                items_per_thread)
        if convert is None:
            return direct(function, CODES[x.dtype], x, x.size, target, options)
    arrays, context, x, source, n = taken(x, context)
    shape = algorithm, reverse, reproducible, block_threads, items_per_thread
    wide_unsigned = arrays.wide_unsigned if widens_all else None
    target, out_code, convert, options = prepared(source, op, dtype, wide_unsigned, *shape)
    if convert is not None:
        x, source = arrays.cast(x, convert), convert
    if initial is not None:
        options, _element = options_of(initial, target, op, out_code, shape)
    if axis is None or arrays.shape(x) == (n,) and axis_of((n,), axis) == 0:
        y = arrays.output(out, (n,), target, x)
        context.call(function, CODES[source], arrays.pointer(x), arrays.pointer(y), n, options)
        return arrays.finish(y, out)
    shape = arrays.shape(x)
    axis = axis_of(shape, axis)
    if as_auto(algorithm, target, op, shape[axis], initial):
        context.call(function, CODES[source], None, None, 0, options)  # refuses what the algorithm does not take
        algorithm, (options, _element) = "auto", options_of(initial, target, op, out_code, (
            "auto", reverse, False, 0, 0))
    by_row = algorithm != "auto" or reproducible
    along = algorithm == "auto"
    if along and (reproducible or axis < len(shape) - 1):  # segments are faster for rows
        y = arrays.output(out, shape, target, x)
        options, _held = with_shape(options, math.prod(shape[:axis]), math.prod(shape[axis + 1:]), 1)
        context.call(function, CODES[source], arrays.pointer(x), arrays.pointer(y), shape[axis], options)
        return arrays.finish(y, out)
    if axis == len(shape) - 1:
        y = arrays.output(out, shape, target, x)
        _scan_rows(arrays, context, kind, x, y, shape[-1], CODES[source], options, by_row)
        return arrays.finish(y, out)
    if out is not None:
        arrays.output(out, shape, target)  # that it is as it must be
    x = arrays.swapaxes(x, axis, -1)
    y = arrays.empty(arrays.shape(x), target)
    _scan_rows(arrays, context, kind, x, y, shape[axis], CODES[source], options, by_row)
    return arrays.finish(arrays.swapaxes(y, axis, -1), out)


def inclusive_scan(x, op="sum", *, axis: int | None = None, dtype=None, initial=None,
                   reverse: bool = False, out=None, algorithm: str = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream=None):
    """Inclusive scan: ``out[i] = x[0] op ... op x[i]``.

    Parameters
    ----------
    x : array of any shape
        bool, integers of 8 to 64 bits, float16, bfloat16, float32, float64. Sums and products of 16-bit
        floats are computed in float32, and each result is rounded once.
    op : {"sum", "product", "min", "max", "and", "or", "xor"} or NumPy's ufunc of it, or Operator
        "and", "or", "xor" are for integers and bool. "min" and "max" propagate NaN, and -0 is below +0. By an
        ``Operator`` x and initial are of its type, and the axis is the only one.
    axis : int, optional
        Scans along this axis. None: the flattened array, and the result has one dimension.
    dtype : optional
        The type of the result, to which elements are converted before. None: that of x (unlike
        ``cumsum()``); int64 for sums and products of bool. A sum of type bool is "or", as NumPy's.
    initial : scalar, optional
        Combined before the first element (in reverse: the last) of every row.
    reverse : bool
        From the end: ``out[i] = x[n-1] op ... op x[i]``.
    out : array, optional
        Of the result's shape and dtype; may be x. If it is not contiguous, or overlaps x otherwise,
        the result is copied to it.
    algorithm : str
        A name of ``parscan.algorithms``; "auto" is the fastest. Rows below 4096 elements whose results are the
        same by every algorithm are computed by "auto".
    reproducible : bool
        Sums and products of floats have the same bits on every machine and number of threads, in
        every floating-point mode of the caller.
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

    >>> parscan.inclusive_scan(np.array([3, 1, 7]), "max")
    array([3, 3, 7])
    """
    if stream is not None:
        return on_stream(inclusive_scan, locals())
    if is_time(x):
        return _times.scan(inclusive_scan, x, op, axis, out, initial, dtype=dtype, reverse=reverse, algorithm=algorithm,
                           reproducible=reproducible, context=context)
    return _scan("inclusive", library.inclusive_scan, x, op, axis, dtype, initial, reverse, out,
                 algorithm, reproducible, block_threads, items_per_thread, context)


def exclusive_scan(x, op="sum", *, axis: int | None = None, dtype=None, initial=None,
                   reverse: bool = False, out=None, algorithm: str = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream=None):
    """Exclusive scan: ``out[i] = x[0] op ... op x[i-1]``; ``out[0]`` is ``initial``, or the identity.

    Otherwise as ``inclusive_scan()``.

    >>> parscan.exclusive_scan(np.array([3, 1, 7]))
    array([0, 3, 4])
    """
    if stream is not None:
        return on_stream(exclusive_scan, locals())
    return _scan("exclusive", library.exclusive_scan, x, op, axis, dtype, initial, reverse, out,
                 algorithm, reproducible, block_threads, items_per_thread, context)


def cumsum(x, axis: int | None = None, dtype=None, out=None, *, reproducible: bool = False,
           context: Context | None = None, stream=None):
    """Cumulative sum, as ``numpy.cumsum()``: integers and bool of less than 64 bits give int64 or
    uint64; of tensors, int64, as ``torch.cumsum()``. Floats are summed in their own type;
    ``inclusive_scan()`` has the other options.

    >>> parscan.cumsum(np.array([3, 1, 7]))
    array([ 3,  4, 11])
    """
    if stream is not None:
        return on_stream(cumsum, locals())
    if is_time(x):
        return inclusive_scan(x, axis=axis, dtype=dtype, out=out, context=context)
    return _scan("inclusive", library.inclusive_scan, x, "sum", axis, dtype, None, False, out, "auto",
                 reproducible, 0, 0, context, widens_all=True)


def cumprod(x, axis: int | None = None, dtype=None, out=None, *, reproducible: bool = False,
            context: Context | None = None, stream=None):
    """Cumulative product, as ``numpy.cumprod()``; types as in ``cumsum()``, to which smaller integers
    are converted before, in a copy.

    >>> parscan.cumprod(np.array([2, 3, 4]))
    array([ 2,  6, 24])
    """
    if stream is not None:
        return on_stream(cumprod, locals())
    return _scan("inclusive", library.inclusive_scan, x, "product", axis, dtype, None, False, out,
                 "auto", reproducible, 0, 0, context, widens_all=True)


def _reduce_rows(arrays, context, x, y, length, code, options, by_row):
    """Reduces each row of a length to an element of y."""
    rows = arrays.size(y)
    if not by_row:
        if length:
            segments = segments_of(ROWS, 0, 0, length)
        else:  # rows of no element
            offsets = arrays.full((rows + 1,), 0, _I64)
            segments = segments_of(OFFSETS, UNSIGNED[_I64], arrays.pointer(offsets), rows)
        context.call(library.segmented_reduce, code, arrays.pointer(x), arrays.pointer(y),
                     arrays.size(x), segments, None, options)
        return
    steps = length * arrays.dtype(x).itemsize, arrays.dtype(y).itemsize
    for row in range(rows):
        context.call(library.reduce, code, arrays.pointer(x) + row * steps[0],
                     arrays.pointer(y) + row * steps[1], length, options)


def reduce(x, op="sum", *, axis: int | tuple | None = None, dtype=None, initial=None,
           keepdims: bool = False, reverse: bool = False, algorithm: str = "auto", reproducible: bool = False,
           block_threads: int = 0, items_per_thread: int = 0, context: Context | None = None,
           stream=None):
    """Reduction: ``x[0] op ... op x[n-1]``; of no element ``initial``, or the identity.

    Parameters are those of ``inclusive_scan()``.

    axis : int or tuple of int, optional
        Of several axes, elements are taken in the order in which they lie in x.
    keepdims : bool
        With an axis, the result keeps it, with length 1.

    Returns
    -------
    scalar or array
        With axis=None NumPy's scalar; for device arrays an array without dimensions, on the device.

    >>> int(parscan.reduce(np.array([3, 1, 7]), "max"))
    7
    """
    if stream is not None:
        return on_stream(reduce, locals())
    keepdims = flag(keepdims, "keepdims")
    if type(op) is Operator:
        return _reduce_by(x, op, axis, dtype, initial, keepdims, algorithm, reverse, reproducible, block_threads,
                          items_per_thread, context)
    if (type(x) is ndarray and context is None and axis is None and initial is None
            and x.flags.c_contiguous and x.dtype in DTYPES):
        target, _, convert, options = prepared(x.dtype, op, dtype, None, algorithm, reverse,
                                                reproducible, block_threads, items_per_thread)
        if convert is None:
            return direct(library.reduce, CODES[x.dtype], x, (), target, options)[()]
    if (type(x) is ndarray and x.dtype == BOOL and axis is None and initial is None and x.flags.c_contiguous
            and algorithm == "auto" and (context is None or checked(context).on_cpu)):
        target, *_ = prepared(x.dtype, op, dtype, None, algorithm, reverse, reproducible, block_threads,
                               items_per_thread)
        found = reduction(x, operator_on(op, target)[0], target, context or host_context())
        if found is not None:
            return found
    if is_time(x):
        return _times.reduce(reduce, x, op, axis, initial, keepdims, dtype=dtype, reverse=reverse, algorithm=algorithm,
                             reproducible=reproducible, context=context)
    arrays, context, x, source, n = taken(x, context)
    options_shape = algorithm, reverse, reproducible, block_threads, items_per_thread
    target, out_code, convert, options = prepared(source, op, dtype, None, *options_shape)
    if convert is not None:
        x, source = arrays.cast(x, convert), convert
    if initial is not None:
        options, _element = options_of(initial, target, op, out_code, options_shape)
    is_counted = context.plain is not context  # of one axis
    if is_counted and axis == ():
        raise TypeError("axis = (): x is counted, and its axis is reduced")
    if axis is None or is_counted and axes_of((n,), axis):
        y = arrays.empty((1,) if keepdims and axis is not None else (), target)
        context.call(library.reduce, CODES[source], arrays.pointer(x), arrays.pointer(y), n, options)
        return arrays.element(y) if not arrays.shape(y) else arrays.give(y)
    shape = arrays.shape(x)
    axes = axes_of(shape, axis)
    others = tuple(k for k in range(len(shape)) if k not in axes)
    neighbours = bool(axes) and axes == tuple(range(axes[0], axes[-1] + 1))
    if as_auto(algorithm, target, op, math.prod(shape[k] for k in axes), initial):
        context.call(library.reduce, CODES[source], None, pointer_of(np.empty((), target)), 0, options)
        algorithm, (options, _element) = "auto", options_of(initial, target, op, out_code, (
            "auto", reverse, False, 0, 0))
    along = algorithm == "auto" and neighbours
    if along and (reproducible or axes[-1] < len(shape) - 1):
        y = arrays.empty(kept_shape(shape, axes, keepdims), target)
        options, _held = with_shape(options, math.prod(shape[:axes[0]]), math.prod(shape[axes[-1] + 1:]), 1)
        context.call(library.reduce, CODES[source], arrays.pointer(x), arrays.pointer(y),
                     math.prod(shape[k] for k in axes), options)
        return arrays.give(y)
    if others + axes != tuple(range(len(shape))):
        x = arrays.permuted(x, others + axes)
    y = arrays.empty(kept_shape(shape, axes, keepdims), target)
    if arrays.size(y):
        _reduce_rows(arrays, context, x, y, math.prod(shape[k] for k in axes), CODES[source], options,
                     algorithm != "auto" or reproducible)
    return arrays.give(y)
