"""Searches beside NumPy's."""

import numpy as np
import pytest

import parscan
from arrays import DTYPES, equal, random_array

SIDES = ("left", "right")


@pytest.mark.parametrize("dtype", [np.dtype(bool), *DTYPES], ids=str)
@pytest.mark.parametrize("n", [0, 1, 33, 3000, 60000])
def test_bounds_of_every_type(rng, dtype, n):
    a, v = random_array(rng, dtype, 2000) + dtype.type(0), random_array(rng, dtype, n) + dtype.type(0)
    a.sort()
    for side in SIDES:
        for needles in (v, np.sort(v), a[:7], a[::-1]):
            equal(parscan.searchsorted(a, needles, side), np.searchsorted(a, needles, side))


def test_scalars_shapes_and_lists(rng):
    a = np.sort(rng.integers(0, 50, 300))
    v = rng.integers(-5, 60, (6, 1, 5))
    equal(parscan.searchsorted(a, v), np.searchsorted(a, v))
    equal(parscan.searchsorted(a, v, dtype=np.uint32), np.searchsorted(a, v).astype(np.uint32))
    equal(parscan.searchsorted(a, [3, 7], "right"), np.searchsorted(a, [3, 7], "right"))
    for value in (7, np.int64(49), 50, True):
        got = parscan.searchsorted(a, value)
        assert got == np.searchsorted(a, value) and got.dtype == np.int64 and got.shape == ()
    assert parscan.searchsorted(np.zeros(0), np.nan) == 0
    assert parscan.searchsorted(a, np.zeros((0, 3), a.dtype)).shape == (0, 3)


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
def test_zeros_and_nans(dtype):
    a = np.array([-np.inf, -0.0, -0.0, 0.0, np.inf, np.nan, -np.nan], dtype)
    v = np.array([0.0, -0.0, -np.nan, np.inf], dtype)
    equal(parscan.searchsorted(a, v), np.array([3, 1, 5, 4]))
    equal(parscan.searchsorted(a, v, "right"), np.array([4, 3, 7, 5]))


def test_errors(rng):
    a = np.arange(10)
    with pytest.raises(ValueError, match="side = 'middle'"):
        parscan.searchsorted(a, 3, "middle")
    with pytest.raises(TypeError, match="v is float64"):
        parscan.searchsorted(a, np.zeros(3))
    with pytest.raises(ValueError, match="v = 3.5"):
        parscan.searchsorted(a, 3.5)
    with pytest.raises(ValueError, match="a has 2 dimensions"):
        parscan.searchsorted(a.reshape(2, 5), 3)
