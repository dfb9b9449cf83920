"""Arrays in host memory: NumPy's, and what NumPy makes an array of; PyTorch's CPU tensors."""

import sys
from operator import attrgetter

import numpy as np

from ._bfloat16 import BFLOAT16, cast, is_bfloat16, name_of
from ._context import ThreadContext, host_context, thread
from ._counted import refuse_counted
from ._library import CODES, KNOWN, pointer_of
from ._nulls import as_array, numpy_of, refuse_masked, with_numpy

ndarray, empty = np.ndarray, np.empty
_SMALL = 1 << 16  # bytes: below it a result is a view of the room that was there for it
_BYTE, _I64, _U64 = np.dtype(np.uint8), np.dtype(np.int64), np.dtype(np.uint64)


SHORT = 1024  # elements up to which NumPy's own function takes less time than ctypes and a call of the library


def is_short(x, context):
    """Whether that is so of a caller's array in a call that names no context, and is not one of CUDA's."""
    return (context is None and type(x) is ndarray and x.size <= SHORT and x.dtype in CODES
            and type(thread.host or host_context()) is ThreadContext)


def refuse(dtype, what):
    """TypeError for an array of a type that parscan has not."""
    name = name_of(dtype) if isinstance(dtype, np.dtype) else str(dtype)  # PyTorch's
    raise TypeError(f"{what} is an array of {name}: {KNOWN}")


def direct(function, code, x, shape, dtype, options):
    """What most calls on small arrays are, in half of the time of the general way: a function of (type,
    in, out, n, options), a taken array, a new result of this shape and type, this thread's context."""
    context = thread.host
    if type(context) is not ThreadContext:
        context = host_context()
    y = empty(shape, dtype)
    if type(context) is not ThreadContext:
        context.call(function, code, pointer_of(x), pointer_of(y), x.size, options)
        return y
    status = function(context.handle, code, pointer_of(x), pointer_of(y), x.size, options)
    if status:
        context.fail(status)
    return y


class Host:
    """What the functions of the package do with NumPy arrays. Other classes do the same elsewhere.

    "Taken" arrays are C-contiguous, in the machine's byte order, and of a type that parscan has. Their
    names for errors are the functions' parameters.
    """

    where = "host"
    pieces = 1 << 15  # elements that within() looks at at once
    wide_unsigned = _U64  # the type of NumPy's cumsum() of unsigned integers
    bounds_indices = True  # gather() and scattered() of any index stay within: NumPy raises, CuPy wraps

    # -- from and to the caller

    def context(self, _array):
        return host_context()

    def take(self, array, what="x"):
        """The caller's array, taken: itself if possible, else a copy."""
        if type(array) is ndarray and array.flags.c_contiguous and array.dtype in CODES:
            return array
        array = self.take_any(array, what)
        return array if array.dtype in CODES else refuse(array.dtype, what)

    def take_any(self, array, what="x"):
        """The same of any type whose elements are plain bytes."""
        if type(array) is ndarray and array.flags.c_contiguous and array.dtype in CODES:
            return array
        refuse_counted(array, what)
        refuse_masked(array, what)
        if hasattr(array, "__dlpack__") and not hasattr(array, "__array__"):
            array = np.from_dlpack(array)
        elif isinstance(array, (list, tuple)):
            array = with_numpy(array, what)
        elif not isinstance(array, ndarray):
            array = numpy_of(array, what)
        array = as_array(array, what)
        if array.dtype.hasobject:
            raise TypeError(f"{what} is an array of {array.dtype}: its elements are not plain bytes")
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        return np.asarray(array, order="C")

    def give(self, array):
        """What the caller gets for an array that was made here."""
        return array

    def give_along(self, array, role="n", closed=False):
        """The same of one that is as long as an argument, which may be counted (_counted.py)."""
        return self.give(array)

    def output(self, out, shape, dtype, *inputs, in_place=True):
        """The array to write for the caller's `out`: itself, or a new one that finish() copies.

        inputs: those that it must not overlap; the first may be `out` itself if in_place.
        """
        if out is None:
            return np.empty(shape, dtype)
        if not isinstance(out, ndarray) or isinstance(out, np.ma.MaskedArray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        if out.shape != shape or out.dtype != dtype and out.dtype.newbyteorder("=") != dtype:
            raise ValueError(f"out is {out.dtype}{list(out.shape)}: it must be {dtype}{list(shape)}")
        flags = out.flags
        if not flags.writeable:
            raise ValueError("out is read-only")
        if not flags.c_contiguous or out.dtype != dtype:
            return np.empty(shape, dtype)
        begin = pointer_of(out)
        end = begin + out.nbytes
        for k, array in enumerate(inputs):
            first = pointer_of(array)
            if first < end and begin < first + array.nbytes and not (
                    k == 0 and in_place and first == begin and array.nbytes == out.nbytes):
                return np.empty(shape, dtype)
        return out

    def writable(self, out):
        """The caller's array of any type, to be written as it is."""
        refuse_masked(out, "out")
        if not (isinstance(out, ndarray) and out.flags.c_contiguous and out.flags.writeable):
            raise ValueError("out must be a contiguous array that may be written")
        if out.dtype.hasobject:
            raise TypeError(f"out is {out.dtype}: its elements are not plain bytes")
        return out

    def finish(self, result, out):
        """What the caller gets for the array of output()."""
        if out is None:
            return result
        if result is not out:
            out[...] = result
        return out

    # -- of taken arrays

    pointer = staticmethod(pointer_of)

    dtype = staticmethod(attrgetter("dtype"))
    shape = staticmethod(attrgetter("shape"))
    size = staticmethod(attrgetter("size"))
    empty = staticmethod(np.empty)

    def like(self, array, shape):
        """A new array of the same type."""
        return np.empty(shape, array.dtype)

    def copy(self, array):
        """A new array of the same elements, which nobody else can change."""
        return array.copy()

    def nbytes(self, array):
        return array.nbytes

    def cast(self, array, dtype):
        if is_bfloat16(np.dtype(dtype)) or is_bfloat16(array.dtype):
            return cast(array, np.dtype(dtype))
        return array.astype(dtype)

    def truth(self, _context, array):
        """A new bool array: whether each byte is not 0."""
        return array.view(_BYTE) != 0

    def reshape(self, array, shape):
        return array.reshape(shape)

    def swapaxes(self, array, first, second):
        """A contiguous array with two axes exchanged."""
        return array.swapaxes(first, second).copy()

    def permuted(self, array, axes):
        """A contiguous array with its axes in this order."""
        return array.transpose(axes).copy()

    def head(self, array, count):
        """The first elements of a new array; the room behind them is freed."""
        if array.nbytes <= _SMALL:
            return array[:count]
        if count < array.shape[0]:
            array.resize((count, *array.shape[1:]), refcheck=False)
        return array

    def part(self, array, count):
        """The first elements of a caller's array, in its memory."""
        return array[:count]

    def places(self, count):
        """0 to count - 1, int64."""
        return np.arange(count)

    def last(self, context, array):
        """The last element, as an int."""
        return int(array[-1])

    def full(self, shape, value, dtype):
        return np.full(shape, value, dtype)

    def gather(self, array, index):
        return array[index]

    def scattered(self, index, values):
        """The array whose elements at `index` are the values."""
        result = np.empty_like(values)
        result[index] = values
        return result

    def unravel(self, index, shape):
        return np.unravel_index(index, shape)

    def element(self, array):
        """The only element, as a scalar."""
        return array[()]

    def within(self, offsets, sizes, limit):
        """Whether each offset + size is at most the limit."""
        offsets, sizes, limit, most = _unsigned(offsets), _unsigned(sizes), np.uint64(limit), self.pieces
        for begin in range(0, offsets.shape[0], most):  # so that no new pages are needed
            some = offsets[begin:begin + most]
            if not ((some <= limit).all() and (sizes[begin:begin + most] <= limit - some).all()):
                return False
        return True


def _unsigned(array):
    """Integers modulo 2^64, themselves if possible."""
    return array.view(_U64) if array.dtype.itemsize == 8 else array.astype(_U64)


HOST = Host()


class StandardHost(Host):
    """Arrays in host memory of a library that has the array API standard's names, as JAX and array-api-strict: NumPy
    arrays on the same memory, through DLPack, both ways."""

    def __init__(self, library):
        self.library = library

    def give(self, array):
        if array.dtype == np.bool_ or is_bfloat16(array.dtype):  # old ones have no bool in DLPack, NumPy no bfloat16
            return self.library.asarray(array)
        if not (array.flags.c_contiguous and array.flags.writeable):  # JAX takes no strides, NumPy gives nothing read-only
            array = array.copy()
        return self.library.from_dlpack(array)

    def element(self, array):
        return self.give(array)

    def output(self, out, shape, dtype, *inputs, in_place=True):
        return super().output(self._none(out), shape, dtype, *inputs, in_place=in_place)

    def writable(self, out):
        return super().writable(out if isinstance(out, ndarray) else self._none(out))

    def finish(self, result, out):
        return self.give(result)

    @staticmethod
    def _none(out):
        """No out: what NumPy makes of DLPack's memory is read-only."""
        if out is not None:
            raise TypeError(f"out is {type(out).__name__}: only arrays of NumPy, PyTorch and CuPy can be written")
        return out


class _OnHost:
    """Of an array on another device: what DLPack gives of it in host memory, a copy."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):  # dpnp looks at dl_device beside max_version alone
        return self.array.__dlpack__(**{**options, "dl_device": (1, 0)})


class CopyingHost(StandardHost):
    """The same of arrays on a device that parscan has not, as dpnp's: they are copied from it, and results to it."""

    copies = True

    def __init__(self, library, device):
        super().__init__(library)
        self.device = device

    def take_any(self, array, what="x"):
        if hasattr(array, "__dlpack_device__") and not isinstance(array, ndarray):
            array = np.from_dlpack(_OnHost(array))
        return super().take_any(array, what)

    def give(self, array):
        return self.library.asarray(array, device=self.device)


class TorchHost(Host):
    """PyTorch's CPU tensors: NumPy arrays on the same memory."""

    wide_unsigned = _I64  # as in torch.cumsum()

    def take(self, array, what="x"):
        return super().take(self._numpy(array, what), what)

    def take_any(self, array, what="x"):
        return super().take_any(self._numpy(array, what), what)

    @staticmethod
    def _numpy(array, what="out"):
        if not hasattr(array, "data_ptr"):
            return array  # NumPy's, a list
        array = array.detach()
        if str(array.dtype) == "torch.bfloat16":  # which numpy() refuses
            return array.view(sys.modules["torch"].int16).numpy().view(BFLOAT16)
        try:
            return array.numpy()
        except TypeError:  # of other types that NumPy has not
            raise TypeError(f"{what} is a tensor of {array.dtype}: "
                            "parscan has no such elements") from None

    def give(self, array):
        torch = sys.modules["torch"]
        if is_bfloat16(array.dtype):
            return torch.as_tensor(np.asarray(array).view(np.int16)).view(torch.bfloat16)
        return torch.as_tensor(array)

    def element(self, array):
        return self.give(array)

    def output(self, out, shape, dtype, *inputs, in_place=True):
        return super().output(None if out is None else self._numpy(out), shape, dtype, *inputs,
                              in_place=in_place)

    def writable(self, out):
        return super().writable(self._numpy(out))

    def finish(self, result, out):
        if out is None:
            return self.give(result)
        target = self._numpy(out)  # on the memory of out
        if pointer_of(target) != pointer_of(result):
            target[...] = result
        return out
