"""Arrays of libraries that keep to the array API standard: they come through DLPack, and results go back so."""

import importlib

import numpy as np
import pytest

import parscan

LIBRARIES = [name for name in ("array_api_strict", "jax.numpy") if importlib.util.find_spec(name.partition(".")[0])]
if importlib.util.find_spec("dpctl") and importlib.import_module("dpctl").get_devices():
    LIBRARIES.append("dpnp")


class Standard:
    """The least such array, on NumPy's: its library has from_dlpack and asarray."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self, api_version=None):
        return StandardLibrary

    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)
    shape = property(lambda self: self.array.shape)


class StandardLibrary:
    @staticmethod
    def from_dlpack(x):
        return Standard(np.from_dlpack(x))

    @staticmethod
    def asarray(x):
        return Standard(np.array(x))


class Elsewhere(Standard):
    """The same on a device of oneAPI's, from which only DLPack copies."""

    device = "here"

    def __dlpack__(self, *, dl_device=None, **options):
        if dl_device != (1, 0):
            raise BufferError("not on the host")
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return 14, 0

    def __array_namespace__(self, api_version=None):
        return ElsewhereLibrary


class ElsewhereLibrary:
    @staticmethod
    def asarray(x, device="here"):
        assert device == "here"
        return Elsewhere(np.array(x))


def library_of(name):
    return {"standard": StandardLibrary, "elsewhere": ElsewhereLibrary}.get(name) or importlib.import_module(name)


def numpy_of(x):
    return x.array if isinstance(x, Standard) else x.asnumpy() if hasattr(x, "asnumpy") else np.asarray(x)


@pytest.mark.parametrize("name", ["standard", "elsewhere", *LIBRARIES])
def test_arrays_go_back_to_their_library(name):
    library, x = library_of(name), np.random.default_rng(1).integers(0, 50, 1000).astype(np.int32)
    given = library.asarray(x)
    calls = [(parscan.inclusive_scan, np.cumsum(x, dtype=np.int32)), (parscan.sort, np.sort(x)),
             (parscan.reduce, x.sum(dtype=np.int32)), (lambda a: parscan.compact_if(a, ">", 20), x[x > 20]),
             (lambda a: parscan.flags_if(a, ">", 20), x > 20),
             (lambda a: parscan.argsort(a, dtype=np.int32), np.argsort(x, kind="stable").astype(np.int32)),
             (parscan.unique, np.unique(x)), (lambda a: parscan.sort_pairs(a, a)[1], np.sort(x)),
             (lambda a: parscan.argmin(a, dtype=np.int32), x.argmin().astype(np.int32))]
    for k, (call, expected) in enumerate(calls):
        result = call(given)
        assert type(result) is type(given), k
        np.testing.assert_array_equal(numpy_of(result), expected)
        assert numpy_of(result).dtype == expected.dtype, k


@pytest.mark.parametrize("name", ["standard", "elsewhere", *LIBRARIES])
def test_rows_and_other_arrays_beside(name):
    library, x = library_of(name), np.arange(12, dtype=np.float32).reshape(3, 4)
    given = library.asarray(x)
    np.testing.assert_array_equal(numpy_of(parscan.cumsum(given, 0)), np.cumsum(x, 0))
    np.testing.assert_array_equal(numpy_of(parscan.sort(given, 0, descending=True)), x[::-1])
    np.testing.assert_array_equal(numpy_of(parscan.segmented_reduce(library.asarray(x.ravel()), rows=4)), x.sum(1))


def test_such_an_array_is_not_written():
    x = StandardLibrary.asarray(np.array([3, 1, 2]))
    with pytest.raises(TypeError, match="out is Standard"):
        parscan.sort(x, out=StandardLibrary.asarray(np.zeros(3, np.int64)))


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_needs_copies_for_dlpack(name):
    """Read-only arrays, strides that JAX has not, an array that begins with 0, bfloat16."""
    library = importlib.import_module(name)
    x = library.asarray([3.0, 1.0, 2.0])
    counts, _ = parscan.histogram(x, 2, closed=True)
    assert isinstance(counts, type(x)) and numpy_of(counts).tolist() == [1, 2]
    table = library.reshape(library.asarray([0.0, 5.0, 7.0, 0.0]), (2, 2))
    rows, columns = parscan.nonzero(table)
    assert (numpy_of(rows).tolist(), numpy_of(columns).tolist()) == ([0, 1], [1, 0])
    longer = parscan.cumulative_sum(x, include_initial=True)
    assert isinstance(longer, type(x)) and numpy_of(longer).tolist() == [0, 3, 4, 6]
    if hasattr(library, "bfloat16"):
        sums = parscan.cumsum(x.astype(library.bfloat16))
        assert sums.dtype == library.bfloat16 and numpy_of(sums.astype(library.float32)).tolist() == [3, 4, 6]


def test_arrays_that_are_copied_are_not_counted():
    x = Elsewhere(np.arange(6))
    for call in (lambda: parscan.compact_if(x, ">", 2, counted=True), lambda: parscan.compact_if(x, ">", 2, room=3),
                 lambda: parscan.Counted(x, 3)):
        with pytest.raises(TypeError, match="^counted: arrays on a device that parscan has not"):
            call()
