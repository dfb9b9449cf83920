"""Every function, for arrays of any library: calls, and NumPy's answers.

Each case takes parscan and `on`, which makes an array of the library from NumPy's, and returns pairs of a
result and the answer. Cases of COMPOSED also use the library itself (to gather, to transpose).
"""

import numpy as np

import parscan

RNG = np.random.default_rng(11)
I = RNG.integers(0, 50, 3000)
M = RNG.integers(-9, 9, (60, 50)).astype(np.int32)
F = RNG.integers(-50, 50, 3000).astype(np.float32)
B = RNG.integers(0, 2, 3000).astype(bool)
U = RNG.integers(0, 256, 3000).astype(np.uint8)
# Bytes that are neither 0 nor 1 are those of another program; NumPy takes them for true.
ODD = RNG.choice([0, 0, 0, 1, 2, 128, 255], 3000).astype(np.uint8).view(bool)
ODD[1500:1600] = True
T = ODD.view(np.uint8) != 0
SIZES = RNG.integers(0, 6, 500)
OFFSETS = np.array([0, 10, 10, 2000, 3000])
HEADS = np.zeros(3000, bool)
HEADS[[0, 10, 2000]] = True
ORDER = np.argsort(I, kind="stable")
VALUES, FIRST, INVERSE, COUNTS = np.unique(I, True, True, True)
RUNS = np.flatnonzero(np.append(True, I[1:] != I[:-1]))


def starts(x):
    return np.concatenate([[0], np.cumsum(x)[:-1]])


def pieces(x):
    return [x[a:b] for a, b in zip(OFFSETS, OFFSETS[1:])]


def scans(p, on):
    out = on(np.zeros(3000, np.int64))
    p.inclusive_scan(on(I), "max", out=out)
    same = on(I)
    p.cumsum(same, out=same)
    return [(p.cumsum(on(I)), np.cumsum(I)), (p.cumsum(on(B)), np.cumsum(B)),
            (out, np.maximum.accumulate(I)), (same, np.cumsum(I)),
            (p.inclusive_scan(on(F), "min", reverse=True), np.minimum.accumulate(F[::-1])[::-1]),
            (p.exclusive_scan(on(I), initial=5), starts(I) + 5),
            (p.cumsum(on(M), 1), np.cumsum(M, 1, dtype=np.int64))]


def differences(p, on):
    same = on(I)
    p.difference(same, out=same)
    return [(p.difference(on(F)), np.diff(F, prepend=np.float32(0))), (same, np.diff(I, prepend=0)),
            (p.difference(on(I), reverse=True, initial=3), I - np.append(I[1:], 3)),
            (p.difference(on(U), "xor"), np.append(U[:1], U[1:] ^ U[:-1])),
            (p.difference(on(ODD)), np.diff(T, prepend=False))]


def selections(p, on):
    heads = np.flatnonzero(HEADS)[1:]
    return [(p.argmax(on(I), 0), I.argmax()), (p.argmin(on(M), 1), M.argmin(1)),
            (p.argmin(on(F), offsets=on(np.append(0, OFFSETS[2:]))), [F[a:b].argmin() for a, b in ((0, 10), (10, 2000), (2000, 3000))]),
            (p.argmax(on(I), flags=on(HEADS)), [part.argmax() for part in np.split(I, heads)]),
            (p.top_k(on(F), 7)[0], np.sort(F)[:-8:-1]), (p.top_k(on(I), 2000, smallest=True)[1], ORDER[:2000]),
            (p.top_k(on(I), 5, smallest=True)[1], ORDER[:5]), (p.top_k(on(M), 3)[0], np.sort(M, 1)[:, :-4:-1]),
            (p.top_k(on(M), 3, 0)[0], np.sort(M, 0)[:-4:-1]),
            (p.top_k(on(M), 4, 0, smallest=True)[1], np.argsort(M, 0, kind="stable")[:4])]


def searches(p, on):
    a, b = np.sort(I[:300]), np.sort(I[300:420])
    left, right = p.join(on(a), on(b))
    pairs = np.nonzero(a[:, None] == b)
    return [(left, pairs[0]), (right, pairs[1]), (p.join(on(a), on(b), "anti"), np.flatnonzero(~np.isin(a, b))),
            (p.searchsorted(on(np.sort(I)), on(I)), np.searchsorted(np.sort(I), I)),
            (p.searchsorted(on(np.sort(F)), on(F), "right"), np.searchsorted(np.sort(F), F, "right"))]


def merges(p, on):
    a, b = np.sort(I[:1200]), np.sort(I[900:])
    both = np.concatenate([a, b])
    order, all_kinds = np.argsort(both, kind="stable"), np.unique(both)
    n, n2 = (np.array([(x == kind).sum() for kind in all_kinds]) for x in (a, b))
    values = F[:1200], F[:b.size]
    keys, moved = p.merge(on(a), on(b), *map(on, values))
    return [(keys, both[order]), (moved, np.concatenate(values)[order]), (p.merge(on(a), on(b)), both[order]),
            (p.set_union(on(a), on(b)), np.repeat(all_kinds, np.maximum(n, n2))),
            (p.set_intersection(on(a), on(b)), np.repeat(all_kinds, np.minimum(n, n2))),
            (p.set_difference(on(a), on(b)), np.repeat(all_kinds, np.maximum(n - n2, 0))),
            (p.set_symmetric_difference(on(a), on(b)), np.repeat(all_kinds, abs(n - n2)))]


def reductions(p, on):
    return [(p.reduce(on(I)), I.sum()), (p.reduce(on(F), "max", initial=99), np.float32(99)),
            (p.reduce(on(M), axis=1), M.sum(1, dtype=np.int32)),
            (p.reduce(on(M), axis=-1, keepdims=True), M.sum(1, dtype=np.int32, keepdims=True))]


def segments(p, on):
    sums = np.array([part.sum() for part in pieces(I)])
    scan = np.concatenate([np.cumsum(part) for part in pieces(I)])
    a, b = on(F / 100), on(F)
    firsts, totals = p.reduce_by_key(on(I), on(F))
    return [(p.segmented_reduce(on(I), offsets=on(OFFSETS)), sums),
            (p.segmented_reduce(on(I), rows=30), I.reshape(-1, 30).sum(1)),
            (p.segmented_inclusive_scan(on(I), rows=30), I.reshape(-1, 30).cumsum(1).reshape(-1)),
            (p.sort_segments(on(I), rows=30), np.sort(I.reshape(-1, 30), 1).reshape(-1)),
            (p.segmented_reduce(on(I), flags=on(HEADS)), sums[[0, 2, 3]]),
            (p.segmented_inclusive_scan(on(I), flags=on(HEADS)), scan),
            (p.segmented_exclusive_scan(on(I), keys=on(np.cumsum(HEADS))), scan - I),
            (firsts, I[RUNS]), (totals, np.add.reduceat(F, RUNS)),
            (p.reduce_by_key(on(ODD), on(I), "max")[1], np.maximum.reduceat(I, np.flatnonzero(np.append(True, T[1:] != T[:-1])))),
            (p.recurrence(a, b, 1), np.float32(np.nan)),
            (p.recurrence(1, on(M.astype(np.float32)), axis=0), M.cumsum(0).astype(np.float32)),
            (p.recurrence(on(np.ones(M.shape)), on(M.astype(float)), axis=-1), M.cumsum(1).astype(float))]


def sorts(p, on):
    keys, moved = p.sort_pairs(on(I), on(F))
    apart = p.sort_segments(on(I), offsets=on(OFFSETS))
    same = on(I)
    p.sort(same, out=same)
    return [(p.sort(on(F)), np.sort(F)), (p.sort(on(I), descending=True), np.sort(I)[::-1]),
            (p.argsort(on(I)), ORDER), (p.argsort(on(I), dtype=np.int32), ORDER.astype(np.int32)),
            (keys, I[ORDER]), (moved, F[ORDER]), (same, np.sort(I)), (p.sort(on(B)), np.sort(B)),
            (apart, np.concatenate([np.sort(part) for part in pieces(I)])), (p.sort(on(M)), np.sort(M)),
            (p.argsort(on(M)), np.argsort(M, kind="stable")), (p.sort(on(M), 0), np.sort(M, 0)),
            (p.argsort(on(M), 0, dtype=np.uint32), np.argsort(M, 0, kind="stable").astype(np.uint32)),
            (p.sort(on(M.reshape(6, 10, 50)), 1), np.sort(M.reshape(6, 10, 50), 1)),
            (p.sort_columns([on(I % 7), on(F)], [True, False]), np.lexsort((F, -(I % 7))))]


def compaction(p, on):
    parts, count = p.partition(on(I), "<", 9)
    values, lengths = p.run_length_encode(on(I))
    csr = p.dense_to_csr(on(M))
    firsts, moved = p.unique_pairs(on(I), on(F))
    return [(firsts, I[RUNS]), (moved, F[RUNS]), (p.unique_pairs(on(I[:60]), on(M))[1], M[RUNS[RUNS < 60]]),
            (p.compact_by(on(F), on(I), "<", 9), F[I < 9]), (p.flags_if(on(M), ">=", 3), M >= 3), (p.count_if(on(I), "<", 9), (I < 9).sum()),
            (p.compress(on(B), on(F)), F[B]), (p.compress(on(B[:60]), on(M), 0), M[B[:60]]),
            (p.compact_if(on(I), "between", 3, 7), I[(I >= 3) & (I <= 7)]),
            (p.flatnonzero(on(I)), np.flatnonzero(I)), (p.nonzero(on(I))[0], np.flatnonzero(I)),
            (parts, np.concatenate([I[I < 9], I[I >= 9]])), (count, (I < 9).sum()),
            (values, I[RUNS]), (lengths, np.diff(np.append(RUNS, 3000))),
            (p.unique_consecutive(on(I)), I[RUNS]), (p.unique(on(I)), VALUES),
            (p.unique(on(I), return_counts=True)[1], COUNTS), (csr.data, M[M != 0]),
            (csr.indptr, np.concatenate([[0], np.cumsum((M != 0).sum(1))])), (csr.indices, np.nonzero(M)[1])]


def counts(p, on):
    indices, offsets = p.bin(on(I), 50)
    moved, _ = p.bin(on(I), 50, on(F))
    owner, rank = p.expand(on(SIZES))
    places, total = p.allocate(on(SIZES), alignment=2)
    sizes = SIZES.astype(np.int64)
    packed = p.pack(on(U), on(starts(sizes)[::-1].copy()), on(sizes[::-1].copy()))
    source = np.concatenate([U[a:a + n] for a, n in zip(starts(sizes)[::-1], sizes[::-1])])
    return [(p.histogram(on(F), 10, (-50, 50))[0], np.histogram(F, 10, (-50, 50))[0]),
            (p.bincount(on(I)), np.bincount(I)), (p.bincount(on(U), 256), np.bincount(U, minlength=256)),
            (p.run_length_decode(on(F[:500]), on(SIZES)), np.repeat(F[:500], SIZES)), (p.run_length_decode(*p.run_length_encode(on(U))), U),
            (indices, ORDER), (moved, F[ORDER]), (offsets, np.concatenate([[0], np.cumsum(np.bincount(I))])),
            (owner, np.repeat(np.arange(500), SIZES)), (rank, np.concatenate([np.arange(n) for n in SIZES])),
            (places, starts((SIZES + 1) // 2 * 2)), (total, ((SIZES + 1) // 2 * 2).sum()), (packed, source)]


def moves(p, on):
    order, back = on(ORDER.astype(np.int32)), on(np.zeros(3000, np.float32))
    rows = on(np.zeros((60, 50), np.int32))
    p.scatter(on(F[ORDER]), order, back), p.scatter(on(M), on(np.arange(60)[::-1].copy()), rows, last_wins=True)
    return [(p.take(on(I), on(ORDER)), I[ORDER]), (p.take(on(M), on(ORDER[:7] % 60), 0), M[ORDER[:7] % 60]),
            (p.take(on(F), order), F[ORDER]), (back, F), (rows, M[::-1])]


def bools(p, on):
    kept, count = p.partition(on(ODD), "==", True)
    keys, moved = p.sort_pairs(on(ODD), on(I))
    values, lengths = p.run_length_encode(on(ODD))
    first = np.flatnonzero(np.append(True, T[1:] != T[:-1]))
    matrix, csr = T.reshape(60, 50), p.dense_to_csr(on(ODD.reshape(60, 50)))
    lowest = [np.minimum.accumulate(part) for part in pieces(T)]
    indices, offsets = p.bin(on(ODD), 2)
    same, least = on(ODD), on(np.ones(3000, bool))
    p.inclusive_scan(same, "min", out=same), p.exclusive_scan(on(ODD), "and", out=least)
    return [(p.cumsum(on(ODD)), np.cumsum(T)), (p.reduce(on(ODD)), T.sum()),
            (p.cumsum(on(ODD), dtype=bool), np.cumsum(T, dtype=bool)),
            (p.reduce(on(np.ones(256, bool)), dtype=bool), np.True_),
            (p.segmented_reduce(on(np.ones(3000, bool)), dtype=bool, offsets=on(OFFSETS)), np.diff(OFFSETS) > 0),
            (p.inclusive_scan(on(ODD), "and"), np.logical_and.accumulate(T)),
            (p.inclusive_scan(on(ODD), "xor", reverse=True), np.logical_xor.accumulate(T[::-1])[::-1]),
            (p.exclusive_scan(on(ODD), "min", reverse=True), np.append(np.minimum.accumulate(T[::-1])[-2::-1], True)),
            (same, np.minimum.accumulate(T)), (least, np.append(True, np.minimum.accumulate(T)[:-1])),
            (p.reduce(on(T[:0]), "and"), np.True_), (p.reduce(on(T[:0].reshape(3, 0)), "min", axis=1), np.ones(3, bool)),
            (p.segmented_reduce(on(ODD), "min", offsets=on(OFFSETS)), np.array([part.all() for part in pieces(T)])),
            (p.segmented_exclusive_scan(on(ODD), "and", offsets=on(OFFSETS)),
             np.concatenate([np.append(True, part[:-1])[:part.size] for part in lowest])),
            (p.segmented_inclusive_scan(on(I), flags=on(ODD)), p.segmented_inclusive_scan(I, flags=T)),
            (p.segmented_reduce(on(I), keys=on(ODD)), np.add.reduceat(I, first)),
            (p.sort(on(ODD)), np.sort(T)), (p.argsort(on(ODD)), np.argsort(T, kind="stable")),
            (keys, np.sort(T)), (moved, I[np.argsort(T, kind="stable")]), (kept, np.sort(T)[::-1]), (count, T.sum()),
            (p.unique(on(ODD), return_counts=True)[1], np.array([(~T).sum(), T.sum()])),
            (p.unique(on(ODD)), np.array([False, True])), (p.unique_consecutive(on(ODD)), T[first]),
            (values, T[first]), (lengths, np.diff(np.append(first, 3000))),
            (p.compact_if(on(ODD)), T[T]), (p.compact_if(on(ODD), "<", True), T[~T]),
            (p.flatnonzero(on(ODD)), np.flatnonzero(T)), (p.flatnonzero(on(ODD), "!=", True), np.flatnonzero(~T)),
            (p.nonzero(on(ODD))[0], np.flatnonzero(T)), (p.compress(on(ODD), on(I)), I[T]),
            (csr.data, T[T]), (csr.indices, np.nonzero(matrix)[1]), (p.bincount(on(ODD)), np.bincount(T)),
            (p.histogram(on(ODD), 2, (0, 2))[0], np.bincount(T)), (indices, np.argsort(T, kind="stable")),
            (offsets, np.array([0, (~T).sum(), 3000])), (p.expand(on(ODD))[0], np.flatnonzero(T)),
            (p.allocate(on(ODD))[0], starts(T.astype(int)))]


def composed(p, on):
    strided = on(np.repeat(I, 2))[::2]
    got = p.unique(on(M), True, True, True)
    want = np.unique(M, True, True, True)
    return [(p.argmax(on(M), 0), M.argmax(0)), (p.reduce(on(M.reshape(6, 10, 50)), "max", axis=(0, 2)), M.reshape(6, 10, 50).max((0, 2))),
            (p.reduce(on(ODD.reshape(60, 50)), "min", axis=0), T.reshape(60, 50).min(0)),
            (p.unique(on(ODD), True, True)[2], T.astype(int)), (p.repeat(on(I), on(ODD)), I[T]),
            (p.cumsum(strided), np.cumsum(I)), (p.cumsum(on(M), 0), np.cumsum(M, 0, dtype=np.int64)),
            (p.cumprod(on(M[0])), np.cumprod(M[0], dtype=np.int64)),
            (p.sort(on(M), 0), np.sort(M, 0)), (p.argsort(on(M), 0), np.argsort(M, 0, kind="stable")),
            (p.reduce(on(M), "max", axis=0), M.max(0)), (p.compress(on(B[:50]), on(M), 1), M[:, B[:50]]),
            (got[0], want[0]), (got[1], want[1]), (got[2], want[2].reshape(M.shape)), (got[3], want[3]),
            (p.repeat(on(F[:500]), on(SIZES)), np.repeat(F[:500], SIZES)),
            (p.repeat(on(M), 2, 1), np.repeat(M, 2, 1)),
            (p.nonzero(on(M))[0], np.nonzero(M)[0]), (p.nonzero(on(M))[1], np.nonzero(M)[1])]


def composed_differences(p, on):
    return [(p.diff(on(I)), np.diff(I)), (p.diff(on(I), prepend=7), np.diff(I, prepend=7)),
            (p.diff(on(M)), np.diff(M)), (p.diff(on(M), axis=0), np.diff(M, axis=0)), (p.diff(on(ODD)), np.diff(T))]


CASES = [scans, differences, searches, merges, reductions, segments, sorts, compaction, counts, moves, bools,
         selections]
COMPOSED = [composed, composed_differences]


def check(case, on, back, kind=None):
    """on, back: from NumPy's array to the library's, and back. kind: what results that are arrays must be."""
    for k, (result, expected) in enumerate(case(parscan, lambda x: on(x.copy()))):
        if kind is not None and not isinstance(result, int):
            assert isinstance(result, kind), (k, type(result))
        got = back(result) if not isinstance(result, int) else np.asarray(result)
        expected = np.asarray(expected)
        if expected.shape == () and np.isnan(expected.astype(float)):
            assert np.isfinite(got).all()  # computed in another order: looked at elsewhere
            continue
        assert got.shape == expected.shape, (k, got.shape, expected.shape)
        if expected.shape:
            assert got.dtype == expected.dtype, (k, got.dtype, expected.dtype)
        if got.dtype == bool:  # equal is what NumPy takes for true, not the byte
            assert got.view(np.uint8).max(initial=0) <= 1, k
        np.testing.assert_array_equal(got, expected, err_msg=str(k))
