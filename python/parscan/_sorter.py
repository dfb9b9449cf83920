"""parscan/sorter.h: sorts more elements than memory holds."""

from __future__ import annotations

import ctypes
import os
from collections import deque
from typing import NamedTuple

import numpy as np

from ._arguments import vector
from ._bool import BOOL
from ._context import Context, Held, checked
from ._families import choose
from ._library import (COUNT, SIZE, code_of, dtype_of, flag, library, of_list, pointer_of, sorter_options, whole)

ndarray = np.ndarray
_TEXT = ctypes.c_char_p
_INDEX = np.dtype(np.uint64)
_FEW, _KEPT = 64, 1024  # keys of a push that is kept here, until there are so many: a call of the library takes longer


class Counts(NamedTuple):
    """What a Sorter has done: elements pushed, sorted runs, how often an element was merged at most,
    bytes written to files."""

    elements: int
    runs: int
    levels: int
    bytes_spilled: int


class Sorter(Held):
    """A sort of more elements than memory holds, in runs on disk.

    Parameters
    ----------
    dtype : dtype of the keys
    value_dtype : dtype, optional
        Of the values that move with the keys, at most 64 bytes, without Python objects; also of more
        dimensions, such as ``np.dtype((np.float32, (3,)))``.
    argsort : bool
        The values are the indices of the elements, uint64, in the order in which they were pushed.
    descending : bool
    memory_limit : int
        The most bytes of memory, at least 16 MiB; 0: 256 MiB.
    folders : sequence of paths
        For files, used in turn; none: "/tmp". The files have no names, so nothing stays.
    run_limit : int
        The most elements of a run; 0: as many as memory has room for.
    context : Context, optional
        Whose threads are used; None: a CPU context of its own.

    >>> import numpy as np, parscan
    >>> with parscan.Sorter(np.int32) as sorter:
    ...     sorter.push([3, 1, 7])
    ...     sorter.push([0, 4])
    ...     [keys.tolist() for keys in sorter]
    [[0, 1, 3, 4, 7]]
    """

    def __init__(self, dtype, *, value_dtype=None, argsort: bool = False, descending: bool = False,
                 memory_limit: int = 0, folders=(), run_limit: int = 0,
                 context: Context | None = None):
        self.handle = None
        self._dtype = dtype_of(dtype)
        self._values = _INDEX if argsort else None if value_dtype is None else dtype_of(value_dtype, "value_dtype")
        self._argsort = argsort = flag(argsort, "argsort")
        if argsort and value_dtype is not None:
            raise ValueError("argsort and value_dtype exclude each other")
        if self._values is not None and self._values.hasobject:
            raise TypeError(f"value_dtype = {self._values}: its elements are not plain bytes")
        try:
            if isinstance(folders, (str, bytes, os.PathLike)):
                raise TypeError
            folders = [os.fsencode(folder) for folder in folders]
        except TypeError:
            raise TypeError(f"folders = {folders!r}: it must be a sequence of paths") from None
        self._context = Context("cpu") if context is None else checked(context)
        names = (_TEXT * max(len(folders), 1))(*folders)
        options = sorter_options(
            code_of(self._dtype), flag(descending, "descending"), argsort, len(folders),
            ctypes.addressof(names) if folders else 0,
            0 if self._values is None else self._values.itemsize,
            whole(memory_limit, "memory_limit"), whole(run_limit, "run_limit"))
        self._kept: deque[bytes] = deque()  # keys that the library does not have yet: the last ones
        self._keeps = value_dtype is None and self._dtype != BOOL  # until the first pull
        self.handle = self._context.create(library.sorter_create, options)
        self._context.users.add(self)

    def push(self, keys, values=None) -> None:
        """Adds keys (n,), and values (n,) if there are any, behind those before. Not after a pull."""
        if (self._keeps and values is None and type(keys) is ndarray and keys.size <= _FEW and keys.ndim == 1
                and keys.dtype == self._dtype):
            kept = self._kept
            kept.append(keys.tobytes())  # which other threads may do, too
            if len(kept) >= _KEPT:
                with self._context.lock:
                    self._push_kept()
            return
        if isinstance(keys, (list, tuple)):
            keys = of_list(keys, self._dtype, "keys")
        arrays, context = choose(keys, self._context)
        if arrays.where != "host":
            raise TypeError("a Sorter takes arrays in host memory")
        keys = vector(arrays, context, keys, "keys")
        if arrays.dtype(keys) != self._dtype:
            raise TypeError(f"keys are {arrays.dtype(keys)}: they must be {self._dtype}")
        n = keys.size
        if (values is None) != (self._values is None or self._argsort):
            raise TypeError("values are given if and only if there is a value_dtype")
        if values is not None:
            values = arrays.take_any(values, "values")
            base = self._values.base
            if values.dtype != base or values.shape != (n, *self._values.shape):
                raise ValueError(f"values are {values.dtype}{list(values.shape)}: they must be "
                                 f"{base}{[n, *self._values.shape]}")
        with context.lock:
            self._push_kept()
            context.call_object(library.sorter_push, self, arrays.pointer(keys),
                                None if values is None else arrays.pointer(values), n)

    def _push_kept(self) -> None:
        """To the library, by who has the lock."""
        kept = [self._kept.popleft() for _ in range(len(self._kept))]
        if kept:
            keys = np.frombuffer(b"".join(kept), self._dtype)
            self._context.call_object(library.sorter_push, self, pointer_of(keys), None, keys.size)

    def pull(self, capacity: int = 1 << 20):
        """The next elements in order, at most ``capacity``; none at the end.

        Returns
        -------
        keys : array (n,), or keys and values if there are values
        """
        capacity = whole(capacity, "capacity")
        keys = np.empty(capacity, self._dtype)
        values = None if self._values is None else np.empty(capacity, self._values)
        got = SIZE(0)
        with self._context.lock:
            self._push_kept()
            self._keeps = False
            self._context.call_object(library.sorter_pull, self, pointer_of(keys),
                                      None if values is None else pointer_of(values), capacity,
                                      ctypes.addressof(got))
        if values is None:
            return keys[:got.value]
        return keys[:got.value], values[:got.value]

    def __iter__(self):
        """Pulls until the end."""
        while True:
            batch = self.pull()
            if len(batch if self._values is None else batch[0]) == 0:
                return
            yield batch

    @property
    def counts(self) -> Counts:
        """What has been done so far."""
        numbers = (COUNT * 4)()
        first = ctypes.addressof(numbers)
        with self._context.lock:
            self._push_kept()
            self._context.call_object(library.sorter_counts, self,
                                      *(first + 8 * k for k in range(4)))
        return Counts(*numbers)

    def close(self) -> None:
        """Ends the sort, at any time, and frees its memory and files."""
        self._keeps = False
        if self._context.is_usable():  # else its lock may be held for ever
            with self._context.lock:
                if self.handle is not None:
                    library.sorter_destroy(self.handle)
                self.handle = None
        self.handle = None

    def __enter__(self) -> "Sorter":
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "handle", None) is not None:
            self.close()
