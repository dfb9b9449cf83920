"""Extremes and their indices beside NumPy's."""

import numpy as np
import pytest

import parscan
from arrays import DTYPES, equal, random_array


def same(got, expected):
    equal(got, np.asarray(expected, np.int64))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [1, 2, 33, 3000, 300000])
def test_indices_of_extremes(rng, dtype, n):
    x = random_array(rng, dtype, n)
    same(parscan.argmax(x), np.argmax(x))
    same(parscan.argmin(x), np.argmin(x))


def test_axes(rng):
    x = rng.integers(0, 9, (7, 30, 5)).astype(np.int16)
    for axis in (0, 1, 2, -1):
        same(parscan.argmax(x, axis), np.argmax(x, axis))
        same(parscan.argmin(x, axis, keepdims=True), np.argmin(x, axis, keepdims=True))
    same(parscan.argmax(x, (0, 2)), np.argmax(x.transpose(1, 0, 2).reshape(30, 35), 1))
    same(parscan.argmax(x, keepdims=True), np.argmax(x, keepdims=True))
    equal(parscan.argmin(x, 1, dtype=np.uint32), np.argmin(x, 1).astype(np.uint32))
    assert parscan.argmax(np.zeros((0, 3)), 1).shape == (0,)
    for empty, axis in ((np.zeros(0), None), (np.zeros((3, 0)), 1)):
        with pytest.raises(ValueError, match="of no element"):
            parscan.argmax(empty, axis)


def test_nan_and_zeros():
    for kind in (np.float16, np.float32, np.float64):
        x = np.array([3, -np.nan, 7, np.nan, -np.inf], kind)
        assert parscan.argmin(x) == parscan.argmax(x) == np.argmin(x) == 1
        zeros = np.array([0.0, -0.0, 0.0, -0.0], kind)
        assert parscan.argmin(zeros) == 1 and parscan.argmax(zeros) == 0
        assert parscan.argmax(zeros[1:]) == 1


def test_segments(rng):
    x = rng.integers(0, 5, 1000)
    offsets = np.array([0, 10, 10, 400, 1000])
    same(parscan.argmax(x, offsets=offsets), [np.argmax(x[:10]), 0, np.argmax(x[10:400]), np.argmax(x[400:])])
    flags = np.zeros(1000, bool)
    flags[[10, 400]] = True
    expected = [np.argmin(part) for part in np.split(x, [10, 400])]
    same(parscan.argmin(x, flags=flags), expected)
    same(parscan.argmin(x, keys=np.cumsum(flags)), expected)
    same(parscan.argmin(x, rows=50), np.argmin(x.reshape(-1, 50), 1))
    with pytest.raises(ValueError, match="axis"):
        parscan.argmin(x, 0, rows=50)
    with pytest.raises(ValueError, match="exactly one"):
        parscan.argmin(x, flags=flags, rows=50)


def test_bools_and_lists():
    x = np.array([0, 2, 1, 0], np.uint8).view(bool)  # 2 is true as 1 is
    assert parscan.argmax(x) == 1 and parscan.argmin(x) == 0
    assert parscan.argmax([3, 9, 9]) == 1
