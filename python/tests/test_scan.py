"""Scans and reductions against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parscan
from arrays import DTYPES, INTEGERS, LAYOUTS, UFUNCS, accumulate, any_array, equal, random_array

LENGTHS = (0, 1, 2, 1000, 70001)


@pytest.mark.parametrize("dtype, op", [(dtype, op) for dtype in DTYPES for op in UFUNCS
                                       if dtype.kind != "f" or op not in ("and", "or", "xor")], ids=str)
def test_scans_of_every_type_and_operator(rng, dtype, op):
    ufunc = UFUNCS[op]
    for n in LENGTHS:
        x = random_array(rng, dtype, n)
        if dtype.kind == "f" and op == "product":
            x = np.sign(x) + (x == 0)
        expected = accumulate(ufunc, x)
        equal(parscan.inclusive_scan(x, op), expected)
        equal(parscan.inclusive_scan(x, ufunc), expected)
        equal(parscan.inclusive_scan(x, op, reverse=True), accumulate(ufunc, x[::-1])[::-1])
        if n:
            equal(parscan.exclusive_scan(x, op)[1:], expected[:-1])
            assert parscan.reduce(x, op) == expected[-1]


@given(any_array(), st.data())
def test_cumsum_and_cumprod_are_numpys(x, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    with np.errstate(all="ignore"):
        equal(parscan.cumsum(x, axis), np.cumsum(x, axis).astype(np.cumsum(x, axis).dtype.newbyteorder("=")))
        if x.dtype.kind != "f":
            equal(parscan.cumprod(x, axis), np.cumprod(x, axis).astype(
                np.cumprod(x, axis).dtype.newbyteorder("=")))


@given(any_array(min_dims=1), st.data())
def test_diff_is_numpys(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    native = x.astype(x.dtype.newbyteorder("="))
    with np.errstate(all="ignore"):
        equal(parscan.diff(x, axis=axis), np.diff(native, axis=axis))
        equal(parscan.difference(x), np.diff(native.reshape(-1), prepend=np.zeros(1, native.dtype)))


def test_a_difference_inverts_the_scan_with_its_options(rng):
    x = random_array(rng, np.int16, 70001)
    for op in "sum", "xor":
        for options in {}, {"reverse": True}, {"initial": 77}, {"initial": -5, "reverse": True}:
            equal(parscan.difference(parscan.inclusive_scan(x, op, **options), op, **options), x)
    with pytest.raises(parscan.UnsupportedError, match="op = max"):
        parscan.difference(x, "max")
    with pytest.raises(ValueError, match="prepend with 2 dimensions"):
        parscan.diff(np.zeros((2, 2)), prepend=0)


@given(any_array(min_dims=1), st.sampled_from(["sum", "min", "max"]), st.data())
def test_scans_along_an_axis(x, op, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    native = x.astype(x.dtype.newbyteorder("="))
    if x.dtype.kind == "b" and op == "sum":
        native = native.astype(np.int64)
    equal(parscan.inclusive_scan(x, op, axis=axis), accumulate(UFUNCS[op], native, axis))


@given(any_array(min_dims=1), st.sampled_from(["sum", "min", "max"]), st.booleans(), st.data())
def test_reductions_along_an_axis(x, op, keepdims, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    if x.shape[axis] == 0 and op != "sum":
        return
    kind = np.int64 if x.dtype.kind == "b" and op == "sum" else x.dtype.newbyteorder("=")
    expected = UFUNCS[op].reduce(x, axis, dtype=None if op != "sum" else kind, keepdims=keepdims)
    equal(parscan.reduce(x, op, axis=axis, keepdims=keepdims), expected.astype(kind))


@given(any_array(max_dims=4, max_side=5), st.sampled_from(["sum", "max"]), st.booleans(), st.data())
def test_reductions_along_several_axes(x, op, keepdims, data):
    axes = data.draw(st.lists(st.integers(0, max(x.ndim - 1, 0)), unique=True, max_size=x.ndim).map(tuple))
    axes = tuple(axis - x.ndim * data.draw(st.booleans()) for axis in axes)
    if op == "max" and any(x.shape[axis] == 0 for axis in axes):
        return
    kind = np.int64 if x.dtype.kind == "b" and op == "sum" else x.dtype.newbyteorder("=")
    expected = UFUNCS[op].reduce(x, axes, dtype=None if op != "sum" else kind, keepdims=keepdims)
    equal(parscan.reduce(x, op, axis=axes, keepdims=keepdims), np.asarray(expected).astype(kind))


def test_axes_in_a_tuple(rng):
    x = rng.integers(0, 9, (2, 3, 4))
    equal(parscan.reduce(x, axis=(2, 0), initial=5), x.sum((0, 2)) + 5)
    equal(parscan.reduce(x, axis=(), dtype=np.int32), x.astype(np.int32))
    equal(parscan.reduce(x, axis=(0, 2), algorithm="warp"), x.sum((0, 2)))
    equal(parscan.reduce(x, axis=np.int64(1)), x.sum(1))
    with pytest.raises(ValueError, match="names one axis twice"):
        parscan.reduce(x, axis=(0, -3))
    with pytest.raises((ValueError, IndexError), match="axis 3"):
        parscan.reduce(x, axis=(0, 3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(rng, layout):
    x = rng.integers(0, 9, (6, 10)).astype(np.int32)
    equal(parscan.cumsum(LAYOUTS[layout](x)), np.cumsum(x))
    equal(parscan.inclusive_scan(LAYOUTS[layout](x), axis=0), np.cumsum(x, 0, dtype=np.int32))


def test_lists_and_scalars():
    equal(parscan.cumsum([3, 1, 7]), np.array([3, 4, 11]))
    equal(parscan.cumsum(5), np.array([5]))
    equal(parscan.cumsum([True, True]), np.array([1, 2]))
    assert isinstance(parscan.reduce([1.5, 2.0]), np.float64)
    assert parscan.reduce([]) == 0 and parscan.reduce(np.array([], np.int8), "max") == -128


@pytest.mark.parametrize("source", [np.dtype(bool), *DTYPES], ids=str)
@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_dtypes_of_sums_are_numpys(rng, source, target):
    x = rng.integers(0, 2, 50).astype(source)
    if source.kind == "i":
        x = -x
    equal(parscan.cumsum(x, dtype=target), np.cumsum(x.astype(target), dtype=target))
    equal(np.asarray(parscan.reduce(x, dtype=target)), np.sum(x.astype(target), dtype=target))


def test_initial_values(rng):
    x = rng.integers(-9, 9, (4, 5))
    equal(parscan.inclusive_scan(x, initial=100), np.cumsum(x) + 100)
    equal(parscan.exclusive_scan(x, initial=100, axis=1)[:, 0], np.full(4, 100))
    equal(parscan.inclusive_scan(x, "max", initial=5, axis=0), np.maximum(accumulate(np.maximum, x), 5))
    assert parscan.reduce(x, initial=-3) == x.sum() - 3
    equal(parscan.reduce(x, initial=7, axis=0), x.sum(0) + 7)
    with pytest.raises(ValueError):
        parscan.inclusive_scan(x, initial=[1, 2])
    for zero in (0.0, -0.0):
        assert np.signbit(parscan.exclusive_scan(np.array([1.0]), initial=zero)[0]) == np.signbit(zero)


def test_out(rng):
    x = rng.integers(0, 9, (6, 4)).astype(np.int32)
    y = np.empty((6, 4), np.int32)
    assert parscan.inclusive_scan(x, axis=1, out=y) is y and equal(y, np.cumsum(x, 1, dtype=np.int32))
    assert parscan.inclusive_scan(x, axis=0, out=y) is y and equal(y, np.cumsum(x, 0, dtype=np.int32))
    z = x.copy()
    assert parscan.inclusive_scan(z, axis=1, out=z) is z and equal(z, np.cumsum(x, 1, dtype=np.int32))
    strided = np.zeros((6, 8), np.int32)[:, ::2]
    parscan.inclusive_scan(x, axis=1, out=strided)
    equal(strided, np.cumsum(x, 1, dtype=np.int32))
    swapped = np.zeros(24, ">i4")
    parscan.inclusive_scan(x, out=swapped)
    equal(swapped.astype("i4"), np.cumsum(x, dtype=np.int32))
    line = np.arange(10)
    parscan.cumsum(line[:-1], out=line[1:])  # overlaps
    equal(line, np.array([0, *np.cumsum(np.arange(9))]))
    for wrong in (np.empty(23, np.int32), np.empty(24, np.int64), np.empty((6, 4), np.int32)):
        with pytest.raises(ValueError, match="out is"):
            parscan.inclusive_scan(x, out=wrong)
    fixed = np.empty(24, np.int32)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        parscan.inclusive_scan(x, out=fixed)
    with pytest.raises(TypeError):
        parscan.inclusive_scan(x, out=[0] * 24)


@pytest.mark.parametrize("algorithm", parscan.algorithms)
def test_algorithms(rng, algorithm):
    x = rng.integers(0, 1000, (3, 3000)).astype(np.uint32)
    equal(parscan.inclusive_scan(x, algorithm=algorithm), np.cumsum(x, dtype=np.uint32))
    equal(parscan.inclusive_scan(x, axis=1, algorithm=algorithm), np.cumsum(x, 1, dtype=np.uint32))
    equal(parscan.reduce(x, axis=1, algorithm=algorithm), x.sum(1, dtype=np.uint32))


@pytest.mark.parametrize("algorithm", parscan.algorithms)
def test_algorithms_of_short_rows(rng, algorithm):
    x = rng.integers(0, 1000, (300, 2)).astype(np.int16)
    y, options = x.astype(np.float32) / 7, {"algorithm": algorithm, "axis": 1}
    equal(parscan.exclusive_scan(x, initial=5, **options), np.stack([np.full(300, 5), 5 + x[:, 0]], 1).astype(np.int16))
    equal(parscan.inclusive_scan(x, "max", reverse=True, **options), np.maximum.accumulate(x[:, ::-1], 1)[:, ::-1])
    equal(parscan.reduce(x, initial=7, **options), 7 + x.sum(1, dtype=np.int16))
    equal(parscan.reduce(y, "min", **options), y.min(1))
    equal(parscan.inclusive_scan(y, **options), np.cumsum(y, 1))
    equal(parscan.inclusive_scan(y, "product", reverse=True, **options), np.cumprod(y[:, ::-1], 1)[:, ::-1])
    equal(parscan.reduce(y, **options), y[:, 0] + y[:, 1])
    for initial in None, 0.3:  # with it and two elements called once a row
        for call in parscan.inclusive_scan, parscan.exclusive_scan, parscan.reduce:
            found = call(y, initial=initial, **options)
            equal(found, np.stack([np.asarray(call(row, initial=initial, algorithm=algorithm)) for row in y]))
    with pytest.raises(parscan.InvalidArgumentError, match="block_threads"):
        parscan.inclusive_scan(x, axis=1, algorithm="warp", block_threads=7)
    with pytest.raises(parscan.InvalidArgumentError, match="block_threads"):
        parscan.reduce(x, axis=1, algorithm="warp", block_threads=7)


def test_block_shapes(rng):
    x = rng.integers(0, 9, 5000)
    for algorithm, threads, items in (("kogge-stone", 64, 0), ("brent-kung", 32, 2), ("three-phase", 16, 7)):
        equal(parscan.inclusive_scan(x, algorithm=algorithm, block_threads=threads,
                                     items_per_thread=items), np.cumsum(x))


def test_reproducible_sums_do_not_depend_on_threads(rng):
    x = rng.standard_normal(300_000).astype(np.float32)
    results = [parscan.cumsum(x, reproducible=True, context=parscan.Context("cpu", threads=n))
               for n in (1, 2, 3)]
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()
    rows = parscan.cumsum(x.reshape(3, -1), axis=1, reproducible=True)
    assert rows[1].tobytes() == parscan.cumsum(x[100_000:200_000], reproducible=True).tobytes()
    assert parscan.reduce(x, reproducible=True) == results[0][-1]
    np.testing.assert_allclose(results[0], np.cumsum(x, dtype=np.float64), atol=0.05)


def test_floats_propagate_nan_and_order_zeros():
    x = np.array([1.0, np.nan, 3.0])
    assert np.isnan(parscan.inclusive_scan(x, "max")[1:]).all()
    assert np.signbit(parscan.reduce(np.array([0.0, -0.0]), "min"))


def test_inputs_stay(rng):
    x = rng.integers(0, 9, (5, 6))
    before = x.copy()
    parscan.cumsum(x, axis=0), parscan.cumprod(x), parscan.reduce(x, axis=0)
    equal(x, before)


@pytest.mark.parametrize("dtype", ["V2", "c8", "M8[s]", "S3", "O", "V5", "i4,f4", "g"])
def test_other_types_are_refused(dtype):
    with pytest.raises(TypeError, match="parscan has|plain bytes|of datetime64"):
        parscan.cumsum(np.zeros(3, dtype))


def test_wrong_arguments():
    x = np.arange(6).reshape(2, 3)
    with pytest.raises(ValueError, match="op = 'add': it must be one of sum"):
        parscan.inclusive_scan(x, "add")
    with pytest.raises(ValueError, match="algorithm = 'fast'"):
        parscan.inclusive_scan(x, algorithm="fast")
    for axis in (2, -3):
        with pytest.raises((ValueError, IndexError), match="axis"):  # np.AxisError is both
            parscan.cumsum(x, axis)
        with pytest.raises((ValueError, IndexError), match="axis"):
            parscan.reduce(x, axis=axis)
    with pytest.raises(TypeError, match="masked"):
        parscan.cumsum(np.ma.masked_array([1, 2], [True, False]))
    with pytest.raises(TypeError, match="masked|MaskedArray"):
        parscan.cumsum(x.ravel(), out=np.ma.masked_all(6, int))
    for wrong in (np.nan, "5", 2**70):
        with pytest.raises(ValueError, match="initial = .* is no value of int64"):
            parscan.inclusive_scan(x, initial=wrong)
    with pytest.raises(ValueError, match="device memory"):
        parscan.cumsum(x, stream=0)
    with pytest.raises(ValueError, match="block_threads = -1: it must be 0 to"):
        parscan.inclusive_scan(x, block_threads=-1)
    with pytest.raises(TypeError):
        parscan.cumsum(x, dtype="c8")


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_buffers(dtype):
    x = np.arange(5).astype(dtype)
    equal(parscan.inclusive_scan(memoryview(x)), np.cumsum(x, dtype=dtype))
