"""Arrays in chunks, and sorts of more than memory holds."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parscan
from arrays import equal
from parscan import Chunked

X = np.random.default_rng(7).integers(0, 5, 1000).astype(np.int32)
A = np.random.default_rng(8).uniform(-1, 1, 1000)
FLAGS = X == 0


def cut(cuts, *arrays):
    ends = sorted({0, 1000, *cuts})
    return [tuple(x[a:b] for x in arrays) for a, b in zip(ends, ends[1:])]


# Made by a class method: the object, its arrays, the results of one call, out of the end, total.
CASES = {
    "inclusive_scan": (lambda: Chunked.inclusive_scan(np.int32, initial=3), (X,),
                       lambda: parscan.inclusive_scan(X, initial=3), X.sum() + 3, 1000),
    "wide sums": (lambda: Chunked.exclusive_scan(np.int32, out_dtype=np.int64), (X,),
                  lambda: parscan.exclusive_scan(X, dtype=np.int64), X.sum(), 1000),
    "reduce": (lambda: Chunked.reduce(np.int32, "max"), (X,), None, 4, 1000),
    "reproducible": (lambda: Chunked.inclusive_scan(np.float64, reproducible=True), (A,),
                     lambda: parscan.cumsum(A, reproducible=True), parscan.reduce(A, reproducible=True), 1000),
    "segmented_inclusive_scan": (lambda: Chunked.segmented_inclusive_scan(np.int32), (X, FLAGS),
                                 lambda: parscan.segmented_inclusive_scan(X, flags=FLAGS), None, 1000),
    "segmented_exclusive_scan": (lambda: Chunked.segmented_exclusive_scan(np.float64, "max", key_dtype=np.int32),
                                 (A, X), lambda: parscan.segmented_exclusive_scan(A, "max", keys=X), None, 1000),
    "histogram": (lambda: Chunked.histogram(np.int32, 5), (X,), None, np.bincount(X), 1000),
    "histogram of a range": (lambda: Chunked.histogram(np.float64, 8, (-1, 1), count_dtype=np.uint32), (A,), None,
                             parscan.histogram(A, 8, (-1, 1), dtype=np.uint32)[0], 1000),
    "compress": (lambda: Chunked.compress(np.int32), (X, FLAGS), lambda: X[FLAGS], None, FLAGS.sum()),
    "compress of any type": (lambda: Chunked.compress(np.complex128), (A * 1j, FLAGS), lambda: (A * 1j)[FLAGS],
                             None, FLAGS.sum()),
    "compact_if": (lambda: Chunked.compact_if(np.int32, ">=", 3), (X,), lambda: X[X >= 3], None, (X >= 3).sum()),
    "flatnonzero": (lambda: Chunked.flatnonzero(np.int32), (X,), lambda: np.flatnonzero(X), None, (X != 0).sum()),
    "unique_consecutive": (lambda: Chunked.unique_consecutive(np.int32), (X,),
                           lambda: parscan.unique_consecutive(X), None, parscan.unique_consecutive(X).size),
    "difference": (lambda: Chunked.difference(np.int32, initial=5), (X,),
                   lambda: parscan.difference(X, initial=5), None, 1000),
    "difference, xor": (lambda: Chunked.difference(np.int32, "xor"), (X,), lambda: parscan.difference(X, "xor"),
                        None, 1000),
    "flags_if": (lambda: Chunked.flags_if(np.float64, "<", 0.25), (A,), lambda: A < 0.25, None, 1000),
    "allocate": (lambda: Chunked.allocate(np.int32, alignment=4), (X,),
                 lambda: parscan.allocate(X, alignment=4)[0], None, parscan.allocate(X, alignment=4)[1]),
    "allocate, closed": (lambda: Chunked.allocate(np.int32, close=True), (X,), lambda: parscan.allocate(X)[0],
                         parscan.allocate(X, close=True)[0][-1], parscan.allocate(X)[1]),
}


@pytest.mark.parametrize("case", CASES)
@given(cuts=st.lists(st.integers(0, 1000), max_size=6))
def test_chunks_make_what_one_call_makes(case, cuts):
    make, inputs, whole, end_out, total = CASES[case]
    first = make()
    results, carry = [], b""
    for k, chunk in enumerate(cut(cuts, *inputs)):
        if k == 2:  # goes on in another object
            first.close()
            first = make()
            first.carry = carry
        results.append(first.update(*chunk))
        carry = first.carry
    end = first.finish()
    if whole is None:
        assert set(results) == {None}
    else:
        equal(np.concatenate(results), whole())
    assert end.total == total and end.out2 is None
    if end_out is None:
        assert end.out is None
    else:
        np.testing.assert_array_equal(end.out, end_out)


@given(cuts=st.lists(st.integers(0, 1000), max_size=6))
def test_runs_in_chunks(cuts):
    runs = Chunked.run_length_encode(np.int32)
    parts = [runs.update(x) for x, in cut(cuts, X)]
    end = runs.finish()
    values, lengths = parscan.run_length_encode(X)
    equal(np.concatenate([part[0] for part in parts] + [end.out]), values)
    equal(np.concatenate([part[1] for part in parts] + [end.out2]), lengths)
    assert end.total == values.size
    end = Chunked.run_length_encode(np.int8).finish()
    assert end.out.size == end.out2.size == end.total == 0


@given(cuts=st.lists(st.integers(0, 1000), max_size=6))
def test_runs_of_keys_in_chunks(cuts):
    sums = Chunked.reduce_by_key(np.float64, "max", key_dtype=np.int32)
    wide = Chunked.reduce_by_key(np.int16, key_dtype=np.int32, out_dtype=np.int64, initial=7)
    parts = [(sums.update(a, x), wide.update(x.astype(np.int16), x)) for a, x in cut(cuts, A, X)]
    keys = X[np.append(True, X[1:] != X[:-1])]
    starts = np.flatnonzero(np.append(True, X[1:] != X[:-1]))
    for k, (end, expected) in enumerate(((sums.finish(), np.maximum.reduceat(A, starts)),
                                         (wide.finish(), np.add.reduceat(X.astype(np.int64), starts) + 7))):
        equal(np.concatenate([part[k][0] for part in parts] + [end.out]), expected)
        equal(np.concatenate([part[k][1] for part in parts] + [end.out2]), keys)
        assert end.total == keys.size
    end = Chunked.reduce_by_key(np.float32, key_dtype=bool).finish()
    assert end.out.size == end.out2.size == end.total == 0
    pairs = Chunked.unique_pairs(np.int32, np.complex128)
    parts = [pairs.update(x, a * 1j) for x, a in cut(cuts, X, A)]
    equal(np.concatenate([part[0] for part in parts]), keys)
    equal(np.concatenate([part[1] for part in parts]), (A * 1j)[starts])
    assert pairs.finish() == (None, None, keys.size)


def test_selections_in_chunks():
    for cuts in ([], [10, 700], range(0, 1000, 7)):
        largest, best, least = Chunked.top_k(np.int32, 30), Chunked.argmax(np.float64), Chunked.argmin(np.int32)
        few = Chunked.top_k(np.float64, 2000, smallest=True, index_dtype=np.uint32)
        for x, a in cut(cuts, X, A):
            assert largest.update(x) is None and best.update(a) is None
            least.update(x), few.update(a)
        end, expected = largest.finish(), parscan.top_k(X, 30)
        equal(end.out, expected[0]), equal(end.out2, expected[1])
        assert end.total == 1000
        end = best.finish()
        assert end.out == A.max() and end.out2 == A.argmax()
        assert least.finish().out2 == X.argmin()
        end = few.finish()
        equal(end.out2, np.argsort(A, kind="stable").astype(np.uint32)), equal(end.out, np.sort(A))
    assert Chunked.argmax(np.float32).finish()[:2] == (-np.inf, 0)


def test_recurrences_in_chunks():
    recurrence = Chunked.recurrence(np.float64, 2.0)
    got = np.concatenate([recurrence.update(a, b) for a, b in cut([10, 700], A, A[::-1])])
    np.testing.assert_allclose(got, parscan.recurrence(A, A[::-1], 2.0), rtol=1e-9, atol=1e-12)
    assert recurrence.finish().out == got[-1]


def test_wrong_chunks_are_not_taken():
    scan = Chunked.inclusive_scan(np.int32)
    for wrong in (np.arange(3), np.zeros((2, 2), np.int32)):
        with pytest.raises((TypeError, ValueError)):
            scan.update(wrong)
    with pytest.raises(TypeError, match="one array"):
        scan.update(X, X)
    with pytest.raises(TypeError, match="two arrays"):
        Chunked.compress(np.int32).update(X)
    with pytest.raises(ValueError, match="second"):
        Chunked.compress(np.int32).update(X, FLAGS[1:])
    equal(scan.update([1, 2]), np.array([1, 3], np.int32))
    scan.finish()
    with pytest.raises(parscan.InvalidArgumentError):
        scan.update(X)
    with pytest.raises(parscan.InvalidArgumentError):
        scan.carry = b"no carry"
    limited = Chunked.allocate(np.int32, capacity=10)
    with pytest.raises(parscan.CapacityError):
        limited.update([7, 8])
    equal(limited.update([7, 3]), np.array([0, 7]))


def test_a_closed_context_ends_its_objects():
    context = parscan.Context("cpu")
    scan = Chunked.inclusive_scan(np.int32, context=context)
    sorter = parscan.Sorter(np.int32, context=context)
    context.close()
    for use in (lambda: scan.update(X), lambda: sorter.push(X)):
        with pytest.raises(parscan.Error):
            use()


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float64])
@pytest.mark.parametrize("descending", [False, True])
def test_sorters_spill_and_merge(tmp_path, dtype, descending):
    keys = np.random.default_rng(3).integers(0, 200, 30_000).astype(dtype)
    sorter = parscan.Sorter(dtype, argsort=True, descending=descending, run_limit=5000,
                            memory_limit=1 << 24, folders=[tmp_path])
    for part in np.array_split(keys, 7):
        sorter.push(part)
    batches = list(sorter)
    order = parscan.argsort(keys, descending=descending)
    equal(np.concatenate([batch[0] for batch in batches]), keys[order])
    equal(np.concatenate([batch[1] for batch in batches]), order.astype(np.uint64))
    counts = sorter.counts
    assert counts.elements == keys.size and counts.runs >= 6 and counts.levels >= 1
    assert counts.bytes_spilled > 0 and not list(tmp_path.iterdir())


@pytest.mark.parametrize("argsort", [False, True])
def test_single_elements_are_sorted_in_the_order_of_their_pushes(argsort):
    keys = np.random.default_rng(5).integers(0, 40, 5000)
    with parscan.Sorter(np.int64, argsort=argsort) as sorter:
        begin = 0
        for k, n in enumerate([0, 1, 64, 65, 1, 1, 300, *[1] * 2500, 1000]):  # what is kept, and what is not
            sorter.push(keys[begin:begin + n] if k % 3 else keys[begin:begin + n].tolist())
            begin += n
            if k in (5, 1700):
                assert sorter.counts.elements == begin
        pushed = keys[0]
        single = np.array([77])
        sorter.push(single)
        single[0] = pushed  # a copy was kept
        batch = sorter.pull()
        expected = np.append(keys[:begin], 77)
        equal(batch[0] if argsort else batch, np.sort(expected))
        if argsort:
            equal(batch[1], np.argsort(expected, kind="stable").astype(np.uint64))
        with pytest.raises(parscan.InvalidArgumentError):
            sorter.push(single)
        with pytest.raises(TypeError, match="int64"):
            sorter.push(single.astype(np.int32))
    with pytest.raises(parscan.InvalidArgumentError, match="the Sorter is closed"):
        sorter.push(single)


def test_threads_push_single_elements():
    sorter = parscan.Sorter(np.int32)
    parts = np.arange(20_000, dtype=np.int32).reshape(4, -1)
    threads = [threading.Thread(target=lambda part=part: [sorter.push(part[i:i + 1]) for i in range(part.size)]) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(sorter.pull(), parts.ravel())


def test_sorters_move_values():
    keys = np.random.default_rng(3).integers(0, 50, 1000)
    values = np.arange(3000, dtype=np.float32).reshape(1000, 3)
    with parscan.Sorter(np.int64, value_dtype=(np.float32, (3,))) as sorter:
        sorter.push(keys[:400], values[:400])
        sorter.push(keys[400:], values[400:])
        first, second = sorter.pull(10), sorter.pull()
        order = np.argsort(keys, kind="stable")
        equal(np.concatenate([first[1], second[1]]), values[order])
        assert len(sorter.pull()[0]) == 0
        with pytest.raises(parscan.InvalidArgumentError):
            sorter.push(keys, values)


def test_lists_of_other_numbers_are_refused():
    scan, sorter = Chunked.inclusive_scan("i8"), parscan.Sorter("i8")
    with pytest.raises(TypeError, match="float64 in a list"):
        scan.update([1.5, 2])
    with pytest.raises(TypeError, match="float64 in a list"):
        sorter.push([1.9, -0.5])
    equal(scan.update([2, 3]), np.array([2, 5]))
    scan.close()
    sorter.close()
    with pytest.raises(parscan.InvalidArgumentError, match="the Chunked is closed"):
        scan.update([1])
    with pytest.raises(parscan.InvalidArgumentError, match="the Sorter is closed"):
        sorter.push([1])
    with pytest.raises(TypeError, match="folders = '/tmp'"):
        parscan.Sorter("i8", folders="/tmp")


def test_wrong_uses_of_sorters(tmp_path):
    sorter = parscan.Sorter(np.int32)
    with pytest.raises(TypeError, match="int32"):
        sorter.push(np.arange(3))
    with pytest.raises(TypeError, match="values"):
        sorter.push([1], [1])
    with pytest.raises(parscan.InvalidArgumentError, match="memory_limit"):
        parscan.Sorter(np.int32, memory_limit=1)
    with pytest.raises(ValueError):
        parscan.Sorter(np.int32, argsort=True, value_dtype=np.int8)
    lost = parscan.Sorter(np.int64, run_limit=100, folders=[tmp_path / "nowhere"], memory_limit=1 << 24)
    with pytest.raises(parscan.FileError, match="nowhere"):
        for _ in range(10):
            lost.push(np.arange(1000))
        lost.pull()
