"""Floats of 16 bits, against float64: float16, ml_dtypes' bfloat16, and the struct in its place."""

import ctypes

import numpy as np
import pytest

import parscan
from parscan import _bfloat16, _device
from parscan._bfloat16 import BFLOAT16, BITS, cast, is_bfloat16

F16 = np.dtype(np.float16)
KINDS = [F16, BITS] + ([BFLOAT16] if BFLOAT16 != BITS else [])
ALL = np.arange(65536, dtype=np.uint16)


@pytest.fixture(params=KINDS, ids=["float16", "bits", "ml_dtypes"][:len(KINDS)])
def kind(request):
    return request.param


def wide(x):
    """The same numbers in float64."""
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return np.asarray(_bfloat16.widened(x) if is_bfloat16(x.dtype) else x).astype(np.float64)


def narrow(x, kind):
    """Rounded once."""
    x = np.asarray(x, np.float64)
    with np.errstate(over="ignore"):
        return cast(x, kind) if is_bfloat16(kind) else x.astype(kind)


def words(x):
    return np.asarray(x).view(np.uint16)


def numbers(rng, kind, n, low=-4, high=4):
    return narrow(rng.integers(low, high, n, endpoint=True) / 4, kind)


def near(result, exact, magnitude, n, kind):
    """Between the roundings of what sums in float32 may be."""
    assert result.dtype == kind
    off = n * np.finfo(np.float32).eps * magnitude
    return bool(((wide(narrow(exact - off, kind)) <= wide(result))
                 & (wide(result) <= wide(narrow(exact + off, kind)))).all())


def test_conversions_of_bfloat16_round_once():
    x = ALL.view(BITS)
    finite = (ALL & 0x7fff) < 0x7f80
    assert (words(cast(wide(x)[finite], BITS)) == ALL[finite]).all()
    assert np.isnan(wide(cast(wide(x)[(ALL & 0x7fff) > 0x7f80], BITS))).all()
    low = np.arange(0x7f7f, dtype=np.uint16)
    middle = (wide(low.view(BITS)) + wide((low + 1).view(BITS))) / 2
    assert (words(cast(middle, BITS)) == low + low % 2).all()
    assert (words(cast(np.nextafter(middle, np.inf), BITS)) == low + 1).all()
    assert (words(cast(np.nextafter(middle, 0), BITS)) == low).all()
    assert (words(cast(-middle, BITS)) == (low + low % 2 | 0x8000)).all()
    assert words(cast(np.array([1e39, -1e300, np.inf]), BITS)).tolist() == [0x7f80, 0xff80, 0x7f80]
    assert cast(np.array(2.0), BITS).shape == ()


def test_bfloat16_of_ml_dtypes_is_the_same():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert np.dtype(ml_dtypes.bfloat16) == BFLOAT16 and BFLOAT16 in parscan.dtypes
    x = ALL.view(ml_dtypes.bfloat16)
    with np.errstate(invalid="ignore"):
        same = x.astype(np.float64)
    assert np.array_equal(same, wide(ALL.view(BITS)), equal_nan=True)
    y = parscan.cumsum(np.ones(300, ml_dtypes.bfloat16))
    assert y.dtype == ml_dtypes.bfloat16 and y[-1] == 300
    assert parscan.cumsum(np.arange(4), dtype=ml_dtypes.bfloat16).tolist() == [0, 1, 3, 6]
    with pytest.raises(TypeError, match="float8.*bfloat16"):
        parscan.cumsum(np.ones(3, ml_dtypes.float8_e5m2))


def test_sums_do_not_stop(kind):
    ones = narrow(np.ones(5000), kind)
    sums = parscan.cumsum(ones)
    assert (words(sums) == words(narrow(np.arange(1, 5001), kind))).all()
    assert wide(parscan.reduce(ones))[()] == wide(narrow(5000, kind))
    for to in (np.float32, np.float64):
        y = parscan.cumsum(ones, dtype=to)
        assert y.dtype == to and (y == np.arange(1, 5001)).all()
        assert parscan.reduce(ones, dtype=to) == 5000
    rows = ones.reshape(2, 2500)
    assert (words(parscan.cumsum(rows, 1)) == words(narrow(np.arange(1, 2501), kind))).all()
    assert (wide(parscan.cumsum(rows, 0)) == [[1] * 2500, [2] * 2500]).all()


@pytest.mark.parametrize("n", [1, 1000, 70001])
def test_scans_and_reductions(rng, kind, n):
    x = narrow(rng.standard_normal(n), kind)
    exact, size = np.cumsum(wide(x)), np.cumsum(np.abs(wide(x)))
    for reproducible in (False, True):
        assert near(parscan.cumsum(x, reproducible=reproducible), exact, size, n, kind)
    start = narrow(0.1, kind)
    y = parscan.exclusive_scan(x, initial=0.1)
    assert words(y)[0] == words(start)
    assert near(y[1:], exact[:-1] + wide(start), size[:-1] + 1, n, kind)
    assert near(parscan.inclusive_scan(x, reverse=True), np.cumsum(wide(x)[::-1])[::-1], size[-1], n, kind)
    for op, ufunc in (("max", np.maximum), ("min", np.minimum)):
        assert (wide(parscan.inclusive_scan(x, op)) == ufunc.accumulate(wide(x))).all()
        assert wide(parscan.reduce(x, op)) == ufunc.reduce(wide(x))
        assert (parscan.inclusive_scan(x, op, dtype=np.float32) == ufunc.accumulate(wide(x))).all()
    same = x.copy()
    assert parscan.cumsum(same, out=same) is same and near(same, exact, size, n, kind)
    p = narrow(rng.choice([-1, 1, 2, 0.5], 20), kind)
    assert (wide(parscan.cumprod(p)) == np.cumprod(wide(p))).all()


def test_conversions_before_scans(kind):
    y = parscan.cumsum(np.array([1.5, 2, 2049]), dtype=kind)
    assert y.dtype == kind and (wide(y) == wide(narrow([1.5, 3.5, wide(narrow(2049, kind)) + 3.5], kind))).all()
    assert (parscan.cumsum(narrow([1, 2], kind), dtype=np.int32) == [1, 3]).all()
    with pytest.raises(ValueError, match="initial"):
        parscan.inclusive_scan(narrow([1], kind), initial="1")


def test_special_numbers(kind):
    x = narrow([1, np.nan, -np.inf, np.inf], kind)
    assert np.isnan(wide(parscan.inclusive_scan(x, "max"))).tolist() == [False, True, True, True]
    assert np.isnan(wide(parscan.reduce(x, "min")))
    zeros = parscan.reduce(narrow([0.0, -0.0], kind), "min")
    assert np.signbit(wide(zeros))


def test_sorts_of_all_bits(rng, kind):
    x = rng.permutation(np.repeat(ALL, 2)).view(kind)
    bits = words(x).astype(np.int64)
    infinity = 0x7c00 if kind == F16 else 0x7f80
    magnitude = bits & 0x7fff
    order = np.where(bits >> 15, -magnitude - 1, magnitude)
    order[magnitude > infinity] = 1 << 20  # all NaNs are equal, and last
    expected = np.argsort(order, kind="stable")
    assert (parscan.argsort(x) == expected).all()
    assert (words(parscan.sort(x)) == words(x)[expected]).all()
    down = np.argsort(-order, kind="stable")
    assert (words(parscan.sort(x, descending=True)) == words(x)[down]).all()
    keys, values = parscan.sort_pairs(x, np.arange(x.size))
    assert (values == expected).all() and (words(keys) == words(x)[expected]).all()
    y = parscan.sort_segments(x, offsets=[0, 0, 1000, x.size])
    assert (words(y)[:1000] == words(x)[:1000][np.argsort(order[:1000], kind="stable")]).all()


def test_compaction_and_runs(rng, kind):
    x = numbers(rng, kind, 5000)
    w = wide(x)
    assert (words(parscan.compact_if(x, "<", 0.5)) == words(x)[w < 0.5]).all()
    assert (words(parscan.compact_if(x)) == words(x)[w != 0]).all()
    assert (parscan.flatnonzero(x) == np.flatnonzero(w)).all()
    assert (words(parscan.compress(w > 0, x)) == words(x)[w > 0]).all()
    parted, count = parscan.partition(x, "between", -0.25, 0.25)
    assert (words(parted[:count]) == words(x)[np.abs(w) <= 0.25]).all()
    assert (words(parted[count:]) == words(x)[np.abs(w) > 0.25]).all()
    values, lengths = parscan.run_length_encode(x)
    assert (np.repeat(wide(values), lengths) == w).all()
    assert (wide(parscan.unique_consecutive(x)) == wide(values)).all()
    assert (wide(parscan.unique(x)) == np.unique(w)).all()
    csr = parscan.dense_to_csr(x.reshape(50, 100))
    assert (words(csr.data) == words(x)[w != 0]).all()
    assert (words(parscan.repeat(x, 2)) == np.repeat(words(x), 2)).all()


def test_histograms(rng, kind):
    x = narrow(rng.standard_normal(20000), kind)
    counts, edges = parscan.histogram(x, 64, (-3, 3))
    inside = wide(x)[(wide(x) >= -3) & (wide(x) < 3)]
    assert (edges == np.linspace(-3, 3, 65)).all()
    assert (counts == np.bincount(np.searchsorted(edges, inside, "right") - 1, minlength=64)).all()
    assert parscan.histogram(x, 3, (0.1, 0.9))[1][0] == wide(narrow(0.1, kind))


def test_segments_and_recurrences(rng, kind):
    x, offsets = numbers(rng, kind, 3000), np.array([0, 10, 10, 2000, 3000])
    pieces = [wide(x)[a:b] for a, b in zip(offsets, offsets[1:])]
    assert (words(parscan.segmented_reduce(x, offsets=offsets))
            == words(narrow([p.sum() + 0.0 for p in pieces], kind))).all()
    sums = parscan.segmented_inclusive_scan(x, offsets=offsets, dtype=np.float32)
    assert (sums == np.concatenate([np.cumsum(p) for p in pieces])).all()
    keys = narrow(np.repeat([1, np.nan, 2], 1000), kind)
    heads = parscan.segmented_inclusive_scan(np.ones(3000, np.int64), keys=keys)
    assert (heads == np.tile(np.arange(1, 1001), 3)).all()
    a = narrow([0.5, 0.5, 2, 0], kind)
    y = parscan.recurrence(a, narrow([1, 1, 1, 3], kind), x0=2)
    assert y.dtype == kind and wide(y).tolist() == [2, 2, 5, 3]


def test_chunks(rng, kind):
    x = narrow(np.ones(6000), kind)
    with parscan.Chunked.inclusive_scan(kind) as scan:
        parts = [scan.update(part) for part in np.split(x, 3)]
    assert (words(np.concatenate(parts)) == words(narrow(np.arange(1, 6001), kind))).all()
    with parscan.Chunked.histogram(kind, 4, (0, 4)) as counts:
        counts.update(x)
        assert counts.finish().out.tolist() == [0, 6000, 0, 0]
    with parscan.Chunked.compact_if(kind, ">", 0.1) as kept:
        assert kept.update(x).size == 6000


class Capsule:
    """What DLPack has of an array on a device: its type alone is looked at."""

    def __init__(self, monkeypatch, code, bits):
        self.shape = (ctypes.c_int64 * 1)(3)
        self.tensor = _device._DLTensor(4096, 2, 0, 1, code, bits, 1, self.shape, None, 0)
        monkeypatch.setattr(_device, "_capsule_pointer", lambda *_: ctypes.addressof(self.tensor))


def test_dlpack_has_bfloat16(monkeypatch):
    array = _device.from_capsule(Capsule(monkeypatch, 4, 16))
    assert is_bfloat16(array.dtype) and array.nbytes == 6
    assert _device.from_capsule(Capsule(monkeypatch, 2, 16)).dtype == np.float16
    for code, bits in ((4, 8), (4, 32), (3, 16)):
        other = Capsule(monkeypatch, code, bits)
        with pytest.raises(TypeError, match=f"DLPack's type {code}"):
            _device.from_capsule(other)


def test_sorter(rng, kind):
    x = numbers(rng, kind, 1000)
    with parscan.Sorter(kind) as sorter:
        sorter.push(x)
        assert (wide(np.concatenate(list(sorter))) == np.sort(wide(x))).all()
