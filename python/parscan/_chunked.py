"""parscan/chunked.h: primitives over arrays in chunks, larger than memory."""

from __future__ import annotations

import ctypes

import numpy as np

from ._arguments import flags_of, need_vector
from ._bool import BOOL, BYTE, well_formed
from ._chunks import End, Shape
from ._compact import by_predicate, kept
from ._context import Context, Held, checked
from ._families import choose
from ._histogram import range_of, range_options
from ._library import (CODES, COUNT, FLAGS, KEYS, OPS, UNSIGNED, allocate_options, chunk_of, chunked_end,
                       code_of, dtype_of, flag, index_type, library, of_list, pointer_of, scalar, top_k_options, whole)
from ._operator import CUSTOM, Operator, Predicate, elements, need_line
from ._scan import custom_options, options_of, plan
from ._segmented import recurrence_code


def _custom(dtype, wanted):
    """The number of a type of the caller's, which is that of an Operator or a Predicate."""
    if dtype != wanted:
        raise TypeError(f"dtype = {dtype}: the elements must be {wanted}")
    return CUSTOM


def _predicate(keep, value, upper, dtype):
    """The number of the elements' type, the predicate, and what it points to."""
    if type(keep) is Predicate:
        return _custom(dtype, keep.dtype), *by_predicate(keep, value, upper)
    return code_of(dtype), *kept(keep, value, upper, dtype)


class Chunked(Held):
    """A primitive that continues over the chunks of an array.

    Made by the class methods, which are named as the functions for whole arrays and take their options:

    >>> import numpy as np, parscan
    >>> scan = parscan.Chunked.inclusive_scan(np.int64)
    >>> scan.update([3, 1, 7, 0]), scan.update([4, 1, 6, 3])
    (array([ 3,  4, 11, 11]), array([15, 16, 22, 25]))
    >>> int(scan.finish().out)
    25

    Chunks are arrays of one dimension, in host or, with a CUDA context, in device memory. Results are
    those of one call with the whole array: to the bit, but for sums and products of floats without
    ``reproducible``. After an error the chunk was not taken, and can be given again.

    context : Context, optional
        None: a CPU context of its own.

    ``carry`` are bytes from which an object that was made with the same arguments goes on, in another
    process or on another engine.

    ``op`` may be an ``Operator``, on the CPU and not ``reproducible``, and ``keep`` of ``compact_if()``, ``flags_if()`` and
    ``flatnonzero()`` a ``Predicate``; dtype is then that of their arrays.
    """

    def __init__(self, create, shape: Shape, *arguments, context=None, keep=()):
        """For the class methods: create, its arguments behind the context, what these point to."""
        self.handle = None
        self._context = Context("cpu") if context is None else checked(context)
        self._shape = shape
        self.handle = self._context.create(create, *arguments)
        self._context.users.add(self)
        self._keep = keep  # an Operator lives as long; all else the library has copied

    # -- how they are made

    @classmethod
    def _scan(cls, create, dtype, op, out_type, initial, reproducible, context, ends_with_sum,
              *between, second=None, out=True, by_key=False):
        dtype = dtype_of(dtype)
        how = "auto", False, reproducible, 0, 0
        if type(op) is Operator:
            code, target = _custom(dtype, op.source), op.result
            options, held = custom_options(op, out_type, initial, how)
            held = op, held
        else:
            out_type = None if out_type is None else dtype_of(out_type, "out_dtype")
            code, (target, out_code, convert) = code_of(dtype), plan(dtype, op, out_type)
            if convert is not None:
                raise TypeError(f"out_dtype = {target}: there is no {op} of {dtype} to it; "
                                "convert the chunks")
            options, held = options_of(initial, target, op, out_code, how)
        codes = (code_of(second, "key_dtype"), code) if by_key else (code,)
        shape = Shape(dtype, second, target if out else None, second if by_key else None, by_key,
                       end=target if ends_with_sum else None)
        return cls(create, shape, *codes, *between, options, context=context, keep=held)

    @classmethod
    def inclusive_scan(cls, dtype, op="sum", *, out_dtype=None, initial=None,
                       reproducible: bool = False, context: Context | None = None) -> "Chunked":
        """``update(x)`` returns the chunk's part of the inclusive scan."""
        return cls._scan(library.chunked_create_inclusive_scan, dtype, op, out_dtype, initial,
                         reproducible, context, True)

    @classmethod
    def exclusive_scan(cls, dtype, op="sum", *, out_dtype=None, initial=None,
                       reproducible: bool = False, context: Context | None = None) -> "Chunked":
        """``update(x)`` returns the chunk's part of the exclusive scan."""
        return cls._scan(library.chunked_create_exclusive_scan, dtype, op, out_dtype, initial,
                         reproducible, context, True)

    @classmethod
    def reduce(cls, dtype, op="sum", *, out_dtype=None, initial=None, reproducible: bool = False,
               context: Context | None = None) -> "Chunked":
        """``update(x)`` returns None, ``finish().out`` is the result."""
        return cls._scan(library.chunked_create_reduce, dtype, op, out_dtype, initial, reproducible,
                         context, True, out=False)

    @classmethod
    def segmented_inclusive_scan(cls, dtype, op="sum", *, key_dtype=None, out_dtype=None,
                                 initial=None, context: Context | None = None) -> "Chunked":
        """``update(x, flags)``, or with key_dtype ``update(x, keys)``."""
        return cls._segmented(library.chunked_create_segmented_inclusive_scan, dtype, op, key_dtype,
                              out_dtype, initial, context)

    @classmethod
    def segmented_exclusive_scan(cls, dtype, op="sum", *, key_dtype=None, out_dtype=None,
                                 initial=None, context: Context | None = None) -> "Chunked":
        """``update(x, flags)``, or with key_dtype ``update(x, keys)``."""
        return cls._segmented(library.chunked_create_segmented_exclusive_scan, dtype, op, key_dtype,
                              out_dtype, initial, context)

    @classmethod
    def _segmented(cls, create, dtype, op, key_dtype, out_type, initial, context):
        kind, code, second = ((FLAGS, 0, FLAGS) if key_dtype is None else
                              (KEYS, code_of(key_dtype, "key_dtype"), dtype_of(key_dtype, "key_dtype")))
        return cls._scan(create, dtype, op, out_type, initial, False, context, False, kind, code,
                         second=second)

    @classmethod
    def reduce_by_key(cls, dtype, op="sum", *, key_dtype, out_dtype=None, initial=None,
                      context: Context | None = None) -> "Chunked":
        """``update(x, keys)`` returns the sums of the runs of equal keys that have ended, and their first
        keys; ``finish()`` those of the last run. The order is not that of ``parscan.reduce_by_key()``."""
        return cls._scan(library.chunked_create_reduce_by_key, dtype, op, out_dtype, initial, False, context,
                         True, second=dtype_of(key_dtype, "key_dtype"), by_key=True)

    @classmethod
    def difference(cls, dtype, op="sum", *, initial=None, context: Context | None = None) -> "Chunked":
        """``update(x)`` returns the differences of neighbours; the first one's neighbour is the last element
        of the chunk before."""
        dtype = dtype_of(dtype)
        code = code_of(dtype)
        options, held = options_of(initial, dtype, "xor" if dtype == BOOL else op, code)
        return cls(library.chunked_create_difference, Shape(dtype, out=dtype), code, options,
                   context=context, keep=held)

    @classmethod
    def recurrence(cls, dtype, x0=None, *, context: Context | None = None) -> "Chunked":
        """``update(a, b)`` returns the chunk's part of the recurrence."""
        dtype = dtype_of(dtype)
        first = None if x0 is None else scalar(x0, dtype, "x0")
        return cls(library.chunked_create_recurrence, Shape(dtype, dtype, dtype, end=dtype),
                   recurrence_code(dtype), None if first is None else pointer_of(first), context=context,
                   keep=first)

    @classmethod
    def histogram(cls, dtype, bins: int, range=None, *, count_dtype=np.int64,
                  context: Context | None = None) -> "Chunked":
        """``update(x)`` returns None, ``finish().out`` are the counts."""
        dtype, (count, code) = dtype_of(dtype), index_type(count_dtype, "count_dtype")
        bins, bounds, options = whole(bins, "bins"), None, None
        if range is not None:
            options, bounds = range_options(*range_of(range), dtype)
        return cls(library.chunked_create_histogram, Shape(dtype, end=count, end_count=bins),
                   code_of(dtype), bins, code, options, context=context, keep=bounds)

    @classmethod
    def compress(cls, dtype, *, context: Context | None = None) -> "Chunked":
        """``update(x, flags)`` returns the elements whose flag is true; of any type without Python
        objects. The order of x and flags is not that of ``parscan.compress()``."""
        dtype = dtype_of(dtype)
        return cls(library.chunked_create_compact, Shape(dtype, FLAGS, dtype, kept=True),
                   dtype.itemsize, context=context)

    @classmethod
    def compact_if(cls, dtype, keep: str = "nonzero", value=None, upper=None, *,
                   context: Context | None = None) -> "Chunked":
        """``update(x)`` returns the elements for which the comparison holds."""
        dtype = dtype_of(dtype)
        code, predicate, held = _predicate(keep, value, upper, dtype)
        return cls(library.chunked_create_compact_if, Shape(dtype, out=dtype, kept=True),
                   code, predicate, context=context, keep=held)

    @classmethod
    def flags_if(cls, dtype, keep: str = "nonzero", value=None, upper=None, *,
                 context: Context | None = None) -> "Chunked":
        """``update(x)`` returns for which elements the comparison holds, as ``parscan.flags_if()`` of each
        chunk does."""
        dtype = dtype_of(dtype)
        code, predicate, held = _predicate(keep, value, upper, dtype)
        return cls(library.chunked_create_flags_if, Shape(dtype, out=BOOL), code, predicate,
                   context=context, keep=held)

    @classmethod
    def flatnonzero(cls, dtype, keep: str = "nonzero", value=None, upper=None, *,
                    index_dtype=np.int64, context: Context | None = None) -> "Chunked":
        """``update(x)`` returns indices, which count from the first chunk."""
        dtype, (index, index_code) = dtype_of(dtype), index_type(index_dtype, "index_dtype")
        code, predicate, held = _predicate(keep, value, upper, dtype)
        return cls(library.chunked_create_compact_indices, Shape(dtype, out=index, kept=True),
                   code, predicate, index_code, context=context, keep=held)

    @classmethod
    def unique_consecutive(cls, dtype, *, context: Context | None = None) -> "Chunked":
        """``update(x)`` returns the first elements of the runs that begin in the chunk."""
        dtype = dtype_of(dtype)
        return cls(library.chunked_create_unique, Shape(dtype, out=dtype, kept=True), code_of(dtype),
                   context=context)

    @classmethod
    def unique_pairs(cls, key_dtype, value_dtype, *, context: Context | None = None) -> "Chunked":
        """``update(keys, values)`` returns the first key and its value of the runs that begin in the chunk.
        Values may be of any type without Python objects."""
        key, value = dtype_of(key_dtype, "key_dtype"), dtype_of(value_dtype, "value_dtype")
        return cls(library.chunked_create_unique_pairs, Shape(key, value, key, value, True),
                   code_of(key, "key_dtype"), value.itemsize, context=context)

    @classmethod
    def run_length_encode(cls, dtype, *, length_dtype=np.int64,
                          context: Context | None = None) -> "Chunked":
        """``update(x)`` returns values and lengths of the runs that have ended; ``finish()`` those of
        the last run."""
        dtype, (length, code) = dtype_of(dtype), index_type(length_dtype, "length_dtype")
        shape = Shape(dtype, out=dtype, out2=length, kept=True, end=dtype)
        return cls(library.chunked_create_run_length_encode, shape, code_of(dtype), code,
                   context=context)

    @classmethod
    def allocate(cls, dtype, *, alignment: int = 1, capacity: int = 0, offset_dtype=np.int64,
                 close: bool = False, context: Context | None = None) -> "Chunked":
        """``update(sizes)`` returns offsets; ``finish().total`` is the sum of the sizes, with close
        ``finish().out`` too, in the type of the offsets. Sizes of signed types are taken for unsigned
        ones. capacity=0: no limit."""
        dtype, (offset, code) = dtype_of(dtype), index_type(offset_dtype, "offset_dtype")
        code_of(dtype)
        if dtype.kind not in "biu":
            raise ValueError(f"dtype = {dtype}: sizes are integers")
        return cls(library.chunked_create_allocate, Shape(dtype, out=offset, end=offset if close else None),
                   UNSIGNED[dtype], code,
                   allocate_options(whole(alignment, "alignment"), whole(capacity, "capacity"), flag(close, "close"), 0),
                   context=context)

    @classmethod
    def _extreme(cls, op, dtype, index_dtype, context):
        dtype, (index, code) = dtype_of(dtype), index_type(index_dtype, "index_dtype")
        return cls(library.chunked_create_arg_reduce, Shape(dtype, end=dtype, end2=index), code_of(dtype),
                   OPS[op], code, context=context)

    @classmethod
    def argmin(cls, dtype, *, index_dtype=np.int64, context: Context | None = None) -> "Chunked":
        """``update(x)`` returns None, ``finish().out`` is the minimum, ``finish().out2`` its index, counted from
        the first chunk."""
        return cls._extreme("min", dtype, index_dtype, context)

    @classmethod
    def argmax(cls, dtype, *, index_dtype=np.int64, context: Context | None = None) -> "Chunked":
        """The same of the maximum."""
        return cls._extreme("max", dtype, index_dtype, context)

    @classmethod
    def top_k(cls, dtype, k: int, *, smallest: bool = False, index_dtype=np.int64,
              context: Context | None = None) -> "Chunked":
        """``update(x)`` returns None, ``finish().out`` are the k first elements or all, if they are fewer,
        ``finish().out2`` their indices, counted from the first chunk."""
        dtype, (index, code) = dtype_of(dtype), index_type(index_dtype, "index_dtype")
        k = whole(k, "k")
        return cls(library.chunked_create_top_k, Shape(dtype, end=dtype, end_count=k, end2=index),
                   code_of(dtype), k, code, top_k_options(0, 0, 0, flag(smallest, "smallest"), 0, 0, 0), context=context)

    # -- what they do

    def update(self, x, second=None):
        """Takes the next chunk, and returns what it makes: nothing, an array or two."""
        shape = self._shape
        if (second is None) != (shape.second is None):
            raise TypeError("this takes one array" if shape.second is None else
                            "this takes two arrays: elements, and flags, keys, values or b")
        arrays, context = choose(x, self._context)
        x, n = self._taken(arrays, context, x, shape.dtype, "the chunk")
        if second is not None:
            if shape.second is FLAGS:
                second = flags_of(arrays, second, "the chunk of flags")
                need_vector(second, "the chunk of flags")
                others = arrays.size(second)
            else:
                second, others = self._taken(arrays, context, second, shape.second, "the second chunk")
            if others != n:
                raise ValueError(f"the second array has {others} elements, the first {n}")
        outs = [arrays.empty((n,), dtype) for dtype in (shape.out, shape.out2) if dtype is not None]
        pointers = [arrays.pointer(out) or 0 for out in outs] + [0, 0]
        written = COUNT(0)
        chunk = chunk_of(arrays.pointer(x) or 0, 0 if second is None else arrays.pointer(second) or 0,
                         pointers[0], pointers[1], n, ctypes.addressof(written))
        context.call_object(library.chunked_update, self, chunk)
        if shape.kept:
            outs = [arrays.head(out, written.value) for out in outs]
        outs = [arrays.give(out) for out in outs]
        return tuple(outs) if len(outs) > 1 else outs[0] if outs else None

    @staticmethod
    def _taken(arrays, context, x, dtype, what):
        """An array of a chunk, of one dimension and of dtype, and its elements; bytes for bool too."""
        if dtype.shape:  # rows
            x, lines, n = elements(arrays, x, dtype, what)
            need_line(lines, what)
            return x, n
        if isinstance(x, (list, tuple)) and dtype in CODES:
            x = of_list(x, dtype, what)
        x = arrays.take_any(x, what)  # compress() has any type
        need_vector(x, what)
        found = arrays.dtype(x)
        if found != dtype and not (dtype == BOOL and found == BYTE):
            raise TypeError(f"{what} is {found}: it must be {dtype}")
        return well_formed(arrays, context, x) if dtype == BOOL else x, arrays.size(x)

    def finish(self) -> End:
        """Ends the array. Only setting ``carry`` may follow."""
        shape, written, total = self._shape, COUNT(0), COUNT(0)
        out = None if shape.end is None else np.zeros(shape.end_count or 1, shape.end)
        second = shape.out2 if shape.end2 is None else shape.end2
        out2 = None if second is None or out is None else np.zeros(shape.end_count or 1, second)
        end = chunked_end(0 if out is None else pointer_of(out), 0 if out2 is None else pointer_of(out2),
                          ctypes.addressof(written), ctypes.addressof(total))
        self._context.call_object(library.chunked_finish, self, end)
        if out2 is not None and (shape.end2 is None or shape.end_count is not None):
            out, out2 = out[:written.value], out2[:written.value]
        elif out2 is not None:
            out, out2 = out[0], out2[0]
        elif out is not None and shape.end_count is None:
            out = out[0]
        return End(out, out2, total.value)

    @property
    def carry(self) -> bytes:
        """What the next chunk must know of those before."""
        with self._context.lock:
            size = library.chunked_carry_size(self.handle)
            carry = ctypes.create_string_buffer(max(size, 1))
            self._context.call_object(library.chunked_carry_get, self, ctypes.addressof(carry), size)
        return carry.raw[:size]

    @carry.setter
    def carry(self, carry: bytes):
        try:
            if isinstance(carry, (int, np.integer, list, tuple)):  # of which bytes() makes others
                raise TypeError
            carry = bytes(carry)  # once: a bytearray may grow
        except TypeError:
            raise TypeError(f"carry is {type(carry).__name__}: it must be bytes") from None
        held = ctypes.create_string_buffer(carry, max(len(carry), 1))
        self._context.call_object(library.chunked_carry_set, self, ctypes.addressof(held), len(carry))

    def close(self) -> None:
        """Frees the object's memory now."""
        if self._context.is_usable():  # else its lock may be held for ever
            with self._context.lock:
                if self.handle is not None:
                    library.chunked_destroy(self.handle)
                self.handle = None
        self.handle = None

    def __enter__(self) -> "Chunked":
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "handle", None) is not None:
            self.close()
