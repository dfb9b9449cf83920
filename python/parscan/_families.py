"""CuPy's and PyTorch's arrays on a device, and which class handles an array."""

from __future__ import annotations

import sys
from contextlib import contextmanager

import numpy as np

from ._bfloat16 import BITS, NAMES, name_of
from ._counted import Counted, counting, refuse_counted
from ._context import checked, host_context, stream_context, stream_handle, thread
from ._device import _DLPACK_CPU, _DLPACK_CUDA, _DLPACK_MANAGED, _DLPACK_PINNED, DeviceArray, Raw
from ._host import HOST, CopyingHost, Host, StandardHost, TorchHost, refuse
from ._library import CODES, flag

ndarray = np.ndarray


def _check_output(arrays, out, shape, dtype, inputs, in_place):
    """Whether `out` can be written directly; ValueError if it is not as it must be."""
    if arrays.dtype(out) != dtype or tuple(out.shape) != tuple(shape):
        raise ValueError(f"out is {out.dtype}{list(out.shape)}: it must be {dtype}{list(shape)}")
    begin = arrays.pointer(out)
    for k, array in enumerate(inputs):
        first = arrays.pointer(array)
        same = (k == 0 and in_place and first == begin
                and arrays.nbytes(array) == arrays.nbytes(out))
        if not same and first < begin + arrays.nbytes(out) and begin < first + arrays.nbytes(array):
            return False
    return True


class Cupy(Host):
    """CuPy's arrays on the current device and stream. CuPy has NumPy's names."""

    where = "device"
    pieces = sys.maxsize  # each is waited for

    def __init__(self, cupy):
        self.cupy = cupy

    def context(self, array):
        stream = self.cupy.cuda.get_current_stream()
        return stream_context(array.device.id, stream.ptr, stream)

    def take(self, array, what="x"):
        array = self.take_any(array, what)
        return array if array.dtype in CODES else refuse(array.dtype, what)

    def take_any(self, array, what="x"):
        if not isinstance(array, self.cupy.ndarray):
            refuse_counted(array, what)
            if isinstance(array, np.ndarray):
                raise TypeError(f"{what} is NumPy's beside CuPy's arrays in one call: use cupy.asarray()")
            array = self.cupy.asarray(array)
        current = self.cupy.cuda.runtime.getDevice()
        if array.device.id != current:
            raise ValueError(f"{what} is on device {array.device.id}: the current device is {current}")
        return self.cupy.ascontiguousarray(array).reshape(array.shape)

    def output(self, out, shape, dtype, *inputs, in_place=True):
        if out is None:
            return self.cupy.empty(shape, dtype)
        direct = isinstance(out, self.cupy.ndarray) or _refuse_out(out)
        direct = (_check_output(self, out, shape, dtype, inputs, in_place)
                  and out.flags.c_contiguous and direct)
        return out if direct else self.cupy.empty(shape, dtype)

    def writable(self, out):
        if not (isinstance(out, self.cupy.ndarray) and out.flags.c_contiguous):
            raise ValueError("out must be a contiguous array")
        return out

    def pointer(self, array):
        return array.data.ptr

    def empty(self, shape, dtype):
        return self.cupy.empty(shape, dtype)

    def like(self, array, shape):
        return self.cupy.empty(shape, array.dtype)

    def swapaxes(self, array, first, second):
        return self.cupy.ascontiguousarray(array.swapaxes(first, second))

    def permuted(self, array, axes):
        return self.cupy.ascontiguousarray(array.transpose(axes))

    def head(self, array, count):
        part = array[:count]
        return part if 2 * count >= array.shape[0] else part.copy()

    def places(self, count):
        return self.cupy.arange(count, dtype=np.int64)

    def last(self, context, array):
        return int(array[-1])

    def full(self, shape, value, dtype):
        return self.cupy.full(shape, value, dtype)

    def element(self, array):
        return array

    def scattered(self, index, values):
        result = self.cupy.empty_like(values)
        result[index] = values
        return result

    def unravel(self, index, shape):
        return self.cupy.unravel_index(index, shape)


def _refuse_out(out):
    raise TypeError(f"out is a {type(out).__name__}: it must be an array like the first one")


class Torch:
    """PyTorch's tensors on a device, on its current stream. Methods as in Host."""

    where = "device"
    wide_unsigned = TorchHost.wide_unsigned
    bounds_indices = False  # a kernel's assertion ends all of the process's work on the device

    def __init__(self, torch, device):
        self.torch, self.device = torch, device
        names = {"bool": bool, **{name_of(dtype): dtype for dtype in CODES if dtype != BITS}, **NAMES}
        self.to_torch = {np.dtype(dtype): getattr(torch, name) for name, dtype in names.items()
                         if hasattr(torch, name)}
        self.to_numpy = {kind: dtype for dtype, kind in self.to_torch.items()}

    def context(self, array):
        stream = self.torch.cuda.current_stream(self.device).cuda_stream
        return stream_context(self.device.index or 0, stream)

    def take(self, array, what="x"):
        array = self.take_any(array, what)
        return array if array.dtype in self.to_numpy else refuse(array.dtype, what)

    def take_any(self, array, what="x"):
        if not isinstance(array, self.torch.Tensor):
            refuse_counted(array, what)
            if isinstance(array, np.ndarray):
                raise TypeError(f"{what} is NumPy's beside tensors in one call: use torch.as_tensor()")
            array = self.torch.as_tensor(array, device=self.device)
        if array.device != self.device:
            raise ValueError(f"{what} is on {array.device}: the first tensor is on {self.device}")
        return array.detach().contiguous()

    def give(self, array):
        return array

    def give_along(self, array, role="n", closed=False):
        return array

    def part(self, array, count):
        return array[:count]

    def output(self, out, shape, dtype, *inputs, in_place=True):
        if out is None:
            return self.empty(shape, dtype)
        if not isinstance(out, self.torch.Tensor) or out.device != self.device:
            _refuse_out(out)
        direct = _check_output(self, out, shape, dtype, inputs, in_place) and out.is_contiguous()
        return out if direct else self.empty(shape, dtype)

    def writable(self, out):
        if not (isinstance(out, self.torch.Tensor) and out.is_contiguous()):
            raise ValueError("out must be a contiguous tensor")
        return out

    def finish(self, result, out):
        if out is None:
            return result
        if result is not out:
            out.copy_(result)
        return out

    def pointer(self, array):
        return array.data_ptr()

    def dtype(self, array):
        return self.to_numpy[array.dtype]

    def shape(self, array):
        return tuple(array.shape)

    def size(self, array):
        return array.numel()

    def nbytes(self, array):
        return array.numel() * array.element_size()

    def _type(self, dtype):
        try:
            return self.to_torch[np.dtype(dtype)]
        except KeyError:
            raise TypeError(f"this PyTorch has no {np.dtype(dtype)}") from None

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=self._type(dtype), device=self.device)

    def like(self, array, shape):
        return self.torch.empty(shape, dtype=array.dtype, device=self.device)

    def copy(self, array):
        return array.clone()

    def cast(self, array, dtype):
        return array.to(self._type(dtype))

    def truth(self, _context, array):
        return array.view(self.torch.uint8) != 0

    def reshape(self, array, shape):
        return array.reshape(shape)

    def swapaxes(self, array, first, second):
        return array.transpose(first, second).contiguous()

    def permuted(self, array, axes):
        return array.permute(axes).contiguous()

    def head(self, array, count):
        part = array[:count]
        return part if 2 * count >= array.shape[0] else part.clone()

    def places(self, count):
        return self.torch.arange(count, device=self.device)

    def last(self, context, array):
        return int(array[-1])

    def full(self, shape, value, dtype):
        return self.torch.full(shape, value, dtype=self._type(dtype), device=self.device)

    def gather(self, array, index):
        return array[index]

    def scattered(self, index, values):
        result = self.torch.empty_like(values)
        result[index] = values
        return result

    def unravel(self, index, shape):
        result = []
        for length in reversed(shape):
            result.append(index % length)
            index = index // length
        return tuple(reversed(result))

    def element(self, array):
        return array

    def within(self, offsets, sizes, limit):
        offsets, sizes = offsets.to(self.torch.int64), sizes.to(self.torch.int64)
        return bool(((offsets >= 0) & (sizes >= 0) & (offsets <= limit)
                     & (sizes <= limit - offsets)).all())


TORCH_HOST = TorchHost()
_standard: dict = {}  # the class that handles arrays of a library of the array API standard
_devices: dict = {}  # the class that handles arrays of a library and device
_of_type: dict = {}  # library of a type: "cupy", "torch", "host" or "other"


def _library_of(kind) -> str:
    for base in kind.__mro__:
        name = base.__module__.partition(".")[0]
        if name in ("cupy", "torch") and base.__name__ in ("ndarray", "Tensor"):
            return name
    if issubclass(kind, (np.ndarray, np.generic, list, tuple, int, float)):
        return "host"
    return "other"


def _raw(array):
    """For an array of a library that is not known here; HOST if it is in host memory."""
    if isinstance(array, type):  # a class has the methods of its arrays; HOST refuses it, by name
        return HOST
    if isinstance(array, DeviceArray) or hasattr(array, "__cuda_array_interface__"):
        device = array.device if isinstance(array, DeviceArray) else 0
        stream = array.__cuda_array_interface__.get("stream")
        return Raw(device, thread.raw_stream or stream or 1)
    if hasattr(array, "__dlpack_device__"):
        try:
            kind, device = (int(part) for part in array.__dlpack_device__())
        except TypeError:  # PyArrow's arrays of booleans, of which only NumPy can be made
            return HOST
        if kind in (_DLPACK_CUDA, _DLPACK_MANAGED):
            return Raw(device, thread.raw_stream or 1)
        on_host = kind in (_DLPACK_CPU, _DLPACK_PINNED)
        if hasattr(array, "__array_namespace__"):
            library = array.__array_namespace__()
            if not on_host:
                return CopyingHost(library, array.device)
            if hasattr(library, "from_dlpack"):
                return _standard.setdefault(library, StandardHost(library))
        if not on_host:
            raise TypeError(f"an array on a device of DLPack's kind {kind}: parscan has CPU and CUDA")
    return HOST


def family_of(array):
    """What handles an array."""
    kind = type(array)
    name = _of_type.get(kind)
    if name is None:
        name = _of_type[kind] = _library_of(kind)
    if name == "host":
        return HOST
    if name == "other":
        return _raw(array)
    module = sys.modules[name]
    if name == "cupy":
        key = name
    elif array.device.type == "cpu":
        return TORCH_HOST
    elif array.device.type == "cuda":
        key = array.device
    else:
        raise TypeError(f"a tensor on {array.device}: parscan has CPU and CUDA")
    if key not in _devices:
        _devices[key] = Cupy(module) if name == "cupy" else Torch(module, array.device)
    return _devices[key]


def choose(array, context):
    """What handles the array, and the context of the call."""
    if type(array) is ndarray:
        return HOST, (thread.host or host_context()) if context is None else checked(context)
    family = family_of(array)
    if context is None:
        return family, family.context(array)
    if isinstance(family, Raw):
        family.device = checked(context).device_number
    return family, checked(context)


def choose_counted(array, context, *others, counted=None, room=None, second="", by_room=""):
    """choose() for a function that takes counted arrays, of which these may be one.

    counted: whether the function makes one where it finds out a length; None: if it is given one. room: its
    room; None: the most that there can be.
    second: the parameter whose length is the call's second one, as that of the values beside it is; by_room: the
    one that counts with all of its room.
    """
    if counted is not None:
        counted = flag(counted, "counted")
    if not (counted or room is not None or type(array) is Counted or others and Counted in map(type, others)):
        if type(array) is ndarray and context is None:
            return HOST, thread.host or host_context()
        return choose(array, context)
    family, context = choose(array.array if type(array) is Counted else array, context)
    return counting(family, context, counted, room, second, by_room)


@contextmanager
def _current(array, stream):
    """Makes a stream the current one of the array's library."""
    array = array.array if type(array) is Counted else array
    family, handle = family_of(array), stream_handle(stream)
    outer, thread.given = thread.given, stream
    try:
        with _current_of(family, array, handle):
            yield
    finally:
        thread.given = outer


@contextmanager
def _current_of(family, array, handle):
    if isinstance(family, Cupy):
        with family.cupy.cuda.ExternalStream(handle, array.device.id):
            yield
    elif isinstance(family, Torch):
        torch = family.torch
        # PyTorch takes an odd handle for a number of its own.
        current = (torch.cuda.default_stream(family.device) if handle == 1
                   else torch.cuda.ExternalStream(handle, device=family.device))
        with torch.cuda.stream(current):
            yield
    elif isinstance(family, Raw):
        outer, thread.raw_stream = thread.raw_stream, handle
        try:
            yield
        finally:
            thread.raw_stream = outer
    else:
        raise ValueError("stream is for arrays in device memory")


def on_stream(function, arguments):
    """The call with its stream= being current. arguments: its locals() before all else."""
    stream = arguments.pop("stream")
    with _current(next(iter(arguments.values())), stream):
        return function(**arguments)
