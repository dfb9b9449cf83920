"""The Python package beside NumPy, pandas, SciPy, DuckDB, PyTorch and CuPy, on the same arrays. Rows of
bench/report/results.py:

    PYTHONPATH=python PARSCAN_LIBRARY=build/lib/libparscan.so python3 bench/bench_python.py OUT.csv
        [--backend cpu|cuda] [--log2n 22] [--rounds 9]

Works named python-call-... are what a call on 100 elements costs. Peers that are not there are left out.
Every result is compared with NumPy's before it is timed. Contestants take turns, round by round; a row has
medians and quartiles.
"""

import argparse
import csv
import importlib
import pathlib
import platform
import statistics
import sys
import time

import numpy as np

import parscan

sys.path.insert(0, str(pathlib.Path(__file__).parent / "report"))
from results import COLUMNS, head  # noqa: E402  (its folder first)

LEAST_SECONDS = 0.02  # of a timing: short calls are repeated


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch, cupy, pandas, duckdb = module("torch"), module("cupy"), module("pandas"), module("duckdb")
sparse = module("scipy.sparse")


def inputs(n):
    """Work -> type, input, NumPy's array."""
    rng = np.random.default_rng(1)
    u32 = rng.integers(0, 2**32, n, np.uint64).astype(np.uint32)
    i64, f32 = rng.integers(-2**62, 2**62, n), rng.standard_normal(n).astype(np.float32)
    distinct = min(n, 65536)
    small = rng.integers(0, distinct, n)
    steps = np.cumsum(rng.integers(0, 3, (2, n)), axis=1)
    rows_of_16 = np.stack((rng.integers(0, n // 16 + 1, n), rng.integers(0, 64, n), small % 8))
    groups = np.stack((rng.integers(0, 1000, n), rng.integers(0, 365, n), small % 8))
    return {"cumsum": ("i64", "uniform", small), "cumsum-f32": ("f32", "uniform", rng.random(n, np.float32)),
            "sort": ("u32", "uniform", u32), "sort-i64": ("i64", "uniform", i64),
            "sort-f32": ("f32", "normal", f32), "argsort": ("i64", "uniform", i64),
            "lexsort": ("u32", "4 columns", u32),
            "unique": ("i64", f"{distinct} values", small), "bincount": ("i64", f"{distinct} values", small),
            "histogram": ("f32", "normal", f32), "reduce": ("i64", f"{distinct} values", small),
            "flatnonzero": ("i64", "half", small % 2), "argmax": ("f32", "normal", f32),
            "top": ("f32", "normal", f32), "searchsorted": ("u32", "uniform", u32),
            "searchsorted-sorted": ("u32", "sorted", np.sort(u32)),
            "forward": ("f64", "half missing", np.where(f32 < 0, np.nan, f32).astype(np.float64)),
            "join": ("i64", "sorted", steps), "csr": ("i64", "rows of 16", rows_of_16),
            "group": ("i64", "two columns", groups)}


def filled(library, x):
    """Missing values become the last one before them."""
    places = library.where(library.isnan(x), 0, library.arange(len(x)))
    return x[library.maximum.accumulate(places) if library is np else parscan.inclusive_scan(places, "max")]


def filled_by_segments(x):
    """As integers all numbers are below the NaN that stands for a missing one."""
    there = parscan.flags_if(x, "between", -np.inf, np.inf)
    return parscan.segmented_inclusive_scan(x.view(np.int64), "min", flags=there).view(np.float64)


def sums_by_key(x):
    """Of rows of x, pairs and values: the pairs as one key, and their sums."""
    return parscan.reduce_by_key(*parscan.sort_pairs(x[0] << 32 | x[1], x[2]))


def sums_by_key_numpy(x):
    keys, groups = np.unique(x[0] << 32 | x[1], return_inverse=True)
    return keys, np.bincount(groups, x[2]).astype(np.int64)


def sums_by_key_pandas(x):
    sums = pandas.DataFrame({"a": x[0], "b": x[1], "v": x[2]}).groupby(["a", "b"]).v.sum().reset_index()
    return sums.a.to_numpy() << 32 | sums.b.to_numpy(), sums.v.to_numpy()


def ask_duckdb(question, **tables):
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    return tuple(connection.sql(question).fetchnumpy().values())


def sums_by_key_duckdb(x):
    return ask_duckdb("SELECT (a << 32) | b, sum(v)::BIGINT FROM t GROUP BY a, b",
                      t={"a": x[0], "b": x[1], "v": x[2]})


def csr(x, sums, searchsorted):
    """Offsets of rows, columns and values of a sparse matrix."""
    places, values = sums(x)
    ends = (np if isinstance(x, np.ndarray) else cupy).arange(x.shape[1] // 16 + 2) << 32
    return searchsorted(places, ends), places & 0xffffffff, values


def csr_scipy(x):
    matrix = sparse.coo_matrix((x[2], (x[0], x[1])), (x.shape[1] // 16 + 1, 64)).tocsr()
    return matrix.indptr, matrix.indices, matrix.data


def joined_numpy(x):
    begin, end = np.searchsorted(x[1], x[0]), np.searchsorted(x[1], x[0], "right")
    counts = end - begin
    first = np.cumsum(counts) - counts
    return np.repeat(np.arange(x.shape[1]), counts), np.arange(counts.sum()) + np.repeat(begin - first, counts)


def joined_pandas(x):
    places = np.arange(x.shape[1])
    both = pandas.merge(pandas.DataFrame({"k": x[0], "i": places}), pandas.DataFrame({"k": x[1], "j": places}))
    return both.i.to_numpy(), both.j.to_numpy()


def joined_duckdb(x):
    places = np.arange(x.shape[1])
    return ask_duckdb("SELECT i, j FROM l JOIN r USING (k)", l={"k": x[0], "i": places}, r={"k": x[1], "j": places})


_outs: dict = {}


def out_like(x):
    """One array of a kind, kept: its pages are there."""
    key = type(x), x.dtype, x.shape
    if key not in _outs:
        _outs[key] = x + x
    return _outs[key]


def contestants(work):
    """Name -> function of an array of its library. A name that begins with the library's."""
    base = work.split("-")[0]
    bounds = -4.0, 4.0

    def top(x):
        return min(1000, x.shape[0] // 2)

    def sorted_of(x):  # the haystack, once for each array
        key = "sorted", id(x)
        if key not in _outs:
            _outs[key] = torch.sort(x).values if type(x).__module__ == "torch" else parscan.sort(x)
        return _outs[key]

    every = {
        "cumsum": {"parscan": parscan.cumsum, "numpy": np.cumsum,
                   "torch": lambda x: torch.cumsum(x, 0), "cupy": lambda x: cupy.cumsum(x),
                   "parscan-out": lambda x: parscan.cumsum(x, out=out_like(x)),
                   "numpy-out": lambda x: np.cumsum(x, out=out_like(x))},
        "sort": {"parscan": parscan.sort, "numpy": np.sort,
                 "torch": lambda x: torch.sort(x).values, "cupy": lambda x: cupy.sort(x)},
        "argsort": {"parscan": parscan.argsort, "numpy": np.argsort,
                    "numpy-stable": lambda x: np.argsort(x, kind="stable"),
                    "torch-stable": lambda x: torch.argsort(x, stable=True),
                    "cupy": lambda x: cupy.argsort(x)},
        "lexsort": {"parscan": lambda x: parscan.lexsort(x.reshape(4, -1)),
                    "numpy": lambda x: np.lexsort(x.reshape(4, -1)),
                    "cupy": lambda x: cupy.lexsort(x.reshape(4, -1))},
        "unique": {"parscan": parscan.unique, "numpy": np.unique, "torch": lambda x: torch.unique(x),
                   "cupy": lambda x: cupy.unique(x)},
        "bincount": {"parscan": parscan.bincount, "numpy": np.bincount,
                     "torch": lambda x: torch.bincount(x), "cupy": lambda x: cupy.bincount(x)},
        "histogram": {"parscan": lambda x: parscan.histogram(x, 256, bounds)[0],
                      "numpy": lambda x: np.histogram(x, 256, bounds)[0],
                      "torch": lambda x: torch.histc(x, 256, *bounds),
                      "cupy": lambda x: cupy.histogram(x, 256, bounds)[0]},
        "reduce": {"parscan": parscan.reduce, "numpy": np.sum, "torch": lambda x: torch.sum(x),
                   "cupy": lambda x: cupy.sum(x)},
        "flatnonzero": {"parscan": parscan.flatnonzero, "numpy": np.flatnonzero,
                        "torch": lambda x: torch.nonzero(x).ravel(), "cupy": lambda x: cupy.flatnonzero(x)},
        "argmax": {"parscan": parscan.argmax, "numpy": np.argmax, "torch": lambda x: torch.argmax(x),
                   "cupy": lambda x: cupy.argmax(x)},
        "top": {"parscan": lambda x: parscan.top_k(x, top(x))[0],
                "numpy": lambda x: np.sort(x[np.argpartition(x, -top(x))[-top(x):]])[::-1],
                "cupy": lambda x: cupy.sort(x[cupy.argpartition(x, -top(x))[-top(x):]])[::-1],
                "torch": lambda x: torch.topk(x, top(x)).values},
        "searchsorted": {"parscan": lambda x: parscan.searchsorted(sorted_of(x), x),
                         "numpy": lambda x: np.searchsorted(sorted_of(x), x),
                         "cupy": lambda x: cupy.searchsorted(sorted_of(x), x),
                         "torch": lambda x: torch.searchsorted(sorted_of(x), x)},
        "forward": {"parscan": filled_by_segments, "numpy": lambda x: filled(np, x),
                    "pandas": lambda x: pandas.Series(x).ffill().to_numpy(),
                    "cupy": lambda x: filled(cupy, x)},
        "join": {"parscan": lambda x: parscan.join(x[0], x[1]), "numpy": joined_numpy,
                 "pandas": joined_pandas, "duckdb": joined_duckdb},
        "csr": {"parscan": lambda x: csr(x, sums_by_key, parscan.searchsorted),
                "numpy": lambda x: csr(x, sums_by_key_numpy, np.searchsorted), "scipy": csr_scipy},
        "group": {"parscan": sums_by_key, "numpy": sums_by_key_numpy, "pandas": sums_by_key_pandas,
                  "duckdb": sums_by_key_duckdb},
    }
    return every[base]


class Cpu:
    threads = parscan.Context("cpu").threads
    peers = ("numpy", "torch", "pandas", "scipy", "duckdb")

    def array(self, name, x):
        # PyTorch computes little in u32.
        x = x.astype(np.int64) if name == "torch" and x.dtype == np.uint32 else x
        return torch.as_tensor(x) if name == "torch" else x

    def numpy(self, result):
        return tuple(map(np.asarray, result)) if isinstance(result, tuple) else np.asarray(result)

    def wait(self):
        pass


class Cuda:
    threads = 0
    peers = ("cupy", "torch")

    def array(self, name, x):
        x = x.astype(np.int64) if name == "torch" and x.dtype == np.uint32 else x
        if name == "torch" or cupy is None:
            return torch.as_tensor(x).cuda()
        return cupy.asarray(x)

    def numpy(self, result):
        if isinstance(result, tuple):
            return tuple(map(self.numpy, result))
        return result.cpu().numpy() if hasattr(result, "cpu") else cupy.asnumpy(result)

    def wait(self):
        if cupy is not None:
            cupy.cuda.Device().synchronize()
        if torch is not None:
            torch.cuda.synchronize()


def check(work, name, result, x):
    """Against NumPy's answer; sums of floats to their accuracy, argsort by the keys it gives."""
    expected = contestants(work)["numpy"](x)
    if isinstance(result, tuple):  # DuckDB's rows have no order
        result, expected = (np.stack(rows)[:, np.lexsort(rows[::-1])] if name == "duckdb" else np.concatenate(rows)
                            for rows in (result, expected))
    if work == "argsort":
        result, expected = x[result], x[expected]
    if work == "cumsum-f32":
        good = np.allclose(result, np.cumsum(x, dtype=np.float64), rtol=1e-2)
    elif work == "histogram":  # of binning at edges
        good = abs(result.astype(np.int64) - expected).max() <= max(x.size * 1e-4, 2)
    else:
        good = np.array_equal(result.astype(expected.dtype), expected, equal_nan=expected.dtype.kind == "f")
    if not good:
        raise SystemExit(f"{work}: {name} is wrong")


def timing(engine, function, array, calls):
    engine.wait()
    begin = time.perf_counter()
    for _ in range(calls):
        function(array)
    engine.wait()
    return (time.perf_counter() - begin) / calls


def measure(engine, work, x, rounds):
    """Name -> seconds a call, one for each round."""
    chosen = {}
    for name, function in contestants(work).items():
        library = name.split("-")[0]
        if library != "parscan" and (library not in engine.peers or library != "numpy" and not module(library)):
            continue
        array = engine.array(library, x)
        check(work, name, engine.numpy(function(array)), x)
        once = timing(engine, function, array, 1)
        chosen[name] = function, array, max(1, round(LEAST_SECONDS / max(once, 1e-7)))
    times = {name: [] for name in chosen}
    for _ in range(rounds):
        for name, contestant in chosen.items():
            times[name].append(timing(engine, *contestant))
    return times


def rows(engine, n, rounds, prefix):
    for work, (kind, distribution, x) in inputs(n).items():
        times = measure(engine, work, x, rounds)
        medians = {name: statistics.median(seconds) for name, seconds in times.items()}
        best = min((value for name, value in medians.items() if not name.startswith("parscan")), default=None)
        for name, seconds in times.items():
            low, middle, high = statistics.quantiles(seconds, n=4)
            moved = 2 * x.nbytes
            ours = name.startswith("parscan")
            yield dict(zip(COLUMNS, (
                prefix + work, kind, distribution, f"{np.log2(n):.6g}", engine.threads, "warm", name,
                "parscan" if ours else "peer", "ok", f"{middle:.6g}", f"{low:.6g}", f"{high:.6g}",
                len(seconds), moved, f"{moved / middle / 1e9:.4g}", f"{n / middle:.6g}", "",
                f"{best / middle:.4g}" if ours and best else "", "direct")))


def comments(engine):
    yield from head(f"parscan {parscan.__version__}, bench_python.py")
    if isinstance(engine, Cuda):
        yield f"GPU: {parscan.Context('cuda').device}"
    versions = [f"{name} {there.__version__}" for name in ("numpy", "pandas", "scipy", "duckdb", "torch", "cupy")
                if (there := module(name))]
    yield f"peers: Python {platform.python_version()}, {', '.join(versions)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--log2n", type=int, default=22)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    engine = Cpu() if options.backend == "cpu" else Cuda()
    with open(options.out, "w", encoding="utf-8", newline="") as file:
        for line in comments(engine):
            print("#", line, file=file)
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for n, prefix in ((100, "python-call-"), (2**options.log2n, "python-")):
            for row in rows(engine, n, options.rounds, prefix):
                table.writerow(row)
                file.flush()
                print(f"{row['work']:24} {row['name']:14} {float(row['median_s']) * 1e6:12.2f} us")


if __name__ == "__main__":
    main()
