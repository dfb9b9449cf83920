"""Arrays whose length stands in memory, with NumPy: everything that takes them, all that makes them."""

import numpy as np
import pytest

import everywhere
import functions
import parscan
from everywhere_counted import BEHIND, MAKERS, Making, Taking, check, with_room

CASES = everywhere.CASES + everywhere.COMPOSED


def plain(kind):
    return kind(lambda x: x, np.asarray, np.ndarray)


@pytest.mark.parametrize("case", CASES)
def test_counted_arrays_are_taken(case):
    check(case, plain(Taking))


@pytest.mark.parametrize("case", CASES)
def test_counted_results(case):
    check(case, plain(Making))


def test_every_maker_makes():
    waiting = {"dense_to_csr", "expand", "join", "repeat", "run_length_decode"}  # without a room; of matrices
    for kind, others in ((Taking, waiting), (Making, {"allocate", "partition"})):  # these give numbers
        p = plain(kind)
        for case in (*CASES, sorted_arrays, extremes):
            check(case, p)
        assert MAKERS - p.made == others, kind


SAME = parscan.Relation("i8", functions.relate("i8", np.equal))


def sorted_arrays(p, on):
    """Merges, joins, sets and relations, of which CUDA has none yet."""
    a, b = np.array([1, 3, 3, 7, 9]), np.array([3, 3, 3, 8])
    keys, values = p.merge(on(a), on(b), on(np.arange(5.0)), on(np.arange(5.0, 9.0)))
    order = np.argsort(np.append(a, b), kind="stable")
    left, right = p.join(on(a), on(b), "left")
    return [(p.merge(on(a), on(b)), np.sort(np.append(a, b))), (p.unique_by(on(a), SAME), np.array([1, 3, 7, 9])), (keys, np.append(a, b)[order]), (values, order * 1.0),
            (left, np.array([0, 1, 1, 1, 2, 2, 2, 3, 4])), (right, np.array([4, 0, 1, 2, 0, 1, 2, 4, 4])),
            (p.join(on(a), on(b), "semi"), np.array([1, 2])), (p.set_union(on(a), on(b)), np.array([1, 3, 3, 3, 7, 8, 9])),
            (p.set_intersection(on(a), on(b)), np.array([3, 3])), (p.set_difference(on(a), on(b)), np.array([1, 7, 9])),
            (p.set_symmetric_difference(on(a), on(b)), np.array([1, 3, 7, 8, 9]))]


def extremes(p, on):
    x, heads = everywhere.I, np.flatnonzero(everywhere.HEADS)
    return [(p.argmax(on(x)), x.argmax()), (p.argmin(on(x), 0), x.argmin()),
            (p.compact_by(on(everywhere.F), on(x), "<", 9), everywhere.F[x < 9]), (p.count_if(on(x), "<", 9), (x < 9).sum()),
            (p.flags_if(on(x), "<", 9), x < 9), (p.argmin(on(x), flags=on(everywhere.HEADS))[:1], np.array([x[:10].argmin()])),
            (p.argmax(on(x), flags=on(everywhere.HEADS)), np.array([part.argmax() for part in np.split(x, heads[1:])])),
            (p.argmin(on(x), rows=30), x.reshape(-1, 30).argmin(1)), (p.argmin(on(x), rows=3000), np.array([x.argmin()])),
            (p.top_k(on(x), 7)[0], np.sort(x)[:-8:-1]), (p.top_k(on(x[:5]), 5, smallest=True)[0], np.sort(x[:5]))]


@pytest.mark.parametrize("kind", [Taking, Making])
@pytest.mark.parametrize("case", [sorted_arrays, extremes])
def test_of_the_cpu_alone(kind, case):
    check(case, plain(kind))


def counted(x, behind=BEHIND):
    return parscan.Counted(with_room(np.asarray(x), behind), len(x))


def same(result, expected):
    result = result.numpy() if isinstance(result, parscan.Counted) else result
    np.testing.assert_array_equal(result, expected)
    return True


@pytest.mark.parametrize("n", [0, 1, 60])
def test_rows(n):
    keys, rows = np.arange(n) // 3, np.arange(3 * n).reshape(n, 3)
    k, r = counted(keys), None
    r = parscan.Counted(with_room(rows), k.count)
    keep = keys % 2 == 0
    assert same(parscan.sort_pairs(k, r, descending=True)[1], rows[np.argsort(-keys, kind="stable")])
    assert same(parscan.unique_pairs(k, r)[1], rows[::3])
    assert same(parscan.compress(keep, parscan.Counted(rows, k.count), 0), rows[keep])
    assert same(parscan.compact_by(r, k, "<", 5), rows[keys < 5])
    assert same(parscan.take(rows, k, 0), rows[keys])
    assert same(parscan.bin(k, 100, r)[0], rows)
    assert same(parscan.bin(k, 100, r, dtype=np.uint32)[0], rows)
    both = np.argsort(np.append(keys, keys), kind="stable")
    assert same(parscan.merge(k, keys, r, rows)[1], np.concatenate([rows, rows])[both])
    out = np.full((99, 3), -1)
    assert parscan.scatter(r, parscan.Counted(with_room(np.arange(n)[::-1] + 20), k.count), out) is out
    assert same(out[20:20 + n], rows[::-1]) and (out[20 + n:] == -1).all() and (out[:20] == -1).all()
    twice = parscan.Counted(np.full(k.room, 2), k.count)
    for decoded in (parscan.run_length_decode(r, twice, room=200), parscan.repeat(r, twice, 0, room=200),
                    parscan.repeat(r, 2, 0, room=200), parscan.repeat(r, 2, 0)):
        assert same(decoded, np.repeat(rows, 2, 0))
    indptr, indices, data = parscan.dense_to_csr(r)
    assert indptr.closed and same(indptr, np.append(0, np.cumsum((rows != 0).sum(1))))
    assert same(data, rows[rows != 0]) and same(indices, np.nonzero(rows)[1])
    assert same(parscan.segmented_reduce(data, offsets=indptr), rows.sum(1))


def test_indices_of_several_dimensions():
    x = everywhere.M
    for got, expected in zip(parscan.nonzero(x, counted=True), np.nonzero(x)):
        assert isinstance(got, parscan.Counted) and same(got, expected)


def test_a_chain_waits_for_no_length():
    x = everywhere.I
    for bound in (0, 1, 17, 50):
        kept = parscan.compact_if(x, "<", bound, counted=True)
        ordered = parscan.sort(kept)
        values, lengths = parscan.run_length_encode(ordered)
        offsets, total = parscan.allocate(lengths, close=True)
        sums = parscan.segmented_reduce(ordered, offsets=offsets)
        owner, rank = parscan.expand(lengths, room=3000)
        assert ordered.count is kept.count and lengths.count is values.count is sums.count
        expected, counts = np.unique(x[x < bound], return_counts=True)
        assert same(values, expected) and same(sums, expected * counts) and int(total) == (x < bound).sum()
        assert same(offsets, np.append(0, np.cumsum(counts))) and same(owner, np.repeat(np.arange(len(counts)), counts))
        assert same(parscan.take(values, owner), np.sort(x[x < bound])) and rank.room == 3000


def test_the_count_is_read_when_a_call_runs():
    count = np.array(0)
    x = parscan.Counted(np.array([5, 2, 9, 1]), count)
    for n in (0, 1, 3, 4):
        count[...] = n
        assert same(parscan.sort(x), np.sort(x.array[:n])) and parscan.reduce(x) == x.array[:n].sum()
        assert same(x, x.array[:n]) and x.length() == n and parscan.bincount(x).size == max([-1, *x.array[:n]]) + 1
    assert x.result().base is x.array  # no copy


def test_what_is_asked_for():
    x = counted(np.array([3, 1, 3]))
    assert isinstance(parscan.unique(x), parscan.Counted)
    assert same(parscan.unique(x, counted=False), [1, 3]) and type(parscan.unique(x, counted=False)) is np.ndarray
    assert type(parscan.unique([3, 1], counted=None)) is np.ndarray
    parts, n = parscan.partition(x, "<", 3)
    assert same(parts, [1, 3, 3]) and n.dtype == np.int64 and n == 1
    assert parscan.partition(x, "<", 3, counted=False)[1] == 1 and type(parscan.allocate(x)[1]) is np.ndarray
    offsets, total = parscan.allocate(x, counted=False)
    assert total == 7 and type(total) is int and same(offsets, [0, 3, 4])
    values, indices = parscan.top_k(x, 9)
    assert same(values, [3, 3, 1]) and same(indices, [0, 2, 1])
    tops, places, counts = parscan.top_k(x, 2, offsets=parscan.Counted(np.array([0, 2, 3, 0]), 2, closed=True))
    assert tops.length() == 2 and tops.numpy()[0].tolist() == [3, 1] and same(counts, [2, 1])
    assert same(parscan.top_k(x, 1, flags=np.arange(3 + BEHIND) % 2 == 0)[0], [[3], [3]])
    assert type(parscan.join([1, 2], counted(np.array([2])))[0]) is np.ndarray
    assert parscan.count_if(x, "==", 3) == 2 and parscan.reduce(x, keepdims=True, axis=0).shape == (1,)
    assert same(parscan.diff(x, prepend=0), [3, -2, 2]) and repr(x) == "<parscan.Counted, up to 40 of int64>"


def test_contexts_of_the_caller():
    x = np.random.default_rng(3).integers(0, 9, 50_000)
    context = parscan.Context("cpu", threads=1)
    kept = parscan.compact_if(x, "<", 4, counted=True, context=context)
    assert same(parscan.sort(kept, context=context), np.sort(x[x < 4])) and kept._context is context
    with context:
        assert same(parscan.unique(kept), np.arange(4))


def test_more_than_there_is_room_for():
    count = np.array(9)
    x = parscan.Counted(np.arange(5)[::-1].copy(), count)
    for call in (lambda: parscan.sort(x), x.length, x.numpy, x.result, lambda: parscan.unique(x)):
        with pytest.raises(parscan.CapacityError, match="9"):
            call()
    with pytest.raises(parscan.CapacityError) as error:
        parscan.expand([2, 2], room=3)
    assert error.value.total == 4
    for call in (lambda: parscan.repeat([1, 2], 2, room=3), lambda: parscan.run_length_decode([1, 2], [3, 3], room=5),
                 lambda: parscan.join([1, 1], [1, 1], room=3), lambda: parscan.allocate(counted([1, 2]), capacity=2)):
        with pytest.raises(parscan.CapacityError):
            call()
    assert same(parscan.cumsum([1, 2]), [1, 3])  # no length is left behind


I, F = everywhere.I, everywhere.F


@pytest.mark.parametrize("call, most", [
    (lambda r: parscan.compact_if(I, "<", 3, room=r), (I < 3).sum()), (lambda r: parscan.compress(I < 3, F, room=r), (I < 3).sum()),
    (lambda r: parscan.compact_by(F, I, "<", 3, room=r), (I < 3).sum()), (lambda r: parscan.flatnonzero(I, room=r), (I > 0).sum()),
    (lambda r: parscan.unique_consecutive(I, room=r), len(everywhere.RUNS)),
    (lambda r: parscan.run_length_encode(I, room=r)[1], len(everywhere.RUNS)),
    (lambda r: parscan.unique_pairs(I, F, room=r)[1], len(everywhere.RUNS)),
    (lambda r: parscan.reduce_by_key(I, F, room=r)[1], len(everywhere.RUNS)),
    (lambda r: parscan.segmented_reduce(F, flags=everywhere.HEADS, room=r), 3), (lambda r: parscan.segmented_reduce(F, keys=I, room=r), len(everywhere.RUNS)),
    (lambda r: parscan.dense_to_csr(everywhere.M, room=r).data, (everywhere.M != 0).sum())])
def test_less_room(call, most):
    result, whole = call(int(most)), call(10**6)
    assert result.room == len(result.array) == most <= whole.room <= 3000 and same(result, whole.numpy())
    for room in 1, int(most) - 1:
        with pytest.raises(parscan.CapacityError) as error:
            call(room)
        assert error.value.total in (None, most)
    with pytest.raises(ValueError, match="room = 0"):
        call(0)


def test_a_call_that_is_not_made_leaves_no_length():
    context, library = parscan.Context("cpu"), parscan._library.library
    one = np.array(1)
    with pytest.raises(Exception, match="argument"):
        context.call_with(parscan._library.lengths_of(one.ctypes.data, 0, 0, 0), library.sort_keys, "no")
    assert same(parscan.sort([2, 1], context=context), [1, 2])


X, M = np.arange(6), np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("call, words", [
    (lambda: parscan.Sorter(np.int64).push(counted(X)), "keys is counted, which this does not take"),
    (lambda: parscan.Chunked.reduce(np.int64).update(counted(X)), "the chunk is counted, which"),
    (lambda: parscan.scatter(X, X, counted(X)), "out is counted"), (lambda: parscan.diff(counted(X)), "x is counted"),
    (lambda: parscan.cumsum(counted(M)), "x is counted, with 2 dimensions"),
    (lambda: parscan.sort(counted(M), 0), "x is counted, with 2 dimensions"),
    (lambda: parscan.compress([True] * 39, counted(M)), "not flattened, give axis=0"),
    (lambda: parscan.compress([True] * 3, M, 1, counted=True), "axis = 1"),
    (lambda: parscan.repeat(counted(M), 2), "x is counted, with 2 dim"), (lambda: parscan.take(M, counted(X), 1), "axis = 1"),
    (lambda: parscan.reduce(counted(X), axis=()), "axis = "), (lambda: parscan.argmin(counted(X), ()), "axis = "),
    (lambda: parscan.segmented_reduce(X, offsets=counted(X)), "offsets is counted without its end"),
    (lambda: parscan.sort(parscan.allocate(counted(X), close=True)[0]), "x is counted with an end"),
    (lambda: parscan.Counted(counted(X), 1), "array is counted itself"), (lambda: parscan.Counted(X, 1.0), "count is float64"),
    (lambda: parscan.Counted(X, X), r"count is int64\[6\]"), (lambda: np.asarray(counted(X)), "numpy()"),
    (lambda: parscan.run_length_decode(np.zeros((2, 0)), [1, 2], room=3), "room"),
    (lambda: parscan.expand(X, room=1.5), "room = 1.5"), (lambda: __import__("copy").copy(counted(X)), "copied or pickled")])
def test_what_is_refused(call, words):
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize("call, words", [
    (lambda: parscan.sort_pairs(counted(X), counted(X)), r"values has another count than keys: .*Counted\(values.array"),
    (lambda: parscan.cumsum(counted(X), out=counted(X)), "out has another count"),
    (lambda: parscan.cumsum(counted(X), out=np.zeros(86, int)[::2]), "out must be contiguous"),
    (lambda: parscan.Counted(X, 7), "count = 7: it must be 0 to 6"), (lambda: parscan.Counted(X, 6, closed=True), "0 to 5"),
    (lambda: parscan.Counted(np.array(3), 1), "array has shape"),
    (lambda: parscan.allocate(counted(X), capacity=0), "capacity = 0")])
def test_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()
