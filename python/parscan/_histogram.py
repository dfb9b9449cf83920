"""parscan/histogram.h: how many elements fall into each bin; elements ordered by their bins."""

from __future__ import annotations

import numpy as np

from ._context import Context
from ._errors import TotalOverflowError
from ._families import choose, on_stream, vector
from ._host import pointer_of
from ._library import (CODES, HistogramOptions, address_of, index_type, library, scalar,
                       unsigned_code)
from ._scan import _options
from ._sort import rows_of_values

_MOST_BINS = 2**24  # of a histogram


def histogram(x, bins: int, range=None, *, dtype=np.int64, context: Context | None = None,
              stream=None):
    """Counts in bins of equal width, as ``numpy.histogram()`` but for the last bin, which is open.

    Parameters
    ----------
    x : array of any shape
    bins : int
        1 to 2**24.
    range : (lower, upper), optional
        Of x's type. The bins divide [lower, upper): unlike NumPy's, upper itself is not counted.
        None, for integers only: [0, bins). Floats need it, since their least and greatest elements
        are not looked for.
    dtype : int64, uint64, int32 or uint32
        The type of the counts.

    Returns
    -------
    counts : array (bins,)
    edges : NumPy array (bins + 1,) of float64
        ``numpy.linspace(lower, upper, bins + 1)``, but for rounding. Integers are binned exactly.
    """
    if stream is not None:
        return on_stream(histogram, locals())
    arrays, context = choose(x, context)
    x = arrays.take(x)
    kind, n, count_type = arrays.dtype(x), arrays.size(x), index_type(dtype, 0)
    counts = _counts(arrays, context, x, kind, n, bins, range, count_type)
    lower, upper = (0, bins) if range is None else (float(bound) for bound in range)
    edges = np.arange(bins + 1, dtype=np.float64)
    edges *= (upper - lower) / bins
    edges += lower
    edges[-1] = upper
    return arrays.give(counts), edges


def _counts(arrays, context, x, kind, n, bins, bounds, count_type):
    options = None
    if bounds is not None:
        lower, upper = (scalar(bound, kind) for bound in bounds)
        options = HistogramOptions(lower=address_of(lower), upper=address_of(upper))
    if not 0 < bins <= _MOST_BINS:
        raise ValueError(f"bins = {bins}: it must be 1 to {_MOST_BINS}")
    if count_type == np.int32 and n > 2**31:
        raise TotalOverflowError(f"{n} elements may have counts beyond int32")
    counts = arrays.empty((bins,), count_type)
    context.call(library.histogram, CODES[kind], arrays.pointer(x), n, bins,
                 unsigned_code(count_type), arrays.pointer(counts),
                 None if options is None else options.address)
    return counts


def _extreme(arrays, context, x, op):
    """The least or greatest element of an array that is not empty, on the host."""
    dtype = arrays.dtype(x)
    result = np.empty((), dtype)
    context.call(library.reduce, CODES[dtype], arrays.pointer(x), pointer_of(result), arrays.size(x),
                 _options(op, "auto", 0, False, False, 0, 0))
    return int(result)


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
    """
    if stream is not None:
        return on_stream(bincount, locals())
    arrays, context = choose(x, context)
    x = vector(arrays, x)
    kind, n, count_type = arrays.dtype(x), arrays.size(x), index_type(dtype, 0)
    if kind.kind not in "biu":
        raise TypeError(f"x is {kind}: it must be integers")
    if minlength < 0:
        raise ValueError(f"minlength = {minlength}: it must not be negative")
    bins = minlength
    if n and kind.kind == "i" and (lowest := _extreme(arrays, context, x, "min")) < 0:
        raise ValueError(f"x has {lowest}: none may be negative")
    if n and (kind.kind == "i" or kind.itemsize > 1 or bins < 256):
        bins = max(bins, _extreme(arrays, context, x, "max") + 1)
    if bins == 0:
        return arrays.give(arrays.empty((0,), count_type))
    return arrays.give(_counts(arrays, context, x, kind, n, bins, None, count_type))


def bin(bin_of, bins: int, values=None, *, dtype=np.int64, index_dtype=np.int64,
        context: Context | None = None, stream=None):
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

    Returns
    -------
    values : array (kept, ...)
    offsets : array (bins + 1,)
        Those of bin b are ``values[offsets[b]:offsets[b + 1]]``.
    """
    if stream is not None:
        return on_stream(bin, locals())
    arrays, context = choose(bin_of, context)
    bin_of = vector(arrays, bin_of, "bin_of")
    kind, n = arrays.dtype(bin_of), arrays.size(bin_of)
    if kind.kind not in "biu":
        raise TypeError(f"bin_of is {kind}: it must be integers")
    if not 0 <= bins <= 2**32:
        raise ValueError(f"bins = {bins}: it must be 0 to 2**32")
    if kind.kind == "i" and bins > 2 ** (8 * kind.itemsize - 1):
        bin_of = arrays.cast(bin_of, np.dtype(np.int64))  # negative ones are then beyond bins
        kind = np.dtype(np.int64)
    offset_type = index_type(dtype, n)
    offsets = arrays.empty((bins + 1,), offset_type)
    if values is None:
        index = index_type(index_dtype, n)
        size, given, result = index.itemsize, None, arrays.empty((n,), index)
    else:
        given, size = rows_of_values(arrays, values, n)
        result = arrays.like(given, tuple(given.shape))
    call = (unsigned_code(kind), arrays.pointer(bin_of), size,
            None if given is None else arrays.pointer(given), n, bins, unsigned_code(offset_type),
            arrays.pointer(offsets), arrays.pointer(result))
    context.call(library.bin, *call)
    kept = _last(arrays, context, offsets, bins, offset_type)
    return arrays.give(arrays.head(result, kept)), arrays.give(offsets)


def _last(arrays, context, offsets, bins, dtype) -> int:
    """The last offset: how many values were kept."""
    result = np.empty((), dtype)
    context.call(library.copy, pointer_of(result), arrays.pointer(offsets) + bins * dtype.itemsize,
                 dtype.itemsize)
    context.call(library.synchronize)
    return int(result)
