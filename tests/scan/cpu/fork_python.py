"""Contexts in the processes that Python's multiprocessing forks. Argument: libparscan."""
import ctypes
import multiprocessing
import sys

library = ctypes.CDLL(sys.argv[1])
U32 = 5
COUNT = 300000
library.parscan_context_destroy.restype = None


def create():
    context = ctypes.c_void_p()
    status = library.parscan_context_create(ctypes.byref(context), None)
    assert status == 0, status
    return context


def is_right(context):
    numbers = (ctypes.c_uint32 * COUNT)(*([3] * COUNT))
    status = library.parscan_inclusive_scan(
        context, U32, numbers, numbers, ctypes.c_size_t(COUNT), None)
    return status == 0 and all(numbers[i] == 3 * (i + 1) for i in range(0, COUNT, 997))


def work(_):
    """In a child: the parent's context, and one of its own."""
    own = create()
    right = is_right(inherited) and is_right(own)
    library.parscan_context_destroy(own)
    return right


if "fork" not in multiprocessing.get_all_start_methods():
    sys.exit(77)
inherited = create()
assert is_right(inherited)
with multiprocessing.get_context("fork").Pool(3) as pool:
    assert all(pool.map(work, range(12)))
assert is_right(inherited)
library.parscan_context_destroy(inherited)
print("12 calls in 3 processes are right")
