"""Sorts of keys on one thread beside NumPy's sort (x86-simd-sort is inside) and others that sort an array in place:

    PYTHONPATH=python PARSCAN_LIBRARY=build/lib/libparscan.so python3 bench/bench_sorts.py
        [--log2n 20] [--rounds 7] [--threads 1] [--clock cpu] [--types u32,u64,f32,f64,i16] [--peer vqsort=libvqsort.so ...]

A peer is a shared library with the functions sort_u32(keys, n), sort_u64() and so on; what it has not is left out.
Highway's vqsort is one of a line a type:

    extern "C" void sort_u32(uint32_t *x, size_t n) { hwy::VQSort(x, n, hwy::SortAscending()); }

Contestants sort a copy, made within the time, of the same keys in turn, round by round; every first result is compared with NumPy's.
Times are the CPU time of the thread, or of the process with --threads above 1, the least of the rounds: other work on the machine only
adds to it. With --clock wall they are those of the clock, which more threads need, and a quiet machine. A row has parscan's ns a key, and how many times as long each peer takes.
"""

import argparse
import ctypes
import time

import numpy as np

import parscan

DTYPES = {"u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64, "i16": np.int16}


def inputs(n, dtype, rng):
    """Name -> keys."""
    bits, floats = np.dtype(dtype).itemsize * 8, np.dtype(dtype).kind == "f"
    low, high = (0, 2**bits) if np.dtype(dtype).kind == "u" else (-2**(bits - 1), 2**(bits - 1))
    uniform = rng.random(n, dtype) if floats else rng.integers(low, high - 1, n, dtype, endpoint=True)
    normal = rng.standard_normal(n)
    if not floats:
        normal = np.clip(normal * 2**(bits - 5) + (low + high) / 2, low, high - 1025 if bits == 64 else high - 1)
    zipf = np.minimum(rng.zipf(1.3, n), 2**(bits - 2) if not floats else 2**62)
    nearly = np.sort(uniform)
    some = rng.integers(0, n, n // 100)
    nearly[some] = uniform[some]
    return {"uniform": uniform, "zipf": zipf.astype(dtype), "normal": normal.astype(dtype), "nearly": nearly,
            "few": uniform[rng.integers(0, 16, n)], "sorted": np.sort(uniform), "thousand": uniform[rng.integers(0, 1000, n)]}


def in_place(function):
    """A sort of a copy by a function of an address and a length."""
    function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_size_t), None

    def sort(x):
        y = x.copy()
        function(y.ctypes.data, y.size)
        return y

    return sort


def contestants(kind, context, peers):
    found = {"parscan": lambda x: parscan.sort(x, context=context), "numpy": np.sort}
    for name, library in peers.items():
        function = getattr(library, "sort_" + kind, None)
        if function is not None:
            found[name] = in_place(function)
    return found


def measure(sorts, x, rounds, clock):
    expected = np.sort(x)
    for name, sort in sorts.items():
        if not np.array_equal(sort(x), expected):
            raise SystemExit(f"{name}: not sorted")
    least = dict.fromkeys(sorts, np.inf)
    for _ in range(rounds):
        for name, sort in sorts.items():
            begin = clock()
            sort(x)
            least[name] = min(least[name], clock() - begin)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log2n", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    parser.add_argument("--types", default=",".join(DTYPES))
    parser.add_argument("--peer", action="append", default=[])
    options = parser.parse_args()
    peers = {name: ctypes.CDLL(path) for name, path in (peer.split("=") for peer in options.peer)}
    context, n = parscan.Context("cpu", threads=options.threads), 2**options.log2n
    cpu = time.thread_time if options.threads == 1 else time.process_time
    clock = cpu if options.clock == "cpu" else time.perf_counter
    print(f"2^{options.log2n} keys, NumPy {np.__version__}, {context.simd}, ns a key, times as fast as each peer")
    for kind in options.types.split(","):
        sorts = contestants(kind, context, peers)
        for name, x in inputs(n, DTYPES[kind], np.random.default_rng(1)).items():
            least = measure(sorts, x, options.rounds, clock)
            ratios = [f"{peer} {seconds / least['parscan']:.2f}" for peer, seconds in least.items() if peer != "parscan"]
            print(f"{kind} {name:10} {least['parscan'] / n * 1e9:6.2f}", *ratios, sep="  ", flush=True)


if __name__ == "__main__":
    main()
