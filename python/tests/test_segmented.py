"""Segmented scans and reductions, recurrences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parscan
from arrays import DTYPES, UFUNCS, accumulate, equal, random_array


def pieces(x, offsets):
    return [x[a:b] for a, b in zip(offsets[:-1], offsets[1:])]


def described(offsets, n):
    """The three forms of segments without empty ones."""
    flags = np.zeros(n, bool)
    flags[offsets[:-1]] = True
    return {"flags": flags, "offsets": offsets, "keys": (np.cumsum(flags) % 7).astype(np.float32)}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_scans_and_reductions_of_segments(rng, dtype, op):
    n = 3000
    x = random_array(rng, dtype, n)
    offsets = np.unique(np.concatenate([[0, n], rng.integers(0, n, 40)]))
    expected = [accumulate(UFUNCS[op], part) for part in pieces(x, offsets)]
    for kind, data in described(offsets, n).items():
        equal(parscan.segmented_inclusive_scan(x, op, **{kind: data}), np.concatenate(expected))
        equal(parscan.segmented_reduce(x, op, **{kind: data}), np.array([part[-1] for part in expected]))
        exclusive = parscan.segmented_exclusive_scan(x, op, **{kind: data})
        for part, whole in zip(pieces(exclusive, offsets), expected):
            equal(part[1:], whole[:-1])
    backwards = [accumulate(UFUNCS[op], part[::-1])[::-1] for part in pieces(x, offsets)]
    equal(parscan.segmented_inclusive_scan(x, op, offsets=offsets, reverse=True), np.concatenate(backwards))


@given(st.lists(st.integers(0, 5), max_size=30), st.sampled_from("i4 u4 i8 u8 i2 u1".split()))
def test_empty_segments_and_types_of_offsets(lengths, kind):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(kind)
    x = np.arange(int(offsets[-1]))
    expected = np.array([part.sum() for part in pieces(x, offsets)], np.int64) + 10
    equal(parscan.segmented_reduce(x, offsets=offsets, initial=10), expected)
    equal(parscan.segmented_reduce(x, offsets=offsets.tolist(), initial=10), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_seen_beyond_a_segment_and_infinity_stays(dtype):
    """The input of findings/pandas-groupby-cumsum-inf.sh, xarray-groupby-cumsum-flox.sh, datafusion-equal-zeros.sh."""
    keys = np.array([0.0, -0.0, 1, 1, 1], dtype)  # two segments: zeros are equal
    for large in (1e30, np.inf, -np.inf, np.finfo(dtype).max):
        x = np.array([large, large, 1, 1, 1], dtype)
        with np.errstate(over="ignore"):
            twice = x[0] + x[0]
        equal(parscan.segmented_inclusive_scan(x, keys=keys), np.array([large, twice, 1, 2, 3], dtype))
        equal(parscan.segmented_reduce(x, keys=keys), np.array([twice, 3], dtype))
        late = np.array([0, 0, 1, large, 1], dtype)
        after = np.array([0, 0, 1, large, large], dtype)
        equal(parscan.segmented_inclusive_scan(late, keys=keys), after)


def test_sums_widen_and_bools_count(rng):
    x = rng.integers(0, 255, 100).astype(np.uint8)
    equal(parscan.segmented_reduce(x, offsets=[0, 50, 100], dtype=np.uint64),
          np.array([x[:50].sum(), x[50:].sum()], np.uint64))
    equal(parscan.segmented_reduce(x > 99, offsets=[0, 50, 100]), np.array([(x[:50] > 99).sum(), (x[50:] > 99).sum()]))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_are_offsets_at_multiples(rng, dtype):
    for n, length in (0, 0), (0, 5), (7, 7), (60, 1), (3000, 3), (3000, 1000):
        x = random_array(rng, dtype, n)
        offsets = np.arange(0, n + 1, length or 1)
        for function in (parscan.segmented_inclusive_scan, parscan.segmented_exclusive_scan, parscan.segmented_reduce,
                         lambda x, op, **how: parscan.sort_segments(x, **how)):
            equal(function(x, "max", rows=length), function(x, "max", offsets=offsets))
    for wrong in {"rows": 7}, {"rows": 0}, {"rows": -1}, {"rows": 8, "flags": np.ones(8)}:
        with pytest.raises(ValueError):
            parscan.segmented_reduce(np.arange(8), **wrong)
    with pytest.raises(TypeError):
        parscan.segmented_reduce(np.arange(8), rows=2.0)


def test_out_and_wrong_segments():
    x = np.arange(10)
    y = np.empty(10, np.int64)
    assert parscan.segmented_inclusive_scan(x, flags=np.ones(10, bool), out=y) is y and equal(y, x)
    flags = np.ones(10, np.uint8)
    bytes_ = np.arange(10, dtype=np.uint8)
    parscan.segmented_inclusive_scan(bytes_, flags=flags, out=flags)  # overlaps the flags
    equal(flags, bytes_)
    for wrong in ({}, {"flags": flags, "offsets": [0, 10]}, {"flags": flags[1:]}, {"keys": x[1:]},
                  {"offsets": np.array([], int)}, {"offsets": [0, 9]}, {"offsets": [1, 10]}, {"offsets": [0, 7, 3, 10]},
                  {"offsets": [0, -1, 10]}):
        with pytest.raises(ValueError):
            parscan.segmented_reduce(x, **wrong)
    for wrong in ({"flags": x}, {"offsets": [0.0, 10.0]}):
        with pytest.raises(TypeError):
            parscan.segmented_reduce(x, **wrong)
    with pytest.raises(ValueError, match="1"):
        parscan.segmented_reduce(x.reshape(2, 5), flags=flags)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_recurrences(rng, dtype):
    a, b = rng.uniform(-1, 1, 500).astype(dtype), rng.standard_normal(500).astype(dtype)
    expected, value = [], 2.0
    for one, two in zip(a.tolist(), b.tolist()):
        value = one * value + two
        expected.append(value)
    np.testing.assert_allclose(parscan.recurrence(a, b, 2), expected, rtol=1e-3, atol=1e-3)
    c = a.copy()
    assert parscan.recurrence(c, b, out=c) is c
    equal(c, parscan.recurrence(a, b, 0))
    with pytest.raises(ValueError, match="as a"):
        parscan.recurrence(a, b[1:])
    with pytest.raises(parscan.UnsupportedError):
        parscan.recurrence(np.arange(3), np.arange(3))


def test_recurrences_along_an_axis(rng):
    a, b = rng.uniform(-1, 1, (4, 50, 6)), rng.standard_normal((4, 50, 6))
    for axis in (0, 1, -1):
        y = parscan.recurrence(a, b, 2, axis=axis)
        for one, two, three in zip(*(np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis]) for x in (a, b, y))):
            np.testing.assert_allclose(three, parscan.recurrence(one, two, 2), rtol=1e-9, atol=1e-12)
    c = b.copy()
    assert parscan.recurrence(0.5, c, axis=1, out=c) is c
    equal(c, parscan.recurrence(np.full(b.shape, 0.5), b, axis=1))
    equal(parscan.recurrence(a[0, 0], b[0, 0], axis=0), parscan.recurrence(a[0, 0], b[0, 0]))
    assert parscan.recurrence(a[:, :0], b[:, :0], axis=1).shape == (4, 0, 6)
    with pytest.raises(ValueError, match="1"):
        parscan.recurrence(a, b)
    with pytest.raises(ValueError, match="as a"):
        parscan.recurrence(a, b[:1], axis=0)
    with pytest.raises(np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError):
        parscan.recurrence(a, b, axis=3)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_recurrences_of_one_number(rng, dtype):
    b = rng.integers(-9, 9, 3001).astype(dtype)
    equal(parscan.recurrence(0.5, b, 2), parscan.recurrence(np.full(3001, 0.5, dtype), b, 2))
    equal(parscan.recurrence(np.float64(1), b), np.cumsum(b))
    with pytest.raises(parscan.UnsupportedError):
        parscan.recurrence(2, np.arange(3))
