"""parscan/operator.h: operators, orders, equalities and predicates of the caller's."""

from __future__ import annotations

import ctypes
import math
import os

import numpy as np

from ._context import Context, Held, checked, host_context
from ._counted import cut
from ._errors import CapacityError, failure
from ._families import choose_counted, on_stream
from ._library import (ALGORITHMS, CODES, dtype_of, flag, library, number_of, operator_options, pointer_of, scalar, scan_options,
                       whole)

CUSTOM = 0x100  # PARSCAN_CUSTOM, the type of calls on elements of the caller's
_COMBINE, _RELATION, _PREDICATE = range(3)  # parscan_operator_kind
_USES = {"inclusive_scan": 1, "exclusive_scan": 2, "reduce": 4, "segmented_scan": 64, "segmented_reduce": 128}
_USE_PREDICATE = 8
_RELATION_USES = {"sort_by": 16, "unique_by": 32}


def _element_type(dtype, what: str = "dtype") -> np.dtype:
    """A type whose elements are plain bytes; of a shape, if an element is a row."""
    dtype = dtype_of(dtype, what)
    if dtype.hasobject or not dtype.isnative:
        raise TypeError(f"{what} = {dtype}: elements must be plain bytes in the machine's order")
    return dtype


def _address(function, what: str) -> int:
    """Where a function of C is: Numba's cfunc, a function of ctypes, an address."""
    if function is None:
        return 0
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        address = ctypes.cast(function, ctypes.c_void_p).value
    else:
        address = getattr(function, "address", function)
    if isinstance(address, (int, np.integer)) and 0 < address < 2**64:
        return int(address)
    raise TypeError(f"{what} = {function!r}: it must be a cfunc of Numba, a function of ctypes, or an address")


def _text(text, what: str):
    """A string of C; None for none."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{what} = {text!r}: it must be a str")
    if "\0" in text:
        raise ValueError(f"{what} has a zero in it")
    return ctypes.create_string_buffer(text.encode())


def element_of(value, dtype, what: str) -> np.ndarray:
    """One element in host memory, whose address is pointer_of(); whoever passes it keeps the array."""
    if dtype in CODES:
        return scalar(value, dtype, what)
    try:
        element = np.array(value, dtype.base)
        if element.shape == dtype.shape:
            return element
    except (OverflowError, TypeError, ValueError):
        pass
    raise ValueError(f"{what} = {value!r}: it is no element of {dtype}")


class _Made(Held):
    """An operator of the library. It keeps the functions, which are Python's objects."""

    handle = None

    def __init__(self, kind, dtype, functions, *, alignment=0, state=None, texts=None, identity=None, commutes=False,
                 sizes=(0, 0), cache_folder=None, compile_seconds=0.0):
        self.dtype = _element_type(dtype)
        self._kept = functions
        at = {name: _address(function, name) for name, function in functions.items()}
        texts = {**(texts or {}), "cache_folder": None if cache_folder is None else os.fspath(cache_folder)}
        texts = {name: _text(text, name) for name, text in texts.items()}
        at.update((name, 0 if text is None else ctypes.addressof(text)) for name, text in texts.items())
        neutral = None if identity is None else element_of(identity, self.dtype, "identity")
        state = np.frombuffer(np.asarray([] if state is None else state).tobytes(), np.uint8)
        words = ctypes.create_string_buffer(512)
        map_names = (f"{prefix}{name}{suffix}" for name in ("load", "store")
                     for prefix, suffix in (("", ""), ("cuda_", ""), ("cuda_", "_source")))
        options = operator_options(
            kind, 0, self.dtype.itemsize, at.get("combine", 0), at.get("relate", 0), at.get("test", 0),
            at.get("cuda_source", 0), at.get("cuda_type", 0), at.get("cuda_function", 0),
            whole(alignment, "alignment", 0, 2**31), flag(commutes, "commutes"),
            0 if neutral is None else pointer_of(neutral), pointer_of(state) if state.size else 0, state.size,
            *(at.get(name, 0) for name in map_names), *sizes, at.get("cache_folder", 0), float(compile_seconds),
            0, 0, 0, ctypes.addressof(words), len(words))
        handle = ctypes.c_void_p()
        status = library.operator_create(ctypes.addressof(handle), options)
        if status:
            raise failure(status, words.value.decode(errors="replace"))
        self.handle = handle.value

    def __del__(self, _destroy=library.operator_destroy):
        if self.handle is not None:
            _destroy(self.handle)
            self.handle = None

    def __repr__(self):
        return f"<parscan.{type(self).__name__} on {self.dtype}>"


class _Compiled(_Made):
    """What may have a text for CUDA."""

    def _prepare(self, uses, options, context):
        _context(context).call(library.operator_prepare, self.handle, uses, options)

    @property
    def log(self) -> str:
        """What the compiler said of the text when it last compiled it."""
        return library.operator_log(self.handle).decode(errors="replace")

    def save(self, context: Context | None = None) -> bytes:
        """The code that has been compiled for CUDA, which ``load()`` of an equal Operator takes."""
        context, size = _context(context), ctypes.c_size_t()
        with context.lock:
            context.call(_tells_size, self.handle, ctypes.addressof(size))
            blob = ctypes.create_string_buffer(max(size.value, 1))
            context.call(library.operator_save, self.handle, ctypes.addressof(blob), size.value, ctypes.addressof(size))
        return blob.raw[:size.value]

    def load(self, blob: bytes, context: Context | None = None) -> None:
        """Takes code of ``save()``. It is run: it must come from where the program's own code may come from."""
        code = np.frombuffer(blob, np.uint8)
        _context(context).call(library.operator_load, self.handle, pointer_of(code), code.size)


class Operator(_Compiled):
    """An associative operator of your own on elements of 1 to 64 bytes, for scans and reductions.

    It is given in place of ``op`` to ``inclusive_scan()``, ``exclusive_scan()``, ``reduce()``, their segmented sisters
    and ``reduce_by_key()``. Operands are combined in the order of the array; it need not commute.

    Parameters
    ----------
    dtype : NumPy dtype
        Of an element; structured ones too. ``np.dtype((np.float32, 2))``: an element is a row of a float32 array
        of shape (n, 2), which is the form for libraries without structured types.
    combine : cfunc of Numba, function of ctypes, or address, optional
        For the CPU: ``void combine(const void *earlier, const void *later, void *out, size_t n, const void *state)``
        stores ``out[k] = combine(earlier[k], later[k])`` for 0 <= k < n; out may be one of the inputs. Several threads
        call it at once. None: calls on the CPU are an UnsupportedError.
    identity : element, optional
        e with ``combine(e, x) == combine(x, e) == x``: an exact one. Without it an exclusive scan, and the reduction of no
        elements, need ``initial``.
    commutes : bool
        ``combine(a, b) == combine(b, a)``, but for rounding: reductions are faster.
    state : array or bytes, optional
        At most 4096 bytes, which are copied; functions get their address.
    alignment : int
        Of the elements that functions get, a power of two; 0: the largest up to 16 that divides their size.
    load : as combine, optional
        A map on the way in: ``void load(const void *in, size_t first, void *out, size_t n, const void *state)`` makes
        elements first to first + n - 1 of the call's array, whose type is in_dtype.
    store : as combine, optional
        A map on the way out: ``void store(const void *x, void *out, size_t first, size_t n, const void *state)``
        writes elements first to first + n - 1 of the result, whose type is out_dtype.
    cuda_source, cuda_type, cuda_function : str, optional
        For CUDA: a text of C++ that defines the type of an element and ``T combine(T, T, const void *state)``, marked
        ``__device__``; the name of the type; the name of the function. NVRTC compiles it at the first call.
    cuda_load, cuda_load_source, cuda_store, cuda_store_source : str, optional
        The names of the maps for CUDA, ``T load(const void *in, size_t i, const void *state)`` and ``void store(T x, void *out,
        size_t i, const void *state)``, and texts that follow cuda_source.
    cache_folder : str or path, optional
        Where compiled code is kept, for other processes too. Its files are run: nobody else may write there.
    compile_seconds : float
        The most that a compilation may take; 0: no limit.

    The Operator keeps the functions that it is given.
    """

    def __init__(self, dtype, combine=None, *, identity=None, commutes: bool = False, state=None, alignment: int = 0,
                 load=None, in_dtype=None, store=None, out_dtype=None, cuda_source: str | None = None,
                 cuda_type: str | None = None, cuda_function: str | None = None, cuda_load: str | None = None,
                 cuda_load_source: str | None = None, cuda_store: str | None = None,
                 cuda_store_source: str | None = None, cache_folder=None, compile_seconds: float = 0.0):
        for name, maps, kind in (("in_dtype", (load, cuda_load), in_dtype), ("out_dtype", (store, cuda_store), out_dtype)):
            if (maps == (None, None)) != (kind is None):
                raise ValueError(f"{name} = {kind}: it is given with a map {name.partition('_')[0]}, and only with one")
        dtype = _element_type(dtype)
        self.source = dtype if in_dtype is None else _element_type(in_dtype, "in_dtype")
        self.result = dtype if out_dtype is None else _element_type(out_dtype, "out_dtype")
        self.has_maps = in_dtype is not None or out_dtype is not None
        super().__init__(
            _COMBINE, dtype, {"combine": combine, "load": load, "store": store}, alignment=alignment, state=state,
            identity=identity, commutes=commutes, cache_folder=cache_folder, compile_seconds=compile_seconds,
            sizes=(0 if in_dtype is None else self.source.itemsize, 0 if out_dtype is None else self.result.itemsize),
            texts={"cuda_source": cuda_source, "cuda_type": cuda_type, "cuda_function": cuda_function,
                   "cuda_load": cuda_load, "cuda_load_source": cuda_load_source, "cuda_store": cuda_store,
                   "cuda_store_source": cuda_store_source})

    def prepare(self, *uses: str, algorithm: str = "auto", reverse: bool = False, context: Context | None = None) -> None:
        """Compiles for a CUDA context what calls will need: before a capture, or where time matters.

        uses: "inclusive_scan", "exclusive_scan", "reduce", "segmented_scan", "segmented_reduce". On the CPU there is nothing to do.
        """
        numbers = {number_of(_USES, use, "uses") for use in uses}
        self._prepare(sum(numbers), scan_options(0, number_of(ALGORITHMS, algorithm, "algorithm"), 0, 0, flag(reverse, "reverse"),
                                                 0, 0, 0, 0, 0), context)


class Relation(_Compiled):
    """An order of your own for ``sort_by()``, or an equality for ``unique_by()``, on elements of 1 to 64 bytes.

    Parameters
    ----------
    dtype, state, alignment, cache_folder, compile_seconds
        As for ``Operator``.
    relate : cfunc of Numba, function of ctypes, or address, optional
        For the CPU: ``void relate(const void *a, const void *b, uint8_t *flags, size_t n, const void *state)`` stores for 0 <= k < n
        whether a[k] comes before b[k], or whether they are equal: 0 or another number. Several threads call it at once.
    cuda_source, cuda_type, cuda_function : str, optional
        For CUDA: a text of C++ that defines the type of an element and ``bool relate(T a, T b, const void *state)``, marked
        ``__device__``; the name of the type; the name of the function.
    """

    def __init__(self, dtype, relate=None, *, state=None, alignment: int = 0, cuda_source: str | None = None,
                 cuda_type: str | None = None, cuda_function: str | None = None, cache_folder=None,
                 compile_seconds: float = 0.0):
        super().__init__(_RELATION, dtype, {"relate": relate}, alignment=alignment, state=state, cache_folder=cache_folder,
                         compile_seconds=compile_seconds,
                         texts={"cuda_source": cuda_source, "cuda_type": cuda_type, "cuda_function": cuda_function})

    def prepare(self, *uses: str, context: Context | None = None) -> None:
        """Compiles for a CUDA context what calls will need: before a capture, or where time matters.

        uses: "sort_by", "unique_by".
        """
        self._prepare(sum({number_of(_RELATION_USES, use, "uses") for use in uses}), None, context)


class Predicate(_Compiled):
    """A predicate of your own on elements of 1 to 64 bytes, in place of ``keep`` of ``compact_if()``, ``compact_by()``,
    ``count_if()``, ``flags_if()``, ``flatnonzero()``, ``nonzero()`` and ``partition()``.

    Parameters
    ----------
    dtype, state, alignment, cache_folder, compile_seconds
        As for ``Operator``.
    test : cfunc of Numba, function of ctypes, or address, optional
        For the CPU: ``void test(const void *x, uint8_t *flags, size_t n, const void *state)`` stores for 0 <= k < n whether
        x[k] is kept: 0 or another number. Several threads call it at once.
    cuda_source, cuda_type, cuda_function : str, optional
        For CUDA: a text of C++ that defines the type of an element and ``bool test(T x, const void *state)``, marked
        ``__device__``; the name of the type; the name of the function.
    """

    def __init__(self, dtype, test=None, *, state=None, alignment: int = 0, cuda_source: str | None = None,
                 cuda_type: str | None = None, cuda_function: str | None = None, cache_folder=None,
                 compile_seconds: float = 0.0):
        super().__init__(_PREDICATE, dtype, {"test": test}, alignment=alignment, state=state, cache_folder=cache_folder,
                         compile_seconds=compile_seconds,
                         texts={"cuda_source": cuda_source, "cuda_type": cuda_type, "cuda_function": cuda_function})

    def prepare(self, context: Context | None = None) -> None:
        """Compiles for a CUDA context what calls will need: before a capture, or where time matters."""
        self._prepare(_USE_PREDICATE, None, context)


def _context(context) -> Context:
    return host_context() if context is None else checked(context)


def _tells_size(context, operator, size) -> int:
    """operator_save() without room, for which less than the size is no error."""
    status = library.operator_save(context, operator, None, 0, size)
    return 0 if status == CapacityError.status else status


def elements(arrays, x, dtype, what="x"):
    """An array, taken; the shape of its elements; their number."""
    x = arrays.take_any(np.array(x, dtype.base) if isinstance(x, (list, tuple)) else x, what)
    shape = tuple(arrays.shape(x))
    at = len(shape) - len(dtype.shape)
    if arrays.dtype(x) != dtype.base or at < 0 or shape[at:] != dtype.shape:
        raise TypeError(f"{what} is {arrays.dtype(x)}{list(shape)}: its elements must be {dtype}")
    return x, shape[:at], math.prod(shape[:at])


def taken_elements(x, dtype, context, counted=None, room=None):
    """choose_counted(), and what elements() gives."""
    arrays, context = choose_counted(x, context, counted=counted, room=room)
    return (arrays, context, *elements(arrays, x, dtype))


def need_line(shape, what="x"):
    """That elements of this shape are a line."""
    if len(shape) != 1:
        raise ValueError(f"{what} has {len(shape)} dimensions of elements: it must have 1")


def _related(x, relation, what, context, counted=None):
    """A line of elements of a relation's type: taken_elements() without their shape, the type before the number."""
    if not isinstance(relation, Relation):
        raise TypeError(f"{what} = {relation!r}: it must be a parscan.Relation")
    arrays, context, x, shape, n = taken_elements(x, relation.dtype, context, counted=counted)
    need_line(shape)
    return arrays, context, x, relation.dtype, n


def sort_by(x, less, *, out=None, context: Context | None = None, stream=None):
    """A stable sort by an order of your own: of equal elements the earlier comes first.

    Parameters
    ----------
    x : array (n,)
        Of less's type: any of 1 to 64 bytes, structured ones too.
    less : Relation
        A strict weak order; by another relation the result is unspecified.
    out : array (n,), optional
        May be x.

    Returns
    -------
    array (n,)

    >>> import ctypes
    >>> @ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t, ctypes.c_void_p)
    ... def larger(a, b, out, n, state):  # of a before b: n flags
    ...     a, b = (np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(ctypes.c_int64)), (n,)) for p in (a, b))
    ...     np.ctypeslib.as_array(ctypes.cast(out, ctypes.POINTER(ctypes.c_uint8)), (n,))[:] = a > b
    ...
    >>> parscan.sort_by(np.array([3, 9, 5]), parscan.Relation(np.int64, larger))
    array([9, 5, 3])
    """
    if stream is not None:
        return on_stream(sort_by, locals())
    arrays, context, x, dtype, n = _related(x, less, "less", context)
    y = arrays.output(out, (n, *dtype.shape), dtype.base, x)
    context.call(library.sort_by, less.handle, arrays.pointer(x), arrays.pointer(y), n)
    return arrays.finish(y, out)


def unique_by(x, equal, *, counted: bool | None = None, context: Context | None = None, stream=None):
    """The first element of every run of neighbours that are equal by a relation of your own.

    Parameters
    ----------
    x : array (n,)
        Of equal's type.
    equal : Relation
        x[i] begins a run if it does not hold for x[i-1] and x[i].
    counted : as for ``compact_if()``

    Returns
    -------
    array (runs,)

    >>> import ctypes
    >>> @ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t, ctypes.c_void_p)
    ... def same_tens(a, b, out, n, state):
    ...     a, b = (np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(ctypes.c_int64)), (n,)) for p in (a, b))
    ...     np.ctypeslib.as_array(ctypes.cast(out, ctypes.POINTER(ctypes.c_uint8)), (n,))[:] = a // 10 == b // 10
    ...
    >>> parscan.unique_by(np.array([31, 39, 50]), parscan.Relation(np.int64, same_tens))
    array([31, 50])
    """
    if stream is not None:
        return on_stream(unique_by, locals())
    arrays, context, x, dtype, n = _related(x, equal, "equal", context, counted)
    count = context.count
    y = arrays.empty((n, *dtype.shape), dtype.base)
    context.call(library.unique_by, equal.handle, arrays.pointer(x), arrays.pointer(y), n, count.at)
    return cut(arrays, y, count)
