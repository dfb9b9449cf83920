"""On a machine with a GPU: CuPy, PyTorch, arrays of other libraries, streams, errors that the device sees.

Skipped without a GPU; each library's tests are skipped without it:
    PYTHONPATH=python PARSCAN_LIBRARY=/path/to/libparscan.so python3 -m pytest python/tests -rs
"""

import numpy as np
import pytest

import everywhere
import everywhere_counted
import parscan
from everywhere_counted import Making, Taking

try:
    CONTEXT = parscan.Context("cuda")
except parscan.Error as error:
    pytest.skip(f"no CUDA: {error}", allow_module_level=True)

try:
    import cupy
except ImportError:
    cupy = None
try:
    import torch
    torch = torch if torch.cuda.is_available() else None
except ImportError:
    torch = None
needs_cupy = pytest.mark.skipif(cupy is None, reason="no CuPy")
needs_torch = pytest.mark.skipif(torch is None, reason="no PyTorch with CUDA")


class Raw:
    """An array of an unknown library."""

    def __init__(self, array):
        self.held = CONTEXT.empty(array.shape, array.dtype)
        CONTEXT.copy(self.held, np.ascontiguousarray(array))
        CONTEXT.synchronize()

    @property
    def __cuda_array_interface__(self):
        return self.held.__cuda_array_interface__


def raw_back(array):
    parscan.synchronize()
    return (array.held if isinstance(array, Raw) else array).numpy()


def test_the_context_says_what_it_is():
    assert CONTEXT.backend == "cuda" and CONTEXT.device and CONTEXT.device in repr(CONTEXT)


def spread(text="{min(a.low, b.low), max(a.high, b.high)}"):
    """The least and the greatest of pairs, as rows of int32."""
    return parscan.Operator(
        np.dtype((np.int32, 2)), identity=(2**31 - 1, -2**31), commutes=True, cuda_type="range", cuda_function="both",
        cuda_source="struct range { int low, high; };\n"
                    f"__device__ range both(range a, range b, const void *state)\n{{ return range{text}; }}\n")


def test_an_operator_of_a_text():
    op, x = spread(), np.repeat(np.random.default_rng(3).integers(-10**6, 10**6, 5000).astype(np.int32), 2).reshape(5000, 2)
    try:
        op.prepare("inclusive_scan", "exclusive_scan", "reduce", context=CONTEXT)
    except parscan.UnsupportedError as error:
        pytest.skip(str(error))  # no NVRTC
    expected = np.stack([np.minimum.accumulate(x[:, 0]), np.maximum.accumulate(x[:, 1])], 1)
    np.testing.assert_array_equal(parscan.inclusive_scan(Raw(x), op).numpy(), expected)
    np.testing.assert_array_equal(parscan.exclusive_scan(Raw(x), op).numpy()[1:], expected[:-1])
    other = spread()
    other.load(op.save(CONTEXT), CONTEXT)
    with CONTEXT:  # arrays in host memory
        np.testing.assert_array_equal(parscan.inclusive_scan(x, other), expected)
        np.testing.assert_array_equal(parscan.reduce(x, other), expected[-1])
        np.testing.assert_array_equal(parscan.reduce(x, other, reproducible=True), expected[-1])
    wrong = spread("(a.low, nothing)")
    with pytest.raises(parscan.InvalidArgumentError, match=r"operator\(3\): error"):
        parscan.reduce(Raw(x), wrong)
    assert "nothing" in wrong.log
    with pytest.raises(parscan.InvalidArgumentError):
        other.load(b"nothing", CONTEXT)


def test_a_predicate_of_a_text():
    below = parscan.Predicate(
        np.dtype((np.int32, 2)), state=np.int32(9), cuda_type="range", cuda_function="below",
        cuda_source="struct range { int low, high; };\n"
                    "__device__ bool below(range x, const void *state) { return x.low < *(const int *)state; }\n")
    try:
        below.prepare(CONTEXT)
    except parscan.UnsupportedError as error:
        pytest.skip(str(error))  # no NVRTC
    x = np.random.default_rng(3).integers(0, 50, (5000, 2)).astype(np.int32)
    kept = x[:, 0] < 9
    np.testing.assert_array_equal(parscan.compact_if(Raw(x), below).numpy(), x[kept])
    np.testing.assert_array_equal(parscan.flags_if(Raw(x), below).numpy(), kept)
    assert parscan.count_if(Raw(x), below) == kept.sum()
    with CONTEXT:  # arrays in host memory
        parts, length = parscan.partition(x, below)
    assert length == kept.sum()
    np.testing.assert_array_equal(parts, np.concatenate([x[kept], x[~kept]]))


@pytest.mark.parametrize("case", everywhere.CASES)
def test_raw_arrays(case):
    everywhere.check(case, Raw, raw_back)


counted_cases = pytest.mark.parametrize("kind, case", [
    (kind, case) for kind in (Taking, Making) for case in everywhere.CASES + everywhere.COMPOSED])


@counted_cases
def test_counted_raw_arrays(kind, case):
    if case in everywhere.COMPOSED:
        pytest.skip("not of raw arrays")
    write = lambda array, x: CONTEXT.copy(array, x)  # noqa: E731
    everywhere_counted.check(case, kind(Raw, raw_back, (Raw, parscan.DeviceArray), write))


@counted_cases
def test_counted_arrays_of_numpys_on_the_device(kind, case):
    with CONTEXT:
        everywhere_counted.check(case, kind(lambda x: x, np.asarray, np.ndarray))


def test_a_length_beyond_the_room_is_told_later():
    x = parscan.Counted(Raw(np.arange(10)), Raw(np.array(11)))
    for call in parscan.cumsum, parscan.sort:
        with pytest.raises(parscan.CapacityError, match="11"):
            call(x)
            parscan.synchronize()
        parscan.synchronize()  # said once
    with pytest.raises(parscan.CapacityError, match="4"):
        parscan.expand(Raw(np.array([2, 2])), room=3)[0].result()
    parscan.synchronize()


def test_less_room_than_elements():
    for on in Raw, lambda x: x:
        x, few = on(everywhere.I), everywhere.I[everywhere.I < 3]
        with CONTEXT:
            kept = parscan.compact_if(x, "<", 3, room=len(few))
            np.testing.assert_array_equal(kept.numpy(), few)
            np.testing.assert_array_equal(parscan.flatnonzero(x, "<", 3, room=2000).numpy(), np.flatnonzero(everywhere.I < 3))
            with pytest.raises(parscan.CapacityError, match=str(len(few))):
                parscan.compact_if(x, "<", 3, room=len(few) - 1).result()
            with pytest.raises(parscan.CapacityError, match=str(len(everywhere.RUNS))):
                parscan.run_length_encode(x, room=9)[0].result()


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
def test_numpys_arrays_on_the_device(case):
    with CONTEXT:
        everywhere.check(case, lambda x: x, np.asarray)


def test_device_arrays_come_back():
    x = CONTEXT.empty((2, 3), np.int16)
    CONTEXT.copy(x, np.arange(6, dtype=np.int16))
    np.testing.assert_array_equal(x.numpy(), np.arange(6).reshape(2, 3))
    y = np.zeros((2, 3), np.int16)
    CONTEXT.copy(y, x)
    CONTEXT.synchronize()
    np.testing.assert_array_equal(y, np.arange(6).reshape(2, 3))


def test_chunks_on_the_device():
    x = np.random.default_rng(5).integers(0, 9, 100_000)
    scan = parscan.Chunked.inclusive_scan(np.int64, context=CONTEXT)
    parts = [scan.update(part) for part in np.array_split(x, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), np.cumsum(x))
    assert scan.finish().out == x.sum()


def test_runs_in_chunks_on_the_device():
    keys = np.sort(np.random.default_rng(5).integers(0, 900, 100_000).astype(np.int32))
    x = np.arange(keys.size, dtype=np.int64)
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    sums = parscan.Chunked.reduce_by_key(np.int64, key_dtype=np.int32, context=CONTEXT)
    pairs = parscan.Chunked.unique_pairs(np.int32, np.int64, context=CONTEXT)
    steps = parscan.Chunked.difference(np.int64, initial=7, context=CONTEXT)
    parts = []
    for k, a in zip(np.array_split(keys, 7), np.array_split(x, 7)):
        a, k = Raw(a), Raw(k)
        parts.append([raw_back(y) for y in (*sums.update(a, k), *pairs.update(k, a), steps.update(a))])
    end = sums.finish()
    got = [np.concatenate(part) for part in zip(*parts)]
    np.testing.assert_array_equal(np.append(got[0], end.out), np.add.reduceat(x, starts))
    np.testing.assert_array_equal(np.append(got[1], end.out2), keys[starts])
    np.testing.assert_array_equal(got[2], keys[starts])
    np.testing.assert_array_equal(got[3], x[starts])
    np.testing.assert_array_equal(got[4], np.diff(x, prepend=7))


def test_a_cpu_context_refuses_device_arrays():
    with pytest.raises(parscan.InvalidArgumentError):
        parscan.cumsum(CONTEXT.empty(10, np.int64), context=parscan.Context("cpu"))


def test_errors_that_only_the_device_sees_come_later():
    x, offsets = Raw(np.arange(10)), Raw(np.array([0, 7, 3, 10]))
    with pytest.raises(parscan.InvalidArgumentError):
        parscan.segmented_inclusive_scan(x, offsets=offsets)
        parscan.synchronize()
    parscan.synchronize()  # said once


@needs_cupy
@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
def test_cupy(case):
    everywhere.check(case, cupy.asarray, cupy.asnumpy, cupy.ndarray)


@needs_cupy
@counted_cases
def test_counted_cupy(kind, case):
    write = lambda array, x: array.__setitem__(..., cupy.asarray(x))  # noqa: E731
    everywhere_counted.check(case, kind(cupy.asarray, cupy.asnumpy, cupy.ndarray, write))


@needs_cupy
def test_cupy_on_streams():
    x = cupy.random.randint(0, 100, 10_000_000)
    expected = cupy.cumsum(x)
    cupy.cuda.Device().synchronize()
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
        with stream:
            y = cupy.zeros_like(x)
            y += x  # ordered before the scan by the stream alone
            result = parscan.cumsum(y)
            same = cupy.array_equal(result, expected)
        stream.synchronize()
        assert bool(same)
        given = parscan.cumsum(x, stream=stream)
        stream.synchronize()
        assert bool(cupy.array_equal(given, expected))


@needs_cupy
def test_cupy_beside_its_own_functions():
    x = cupy.random.standard_normal(1_000_003).astype(cupy.float32)
    assert bool((parscan.sort(x) == cupy.sort(x)).all())
    assert bool((x[parscan.argsort(x)] == cupy.sort(x)).all())
    i = cupy.random.randint(0, 1000, 1_000_003)
    for mine, theirs in zip(parscan.unique(i, return_counts=True), cupy.unique(i, return_counts=True)):
        assert bool((mine == theirs).all())
    assert bool((parscan.bincount(i) == cupy.bincount(i)).all())
    cupy.testing.assert_allclose(parscan.reduce(x), x.sum(), rtol=1e-3, atol=1)


@needs_cupy
def test_a_graph_of_cupys_replays():
    stream = cupy.cuda.Stream(non_blocking=True)
    x, out = cupy.arange(1_000_000), cupy.zeros(1_000_000, int)
    with stream:
        parscan.cumsum(x, out=out)  # makes the context and its scratch
        stream.synchronize()
        stream.begin_capture()
        parscan.cumsum(x, out=out)
        graph = stream.end_capture()
        x += 1
        graph.launch(stream)
        stream.synchronize()
    assert bool((out == cupy.cumsum(x)).all())


def groups(x):
    """A sequence without the host, and all of its arrays."""
    kept = parscan.compact_if(x, ">", 3, counted=True)
    ordered = parscan.sort(kept)
    values, lengths = parscan.run_length_encode(ordered)
    offsets, total = parscan.allocate(lengths, close=True)
    sums = parscan.segmented_reduce(ordered, offsets=offsets)
    owner, rank = parscan.expand(lengths, room=x.room)
    return kept, ordered, values, lengths, offsets, total, sums, owner, rank


def expect_groups(arrays, x):
    kept, ordered, values, lengths, offsets, total, sums, owner, rank = arrays
    few = x[x > 3]
    want, counts = np.unique(few, return_counts=True)
    ends = np.append(0, np.cumsum(counts))
    for got, expected in ((kept, few), (ordered, np.sort(few)), (values, want), (lengths, counts), (offsets, ends),
                          (sums, want * counts), (owner, np.repeat(np.arange(len(want)), counts)),
                          (rank, np.arange(len(few)) - np.repeat(ends[:-1], counts))):
        np.testing.assert_array_equal(got.numpy(), expected)
    assert int(total) == len(few)


LENGTHS = [0, 1, 31, 1024, 4095, 4096, 4097, 65537, 199_999, 200_000]


@needs_cupy
def test_a_graph_of_counted_arrays_of_cupys_replays():
    room, lines = cupy.random.randint(0, 1000, 200_000), cupy.full((), 200_000, cupy.int64)
    x, stream = parscan.Counted(room, lines), cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        warm = groups(x)  # makes the context and its scratch
        stream.synchronize()
        expect_groups(warm, cupy.asnumpy(room))
        del warm  # whose memory the pool gives to what is captured
        stream.begin_capture()
        arrays = groups(x)
        graph = stream.end_capture()
        for n in LENGTHS:
            lines.fill(n)
            graph.launch(stream)
            stream.synchronize()
            expect_groups(arrays, cupy.asnumpy(room[:n]))


@needs_torch
def test_a_graph_of_counted_tensors_replays():
    room = torch.randint(0, 1000, (200_000,), device="cuda")
    lines = torch.full((), 200_000, dtype=torch.int64, device="cuda")
    x, stream, graph = parscan.Counted(room, lines), torch.cuda.Stream(), torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        expect_groups(groups(x), room.cpu().numpy())
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        arrays = groups(x)
    for n in LENGTHS:
        lines.fill_(n)
        graph.replay()
        expect_groups(arrays, room[:n].cpu().numpy())


@needs_torch
@counted_cases
def test_counted_torch(kind, case):
    write = lambda array, x: array.copy_(torch.as_tensor(x))  # noqa: E731
    everywhere_counted.check(case, kind(lambda x: torch.as_tensor(x).cuda(), lambda x: x.cpu().numpy(), torch.Tensor, write))


@needs_torch
@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
def test_torch(case):
    everywhere.check(case, lambda x: torch.as_tensor(x).cuda(), lambda x: x.cpu().numpy(), torch.Tensor)


@needs_torch
def test_torch_on_streams():
    x = torch.randint(0, 100, (10_000_000,), device="cuda")
    expected = torch.cumsum(x, 0)
    torch.cuda.synchronize()
    for stream in (torch.cuda.Stream(), torch.cuda.default_stream()):
        with torch.cuda.stream(stream):
            y = torch.zeros_like(x)
            y += x
            result = parscan.cumsum(y)
            same = (result == expected).all()
        stream.synchronize()  # bool() waits for the current stream alone
        assert bool(same)
        given = parscan.cumsum(x, stream=stream)
        stream.synchronize()
        assert bool((given == expected).all())


@needs_torch
def test_torch_beside_its_own_functions():
    x = torch.randn(1_000_003, device="cuda")
    assert bool((parscan.sort(x) == torch.sort(x).values).all())
    assert bool((parscan.argsort(x) == torch.argsort(x, stable=True)).all())
    i = torch.randint(0, 1000, (1_000_003,), device="cuda")
    for mine, theirs in zip(parscan.unique(i, return_inverse=True, return_counts=True),
                            torch.unique(i, return_inverse=True, return_counts=True)):
        assert bool((mine == theirs).all())
    out = torch.empty_like(i)
    assert parscan.cumsum(i, out=out) is out and bool((out == torch.cumsum(i, 0)).all())


@needs_torch
def test_torch_takes_device_arrays():
    x = CONTEXT.empty(5, np.int32)
    CONTEXT.copy(x, np.arange(5, dtype=np.int32))
    CONTEXT.synchronize()
    assert torch.as_tensor(x, device="cuda").tolist() == [0, 1, 2, 3, 4]


def sorts_in(context):
    """Whether a sort of a host array, which needs scratch and copies, is right on this context."""
    x = np.random.default_rng(5).integers(0, 1 << 60, 1_000_003)
    return np.array_equal(parscan.sort(x, context=context), np.sort(x))


@needs_torch
def test_memory_of_torch():
    before = torch.cuda.memory_allocated()
    with parscan.Context("cuda", allocator="torch") as context:
        assert sorts_in(context)
        assert torch.cuda.memory_allocated() - before >= context.scratch > 8_000_000
    context.close()
    assert torch.cuda.memory_allocated() == before


@needs_cupy
def test_memory_of_cupy():
    pool = cupy.get_default_memory_pool()
    before = pool.used_bytes()
    with parscan.Context("cuda", allocator="cupy") as context:
        assert sorts_in(context)
        assert pool.used_bytes() - before >= context.scratch > 8_000_000
    context.close()
    assert pool.used_bytes() == before


def test_an_allocator_that_fails_is_no_memory():
    class Nothing:
        def allocate(self, size, stream):
            raise RuntimeError("no")

        def release(self, pointer, size, stream):
            raise AssertionError

    context = parscan.Context("cuda", allocator=Nothing())
    with pytest.raises(parscan.OutOfMemoryError):
        parscan.sort(np.arange(100_000), context=context)


def test_reserved_memory_is_enough():
    first, second = parscan.Context("cuda"), parscan.Context("cuda")
    assert sorts_in(first)
    second.reserve(first.scratch)
    assert second.scratch >= first.scratch
