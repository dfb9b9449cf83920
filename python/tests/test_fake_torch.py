"""What is special of PyTorch's CPU tensors, where PyTorch is not: with a module that has their names.
test_torch.py is the same with PyTorch, and more."""

import sys
import types

import numpy as np
import pytest

import parscan
from parscan import _families
from parscan._bfloat16 import BITS


class Tensor:
    device = types.SimpleNamespace(type="cpu")

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def detach(self):
        return self

    def numpy(self):
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.array

    def view(self, dtype):
        return Tensor(self.array.view(BITS if dtype == "torch.bfloat16" else dtype))

    @property
    def dtype(self):
        return "torch.bfloat16" if self.array.dtype == BITS else self.array.dtype


Tensor.__module__ = "torch"


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    module = types.ModuleType("torch")
    module.int16, module.bfloat16 = np.int16, "torch.bfloat16"
    module.as_tensor = lambda array: Tensor(np.asarray(array))
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setattr(_families, "_of_type", {})


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8"])
def test_sums_of_unsigned_tensors_are_int64(kind):
    x = np.array([200, 100, 255], kind)
    for scan, expected in ((parscan.cumsum, [200, 300, 555]), (parscan.cumprod, [200, 20000, 5100000])):
        result = scan(Tensor(x))
        assert isinstance(result, Tensor) and result.dtype == np.int64 and result.array.tolist() == expected
        assert scan(Tensor(x.reshape(1, 3)), 1).dtype == np.int64
        assert scan(x).dtype == np.uint64  # NumPy's
    assert parscan.cumsum(Tensor(x), dtype=np.uint64).dtype == np.uint64
    assert parscan.inclusive_scan(Tensor(x)).dtype == kind


def test_bool_tensors_of_other_bytes():
    x = Tensor(np.array([2, 0, 255], np.uint8).view(bool))
    assert parscan.cumsum(x).array.tolist() == [1, 1, 2] and parscan.cumsum(x).dtype == np.int64
    assert parscan.sort(x).array.view(np.uint8).tolist() == [0, 1, 1]


def test_bfloat16_tensors():
    x = Tensor(np.full(5000, 0x3f80, np.uint16).view(BITS))  # ones
    sums = parscan.cumsum(x)
    assert sums.dtype == "torch.bfloat16" and sums.array["bfloat16"][-1] == 0x459c  # 4992
    assert parscan.cumsum(x, dtype=np.float32).array[-1] == 5000
    assert parscan.reduce(x, "max").dtype == "torch.bfloat16"
    same = parscan.exclusive_scan(x, out=x)
    assert same is x and x.array["bfloat16"][:3].tolist() == [0, 0x3f80, 0x4000]
