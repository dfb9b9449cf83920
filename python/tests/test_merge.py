"""Merges against NumPy, joins against a dictionary."""

from collections import Counter

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


def joined(left, right, how):
    """By a dictionary of places."""
    places = {}
    for j, y in enumerate(right.tolist()):
        places.setdefault("nan" if y != y else y, []).append(j)
    pairs = []
    for i, x in enumerate(left.tolist()):
        found = places.get("nan" if x != x else x, [])
        if how in ("semi", "anti"):
            pairs += [(i, 0)] * (bool(found) == (how == "semi"))
        else:
            pairs += [(i, j) for j in found or [len(right)] * (how == "left")]
    return tuple(np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize("dtype", [BOOL, *DTYPES], ids=str)
def test_joins_of_every_type(rng, dtype, how):
    most = 300 if dtype.itemsize == 1 else 3000  # pairs are many where there are few numbers
    for n, m in [(0, 0), (0, 3), (5, 0), (1, 1), (most, 70), (70, most), (most, most)]:
        left, right = pair(rng, dtype, n, m)
        got, want = parscan.join(left, right, how), joined(left, right, how)
        equal(got[0] if isinstance(got, tuple) else got, want[0])
        if how in ("inner", "left"):
            equal(got[1], want[1])


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32, np.uint32])
def test_joins_of_special_floats_and_types_of_indices(kind):
    left = np.array([-1, -0.0, 0.0, 5, np.nan, -np.nan])
    right = np.array([0.0, -0.0, np.nan])
    for how in ("inner", "left"):
        got, want = parscan.join(left, right, how, dtype=kind), joined(left, right, how)
        equal(got[0], want[0].astype(kind)) and equal(got[1], want[1].astype(kind))


def test_wrong_joins():
    x = np.arange(3)
    with pytest.raises(ValueError, match="how = 'outer': it must be one of inner, left, semi, anti"):
        parscan.join(x, x, "outer")
    with pytest.raises(TypeError, match="right is float64: it must be as left, int64"):
        parscan.join(x, x / 1)


SETS = {parscan.set_union: np.union1d, parscan.set_intersection: np.intersect1d,
        parscan.set_difference: np.setdiff1d, parscan.set_symmetric_difference: np.setxor1d}
COUNTS = {parscan.set_union: lambda x, y: x | y, parscan.set_intersection: lambda x, y: x & y,
          parscan.set_difference: lambda x, y: x - y,
          parscan.set_symmetric_difference: lambda x, y: (x - y) | (y - x)}


@pytest.mark.parametrize("function", SETS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [BOOL, *DTYPES], ids=str)
def test_sets_of_every_type(rng, dtype, function):
    for n, m in SIZES:
        a, b = pair(rng, dtype, n, m)
        counts = COUNTS[function](Counter(a.tolist()), Counter(b.tolist()))
        equal(function(a, b), np.sort(np.array(list(counts.elements()), dtype)))
        a, b = np.unique(a), np.unique(b)
        equal(function(a, b), SETS[function](a, b))


def test_sets_of_nans_and_zeros():
    a, b = np.array([-0.0, 0.0, np.nan]), np.array([0.0, np.nan, np.nan])
    assert np.signbit(parscan.set_union(a, b)[:2]).tolist() == [True, False]
    assert len(parscan.set_union(a, b)) == 4 and len(parscan.set_intersection(a, b)) == 2
    assert parscan.set_difference(a, b).tolist() == [0] and np.isnan(parscan.set_symmetric_difference(a, b)[1])
