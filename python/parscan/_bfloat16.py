"""bfloat16, which NumPy has not: ml_dtypes' type where that package is, which JAX has too. PyTorch's needs
no ml_dtypes: in its place stands BITS, a struct of one uint16. So NumPy arrays of BITS are bfloat16 here,
with or without ml_dtypes. Other packages' types of that name are other types, and refused as those are.

NumPy calls both kind "V", raw bytes, and converts BITS to nothing. So conversions are here, by bits; those to
bfloat16 round once, ties to even.
"""

from __future__ import annotations

import numpy as np

BITS = np.dtype([("bfloat16", "u2")])
try:
    from ml_dtypes import bfloat16 as _scalar
    BFLOAT16 = np.dtype(_scalar)
except ImportError:
    BFLOAT16 = BITS
NAMES = {"bfloat16": BFLOAT16}
_WORD, _SINGLE, _DOUBLE = np.dtype("u2"), np.dtype("f4"), np.dtype("f8")


def is_bfloat16(dtype) -> bool:
    return dtype.kind == "V" and dtype in (BFLOAT16, BITS)


def name_of(dtype) -> str:
    return "bfloat16" if is_bfloat16(dtype) else str(dtype)


def widened(array) -> np.ndarray:
    """The float32 array of the same numbers."""
    return (np.asarray(array).view(_WORD).astype(np.uint32) << np.uint32(16)).view(_SINGLE)


def _bits_of(numbers):
    """The bits of float64 numbers as bfloat16: first rounded to odd in float32, so that the second rounding
    is the only one."""
    with np.errstate(all="ignore"):
        single = numbers.astype(_SINGLE)
    bits = single.view(np.uint32)
    back = single.astype(_DOUBLE)
    bits = bits - (np.abs(back) > np.abs(numbers)).astype(np.uint32)  # towards zero
    bits |= (back != numbers) & ~np.isnan(numbers)
    rounded = (bits + np.uint32(0x7fff) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    quiet = bits >> np.uint32(16) | np.uint32(0x40)
    return np.where(np.isnan(numbers), quiet, rounded).astype(_WORD)


def cast(array, dtype) -> np.ndarray:
    """array.astype(dtype), where one of both types, or both, is bfloat16."""
    array = np.asarray(array)
    if is_bfloat16(array.dtype):
        if is_bfloat16(dtype):
            return array.view(dtype).copy()
        return widened(array).astype(dtype)
    return _bits_of(np.atleast_1d(array.astype(_DOUBLE))).reshape(array.shape).view(dtype)


def number(element) -> float:
    """The only element of an array of floats, as a float of Python's."""
    return float(widened(element) if is_bfloat16(element.dtype) else element)
