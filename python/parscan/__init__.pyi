"""Types of parscan's functions, for those who check their programs: NumPy's arrays go in and come out with the types of
their elements; what arrays of other libraries give is Any. tests/test_types.py compares this file with the functions."""

from os import PathLike
from typing import Any, Generic, Iterable, Iterator, Literal, NamedTuple, Sequence, TypeVar, Union, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

_S = TypeVar("_S", bound=np.generic)
_V = TypeVar("_V", bound=np.generic)
_N = TypeVar("_N", bound="np.number[Any]")
_I = TypeVar("_I", bound="np.integer[Any]")
_Op = Union[Literal["sum", "product", "min", "max", "and", "or", "xor"], np.ufunc]
_Keep = Literal["nonzero", "==", "!=", "<", "<=", ">", ">=", "between"]
_Algorithm = Literal["auto", "sequential", "kogge-stone", "brent-kung", "three-phase", "warp", "single-pass", "warp-padded"]
_Kind = Literal["quicksort", "heapsort", "mergesort", "stable"]

__version__: str
library_path: str
algorithms: tuple[str, ...]
ops: tuple[str, ...]
dtypes: tuple[np.dtype[Any], ...]

class Error(Exception):
    status: int
class BackendError(Error): ...
class DeviceError(Error): ...
class FileError(Error): ...
class InternalError(Error): ...
class InvalidArgumentError(Error): ...
class OutOfMemoryError(Error): ...
class UnsupportedError(Error): ...
class CapacityError(Error):
    total: int | None
class TotalOverflowError(Error):
    total: int | None

class Context:
    def __init__(self, backend: Literal["auto", "cpu", "cuda"] = "auto", *, device: int = 0, stream: Any = None,
                 threads: int = 0, scratch_limit: int = 0, resident_blocks: int = 0, allocator: Any = None) -> None: ...
    @property
    def backend(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def scratch(self) -> int: ...
    @property
    def simd(self) -> str: ...
    @property
    def status_word(self) -> int: ...
    def reserve(self, size: int) -> None: ...
    def synchronize(self) -> None: ...
    def empty(self, shape: int | Sequence[int], dtype: DTypeLike = ...) -> DeviceArray: ...
    def copy(self, to: Any, source: Any) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Context: ...
    def __exit__(self, *_: object) -> None: ...

class DeviceArray:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    def __init__(self, pointer: int, shape: int | Sequence[int], dtype: DTypeLike, owner: Any = None, device: int = 0,
                 stream: Any = None) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def ndim(self) -> int: ...
    def __len__(self) -> int: ...
    def reshape(self, *shape: Any) -> DeviceArray: ...
    def numpy(self) -> NDArray[Any]: ...

class Counted:
    array: Any
    count: Any
    closed: bool
    def __init__(self, array: Any, count: Any, *, closed: bool = False) -> None: ...
    @property
    def room(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    def length(self) -> int: ...
    def result(self) -> Any: ...
    def numpy(self) -> NDArray[Any]: ...
    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]: ...

class Csr(NamedTuple, Generic[_S]):
    indptr: NDArray[np.integer[Any]]
    indices: NDArray[np.integer[Any]]
    data: NDArray[_S]

class Operator:
    def __init__(self, dtype: DTypeLike, combine: Any = None, *, identity: Any = None, commutes: bool = False,
                 state: Any = None, alignment: int = 0, load: Any = None, in_dtype: DTypeLike | None = None, store: Any = None,
                 out_dtype: DTypeLike | None = None, cuda_source: str | None = None, cuda_type: str | None = None,
                 cuda_function: str | None = None, cuda_load: str | None = None,
                 cuda_load_source: str | None = None, cuda_store: str | None = None,
                 cuda_store_source: str | None = None, cache_folder: str | PathLike[str] | None = None,
                 compile_seconds: float = 0.0) -> None: ...
    def prepare(self, *uses: str, algorithm: str = "auto", reverse: bool = False,
                context: Context | None = None) -> None: ...
    def save(self, context: Context | None = None) -> bytes: ...
    def load(self, blob: bytes, context: Context | None = None) -> None: ...
    @property
    def log(self) -> str: ...

class Predicate:
    def __init__(self, dtype: DTypeLike, test: Any = None, *, state: Any = None, alignment: int = 0,
                 cuda_source: str | None = None, cuda_type: str | None = None, cuda_function: str | None = None,
                 cache_folder: str | PathLike[str] | None = None, compile_seconds: float = 0.0) -> None: ...
    def prepare(self, context: Context | None = None) -> None: ...
    def save(self, context: Context | None = None) -> bytes: ...
    def load(self, blob: bytes, context: Context | None = None) -> None: ...
    @property
    def log(self) -> str: ...

class Relation:
    def __init__(self, dtype: DTypeLike, relate: Any, *, state: Any = None, alignment: int = 0) -> None: ...

class Chunked:
    @classmethod
    def inclusive_scan(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *, out_dtype: DTypeLike | None = None,
                       initial: Any = None, reproducible: bool = False, context: Context | None = None) -> Chunked: ...
    @classmethod
    def exclusive_scan(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *, out_dtype: DTypeLike | None = None,
                       initial: Any = None, reproducible: bool = False, context: Context | None = None) -> Chunked: ...
    @classmethod
    def reduce(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *, out_dtype: DTypeLike | None = None,
               initial: Any = None, reproducible: bool = False, context: Context | None = None) -> Chunked: ...
    @classmethod
    def segmented_inclusive_scan(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *,
                                 key_dtype: DTypeLike | None = None, out_dtype: DTypeLike | None = None,
                                 initial: Any = None, context: Context | None = None) -> Chunked: ...
    @classmethod
    def segmented_exclusive_scan(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *,
                                 key_dtype: DTypeLike | None = None, out_dtype: DTypeLike | None = None,
                                 initial: Any = None, context: Context | None = None) -> Chunked: ...
    @classmethod
    def reduce_by_key(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *, key_dtype: DTypeLike,
                      out_dtype: DTypeLike | None = None, initial: Any = None, context: Context | None = None) -> Chunked: ...
    @classmethod
    def difference(cls, dtype: DTypeLike, op: _Op | Operator = "sum", *, initial: Any = None,
                   context: Context | None = None) -> Chunked: ...
    @classmethod
    def recurrence(cls, dtype: DTypeLike, x0: Any = None, *, context: Context | None = None) -> Chunked: ...
    @classmethod
    def histogram(cls, dtype: DTypeLike, bins: int, range: tuple[Any, Any] | None = None, *,
                  count_dtype: DTypeLike = ..., context: Context | None = None) -> Chunked: ...
    @classmethod
    def compress(cls, dtype: DTypeLike, *, context: Context | None = None) -> Chunked: ...
    @classmethod
    def compact_if(cls, dtype: DTypeLike, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None,
                   *, context: Context | None = None) -> Chunked: ...
    @classmethod
    def flags_if(cls, dtype: DTypeLike, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None,
                 *, context: Context | None = None) -> Chunked: ...
    @classmethod
    def flatnonzero(cls, dtype: DTypeLike, keep: _Keep | Predicate = "nonzero", value: Any = None,
                    upper: Any = None, *, index_dtype: DTypeLike = ..., context: Context | None = None) -> Chunked: ...
    @classmethod
    def unique_consecutive(cls, dtype: DTypeLike, *, context: Context | None = None) -> Chunked: ...
    @classmethod
    def unique_pairs(cls, key_dtype: DTypeLike, value_dtype: DTypeLike, *, context: Context | None = None) -> Chunked: ...
    @classmethod
    def run_length_encode(cls, dtype: DTypeLike, *, length_dtype: DTypeLike = ..., context: Context | None = None) -> Chunked: ...
    @classmethod
    def allocate(cls, dtype: DTypeLike, *, alignment: int = 1, capacity: int = 0, offset_dtype: DTypeLike = ...,
                 close: bool = False, context: Context | None = None) -> Chunked: ...
    @classmethod
    def argmin(cls, dtype: DTypeLike, *, index_dtype: DTypeLike = ..., context: Context | None = None) -> Chunked: ...
    @classmethod
    def argmax(cls, dtype: DTypeLike, *, index_dtype: DTypeLike = ..., context: Context | None = None) -> Chunked: ...
    @classmethod
    def top_k(cls, dtype: DTypeLike, k: int, *, smallest: bool = False, index_dtype: DTypeLike = ...,
              context: Context | None = None) -> Chunked: ...
    def update(self, x: Any, second: Any = None) -> Any: ...
    def finish(self) -> Any: ...
    @property
    def carry(self) -> bytes: ...
    def close(self) -> None: ...
    def __enter__(self) -> Chunked: ...
    def __exit__(self, *_: object) -> None: ...

class Sorter:
    def __init__(self, dtype: DTypeLike, *, value_dtype: DTypeLike | None = None, argsort: bool = False,
                 descending: bool = False, memory_limit: int = 0, folders: Iterable[str | PathLike[str]] = (),
                 run_limit: int = 0, context: Context | None = None) -> None: ...
    def push(self, keys: Any, values: Any = None) -> None: ...
    def pull(self, capacity: int = 1048576) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    @property
    def counts(self) -> Any: ...
    def close(self) -> None: ...
    def __enter__(self) -> Sorter: ...
    def __exit__(self, *_: object) -> None: ...

def synchronize() -> None: ...

def allocate(sizes: Any, *, alignment: int = 1, capacity: int | None = None, dtype: DTypeLike = ...,
             close: bool = False, counted: bool | None = None, context: Context | None = None, stream: Any = None
             ) -> Any: ...

@overload
def argmax(x: NDArray[Any], axis: None = None, *, keepdims: Literal[False] = False, flags: None = None,
           offsets: None = None, keys: None = None, rows: None = None, counted: Literal[False] | None = None,
           context: Context | None = None, stream: Any = None) -> np.int64: ...
@overload
def argmax(x: Any, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, flags: Any = None,
           offsets: Any = None, keys: Any = None, rows: int | None = None, dtype: DTypeLike = ...,
           counted: bool | None = None, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def argmin(x: NDArray[Any], axis: None = None, *, keepdims: Literal[False] = False, flags: None = None,
           offsets: None = None, keys: None = None, rows: None = None, counted: Literal[False] | None = None,
           context: Context | None = None, stream: Any = None) -> np.int64: ...
@overload
def argmin(x: Any, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, flags: Any = None,
           offsets: Any = None, keys: Any = None, rows: int | None = None, dtype: DTypeLike = ...,
           counted: bool | None = None, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def argpartition(x: NDArray[Any], kth: int | Sequence[int], axis: int | None = -1, *,
                 context: Context | None = None, stream: Any = None) -> NDArray[np.int64]: ...
@overload
def argpartition(x: NDArray[Any], kth: int | Sequence[int], axis: int | None = -1, *, dtype: type[_I],
                 context: Context | None = None, stream: Any = None) -> NDArray[_I]: ...
@overload
def argpartition(x: Any, kth: int | Sequence[int], axis: int | None = -1, *, dtype: DTypeLike = ...,
                 context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def argsort(x: NDArray[Any], axis: int | None = -1, kind: _Kind | None = None, *, stable: bool | None = None,
            descending: bool = False, begin_bit: int = 0, end_bit: int = 0, context: Context | None = None,
            stream: Any = None) -> NDArray[np.int64]: ...
@overload
def argsort(x: NDArray[Any], axis: int | None = -1, kind: _Kind | None = None, *, stable: bool | None = None,
            descending: bool = False, begin_bit: int = 0, end_bit: int = 0, dtype: type[_I],
            context: Context | None = None, stream: Any = None) -> NDArray[_I]: ...
@overload
def argsort(x: Any, axis: int | None = -1, kind: _Kind | None = None, *, stable: bool | None = None,
            descending: bool = False, begin_bit: int = 0, end_bit: int = 0, dtype: DTypeLike = ...,
            context: Context | None = None, stream: Any = None) -> Any: ...

def bin(bin_of: Any, bins: int, values: Any = None, *, dtype: DTypeLike = ..., index_dtype: DTypeLike = ...,
        counted: bool | None = None, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def bincount(x: NDArray[Any], minlength: int = 0, *, context: Context | None = None, stream: Any = None
             ) -> NDArray[np.int64]: ...
@overload
def bincount(x: NDArray[Any], minlength: int = 0, *, dtype: type[_I], context: Context | None = None,
             stream: Any = None) -> NDArray[_I]: ...
@overload
def bincount(x: Any, minlength: int = 0, *, dtype: DTypeLike = ..., context: Context | None = None,
             stream: Any = None) -> Any: ...

@overload
def compact_by(x: NDArray[_S], by: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None,
               *, counted: Literal[False] | None = None, room: int | None = None, context: Context | None = None,
               stream: Any = None) -> NDArray[_S]: ...
@overload
def compact_by(x: Any, by: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
               counted: bool | None = None, room: int | None = None, context: Context | None = None,
               stream: Any = None) -> Any: ...

@overload
def compact_if(x: NDArray[_S], keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
               indices: None = None, counted: Literal[False] | None = None, room: int | None = None,
               context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def compact_if(x: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
               indices: Any = None, counted: bool | None = None, room: int | None = None,
               context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def compress(condition: Any, x: NDArray[_S], axis: int | None = None, *, counted: Literal[False] | None = None,
             room: int | None = None, context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def compress(condition: Any, x: Any, axis: int | None = None, *, counted: bool | None = None,
             room: int | None = None, context: Context | None = None, stream: Any = None) -> Any: ...

def count_if(x: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
             context: Context | None = None, stream: Any = None) -> int: ...

@overload
def cumprod(x: NDArray[Any], axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None, *,
            reproducible: bool = False, context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def cumprod(x: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None, *,
            reproducible: bool = False, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def cumsum(x: NDArray[Any], axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None, *,
           reproducible: bool = False, context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def cumsum(x: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None, *,
           reproducible: bool = False, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def cumulative_prod(x: NDArray[Any], *, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None,
                    include_initial: bool = False, context: Context | None = None, stream: Any = None
                    ) -> NDArray[Any]: ...
@overload
def cumulative_prod(x: Any, *, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None,
                    include_initial: bool = False, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def cumulative_sum(x: NDArray[Any], *, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None,
                   include_initial: bool = False, context: Context | None = None, stream: Any = None
                   ) -> NDArray[Any]: ...
@overload
def cumulative_sum(x: Any, *, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None,
                   include_initial: bool = False, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def dense_to_csr(dense: NDArray[_S], *, dtype: DTypeLike = ..., counted: Literal[False] | None = None,
                 room: int | None = None, context: Context | None = None, stream: Any = None) -> Csr[_S]: ...
@overload
def dense_to_csr(dense: Any, *, dtype: DTypeLike = ..., counted: bool | None = None, room: int | None = None,
                 context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def diff(x: NDArray[_S], *, axis: int = -1, prepend: Any = None, context: Context | None = None, stream: Any = None
         ) -> NDArray[_S]: ...
@overload
def diff(x: Any, *, axis: int = -1, prepend: Any = None, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def difference(x: NDArray[_S], op: _Op | Operator = "sum", *, initial: Any = None, reverse: bool = False,
               out: Any = None, context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def difference(x: Any, op: _Op | Operator = "sum", *, initial: Any = None, reverse: bool = False, out: Any = None,
               context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def exclusive_scan(x: NDArray[_N], op: _Op | Operator = "sum", *, axis: int | None = None, dtype: None = None,
                   initial: Any = None, reverse: bool = False, out: Any = None, algorithm: _Algorithm = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream: Any = None) -> NDArray[_N]: ...
@overload
def exclusive_scan(x: NDArray[Any], op: _Op | Operator = "sum", *, axis: int | None = None,
                   dtype: DTypeLike | None = None, initial: Any = None, reverse: bool = False, out: Any = None,
                   algorithm: _Algorithm = "auto", reproducible: bool = False, block_threads: int = 0,
                   items_per_thread: int = 0, context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def exclusive_scan(x: Any, op: _Op | Operator = "sum", *, axis: int | None = None, dtype: DTypeLike | None = None,
                   initial: Any = None, reverse: bool = False, out: Any = None, algorithm: _Algorithm = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def expand(sizes: NDArray[Any], *, room: int | None = None, context: Context | None = None, stream: Any = None
           ) -> NDArray[np.int64]: ...
@overload
def expand(sizes: NDArray[Any], *, dtype: type[_I], room: int | None = None, context: Context | None = None,
           stream: Any = None) -> NDArray[_I]: ...
@overload
def expand(sizes: Any, *, dtype: DTypeLike = ..., room: int | None = None, context: Context | None = None,
           stream: Any = None) -> Any: ...

@overload
def flags_if(x: NDArray[Any], keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
             context: Context | None = None, stream: Any = None) -> NDArray[np.bool_]: ...
@overload
def flags_if(x: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
             context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def flatnonzero(x: NDArray[Any], keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
                counted: Literal[False] | None = None, room: int | None = None, context: Context | None = None,
                stream: Any = None) -> NDArray[np.int64]: ...
@overload
def flatnonzero(x: NDArray[Any], keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
                dtype: type[_I], counted: Literal[False] | None = None, room: int | None = None,
                context: Context | None = None, stream: Any = None) -> NDArray[_I]: ...
@overload
def flatnonzero(x: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
                dtype: DTypeLike = ..., counted: bool | None = None, room: int | None = None,
                context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def histogram(x: NDArray[Any], bins: int = 10, range: tuple[Any, Any] | None = None, *, closed: bool = False,
              context: Context | None = None, stream: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
@overload
def histogram(x: NDArray[Any], bins: int = 10, range: tuple[Any, Any] | None = None, *, closed: bool = False,
              dtype: type[_I], context: Context | None = None, stream: Any = None
              ) -> tuple[NDArray[_I], NDArray[np.float64]]: ...
@overload
def histogram(x: Any, bins: int = 10, range: tuple[Any, Any] | None = None, *, closed: bool = False,
              dtype: DTypeLike = ..., context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def inclusive_scan(x: NDArray[_N], op: _Op | Operator = "sum", *, axis: int | None = None, dtype: None = None,
                   initial: Any = None, reverse: bool = False, out: Any = None, algorithm: _Algorithm = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream: Any = None) -> NDArray[_N]: ...
@overload
def inclusive_scan(x: NDArray[Any], op: _Op | Operator = "sum", *, axis: int | None = None,
                   dtype: DTypeLike | None = None, initial: Any = None, reverse: bool = False, out: Any = None,
                   algorithm: _Algorithm = "auto", reproducible: bool = False, block_threads: int = 0,
                   items_per_thread: int = 0, context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def inclusive_scan(x: Any, op: _Op | Operator = "sum", *, axis: int | None = None, dtype: DTypeLike | None = None,
                   initial: Any = None, reverse: bool = False, out: Any = None, algorithm: _Algorithm = "auto",
                   reproducible: bool = False, block_threads: int = 0, items_per_thread: int = 0,
                   context: Context | None = None, stream: Any = None) -> Any: ...

def join(left: Any, right: Any, how: Literal["inner", "left", "semi", "anti"] = "inner", *, dtype: DTypeLike = ...,
         room: int | None = None, context: Context | None = None, stream: Any = None) -> Any: ...

def lexsort(keys: Any, *, dtype: DTypeLike = ..., context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def merge(a: NDArray[_S], b: NDArray[_S], a_values: None = None, b_values: None = None, *,
          context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def merge(a: NDArray[_S], b: NDArray[_S], a_values: NDArray[_V], b_values: NDArray[_V], *,
          context: Context | None = None, stream: Any = None) -> tuple[NDArray[_S], NDArray[_V]]: ...
@overload
def merge(a: Any, b: Any, a_values: Any = None, b_values: Any = None, *, context: Context | None = None,
          stream: Any = None) -> Any: ...

@overload
def nonzero(x: NDArray[Any], keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
            counted: Literal[False] | None = None, context: Context | None = None, stream: Any = None
            ) -> tuple[NDArray[np.int64], ...]: ...
@overload
def nonzero(x: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
            counted: bool | None = None, context: Context | None = None, stream: Any = None) -> tuple[Any, ...]: ...

def pack(records: Any, in_offsets: Any, sizes: Any, out_offsets: Any = None, *, out: Any = None,
         context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def partition(x: NDArray[_S], keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
              counted: Literal[False] | None = None, context: Context | None = None, stream: Any = None
              ) -> tuple[NDArray[_S], int]: ...
@overload
def partition(x: Any, keep: _Keep | Predicate = "nonzero", value: Any = None, upper: Any = None, *,
              counted: bool | None = None, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def recurrence(a: NDArray[_N], b: NDArray[_N], x0: Any = None, *, axis: int | None = None, out: Any = None,
               context: Context | None = None, stream: Any = None) -> NDArray[_N]: ...
@overload
def recurrence(a: Any, b: Any, x0: Any = None, *, axis: int | None = None, out: Any = None,
               context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def reduce(x: NDArray[_N], op: _Op | Operator = "sum", *, axis: None = None, dtype: None = None,
           initial: Any = None, keepdims: Literal[False] = False, reverse: bool = False,
           algorithm: _Algorithm = "auto", reproducible: bool = False, block_threads: int = 0,
           items_per_thread: int = 0, context: Context | None = None, stream: Any = None) -> _N: ...
@overload
def reduce(x: Any, op: _Op | Operator = "sum", *, axis: int | tuple[int, ...] | None = None,
           dtype: DTypeLike | None = None, initial: Any = None, keepdims: bool = False, reverse: bool = False,
           algorithm: _Algorithm = "auto", reproducible: bool = False, block_threads: int = 0,
           items_per_thread: int = 0, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def reduce_by_key(keys: NDArray[_S], x: NDArray[_N], op: _Op | Operator = "sum", *, dtype: None = None,
                  initial: Any = None, reverse: bool = False, counted: Literal[False] | None = None,
                  room: int | None = None, context: Context | None = None, stream: Any = None
                  ) -> tuple[NDArray[_S], NDArray[_N]]: ...
@overload
def reduce_by_key(keys: Any, x: Any, op: _Op | Operator = "sum", *, dtype: DTypeLike | None = None,
                  initial: Any = None, reverse: bool = False, counted: bool | None = None, room: int | None = None,
                  context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def repeat(x: NDArray[_S], repeats: Any, axis: int | None = None, *, room: int | None = None,
           context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def repeat(x: Any, repeats: Any, axis: int | None = None, *, room: int | None = None,
           context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def run_length_decode(values: NDArray[_S], lengths: Any, *, room: int | None = None, context: Context | None = None,
                      stream: Any = None) -> NDArray[_S]: ...
@overload
def run_length_decode(values: Any, lengths: Any, *, room: int | None = None, context: Context | None = None,
                      stream: Any = None) -> Any: ...

@overload
def run_length_encode(x: NDArray[_S], *, counted: Literal[False] | None = None, room: int | None = None,
                      context: Context | None = None, stream: Any = None) -> tuple[NDArray[_S], NDArray[np.int64]]: ...
@overload
def run_length_encode(x: NDArray[_S], *, dtype: type[_I], counted: Literal[False] | None = None,
                      room: int | None = None, context: Context | None = None, stream: Any = None
                      ) -> tuple[NDArray[_S], NDArray[_I]]: ...
@overload
def run_length_encode(x: Any, *, dtype: DTypeLike = ..., counted: bool | None = None, room: int | None = None,
                      context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def scatter(values: NDArray[Any], indices: Any, out: NDArray[_S], *, last_wins: bool = False,
            context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def scatter(values: Any, indices: Any, out: Any, *, last_wins: bool = False, context: Context | None = None,
            stream: Any = None) -> Any: ...

@overload
def searchsorted(a: NDArray[Any], v: NDArray[Any], side: Literal["left", "right"] = "left", *,
                 context: Context | None = None, stream: Any = None) -> NDArray[np.int64]: ...
@overload
def searchsorted(a: NDArray[Any], v: NDArray[Any], side: Literal["left", "right"] = "left", *, dtype: type[_I],
                 context: Context | None = None, stream: Any = None) -> NDArray[_I]: ...
@overload
def searchsorted(a: Any, v: Any, side: Literal["left", "right"] = "left", *, dtype: DTypeLike = ...,
                 context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def segmented_exclusive_scan(x: NDArray[_N], op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                             keys: Any = None, rows: int | None = None, dtype: None = None, initial: Any = None,
                             reverse: bool = False, out: Any = None, context: Context | None = None,
                             stream: Any = None) -> NDArray[_N]: ...
@overload
def segmented_exclusive_scan(x: NDArray[Any], op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                             keys: Any = None, rows: int | None = None, dtype: DTypeLike | None = None,
                             initial: Any = None, reverse: bool = False, out: Any = None,
                             context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def segmented_exclusive_scan(x: Any, op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                             keys: Any = None, rows: int | None = None, dtype: DTypeLike | None = None,
                             initial: Any = None, reverse: bool = False, out: Any = None,
                             context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def segmented_inclusive_scan(x: NDArray[_N], op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                             keys: Any = None, rows: int | None = None, dtype: None = None, initial: Any = None,
                             reverse: bool = False, out: Any = None, context: Context | None = None,
                             stream: Any = None) -> NDArray[_N]: ...
@overload
def segmented_inclusive_scan(x: NDArray[Any], op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                             keys: Any = None, rows: int | None = None, dtype: DTypeLike | None = None,
                             initial: Any = None, reverse: bool = False, out: Any = None,
                             context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def segmented_inclusive_scan(x: Any, op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                             keys: Any = None, rows: int | None = None, dtype: DTypeLike | None = None,
                             initial: Any = None, reverse: bool = False, out: Any = None,
                             context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def segmented_reduce(x: NDArray[_N], op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                     keys: Any = None, rows: int | None = None, dtype: None = None, initial: Any = None,
                     reverse: bool = False, counted: Literal[False] | None = None, room: int | None = None,
                     context: Context | None = None, stream: Any = None) -> NDArray[_N]: ...
@overload
def segmented_reduce(x: NDArray[Any], op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                     keys: Any = None, rows: int | None = None, dtype: DTypeLike | None = None, initial: Any = None,
                     reverse: bool = False, counted: Literal[False] | None = None, room: int | None = None,
                     context: Context | None = None, stream: Any = None) -> NDArray[Any]: ...
@overload
def segmented_reduce(x: Any, op: _Op | Operator = "sum", *, flags: Any = None, offsets: Any = None,
                     keys: Any = None, rows: int | None = None, dtype: DTypeLike | None = None, initial: Any = None,
                     reverse: bool = False, counted: bool | None = None, room: int | None = None,
                     context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def set_difference(a: NDArray[_S], b: NDArray[_S], *, counted: Literal[False] | None = None,
                   context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def set_difference(a: Any, b: Any, *, counted: bool | None = None, context: Context | None = None,
                   stream: Any = None) -> Any: ...

@overload
def set_intersection(a: NDArray[_S], b: NDArray[_S], *, counted: Literal[False] | None = None,
                     context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def set_intersection(a: Any, b: Any, *, counted: bool | None = None, context: Context | None = None,
                     stream: Any = None) -> Any: ...

@overload
def set_symmetric_difference(a: NDArray[_S], b: NDArray[_S], *, counted: Literal[False] | None = None,
                             context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def set_symmetric_difference(a: Any, b: Any, *, counted: bool | None = None, context: Context | None = None,
                             stream: Any = None) -> Any: ...

@overload
def set_union(a: NDArray[_S], b: NDArray[_S], *, counted: Literal[False] | None = None,
              context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def set_union(a: Any, b: Any, *, counted: bool | None = None, context: Context | None = None, stream: Any = None
              ) -> Any: ...

@overload
def sort(x: NDArray[_S], axis: int | None = -1, kind: _Kind | None = None, *, stable: bool | None = None,
         descending: bool = False, begin_bit: int = 0, end_bit: int = 0, out: Any = None,
         context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def sort(x: Any, axis: int | None = -1, kind: _Kind | None = None, *, stable: bool | None = None,
         descending: bool = False, begin_bit: int = 0, end_bit: int = 0, out: Any = None,
         context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def sort_by(x: NDArray[_S], less: Relation, *, out: Any = None, context: Context | None = None, stream: Any = None
            ) -> NDArray[_S]: ...
@overload
def sort_by(x: Any, less: Relation, *, out: Any = None, context: Context | None = None, stream: Any = None) -> Any: ...

def sort_columns(columns: Any, descending: bool = False, *, dtype: DTypeLike = ..., heads: bool = False,
                 values: Any = None, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def sort_pairs(keys: NDArray[_S], values: NDArray[_V], *, descending: bool = False, begin_bit: int = 0,
               end_bit: int = 0, context: Context | None = None, stream: Any = None
               ) -> tuple[NDArray[_S], NDArray[_V]]: ...
@overload
def sort_pairs(keys: Any, values: Any, *, descending: bool = False, begin_bit: int = 0, end_bit: int = 0,
               context: Context | None = None, stream: Any = None) -> Any: ...

def sort_segments(keys: Any, values: Any = None, *, flags: Any = None, offsets: Any = None,
                  segment_keys: Any = None, rows: int | None = None, descending: bool = False, begin_bit: int = 0,
                  end_bit: int = 0, context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def take(x: NDArray[_S], indices: Any, axis: int | None = None, *, context: Context | None = None,
         stream: Any = None) -> NDArray[_S]: ...
@overload
def take(x: Any, indices: Any, axis: int | None = None, *, context: Context | None = None, stream: Any = None
         ) -> Any: ...

@overload
def top_k(x: NDArray[_S], k: int, axis: int | None = -1, *, smallest: bool = False, flags: None = None,
          offsets: None = None, keys: None = None, rows: None = None, context: Context | None = None,
          stream: Any = None) -> tuple[NDArray[_S], NDArray[np.int64]]: ...
@overload
def top_k(x: Any, k: int, axis: int | None = -1, *, smallest: bool = False, flags: Any = None, offsets: Any = None,
          keys: Any = None, rows: int | None = None, dtype: DTypeLike = ..., context: Context | None = None,
          stream: Any = None) -> Any: ...

@overload
def unique(x: NDArray[_S], return_index: Literal[False] = False, return_inverse: Literal[False] = False,
           return_counts: Literal[False] = False, *, equal_nan: bool = True, counted: Literal[False] | None = None,
           context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def unique(x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, *,
           equal_nan: bool = True, counted: bool | None = None, context: Context | None = None, stream: Any = None
           ) -> Any: ...

@overload
def unique_by(x: NDArray[_S], equal: Relation, *, counted: Literal[False] | None = None,
              context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def unique_by(x: Any, equal: Relation, *, counted: bool | None = None, context: Context | None = None,
              stream: Any = None) -> Any: ...

@overload
def unique_consecutive(x: NDArray[_S], *, counted: Literal[False] | None = None, room: int | None = None,
                       context: Context | None = None, stream: Any = None) -> NDArray[_S]: ...
@overload
def unique_consecutive(x: Any, *, counted: bool | None = None, room: int | None = None,
                       context: Context | None = None, stream: Any = None) -> Any: ...

@overload
def unique_pairs(keys: NDArray[_S], values: NDArray[_V], *, counted: Literal[False] | None = None,
                 room: int | None = None, context: Context | None = None, stream: Any = None
                 ) -> tuple[NDArray[_S], NDArray[_V]]: ...
@overload
def unique_pairs(keys: Any, values: Any, *, counted: bool | None = None, room: int | None = None,
                 context: Context | None = None, stream: Any = None) -> Any: ...
