"""Functions of C for operators, made of functions of NumPy's arrays: slow, but they need no compiler."""

import ctypes

import numpy as np

_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
_COMBINE = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _POINTER, _SIZE, _POINTER)
_TEST = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _SIZE, _POINTER)
_LOAD = ctypes.CFUNCTYPE(None, _POINTER, _SIZE, _POINTER, _SIZE, _POINTER)
_STORE = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _SIZE, _SIZE, _POINTER)


def at(address, n, dtype):
    """The array of n elements at an address."""
    dtype = np.dtype(dtype)
    room = (ctypes.c_char * (n * dtype.itemsize)).from_address(address)
    return np.frombuffer(room, dtype.base).reshape(n, *dtype.shape)


def combine(dtype, function, state=None):
    """function(earlier, later), and the state, if it has a dtype."""
    def call(earlier, later, out, n, at_state):
        given = () if state is None else (at(at_state, 1, state)[0],)
        at(out, n, dtype)[...] = function(at(earlier, n, dtype).copy(), at(later, n, dtype), *given)
    return _COMBINE(call)


def relate(dtype, function):
    def call(a, b, flags, n, _state):
        at(flags, n, np.uint8)[...] = function(at(a, n, dtype), at(b, n, dtype))
    return _COMBINE(call)


def test(dtype, function):
    def call(x, flags, n, _state):
        at(flags, n, np.uint8)[...] = function(at(x, n, dtype))
    return _TEST(call)


def load(in_dtype, dtype, function):
    def call(source, first, out, n, _state):
        at(out, n, dtype)[...] = function(at(source, first + n, in_dtype)[first:])
    return _LOAD(call)


def store(dtype, out_dtype, function):
    def call(x, out, first, n, _state):
        at(out, first + n, out_dtype)[first:] = function(at(x, n, dtype))
    return _STORE(call)
