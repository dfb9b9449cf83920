"""parscan/histogram.h: how many elements fall into each bin; elements ordered by their bins."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ._arguments import integers, taken
from ._bfloat16 import number
from ._bool import BOOL, BYTE
from ._context import Context
from ._counted import Counted, cut
from ._device import DeviceArray
from ._errors import TotalOverflowError
from ._families import choose_counted, on_stream
from ._host import is_short
from ._library import (CODES, UNSIGNED, check_index, constant, flag, histogram_options, index_type, library,
                       pointer_of, remembered, scalar, whole)
from ._compact import count_if
from ._scan import plain_options, reduce
from ._sort import rows_of_values

_MOST_BINS = 2**24  # of a histogram
_NO_INDEXING = "closed = True: x must be an array of NumPy, CuPy or PyTorch"
_INT64, _numpys_bincount = np.int64, getattr(np.bincount, "__wrapped__", np.bincount)  # no look for other libraries' arrays
_I64 = np.dtype(np.int64)


def histogram(x, bins: int = 10, range=None, *, closed: bool = False, dtype=np.int64,
              context: Context | None = None, stream=None):
    """Counts in bins of equal width, as ``numpy.histogram()`` but for the last bin, which is open unless
    closed=True.

    Parameters
    ----------
    x : array of any shape
    bins : int
        1 to 2**24.
    range : (lower, upper), optional
        Of x's type; for bool, integers. The bins divide [lower, upper). None: [0, bins) for integers, and floats need
        it; with closed=True, from the least to the greatest element, as NumPy's.
    closed : bool
        upper is counted too, in the last bin, as by NumPy: x is read twice, and a third time without range.
        Not for arrays of ``__cuda_array_interface__`` alone.
    dtype : int64, uint64, int32 or uint32
        The type of the counts.

    Returns
    -------
    counts : array (bins,)
    edges : NumPy array (bins + 1,) of float64
        An element x is in the bin b with ``edges[b] <= x < edges[b + 1]``. Of floats they are
        ``numpy.linspace(lower, upper, bins + 1)``, bit for bit, with the bounds as x's type holds
        them. Integers are binned exactly, and their edges are the exact ones, rounded; integers
        above 2**28 may lie nearer to an exact edge than float64 can tell.

    Differences from NumPy
        ``upper`` itself is not counted without closed=True. Edges are float64 where NumPy rounds those of float32 to
        float32. Edges may be the same float, with empty bins between them, where NumPy 2 refuses
        the range.

    >>> counts, edges = parscan.histogram(np.array([0.1, 0.2, 0.9]), 2, (0.0, 1.0))
    >>> counts
    array([2, 1])
    """
    if stream is not None:
        return on_stream(histogram, locals())
    if flag(closed, "closed") and range is None:
        return _histogram_of_all(x, bins, dtype, context)
    arrays, context, x, kind, n = taken(x, context)
    bins = whole(bins, "bins", 1, _MOST_BINS)
    options, lower, upper = None, 0, bins
    if range is not None:
        lower, upper = range_of(range)
        options, _bounds = range_options(lower, upper, kind)
    counts = _counts(arrays, context, CODES[kind], arrays.pointer(x), n, bins, options, dtype)
    if closed:
        _count_last(arrays, context, x, counts, upper)
    cached = bins <= 4096
    edges = (_few_edges if cached else _edges)(bins, lower, upper, kind)
    return arrays.give(counts), edges.copy() if cached else edges


def _count_last(arrays, context, x, counts, upper):
    """Counts those that are the upper bound, in the last bin."""
    if not hasattr(counts, "__setitem__"):
        raise TypeError(_NO_INDEXING)
    counts[-1] += count_if(x if isinstance(x, np.ndarray) else arrays.give(x), "==", upper, context=context.plain)


def _histogram_of_all(x, bins, dtype, context):
    """A closed histogram from the least to the greatest element. Of no element, and where all are equal, NumPy's
    range is one wide."""
    bins = whole(bins, "bins", 1, _MOST_BINS)
    arrays, _, _, _, n = taken(x, context)
    bounds = (0, 1) if n == 0 else [reduce(x, op, context=context) for op in ("min", "max")]
    if isinstance(bounds[0], DeviceArray):
        raise TypeError(_NO_INDEXING)
    least, greatest = (constant(bound, "x") for bound in bounds)
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise ValueError(f"range = ({least}, {greatest}), the least and the greatest element: it must be finite")
    if n == 0 or least < greatest:
        return histogram(x, bins, (least, greatest), closed=True, dtype=dtype, context=context)
    if arrays.where != "host":
        raise ValueError(f"all elements are {least}: give a range")
    counts, edges = np.zeros(bins, index_type(dtype)[0]), np.linspace(least - 0.5, least + 0.5, bins + 1)
    counts[min(np.searchsorted(edges, least, "right"), bins) - 1] = n  # an edge of the middle may be rounded up
    return counts, edges


def range_of(given):
    """The two bounds of a range, as scalars of Python's."""
    try:
        lower, upper = given
    except (TypeError, ValueError):
        raise ValueError(f"range = {given!r}: it must be (lower, upper)") from None
    return constant(lower, "range[0]"), constant(upper, "range[1]")


@remembered
def range_options(lower, upper, kind):
    """parscan_histogram_options, and what they point to."""
    kind = BYTE if kind == BOOL else kind
    lower, upper = scalar(lower, kind, "range[0]"), scalar(upper, kind, "range[1]")
    return histogram_options(pointer_of(lower), pointer_of(upper)), (lower, upper)


def _edges(bins, lower, upper, kind):
    """The edges of bins; those of floats as parscan/histogram.h has them, bit for bit."""
    if kind.kind not in "fV":
        return _integer_edges(bins, int(lower), int(upper))
    lower, upper = (number(scalar(bound, kind, "range")) for bound in (lower, upper))
    edges = np.arange(bins + 1, dtype=np.float64)
    edges *= (upper - lower) / bins
    edges += lower
    edges[-1] = upper
    return edges


def _integer_edges(bins, lower, upper):
    """lower + b * (upper - lower) / bins. Where float64 does not hold the dividends, the whole part
    is computed modulo 2^64, so that no type is too narrow."""
    if max(-lower, upper) * bins < 2**53:
        return (np.arange(bins + 1) * (upper - lower) + lower * bins) / bins
    whole_step, rest = divmod(upper - lower, bins)
    b = np.arange(bins + 1, dtype=np.uint64)
    more, part = np.divmod(b * np.uint64(rest), np.uint64(bins))
    edges = b * np.uint64(whole_step) + more + np.uint64(lower % 2**64)
    return (edges.view(np.int64) if lower < 0 else edges) + part / bins


_few_edges = lru_cache(maxsize=64)(_edges)


def _counts(arrays, context, code, x, n, bins, options, dtype):
    """The histogram of n elements at x."""
    count_type, count_code = index_type(dtype)
    if n > 2**31 and count_type == np.int32:
        raise TotalOverflowError(f"{n} elements may have counts beyond int32")
    counts = arrays.empty((bins,), count_type)
    context.call(library.histogram, code, x, n, bins, count_code, arrays.pointer(counts), options)
    return counts


def _few_counts(context, x, bins, dtype):
    """_counts() of few integers in many bins, on the host: bins that nothing falls into are not touched. None if x
    has changed since it was looked at."""
    n, ordered = x.size, np.empty_like(x)
    context.call(library.sort_keys, CODES[x.dtype], pointer_of(x), pointer_of(ordered), n, None)
    if not 0 <= ordered[0] <= ordered[-1] < bins:
        return None
    counts = np.zeros(bins, index_type(dtype)[0])
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), n - 1)
    counts[ordered[ends]] = np.diff(ends, prepend=-1)
    return counts


_MAX = plain_options("max")
_FEW_BINS, _FEW_PART = 1 << 16, 64  # of so many bins or more, few elements are less than this part


def _greatest(context, x, n, dtype) -> int:
    """The greatest of n elements at x; of a signed type, a negative one if there is any."""
    result, place = context.room(dtype)
    context.call(library.reduce, UNSIGNED[dtype], x, place, n, _MAX)
    return result.item()


def bincount(x, minlength: int = 0, *, dtype=np.int64, context: Context | None = None, stream=None):
    """How often each integer occurs, as ``numpy.bincount()`` without weights.

    Parameters
    ----------
    x : integers (n,), not negative, below 2**24
    minlength : int
        The least length of the result. If it is above all elements, as it is with
        ``minlength=256`` of uint8, they need not be looked at before: pass it where you know it.
    dtype : int64, uint64, int32 or uint32

    Returns
    -------
    array (max(x) + 1 or minlength,)

    >>> parscan.bincount(np.array([1, 0, 1, 3]))
    array([1, 2, 0, 1])
    """
    if stream is not None:
        return on_stream(bincount, locals())
    if dtype is _INT64 and is_short(x, context) and x.dtype.kind in "iu" and type(minlength) is int:
        try:
            counts = _numpys_bincount(x, None, minlength)
        except (TypeError, ValueError, MemoryError, OverflowError):
            counts = None
        if counts is not None and len(counts) <= _MOST_BINS:
            return counts
    arrays, context = choose_counted(x, context)
    given, x = x, integers(arrays, context, x)
    kind, n = arrays.dtype(x), arrays.size(x)
    bins, place = whole(minlength, "minlength", 0, _MOST_BINS), arrays.pointer(x)
    looks = n and (bins < 256 or kind.itemsize > 1 or kind.kind == "i")
    if looks and (type(given) is not Counted or given.length()):
        greatest = _greatest(context, place, n, kind)
        if greatest < 0:
            raise ValueError(f"x has {greatest}: none may be negative")
        if greatest >= _MOST_BINS:
            raise ValueError(f"x has {greatest}: none may be above {_MOST_BINS - 1}")
        bins = max(bins, greatest + 1)
    if bins == 0:
        return arrays.give(arrays.empty((0,), index_type(dtype)[0]))
    if bins >= _FEW_BINS and 0 < n < bins // _FEW_PART and arrays.where == "host" and context.plain is context:
        counts = _few_counts(context, x, bins, dtype)
        if counts is not None:
            return arrays.give(counts)
    return arrays.give(_counts(arrays, context, CODES[kind], place, n, bins, None, dtype))


def bin(bin_of, bins: int, values=None, *, dtype=np.int64, index_dtype=np.int64,
        counted: bool | None = None, context: Context | None = None, stream=None):
    """Orders values by their bins: a counting sort, stable within a bin.

    With the row of every entry as bin_of it makes a sparse matrix of coordinates one of compressed
    rows, whose row offsets are the offsets.

    Parameters
    ----------
    bin_of : integers (n,)
        Entries whose bin is negative or not below bins are left out.
    bins : int
        0 to 2**32.
    values : array (n, ...), optional
        An element, or a row, of at most 64 bytes, of any type without Python objects. None: the
        indices of the entries.
    dtype : int64, uint64, int32 or uint32
        The type of the offsets.
    index_dtype : the same, of the indices
    counted : as for ``compact_if()``, of values

    Returns
    -------
    values : array (kept, ...)
    offsets : array (bins + 1,)
        Those of bin b are ``values[offsets[b]:offsets[b + 1]]``.

    >>> parscan.bin(np.array([1, 0, 1, 2]), 3, np.array([10, 20, 30, 40]))
    (array([20, 10, 30, 40]), array([0, 1, 3, 4]))
    """
    if stream is not None:
        return on_stream(bin, locals())
    arrays, context = choose_counted(bin_of, context, values, counted=counted)
    bin_of = integers(arrays, context, bin_of, "bin_of")
    kind, n = arrays.dtype(bin_of), arrays.size(bin_of)
    bins = whole(bins, "bins", 0, 2**32)
    if kind.kind == "i" and bins > 2 ** (8 * kind.itemsize - 1):
        bin_of = arrays.cast(bin_of, np.dtype(np.int64))  # negative ones are then beyond bins
        kind = np.dtype(np.int64)
    offset_type, code = index_type(dtype)
    offsets = arrays.empty((bins + 1,), offset_type)
    if values is None:
        index, _ = index_type(index_dtype, "index_dtype")
        check_index(index, n)
        size, given, result = index.itemsize, None, arrays.empty((n,), index)
    else:
        given, size = rows_of_values(arrays, values, n)
        result = arrays.like(given, tuple(given.shape))
    moved = result
    if size == 0:  # rows without bytes: indices are moved in their place
        given, size, moved = None, _I64.itemsize, arrays.empty((n,), _I64)
    check_index(offset_type, n)
    context.call(library.bin, UNSIGNED[kind], arrays.pointer(bin_of), size,
                 None if given is None else arrays.pointer(given), n, bins, code,
                 arrays.pointer(offsets), arrays.pointer(moved))
    if not context.counted:
        return arrays.give(arrays.head(result, arrays.last(context.plain, offsets))), arrays.give(offsets)
    # The last offset, widened, is the number of those that are kept.
    count, last = context.count, arrays.pointer(offsets) + bins * offset_type.itemsize
    context.plain.call(library.reduce, UNSIGNED[offset_type], last, count.at, 1,
                       plain_options("sum", UNSIGNED[_I64]))
    return cut(arrays, result, count), arrays.give(offsets)
