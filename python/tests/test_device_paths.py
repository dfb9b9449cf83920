"""What the package does with arrays in device memory, without a device: a "CUDA" context is one of the
CPU, and "device" arrays lie in host memory. test_cuda.py is the same with a GPU."""

import gc
import sys
import threading
import types
import weakref

import numpy as np
import pytest

import everywhere
import everywhere_counted
import parscan
from arrays import changing
from everywhere_counted import Making, Taking
from parscan import _context, _device, _families, _library

STREAMS: list = []  # that contexts were made for


@pytest.fixture(autouse=True)
def pretend(monkeypatch):
    """No fixture of a device stays: contexts are made anew."""
    STREAMS.clear()
    create = _context.Context.__init__

    def recorded(self, backend="auto", **options):
        if backend == "cuda":
            STREAMS.append(options.get("stream"))
        create(self, backend, **options)
        self.is_device = backend == "cuda"

    monkeypatch.setattr(_context.Context, "__init__", recorded)
    monkeypatch.setattr(_context.Context, "backend",
                        property(lambda self: "cuda" if self.is_device else "cpu"))
    monkeypatch.setitem(_library.BACKENDS, "cuda", _library.BACKENDS["cpu"])
    monkeypatch.setattr(_context.thread, "streams", type(_context.thread.streams)())
    monkeypatch.setattr(_context, "_memory_contexts", {})
    monkeypatch.setattr(_families, "_of_type", {})
    monkeypatch.setattr(_families, "_devices", {})


class Interface:
    """An array of an unknown library, by __cuda_array_interface__."""

    def __init__(self, array, stream=None, strided=False):
        self.array = np.array(array)
        self.__cuda_array_interface__ = {
            "shape": self.array.shape, "typestr": self.array.dtype.str, "version": 3,
            "data": (self.array.ctypes.data, False), "stream": stream,
            "strides": self.array.strides if strided else None}


class Dlpack:
    """The same by DLPack."""

    def __init__(self, array):
        self.array, self.asked = np.array(array), []

    def __dlpack__(self, *, stream=None):
        self.asked.append(stream)
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return 2, 0


def back(array):
    return array.numpy() if isinstance(array, parscan.DeviceArray) else array.array


@pytest.mark.parametrize("case", everywhere.CASES)
@pytest.mark.parametrize("on", [Interface, lambda x: Interface(x, strided=True)], ids=["interface", "strides"])
def test_arrays_with_the_cuda_interface(case, on):
    everywhere.check(case, on, back)


@pytest.mark.parametrize("case", everywhere.CASES)
@pytest.mark.parametrize("kind", [Taking, Making])
def test_counted_arrays(kind, case):
    everywhere_counted.check(case, kind(Interface, back, (Interface, parscan.DeviceArray)))


def numpy_exports(x):
    """Old NumPys export no bool by DLPack."""
    return Dlpack(x) if x.dtype != bool else Interface(x)


@pytest.mark.parametrize("case", everywhere.CASES)
def test_arrays_with_dlpack(case):
    everywhere.check(case, numpy_exports, back)


def test_a_capsule_is_kept_and_then_freed():
    array = np.arange(5)
    before = sys.getrefcount(array)
    held = _device.from_capsule(array[1:].__dlpack__())
    assert (held.pointer, held.shape, held.dtype) == (array.ctypes.data + 8, (4,), np.int64)
    assert sys.getrefcount(array) > before
    del held
    assert sys.getrefcount(array) == before
    with pytest.raises(ValueError, match="C-contiguous"):
        _device.from_capsule(array[::2].__dlpack__())


def test_streams_of_raw_arrays():
    x = np.arange(5)
    parscan.cumsum(Interface(x))
    parscan.cumsum(Interface(x, stream=77))
    parscan.cumsum(Interface(x), stream=123)
    producer = Dlpack(x)
    parscan.cumsum(producer, stream=88)
    assert producer.asked == [88]
    assert [stream for stream in STREAMS if stream] == [1, 77, 123, 88]
    count = len(STREAMS)
    result = parscan.cumsum(Interface(x), stream=123)
    assert len(STREAMS) == count  # kept
    assert result.__cuda_array_interface__["stream"] == 123
    np.testing.assert_array_equal(parscan.cumsum(result).numpy(), np.cumsum(np.cumsum(x)))
    assert _context.thread.raw_stream is None


class Stream:
    """A stream that ends with its object."""

    def __init__(self, ptr):
        self.ptr = ptr


def test_objects_of_streams_are_kept(cupy):
    """synchronize() waits for them."""
    x, streams = cupy.asarray(np.arange(5)), [Stream(2 * k) for k in range(1, 6)]
    cupy.cuda.current.append(streams[0])  # CuPy's own, and then the same as stream=
    parscan.cumsum(x)
    cupy.cuda.current.pop()
    for stream in streams[:2]:
        parscan.cumsum(x, stream=stream)
    outside = cupy.cuda.ExternalStream(streams[0].ptr, 0)  # owns nothing
    with outside:
        parscan.cumsum(x)
    parscan.cumsum(x, stream=outside)
    parscan.cumsum(x, stream=streams[1].ptr)
    parscan.cumsum(Interface(x), stream=streams[2])
    other = parscan.cumsum(Interface(x), stream=streams[0].ptr)
    with _families._current(Interface(x), streams[4]):
        other.numpy()  # on another stream
    parscan.cumsum(Interface(x, stream=streams[2].ptr))
    context = parscan.Context("cuda", stream=streams[3])
    kept = [weakref.ref(stream) for stream in streams]
    del streams, stream
    gc.collect()
    assert [stream() is not None for stream in kept] == [True] * 4 + [False]
    parscan.synchronize()
    context.synchronize()
    assert _context.thread.given is None


def test_contexts_of_streams_are_limited():
    for stream in range(2, 80):
        parscan.cumsum(Interface(np.arange(3)), stream=stream)
    assert len(_context.thread.streams) == _context._MOST_STREAMS


def test_other_threads_have_other_contexts():
    parscan.cumsum(Interface([1]), stream=5)
    thread = threading.Thread(target=lambda: parscan.cumsum(Interface([1]), stream=5))
    thread.start()
    thread.join()
    assert [stream for stream in STREAMS if stream] == [5, 5]


@pytest.mark.parametrize("stream, handle", [
    (0, 1), (2, 2), (types.SimpleNamespace(ptr=0), 1), (types.SimpleNamespace(cuda_stream=9), 9),
    (types.SimpleNamespace(handle=types.SimpleNamespace(value=7)), 7),
    (types.SimpleNamespace(__cuda_stream__=lambda: (0, 6)), 6)])
def test_streams_of_every_library(stream, handle):
    assert _context.stream_handle(stream) == handle


def test_arrays_that_are_refused():
    with pytest.raises(ValueError, match="C-contiguous"):
        parscan.cumsum(Interface(np.arange(6).reshape(2, 3).T, strided=True))
    with pytest.raises(TypeError, match="complex128"):
        parscan.cumsum(Interface(np.zeros(3, complex)))
    with pytest.raises(TypeError, match="CuPy"):
        parscan.take(Interface(np.zeros((3, 3), int)), Interface(np.array([0])), 1)
    for options in {}, {"range": (0, 5)}:
        with pytest.raises(TypeError, match="closed = True"):
            parscan.histogram(Interface(np.arange(5)), 2, closed=True, **options)
    with pytest.raises(ValueError, match=r"range\[0\] = .*in host memory"):
        parscan.histogram(np.arange(5), range=(parscan.reduce(Interface(np.arange(5))), 5))
    strange = types.SimpleNamespace(__dlpack_device__=lambda: (10, 0), __dlpack__=None)
    with pytest.raises(TypeError, match="kind 10"):
        parscan.cumsum(strange)
    with pytest.raises(ValueError, match="overlaps"):
        x = np.arange(10)
        line = parscan._device.DeviceArray(x.ctypes.data, (9,), x.dtype, x)
        parscan.cumsum(line, out=_device.DeviceArray(x.ctypes.data + 8, (9,), x.dtype, x))


def test_device_arrays():
    context = parscan.Context("cuda")
    x = context.empty((2, 3), np.int32)
    assert isinstance(x, parscan.DeviceArray) and "int32[2, 3]" in repr(x)
    assert (x.size, x.nbytes, x.ndim, len(x), x.reshape(-1).shape, x.reshape(3, 2).shape) == (
        6, 24, 2, 2, (6,), (3, 2))
    context.copy(x, np.arange(6, dtype=np.int32))
    np.testing.assert_array_equal(x.numpy(), np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError):
        x.reshape(4)
    with pytest.raises(ValueError, match="may be written"):
        fixed = np.zeros(6, np.int32)
        fixed.flags.writeable = False
        context.copy(fixed, x)
    assert Interface(np.arange(3)).__cuda_array_interface__.keys() == x.__cuda_array_interface__.keys()


def test_few_elements_keep_no_memory_of_many():
    dense = np.zeros((300, 100))
    dense[5, 7] = 3
    for part in parscan.dense_to_csr(Interface(dense))[1:]:
        assert part.shape == (1,) and not isinstance(part._owner, parscan.DeviceArray)
    kept = parscan.compact_if(Interface(np.arange(10.0)), ">", 2)
    assert kept._owner.shape == (10,) and kept.numpy().tolist() == list(range(3, 10))  # most of them


# CuPy, as far as the package uses it, on NumPy.


class Array(np.ndarray):
    device = types.SimpleNamespace(id=0)
    data = property(lambda self: types.SimpleNamespace(ptr=self.ctypes.data))


Array.__module__, Array.__name__ = "cupy", "ndarray"


def fake_cupy():
    def wrapped(function):
        return lambda *a, **k: np.asarray(function(*a, **k)).view(Array)

    current = [types.SimpleNamespace(ptr=0)]

    class ExternalStream:
        def __init__(self, ptr, device_id):
            self.ptr = ptr

        def __enter__(self):
            current.append(self)

        def __exit__(self, *_):
            current.pop()

    cupy = types.ModuleType("cupy")
    for name in ("empty", "empty_like", "arange", "asarray", "ascontiguousarray", "full"):
        setattr(cupy, name, wrapped(getattr(np, name)))
    cupy.unravel_index = lambda *a: tuple(part.view(Array) for part in np.unravel_index(*a))
    cupy.ndarray = Array
    cupy.cuda = types.SimpleNamespace(current=current, get_current_stream=lambda: current[-1], ExternalStream=ExternalStream,
                                      runtime=types.SimpleNamespace(getDevice=lambda: 0))
    return cupy


@pytest.fixture
def cupy(monkeypatch):
    module = fake_cupy()
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
def test_cupys_arrays(cupy, case):
    everywhere.check(case, cupy.asarray, np.asarray, Array)


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
@pytest.mark.parametrize("kind", [Taking, Making])
def test_counted_arrays_of_cupy(cupy, kind, case):
    everywhere_counted.check(case, kind(cupy.asarray, np.asarray, Array))


@pytest.mark.parametrize("family", ["raw", "cupy"])
def test_what_is_counted_stays_on_the_device(cupy, monkeypatch, family):
    """No call has a place in host memory for its count, and none waits."""
    def waits(*_):
        raise AssertionError("a call waits")

    class Counting(_context.ThreadContext):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.count = None  # no room in host memory

    x = cupy.asarray(everywhere.I) if family == "cupy" else Interface(everywhere.I)
    with monkeypatch.context() as patch:
        patch.setattr(_context, "ThreadContext", Counting)
        for name in "synchronize", "room":
            patch.setattr(_context.Context, name, waits)
        patch.setattr(Counting, "room", waits)
        kept = parscan.compact_if(x, "<", 30, counted=True)
        values, lengths = parscan.run_length_encode(parscan.sort(kept))
        offsets, _ = parscan.allocate(lengths, close=True)
        sums = parscan.segmented_reduce(parscan.sort(kept), offsets=offsets)
        again = parscan.repeat(values, lengths, room=3000)
        _, index, inverse = parscan.unique(kept, True, True)
        merged, top = parscan.merge(values, values), parscan.top_k(kept, 5)[0]
        ordered, _ = parscan.bin(kept, 30)
    few = everywhere.I[everywhere.I < 30]
    want = np.unique(few, True, True)
    for got, expected in ((sums, np.bincount(few) * np.arange(30)), (again, np.sort(few)), (index, want[1]),
                          (inverse, want[2]), (merged, np.repeat(want[0], 2)), (top, np.sort(few)[:-6:-1]),
                          (ordered, np.argsort(few, kind="stable"))):
        assert isinstance(got, parscan.Counted)
        np.testing.assert_array_equal(got.numpy(), expected)


@pytest.mark.parametrize("family", ["raw", "cupy"])
def test_records_on_a_device_are_packed_by_the_offsets_that_were_checked(cupy, monkeypatch, family):
    on = cupy.asarray if family == "cupy" else Interface
    starts, sizes, places = np.array([16, 4, 0]), np.array([3, 5, 3]), np.array([0, 4, 10])
    given = [on(array) for array in (starts, sizes, places)]

    def change():
        for array in (back(part) if family == "raw" else part for part in given):
            assert array.ctypes.data not in calls[-1]
            array[...] = 2**60

    calls = changing(monkeypatch, "pack", change)
    out = on(np.full(20, ord("."), np.uint8))
    result = parscan.pack(on(np.frombuffer(b"the quick brown fox", np.uint8)), *given, out=out)
    result = back(result) if family == "raw" else result
    assert result.tobytes() == b"fox.quick.the......."


def test_cupys_streams_and_devices(cupy):
    x = cupy.asarray(np.arange(5))
    parscan.cumsum(x)
    parscan.cumsum(x, stream=types.SimpleNamespace(ptr=44))
    with cupy.cuda.ExternalStream(55, 0):
        parscan.cumsum(x)
    assert [stream for stream in STREAMS if stream] == [1, 44, 55]
    other = x.view()
    other.device = types.SimpleNamespace(id=1)
    with pytest.raises(ValueError, match="device 1"):
        parscan.cumsum(other)
    with pytest.raises(TypeError, match="asarray"):
        parscan.sort_pairs(x, np.arange(5))
    for wrong, error in ((np.empty(5, int), TypeError), (cupy.empty(4, int), ValueError)):
        with pytest.raises(error, match="out"):
            parscan.cumsum(x, out=wrong)
    strided = cupy.empty(10, int)[::2]
    assert parscan.cumsum(x, out=strided) is strided
    np.testing.assert_array_equal(strided, np.cumsum(np.arange(5)))
