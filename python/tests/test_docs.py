"""The examples of the docstrings and of docs/python.md."""

import doctest
import importlib.util
import inspect
import pathlib
import re

import numpy as np
import pytest

import parscan

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


MODULES = ["parscan", *(f"parscan.{path.stem}" for path in pathlib.Path(parscan.__file__).parent.glob("_[a-z]*.py"))]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name), extraglobs={"np": np, "parscan": parscan})
    assert not result.failed


def test_every_function_has_an_example():
    for name in parscan.__all__:
        if inspect.isfunction(getattr(parscan, name)):
            assert ">>> " in getattr(parscan, name).__doc__, name


@pytest.mark.skipif(not GUIDE.exists(), reason="the guide is not here")
def test_the_guide(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    arrays, more = blocks[0], blocks[-1]
    names = {}
    exec(arrays, names)  # noqa: S102
    compared = 0
    for line in arrays.splitlines():
        if found := re.match(r"(parscan\..*\))\s+# \[(.*)\]", line):
            assert eval(found[1], names).tolist() == [int(word) for word in found[2].split()], line
            compared += 1
    assert compared >= 3
    own = next(block for block in blocks if "numba.cfunc" in block)
    if importlib.util.find_spec("numba"):
        exec(own, names)  # noqa: S102
        assert names["so_far"].tolist() == [[2, 1], [1, 0.5], [3, 0.5]]
    counted = next(block for block in blocks if "counted=True" in block)
    exec(counted, names)  # of the x before
    assert names["values"].numpy().tolist() == [4, 6, 7] and names["sums"].result().tolist() == [4, 6, 7]
    written = []
    chunks = np.array_split(np.random.default_rng(0).integers(0, 99, 1000, np.int64), 3)
    exec(more.replace("/fast", str(tmp_path)).replace("np.uint64", "np.int64"),
         {"np": np, "parscan": parscan, "chunks": chunks, "write": written.append})
    whole = np.concatenate(chunks)
    np.testing.assert_array_equal(np.concatenate(written[:3]), np.cumsum(whole))
    np.testing.assert_array_equal(np.concatenate(written[3:]), np.sort(whole))
