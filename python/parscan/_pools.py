"""Device memory of contexts from the pools of CuPy and PyTorch."""

from __future__ import annotations

import ctypes
import operator

from ._library import device_allocator

_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)


class CupyPool:
    """The memory that cupy.cuda.set_allocator() has set: its default pool."""

    def __init__(self):
        import cupy
        self._cuda, self._held = cupy.cuda, {}

    def allocate(self, size: int, stream: int) -> int:
        with self._cuda.ExternalStream(stream):
            memory = self._cuda.alloc(size)
        self._held[memory.ptr] = memory
        return memory.ptr

    def release(self, pointer: int, _size: int, _stream: int) -> None:
        del self._held[pointer]  # the pool gives it to work on the stream of allocate() alone


class TorchPool:
    """PyTorch's caching allocator."""

    def __init__(self):
        import torch
        self._cuda = torch.cuda

    def allocate(self, size: int, stream: int) -> int:
        return self._cuda.caching_allocator_alloc(size, stream=stream)

    def release(self, pointer: int, _size: int, _stream: int) -> None:
        self._cuda.caching_allocator_delete(pointer)


_POOLS = {"cupy": CupyPool, "torch": TorchPool}


class Callbacks:
    """The functions of a pool as C calls them. What they raise is no memory to C; `failure` keeps it."""

    def __init__(self, pool):
        if isinstance(pool, str):
            if pool not in _POOLS:
                raise ValueError(f"allocator = {pool!r}: it must be one of {', '.join(_POOLS)}, or an object")
            pool = _POOLS[pool]()
        if not callable(getattr(pool, "allocate", None)) or not callable(getattr(pool, "release", None)):
            raise TypeError(f"allocator = {pool!r}: it must have allocate(size, stream) and "
                            "release(pointer, size, stream)")
        self.failure = None

        def allocate(size, stream, _user):
            try:
                return operator.index(pool.allocate(size, stream or 0))
            except Exception as failure:
                self.failure = failure
                return 0

        def release(pointer, size, stream, _user):
            try:
                pool.release(pointer, size, stream or 0)
            except Exception as failure:
                self.failure = failure

        self._functions = _ALLOCATE(allocate), _RELEASE(release)
        address = [ctypes.cast(function, ctypes.c_void_p).value for function in self._functions]
        self._struct = ctypes.create_string_buffer(device_allocator(*address, 0))
        self.at = ctypes.addressof(self._struct)
