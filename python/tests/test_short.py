"""Short arrays, which some functions leave to NumPy's, and the direct way of segments: results, types and errors are
those of the library and of the general way."""

import numpy as np
import pytest

import parscan
from parscan import _allocate, _compact, _histogram, _host, _segmented

LONG = np.arange(_host.SHORT + 1)
EMPTY, FEW = LONG[:0], LONG[:5]
TRUTH = np.array([True, False, True, True, False])
BYTES = np.array([7, 0, 1, 255, 0], np.uint8).view(bool)
GRID = np.arange(20, dtype=np.float32).reshape(5, 4)
COUNTS = np.array([2, 0, 1, 3, 1])

CALLS = [(name, arguments, options) for name, cases in {
    "bincount": [((x,), {"minlength": least}) for x in (
        EMPTY, FEW, LONG, FEW[::-2], FEW.astype(np.uint8), FEW.astype(np.uint64), np.array([3, -1]), GRID,
        np.array([0, 2**24]), np.array([2**62, 1]), np.array([0.5]), np.array(3), TRUTH,
        FEW.reshape(5, 1), FEW.astype(">i4")) for least in (0, 9, -1, 2**24 + 1)]
    + [((np.array([2**24 - 1, 0]),), {})],
    "repeat": [((x, counts, axis), {}) for x in (FEW, GRID, GRID[:, :0], EMPTY, TRUTH, FEW.astype(">i4"), FEW.astype("f2"))
               for counts in (COUNTS, COUNTS.astype(np.uint64), COUNTS.astype(np.int8), COUNTS[:4], COUNTS[:1], -COUNTS,
                              COUNTS * 2**60, COUNTS * 0.5, COUNTS.reshape(5, 1), COUNTS[::2], 3, 0, -1, True, 2**62)
               for axis in (None, 0, 1, -1, 2)],
    "compress": [((condition, x, axis), {}) for x in (FEW, GRID, EMPTY, TRUTH, BYTES, FEW[::-1], np.array("abcde"))
                 for condition in (TRUTH, BYTES, TRUTH.view(np.uint8), TRUTH[:4], TRUTH[:0], TRUTH.reshape(5, 1), ~TRUTH,
                                   np.repeat(TRUTH, 2)[::2], FEW)
                 for axis in (None, 0, 1, -2, 5)],
}.items() for arguments, options in cases]


def outcome(function, *arguments, **options):
    try:
        result = function(*arguments, **options)
    except Exception as error:  # noqa: BLE001
        return type(error), str(error)
    return result.dtype, result.shape, result.tobytes()


@pytest.mark.parametrize("name, module, way", [("bincount", _histogram, "_numpys_bincount"), ("repeat", _allocate, "_short_repeat"),
                                               ("compress", _compact, "_selects")])
def test_numpys_results_are_the_librarys(monkeypatch, name, module, way):
    short, ways = getattr(module, way), []

    def noted(*arguments):
        ways.append(False)
        answer = short(*arguments)
        ways[-1] = answer is not None and answer is not False
        return answer

    monkeypatch.setattr(module, way, noted)
    for _, arguments, options in (call for call in CALLS if call[0] == name):
        monkeypatch.setattr(_host, "SHORT", -1)
        expected = outcome(getattr(parscan, name), *arguments, **options)
        monkeypatch.setattr(_host, "SHORT", LONG.size - 1)
        assert outcome(getattr(parscan, name), *arguments, **options) == expected, (arguments, options)
    assert any(ways) and not all(ways)


def test_segments_of_the_direct_way_are_those_of_the_general(monkeypatch, rng):
    direct, short, ways, short_ways = _segmented._direct, _segmented._short_reduce, [], []
    x, offsets = rng.integers(-9, 9, 50), np.array([0, 3, 3, 20, 50])
    flags = np.isin(np.arange(50), offsets[:-1])
    cases = [{"offsets": offsets.astype(kind)} for kind in (np.int64, np.uint64, np.int32, np.uint32, np.int16)]
    cases += [{"offsets": wrong} for wrong in (offsets[::-1], offsets - 1, offsets[:0], offsets[:-1], [0, 50])]
    cases += [{"offsets": more} for more in (offsets[[0, 1, 3, 4]], offsets[[0, 4]].astype(np.int32), offsets[[0, 3, 1, 4]],
                                             offsets[[0, 1]], np.arange(51), np.arange(102)[::2] // 2, offsets.reshape(5, 1))]
    cases += [{"flags": kind} for kind in (flags, flags.view(np.uint8), flags.view(np.int8), flags[:49], flags * 2, flags[::-1],
                                           BYTES.repeat(10), ~flags)]
    cases += [{}, {"flags": flags, "offsets": offsets}, {"offsets": offsets, "rows": 5}, {"keys": x}]

    def noted(*arguments):
        ways.append(direct(*arguments) is not None)
        return direct(*arguments)

    def short_noted(*arguments):
        short_ways.append(short(*arguments) is not None)
        return short(*arguments)

    monkeypatch.setattr(_host, "SHORT", LONG.size - 1)
    for segments in cases:
        for values in (x, x.astype(np.uint8), x.astype(np.float32), x > 0, x.astype(">i8"), x.reshape(5, 10), x[::2], list(x)):
            for op, dtype, reverse in (("sum", None, False), ("min", None, True), ("sum", np.float64, False), ("no", None, 0)):
                for name in "segmented_reduce", "segmented_inclusive_scan", "segmented_exclusive_scan":
                    call = lambda: outcome(getattr(parscan, name), values, op, dtype=dtype, reverse=reverse, **segments)  # noqa: B023, E731
                    monkeypatch.setattr(_segmented, "_direct", noted)
                    monkeypatch.setattr(_segmented, "_short_reduce", short_noted)
                    found = call()
                    monkeypatch.setattr(_segmented, "_direct", lambda *_: None)
                    monkeypatch.setattr(_segmented, "_short_reduce", lambda *_: None)
                    assert found == call(), (name, segments, op, dtype, reverse)
    for some in ways, short_ways:
        assert any(some) and not all(some)
