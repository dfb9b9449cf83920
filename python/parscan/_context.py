"""Contexts: engines with their threads or streams.

One thread at a time may use a context of the library. So each Python thread has contexts of its own,
one for the CPU and one for each CUDA stream, which end with the thread. A Context that the caller makes
has a lock, and may be used by any thread.

After a fork() the child uses the CPU contexts of its parent, as the library allows. It never destroys
them: another thread of the parent may have been within a call.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections import OrderedDict

import numpy as np

from ._errors import InvalidArgumentError, failure
from ._library import BACKENDS, Count, context_options, library, number_of, pointer_of, whole

_LEGACY_STREAM = 1  # cudaStreamLegacy; NULL would be a stream of the context's own
_MOST_THREADS = 2**32 - 1  # that the struct of options has room for
_MOST_STREAMS = 32  # contexts of streams that a thread keeps, by latest use


_HANDLES = "ptr", "cuda_stream", "handle"  # the attribute of a stream's object


def stream_handle(stream) -> int:
    """The cudaStream_t of an integer, or of a stream of CuPy, PyTorch, Numba or cuda.core."""
    if hasattr(stream, "__cuda_stream__"):
        pair = stream.__cuda_stream__
        stream = (pair() if callable(pair) else pair)[1]
    for name in _HANDLES:
        stream = getattr(stream, name, stream)
    stream = getattr(stream, "value", stream)  # a c_void_p
    try:
        return int(stream or 0) or _LEGACY_STREAM
    except (TypeError, ValueError):
        raise TypeError(f"stream = {stream!r} is not a CUDA stream") from None


def _owns(stream) -> bool:
    """Whether a stream may end with this object. ExternalStream, CuPy's or PyTorch's, is a handle alone."""
    return (any(hasattr(stream, name) for name in ("__cuda_stream__", *_HANDLES))
            and type(stream).__name__ != "ExternalStream")


class Held:
    """What holds an object of the library, which a copy would destroy twice."""

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")


class Context(Held):
    """An engine: the CPU with its threads, or CUDA with a stream.

    Parameters
    ----------
    backend : {"auto", "cpu", "cuda"}
        "auto" takes CUDA if there is a device, else the CPU.
    device : int
        The number of the CUDA device.
    stream : int or stream of CuPy, PyTorch, Numba or cuda.core, optional
        The CUDA stream of all calls; 0 is the legacy default stream. None: a stream of its own. The context
        keeps an object; an integer's stream must not end before the context.
    threads : int
        The most CPU threads of a call; 0: as many as there are processors.
    scratch_limit : int
        The most bytes of scratch; 0: no limit.
    resident_blocks : int
        The most blocks with which a CUDA kernel stays on the device; 0: as many as fit.
    allocator : {"cupy", "torch"} or object, optional
        Where a CUDA context gets its device memory: the pool of CuPy or PyTorch, or an object with
        ``allocate(size, stream)``, which returns an address, and ``release(pointer, size, stream)``.

    Every function of the package takes a Context as ``context=``. Within ``with context:`` it is what
    this thread's calls on arrays in host memory use. With a CUDA context such arrays are copied to
    the device and back. Threads may share a Context; their calls wait for each other.
    """

    def __init__(self, backend: str = "auto", *, device: int = 0, stream=None, threads: int = 0,
                 scratch_limit: int = 0, resident_blocks: int = 0, allocator=None):
        self.handle = None
        self.lock = threading.RLock()
        self.stream_owner = stream  # the stream must not end before the context
        self._process = os.getpid()
        device = whole(device, "device", 0, 2**31 - 1)
        self.device_number = device
        self.users: weakref.WeakSet = weakref.WeakSet()  # what close() must end first
        if backend == "cpu" and stream is not None:
            raise ValueError(f"stream = {stream!r}: the CPU has no streams")
        self._allocator = None if allocator is None else _callbacks_of(allocator)
        words = ctypes.create_string_buffer(512)
        options = context_options(
            number_of(BACKENDS, backend, "backend"), device,
            0 if stream is None else stream_handle(stream), min(whole(threads, "threads"), _MOST_THREADS),
            whole(scratch_limit, "scratch_limit"), 0, 0, 0, ctypes.addressof(words), len(words),
            min(whole(resident_blocks, "resident_blocks"), 2**32 - 1), 0,
            0 if allocator is None else self._allocator.at, 0, 0, 0)
        handle = ctypes.c_void_p()
        status = library.context_create(ctypes.addressof(handle), options)
        if status:
            raise failure(status, words.value.decode().replace(
                f"threads = {_MOST_THREADS}:", f"threads = {threads}:"))
        self.handle = handle.value
        self.on_cpu = library.backend_name(library.context_backend(self.handle)) == b"cpu"

    def call(self, function, *arguments) -> None:
        """Calls a function of the library with this context; a status other than OK is raised."""
        with self.lock:
            if self.handle is None:
                raise InvalidArgumentError("the Context is closed")
            status = function(self.handle, *arguments)
            if status:
                self.fail(status)

    def call_with(self, lengths, function, *arguments) -> None:
        """call() with lengths that stand in memory."""
        with self.lock:
            self.call(library.set_lengths, lengths)
            try:
                self.call(function, *arguments)
            except (ctypes.ArgumentError, TypeError):  # it has not been called
                self.call(library.set_lengths, None)
                raise

    is_shared = True  # by threads
    counted = False  # whether `count` is in the engine's memory

    def room_for(self, n) -> int:
        """The room of a result of at most n elements."""
        return n

    def length_of(self, _role) -> int:
        """Where a length of a call stands in memory; 0: it is the argument."""
        return 0

    @property
    def plain(self) -> Context:
        """The context itself; of a stand-in that gives calls lengths (_counted.py), that without any."""
        return self

    def create(self, function, *arguments) -> int:
        """The handle of a new object of the library that uses this context."""
        handle = ctypes.c_void_p()

        def made(context, *rest):
            return function(ctypes.addressof(handle), context, *rest)

        self.call(made, *arguments)
        return handle.value

    def call_object(self, function, user, *arguments) -> None:
        """call() for a function of an object that uses this context."""
        with self.lock:
            if user.handle is None:
                raise InvalidArgumentError(f"the {type(user).__name__} is closed")
            status = function(user.handle, *arguments)
            if status:
                self.fail(status)

    @property
    def count(self):
        """Room for a count that a call writes."""
        return Count()

    def room(self, dtype):
        """Room for an element that a call writes, in host memory on both engines, and its address."""
        element = np.empty((), dtype)
        return element, pointer_of(element)

    def fail(self, status: int) -> None:
        raise failure(status, library.context_error(self.handle).decode(errors="replace"))

    def is_usable(self, _getpid=os.getpid, _is_ending=sys.is_finalizing) -> bool:
        """Whether objects that use this context may be destroyed: not after it, nor after a fork, nor while the
        interpreter ends, when streams and allocators of other libraries are gone."""
        return self.handle is not None and self._process == _getpid() and (self.on_cpu or not _is_ending())

    def synchronize(self) -> None:
        """Waits until all calls are done; raises the first error that only the device could see."""
        self.call(library.synchronize)

    @property
    def backend(self) -> str:
        """"cpu" or "cuda"."""
        return library.backend_name(library.context_backend(self.handle)).decode()

    @property
    def device(self) -> str:
        """The CUDA device in words; "" on the CPU."""
        return library.context_device(self.handle).decode()

    @property
    def threads(self) -> int:
        """The most CPU threads of a call."""
        return library.context_threads(self.handle)

    @property
    def scratch(self) -> int:
        """The bytes of memory that the context holds for its calls."""
        return library.context_scratch(self.handle)

    def reserve(self, size: int) -> None:
        """Makes room for calls whose scratch is at most so many bytes together."""
        self.call(library.context_reserve, whole(size, "size"))

    @property
    def status_word(self) -> int:
        """The device address of the status of the first error that only the device has seen: 32 bits, 0 if there is none."""
        word = ctypes.c_void_p()
        self.call(library.context_status_word, ctypes.byref(word))
        return word.value

    @property
    def simd(self) -> str:
        """The SIMD instructions of the CPU engine: "portable", "avx2" or "avx512"."""
        return library.context_simd(self.handle).decode()

    def empty(self, shape, dtype=float):
        """An array that is not initialised, in memory of the engine.

        On the CPU it is a NumPy array aligned to 64 bytes, on CUDA a DeviceArray. Its memory is freed
        with the last reference.
        """
        from ._device import engine_array  # which needs this module
        return engine_array(self, shape, dtype)

    def copy(self, to, source) -> None:
        """Copies the bytes of ``source`` to ``to``, in host or device memory, in stream order.

        Both are contiguous arrays of the same number of bytes: NumPy's, CuPy's, PyTorch's,
        DeviceArrays.
        """
        from ._device import bytes_of
        target, size, _keep_to = bytes_of(to, writable=True)
        origin, other, _keep_source = bytes_of(source)
        if size != other:
            raise ValueError(f"to has {size} bytes, source has {other}")
        self.call(library.copy, target, origin, size)

    def __enter__(self) -> "Context":
        thread.outer.append(thread.host)
        thread.host = self
        return self

    def __exit__(self, *_):
        thread.host = thread.outer.pop()

    def close(self) -> None:
        """Frees the engine's threads and memory now. Nothing else of the context may follow."""
        with self.lock:
            for user in list(self.users):
                user.close()
            handle, self.handle = self.handle, None
            library.context_destroy(handle)

    def __del__(self, _destroy=library.context_destroy):
        if self.is_usable():
            _destroy(self.handle)
            self.handle = None

    def __repr__(self):
        if self.handle is None:
            return "<parscan.Context, closed>"
        return f"<parscan.Context {self.backend}, {self.device or f'{self.threads} threads'}>"


def _callbacks_of(allocator):
    from ._pools import Callbacks  # few programs need it
    return Callbacks(allocator)


def checked(context) -> Context:
    """A Context that a caller gave."""
    if not isinstance(context, Context):
        raise TypeError(f"context = {context!r}: it must be a parscan.Context")
    return context


class ThreadContext(Context):
    """A context that only its own thread uses: no lock."""

    count = None  # hides the property
    is_shared = False

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.count = Count()
        self._rooms: dict = {}

    def room(self, dtype):
        found = self._rooms.get(dtype)
        if found is None:
            found = self._rooms[dtype] = super().room(dtype)
        return found

    def call(self, function, *arguments) -> None:
        status = function(self.handle, *arguments)
        if status:
            self.fail(status)


class _Thread(threading.local):
    """The contexts of a thread."""

    host: Context | None = None  # what calls on host arrays use
    own: Context | None = None  # this thread's CPU context
    given: object = None  # the stream= of a call
    raw_stream: int | None = None  # its handle, in a call on arrays of no library

    def __init__(self):
        self.outer: list[Context | None] = []  # host, before each `with context:`
        self.streams: OrderedDict[tuple[int, int], Context] = OrderedDict()


thread = _Thread()


def host_context() -> Context:
    """What calls of this thread on host arrays use: that of `with context:`, else its CPU context."""
    if thread.host is not None:
        return thread.host
    if thread.own is None:
        thread.own = ThreadContext("cpu")
    thread.host = thread.own
    return thread.own


def stream_context(device: int, stream: int, owner=None) -> Context:
    """This thread's context of a CUDA stream. It keeps the object that was given as stream= for this stream, or else the
    stream's owner."""
    key = device, stream or _LEGACY_STREAM
    streams = thread.streams
    context = streams.get(key)
    if context is None:
        context = streams[key] = ThreadContext("cuda", device=device, stream=key[1])
        if len(streams) > _MOST_STREAMS:
            streams.popitem(last=False)
    else:
        streams.move_to_end(key)
    given = thread.given
    for owns in owner, given:
        if owns is not None and _owns(owns) and (owns is owner or stream_handle(owns) == key[1]):
            context.stream_owner = owns
    return context


def synchronize() -> None:
    """Waits for all calls of this thread, and raises the first error that only a device could see.

    Of a Context that you made, call ``context.synchronize()``.

    >>> parscan.synchronize()
    """
    for context in list(thread.streams.values()):
        context.synchronize()


_memory_contexts: dict[int, Context] = {}
_memory_lock = threading.Lock()


def memory_context(device: int) -> Context:
    """The context that memory of a device is taken from, for all threads."""
    with _memory_lock:
        if device not in _memory_contexts:
            _memory_contexts[device] = Context("cuda", device=device)
        return _memory_contexts[device]


