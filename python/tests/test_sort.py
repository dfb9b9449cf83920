"""Sorts against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parscan
from arrays import DTYPES, FLOATS, LAYOUTS, any_array, equal, random_array

BOOL = np.dtype(bool)


@pytest.mark.parametrize("dtype", [BOOL, *DTYPES], ids=str)
def test_sorts_of_every_type(rng, dtype):
    for n in (0, 1, 1000, 50001):
        x = random_array(rng, dtype, n)
        order = np.argsort(x, kind="stable")
        equal(parscan.sort(x), x[order])
        equal(parscan.argsort(x), order)
        keys, values = parscan.sort_pairs(x, np.arange(n))
        equal(keys, x[order]) and equal(values, order)
        down = n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
        equal(parscan.argsort(x, descending=True), down)
        equal(parscan.sort(x, descending=True), x[down])


@given(any_array(), st.booleans(), st.data())
def test_sorts_along_an_axis(x, descending, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    if x.ndim == 0 and axis is None:
        x = x.reshape(1)
    native = x.astype(x.dtype.newbyteorder("="))
    if descending:
        assert equal(np.sort(parscan.sort(x, axis, descending=True), -1 if axis is None else axis),
                     np.sort(native, axis))
        return
    equal(parscan.sort(x, axis), np.sort(native, axis))
    equal(parscan.argsort(x, axis), np.argsort(native, axis, kind="stable"))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_floats(dtype):
    x = np.array([np.nan, 1, -0.0, 0.0, -np.inf, np.inf, -0.0, -np.nan], dtype)
    y = parscan.sort(x)
    equal(y, np.sort(x))
    assert np.signbit(y[1:5]).tolist() == [True, True, False, False]
    assert np.isnan(parscan.sort(x, descending=True)[:2]).all()


@pytest.mark.parametrize("n", [0, 1, 70_000])
def test_rows_without_bytes(n):
    keys, rows = np.arange(n)[::-1].copy(), np.zeros((n, 0))
    for values in (rows, np.zeros((n, 1), "V0")):
        y, moved = parscan.sort_pairs(keys, values)
        equal(y, np.sort(keys))
        assert moved.shape == values.shape and moved.dtype == values.dtype
    keep = np.arange(n) % 3 == 0
    assert parscan.compress(keep, rows, axis=0).shape == (keep.sum(), 0)
    assert parscan.compress(keep, rows.T, axis=1).shape == (0, keep.sum())
    moved, offsets = parscan.bin(np.arange(n) % 4 - 1, 2, rows)
    assert moved.shape == (offsets[-1], 0) and offsets[-1] == (np.arange(n) % 4 % 3 != 0).sum()


def test_bits(rng):
    x = rng.integers(0, 2**32, 1000, np.uint64).astype(np.uint32)
    equal(parscan.argsort(x, begin_bit=8, end_bit=16), np.argsort((x >> 8) & 255, kind="stable"))
    with pytest.raises(parscan.InvalidArgumentError):
        parscan.sort(x, begin_bit=9, end_bit=40)
    with pytest.raises(parscan.UnsupportedError):
        parscan.sort(np.ones(3), begin_bit=1)
    with pytest.raises(ValueError, match="begin_bit = -1: it must be 0 to"):
        parscan.sort(x, begin_bit=-1)


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32, np.uint32])
def test_types_of_indices(rng, kind):
    x = rng.integers(0, 9, (5, 6))
    equal(parscan.argsort(x.ravel(), dtype=kind), np.argsort(x.ravel(), kind="stable").astype(kind))
    equal(parscan.argsort(x, 0, dtype=kind), np.argsort(x, 0, kind="stable").astype(kind))
    with pytest.raises(TypeError, match="int64"):
        parscan.argsort(x, dtype=np.int16)


@pytest.mark.parametrize("values", [
    np.arange(12, dtype=np.uint8), np.arange(12) * 1j, np.arange(36.0).reshape(12, 3),
    np.array([f"s{i}" for i in range(12)]), np.arange(12).astype(">i4"), np.arange(12).astype("M8[s]"),
    np.array([(i, i / 2) for i in range(12)], "i4,f8"), np.arange(24).reshape(12, 2)[:, 0],
    np.zeros((12, 0))], ids=lambda v: str(v.dtype))
def test_values_of_any_type(rng, values):
    keys = rng.integers(0, 4, 12)
    order = np.argsort(keys, kind="stable")
    moved = parscan.sort_pairs(keys, values)[1]
    np.testing.assert_array_equal(moved, values[order])
    assert moved.dtype == values.dtype.newbyteorder("=") and moved.shape == values.shape


def test_wrong_values():
    for wrong in (np.zeros(3), np.zeros((4, 9)), np.float64(1)):
        with pytest.raises(ValueError):
            parscan.sort_pairs(np.arange(4), wrong)
    with pytest.raises(TypeError, match="plain bytes"):
        parscan.sort_pairs(np.arange(1), np.array([None]))
    with pytest.raises(ValueError, match="1"):
        parscan.sort_pairs(np.zeros((2, 2)), np.zeros(4))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_out(rng, layout):
    x = rng.integers(0, 99, (5, 8)).astype(np.int16)
    given_ = LAYOUTS[layout](x)
    equal(parscan.sort(given_, 0), np.sort(x, 0))
    y = np.empty((5, 16), np.int16)[:, ::2]
    assert parscan.sort(given_, 0, out=y) is y
    equal(y, np.sort(x, 0))
    equal(given_.astype(np.int16), x)  # which stays


def test_in_place(rng):
    x = rng.integers(0, 99, (5, 8))
    expected = np.sort(x)
    assert parscan.sort(x, out=x) is x and equal(x, expected)
    line = rng.integers(0, 9, 100)
    expected = np.sort(line)
    parscan.sort(line, out=line)
    equal(line, expected)


def test_sorts_of_segments(rng):
    keys, values = rng.integers(0, 9, 100), np.arange(100)
    offsets = np.array([0, 10, 10, 70, 100])
    expected = np.concatenate([np.sort(keys[a:b]) for a, b in zip(offsets, offsets[1:])])
    equal(parscan.sort_segments(keys, offsets=offsets), expected)
    got, moved = parscan.sort_segments(keys, values, offsets=offsets)
    equal(got, expected) and equal(keys[moved], expected)
    flags = np.zeros(100, bool)
    flags[[0, 10, 70]] = True
    equal(parscan.sort_segments(keys, flags=flags), expected)
    equal(parscan.sort_segments(keys, segment_keys=np.cumsum(flags)), expected)
    down = np.concatenate([np.sort(keys[a:b])[::-1] for a, b in zip(offsets, offsets[1:])])
    equal(parscan.sort_segments(keys, offsets=offsets, descending=True), down)
    with pytest.raises(ValueError, match="exactly one"):
        parscan.sort_segments(keys)
