"""What mypy --strict follows, and what is so when it runs (test_types.py): each result has the type that is written."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import parscan


def results(x: NDArray[np.int32], y: NDArray[np.float64], keys: NDArray[np.uint16]) -> list[tuple[Any, type]]:
    scanned: NDArray[np.int32] = parscan.inclusive_scan(x, "max")
    of_segments: NDArray[np.float64] = parscan.segmented_reduce(y, rows=2)
    total: np.int32 = parscan.reduce(x)
    ordered: NDArray[np.int32] = parscan.sort(x, kind="stable")
    places: NDArray[np.int64] = parscan.argsort(x)
    narrow: NDArray[np.uint32] = parscan.argsort(x, dtype=np.uint32)
    kept: NDArray[np.float64] = parscan.compact_if(y, ">", 2.5)
    flags: NDArray[np.bool_] = parscan.flags_if(y, ">", 2.5)
    pairs: tuple[NDArray[np.uint16], NDArray[np.float64]] = parscan.sort_pairs(keys, y)
    groups: tuple[NDArray[np.uint16], NDArray[np.float64]] = parscan.reduce_by_key(keys, y)
    runs: tuple[NDArray[np.uint16], NDArray[np.int64]] = parscan.run_length_encode(keys)
    counts, edges = parscan.histogram(y, 4, closed=True)
    in_bins: NDArray[np.int64] = counts
    bounds: NDArray[np.float64] = edges
    best: tuple[NDArray[np.float64], NDArray[np.int64]] = parscan.top_k(y, 2)
    least: np.int64 = parscan.argmin(y)
    distinct: NDArray[np.uint16] = parscan.unique(keys)
    merged: NDArray[np.int32] = parscan.merge(ordered, ordered)
    rows: parscan.Csr[np.float64] = parscan.dense_to_csr(y.reshape(2, 4))
    stored: NDArray[np.float64] = rows.data
    parts: tuple[NDArray[np.int32], int] = parscan.partition(x, ">", 3)
    found: NDArray[np.int64] = parscan.searchsorted(ordered, x)
    both: NDArray[np.int32] = parscan.set_union(ordered, ordered)
    first: NDArray[np.int64] = parscan.argpartition(x, 3)
    of_any: Any = parscan.cumsum([1, 2, 3])
    return [(scanned, np.int32), (of_segments, np.float64), (total, np.int32), (ordered, np.int32), (places, np.int64),
            (narrow, np.uint32), (kept, np.float64), (flags, np.bool_), (pairs[0], np.uint16), (pairs[1], np.float64),
            (groups[0], np.uint16), (groups[1], np.float64), (runs[0], np.uint16), (runs[1], np.int64),
            (in_bins, np.int64), (bounds, np.float64), (best[0], np.float64), (best[1], np.int64), (least, np.int64),
            (distinct, np.uint16), (merged, np.int32), (stored, np.float64), (parts[0], np.int32), (found, np.int64),
            (both, np.int32), (first, np.int64), (of_any, np.int64)]


def of_chunks() -> bytes:
    with parscan.Context("cpu", threads=1) as context, parscan.Chunked.reduce(np.int32, "max", context=context) as chunked:
        chunked.update(np.array([3, 1, 7], np.int32))
        return chunked.carry
