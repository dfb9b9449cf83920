"""NumPy's side of numpy.c: calls, timed here, on arrays of this process.

A line of standard input is a request, a line of standard output its answer:
    load TYPE N                the next calls' input: N elements from the shared memory
    call NAME CALLS ARGUMENT   makes so many calls; their seconds
    fetch                      the last result, into the shared memory; its elements, its bytes
    drop                       forgets the arrays
"""

import mmap
import os
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit()  # no first line: the peer is missing, and its row says so

SHARED = 3  # the descriptor of numpy.c's shared memory
TYPES = {"u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32,
         "i32": np.int32, "u64": np.uint64, "i64": np.int64, "f32": np.float32, "f64": np.float64}


def cumsum(array, out, _):
    return np.cumsum(array, dtype=array.dtype, out=out)


def sort(array, out, _):
    """In place, so that each call copies its input first, as all peers that do."""
    np.copyto(out, array)
    out.sort()
    return out


def bincount(array, _, bins):
    return np.bincount(array, minlength=bins)


def mask(array, _, limit):
    return array[array < limit]


CALLS = {function.__name__: function for function in (cumsum, sort, bincount, mask)}


def load(type_name, count):
    """The input and room for a result."""
    element = np.dtype(TYPES[type_name])
    with mmap.mmap(SHARED, count * element.itemsize) as shared:
        array = np.frombuffer(shared, dtype=element).copy()
    return array, np.empty_like(array)


def fetch(call, result):
    """Counts are 64 bits wide in NumPy, 32 here."""
    values = result.astype(np.uint32) if call is bincount else result
    if values.nbytes > 0:
        os.ftruncate(SHARED, values.nbytes)
        with mmap.mmap(SHARED, values.nbytes) as shared:
            shared[:] = values.tobytes()
    return f"{values.size} {values.nbytes}"


def serve():
    array = out = result = call = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "load":
            array = out = result = None
            array, out = load(words[1], int(words[2]))
            answer = "0"
        elif words[0] == "call":
            call, argument = CALLS[words[1]], int(words[3])
            begin = time.perf_counter()
            for _ in range(int(words[2])):
                result = call(array, out, argument)
            answer = repr(time.perf_counter() - begin)
        elif words[0] == "fetch":
            answer = fetch(call, result)
        else:
            array = out = result = None
            os.ftruncate(SHARED, 0)
            answer = "0"
        print(answer, flush=True)


if __name__ == "__main__":
    print("NumPy", np.__version__, flush=True)
    serve()
