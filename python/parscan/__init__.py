"""parscan: parallel scan (prefix sum), and what is built on it: sorts, compaction, histograms, segmented
scans, allocation. On all cores of a CPU, or on an NVIDIA GPU.

Functions take NumPy's arrays, and CuPy's, PyTorch's, and whatever has ``__cuda_array_interface__`` or
DLPack; results are arrays of the same library. Arrays of 8 to 64-bit integers, bool, and floats of 16
(float16, bfloat16), 32 and 64 bits that are contiguous and in the machine's byte order are not copied. The GIL is released during a call.

>>> import numpy as np, parscan
>>> parscan.cumsum(np.array([3, 1, 7, 0, 4, 1, 6, 3]))
array([ 3,  4, 11, 11, 15, 16, 22, 25])
"""

from ._allocate import allocate, expand, pack, repeat
from ._chunked import Chunked
from ._columns import lexsort, sort_columns
from ._compact import (Csr, compact_by, compact_if, compress, count_if, dense_to_csr, flags_if, flatnonzero,
                       nonzero, partition)
from ._compose import argpartition, cumulative_prod, cumulative_sum
from ._context import Context, synchronize
from ._counted import Counted
from ._device import DeviceArray
from ._difference import diff, difference
from ._errors import (BackendError, CapacityError, DeviceError, Error, FileError, InternalError,
                      InvalidArgumentError, OutOfMemoryError, TotalOverflowError, UnsupportedError)
from ._gather import scatter, take
from ._histogram import bin, bincount, histogram
from ._library import ALGORITHMS as _ALGORITHMS
from ._library import DTYPES as _DTYPES
from ._library import OPS as _OPS
from ._library import library as _shared
from ._merge import (join, merge, set_difference, set_intersection, set_symmetric_difference,
                     set_union)
from ._operator import Operator, Predicate, Relation, sort_by, unique_by
from ._runs import (run_length_decode, run_length_encode, unique, unique_consecutive,
                    unique_pairs)
from ._scan import cumprod, cumsum, exclusive_scan, inclusive_scan, reduce
from ._segmented import (recurrence, reduce_by_key, segmented_exclusive_scan,
                         segmented_inclusive_scan, segmented_reduce)
from ._search import searchsorted
from ._select import argmax, argmin, top_k
from ._sort import argsort, sort, sort_pairs, sort_segments
from ._sorter import Sorter

__version__: str = _shared.version().decode()
library_path: str = _shared.path
algorithms: tuple = tuple(_ALGORITHMS)
ops: tuple = tuple(name for name in _OPS if isinstance(name, str))
dtypes: tuple = tuple(_DTYPES)

__all__ = [
    "BackendError", "CapacityError", "Chunked", "Context", "Counted", "Csr", "DeviceArray", "DeviceError", "Error",
    "FileError", "InternalError", "InvalidArgumentError", "Operator", "OutOfMemoryError", "Predicate", "Relation", "Sorter",
    "TotalOverflowError", "UnsupportedError", "algorithms", "allocate", "argmax", "argmin", "argpartition", "argsort",
    "bin", "bincount", "compact_by", "compact_if", "compress", "count_if", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "dense_to_csr", "diff",
    "difference", "dtypes", "exclusive_scan", "expand", "flags_if", "flatnonzero", "histogram", "inclusive_scan", "join",
    "lexsort", "library_path", "merge", "nonzero", "ops", "pack", "partition", "recurrence", "reduce",
    "reduce_by_key", "repeat", "run_length_decode", "run_length_encode", "scatter", "searchsorted",
    "segmented_exclusive_scan", "segmented_inclusive_scan", "segmented_reduce",
    "set_difference", "set_intersection", "set_symmetric_difference", "set_union", "sort", "sort_by", "sort_columns",
    "sort_pairs", "sort_segments", "synchronize", "take", "top_k", "unique", "unique_by", "unique_consecutive",
    "unique_pairs",
]
