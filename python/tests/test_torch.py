"""PyTorch's CPU tensors; and what is done with tensors on a device, on CPU tensors."""

import numpy as np
import pytest

import everywhere
import everywhere_counted
import parscan
from everywhere_counted import Making, Taking
from parscan import _context, _families, _library

torch = pytest.importorskip("torch")


def back(tensor):
    return np.asarray(tensor)


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
def test_tensors_on_the_cpu(case):
    everywhere.check(case, torch.as_tensor, back, torch.Tensor)


def write(tensor, x):
    tensor.copy_(torch.as_tensor(x))


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
@pytest.mark.parametrize("kind", [Taking, Making])
def test_counted_tensors(kind, case):
    everywhere_counted.check(case, kind(torch.as_tensor, back, torch.Tensor, write))


def test_counts_are_tensors():
    kept = parscan.compact_if(torch.tensor([3, 0, 7]), counted=True)
    assert isinstance(kept.array, torch.Tensor) and kept.count.dtype == torch.int64 and kept.count.item() == 2
    assert parscan.sort(kept, descending=True).result().tolist() == [7, 3]
    kept.count.fill_(1)
    assert parscan.cumsum(kept).result().tolist() == [3]


def unsigned():
    return [getattr(torch, name) for name in ("uint8", "uint16", "uint32", "uint64") if hasattr(torch, name)]


def test_sums_of_unsigned_tensors_are_pytorchs():
    for kind in unsigned():
        x = torch.as_tensor([200, 100, 255]).to(kind)
        for scan, expected in ((parscan.cumsum, [200, 300, 555]), (parscan.cumprod, [200, 20000, 5100000])):
            assert scan(x).dtype == torch.int64 and scan(x).tolist() == expected
        assert parscan.cumsum(x.reshape(1, 3), 1).dtype == torch.int64
        assert (parscan.cumsum(x) + torch.arange(3)).tolist() == [200, 301, 557]
        assert parscan.inclusive_scan(x, "max").dtype == kind  # keeps it
        assert parscan.cumsum(x, out=torch.empty(3, dtype=torch.int64)).tolist() == [200, 300, 555]
    assert parscan.cumsum(torch.tensor([True, True])).dtype == torch.int64


def test_results_are_tensors_on_the_same_memory():
    x = torch.arange(5)
    y = torch.empty(5, dtype=torch.int64)
    assert isinstance(parscan.cumsum(x), torch.Tensor)
    assert parscan.cumsum(x, out=y) is y and y.tolist() == [0, 1, 3, 6, 10]
    assert parscan.sort(x, descending=True, out=x) is x and x.tolist() == [4, 3, 2, 1, 0]
    grad = torch.ones(3, requires_grad=True)
    assert parscan.cumsum(grad).tolist() == [1, 2, 3]
    assert parscan.cumsum(torch.arange(6).reshape(2, 3).T).tolist() == [0, 3, 4, 8, 10, 15]
    out = torch.zeros(10, dtype=torch.int64)[::2]
    parscan.cumsum(torch.arange(5), out=out)
    assert out.tolist() == [0, 1, 3, 6, 10]
    with pytest.raises(TypeError, match="complex32"):
        parscan.cumsum(torch.ones(3, dtype=torch.complex32))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16], ids=str)
def test_tensors_of_16_bits_are_summed_in_float32(kind):
    x = torch.ones(5000, dtype=kind)
    sums = parscan.cumsum(x)
    assert sums.dtype == kind and (sums == torch.arange(1, 5001).to(kind)).all()
    assert parscan.reduce(x, dtype=np.float32).item() == 5000
    assert parscan.cumsum(x, out=x) is x and x[-1] == torch.tensor(5000).to(kind)
    y = torch.tensor([3, -1, float("nan"), 2], dtype=kind)
    assert parscan.sort(y, descending=True)[1:].tolist() == [3, 2, -1]


class OnHost(_families.Torch):
    """The class for devices, on CPU tensors."""

    def context(self, _array):
        return _context.stream_context(0, 0)


def on_host(monkeypatch):
    monkeypatch.setitem(_library.BACKENDS, "cuda", _library.BACKENDS["cpu"])
    monkeypatch.setattr(_context.thread, "streams", type(_context.thread.streams)())
    family = OnHost(torch, torch.device("cpu"))
    monkeypatch.setattr(_families, "family_of", lambda array: family)


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
def test_tensors_on_a_device(monkeypatch, case):
    on_host(monkeypatch)
    everywhere.check(case, torch.as_tensor, back, torch.Tensor)


@pytest.mark.parametrize("case", everywhere.CASES + everywhere.COMPOSED)
@pytest.mark.parametrize("kind", [Taking, Making])
def test_counted_tensors_on_a_device(monkeypatch, kind, case):
    on_host(monkeypatch)
    everywhere_counted.check(case, kind(torch.as_tensor, back, torch.Tensor, write))


def test_sums_of_unsigned_tensors_on_a_device(monkeypatch):
    on_host(monkeypatch)
    test_sums_of_unsigned_tensors_are_pytorchs()


def test_other_tensors_are_refused(monkeypatch):
    family = OnHost(torch, torch.device("cpu"))
    with pytest.raises(TypeError, match="complex32"):
        family.take(torch.ones(3, dtype=torch.complex32))
    for kind in (torch.float16, torch.bfloat16):
        x = family.take(torch.ones(3, dtype=kind))
        assert family.empty((3,), family.dtype(x)).dtype == kind
    with pytest.raises(TypeError, match="as_tensor"):
        family.take(np.ones(3))
    with pytest.raises(ValueError, match="meta"):
        family.take(torch.ones(3, device="meta"))
    with pytest.raises(TypeError, match="meta"):
        parscan.cumsum(torch.ones(3, device="meta"))
    with pytest.raises(ValueError, match="out is"):
        family.output(torch.ones(3), (4,), np.dtype(np.float32))
