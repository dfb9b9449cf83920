"""Axes, as callers name them."""

from __future__ import annotations

import operator

import numpy as np

AxisError = getattr(np, "exceptions", np).AxisError


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
