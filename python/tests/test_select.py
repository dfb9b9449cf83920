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


def first(x, k, smallest=False):
    """The first k of a stable sort: values and indices."""
    order = parscan.argsort(x, descending=not smallest)[:k]
    return x[order], order


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [1, 2, 33, 3000, 70000])
def test_the_k_first(rng, dtype, n):
    x = random_array(rng, dtype, n)
    for k in {0, 1, min(n, 10), n // 20, n // 2, n}:
        for smallest in (False, True):
            values, indices = parscan.top_k(x, k, smallest=smallest)
            expected = first(x, k, smallest)
            same(indices, expected[1])
            assert values.tobytes() == expected[0].tobytes() and values.dtype == x.dtype


def test_top_k_along_axes(rng):
    x = rng.integers(0, 9, (7, 30, 5)).astype(np.int16)
    for axis in (0, 1, 2):
        values, indices = parscan.top_k(x, 3, axis)
        order = np.argsort(-x, axis, kind="stable").take(range(3), axis)
        same(indices, order)
        equal(values, np.take_along_axis(x, order, axis))
    values, indices = parscan.top_k(x, 3, None, smallest=True, dtype=np.uint32)
    equal(indices, np.argsort(x, None, kind="stable")[:3].astype(np.uint32))
    assert parscan.top_k(np.zeros((0, 4)), 2)[1].shape == (0, 2)
    with pytest.raises(ValueError, match="k = 6: the axis has 5"):
        parscan.top_k(x, 6)


def test_top_k_of_segments(rng):
    x = rng.integers(0, 50, 1000).astype(np.float32)
    offsets = np.array([0, 3, 3, 400, 1000])
    flags = np.zeros(1000, bool)
    flags[[3, 400]] = True
    for how in ({"offsets": offsets}, {"flags": flags}, {"keys": np.cumsum(flags)}):
        bounds = offsets if "offsets" in how else np.array([0, 3, 400, 1000])
        values, indices, counts = parscan.top_k(x, 5, **how)
        assert values.shape == indices.shape == (len(bounds) - 1, 5)
        for s, (a, b) in enumerate(zip(bounds, bounds[1:])):
            assert counts[s] == min(5, b - a)
            expected = first(x[a:b], 5)
            same(indices[s, :counts[s]], expected[1])
            equal(values[s, :counts[s]], expected[0])
    values, indices, counts = parscan.top_k(x, 2, rows=50, smallest=True)
    same(indices, np.argsort(x.reshape(-1, 50), 1, kind="stable")[:, :2])
    with pytest.raises(ValueError, match="axis"):
        parscan.top_k(x, 2, 1, rows=50)
