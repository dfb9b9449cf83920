"""Inputs of the tests, and NumPy's answers."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import parscan
from parscan._library import library

# Floats of 16 bits, which NumPy sums in their own type, have test_halves.py.
DTYPES = [dtype for dtype in parscan.dtypes if dtype.kind != "V" and dtype != np.float16]
INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]
FLOATS = [dtype for dtype in DTYPES if dtype.kind == "f"]
UFUNCS = {"sum": np.add, "product": np.multiply, "min": np.minimum, "max": np.maximum,
          "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}

# Layouts that NumPy's users have, of the same elements: name -> view or copy.
LAYOUTS = {
    "contiguous": lambda x: x,
    "fortran": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    "reversed": lambda x: x[..., ::-1].copy()[..., ::-1] if x.ndim else x,
    "swapped": lambda x: x.astype(x.dtype.newbyteorder(">" if x.dtype.itemsize > 1 else "|")),
    "unaligned": lambda x: np.frombuffer(b"x" + x.tobytes(), x.dtype, offset=1).reshape(x.shape),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
}


def random_array(rng, dtype, shape):
    """Any bits for integers; for floats integers that are summed exactly."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        return rng.integers(-50, 50, shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def elements(dtype):
    if np.dtype(dtype).kind == "f":
        return st.integers(-1000, 1000).map(float)
    return hnp.from_dtype(np.dtype(dtype))


@st.composite
def any_array(draw, dtypes=(*DTYPES, np.dtype(bool)), min_dims=0, max_dims=3, max_side=9):
    """An array of any type, shape and layout."""
    dtype = draw(st.sampled_from(list(dtypes)))
    shape = draw(hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0, max_side=max_side))
    x = draw(hnp.arrays(dtype, shape, elements=elements(dtype)))
    return LAYOUTS[draw(st.sampled_from(list(LAYOUTS)))](x)


def accumulate(ufunc, x, axis=0):
    """NumPy's inclusive scan in the type of x."""
    with np.errstate(all="ignore"):
        return ufunc.accumulate(x, axis=axis, dtype=x.dtype)


def equal(actual, expected):
    """The same type, shape and elements, NaN equal to NaN."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, (
        actual.dtype, actual.shape, expected.dtype, expected.shape)
    np.testing.assert_array_equal(actual, expected)
    return True


def changing(monkeypatch, name, change):
    """Has change() run whenever the library's function of this name begins, as another thread might.
    Returns a list of the arguments of each call."""
    function, calls = getattr(library, name), []

    def changed(*arguments):
        calls.append(arguments)
        change()
        return function(*arguments)

    monkeypatch.setattr(library, name, changed)
    return calls
