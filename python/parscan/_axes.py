"""Axes, as callers name them, and what goes along them."""

from __future__ import annotations

import operator

import numpy as np

from ._library import OPS, number_of

AxisError = getattr(np, "exceptions", np).AxisError
_SHORT_ROW = 4096  # elements


def axis_of(shape, axis) -> int:
    """The axis, counted from the front."""
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis = {axis!r}: it must be one integer or None") from None
    if not -len(shape) <= axis < len(shape):
        raise AxisError(axis, len(shape))
    return axis % len(shape)


def axes_of(shape, axis) -> tuple:
    """The axes of an integer or a tuple, counted from the front, ascending."""
    axes = tuple(sorted(axis_of(shape, one) for one in (axis if isinstance(axis, tuple) else (axis,))))
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis = {axis}: it names one axis twice")
    return axes


def kept_shape(shape, axes, keepdims) -> tuple:
    """The shape of a reduction over axes."""
    return tuple(1 if k in axes else length for k, length in enumerate(shape) if keepdims or k not in axes)


def as_auto(algorithm, target, op, length, initial) -> bool:
    """Whether rows of this length are scanned all at once where an algorithm is named, which is called once a row
    otherwise: they are short, and the results do not depend on the algorithm, as no sum of two elements does."""
    return (algorithm != "auto" and length < _SHORT_ROW
            and (target.kind in "biu" or length + (initial is not None) <= 2
                 or number_of(OPS, op, "op") not in (OPS["sum"], OPS["product"])))
