"""Histograms, bins, allocation, expansion, packing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parscan
from arrays import DTYPES, INTEGERS, any_array, equal, random_array
from parscan._host import HOST


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_histograms(rng, dtype):
    x = rng.integers(0, 100, (50, 40)).astype(dtype)
    counts, edges = parscan.histogram(x, 10, (0, 100))
    expected, expected_edges = np.histogram(x, 10, (0, 100))
    equal(counts, expected)
    np.testing.assert_allclose(edges, expected_edges)
    if dtype.kind != "f":
        equal(parscan.histogram(x, 64)[0], np.bincount(x.ravel().astype(int), minlength=64)[:64])
    assert parscan.histogram(x, 10, (0, 99))[0].sum() == (x < 99).sum()  # upper is open


def test_bounds_of_histograms():
    x = np.arange(5.0)
    for wrong in ((1.0, 1.0), (2.0, 1.0), (0.0, np.inf)):
        with pytest.raises(parscan.InvalidArgumentError):
            parscan.histogram(x, 3, wrong)
    with pytest.raises(parscan.InvalidArgumentError):
        parscan.histogram(x, 3)  # floats need a range
    for bins in (0, -1, 2**24 + 1):
        with pytest.raises(ValueError, match="bins"):
            parscan.histogram(x, bins, (0.0, 1.0))
    edges = parscan.histogram(x, 3, (0.1, 0.7))[1]
    assert edges[0] == 0.1 and edges[-1] == 0.7
    edges[:] = 0
    assert parscan.histogram(x, 3, (0.1, 0.7))[1][0] == 0.1  # nobody's copy
    edges = parscan.histogram([1], 3)[1]
    edges[:] = 0
    equal(parscan.histogram([1], 3)[1], np.arange(4.0))


def enclosed(x, edges):
    """How many elements lie between the edges of each bin, upper excluded."""
    b = np.searchsorted(edges, x[(x >= edges[0]) & (x < edges[-1])], side="right") - 1
    return np.bincount(b, minlength=len(edges) - 1)


def test_edges_enclose_what_is_counted(rng):
    assert parscan.histogram([49.0], 2, (0.0, 98.0))[0].tolist() == [0, 1]
    for dtype in (np.float32, np.float64, np.int32, np.uint8):
        for _ in range(300):
            lower, bins = int(rng.integers(0, 20)), int(rng.integers(1, 120))
            upper = lower + int(rng.integers(1, 200))
            x = np.arange(lower, upper).astype(dtype)
            if x.dtype.kind == "f":
                x = np.concatenate([x, np.nextafter(x, dtype(-999))])
            counts, edges = parscan.histogram(x, bins, (lower, upper))
            equal(counts, enclosed(x.astype(np.float64), edges))


def test_edges_of_floats_are_linspaces_and_those_of_integers_are_exact(rng):
    for dtype in (np.float32, np.float64):
        for _ in range(200):
            lower = dtype(rng.normal() * 10.0 ** rng.integers(-5, 6))
            bins = int(rng.integers(1, 6000))
            upper = lower + dtype(10.0 ** rng.integers(-2, 6))
            edges = parscan.histogram(np.zeros(1, dtype), bins, (lower, upper))[1]
            expected = np.linspace(float(lower), float(upper), bins + 1)
            assert edges.tobytes() == expected.tobytes(), (lower, upper, bins)
    edges = parscan.histogram(np.zeros(1, np.float32), 3, (0.1, 0.7))[1]
    assert edges[0] == np.float32(0.1) and edges[-1] == np.float32(0.7)  # as compared
    for lower, upper, dtype in ((0, 3, np.int8), (-(2**63), 2**63 - 1, np.int64),
                                (5, 2**64 - 1, np.uint64), (-7, 12, np.int16)):
        edges = parscan.histogram(np.zeros(1, dtype), 90, (lower, upper))[1]
        exact = [(lower * 90 + b * (upper - lower)) / 90 for b in range(91)]
        np.testing.assert_array_almost_equal_nulp(edges, np.array(exact), 1)
        if upper - lower < 2**48:
            equal(edges, np.array(exact))


def test_bounds_of_histograms_that_change():
    x, upper = np.arange(8), np.array(4)
    for bound in (4, 8, 2):
        upper[...] = bound
        counts, edges = parscan.histogram(x, 2, (0, upper))
        equal(counts, np.array([bound // 2, bound // 2]))
        assert edges[-1] == bound
    for bound in range(1, 200):  # more than are remembered
        assert parscan.histogram(x, 1, (0, bound))[0][0] == min(bound, 8)


@given(st.lists(st.integers(0, 300), max_size=50), st.integers(0, 400), st.sampled_from(INTEGERS))
def test_bincount_is_numpys(x, minlength, dtype):
    x = np.array([value % (np.iinfo(dtype).max + 1) for value in x], dtype)
    equal(parscan.bincount(x, minlength), np.bincount(x.astype(np.int64), minlength=minlength))


@pytest.mark.parametrize("dtype", (np.int32, np.uint32, np.int64, np.uint64), ids=str)
def test_bincount_of_few_elements_in_many_bins(rng, dtype):
    for greatest, n in ((2**16 - 1, 1), (2**16 - 1, 1023), (2**20, 1000)):
        x = rng.integers(0, 50, n).astype(dtype)
        x[n // 2] = greatest
        for counts in (np.int64, np.uint32):
            found = parscan.bincount(x, dtype=counts)
            assert found.dtype == counts
            np.testing.assert_array_equal(found, np.bincount(x.astype(np.int64)))
    equal(parscan.bincount(x[:10], 2**17), np.bincount(x[:10].astype(np.int64), minlength=2**17))


def test_bincount_of_bools_and_wrong_ones():
    equal(parscan.bincount(np.array([True, False, True])), np.array([1, 2]))
    for dtype in "i1", "i4", "i8":
        with pytest.raises(ValueError, match="-3"):
            parscan.bincount(np.array([1, -3], dtype), 256)
    with pytest.raises(TypeError):
        parscan.bincount([1.0])
    with pytest.raises(ValueError):
        parscan.bincount([1], -1)
    with pytest.raises(ValueError, match="x has 1099511627776: none may be above"):
        parscan.bincount([2**40])


def test_numbers_of_bins_are_numpys_too(rng):
    x = rng.integers(0, 200, 1000).astype(np.uint8)
    for kind in (np.uint8, np.int16, np.int64):
        equal(parscan.bincount(x, kind(250 if kind != np.int16 else 300))[:200], np.bincount(x, minlength=200))
        equal(parscan.bin(x, kind(127))[1], parscan.bin(x, 127)[1])
        equal(parscan.histogram(x, kind(200))[0], np.bincount(x, minlength=200))
    equal(parscan.bin(x, np.uint8(255))[1], parscan.bin(x, 255)[1])
    for wrong in (1.0, "2", None):
        with pytest.raises(TypeError, match="bins = .*it must be an integer"):
            parscan.bin(x, wrong)
    for bounds in ((0, np.nan), (0, 256), ("0", 5)):
        with pytest.raises(ValueError, match="is no value of uint8"):
            parscan.histogram(x, 10, bounds)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_bin(rng, dtype):
    x = rng.integers(-5 if dtype.kind == "i" else 0, 30, 1000).astype(dtype)
    for bins in (0, 20, 200):
        kept = (x >= 0) & (x < bins)
        order = np.flatnonzero(kept)[np.argsort(x[kept], kind="stable")]
        counts = np.bincount(x[kept].astype(int), minlength=bins)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        indices, got = parscan.bin(x, bins)
        equal(indices, order) and equal(got, offsets)
        values, _ = parscan.bin(x, bins, np.arange(3000.0).reshape(1000, 3))
        equal(values, np.arange(3000.0).reshape(1000, 3)[order])
    assert parscan.bin(x, 3, dtype=np.uint32, index_dtype=np.int32)[0].dtype == np.int32
    with pytest.raises(ValueError):
        parscan.bin(x, -1)


@given(st.lists(st.integers(0, 100), max_size=60), st.sampled_from(INTEGERS), st.sampled_from([1, 2, 16]))
def test_allocate(sizes, dtype, alignment):
    sizes = np.array(sizes, dtype)
    rounded = -(-sizes.astype(np.int64) // alignment) * alignment
    offsets, total = parscan.allocate(sizes, alignment=alignment)
    equal(offsets, np.concatenate([[0], np.cumsum(rounded)[:-1]])[:sizes.size].astype(np.int64))
    assert total == rounded.sum()
    equal(parscan.allocate(sizes, alignment=alignment, close=True)[0], np.append(offsets, total))


def test_totals_that_do_not_fit():
    with pytest.raises(parscan.CapacityError, match="6"):
        parscan.allocate([1, 2, 3], capacity=5)
    with pytest.raises(parscan.CapacityError):
        parscan.allocate([1], capacity=0)
    assert parscan.allocate([0], capacity=0)[1] == 0
    for dtype in np.int32, np.uint32:
        with pytest.raises(parscan.TotalOverflowError):
            parscan.allocate([2**31, 2**31], dtype=dtype)
    assert parscan.allocate([2**31, 1], dtype=np.uint32)[1] == 2**31 + 1
    for dtype in "i1", "i2", "i4", "i8":
        for function in (parscan.allocate, parscan.expand, lambda x: parscan.repeat([1, 2], x)):
            with pytest.raises(ValueError, match="-1: none may be negative"):
                function(np.array([3, -1], dtype))
    with pytest.raises(parscan.TotalOverflowError):
        parscan.expand(np.array([2**63, 2**63 + 7], np.uint64))
    for wrong in ({"alignment": 3}, {"alignment": -1}, {"capacity": -1}):
        with pytest.raises(ValueError):
            parscan.allocate([1], **wrong)
    with pytest.raises(TypeError):
        parscan.allocate([1.5])


@given(st.lists(st.integers(0, 9), max_size=40), st.sampled_from([np.int64, np.uint32]))
def test_expand(sizes, dtype):
    owner, rank = parscan.expand(np.array(sizes, np.uint16), dtype=dtype)
    equal(owner, np.repeat(np.arange(len(sizes)), sizes).astype(dtype))
    equal(rank, np.concatenate([np.arange(n) for n in sizes] or [[]]).astype(dtype))


@given(any_array(min_dims=1), st.data())
def test_repeat_is_numpys(x, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    n = x.size if axis is None else x.shape[axis]
    repeats = data.draw(st.one_of(st.integers(0, 4), st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    expected = np.repeat(x, repeats, axis) if n or isinstance(repeats, int) else np.repeat(x, 0, axis)
    equal(parscan.repeat(x, np.array(repeats, np.int64) if isinstance(repeats, list) else repeats, axis),
          expected.astype(x.dtype.newbyteorder("=")))


def test_repeat_of_other_things():
    np.testing.assert_array_equal(parscan.repeat(["a", "b"], [2, 1]), ["a", "a", "b"])
    equal(parscan.repeat(7, 3), np.full(3, 7))
    for wrong in (-1, [1], [1, 2, 3]):
        with pytest.raises(ValueError):
            parscan.repeat([1, 2], wrong)
    with pytest.raises(ValueError):
        parscan.repeat([1, 2], 1, axis=1)


def test_pack(rng):
    text = np.frombuffer(b"the quick brown fox", np.uint8)
    starts, sizes = np.array([16, 4, 0]), np.array([3, 5, 3])
    assert parscan.pack(text, starts, sizes).tobytes() == b"foxquickthe"
    out = np.full(20, ord("."), np.uint8)
    assert parscan.pack(text, starts, sizes, [0, 4, 10], out=out) is out
    assert out.tobytes() == b"fox.quick.the......."
    words = rng.integers(0, 2**60, 100)
    equal(parscan.pack(words, np.arange(100, dtype=np.uint32)[::-1] * 8, np.full(100, 8, np.uint8),
                       ).view(np.int64), words[::-1])


@pytest.mark.parametrize("kind, size_kind", [(np.int64, np.int64), (np.uint32, np.int32), (np.uint64, np.uint8), (np.int16, np.int16)])
def test_many_records_are_packed_piece_by_piece(monkeypatch, rng, kind, size_kind):
    monkeypatch.setattr(HOST, "pieces", 10)
    words = rng.integers(0, 2**60, 100)
    text = words.view(np.uint8)
    for sizes in (np.ones(95), np.repeat([1, 0, 5, 1, 2], 19), np.zeros(11), rng.integers(0, 20, 64)):
        starts, sizes = rng.integers(0, 780, sizes.size).astype(kind), sizes.astype(size_kind)
        expected = b"".join(text[begin:begin + size].tobytes() for begin, size in zip(starts.tolist(), sizes.tolist()))
        assert parscan.pack(words, starts, sizes).tobytes() == expected
    for wrong in (-1, 800, 2**15 - 1):
        starts[-1], sizes[:] = np.array(wrong).astype(kind), 1
        with pytest.raises(ValueError, match="records beyond the 800 bytes"):
            parscan.pack(words, starts, sizes)


def test_pack_checks_where_records_lie():
    text = np.zeros(10, np.uint8)
    for offsets, sizes in (([8], [3]), ([-1], [1]), ([11], [0]), ([2**62], [2**62]), ([1, 2], [1])):
        with pytest.raises(ValueError):
            parscan.pack(text, offsets, sizes)
    for out_offsets, out in (([8], np.zeros(10, np.uint8)), ([0], None), ([0], np.zeros(20, np.uint8)[::2]),
                             ([0, 1], text), ([0], np.frombuffer(b"fixedfixed", np.uint8))):
        with pytest.raises(ValueError):
            parscan.pack(text, [0], [3], out_offsets, out=out)
    with pytest.raises(TypeError):
        parscan.pack(text, [0], [3], np.array([0], np.uint32), out=np.zeros(9, np.uint8))
    bytes_ = np.arange(20, dtype=np.uint8)
    with pytest.raises(ValueError, match="out overlaps records"):
        parscan.pack(bytes_[:15], [0], [3], [0], out=bytes_[5:])
    with pytest.raises((ValueError, IndexError), match="axis"):
        parscan.repeat(bytes_, 2, axis=1)


def test_sizes_of_all_types(rng):
    for dtype in INTEGERS:
        sizes = np.abs(random_array(rng, np.int8, 50)).astype(dtype) % 5
        assert parscan.allocate(sizes)[1] == sizes.astype(int).sum()
        equal(parscan.expand(sizes)[0], np.repeat(np.arange(50), sizes.astype(int)))
