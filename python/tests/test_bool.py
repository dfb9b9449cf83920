"""bool arrays: bytes that are neither 0 nor 1 count as 1, and no result has other bytes than 0 and 1. The same
of every function, for arrays of each library, is everywhere.bools()."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import everywhere
import parscan
from arrays import UFUNCS, equal
from parscan import _arguments, _bool, _families

ODD_BYTES = st.sampled_from([0, 1, 2, 3, 128, 255])


def bools(min_dims=1, max_dims=1):
    shapes = hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0, max_side=40)
    return hnp.arrays(np.uint8, shapes, elements=ODD_BYTES).map(lambda x: x.view(bool))


def well(x):
    return x.view(np.uint8) != 0


def same(actual, expected):
    """Equal, and of the bytes 0 and 1 if bool."""
    actual = np.asarray(actual)
    assert actual.dtype != bool or actual.view(np.uint8).max(initial=0) <= 1
    return equal(actual, expected)


@pytest.mark.parametrize("case", [everywhere.bools, everywhere.composed])
def test_every_function_takes_bools_as_numpy_does(case):
    everywhere.check(case, lambda x: x, np.asarray)


@given(bools(), st.sampled_from([*UFUNCS]), st.booleans(), st.sampled_from(parscan.algorithms))
def test_scans_of_type_bool_are_numpys(x, op, reverse, algorithm):
    t = well(x)[::-1] if reverse else well(x)
    ufunc = {"sum": np.logical_or, "product": np.logical_and}.get(op, UFUNCS[op])
    expected = ufunc.accumulate(t, dtype=bool)
    identity = np.array(op in ("product", "min", "and"))
    options = {"dtype": bool, "reverse": reverse, "algorithm": algorithm}
    turn = slice(None, None, -1 if reverse else 1)
    same(parscan.inclusive_scan(x, op, **options), expected[turn])
    same(parscan.exclusive_scan(x, op, **options), np.append(identity, expected)[:-1][turn])
    same(parscan.reduce(x, op, **options), expected[-1] if x.size else identity)
    same(parscan.reduce(x, op, axis=0, keepdims=True, **options), np.atleast_1d(expected[-1] if x.size else identity))
    initial = parscan.exclusive_scan(x, op, initial=False, **options)[turn]
    assert not x.size or not initial[0]


def test_reductions_of_long_arrays(rng):
    for n in (0, 1, 4095, 4097, 40000, 300001):
        for other in (0, 1, 2, 255):
            x = np.full(n, 1 - (other > 0), np.uint8)
            if n:
                x[int(rng.integers(n))] = other
            x, t = x.view(bool), well(x)
            for op, expected in (("or", t.any()), ("max", t.any()), ("and", t.all()), ("min", t.all())):
                same(parscan.reduce(x, op), expected)
            assert parscan.reduce(x) == np.count_nonzero(t) and parscan.reduce(x).dtype == np.int64
    with pytest.raises(TypeError, match="context"):
        parscan.reduce(x, "or", context=1)


@given(bools(2, 2), st.sampled_from(["min", "and"]))
def test_identities_of_rows_and_segments_are_true(x, op):
    same(parscan.reduce(x, op, axis=1), well(x).all(1))
    same(parscan.reduce(x, op, axis=0), well(x).all(0))
    flat = np.ascontiguousarray(x).ravel()
    offsets = [0, 0, flat.size, flat.size]
    same(parscan.segmented_reduce(flat, op, offsets=offsets), np.array([True, well(flat).all(), True]))


def test_sums_of_type_bool_are_or():
    for n in (1, 255, 256, 257, 70000, 65536 * 2):
        x = np.ones(n, bool)
        same(parscan.cumsum(x, dtype=bool), x)
        assert parscan.reduce(x, dtype=bool) is np.True_
        assert parscan.segmented_reduce(x, dtype=bool, offsets=[0, n]).tolist() == [True]
        same(parscan.cumsum(np.full(n, 256), dtype=bool), x)
        same(parscan.inclusive_scan(x, np.add, dtype=bool, axis=0), np.add.accumulate(x, dtype=bool))


def test_what_is_made_of_results_is_right():
    """What was wrong of an array with the byte 255."""
    x = parscan.exclusive_scan(np.array([True, True, False]), "min")
    assert parscan.unique(x).tolist() == [True] and parscan.reduce(x) == 3
    assert parscan.compact_if(x, "==", True).size == 3
    values, lengths = parscan.run_length_encode(x)
    assert values.tolist() == [True] and lengths.tolist() == [3]


def test_out_arrays_of_any_layout():
    x = np.array([0, 2, 255, 1], np.uint8).view(bool)
    for out in (np.ones(4, bool), np.full(4, 7, np.uint8).view(bool), np.ones(8, bool)[::2], x.copy()):
        assert parscan.exclusive_scan(x, "min", out=out) is out
        same(np.ascontiguousarray(out), np.array([True, False, False, False]))
        assert parscan.sort(x, out=out) is out
        same(np.ascontiguousarray(out), np.array([False, True, True, True]))
    keys = np.array([0, 2, 255, 1], np.uint8).view(bool)
    parscan.segmented_inclusive_scan(x, "or", keys=keys, out=keys)
    same(keys, np.array([False, True, True, True]))


@given(bools(), st.integers(0, 40))
def test_chunks(x, cut):
    t, parts = well(x), (x[:cut], x[cut:].copy())

    def together(chunked, *second):
        got = [chunked.update(part, *(s[k] for s in second)) for k, part in enumerate(parts)]
        return got, chunked.finish()

    C = parscan.Chunked
    for op in ("min", "and"):
        got, end = together(C.exclusive_scan(bool, op))
        same(np.concatenate(got), np.append(True, np.minimum.accumulate(t))[:-1])
        same(end.out, np.array(t.all()))
        same(together(C.reduce(bool, op))[1].out, np.array(t.all()))
    same(np.concatenate(together(C.inclusive_scan(bool, out_dtype=bool))[0]), np.logical_or.accumulate(t, dtype=bool))
    same(together(C.reduce(bool))[1].out, t.sum())
    same(together(C.histogram(bool, 2, (0, 2)))[1].out, np.bincount(t, minlength=2))
    same(np.concatenate(together(C.compact_if(bool, "==", True))[0]), t[t])
    same(np.concatenate(together(C.flatnonzero(bool, "<", True))[0]), np.flatnonzero(~t))
    same(np.concatenate(together(C.unique_consecutive(bool))[0]), parscan.unique_consecutive(t))
    same(np.concatenate(together(C.compress(bool), parts)[0]), t[t])
    numbers = np.arange(x.size), parts
    cuts = [numbers[0][:cut], numbers[0][cut:]]
    chunked = C.segmented_inclusive_scan(int, key_dtype=bool)
    same(np.concatenate([chunked.update(a, b) for a, b in zip(cuts, parts)]),
         parscan.segmented_inclusive_scan(numbers[0], keys=t))
    same(np.concatenate(together(C.difference(bool))[0]), parscan.difference(t))
    same(np.concatenate(together(C.flags_if(bool, "==", False))[0]), ~t)
    chunked = C.reduce_by_key(int, key_dtype=bool)
    got, end = [chunked.update(a, b) for a, b in zip(cuts, parts)], chunked.finish()
    for k, expected in enumerate(reversed(parscan.reduce_by_key(t, numbers[0]))):
        same(np.concatenate([part[k] for part in got] + [end[k]]), expected)
    got = together(C.unique_pairs(bool, int), cuts)[0]
    for k, expected in enumerate(parscan.unique_pairs(t, numbers[0])):
        same(np.concatenate([part[k] for part in got]), expected)
    chunked = C.segmented_exclusive_scan(bool, "and")
    same(np.concatenate([chunked.update(a, a.view(np.uint8)) for a in parts]),
         parscan.segmented_exclusive_scan(t, "and", flags=t))


def test_chunks_of_bytes_are_taken_for_bool():
    chunked = parscan.Chunked.unique_consecutive(bool)
    same(chunked.update(np.array([0, 2, 1], np.uint8)), np.array([False, True]))


def test_sorters():
    x = np.array([255, 0, 2, 1, 0], np.uint8).view(bool)
    with parscan.Sorter(bool, value_dtype=np.int64) as sorter:
        sorter.push(x, np.arange(5))
        keys, values = sorter.pull()
    same(keys, np.array([False, False, True, True, True]))
    assert values.tolist() == [1, 4, 0, 2, 3]


def test_well_formed_arrays_are_not_copied():
    x = np.array([True, False, True] * 1000)
    context = parscan.Context("cpu", threads=1)
    assert _bool.well_formed(_families.HOST, context, x) is x
    assert _arguments.taken(x, context)[2] is x
    odd = np.full(3, 2, np.uint8).view(bool)
    assert _arguments.taken(odd, context)[2] is not odd and odd.view(np.uint8).tolist() == [2, 2, 2]
    context.on_cpu = False  # as with a device: NumPy looks at the bytes
    assert _arguments.taken(x, context)[2] is x and _arguments.taken(odd, context)[2].view(np.uint8).tolist() == [1] * 3
    assert _arguments.flags_of(_families.HOST, odd, "flags") is odd  # any byte but 0 is true


def test_views_from_buffers():
    x = np.frombuffer(b"\x00\x05\x01\xff", dtype=bool)
    assert parscan.cumsum(x).tolist() == [0, 1, 2, 3]
    assert parscan.cumsum(x[::-1]).tolist() == [1, 2, 3, 3]
    assert parscan.cumsum(x.reshape(2, 2), 0).tolist() == [[0, 1], [1, 2]]
    assert parscan.inclusive_scan(x, dtype=np.float32).tolist() == [0, 1, 2, 3]
    for true in (x[1], x[3:4]):  # scalars of other bytes
        assert parscan.compact_if(x, "==", true).tolist() == [True] * 3
        assert parscan.exclusive_scan(x, "min", initial=true).view(np.uint8).tolist() == [1, 0, 0, 0]
