"""What goes into a ``Chunked`` and what comes out at its end."""

from __future__ import annotations

from typing import NamedTuple


class End(NamedTuple):
    """What ``Chunked.finish()`` returns.

    out : scans: the sum of all elements; reduction: the result; recurrence: the last element;
        histogram: the counts; run lengths, reduce_by_key: the values or sums of the runs that were open,
        none or one; allocation with close: the total; argmin, argmax: the element; top_k: the elements.
        Otherwise None
    out2 : run lengths, reduce_by_key: the lengths or keys of these runs; argmin, argmax: the index; top_k:
        the indices. Otherwise None
    total : the number of all elements; of compaction, unique, pairs and runs that of all elements
        written; of an allocation the sum of all sizes
    """

    out: object
    out2: object
    total: int


class Shape(NamedTuple):
    """What the chunks of a primitive have."""

    dtype: object  # of the chunks
    second: object = None  # dtype of in2; FLAGS: any flags
    out: object = None  # dtype of the results; None: no result
    out2: object = None
    kept: bool = False  # the number of results is known by `written`
    end: object = None  # dtype of the end's `out`
    end_count: int | None = None  # its elements; None: one, a scalar
    end2: object = None  # dtype of the end's `out2`, of as many
