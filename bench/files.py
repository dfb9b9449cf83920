"""Files larger than memory: the program parscan beside cp, coreutils' sort, DuckDB and NumPy.

    python3 bench/files.py PROGRAM FOLDER [options] >bench/results/files-cpu.csv

PROGRAM is `parscan`. Files are made in a new folder in FOLDER, and removed. Each row is a program, from
its start to its end, that reads one file and writes another. The programs of a group run in turn, so
that a busy minute meets all of them.

    warm    the input is in the page cache; what is written need not be on the disk at the end
    cold    the page cache is dropped before (needs root); the clock stops when the output is on the disk

Groups, of files of u64 below 2^16 (--stream-bytes), of random u32 (--sort-bytes), of lines of text:

    stream  scan, segscan by flags, compact of half, histogram, allocate, beside `cp --reflink=never`;
            scan beside numpy.cumsum of one memory-mapped file into another
    sort    sort with --memory, beside itself with all in memory, DuckDB with the same limit and
            threads (Parquet to Parquet, not compressed), numpy.sort of a mapped file; sizes up to
            four times the memory, the border included. cp-twice: cp, and cp of its output
    text    sort with --memory beside `LC_ALL=C sort -n -S` and DuckDB (CSV to CSV)

DuckDB and NumPy are those of the Python that runs this. A program that is not there is "missing";
one that ends with an error, as DuckDB does if it needs more memory, is "failed".
peak_bytes is the most resident memory (wait4). It counts pages of a mapped file too, and is never less
than what this script has, some 20 MiB.
"""

import argparse
import multiprocessing
import os
import pathlib
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from held_memory import Holder

sys.path.insert(0, str(pathlib.Path(__file__).parent / "report"))
from results import head  # noqa: E402  (its folder first)

HEAD = ("group,work,program,state,bytes,memory,status,median_s,least_s,most_s,timings,out_bytes,"
        "peak_bytes")
BLOCK = 1 << 20
HELD = {"stream": 1.25, "sort": 3.5, "text": 3.5}  # times the input: what is held, and given back
PAGES = pathlib.Path("/proc/sys/vm/drop_caches")

DUCKDB_SORT = """
import duckdb, sys
source, target, folder, memory, threads, text = sys.argv[1:]
base = duckdb.connect()
base.execute(f"SET memory_limit='{int(memory) >> 20}MiB'")
base.execute(f"SET threads={threads}")
base.execute(f"SET temp_directory='{folder}'")
base.execute("SET preserve_insertion_order=false")
if text == "1":
    base.execute(f"COPY (SELECT x FROM read_csv('{source}', header=false, columns={{'x': 'BIGINT'}})"
                 f" ORDER BY x) TO '{target}' (FORMAT csv, HEADER false)")
else:
    base.execute(f"COPY (SELECT x FROM '{source}' ORDER BY x) TO '{target}'"
                 " (FORMAT parquet, COMPRESSION uncompressed)")
"""
DUCKDB_MAKE = """
import duckdb, numpy, sys
source, target = sys.argv[1:]
x = numpy.memmap(source, dtype="<u4", mode="r")
base = duckdb.connect()
base.execute("SET preserve_insertion_order=false")
base.register("t", {"x": x})
base.execute(f"COPY (SELECT x FROM t) TO '{target}' (FORMAT parquet, COMPRESSION uncompressed)")
"""
NUMPY_SORT = """
import numpy, sys
x = numpy.memmap(sys.argv[1], dtype="<u4", mode="r")
numpy.sort(x).tofile(sys.argv[2])
"""
NUMPY_SCAN = """
import numpy, sys
x = numpy.memmap(sys.argv[1], dtype="<u8", mode="r")
y = numpy.memmap(sys.argv[2], dtype="<u8", mode="w+", shape=x.shape)
numpy.cumsum(x, out=y)
"""


def say(words):
    print(words, file=sys.stderr, flush=True)


def has_module(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def size_of(text):
    """Bytes, with K, M or G."""
    units = {"K": 10, "M": 20, "G": 30}
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def drop_pages():
    os.sync()
    PAGES.write_text("3", encoding="ascii")


def warm(path):
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(BLOCK)
        while file.readinto(buffer):
            pass


def write_random(path, count, kind):
    """Of a fixed seed. kind: "u32"; "u64", below 2^16; "flags", one of 100; "text"."""
    state = random.Random(1)
    with open(path, "wb") as file:
        for begin in range(0, count, 1 << 20):
            n = min(1 << 20, count - begin)
            if kind == "u32":
                file.write(state.randbytes(4 * n))
            elif kind == "u64":
                words = bytearray(8 * n)
                words[0::8], words[1::8] = state.randbytes(n), state.randbytes(n)
                file.write(words)
            elif kind == "flags":
                file.write(state.randbytes(n).translate(bytes([1] * 3 + [0] * 253)))
            else:
                numbers = memoryview(state.randbytes(4 * n)).cast("I")
                file.write(b"\n".join(b"%d" % number for number in numbers) + b"\n")


class Bench:
    """The options, and the rows as they are measured."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.input = folder / "in"
        self.holder = Holder()

    def make(self, kind, count, path=None):
        """In a process of its own: what it needs is not this one's peak."""
        say(f"making {kind}: {count} elements")
        child = multiprocessing.get_context("fork").Process(
            target=write_random, args=(path or self.input, count, kind))
        child.start()
        child.join()
        if child.exitcode != 0:
            raise SystemExit("files.py: no input")

    def measure_once(self, state, command, inputs, outputs, wanted):
        """Seconds and the peak of resident memory; None if the program fails."""
        for path in outputs:
            path.unlink(missing_ok=True)
        os.sync()
        if state == "cold":
            drop_pages()
        else:
            for path in inputs:
                warm(path)
        self.holder.take(wanted)
        self.holder.give()
        begin = time.monotonic()
        child = subprocess.Popen(command, shell=isinstance(command, str), stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            return None
        if state == "cold":
            for path in outputs:
                with open(path, "rb") as file:
                    os.fsync(file.fileno())
        seconds = time.monotonic() - begin
        return seconds, used.ru_maxrss * 1024

    def group(self, group, state, size, runs):
        """runs: (work, program, memory or 0, command or None, inputs, outputs, repetitions or 0)."""
        times = [[] for _ in runs]
        peaks, written, failed = [0] * len(runs), [0] * len(runs), set()
        for turn in range(self.options.reps):
            for k, (work, program, _, command, inputs, outputs, most) in enumerate(runs):
                if command is None or k in failed or most and turn >= most:
                    continue
                measured = self.measure_once(state, command, inputs, outputs,
                                             int(HELD[group] * size) + (1 << 30))
                if measured is None:
                    say(f"{group} {state} {size >> 20} MiB {work} {program}: failed")
                    failed.add(k)
                    continue
                seconds, peak = measured
                times[k].append(seconds)
                peaks[k] = max(peak, peaks[k])
                written[k] = sum(path.stat().st_size for path in outputs if path.exists())
                say(f"{group} {state} {size >> 20} MiB {work} {program}: {seconds:.2f} s, "
                    f"{peak >> 20} MiB")
                for path in outputs:
                    path.unlink(missing_ok=True)
        for k, (work, program, memory, *_) in enumerate(runs):
            row = [group, work, program, state, size, memory or ""]
            if times[k] and k not in failed:
                row += ["ok", f"{statistics.median(times[k]):.4f}", f"{min(times[k]):.4f}",
                        f"{max(times[k]):.4f}", len(times[k]), written[k], peaks[k]]
            else:
                row += ["failed" if k in failed else "missing"] + [""] * 6
            print(",".join(map(str, row)), flush=True)


def stream(bench, program):
    options = bench.options
    size = options.stream_bytes
    bench.make("u64", size // 8)
    source, flags, out = bench.input, bench.folder / "flags", bench.folder / "out"
    bench.make("flags", size // 8, flags)
    raw = [program, "--type", "u64", "--format", "raw", "--threads", str(options.threads),
           "-o", str(out), str(source)]

    def ours(name, *more, inputs=(source,)):
        return (name, "parscan", 0, [raw[0], name, *more, *raw[1:]], inputs, [out], 0)
    runs = [("copy", "cp", 0, ["cp", "--reflink=never", str(source), str(out)], [source], [out], 0),
            ours("scan"),
            ours("segscan", "--flags", str(flags), inputs=(source, flags)),
            ours("compact", "--where", ">=32768"),
            ours("histogram", "--bins", "256", "--range", "0:65536"),
            ours("allocate")]
    numpy = [sys.executable, "-c", NUMPY_SCAN, str(source), str(out)]
    for state in options.states:
        peer = ("scan", "numpy", 0, numpy if has_module("numpy") else None, [source], [out], 1)
        bench.group("stream", state, size, [*runs, peer])
    flags.unlink()
    source.unlink()


def check_sorted(path, source):
    """The elements are in order; their sum is the input's."""
    if not has_module("numpy"):
        return
    script = ("import numpy, sys\nx, y = (numpy.memmap(p, dtype='<u4', mode='r') for p in sys.argv[1:])\n"
              "def s(a): return sum(int(a[i:i + 2**24].sum(dtype='u8')) for i in range(0, len(a), 2**24))\n"
              "assert len(x) == len(y) and s(x) == s(y)\n"
              "assert all((y[i:i + 2**24][1:] >= y[i:i + 2**24][:-1]).all() for i in range(0, len(y), 2**24 - 1))")
    subprocess.run([sys.executable, "-c", script, str(source), str(path)], check=True)


def sort(bench, program):
    options = bench.options
    memory = options.memory
    source, out = bench.input, bench.folder / "out"
    parquet, spare = bench.folder / "in.parquet", bench.folder / "spare"
    for size in options.sort_bytes:
        bench.make("u32", size // 4)
        has_duckdb = has_module("duckdb") and has_module("numpy")
        if has_duckdb:
            subprocess.run([sys.executable, "-c", DUCKDB_MAKE, str(source), str(parquet)], check=True)

        def ours(name, limit):
            return ("sort", name, limit,
                    [program, "sort", "--format", "raw", "--type", "u32", "--memory", str(limit),
                     "-T", str(bench.folder), "--threads", str(options.threads), "-o", str(out),
                     str(source)], [source], [out], 0)
        duckdb = [sys.executable, "-c", DUCKDB_SORT, str(parquet), str(out), str(bench.folder / "duck"),
                  str(memory), str(options.threads), "0"]
        numpy = [sys.executable, "-c", NUMPY_SORT, str(source), str(out)]
        first, second, third = (shlex.quote(str(path)) for path in (source, spare, out))
        twice = f"cp --reflink=never {first} {second} && cp --reflink=never {second} {third}"
        runs = [ours("parscan", memory), ours("parscan-in-memory", 1 << 40),
                ("sort", "duckdb", memory, duckdb if has_duckdb else None, [parquet], [out], 0),
                ("sort", "numpy", 0, numpy if has_module("numpy") else None, [source], [out], 1),
                ("copy", "cp-twice", 0, twice, [source], [out, spare], 0)]
        subprocess.run(runs[0][3], check=True)
        check_sorted(out, source)
        for state in options.states:
            if state == "warm" or size == max(options.sort_bytes):
                bench.group("sort", state, size, runs)
        parquet.unlink(missing_ok=True)
        source.unlink()


def text(bench, program):
    options = bench.options
    memory, count = options.text_memory, options.text_lines
    source, out = bench.input, bench.folder / "out"
    bench.make("text", count)
    size = source.stat().st_size
    threads = str(options.threads)
    ours = [program, "sort", "--memory", str(memory), "-T", str(bench.folder), "--threads", threads,
            "-o", str(out), str(source)]
    coreutils = ["env", "LC_ALL=C", "sort", "-n", "-S", f"{memory >> 10}k", f"--parallel={threads}", "-T",
                 str(bench.folder), "-o", str(out), str(source)]
    duckdb = [sys.executable, "-c", DUCKDB_SORT, str(source), str(out), str(bench.folder / "duck"),
              str(memory), threads, "1"]
    subprocess.run(ours, check=True)
    subprocess.run(["env", "LC_ALL=C", "sort", "-n", "-c", str(out)], check=True)
    bench.group("text", "warm", size, [
        ("sort", "parscan", memory, ours, [source], [out], 0),
        ("sort", "coreutils", memory, coreutils if shutil.which("sort") else None, [source], [out], 1),
        ("sort", "duckdb", memory, duckdb if has_module("duckdb") else None, [source], [out], 0)])
    source.unlink()


def disk_of(folder):
    """The device, its file system, and the rates of direct writes and reads, in words."""
    name, kind = subprocess.run(["df", "--output=source,fstype", folder], check=True, text=True,
                                capture_output=True).stdout.splitlines()[1].split()
    path, rates = folder / "disk", []
    for arguments in (["if=/dev/zero", f"of={path}", "oflag=direct"],
                      [f"if={path}", "of=/dev/null", "iflag=direct"]):
        begin = time.monotonic()
        subprocess.run(["dd", "bs=4M", "count=256", *arguments], check=True, stderr=subprocess.DEVNULL)
        rates.append((1 << 30) / (time.monotonic() - begin) * 1e-9)
    path.unlink()
    return f"{name}, {kind}, direct: writes {rates[0]:.2f} GB/s, reads {rates[1]:.2f} GB/s"


def write_head(options, folder):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    program, machine, system = head("parscan, bench/files.py")
    print(f"# {program}\n# {machine}, {memory:.1f} GiB\n# {system}")
    print(f"# disk: {disk_of(folder)}")
    print(f"# threads: {options.threads}")
    print(HEAD, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--groups", nargs="+", default=["stream", "sort", "text"])
    parser.add_argument("--states", nargs="+", default=["warm", "cold"], choices=["warm", "cold"])
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--stream-bytes", type=size_of, default=8 << 30)
    parser.add_argument("--sort-bytes", type=size_of, nargs="+",
                        default=[1 << k for k in range(28, 33)])
    parser.add_argument("--memory", type=size_of, default=1 << 30)
    parser.add_argument("--text-lines", type=int, default=1 << 26)
    parser.add_argument("--text-memory", type=size_of, default=256 << 20)
    parser.add_argument("--no-head", action="store_true", help="rows alone, to add to a CSV")
    options = parser.parse_args()
    if "cold" in options.states and not os.access(PAGES, os.W_OK):
        say(f"files.py: {PAGES} cannot be written: nothing is measured cold")
        options.states.remove("cold")
    program = str(pathlib.Path(options.program).resolve())
    with tempfile.TemporaryDirectory(prefix="parscan-bench-", dir=options.folder) as name:
        folder = pathlib.Path(name)
        if not options.no_head:
            write_head(options, folder)
        for group in options.groups:
            {"stream": stream, "sort": sort, "text": text}[group](Bench(options, folder), program)


if __name__ == "__main__":
    main()
