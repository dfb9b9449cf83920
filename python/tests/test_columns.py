"""The order of rows beside NumPy's lexsort."""

import numpy as np
import pytest

import parscan
from arrays import DTYPES, equal, random_array


def ranks(x, descending=False):
    """What compares as the column does, without NaNs and zeros of two signs."""
    rank = np.unique(x, return_inverse=True)[1].reshape(len(x))
    return -rank if descending else rank


@pytest.mark.parametrize("n", [0, 1, 2, 100, 5000])
@pytest.mark.parametrize("dtype", [np.dtype(bool), *DTYPES], ids=str)
def test_of_every_type(rng, dtype, n):
    few = rng.integers(0, 5, n)
    x = random_array(rng, dtype, n) + dtype.type(0)
    words = rng.choice([b"", b"a", b"ab", b"b" * 17], n) if n else np.zeros(0, "S17")
    for down in (False, True):
        expected = np.lexsort((ranks(words), ranks(x, down), few))
        equal(parscan.sort_columns([few, x, words], [False, down, False]), expected)
        equal(parscan.lexsort((x, few)), np.lexsort((ranks(x), few)))


def test_directions_types_and_matrices(rng):
    a, b = rng.integers(0, 9, 1000), rng.integers(0, 9, 1000).astype(np.float32)
    m = rng.integers(0, 3, (1000, 11)).astype(np.uint8)
    equal(parscan.sort_columns((a, b), descending=True), np.lexsort((-b, -a)))
    equal(parscan.sort_columns((a, b), (True, False), dtype=np.uint32), np.lexsort((b, -a)).astype(np.uint32))
    equal(parscan.sort_columns([m]), np.lexsort(m.T[::-1]))
    equal(parscan.sort_columns([a]), np.argsort(a, kind="stable"))
    equal(parscan.sort_columns([[2, 1, 2], [1.5, 2, 0]]), np.array([1, 2, 0]))
    equal(parscan.take(a, parscan.sort_columns([a, m])), np.sort(a))


@pytest.mark.parametrize("n", [0, 1, 777])
def test_groups_and_values(rng, n):
    a, b = rng.integers(0, 9, n), rng.integers(0, 5, n).astype(np.float32)
    order = np.lexsort((b, a))
    differs = (np.diff(a[order]) != 0) | (np.diff(b[order]) != 0)
    heads = np.concatenate([np.ones(min(n, 1), bool), differs])
    for values in (rng.random(n), rng.integers(0, 99, (n, 3), np.int16), np.zeros((n, 0))):
        for ours, expected in zip(parscan.sort_columns([a, b], heads=True, values=values), (order, heads, values[order])):
            equal(ours, expected)
        equal(parscan.sort_columns([a, b], values=values)[1], values[order])
    equal(parscan.sort_columns([a, b], heads=True)[1], heads)
    with pytest.raises(ValueError, match="values has shape"):
        parscan.sort_columns([a, b], values=np.zeros(n + 1))


def test_nan_and_zeros():
    x = np.array([np.nan, 0.0, -0.0, np.inf, -np.nan, -np.inf])
    equal(parscan.sort_columns([np.zeros(6, np.int8), x]), np.array([5, 2, 1, 3, 0, 4]))


def test_what_is_wrong_is_named():
    x = np.arange(3)
    for words, columns, more in (
            ("columns is empty", [], {}), (r"columns\[1\] has 2 rows: columns\[0\] has 3", [x, x[:2]], {}),
            (r"columns\[1\] has shape \[3, 1\]", [x, x.reshape(3, 1)], {}),
            ("descending has 1 elements: there are 2", [x, x], {"descending": [True]}),
            (r"columns\[0\].width = 65", [np.zeros((3, 65), np.uint8)], {}), ("column_count = 65", [x] * 65, {})):
        with pytest.raises(ValueError, match=words):
            parscan.sort_columns(columns, **more)
    with pytest.raises(TypeError, match=r"columns\[1\]"):
        parscan.sort_columns([x, x.astype(complex)])
