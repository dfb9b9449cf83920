"""Arrays in device memory: CuPy's, PyTorch's, and those of any library that has
``__cuda_array_interface__`` or DLPack. None is copied, but to make it contiguous.

Results are arrays of the library whose array came first; for libraries that are not known here they
are DeviceArrays.
"""

from __future__ import annotations

import ctypes
import math
import operator

import numpy as np

from ._bfloat16 import BFLOAT16
from ._bool import truth_by_scans
from ._context import Context, memory_context, stream_context
from ._counted import refuse_counted
from ._host import HOST, refuse
from ._library import CODES, dtype_of, library, pointer_of, whole

_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_PINNED, _DLPACK_MANAGED = 1, 2, 3, 13
_DLPACK_BFLOAT = 4  # kDLBfloat


class DeviceArray:
    """A C-contiguous array in the memory of a CUDA device.

    What functions return for device arrays of other libraries than CuPy and PyTorch, and what
    ``Context.empty()`` makes. ``cupy.asarray()``, ``torch.as_tensor()`` and Numba take it without a
    copy; ``numpy()`` copies it to the host.
    """

    def __init__(self, pointer, shape, dtype, owner=None, device=0, stream=None):
        self.pointer = pointer
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.device = device
        self.stream = stream
        self._owner = owner

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self):
        return self.shape[0]

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer or 0, False),
                "version": 3, "strides": None, "stream": self.stream}

    def reshape(self, *shape):
        """The same memory in another shape."""
        if len(shape) == 1 and not hasattr(shape[0], "__index__"):
            shape = tuple(shape[0])
        shape = tuple(operator.index(length) for length in shape)
        if -1 in shape:
            rest = -math.prod(shape)
            shape = tuple(self.size // max(rest, 1) if n == -1 else n for n in shape)
        if math.prod(shape) != self.size:
            raise ValueError(f"{self.size} elements have no shape {shape}")
        return DeviceArray(self.pointer, shape, self.dtype, self, self.device, self.stream)

    def numpy(self) -> np.ndarray:
        """A copy in host memory, after the work that writes the array."""
        result = np.empty(self.shape, self.dtype)
        context = stream_context(self.device, self.stream or 1)
        context.call(library.copy, pointer_of(result), self.pointer, self.nbytes)
        context.synchronize()
        return result

    def __repr__(self):
        return f"<parscan.DeviceArray {self.dtype}{list(self.shape)} on device {self.device}>"


class _Memory:
    """Memory of parscan_malloc(), freed with the last reference."""

    def __init__(self, context: Context, size: int):
        self.context = context
        pointer = ctypes.c_void_p()
        context.call(library.malloc, ctypes.addressof(pointer), size)
        self.pointer = pointer.value

    def __del__(self):
        context = getattr(self, "context", None)
        if getattr(self, "pointer", None) and context.is_usable():
            with context.lock:
                library.free(context.handle, self.pointer)


def engine_array(context: Context, shape, dtype):
    """Context.empty()."""
    lengths = tuple(shape) if np.ndim(shape) else (shape,)
    shape = tuple(whole(length, "shape") for length in lengths)
    dtype = dtype_of(dtype)
    if dtype.hasobject:
        raise TypeError(f"dtype = {dtype}: its elements are not plain bytes")
    memory = _Memory(context, math.prod(shape) * dtype.itemsize)
    if context.backend == "cuda":
        return DeviceArray(memory.pointer, shape, dtype, memory, context.device_number)
    if memory.pointer is None:
        return np.empty(shape, dtype)
    buffer = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).from_address(memory.pointer)
    buffer.memory = memory  # lives as long as the array's base
    return np.frombuffer(buffer, dtype).reshape(shape)


def bytes_of(array, writable=False):
    """Pointer, bytes and owner of a contiguous array anywhere, for Context.copy()."""
    if isinstance(array, np.ndarray):
        if array.dtype.hasobject:
            raise TypeError(f"an array of {array.dtype}: its elements are not plain bytes")
        if not array.flags.c_contiguous or writable and not array.flags.writeable:
            raise ValueError("a copy takes contiguous arrays, and writes to one that may be written")
        return pointer_of(array), array.nbytes, array
    if hasattr(array, "data_ptr"):
        if not array.is_contiguous():
            raise ValueError("a copy takes contiguous arrays")
        return array.data_ptr(), array.numel() * array.element_size(), array
    if hasattr(array, "__cuda_array_interface__") or hasattr(array, "__dlpack__"):
        raw = foreign(array, 1, any_type=True)
        return raw.pointer, raw.nbytes, raw
    raise TypeError(f"{type(array).__name__} is no array in host or device memory")


# DLPack: https://dmlc.github.io/dlpack/latest/c_api.html


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int),
                ("device_id", ctypes.c_int), ("ndim", ctypes.c_int), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_pointer.restype = ctypes.c_void_p


def _is_contiguous(shape, strides) -> bool:
    """Whether strides, in elements, are those of C order."""
    expected = 1
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != expected:
            return math.prod(shape) == 0
        expected *= length
    return True


def _need_contiguous(contiguous: bool):
    if not contiguous:
        raise ValueError("device arrays of other libraries than CuPy and PyTorch must be C-contiguous")


def from_capsule(capsule) -> DeviceArray:
    """An array on the memory of a DLPack capsule. It keeps the capsule, whose destructor tells the
    producer that the memory is no longer used."""
    tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    kinds = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
    is_bfloat16 = (tensor.code, tensor.bits) == (_DLPACK_BFLOAT, 16)
    if tensor.lanes != 1 or not (tensor.code in kinds and tensor.bits % 8 == 0 or is_bfloat16):
        raise TypeError(f"DLPack's type {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes: "
                        "parscan has no such elements")
    dtype = BFLOAT16 if is_bfloat16 else np.dtype(f"{kinds[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[:tensor.ndim])
    _need_contiguous(not tensor.strides or _is_contiguous(shape, tensor.strides[:tensor.ndim]))
    return DeviceArray((tensor.data or 0) + tensor.byte_offset, shape, dtype, capsule,
                       tensor.device_id)


def foreign(array, stream=None, any_type=False, what="x") -> DeviceArray:
    """A DeviceArray on the memory of an array of any library."""
    refuse_counted(array, what)
    if isinstance(array, DeviceArray):
        result = array
    elif hasattr(array, "__cuda_array_interface__"):
        interface = array.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise TypeError(f"{what} is masked, which has no meaning here")
        dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        strides = interface.get("strides")
        _need_contiguous(strides is None or _is_contiguous(
            shape, [stride / dtype.itemsize for stride in strides]))
        result = DeviceArray(interface["data"][0], shape, dtype, array, 0, interface.get("stream"))
    else:
        result = from_capsule(array.__dlpack__(stream=stream))
    if not any_type and result.dtype not in CODES:
        refuse(result.dtype, what)
    return result


def last_on_device(context: Context, end, dtype) -> int:
    """The last element of a device array that ends there."""
    result = np.empty((), dtype)
    context.call(library.copy, pointer_of(result), end - dtype.itemsize, dtype.itemsize)
    context.synchronize()
    return int(result)


class Raw:
    """Arrays of other libraries: DeviceArrays. Methods as in Host."""

    where = "device"
    wide_unsigned = HOST.wide_unsigned
    bounds_indices = True  # it has no indexing

    def __init__(self, device, stream):
        self.device, self.stream = device, stream

    def context(self, _array):
        return stream_context(self.device, self.stream)

    def take(self, array, what="x"):
        return foreign(array, self.stream, what=what)

    def take_any(self, array, what="x"):
        return foreign(array, self.stream, any_type=True, what=what)

    def truth(self, context, array):
        return truth_by_scans(self, context, array)

    def give(self, array):
        return array

    def give_along(self, array, role="n", closed=False):
        return array

    def output(self, out, shape, dtype, *inputs, in_place=True):
        if out is None:
            return self.empty(shape, dtype)
        result = foreign(out, self.stream, what="out")
        if result.dtype != dtype or result.shape != tuple(shape):
            raise ValueError(f"out is {result.dtype}{list(result.shape)}: it must be "
                             f"{dtype}{list(shape)}")
        for k, array in enumerate(inputs):
            same = k == 0 and in_place and array.pointer == result.pointer
            if not (same and array.nbytes == result.nbytes) and (
                    array.pointer < result.pointer + result.nbytes
                    and result.pointer < array.pointer + array.nbytes):
                raise ValueError("out overlaps an input")
        return result

    def writable(self, out):
        return self.take_any(out)

    def finish(self, result, out):
        return result if out is None else out

    def pointer(self, array):
        return array.pointer

    def dtype(self, array):
        return array.dtype

    def shape(self, array):
        return array.shape

    def size(self, array):
        return array.size

    def nbytes(self, array):
        return array.nbytes

    def empty(self, shape, dtype):
        result = engine_array(memory_context(self.device), shape, dtype)
        if isinstance(result, DeviceArray):
            result.stream = self.stream
        return result

    def like(self, array, shape):
        return self.empty(shape, array.dtype)

    def reshape(self, array, shape):
        return array.reshape(shape)

    def part(self, array, count):
        array = foreign(array, self.stream, any_type=True)
        return DeviceArray(array.pointer, (count, *array.shape[1:]), array.dtype, array, self.device,
                           self.stream)

    def head(self, array, count):
        part = self.part(array, count)
        return part if 2 * count >= array.shape[0] else self.copy(part)

    def _copy_of(self, array, pointer):
        result = self.empty(array.shape, array.dtype)
        context = stream_context(self.device, self.stream)
        context.call(library.copy, result.pointer, pointer, array.nbytes)
        return result

    def copy(self, array):
        return self._copy_of(array, array.pointer)

    def _up(self, array):
        return self._copy_of(array, pointer_of(array))

    def places(self, count):
        return self._up(HOST.places(count))

    def last(self, context, array):
        return last_on_device(context, array.pointer + array.nbytes, array.dtype)

    def full(self, shape, value, dtype):
        return self._up(np.full(shape, value, dtype))

    def unravel(self, index, shape):
        return (index,) if len(shape) == 1 else self._lacks()

    def element(self, array):
        return array

    def within(self, offsets, sizes, limit):
        return HOST.within(offsets.numpy(), sizes.numpy(), limit)

    def _lacks(self, *_):
        raise TypeError("this needs NumPy's, CuPy's or PyTorch's arrays")

    cast = swapaxes = permuted = gather = scattered = _lacks
