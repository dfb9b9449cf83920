"""bool arrays, which the library takes for bytes: the one place where they are mapped, in and out.

In, bytes that are neither 0 nor 1 (another program's) count as 1, as NumPy takes them. Out, no result
has other bytes than 0 and 1: a sum of type bool is "or", as NumPy has it, and the identity of AND and
MIN, 255 of a byte, is True.

What it costs: arrays in host memory are read once more, to look for such bytes, and copied only if
there are any. Those on a device are copied, since looking would make the call wait. Where any byte but
0 is true anyway (flags, conditions, nonzero()) and where values are only moved, nothing is done.
"""

from __future__ import annotations

import numpy as np

from ._library import (CODES, FLAGS, OPS, library, number_of, pointer_of, scan_options, segments_of)

BOOL, BYTE = np.dtype(bool), np.dtype(np.uint8)
FLAG_TYPES = (BOOL, BYTE, np.dtype(np.int8))
_CODE = CODES[BOOL]
_TRUE = np.array(True)
_GREATEST = scan_options(OPS["max"], 0, 0, 0, 0, 0, 0, 0, 0, 0)
_LEAST = scan_options(OPS["min"], 0, 0, 0, 0, 0, 0, 0, 0, 0)
_FLAGS_OF_1 = scan_options(OPS["max"], 0, 0, pointer_of(_TRUE), 0, 0, 0, 0, 0, 0)
_AT_MOST_1 = scan_options(OPS["min"], 0, 0, pointer_of(_TRUE), 0, 0, 0, 0, 0, 0)


def well_formed(arrays, context, x):
    """A taken array of bytes whose bytes are 0 and 1: itself if possible, on the host."""
    if not arrays.size(x):
        return x
    if arrays.where == "host":
        if context.on_cpu:
            greatest, place = context.room(BYTE)
            context.call(library.reduce, _CODE, pointer_of(x), place, x.size, _GREATEST)
            greatest = greatest.item()
        else:  # which would copy it to the device
            greatest = x.view(BYTE).max()
        if greatest <= 1:
            return x
    return arrays.truth(context, x)


def reduction(x, number, target, context):
    """The reduction, to bool or int64, of a contiguous NumPy array of bool in one read by a CPU context; None, where
    there is no such way. Any byte but 0 is true."""
    if number == OPS["sum"] and target.kind == "i" and target.itemsize == 8:
        count = context.count
        context.call(library.compact_if, _CODE, pointer_of(x), None, None, x.size, count.at)
        return np.int64(count.value)
    if target == BOOL and number in (OPS["or"], OPS["max"]):
        return np.bool_(_finds(x, _GREATEST, True, context))
    if target == BOOL and number in (OPS["and"], OPS["min"]):
        return np.bool_(not _finds(x, _LEAST, False, context))
    return None


def _finds(x, options, truth, context) -> bool:
    """Whether an element is true, or false: in pieces, the first of which are small, until one tells."""
    found, place = context.room(BYTE)
    at, begin, step = pointer_of(x), 0, 4096
    while begin < x.size:
        n = min(step, x.size - begin)
        context.call(library.reduce, _CODE, at + begin, place, n, options)
        if (found != 0) == truth:
            return True
        begin, step = begin + n, min(8 * step, 1 << 24)
    return False


def truth_by_scans(arrays, context, x):
    """What truth() of the families does, by parscan alone: for arrays of libraries unknown here."""
    n, place = arrays.size(x), arrays.pointer(x)
    flags, result = arrays.empty(arrays.shape(x), BYTE), arrays.empty(arrays.shape(x), BOOL)
    context.call(library.inclusive_scan, _CODE, place, arrays.pointer(flags), n, _FLAGS_OF_1)
    # None of the flags is 0. So each element is a segment, and becomes the minimum of 1 and itself.
    context.call(library.segmented_inclusive_scan, _CODE, place, arrays.pointer(result), n,
                 segments_of(FLAGS, 0, arrays.pointer(flags), 0), _AT_MOST_1)
    return result


def operator_on(op, dtype):
    """The library's number of an operator with results of dtype; and the address of its identity where
    the library's is none of dtype's, else 0."""
    number = number_of(OPS, op, "op")
    if dtype == BOOL:
        if number == OPS["sum"]:
            return OPS["or"], 0
        if number in (OPS["and"], OPS["min"]):
            return number, pointer_of(_TRUE)
    return number, 0
