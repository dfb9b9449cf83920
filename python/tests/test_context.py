"""Contexts: threads, fork, the GIL, memory, life and death."""

import copy
import gc
import multiprocessing
import os
import pickle
import sys
import threading
import time
import types

import numpy as np
import pytest

import parscan
from arrays import equal
from parscan import _context, _pools, _scan

X = np.arange(200_000) % 1000


def test_a_context_says_what_it_is():
    context = parscan.Context("cpu", threads=2)
    assert (context.backend, context.device, context.threads) == ("cpu", "", 2)
    assert context.simd in ("portable", "avx2", "avx512") and "2 threads" in repr(context)
    context.synchronize()
    parscan.synchronize()


def test_a_status_word_is_on_a_device():
    context = parscan.Context("cpu")
    with pytest.raises(parscan.UnsupportedError, match="CPU"):
        context.status_word


def test_scratch_grows_and_can_be_reserved():
    first, second = parscan.Context("cpu", threads=2), parscan.Context("cpu", threads=2)
    assert first.scratch == 0
    parscan.sort(X, context=first)
    assert first.scratch > 0
    second.reserve(first.scratch)
    reserved = second.scratch
    assert reserved >= first.scratch
    parscan.sort(X, context=second)
    assert second.scratch == reserved
    with pytest.raises(ValueError):
        first.reserve(-1)


class NoPool:
    def allocate(self, size, stream):
        raise MemoryError

    def release(self, pointer, size, stream):
        raise MemoryError


def fake_pools():
    """Modules with the names of CuPy's and PyTorch's allocators, and what they have given out."""
    given = {}

    class Block:
        def __init__(self, size):
            self.ptr = 4096 * (len(given) + 1)
            given[self.ptr] = size, streams[-1]

        def __del__(self):
            del given[self.ptr]

    class ExternalStream:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            streams.append(self.stream)

        def __exit__(self, *_):
            streams.pop()

    def allocate(size, stream):
        given[512] = size, stream
        return 512

    streams, cupy, torch = [], types.ModuleType("cupy"), types.ModuleType("torch")
    cupy.cuda = types.SimpleNamespace(ExternalStream=ExternalStream, alloc=Block)
    torch.cuda = types.SimpleNamespace(caching_allocator_alloc=allocate, caching_allocator_delete=given.__delitem__)
    return {"cupy": cupy, "torch": torch}, given


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_pools_of_cupy_and_torch(monkeypatch, name):
    modules, given = fake_pools()
    monkeypatch.setitem(sys.modules, name, modules[name])
    callbacks = _pools.Callbacks(name)
    allocate, release = callbacks._functions  # as C calls them
    place = allocate(1000, 77, None)
    assert given == {place: (1000, 77)} and callbacks.at
    release(place, 1000, 77, None)
    assert given == {} and callbacks.failure is None
    release(12345, 1, 77, None)
    assert isinstance(callbacks.failure, KeyError)  # C has no exceptions


def test_an_allocator_of_device_memory_is_not_for_the_cpu():
    with pytest.raises(parscan.InvalidArgumentError, match="device_allocator"):
        parscan.Context("cpu", allocator=NoPool())
    with pytest.raises(ValueError, match="allocator = 'numpy'"):
        parscan.Context("cpu", allocator="numpy")
    with pytest.raises(TypeError, match="allocate"):
        parscan.Context("cpu", allocator=5)


def test_wrong_options_have_the_librarys_words():
    with pytest.raises(parscan.InvalidArgumentError, match="threads = 2000"):
        parscan.Context("cpu", threads=2000)
    for wrong in ({"backend": "gpu"}, {"threads": -1}, {"scratch_limit": -1}):
        with pytest.raises(ValueError):
            parscan.Context(**wrong)
    with pytest.raises(TypeError, match="stream"):
        parscan.Context("auto", stream="fast")
    with pytest.raises(ValueError, match="stream = 5"):
        parscan.Context("cpu", stream=5)
    with pytest.raises(TypeError, match="threads = 1.5: it must be an integer"):
        parscan.Context("cpu", threads=1.5)


def test_scratch_has_a_limit():
    with pytest.raises(parscan.OutOfMemoryError, match="scratch_limit"):
        parscan.sort(X[::-1] % 977, context=parscan.Context("cpu", scratch_limit=1000))


def test_with_a_context_calls_use_it():
    context = parscan.Context("cpu", threads=1)
    with context as same:
        assert same is context and _context.host_context() is context
        with parscan.Context("cpu", threads=2) as inner:
            assert _context.host_context() is inner
        assert _context.host_context() is context
        equal(parscan.cumsum(X), np.cumsum(X))
    assert _context.host_context() is not context


def test_a_closed_context_is_refused():
    context = parscan.Context("cpu")
    equal(parscan.cumsum(X, context=context), np.cumsum(X))
    context.close()
    context.close()
    assert "closed" in repr(context)
    with pytest.raises(parscan.InvalidArgumentError, match="the Context is closed"):
        parscan.cumsum(X, context=context)


def test_with_a_context_is_of_its_thread():
    context, steps, seen = parscan.Context("cpu"), [threading.Event() for _ in range(2)], []

    def inside():
        with context:
            steps[0].set()
            steps[1].wait()
        seen.append(_context.host_context())

    parscan.cumsum(X)
    own = _context.host_context()
    other = threading.Thread(target=inside)
    with context:
        other.start()
        steps[0].wait()
    assert _context.host_context() is own
    steps[1].set()
    other.join()
    assert seen[0] is not own and seen[0] is not context


def test_a_context_is_a_context():
    for call in (parscan.cumsum, parscan.sort, parscan.unique, lambda x, context: parscan.allocate(x, context=context),
                 lambda x, context: parscan.Chunked.reduce("i8", context=context),
                 lambda x, context: parscan.Sorter("i8", context=context)):
        with pytest.raises(TypeError, match="context = 'cpu': it must be a parscan.Context"):
            call(X, context="cpu")


def test_what_holds_an_object_is_not_copied():
    for held in (parscan.Context("cpu"), parscan.Chunked.reduce("i8"), parscan.Sorter("i8")):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                copied(held)


def test_arrays_of_objects_are_not_bytes():
    context, objects = parscan.Context("cpu"), np.array([object(), object()])
    with pytest.raises(TypeError, match="not plain bytes"):
        context.copy(np.zeros(2, np.int64), objects)
    with pytest.raises(TypeError, match="not plain bytes"):
        context.copy(objects, np.zeros(2, np.int64))
    with pytest.raises(TypeError, match="not plain bytes"):
        parscan.pack(np.arange(2), [0], [16], [0], out=objects)
    with pytest.raises(TypeError, match="not plain bytes"):
        context.empty(2, object)
    assert context.empty((np.int64(3), 2), "i4").shape == (3, 2)


def test_a_refusal_of_a_closed_context_is_not_remembered():
    _scan.widens.cache_clear()
    _scan.plan.cache_clear()
    _scan.prepared.cache_clear()
    with parscan.Context("cpu") as context:
        context.close()
        with pytest.raises(parscan.InvalidArgumentError):
            parscan.cumsum(np.arange(3, dtype="i2"))
    equal(parscan.cumsum(np.arange(3, dtype="i2")), np.array([0, 1, 3]))


def test_each_thread_has_its_own_context():
    contexts, wrong = [], []

    def work(seed):
        x = np.random.default_rng(seed).integers(0, 1000, 50_000)
        for _ in range(5):
            if not (np.array_equal(parscan.cumsum(x), np.cumsum(x))
                    and np.array_equal(parscan.sort(x), np.sort(x))):
                wrong.append(seed)
        contexts.append(_context.host_context().handle)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(contexts) == 6 and _context.host_context().handle not in contexts[-1:]


def test_a_threads_context_ends_with_it():
    ended = []

    class Probe:
        def __del__(self):
            ended.append(True)

    def work():
        parscan.cumsum(X)
        _context.host_context().probe = Probe()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert ended


def test_threads_may_share_a_context_of_the_callers():
    context, wrong = parscan.Context("cpu"), []

    def work(seed):
        x = np.random.default_rng(seed).integers(0, 9, 30_000)
        for _ in range(10):
            if parscan.compact_if(x, "<", 4, context=context).tolist() != x[x < 4].tolist():
                wrong.append(seed)
            try:
                parscan.sort(np.ones(3), begin_bit=1, context=context)
            except parscan.UnsupportedError:
                pass

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_gil_is_released():
    """Another thread runs several times within one call. It can hardly run twice if the GIL is held."""
    x = np.random.default_rng(1).integers(0, 2**62, 2_000_000)
    context, ticks, done = parscan.Context("cpu", threads=1), [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        for _ in range(50):  # on a busy machine it may not run at all
            begin = time.perf_counter()
            parscan.sort(x, context=context)
            end = time.perf_counter()
            if sum(begin < at < end for at in list(ticks)) >= 3:
                return
        pytest.fail("no other thread ran within a call")
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork()")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_of_a_fork_go_on():
    parscan.cumsum(X)  # with threads of its own
    context = parscan.Context("cpu")
    parscan.sort(X, context=context)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            parscan.sort(X)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for total in pool.map(_sum_in_child, [context.handle] * 4):
                assert total == int(X.sum())
    finally:
        stop.set()
        thread.join()
    equal(parscan.cumsum(X), np.cumsum(X))


def _sum_in_child(_handle):
    gc.collect()
    parscan.sort(X)
    return int(parscan.cumsum(X)[-1])


def test_memory_of_an_engine():
    context = parscan.Context("cpu")
    x = context.empty((3, 5), np.float32)
    assert x.shape == (3, 5) and x.dtype == np.float32 and x.ctypes.data % 64 == 0
    x[:] = 2
    y = np.empty((3, 5), np.float32)
    context.copy(y, x)
    equal(y, np.full((3, 5), 2, np.float32))
    del context, x
    gc.collect()
    assert parscan.Context("cpu").empty(0).size == 0
    with pytest.raises(ValueError, match="bytes"):
        parscan.Context("cpu").copy(y, y[1:])
    with pytest.raises(ValueError):
        parscan.Context("cpu").copy(y[:, ::2], y[:, 1::2])
    with pytest.raises(ValueError):
        parscan.Context("cpu").empty(-1)
    with pytest.raises(TypeError):
        parscan.Context("cpu").copy(y, 3)
    view = parscan.Context("cpu").empty(100, np.int64)[10:]
    gc.collect()
    view[:] = 1
    assert view.sum() == 90


def test_no_memory_grows_with_calls():
    import resource

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def some():
        for _ in range(200):
            parscan.sort(X[:1000])
            parscan.inclusive_scan(X[:1000], initial=1)
            parscan.Chunked.inclusive_scan(np.int64).update(X[:10])
    some()
    before = peak()
    for _ in range(4):
        some()
    assert peak() - before < 4096  # KiB
