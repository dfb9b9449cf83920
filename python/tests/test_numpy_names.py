"""NumPy's names and rules that its users miss: kinds of sorts, closed histograms, equal_nan, times. NumPy is the
oracle."""

import datetime

import numpy as np
import pytest

import parscan

X2 = np.array([1, 2])
TIMES = ["M8[D]", "m8[s]", ">M8[ms]"]


def same(given, expected):
    given, expected = np.asarray(given), np.asarray(expected)
    assert (given.dtype, given.shape) == (expected.dtype, expected.shape)
    assert np.array_equal(given, expected, equal_nan=given.dtype.kind in "fmM")


def table_of_times(dtype):
    """Times with NaT among them, and the same in the machine's byte order."""
    x = np.random.default_rng(1).integers(-50, 50, (7, 9)).astype(dtype)
    x[2, 3] = x[5, 1] = "NaT"
    return x, x.astype(x.dtype.newbyteorder("="))


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("dtype", TIMES)
def test_times_along_axes(dtype, axis):
    x, native = table_of_times(dtype)
    same(parscan.sort(x, axis), np.sort(native, axis, kind="stable"))
    same(parscan.argsort(x, axis), np.argsort(native, axis, kind="stable"))
    same(parscan.argmin(x, axis), np.argmin(native, axis))
    same(parscan.argmax(x, axis), np.argmax(native, axis))
    for op in ["min", "max"] + ["sum"] * (native.dtype.kind == "m"):
        same(parscan.reduce(x, op, axis=axis), getattr(np, op)(native, axis=axis))
    if axis is not None:
        same(parscan.inclusive_scan(x, "min", axis=axis), np.minimum.accumulate(native, axis=axis))
        same(parscan.inclusive_scan(x, "max", axis=axis), np.maximum.accumulate(native, axis=axis))
        same(parscan.diff(x, axis=axis), np.diff(native, axis=axis))
    if native.dtype.kind == "m":
        same(parscan.cumsum(x, axis), np.cumsum(native, axis))


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("dtype", TIMES)
def test_distinct_times(dtype, equal_nan):
    x, native = table_of_times(dtype)
    given = parscan.unique(x, True, True, True, equal_nan=equal_nan)
    for one, expected in zip(given, np.unique(native, True, True, True, equal_nan=equal_nan)):
        same(one, expected.reshape(one.shape))  # NumPy before 2 has a flat inverse
    # Not NumPy's values alone: findings/numpy-unique-nat.sh.
    same(parscan.unique(x, equal_nan=equal_nan), given[0])


@pytest.mark.parametrize("dtype", TIMES)
def test_searched_times(dtype):
    _, x = table_of_times(dtype)
    ordered = np.sort(x, None)
    for side in ("left", "right"):
        same(parscan.searchsorted(ordered, x, side), np.searchsorted(ordered, x, side))
        same(parscan.searchsorted(ordered, x[0, 0], side), np.searchsorted(ordered, x[0, 0], side))
    same(parscan.diff(x[0], prepend=x[1, 1]), np.diff(x[0], prepend=x[1, 1]))
    finer = x.astype(x.dtype.kind + "8[ns]") + np.timedelta64(1, "ns")
    same(parscan.searchsorted(ordered, finer), np.searchsorted(ordered, finer))
    with pytest.raises(TypeError, match="v is float64"):
        parscan.searchsorted(ordered, 3.0)
    with pytest.raises(TypeError, match="finer than x"):
        parscan.diff(x[0], prepend=finer[0, 0])
    with pytest.raises(ValueError, match="out must be"):
        parscan.sort(x.ravel(), out=finer.ravel())
    out = np.empty_like(ordered)
    assert parscan.sort(x.ravel(), out=out) is out
    same(out, ordered)


def test_times_of_other_classes_and_ufuncs():
    class Times(np.ndarray):
        pass

    _, x = table_of_times("m8[s]")
    same(parscan.sort(x.view(Times), 0), np.sort(x, 0))
    same(parscan.searchsorted(np.sort(x[0]).view(Times), x[1].view(Times)), np.searchsorted(np.sort(x[0]), x[1]))
    same(parscan.diff(x.view(Times)[::-1, ::-2]), np.diff(x[::-1, ::-2]))
    for op, name in ((np.minimum, "min"), (np.maximum, "max"), (np.add, "sum")):
        same(parscan.reduce(x, op, axis=0), parscan.reduce(x, name, axis=0))
        same(parscan.inclusive_scan(x, op, axis=0), parscan.inclusive_scan(x, name, axis=0))
    pythons = [datetime.timedelta(seconds=3), datetime.timedelta(days=1)]
    same(parscan.searchsorted(np.sort(x[0]), pythons), np.searchsorted(np.sort(x[0]), np.array(pythons, "m8[us]")))


@pytest.mark.parametrize("words, call", [
    ("^prepend has 2 elements", lambda x: parscan.diff(x, prepend=x[:2])), ("^v is object", lambda x: parscan.searchsorted(x, None)),
    ("^v (is|has) ", lambda x: parscan.searchsorted(x, [[x[0]], [x[0], x[1]]])), ("begin_bit = ", lambda x: parscan.sort(x, begin_bit=X2)),
    ("^out is read-only", lambda x: parscan.sort(x, out=np.broadcast_to(x, x.shape))), ("^op = ", lambda x: parscan.reduce(x, ["min"])),
    ("^v is masked", lambda x: parscan.searchsorted(x, np.ma.array(x))), ("^x is masked", lambda x: parscan.sort(np.ma.array(x))),
])
def test_errors_of_times(words, call):
    with pytest.raises((TypeError, ValueError), match=words):
        call(np.array([5, "NaT", -3, 2], "m8[s]"))


def test_what_times_have_not():
    dates, _ = table_of_times("M8[D]")
    for call in (lambda: parscan.cumsum(dates), lambda: parscan.reduce(dates, "product"),
                 lambda: parscan.sort(dates, begin_bit=3), lambda: parscan.exclusive_scan(dates, "min"),
                 lambda: parscan.argmin(dates[0], offsets=[0, 9]), lambda: parscan.reduce(dates, "min", initial=0)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="no time"):
        parscan.reduce(dates[:0], "max")


def test_closed_histograms_of_one_value():
    for value in (-0.44, 0.08, -0.41, 0.0, 1 / 3, 1e20):  # of which an edge may be rounded up
        for bins in range(1, 12):
            counts, edges = parscan.histogram(np.array([value]), bins, closed=True)
            k = int(np.flatnonzero(counts)[0])
            assert counts.sum() == 1 and edges[k] <= value <= edges[k + 1]
            if value < 1e20:  # NumPy refuses edges that are equal
                same(counts, np.histogram([value], bins)[0])


@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_with_nans(equal_nan):
    x = np.random.default_rng(2).random(50).round(1)
    x[[3, 9]] = np.nan
    for one, expected in zip(parscan.unique(x, True, True, True, equal_nan=equal_nan),
                             np.unique(x, True, True, True, equal_nan=equal_nan)):
        same(one, expected)
    with pytest.raises(TypeError, match="equal_nan"):
        parscan.unique(x, equal_nan=False, counted=True)


@pytest.mark.parametrize("x", [
    np.random.default_rng(3).random(1000), np.random.default_rng(4).integers(-9, 90, 1000), np.empty(0),
    np.full(5, 7), np.full(4, 2.5), np.arange(99, dtype=np.uint8), np.random.default_rng(5).random(100).astype("f4")])
def test_closed_histograms(x):
    for bins in (1, 7, 10):
        counts, edges = parscan.histogram(x, bins, closed=True)
        expected, expected_edges = np.histogram(x, bins)
        same(counts, expected)
        np.testing.assert_allclose(edges, expected_edges)
    wide = x.astype(np.float64)
    same(parscan.histogram(wide, range=(0.0, 9.0), closed=True)[0], np.histogram(wide, range=(0.0, 9.0))[0])
    if len(x) and x.dtype.kind == "f":
        with pytest.raises(ValueError, match="finite"):
            parscan.histogram(np.append(x, np.inf).astype(x.dtype), closed=True)


@pytest.mark.parametrize("n", [1, 5, 5000, 100000])
def test_argpartition(n):
    x = np.random.default_rng(n).integers(0, 1000, n)
    ordered = np.sort(x)
    for kth in (0, n // 2, n // 100, -1, (0, n // 50)):
        index = parscan.argpartition(x, kth)
        same(np.sort(index), np.arange(n))
        for k in np.atleast_1d(kth) % n:
            assert x[index[k]] == ordered[k] and (x[index[:k]] <= ordered[k]).all() and (x[index[k:]] >= ordered[k]).all()
    with pytest.raises(ValueError, match=f"kth = {n}: there are {n} elements"):
        parscan.argpartition(x, n)
    with pytest.raises(TypeError, match="kth = 0.5"):
        parscan.argpartition(x, 0.5)


def test_cumulative_sums():
    x = np.random.default_rng(6).integers(0, 9, (3, 4, 5))
    for axis in (0, 1, 2, -1):
        plain = np.cumsum(x, axis)
        same(parscan.cumulative_sum(x, axis=axis), plain)
        before = np.zeros_like(np.take(plain, [0], axis))
        same(parscan.cumulative_sum(x, axis=axis, include_initial=True), np.concatenate([before, plain], axis))
        same(parscan.cumulative_prod(x.astype("f4"), axis=axis, include_initial=True),
             np.concatenate([np.ones_like(before, "f4"), np.cumprod(x.astype("f4"), axis)], axis))
    same(parscan.cumulative_sum([1, 2], include_initial=True), np.array([0, 1, 3]))
    same(parscan.cumulative_sum(np.array(3)), np.array([3]))
    same(parscan.cumulative_sum(np.array(3), include_initial=True), np.array([0, 3]))
    with pytest.raises(ValueError, match="axis = None"):
        parscan.cumulative_sum(x)


def test_kinds_of_sorts():
    x = np.array([3, 1, 2])
    for kind in (None, "quicksort", "mergesort", "heapsort", "stable"):
        same(parscan.sort(x, -1, kind), np.sort(x, -1, kind))
        same(parscan.argsort(x, kind=kind, stable=True), np.argsort(x, kind="stable"))
    with pytest.raises(ValueError, match="kind"):
        parscan.sort(x, kind="bubble")
