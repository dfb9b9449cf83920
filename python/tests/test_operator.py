"""Operators, orders, equalities and predicates of the caller's."""

import ctypes
import itertools
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import functions
import parscan
from arrays import equal

RANGE = np.dtype([("low", "i4"), ("high", "i4")])
PAIR = np.dtype((np.float64, 2))  # a map x -> a x + b, as a row (a, b)
RECORD = np.dtype([("name", "S6"), ("key", "u2"), ("place", "u4")])
INCLUDE = pathlib.Path(__file__).parents[2] / "include"


def spread(a, b):
    both = a.copy()
    both["low"], both["high"] = np.minimum(a["low"], b["low"]), np.maximum(a["high"], b["high"])
    return both


def then(a, b):
    """First a, then b: it does not commute."""
    return np.stack([b[:, 0] * a[:, 0], b[:, 0] * a[:, 1] + b[:, 1]], 1)


def ranges(x):
    both = np.empty(x.shape, RANGE)
    both["low"] = both["high"] = x
    return both


def scanned(function, x):
    return np.array([part[0] for part in itertools.accumulate(x.reshape(len(x), 1, *x.shape[1:]), function)], x.dtype)


@pytest.fixture(scope="module")
def op():
    none = (np.iinfo("i4").max, np.iinfo("i4").min)
    return parscan.Operator(RANGE, functions.combine(RANGE, spread), identity=none, commutes=True)


@pytest.fixture(scope="module")
def affine():
    return parscan.Operator(PAIR, functions.combine(PAIR, then))


@pytest.fixture
def maps(rng):
    return rng.choice([-1.0, 1.0, 0.5, 2.0], (1000, 2))  # whose results are exact


@pytest.mark.parametrize("n", [1, 2, 33, 5000])
def test_scans_and_reductions_of_structs(op, rng, n):
    x = ranges(rng.integers(-10**6, 10**6, n))
    expected = scanned(spread, x)
    equal(parscan.inclusive_scan(x, op), expected)
    first = np.array((5, 5), RANGE)
    equal(parscan.inclusive_scan(x, op, initial=first), spread(expected, np.broadcast_to(first, n)))
    equal(parscan.exclusive_scan(x, op)[1:], expected[:-1])
    assert parscan.exclusive_scan(x, op)[0] == np.array((2**31 - 1, -2**31), RANGE)
    equal(parscan.inclusive_scan(x, op, reverse=True, axis=0), scanned(spread, x[::-1])[::-1])
    assert parscan.reduce(x, op) == expected[-1] == parscan.reduce(x, op, axis=0)
    assert parscan.reduce(x, op, axis=0, keepdims=True).shape == (1,)
    equal(parscan.inclusive_scan(x, op, out=x), expected)
    assert x[-1] == expected[-1]


def test_elements_that_are_rows(affine, maps):
    expected = scanned(then, maps)
    equal(parscan.inclusive_scan(maps, affine), expected)
    equal(parscan.inclusive_scan(maps, affine, algorithm="brent-kung"), expected)
    equal(parscan.inclusive_scan(maps, affine, reproducible=True), expected)
    equal(parscan.exclusive_scan(maps, affine, initial=(1, 0))[1:], expected[:-1])
    equal(parscan.reduce(maps, affine), expected[-1])
    equal(parscan.reduce(maps.reshape(10, 100, 2), affine), expected[-1])  # flattened
    equal(parscan.reduce(maps.tolist(), affine), expected[-1])


def test_segments(affine, maps, rng):
    flags = rng.random(len(maps)) < 0.01
    flags[0] = True
    parts = np.split(maps, np.flatnonzero(flags)[1:])
    scans = np.concatenate([scanned(then, part) for part in parts])
    last = np.array([scanned(then, part)[-1] for part in parts])
    offsets, keys = np.append(np.flatnonzero(flags), len(maps)), np.cumsum(flags)
    for form in ({"flags": flags}, {"offsets": offsets}, {"keys": keys}):
        equal(parscan.segmented_inclusive_scan(maps, affine, **form), scans)
        equal(parscan.segmented_reduce(maps, affine, initial=(1, 0), **form), last)
        shifted = parscan.segmented_exclusive_scan(maps, affine, initial=(1, 0), **form)
        equal(shifted[~flags], scans[:-1][~flags[1:]])
        assert (shifted[flags] == (1, 0)).all()
    equal(parscan.segmented_reduce(maps, affine, rows=250), np.array([scanned(then, part)[-1] for part in maps.reshape(4, 250, 2)]))
    firsts, results = parscan.reduce_by_key(keys, maps, affine)
    equal(firsts, np.arange(1, len(parts) + 1))
    equal(results, last)


def test_maps_on_the_way_in_and_out(rng):
    x = rng.integers(-99, 99, 3000).astype(np.int8)
    width = parscan.Operator(RANGE, functions.combine(RANGE, spread), load=functions.load("i1", RANGE, ranges), in_dtype="i1",
                             store=functions.store(RANGE, "i8", lambda r: r["high"] - r["low"]), out_dtype="i8")
    wide = x.astype(np.int64)
    expected = np.maximum.accumulate(wide) - np.minimum.accumulate(wide)
    equal(parscan.inclusive_scan(x, width), expected)
    assert parscan.reduce(x, width) == expected[-1]
    assert parscan.reduce(x, width).dtype == np.int64
    with pytest.raises(TypeError, match="its elements must be int8"):
        parscan.reduce(wide, width)
    with pytest.raises(TypeError, match="dtype = int32: the results of the operator are int64"):
        parscan.reduce(x, width, dtype="i4")


def test_a_state_is_copied():
    state = np.array([7], np.int64)
    function = functions.combine("i8", lambda a, b, modulus: (a + b) % modulus, state="i8")
    total = parscan.Operator(np.int64, function, state=state, identity=0, commutes=True)
    state[0] = 2
    assert parscan.reduce(np.arange(100), total) == sum(range(100)) % 7


def test_an_operator_of_a_context_and_of_counted_arrays(op, rng):
    x = ranges(rng.integers(0, 99, 50))
    with parscan.Context("cpu", threads=1):
        equal(parscan.inclusive_scan(x, op), scanned(spread, x))
    counted = parscan.Counted(x, 20)
    scan = parscan.inclusive_scan(counted, op)
    equal(scan.numpy(), scanned(spread, x[:20]))
    assert parscan.reduce(counted, op) == scanned(spread, x[:20])[-1]
    op.prepare("inclusive_scan", "reduce")  # nothing to do on the CPU
    assert op.log == "" and repr(op).startswith("<parscan.Operator on [('low'")


def test_sort_by_is_stable_and_unique_by_keeps_the_first(rng):
    x = np.zeros(5000, RECORD)
    x["key"], x["place"] = rng.integers(0, 50, 5000), np.arange(5000)
    x["name"] = rng.integers(0, 9, 5000).astype("S6")
    less = parscan.Relation(RECORD, functions.relate(RECORD, lambda a, b: a["key"] < b["key"]))
    same = parscan.Relation(RECORD, functions.relate(RECORD, lambda a, b: a["key"] == b["key"]))
    ordered = x[np.argsort(x["key"], kind="stable")]
    equal(parscan.sort_by(x, less), ordered)
    expected = ordered[np.append(True, ordered["key"][1:] != ordered["key"][:-1])]
    equal(parscan.unique_by(ordered, same), expected)
    equal(parscan.unique_by(parscan.sort_by(parscan.Counted(x, 5000), less), same).numpy(), expected)
    assert parscan.sort_by(x, less, out=x) is x
    equal(x, ordered)
    equal(parscan.sort_by([(3.0, 1.0), (2.0, 9.0), (3.0, 0.0)], parscan.Relation(
        PAIR, functions.relate(PAIR, lambda a, b: a[:, 0] < b[:, 0]))), np.array([[2.0, 9], [3, 1], [3, 0]]))


def test_predicates(rng):
    x = np.zeros(3000, RECORD)
    x["key"], x["place"] = rng.integers(0, 50, 3000), np.arange(3000)
    small = parscan.Predicate(RECORD, functions.test(RECORD, lambda r: r["key"] < 9))
    kept = x["key"] < 9
    equal(parscan.compact_if(x, small), x[kept])
    y, places = parscan.compact_if(x, small, indices=True)
    equal(y, x[kept])
    equal(places, np.flatnonzero(kept))
    equal(parscan.compact_if(x, small, counted=True).numpy(), x[kept])
    equal(parscan.flags_if(x.reshape(30, 100), small), kept.reshape(30, 100))
    assert parscan.count_if(x, small) == kept.sum()
    equal(parscan.compact_by(np.arange(6000).reshape(3000, 2), x, small), np.arange(6000).reshape(3000, 2)[kept])
    equal(parscan.compact_by(x, x, small, room=3000).numpy(), x[kept])
    equal(parscan.flatnonzero(x.reshape(30, 100), small, dtype=np.uint32), np.flatnonzero(kept).astype(np.uint32))
    for found, expected in zip(parscan.nonzero(x.reshape(30, 100), small), np.nonzero(kept.reshape(30, 100)), strict=True):
        equal(found, expected)
    parts, length = parscan.partition(x, small)
    assert length == kept.sum()
    equal(parts, np.concatenate([x[kept], x[~kept]]))
    with pytest.raises(ValueError, match="keep is a Predicate, which takes no value"):
        parscan.count_if(x, small, 3)
    with pytest.raises(TypeError, match="its elements must be"):
        parscan.count_if(x["key"], small)
    with pytest.raises(TypeError, match="by is .*: its elements must be"):
        parscan.compact_by(x, x["place"], small)
    with pytest.raises(ValueError, match="by has 2 dimensions of elements"):
        parscan.compact_by(x, x.reshape(30, 100), small)
    with pytest.raises(ValueError, match="keep is a Predicate, which takes no value"):
        parscan.nonzero(x, small, 3)


def parts(x, *others):
    return [[array[a:b] for array in (x, *others)] for a, b in ((0, 3), (3, 3), (3, 700), (700, len(x)))]


def test_chunks(affine, op, maps, rng):
    expected, keys = scanned(then, maps), np.repeat(np.arange(10), 100)
    scan = parscan.Chunked.inclusive_scan(PAIR, affine)
    equal(np.concatenate([scan.update(*part) for part in parts(maps)]), expected)
    equal(scan.finish().out, expected[-1])
    x = ranges(rng.integers(0, 99, 1000))
    total = parscan.Chunked.reduce(RANGE, op)
    for part in parts(x):
        total.update(*part)
    assert total.finish().out == scanned(spread, x)[-1]
    by_key = parscan.Chunked.segmented_inclusive_scan(PAIR, affine, key_dtype=keys.dtype)
    equal(np.concatenate([by_key.update(*part) for part in parts(maps, keys)]),
          parscan.segmented_inclusive_scan(maps, affine, keys=keys))
    sums = parscan.Chunked.reduce_by_key(PAIR, affine, key_dtype=keys.dtype)
    found = [sums.update(*part)[0] for part in parts(maps, keys)]
    equal(np.concatenate([*found, sums.finish().out]), parscan.reduce_by_key(keys, maps, affine)[1])
    low = parscan.Predicate(RANGE, functions.test(RANGE, lambda r: r["low"] < 9))
    few = parscan.Chunked.compact_if(RANGE, low)
    equal(np.concatenate([few.update(*part) for part in parts(x)]), x[x["low"] < 9])
    flags, places = parscan.Chunked.flags_if(RANGE, low), parscan.Chunked.flatnonzero(RANGE, low)
    equal(np.concatenate([flags.update(*part) for part in parts(x)]), x["low"] < 9)
    equal(np.concatenate([places.update(*part) for part in parts(x)]), np.flatnonzero(x["low"] < 9))
    for wrong in (lambda: parscan.Chunked.reduce("i8", op), lambda: parscan.Chunked.flags_if("i8", low)):
        with pytest.raises(TypeError, match="dtype = int64: the elements must be"):
            wrong()


@pytest.mark.skipif(not INCLUDE.is_dir() or shutil.which("cc") is None, reason="no headers or no compiler")
def test_one_text_of_c_for_both_engines(tmp_path, rng):
    guide = (INCLUDE.parent / "docs" / "python.md").read_text(encoding="utf-8")
    (tmp_path / "spread.c").write_text(re.search(r"```c\n(.*?)```", guide, re.S)[1])
    # types.h lies beside the library's build, or is installed
    folders = [folder for folder in pathlib.Path(parscan.library_path).parents if (folder / "include/parscan/types.h").exists()]
    if not folders:
        pytest.skip("types.h is not beside the library")
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", f"-I{INCLUDE}", f"-I{folders[0] / 'include'}", "-o",
                    tmp_path / "spread.so", tmp_path / "spread.c"], check=True)
    shared = ctypes.CDLL(str(tmp_path / "spread.so"))
    text = ctypes.c_char_p.in_dll(shared, "cuda").value.decode()
    op = parscan.Operator(RANGE, ctypes.c_void_p.in_dll(shared, "combine").value, commutes=True,
                          cuda_source=text, cuda_type="range", cuda_function="spread")
    x = ranges(rng.integers(-10**6, 10**6, 100000))
    assert parscan.reduce(x, op) == np.array((x["low"].min(), x["high"].max()), RANGE)
    equal(parscan.inclusive_scan(x, op)["low"], np.minimum.accumulate(x["low"]))


def test_a_cfunc_of_numba(rng):
    numba = pytest.importorskip("numba")

    @numba.cfunc("void(voidptr, voidptr, voidptr, uintp, voidptr)")
    def combine(earlier, later, out, n, state):
        a, b, c = numba.carray(earlier, (n, 2), np.float64), numba.carray(later, (n, 2), np.float64), numba.carray(out, (n, 2), np.float64)
        for k in range(n):
            slope, shift = b[k, 0] * a[k, 0], b[k, 0] * a[k, 1] + b[k, 1]
            c[k, 0], c[k, 1] = slope, shift

    maps = rng.choice([-1.0, 1.0, 0.5, 2.0], (100000, 2))
    op = parscan.Operator(PAIR, combine, identity=(1, 0))
    equal(parscan.inclusive_scan(maps[:1000], op), scanned(then, maps[:1000]))
    assert parscan.inclusive_scan(maps, op).shape == maps.shape


ADD = functions.combine("i8", np.add)


@pytest.mark.parametrize("error, words, call", [
    (TypeError, "combine = 'f': it must be a cfunc of Numba, a function of ctypes, or an address",
     lambda: parscan.Operator("i8", "f")),
    (TypeError, "dtype = object: elements must be plain bytes", lambda: parscan.Operator(object, ADD)),
    (TypeError, "dtype = >i8: elements must be plain bytes in the machine's order", lambda: parscan.Operator(">i8", ADD)),
    (ValueError, "elements of 65 bytes: they must be 1 to 64", lambda: parscan.Operator("V65", ADD)),
    (ValueError, "alignment = 3", lambda: parscan.Operator("i8", ADD, alignment=3)),
    (ValueError, "combine is NULL|combine and cuda_source", lambda: parscan.Operator("i8")),
    (ValueError, "identity = 2.5: it is no value of int64", lambda: parscan.Operator("i8", ADD, identity=2.5)),
    (ValueError, r"identity = \(1, 2, 3\): it is no element", lambda: parscan.Operator(PAIR, ADD, identity=(1, 2, 3))),
    (ValueError, "state_size = 4097", lambda: parscan.Operator("i8", ADD, state=bytes(4097))),
    (ValueError, "in_dtype = None: it is given with a map in", lambda: parscan.Operator("i8", ADD, load=ADD)),
    (ValueError, "out_dtype = i4: it is given with a map out", lambda: parscan.Operator("i8", ADD, out_dtype="i4")),
    (TypeError, "cuda_source = 3: it must be a str", lambda: parscan.Operator("i8", ADD, cuda_source=3)),
    (ValueError, "cuda_type has a zero in it", lambda: parscan.Operator("i8", ADD, cuda_type="a\0")),
    (TypeError, r"x is int32\[3\]: its elements must be int64",
     lambda: parscan.reduce(np.zeros(3, "i4"), parscan.Operator("i8", ADD))),
    (ValueError, "initial is None: an exclusive scan by an operator without an identity", lambda: parscan.exclusive_scan([1, 2], parscan.Operator("i8", ADD))),
    (ValueError, "initial = 'a': it is no value of int64", lambda: parscan.reduce([1], parscan.Operator("i8", ADD), initial="a")),
    (NotImplementedError, "axis = 1 of 2 dimensions", lambda: parscan.reduce(np.zeros((2, 2), "i8"), parscan.Operator("i8", ADD), axis=1)),
    (ValueError, "x has 2 dimensions of elements: it must have 1",
     lambda: parscan.segmented_reduce(np.zeros((2, 2), "i8"), parscan.Operator("i8", ADD), rows=2)),
    (NotImplementedError, "custom: the operator has no combine", lambda: parscan.reduce(
        [1], parscan.Operator("i8", cuda_source="", cuda_type="long", cuda_function="f"))),
    (NotImplementedError, "keep: the predicate has no test, so it has nothing for the CPU", lambda: parscan.count_if(
        [1], parscan.Predicate("i8", cuda_source="", cuda_type="long", cuda_function="f"))),
    (ValueError, "test and cuda_source are NULL", lambda: parscan.Predicate("i8")),
    (TypeError, "less = <parscan.Operator on int64>: it must be a parscan.Relation",
     lambda: parscan.sort_by([1], parscan.Operator("i8", ADD))),
    (TypeError, "cannot be copied or pickled", lambda: __import__("copy").copy(parscan.Operator("i8", ADD))),
])
def test_errors_in_words(error, words, call):
    with pytest.raises(error, match=words):
        call()


def test_code_is_of_cuda(op):
    text = parscan.Operator("i8", ADD, cuda_source="", cuda_type="long", cuda_function="f")
    for one in (op, text):
        with pytest.raises((parscan.UnsupportedError, parscan.BackendError, ValueError)):
            one.load(b"nothing")
    with pytest.raises(parscan.UnsupportedError, match="CUDA"):
        op.save()
