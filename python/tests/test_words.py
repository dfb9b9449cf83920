"""What errors say: parameters by Python's names, totals, however large."""

import numpy as np
import pytest

import parscan
from parscan import _errors

X = np.arange(10)
HALF = np.array([2**63, 2**63, 5], np.uint64)  # the total is beyond 64 bits


@pytest.mark.parametrize("words, call", [
    (r"threads = 1099511627776: it must be at most", lambda: parscan.Context("cpu", threads=2**40)),
    (r"range = \(3, 1\): ", lambda: parscan.histogram(X / 1, 5, (3, 1))),
    (r"range = \(3, 3\): ", lambda: parscan.Chunked.histogram(int, 5, (3, 3))),
    (r"range is None: float elements", lambda: parscan.histogram(X / 1, 5)),
    (r"range\[0\] = 0.5: it is no value of int64", lambda: parscan.histogram(X, 5, (0.5, 3))),
    (r"range = 3: it must be \(lower, upper\)", lambda: parscan.histogram(X, 5, 3)),
    (r"range = \(0, 1, 2\): it must be \(lower, upper\)", lambda: parscan.histogram(X, 5, (0, 1, 2))),
    (r"repeats has -1: none may be negative", lambda: parscan.repeat(X[:2], [-1, 2])),
    (r"repeats = -1: it must be", lambda: parscan.repeat(X, -1)),
    (r"offsets\[1\] = -1: none may be negative", lambda: parscan.segmented_reduce(X, offsets=[0, -1, 10])),
    (r"offsets\[0\] = -1: none may be negative", lambda: parscan.segmented_reduce(X, offsets=[-1, 10])),
    (r"offsets\[2\] = -2: none may be negative", lambda: parscan.segmented_reduce(X, offsets=[0, 5, -2])),
    (r"offsets\[2\] = 3 is less than offsets\[1\] = 5", lambda: parscan.segmented_reduce(X, offsets=[0, 5, 3, 10])),
    (r"offsets\[1\] = -1: none may be negative",
     lambda: parscan.sort_segments(X, offsets=np.array([0, -1, 10], np.int32))),
    (r"op = xor is for integers only, dtype = float64", lambda: parscan.reduce(X / 1, "xor")),
    (r"dtype = int64: a recurrence takes floats of at most 64 bits", lambda: parscan.recurrence(X, X)),
    (r"dtype = bool: a recurrence takes floats of at most 64 bits", lambda: parscan.recurrence(X > 3, X > 3)),
    (r"dtype = bool: a recurrence takes floats of at most 64 bits", lambda: parscan.Chunked.recurrence(bool)),
    (r"end_bit = 9: dtype = bool has only 8 bits", lambda: parscan.sort(X > 3, end_bit=9)),
    (r"end_bit = 9: dtype = bool has only 8 bits", lambda: parscan.argsort(X > 3, end_bit=9)),
    (r"end_bit = 9: dtype = bool has only 8 bits", lambda: parscan.sort_pairs(X > 3, X, end_bit=9)),
    (r"begin_bit = 3.*dtype = float64", lambda: parscan.sort(X / 1, begin_bit=3)),
    (r"values of 800 bytes: they must be 1 to 64", lambda: parscan.bin(X, 2, np.zeros((10, 100)))),
    (r"segment_keys has 9 elements: it must have 10", lambda: parscan.sort_segments(X, segment_keys=X[1:])),
    (r"carry of 3 bytes", lambda: setattr(parscan.Chunked.reduce(int), "carry", b"abc")),
])
def test_parameters_are_named_as_in_python(words, call):
    with pytest.raises((ValueError, NotImplementedError), match="^" + words):
        call()


@pytest.mark.parametrize("name, call", [
    ("index_dtype", lambda: parscan.bin(X, 3, index_dtype="f4")),
    ("count_dtype", lambda: parscan.Chunked.histogram(int, 5, count_dtype="f4")),
    ("offset_dtype", lambda: parscan.Chunked.allocate(int, offset_dtype="i2")),
    ("index_dtype", lambda: parscan.Chunked.flatnonzero(int, index_dtype="i2")),
    ("length_dtype", lambda: parscan.Chunked.run_length_encode(int, length_dtype="i2")),
    ("key_dtype", lambda: parscan.Chunked.segmented_inclusive_scan(int, key_dtype="c8")),
    ("out_dtype", lambda: parscan.Chunked.inclusive_scan(int, "max", out_dtype=float)),
    ("axis", lambda: parscan.cumsum(X.reshape(2, 5), (0, 1))), ("axis", lambda: parscan.sort(X, (0,))),
    ("axis", lambda: parscan.reduce(X, axis=1.0)), ("axis", lambda: parscan.argsort(X.reshape(2, 5), 0.5)),
    ("axis", lambda: parscan.repeat(X, 2, "0")), ("axis", lambda: parscan.reduce(X, axis=[0])),
])
def test_types_that_are_wrong_are_named(name, call):
    with pytest.raises(TypeError, match=f"^{name} = "):
        call()


@pytest.mark.parametrize("name, call", [
    ("op", lambda: parscan.inclusive_scan(X, ["sum"])), ("algorithm", lambda: parscan.cumsum(X).sum() and
                                                          parscan.inclusive_scan(X, algorithm=["auto"])),
    ("keep", lambda: parscan.compact_if(X, ["<"], 3))])
def test_options_without_a_hash_are_named(name, call):
    with pytest.raises(ValueError, match=rf"^{name} = \['.*'\]: it must be one of"):
        call()


def test_totals_are_right_however_large():
    total = 2**64 + 5
    for call, n in ((lambda: parscan.allocate(HALF), total), (lambda: parscan.allocate(HALF, dtype=np.uint64), total),
                    (lambda: parscan.expand(HALF), total), (lambda: parscan.repeat(np.arange(3), HALF), total),
                    (lambda: parscan.repeat(np.arange(3), 2**63 - 1), 3 * (2**63 - 1)),
                    (lambda: parscan.allocate(HALF, alignment=64), 2**64 + 64),
                    (lambda: parscan.allocate(np.full(5000, 2**64 - 1, np.uint64), alignment=2**63), 5000 * 2**64),
                    (lambda: parscan.allocate([2**31, 2**31], dtype=np.uint32), 2**32),
                    (lambda: parscan.allocate([2**31, 2], dtype=np.int32), 2**31 + 2),
                    (lambda: parscan.allocate([2**62, 2**62]), 2**63)):
        with pytest.raises(parscan.TotalOverflowError, match=rf"\b{n}\b") as caught:
            call()
        assert caught.value.total == n
    with pytest.raises(parscan.TotalOverflowError) as caught:
        parscan.Chunked.allocate(np.uint64).update(HALF)
    assert caught.value.total is None  # the library has no more than 64 bits


def test_capacity_errors_have_the_total():
    for call, n in ((lambda: parscan.allocate([5, 6], capacity=10), 11), (lambda: parscan.allocate([5], capacity=0), 5),
                    (lambda: parscan.allocate([5, 6], capacity=np.int64(10), alignment=8), 16),
                    (lambda: parscan.allocate(HALF, capacity=10), 2**64 + 5),
                    (lambda: parscan.Chunked.allocate(int, capacity=10).update([5, 6]), 11)):
        with pytest.raises(parscan.CapacityError, match=rf"total = {n}\b") as caught:
            call()
        assert caught.value.total == n
    assert parscan.CapacityError("words").total is None


def test_names_of_files_stay():
    assert str(_errors.failure(9, "/u8/f64: type = u8")) == "/u8/f64: type = u8"
