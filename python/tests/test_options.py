"""What NumPy's users pass without a thought: its integers, its strings, empty lists."""

import numpy as np
import pytest

import parscan
from arrays import equal

X = np.arange(12)


def number(value):
    return [np.int64(value), np.uint8(value), np.array(value)]


@pytest.mark.parametrize("k", range(3))
def test_numpys_integers_are_options(k, tmp_path):
    def of(value):
        return number(value)[k]

    M = X.reshape(3, 4)
    equal(parscan.cumsum(M, axis=of(1)), np.cumsum(M, 1))
    equal(parscan.sort(M, axis=of(0)), M)
    equal(parscan.argsort(M, axis=of(1)), np.argsort(M, 1))
    equal(parscan.compress(M[0] > 1, M, axis=of(1)), M[:, 2:])
    equal(parscan.repeat(M, of(2), axis=of(1)), np.repeat(M, 2, 1))
    equal(parscan.inclusive_scan(X, initial=of(3), block_threads=of(32), items_per_thread=of(1), algorithm="warp"),
          np.cumsum(X) + 3)
    equal(parscan.sort(X, begin_bit=of(1), end_bit=of(4)), X)
    equal(parscan.compact_if(X, "between", of(3), of(5)), X[3:6])
    equal(parscan.histogram(X, of(3), (of(0), of(12)))[0], np.array([4, 4, 4]))
    equal(parscan.bincount(X[:3], of(5)), np.bincount(X[:3], minlength=5))
    assert parscan.bin(X, of(3))[1].tolist() == [0, 1, 2, 3]
    assert parscan.allocate([3, 5], alignment=of(8), capacity=of(20))[1] == 16
    with parscan.Context("cpu", device=of(0), threads=of(1), scratch_limit=of(0), resident_blocks=of(0)) as context:
        assert context.threads == 1 and context.empty(of(3), int).shape == (3,)
        assert context.empty((of(3), of(2)), int).shape == (3, 2)
    assert parscan.Chunked.histogram(int, of(3)).update(X) is None
    with parscan.Sorter(int, memory_limit=np.int64(1 << 24), folders=np.array([str(tmp_path)]), run_limit=of(5)) as sorter:
        sorter.push(X)
        assert sorter.pull(of(7)).size == 7


def test_device_arrays_take_numpys_integers():
    array = parscan.DeviceArray(0, (0, 3), int)
    assert array.reshape(np.int64(0)).shape == (0,) and array.reshape((np.int64(3), np.int64(0))).shape == (3, 0)


def test_numpys_strings_are_options():
    of = np.array(["max", "warp", "between", "cpu", "int32", "nonzero"]).tolist
    op, algorithm, keep, backend, dtype, nonzero = np.array(of(), dtype=str)
    assert isinstance(op, np.str_)
    equal(parscan.inclusive_scan(X, op, algorithm=algorithm), X)
    equal(parscan.compact_if(X, keep, 3, 5), X[3:6])
    equal(parscan.compact_if(X, nonzero), X[1:])
    assert parscan.Context(backend).backend == "cpu"
    equal(parscan.argsort(X, dtype=dtype), X.astype(np.int32))
    equal(parscan.cumsum(X, dtype=dtype), np.cumsum(X, dtype=np.int32))
    assert parscan.Chunked.reduce(np.str_("int64"), op).update(X) is None


def test_empty_lists_are_of_the_type_that_is_wanted():
    floats = np.array([])
    for call in (parscan.cumsum, parscan.sort, parscan.unique, parscan.compact_if, parscan.inclusive_scan):
        equal(call([]), floats)
    assert parscan.reduce([]) == 0
    equal(parscan.argsort([]), floats.astype(int))
    equal(parscan.compress([], []), np.compress([], []))
    equal(parscan.repeat([], []), floats)
    equal(parscan.bincount([]), np.bincount([]))
    equal(parscan.bincount([], 3), np.bincount([], minlength=3))
    equal(parscan.allocate([])[0], floats.astype(int))
    equal(parscan.expand(())[0], floats.astype(int))
    equal(parscan.bin([], 2)[1], np.zeros(3, int))
    equal(parscan.pack(np.zeros(4), [], []), np.array([], np.uint8))
    equal(parscan.segmented_reduce([], flags=[]), floats)
    equal(parscan.segmented_inclusive_scan([], keys=[]), floats)
    equal(parscan.segmented_reduce([], offsets=[0]), floats)
    equal(parscan.sort_pairs([], [])[0], floats)
    equal(parscan.Chunked.compress(int).update([], []), np.array([], int))
    with pytest.raises(ValueError, match="offsets has no element"):
        parscan.segmented_reduce(X, offsets=[])
    with pytest.raises(ValueError, match="flags has 0 elements: it must have 12"):
        parscan.segmented_reduce(X, flags=[])
    with pytest.raises(TypeError, match="sizes is float64: it must be integers"):
        parscan.allocate(floats)  # an array has its type
