"""datetime64 and timedelta64 of NumPy: numbers of 64 bits, of which the least is NaT. NumPy has NaT behind all
times in an order, and as the result of each sum, least and greatest that meets one."""

from __future__ import annotations

import datetime

import numpy as np

from ._library import OPS, number_of
from ._nulls import as_array, refuse_masked

ndarray = np.ndarray
_PYTHONS = (datetime.date, datetime.timedelta)  # a datetime is a date
_NAT = np.iinfo(np.int64).min


def is_time(x) -> bool:
    """Whether x is an array of times, also of a class that is made of NumPy's."""
    return isinstance(x, ndarray) and x.dtype.kind in "mM" and not isinstance(x, np.ma.MaskedArray)


def numbers(x):
    """Times as the numbers that they are: NaT is the least."""
    return np.asarray(x).astype(x.dtype.newbyteorder("="), copy=False).view(np.int64)


def in_order(x):
    """Times as numbers of the same order, with NaT as the greatest."""
    return numbers(x) - 1  # wraps


def times(y, like):
    """The inverse of in_order(), of an array that is the caller's own."""
    y += 1
    return y.view(like.dtype.newbyteorder("="))


def _refuse(options, allowed, name):
    for key, value in options.items():
        unset = value is None or isinstance(value, (int, str)) and value in (0, "auto")
        if key not in allowed and not unset:
            raise TypeError(f"{name}() of times: {key} = {value!r} is for numbers")


def _name_of(op, x):
    """The name of an operator on times, which may be a ufunc of NumPy's."""
    number = number_of(OPS, op, "op")
    for name in ("min", "max", "sum")[:2 + (x.dtype.kind == "m")]:
        if OPS[name] == number:
            return name
    raise TypeError(f"op = {op!r} of {x.dtype}: it must be 'min' or 'max', of timedelta64 also 'sum'")


def _given(result, out):
    """result, or out with it."""
    if out is None:
        return result
    if not isinstance(out, ndarray) or out.dtype.newbyteorder("=") != result.dtype or out.shape != result.shape:
        raise ValueError(f"out must be an array of {result.dtype} with shape {list(result.shape)}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    np.copyto(out, result)
    return out


def sort(function, x, out, **options):
    _refuse(options, ("axis", "descending", "context"), "sort")
    return _given(times(function(in_order(x), **options), x), out)


def argsort(function, x, **options):
    _refuse(options, ("axis", "descending", "dtype", "context"), "argsort")
    return function(in_order(x), **options)


def _times_of(x, dtype, what):
    """x as an array of times of the kind of dtype, of its own unit."""
    refuse_masked(x, what)
    x = as_array(x, what)
    if x.dtype == object and x.size and all(isinstance(one, _PYTHONS) for one in x.flat):
        x = x.astype(f"{dtype.kind}8[us]")
    if x.dtype.kind != dtype.kind:
        raise TypeError(f"{what} is {x.dtype}: it must be {dtype}, or of another unit")
    return x


def searchsorted(function, a, v, **options):
    v = _times_of(v, a.dtype, "v")
    unit = np.result_type(a.dtype, v.dtype)  # the finer one
    a, v = a.astype(unit, copy=False), v.astype(unit)
    found = function(in_order(a), in_order(np.atleast_1d(v)), **options)
    return found if v.ndim else found[0]


def unique(function, x, **options):
    result = function(in_order(x), **options)
    if isinstance(result, tuple):
        return (times(result[0], x), *result[1:])
    return times(result, x)


def arg_of_extreme(function, x, is_greatest, **options):
    return function(in_order(x) if is_greatest else numbers(x), **options)


def reduce(function, x, op, axis, initial, keepdims, **options):
    _refuse(options, ("context", "reverse", "reproducible"), "reduce")
    if initial is not None:
        raise TypeError("reduce() of times: initial is for numbers")
    op = _name_of(op, x)
    options.update(axis=axis, keepdims=keepdims)
    if op == "sum":
        y = np.asarray(function(numbers(x), op, **options))
        y = np.where(np.isnat(x).any(axis=axis, keepdims=keepdims), _NAT, y).view(x.dtype.newbyteorder("="))
    elif x.size == 0:
        raise ValueError(f"reduce() by {op!r} of no time: x has shape {list(x.shape)}")
    elif op == "max":
        y = times(np.array(function(in_order(x), op, **options)), x)
    else:
        y = np.asarray(function(numbers(x), op, **options)).view(x.dtype.newbyteorder("="))
    return y[()]


def scan(function, x, op, axis, out, initial, **options):
    """Inclusive scans."""
    _refuse(options, ("context", "reverse", "reproducible"), "inclusive_scan")
    if initial is not None:
        raise TypeError("inclusive_scan() of times: initial is for numbers")
    op = _name_of(op, x)
    options.update(axis=axis)
    if op == "max":
        return _given(times(function(in_order(x), op, **options), x), out)
    y = function(numbers(x), op, **options)
    if op == "sum" and np.isnat(x).any():
        seen = function(np.isnat(x), "max", **options)
        y[seen.astype(bool)] = _NAT
    return _given(y.view(x.dtype.newbyteorder("=")), out)


def diff(function, x, prepend, **options):
    if prepend is not None:
        prepend = _times_of(prepend, x.dtype, "prepend")
        if prepend.size != 1:
            raise ValueError(f"prepend has {prepend.size} elements: it must be one")
        if np.result_type(prepend.dtype, x.dtype) != x.dtype.newbyteorder("="):
            raise TypeError(f"prepend is {prepend.dtype}, finer than x, which is {x.dtype}")
        prepend = numbers(prepend.astype(x.dtype).reshape(1))
        y = function(numbers(x), prepend=prepend[0], **options)
        missing = np.isnat(x) | np.concatenate([prepend == _NAT, np.isnat(x)[:-1]])
    else:
        y = function(numbers(x), **options)
        lines = np.moveaxis(np.isnat(x), options["axis"], -1)
        missing = np.moveaxis(lines[..., 1:] | lines[..., :-1], -1, options["axis"])
    y[missing] = _NAT
    return y.view("m8" + x.dtype.str[3:])  # the same unit
