"""take() and scatter()."""

import numpy as np
import pytest

import parscan
from arrays import equal


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32, np.uint32, np.int8, np.uint16])
def test_take_by_every_type_of_index(rng, kind):
    x, at = rng.integers(0, 99, 120), rng.integers(0, 120, 1000).astype(kind)
    equal(parscan.take(x, at), x[at])
    equal(parscan.take(x, at.reshape(10, 5, 20)), x[at.reshape(10, 5, 20)])


@pytest.mark.parametrize("values", [
    np.arange(12, dtype=np.uint8), np.arange(12) * 1j, np.arange(36.0).reshape(12, 3),
    np.array([f"s{i}" for i in range(12)]), np.arange(12).astype(">i4"), np.arange(12).astype("M8[s]"),
    np.array([(i, i / 2) for i in range(12)], "i4,f8"), np.arange(24).reshape(12, 2)[:, 0],
    np.zeros((12, 0)), np.arange(12) % 3 == 0, np.arange(12).astype(np.float16)],
    ids=lambda v: str(v.dtype))
def test_values_of_any_type(rng, values):
    at = rng.integers(0, 12, 40)
    moved = parscan.take(values, at, 0)
    np.testing.assert_array_equal(moved, values[at])
    assert moved.dtype == values.dtype.newbyteorder("=") and moved.shape == values[at].shape
    order = rng.permutation(12)
    out = np.zeros_like(moved[:12])
    assert parscan.scatter(values, order, out) is out
    np.testing.assert_array_equal(out[order], values)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_axes(rng, axis):
    x, at = rng.integers(0, 99, (4, 5, 6)), np.array([3, 0, 3, 2])
    equal(parscan.take(x, at, axis), np.take(x, at, axis))
    equal(parscan.take(x, at.reshape(2, 2), axis), np.take(x, at.reshape(2, 2), axis))
    equal(parscan.take(x[:, ::2, ::-1], [1, 0], axis), np.take(x[:, ::2, ::-1], [1, 0], axis))


def test_lists_numbers_and_nothing():
    equal(parscan.take([5, 6, 7], [2, 0]), np.array([7, 5]))
    equal(parscan.take(np.arange(3), []), np.arange(0))
    equal(parscan.take(np.arange(3.0), np.array(2)), np.array(2.0))
    equal(parscan.take(np.zeros((0, 3)), np.zeros(0, np.int32), 0), np.zeros((0, 3)))


def test_the_last_of_equal_indices_wins(rng):
    at, values = rng.integers(0, 1000, 300_000).astype(np.int32), rng.random((300_000, 3))
    out, expected = np.zeros((1000, 3)), np.zeros((1000, 3))
    expected[at] = values
    equal(parscan.scatter(values, at, out, last_wins=True), expected)
    equal(parscan.scatter(np.arange(4), [1, 1, 9, 1], np.zeros(10, np.int64), last_wins=True),
          np.array([0, 3, 0, 0, 0, 0, 0, 0, 0, 2]))


def test_wrong_indices():
    with pytest.raises(parscan.InvalidArgumentError, match=r"indices\[1\] = -1: .* in_count = 3"):
        parscan.take(np.arange(3), [0, -1])
    with pytest.raises(parscan.InvalidArgumentError, match=r"indices\[0\] = 3: it must be below in_count"):
        parscan.take(np.arange(3), np.array([3], np.uint32))
    out = np.zeros(2, np.int64)
    with pytest.raises(parscan.InvalidArgumentError, match=r"indices\[1\] = 2: .* out_count = 2"):
        parscan.scatter(np.array([7, 8, 9]), [1, 2, 0], out)
    equal(out, np.array([9, 7]))
    with pytest.raises(TypeError, match="indices is float64"):
        parscan.take(np.arange(3), [0.5])


def test_wrong_arrays():
    with pytest.raises(ValueError, match="values has shape"):
        parscan.scatter(np.zeros(3), [0, 1], np.zeros(3))
    with pytest.raises(ValueError, match="values has shape"):
        parscan.scatter(np.zeros((2, 2)), [0, 1], np.zeros((3, 3)))
    with pytest.raises(TypeError, match="one type"):
        parscan.scatter(np.zeros(2), [0, 1], np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="contiguous"):
        parscan.scatter(np.zeros(2), [0, 1], np.zeros(6)[::2])
    whole = np.zeros(5)
    with pytest.raises(parscan.InvalidArgumentError, match="overlaps"):
        parscan.scatter(whole[:2], [0, 1], whole[1:])
    with pytest.raises(TypeError, match="plain bytes"):
        parscan.take(np.array([None]), [0])
