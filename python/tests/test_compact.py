"""Compaction, unique, run lengths, matrices."""

import operator
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parscan
from arrays import DTYPES, any_array, equal, random_array

COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
           ">=": operator.ge}


@given(any_array(min_dims=1), st.data())
def test_compress_is_numpys(x, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    n = x.size if axis is None else x.shape[axis]
    condition = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    expected = np.compress(condition, x, axis)
    equal(parscan.compress(condition, x, axis), expected.astype(x.dtype.newbyteorder("=")))


@pytest.mark.parametrize("x", [np.array(["a", "bb", "c"]), np.arange(3) * 1j, np.array([(1, 2.0)] * 3, "i1,f8"),
                               np.arange(300).reshape(3, 100)], ids=lambda x: str(x.dtype))
def test_compress_moves_any_type(x):
    np.testing.assert_array_equal(parscan.compress([True, False, True], x, 0), x[[0, 2]])


@pytest.mark.parametrize("width", [63, 64, 65, 1000])
@pytest.mark.parametrize("share", [0, 0.01, 0.5, 1])
def test_compress_of_wide_rows(rng, width, share):
    x, condition = rng.integers(0, 256, (300, width)).astype(np.uint8), rng.random(300) < share
    kept = parscan.compress(condition, x, 0)
    equal(kept, x[condition])
    sevens = condition.view(np.uint8) * np.uint8(7)
    for truth in sevens, sevens.view(bool):
        equal(parscan.compress(truth, x, 0), x[condition])
    assert kept.base is None or kept.base.nbytes <= 300 * width


def test_wrong_conditions():
    with pytest.raises(TypeError, match="condition"):
        parscan.compress([1, 0], [1, 2])
    with pytest.raises(ValueError):
        parscan.compress([True], [1, 2])
    with pytest.raises(TypeError):
        parscan.compress([True], np.array([None]))


@pytest.mark.parametrize("dtype", [np.dtype(bool), *DTYPES], ids=str)
def test_comparisons_of_every_type(rng, dtype):
    x = random_array(rng, dtype, (40, 50))
    flat, value, upper = x.ravel(), *np.sort(x.ravel()[:2])
    cases = {("nonzero",): flat != 0, ("between", value, upper): (flat >= value) & (flat <= upper),
             **{(name, value): compare(flat, value) for name, compare in COMPARE.items()}}
    for arguments, mask in cases.items():
        equal(parscan.compact_if(x, *arguments), flat[mask])
        for index in (True, np.int64, np.uint32):
            elements, indices = parscan.compact_if(x, *arguments, indices=index)
            equal(elements, flat[mask])
            equal(indices, np.flatnonzero(mask).astype(np.int64 if index is True else index))
        equal(parscan.flatnonzero(x, *arguments), np.flatnonzero(mask))
        parts, count = parscan.partition(x, *arguments)
        assert count == mask.sum() and equal(parts, np.concatenate([flat[mask], flat[~mask]]))


def test_values_that_change():
    x, value = np.arange(300), np.array(0)
    for bound in (*range(200), 3):  # more than are remembered
        value[...] = bound
        equal(parscan.compact_if(x, "<", value), x[:bound])
        equal(parscan.compact_if(x, "<", [bound]), x[:bound])
        equal(parscan.flatnonzero(x, ">=", value), x[bound:])
    for zero in (0.0, -0.0, 0, False):
        equal(parscan.compact_if(np.array([-0.0, 1.0, 0.0]), "==", zero), np.array([-0.0, 0.0]))


def test_wrong_comparisons():
    for wrong in (("!",), ("<",), ("nonzero", 1), ("between", 1), ("<", 1, 2), ("<", None, 2), ("<", [1, 2])):
        with pytest.raises(ValueError):
            parscan.compact_if(np.arange(3), *wrong)
    for wrong in (2.5, np.float32(2.5), 2**70, "2", 300):
        with pytest.raises((ValueError, TypeError)), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            parscan.compact_if(np.arange(3, dtype=np.int8), "<", wrong)
    equal(parscan.compact_if(np.arange(3), "<", 2.0), np.arange(2))
    equal(parscan.compact_if(np.array([1, np.nan, 0]), "!=", 1.0), np.array([np.nan, 0]))


@given(any_array(min_dims=1))
def test_nonzero_is_numpys(x):
    for mine, theirs in zip(parscan.nonzero(x), np.nonzero(x), strict=True):
        equal(mine, theirs)


def test_large_results_have_no_room_behind_them(rng):
    x = rng.integers(0, 10, 200_000)
    kept = parscan.compact_if(x, "<", 1)
    equal(kept, x[x < 1])
    assert kept.base is None and kept.flags.owndata


@given(any_array())
def test_unique_is_numpys(x):
    native = x.astype(x.dtype.newbyteorder("="))
    values, index, inverse, counts = np.unique(native, True, True, True)
    equal(parscan.unique(x), values)
    for mine, theirs in zip(parscan.unique(x, return_counts=True), (values, counts)):
        equal(mine, theirs)
    got = parscan.unique(x, True, True, True)
    equal(got[0], values) and equal(got[1], index) and equal(got[3], counts)
    equal(got[2], inverse.reshape(x.shape))
    equal(got[0][got[2]], native)


def test_unique_of_nan_and_zeros():
    values, counts = parscan.unique(np.array([np.nan, 0.0, -0.0, np.nan]), return_counts=True)
    equal(values, np.array([0.0, np.nan])) and equal(counts, np.array([2, 2]))


@given(any_array(min_dims=1, max_dims=1, max_side=40))
def test_runs(x):
    native = x.astype(x.dtype.newbyteorder("="))
    heads = np.ones(x.size, bool)
    heads[1:] = native[1:] != native[:-1]
    starts = np.flatnonzero(heads)
    lengths = np.diff(np.append(starts, x.size))
    equal(parscan.unique_consecutive(x), native[heads])
    values, counts = parscan.run_length_encode(x, dtype=np.uint32)
    equal(values, native[heads]) and equal(counts, lengths.astype(np.uint32))
    equal(parscan.repeat(values, counts), native)


@given(any_array(min_dims=2, max_dims=2, max_side=12))
def test_dense_to_csr(x):
    indptr, indices, data = parscan.dense_to_csr(x, dtype=np.int32)
    rows, columns = np.nonzero(x)
    equal(indices, columns.astype(np.int32))
    equal(data, x[rows, columns].astype(x.dtype.newbyteorder("=")))
    equal(indptr, np.concatenate([[0], np.cumsum((x != 0).sum(1))]).astype(np.int32))


def test_large_matrices(rng):
    x = rng.integers(0, 20, (300, 400)) // 19
    csr = parscan.dense_to_csr(x)
    dense = np.zeros_like(x)
    dense[np.repeat(np.arange(300), np.diff(csr.indptr)), csr.indices] = csr.data
    equal(dense, x)
    assert parscan.dense_to_csr(np.zeros((100, 100))).data.size == 0
    with pytest.raises(ValueError, match="dimensions"):
        parscan.dense_to_csr(np.arange(3))


@pytest.mark.parametrize("dtype", [np.dtype(bool), *DTYPES], ids=str)
def test_flags_counts_and_rows_by_another_array(rng, dtype):
    for n in (0, 1, 65, 5001):
        by = random_array(rng, dtype, n)
        rows = rng.integers(0, 99, (n, 3)).astype(np.uint8)
        value = dtype.type(1)
        for keep, flags in (("nonzero", by != 0), ("<", by < value), (">=", by >= value)):
            bound = None if keep == "nonzero" else value
            equal(parscan.flags_if(by, keep, bound), flags)
            equal(parscan.compact_by(rows, by, keep, bound), rows[flags])
            assert parscan.count_if(by, keep, bound) == np.count_nonzero(flags)
    assert parscan.flags_if(np.zeros((2, 3))).shape == (2, 3)
    with pytest.raises(ValueError):
        parscan.compact_by(np.zeros(3), np.zeros(4))
