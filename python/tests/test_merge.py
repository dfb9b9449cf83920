"""Merges against NumPy."""

import numpy as np
import pytest

import parscan
from arrays import DTYPES, FLOATS, equal, random_array

BOOL = np.dtype(bool)


def pair(rng, dtype, n, m):
    """Two sorted arrays in which some elements are the same."""
    a, b = random_array(rng, dtype, n), random_array(rng, dtype, m)
    b[:m // 2] = rng.choice(a, m // 2) if n else b[:m // 2]
    return np.sort(a), np.sort(b)


SIZES = [(0, 0), (0, 3), (5, 0), (1, 1), (100, 7), (7, 1000), (30001, 30011)]


@pytest.mark.parametrize("dtype", [BOOL, *DTYPES], ids=str)
def test_merges_of_every_type(rng, dtype):
    for n, m in SIZES:
        a, b = pair(rng, dtype, n, m)
        both = np.concatenate([a, b])
        order = np.argsort(both, kind="stable")
        equal(parscan.merge(a, b), both[order])
        keys, moved = parscan.merge(a, b, np.arange(n), np.arange(n, n + m))
        equal(keys, both[order]) and equal(moved, order)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_floats_are_merged_in_the_order_of_sort(dtype):
    a, b = np.array([-np.inf, -0.0, 1, np.nan], dtype), np.array([-0.0, 0.0, np.inf, -np.nan], dtype)
    y = parscan.merge(a, b)
    equal(y, np.sort(np.concatenate([a, b])))
    assert np.signbit(y[1:4]).tolist() == [True, True, False]


def test_values_of_any_type_and_wrong_ones():
    a, b = np.array([1, 3]), np.array([2])
    names = parscan.merge(a, b, np.array(["one", "three"]), np.array(["two"], "U5"))[1]
    assert names.tolist() == ["one", "two", "three"]
    rows = parscan.merge(a, b, np.arange(6.0).reshape(2, 3), np.zeros((1, 3)))[1]
    equal(rows, np.array([[0, 1, 2], [0, 0, 0], [3, 4, 5.0]]))
    assert parscan.merge(a, b, np.zeros((2, 0)), np.zeros((1, 0)))[1].shape == (3, 0)
    equal(parscan.merge(a[:0], b, np.zeros(0, np.int8), np.ones(1, np.int8))[1], np.ones(1, np.int8))
    for wrong in ((np.zeros(3), np.zeros(1)), (np.zeros(2), np.zeros(1, "f4")), (np.zeros(2), None),
                  (np.zeros((2, 9)), np.zeros((1, 9))), (np.zeros((2, 2)), np.zeros((1, 3)))):
        with pytest.raises(ValueError):
            parscan.merge(a, b, *wrong)
    with pytest.raises(TypeError, match="b is float64: it must be as a, int64"):
        parscan.merge(a, b / 1)
    with pytest.raises(ValueError, match="dimensions"):
        parscan.merge(a.reshape(1, 2), b)
