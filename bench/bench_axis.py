"""Sums along an axis on a GPU, from Python, beside PyTorch and CuPy on the same arrays:

    PYTHONPATH=python PARSCAN_LIBRARY=build-gpu/lib/libparscan.so python3 bench/bench_axis.py
        [--log2n 28] [--rounds 7]

Milliseconds a call, float32, medians of rounds in which all take turns; what takes a tenth of a second and more has one
call. Elements are -1, 0 and 1, so every sum is exact, and is compared with parscan's.
"""

import argparse
import statistics
import time

import cupy
import torch

import parscan

# Work, axis, log2 of the columns.
SHAPES = [("cumsum", 0, 1), ("cumsum", 0, 4), ("cumsum", 0, 6), ("cumsum", 0, 10), ("cumsum", 0, 16), ("cumsum", 0, 22),
          ("cumsum", 1, 6), ("cumsum", 1, 10), ("cumsum", 1, 16), ("sum", 0, 6), ("sum", 0, 10)]
CALLS, SLOW = 10, 0.1  # calls of a timing; seconds


def contestants(work, axis, x, out):
    """Name -> a function that returns the result. `out` is of x's shape."""
    x_torch, out_torch = torch.as_tensor(x, device="cuda"), torch.as_tensor(out, device="cuda")
    copy = {"copy": lambda: cupy.copyto(out, x)}
    if work == "sum":
        return copy | {"parscan": lambda: parscan.reduce(x, axis=axis), "torch": lambda: torch.sum(x_torch, axis),
                       "cupy": lambda: cupy.sum(x, axis=axis)}
    return copy | {"parscan": lambda: parscan.cumsum(x, axis=axis, out=out),
                   "torch": lambda: torch.cumsum(x_torch, axis, out=out_torch),
                   "cupy": lambda: cupy.cumsum(x, axis=axis, out=out)}


def wait():
    cupy.cuda.Device().synchronize()
    torch.cuda.synchronize()


def timing(function, calls):
    wait()
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    wait()
    return (time.perf_counter() - begin) / calls


def measure(functions, rounds):
    """Name -> milliseconds. The first call is checked, and timed where it is slow."""
    expected, times = None, {}
    for name, function in functions.items():
        wait()
        begin = time.perf_counter()
        result = function()
        wait()
        first = time.perf_counter() - begin
        if name != "copy":
            result = cupy.asarray(result).copy()
            expected = result if expected is None else expected
            if not bool((result == expected).all()):
                raise SystemExit(f"{name} is not equal to parscan")
        times[name] = [first] if first > SLOW else []
    quick = [name for name, seconds in times.items() if not seconds]
    for _ in range(rounds):
        for name in quick:
            times[name].append(timing(functions[name], CALLS))
    return {name: 1e3 * statistics.median(seconds) for name, seconds in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--log2n", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    versions = f"parscan {parscan.__version__}, PyTorch {torch.__version__}, CuPy {cupy.__version__}"
    print(f"# {parscan.Context('cuda').device}, {versions}")
    print("work,axis,rows,columns,copy,parscan,torch,cupy")
    for work, axis, log2_columns in SHAPES:
        shape = 2**(options.log2n - log2_columns), 2**log2_columns
        x = cupy.random.randint(-1, 2, shape, dtype=cupy.int8).astype(cupy.float32)
        small = x[:4, :4].copy()  # compiles what CuPy compiles
        for function in contestants(work, axis, small, cupy.empty_like(small)).values():
            function()
        times = measure(contestants(work, axis, x, cupy.empty_like(x)), options.rounds)
        print(work, axis, *shape, *(f"{milliseconds:.3f}" for milliseconds in times.values()), sep=",", flush=True)


main()
