"""libparscan by ctypes: where it is, its functions, its structs, and its own names.

The library is the one inside the wheel, else the file that PARSCAN_LIBRARY names, else the system's. ctypes
releases the GIL during each call.
"""

import ctypes
import functools
import operator
import os
import struct
import sys
from pathlib import Path

import numpy as np

from ._bfloat16 import BFLOAT16, BITS, cast, is_bfloat16, name_of
from ._nulls import as_array, refuse_masked

POINTER, SIZE, INT, COUNT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint64
TEXT = ctypes.c_char_p


def _find() -> str:
    inside = Path(__file__).with_name("libparscan" + (".dylib" if sys.platform == "darwin" else ".so"))
    if inside.exists():
        return str(inside)
    named = os.environ.get("PARSCAN_LIBRARY")
    if named:
        return named
    system = "libparscan.0.dylib" if sys.platform == "darwin" else "libparscan.so.0"
    with_python = Path(sys.prefix, "lib", system)  # of a conda environment
    if with_python.exists():
        return str(with_python)
    try:
        ctypes.CDLL(system)
    except OSError as error:
        raise ImportError(f"there is no {inside} (the wheel has it), PARSCAN_LIBRARY does not name a libparscan.so, "
                          f"and the system has none: {error}") from None
    return system


def _packer(fields):
    """A function that packs a struct of options: struct_size, then fields in the letters of Python's
    struct (N size_t, i int, I unsigned, P pointer, Q uint64_t), aligned as C aligns them."""
    layout = struct.Struct("@N" + fields)
    return functools.partial(layout.pack, layout.size)


# The fields are in the headers; a NULL is 0. What is packed is passed as it is, and lives as long.
context_options = _packer("iiPINPPPPNIIPiiP")
device_allocator = _packer("PPP")  # allocate, release, user
# op, algorithm, out_type, init, reverse, reproducible, block shape, shape, custom
scan_options = _packer("iiiPiiIIPP")
# kind, reserved, element_size, combine, relate, text for CUDA (3), alignment, commutes, identity, state and its size,
# maps (6) and their sizes, cache_folder, compile_seconds, allocator, error and its size, test
operator_options = _packer("iINPPPPPPIiPPNPPPPPPNNPdPPPPN")
shape_of = _packer("NNPP")  # outer, inner, in_strides, out_strides
segments_of = _packer("iiPN")  # kind, type, data, count
arg_reduce_options = _packer("PPPP")  # segments, count, shape, indices_out_strides
top_k_options = _packer("PPPiIPP")  # segments, count, counts, smallest, reserved, shape, indices_out_strides
column_of = _packer("iiPN")  # type, descending, data, width
sort_columns_options = _packer("PNPP")  # heads_out, value_size, values_in, values_out
sort_options = _packer("iIIIPPP")  # descending, begin_bit, end_bit, reserved, shape, strides of values
predicate_of = _packer("iPPP")  # comparison, value, upper, custom
histogram_options = _packer("PP")  # lower, upper
allocate_options = _packer("QQiI")  # alignment, capacity, close, reserved
scatter_options = _packer("iI")  # last_wins, reserved
recurrence_options = _packer("iIP")  # constant_a, reserved, shape
lengths_of = _packer("PPQP")  # n, n2, out_capacity, segment_count
chunk_of = _packer("PPPPNP")  # in, in2, out, out2, n, written
chunked_end = _packer("PPPP")  # out, out2, written, total
sorter_options = _packer("iiiIPNNN")  # key_type, descending, argsort, folders, value_size, limits
_POINTER_BYTES = struct.calcsize("@P")
FLAGS, OFFSETS, KEYS, ROWS = range(4)  # PARSCAN_SEGMENTS_FLAGS and the others, kinds of segments_of()


def with_shape(options: bytes, outer: int, inner: int, behind: int = 0):
    """Options of a call along an axis, with so many pointers behind the shape, and what they point to."""
    shape = ctypes.create_string_buffer(shape_of(outer, inner, 0, 0))
    at = len(options) - (behind + 1) * _POINTER_BYTES
    return options[:at] + struct.pack("@P", ctypes.addressof(shape)) + options[at + _POINTER_BYTES:], shape


class Number:
    """An argument of type int: what a Python int is for ctypes. c_int's own from_param() takes longer."""

    from_param = operator.index


class Count(COUNT):
    """Room for a count that a call writes at its address `at`."""

    def __init__(self):
        self.at = ctypes.addressof(self)


# What each function takes, as letters: p pointer, s size_t, i int or enum, u uint64_t. A size_t is
# passed as a pointer is, which ctypes converts in a third of the time.
_LETTERS = {"p": POINTER, "s": POINTER, "i": Number, "u": COUNT}
_CALLS = {
    "context_create": "pp", "synchronize": "p", "context_reserve": "ps", "context_set_stream": "pp", "context_status_word": "pp", "set_lengths": "pp",
    "operator_create": "pp", "operator_prepare": "ppip", "operator_save": "pppsp", "operator_load": "ppps", "sort_by": "pppps", "unique_by": "ppppsp",
    "malloc": "pps", "free": "pp", "copy": "ppps",
    "inclusive_scan": "pippsp", "exclusive_scan": "pippsp", "reduce": "pippsp", "difference": "pippsp",
    "segmented_inclusive_scan": "pippspp", "segmented_exclusive_scan": "pippspp",
    "segmented_reduce": "pippsppp", "reduce_by_key": "pippippspp", "recurrence": "pipppps", "recurrence_with": "pippppsp",
    "arg_reduce": "pipsipipp", "top_k": "pipsspipp",
    "lower_bound": "pipspsip", "upper_bound": "pipspsip",
    "sort_keys": "pippsp", "sort_pairs": "pippsppsp", "argsort": "pipipsp",
    "sort_segments": "pippsppspp", "sort_columns": "ppsips",
    "sort_columns_with": "ppsipsp", "merge": "pipspspsppp",
    "join": "piipspsippup", "set_union": "pipspspup", "set_intersection": "pipspspup",
    "set_difference": "pipspspup", "set_symmetric_difference": "pipspspup",
    "compact": "pspppsp", "compact_by": "pspipppsp", "compact_with_indices": "pipppipsp", "flags_if": "pippps",
    "compact_if": "pipppsp", "compact_indices": "pippipsp",
    "partition": "pipppsp", "unique": "pippsp", "unique_pairs": "pippsppsp", "run_length_encode": "pippipsp",
    "dense_to_csr": "pipssipppp",
    "histogram": "pipssipp", "bin": "pipspssipp",
    "allocate": "pipsippp", "expand": "pipsippup", "pack": "ppipippps", "run_length_decode": "pspipspup",
    "gather": "pspsipps", "scatter": "pspsippsp",
    "chunked_create_inclusive_scan": "ppip", "chunked_create_exclusive_scan": "ppip",
    "chunked_create_reduce": "ppip", "chunked_create_segmented_inclusive_scan": "ppiiip",
    "chunked_create_segmented_exclusive_scan": "ppiiip", "chunked_create_recurrence": "ppip",
    "chunked_create_histogram": "ppisip", "chunked_create_compact": "pps",
    "chunked_create_compact_if": "ppip", "chunked_create_compact_indices": "ppipi",
    "chunked_create_unique": "ppi", "chunked_create_run_length_encode": "ppii",
    "chunked_create_reduce_by_key": "ppiip", "chunked_create_unique_pairs": "ppis",
    "chunked_create_flags_if": "ppip", "chunked_create_difference": "ppip",
    "chunked_create_allocate": "ppiip", "chunked_create_arg_reduce": "ppiii", "chunked_create_top_k": "ppisip",
    "chunked_update": "pp", "chunked_finish": "pp",
    "chunked_carry_get": "pps", "chunked_carry_set": "pps",
    "sorter_create": "ppp", "sorter_push": "ppps", "sorter_pull": "pppsp", "sorter_counts": "ppppp",
}
# Those that return no status.
_OTHERS = {
    "operator_destroy": ("p", None), "operator_log": ("p", TEXT),
    "context_destroy": ("p", None), "context_backend": ("p", INT), "context_device": ("p", TEXT),
    "context_threads": ("p", ctypes.c_uint), "context_scratch": ("p", SIZE), "context_simd": ("p", TEXT), "context_error": ("p", TEXT),
    "chunked_destroy": ("p", None), "chunked_carry_size": ("p", SIZE), "sorter_destroy": ("p", None),
    "type_name": ("i", TEXT), "op_name": ("i", TEXT), "algorithm_name": ("i", TEXT),
    "backend_name": ("i", TEXT), "status_string": ("i", TEXT), "type_size": ("i", SIZE),
    "version": ("", TEXT),
}


class Library:
    """The functions, by their names without ``parscan_``."""

    def __init__(self, path: str):
        self.path = path
        try:
            shared = ctypes.CDLL(path)
            for name, letters in _CALLS.items():
                self._declare(shared, name, letters, INT)
            for name, (letters, result) in _OTHERS.items():
                self._declare(shared, name, letters, result)
        except (OSError, AttributeError) as error:
            raise ImportError(f"{path} is not a libparscan of this version: {error}") from error

    def _declare(self, shared, name, letters, result):
        function = getattr(shared, "parscan_" + name)
        function.argtypes = [_LETTERS[letter] for letter in letters]
        function.restype = result
        setattr(self, name, function)

    def __getattr__(self, name):  # for type checkers: the functions are set by _declare()
        raise AttributeError(name)


library = Library(_find())

HIGHEST = 64  # numbers of the enums are below it


def _named(name_of) -> dict:
    """Name -> number, as the library has them."""
    names = {number: name_of(number) for number in range(HIGHEST)}
    return {name.decode(): number for number, name in names.items() if name is not None}


OPS = _named(library.op_name)
ALGORITHMS = _named(library.algorithm_name)
BACKENDS = _named(library.backend_name)
# The element types that NumPy has: "u8" of the library is NumPy's "u1". bool is a byte for the library,
# whose values _bool.py maps: DTYPES are the types that need no mapping.
_TYPES = _named(library.type_name)
_BFLOAT16_CODE = _TYPES.pop("bf16")
DTYPES = {**{np.dtype(f"{name[0]}{int(name[1:]) // 8}"): number for name, number in _TYPES.items()},
          BFLOAT16: _BFLOAT16_CODE}
CODES = {**DTYPES, np.dtype(bool): DTYPES[np.dtype(np.uint8)], BITS: _BFLOAT16_CODE}
KNOWN = f"parscan has bool and {', '.join(name_of(known) for known in DTYPES)}"

INDEX_TYPES = tuple(np.dtype(name) for name in ("int64", "uint64", "int32", "uint32"))

# What NumPy's ufuncs are called here.
for _ufunc, _name in ((np.add, "sum"), (np.multiply, "product"), (np.minimum, "min"),
                      (np.maximum, "max"), (np.bitwise_and, "and"), (np.bitwise_or, "or"),
                      (np.bitwise_xor, "xor")):
    OPS[_ufunc] = OPS[_name]


def number_of(table: dict, name, what: str) -> int:
    """The library's number of a name; ValueError, with all names, for an unknown one."""
    try:
        return table[name]
    except (KeyError, TypeError):
        known = ", ".join(key for key in table if isinstance(key, str))
        raise ValueError(f"{what} = {name!r}: it must be one of {known}") from None


def dtype_of(dtype, what: str = "dtype") -> np.dtype:
    """NumPy's dtype by what callers name it; TypeError for what names none."""
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        raise TypeError(f"{what} = {dtype!r}: it must name a type of elements") from None


def code_of(dtype, what: str = "dtype") -> int:
    """The library's number of an element type; TypeError for those that it does not have."""
    dtype = dtype_of(dtype, what)
    try:
        return CODES[dtype]
    except KeyError:
        raise TypeError(f"{what} = {dtype}: {KNOWN}") from None


# The number of the unsigned type of the same size, for integers.
UNSIGNED = {dtype: CODES[np.dtype(f"u{dtype.itemsize}")] for dtype in CODES if dtype.kind in "biu"}


_index_types: dict = {}  # by what NumPy takes for a dtype


def index_type(name, what: str = "dtype"):
    """A type of indices, checked, and the library's number of it."""
    try:
        return _index_types[name]
    except (KeyError, TypeError):  # no hash
        dtype = dtype_of(name, what)
    if dtype not in INDEX_TYPES:
        raise TypeError(f"{what} = {dtype}: it must be one of {', '.join(map(str, INDEX_TYPES))}")
    if name.__hash__ is not None:
        _index_types[name] = dtype, UNSIGNED[dtype]
    return dtype, UNSIGNED[dtype]


def check_index(dtype, n):
    """That n elements have indices of the type."""
    if n > 2**31 and dtype == INDEX_TYPES[2]:
        raise ValueError(f"{n} elements have indices beyond int32")


def remembered(function):
    """lru_cache() of options as callers give them; what has no hash is looked at each time."""
    kept = functools.lru_cache(maxsize=256, typed=True)(function)

    @functools.wraps(function)
    def call(*arguments):
        try:
            return kept(*arguments)
        except TypeError:  # no hash; else it is raised again
            pass
        return function(*arguments)

    call.cache_clear = kept.cache_clear  # type: ignore[attr-defined]
    return call


def constant(value, what: str):
    """A scalar that a cache may keep: not an array or a list of one element, which can change."""
    if value is None or isinstance(value, (int, float)):
        return value
    refuse_masked(value, what)
    if not hasattr(value, "item") and hasattr(value, "__cuda_array_interface__"):
        raise ValueError(f"{what} = {value!r}: it must be one element in host memory")
    try:
        one = (value if hasattr(value, "item") else np.array(value)).item()
    except (TypeError, ValueError, RuntimeError):  # PyTorch's
        raise ValueError(f"{what} = {value!r}: it must be one element") from None
    if one is None:  # of NaT, which would be no value at all
        raise ValueError(f"{what} = {value!r}: it must be a number")
    return one


def scalar(value, dtype, what: str) -> np.ndarray:
    """One element in host memory, whose address is pointer_of(); whoever passes it keeps the array.

    ValueError for what is no integer, or beyond the type, where the type is one of integers.
    """
    value = constant(value, what)
    try:
        if isinstance(value, (str, bytes)):
            raise ValueError
        if is_bfloat16(dtype):
            element = cast(np.array(float(value)), dtype)
        else:
            element = np.array(value) if isinstance(value, int) else np.array(value, dtype)
        if element.dtype != dtype:
            element = element.astype(dtype)  # what is beyond the type becomes another number
        if dtype.kind not in "fV" and element.item() != value:
            raise ValueError
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{what} = {value!r}: it is no value of {dtype}") from None
    return element


def of_list(values, dtype, what: str) -> np.ndarray:
    """The array of a list or a tuple; TypeError where integers are wanted and others are given."""
    array = as_array(values, what)
    if array.dtype == object and any(value is None for value in array.flat):
        raise TypeError(f"{what} has None in a list: they must be {dtype}")  # NumPy makes it NaN
    if array.size and dtype.kind in "iu" and array.dtype.kind not in "biu" and array.dtype != object:
        raise TypeError(f"{what} has {array.dtype} in a list: they must be {dtype}")
    try:
        return cast(array, dtype) if is_bfloat16(dtype) else np.array(values, dtype)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{what} has values that are none of {dtype}: {error}") from None


def flag(value, what: str) -> bool:
    """Whether an option is on; TypeError for what is neither a bool, also of an array library, nor an integer."""
    if value is True or value is False:
        return value
    if isinstance(value, (int, np.integer)) or (getattr(value, "shape", None) == ()
                                                and str(getattr(value, "dtype", "")).endswith("bool")):
        return bool(value)
    raise TypeError(f"{what} = {value!r}: it must be True or False")


def whole(value, what: str, least: int = 0, most: int = 2**64 - 1) -> int:
    """An integer of Python's, out of one of Python's or NumPy's that lies between the bounds."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} = {value!r}: it must be an integer") from None
    if not least <= value <= most:
        raise ValueError(f"{what} = {value}: it must be {least} to {most}")
    return value


_word = ctypes.c_size_t.from_address
_DATA = object.__basicsize__  # the data pointer follows the object's head: NumPy's C ABI


def _pointer_of_interface(array) -> int:
    return array.__array_interface__["data"][0]


def _pointer_of_layout(array) -> int:
    """The same in a seventh of the time: what PyArray_DATA() is in every C extension."""
    return _word(id(array) + _DATA).value


def _layout_holds() -> bool:
    whole = np.zeros((3, 4))
    samples = (whole, whole[1:], whole[:, 2], np.zeros(0, np.uint8), np.zeros(()))
    return all(_pointer_of_layout(array) == _pointer_of_interface(array) for array in samples)


def in_memory(struct: bytes) -> np.ndarray:
    """A struct that another one points to, at pointer_of(); whoever passes that keeps the array."""
    return np.frombuffer(struct, np.uint8)


is_cpython = sys.implementation.name == "cpython"
pointer_of = _pointer_of_layout if is_cpython and _layout_holds() else _pointer_of_interface
