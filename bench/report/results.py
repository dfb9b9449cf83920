"""The CSV that every benchmark writes (harness_report.c, or a script): comments, a header, rows."""

import csv
import dataclasses
import datetime
import math
import os
import pathlib
import platform
import re
import subprocess

NUMBERS = ("log2n", "threads", "median_s", "q1_s", "q3_s", "timings", "bytes", "gb_per_s",
           "elements_per_s", "share_of_copy", "times_peer")
COLUMNS = ("work", "type", "input", "log2n", "threads", "cache", "name", "role", "status",
           "median_s", "q1_s", "q3_s", "timings", "bytes", "gb_per_s", "elements_per_s",
           "share_of_copy", "times_peer", "way")
COUNTS = {"log2n": 64, "threads": 1e6}  # of every row, timed or not, and the most of them
RATIOS = ("share_of_copy", "times_peer")  # not of every timed row
LEAST, MOST = 1e-12, 1e15  # of what is measured: seconds, bytes, bytes and elements a second
MOST_SHOWN = 60
KEY = ("work", "type", "input", "log2n", "threads", "cache", "name", "way")


@dataclasses.dataclass
class Results:
    """A file's comments, without their '# ', and its rows: a dict each, with numbers or None."""

    path: pathlib.Path
    comments: list
    rows: list

    def comment(self, begin):
        """What follows `begin` in the comment that begins so; '' if none does."""
        for line in self.comments:
            if line.startswith(begin):
                return line[len(begin):].strip()
        return ""

    def day_and_time(self):
        """When it was measured, in words that sort; '' if that is not told."""
        found = re.search(r"\d{4}-\d\d-\d\dT[\d:]+", self.comments[0] if self.comments else "")
        return found[0] if found else ""

    def made(self):
        """The commit and the day, as far as they are told."""
        first = self.comments[0] if self.comments else ""
        parts = []
        if commit := re.search(r"commit (\w+)(-dirty)?", first):
            parts.append(f"commit {commit[1][:7]}{' with changes' if commit[2] else ''}")
        if day := re.search(r"\d{4}-\d\d-\d\d", first):
            parts.append(day[0])
        return ", ".join(parts)

    def machine(self):
        """The GPU, or the CPU and the most threads that were measured."""
        gpu = self.comment("GPU: ").split(",")[0]
        cpu = re.sub(r"\((R|TM)\)|CPU|Processor", "", self.comment("machine: ").split(",")[0])
        threads = max((row["threads"] for row in self.rows), default=0)
        return gpu or f"{' '.join(cpu.split())}, {threads:.0f} threads"

    def where(self):
        """The machine, the commit and the day."""
        return ", ".join(part for part in (self.machine(), self.made()) if part)

    def timed(self):
        return [row for row in self.rows if row["status"] == "ok"]

    def why_none(self):
        """Why it has nothing timed, in words."""
        return "no row of it was timed" if self.rows else "empty"


def shown(text):
    """Of a file's words what a line of an error has room for."""
    return repr(text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "...")


def number(row, name):
    """Or None."""
    if not row[name]:
        return None
    try:
        value = float(row[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} is no number: {shown(row[name])}")
    return value


def check(row):
    """Makes numbers of its words, or raises ValueError."""
    timed = row["status"] == "ok"
    for name in NUMBERS:
        row[name] = number(row, name)
        if row[name] is None and (name in COUNTS or timed and name not in RATIOS):
            raise ValueError(f"no {name}")
    for name, most in COUNTS.items():
        if not 0 <= row[name] <= most:
            raise ValueError(f"{name} of {row[name]:g}")
    for name in NUMBERS:
        least = 0 if name == "share_of_copy" else LEAST
        if name not in COUNTS and row[name] is not None and not least <= row[name] <= MOST:
            raise ValueError(f"{name} of {row[name]:g}")


def fail(path, number_of_line, words):
    raise SystemExit(f"{path}: line {number_of_line}: {words}")


def read_parts(path):
    """The comments of a CSV, without their '# ', and the lines of its table, with their numbers."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SystemExit(f"{path}: not a text") from error
    lines = list(enumerate(text.split("\n"), 1))
    if lines[-1][1]:  # every line of a program's has an end
        fail(path, lines[-1][0], f"cut off: {shown(lines[-1][1])}")
    return ([line[2:] for _, line in lines if line.startswith("# ")],
            [(k, line) for k, line in lines if line.strip() and not line.startswith("#")])


def cells(path, number_of_line, line):
    """Of one line: what opens a quote closes it, too."""
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error as error:
        return fail(path, number_of_line, f"not CSV, {error}: {shown(line)}")


def read_table(path, columns, convert):
    """The comments, and a dict of each row, which `convert` has seen. Its ValueError, as all that
    is wrong, ends the program with the file's name and the line."""
    comments, lines = read_parts(path)
    rows = []
    for k, line in lines[:1]:
        if (head := cells(path, k, line)) != list(columns):
            fail(path, k, f"not the columns of a benchmark: {shown(','.join(head))}")
    for k, line in lines[1:]:
        row = cells(path, k, line)
        if len(row) != len(columns):
            fail(path, k, f"{len(row)} columns, not {len(columns)}: {shown(line)}")
        rows.append(dict(zip(columns, row)))
        try:
            convert(rows[-1])
        except ValueError as error:
            fail(path, k, error)
    return comments, rows


def read(path):
    """Ends the program where it is not a benchmark's CSV."""
    path = pathlib.Path(path)
    return Results(path, *read_table(path, COLUMNS, check))


def head(script):
    """The first comments of a script's CSV: commit and time, machine, system."""
    git = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=7"], text=True,
                         cwd=pathlib.Path(__file__).parent, capture_output=True, check=False)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    words = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") if os.path.exists("/proc/cpuinfo") else ""
    model = re.search(r"^model name\s*: (.*)$", words, re.M)
    return [f"{script}, commit {git.stdout.strip() or 'unknown'}, {now}",
            f"machine: {model[1] if model else platform.processor()}, {os.cpu_count()} processors",
            f"system: {platform.system()} {platform.release()}, load average at the start {os.getloadavg()[0]:.2f}"]


def csv_files(folder):
    """Ends the program where there is none."""
    folder = pathlib.Path(folder)
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".csv")
    except OSError as error:
        raise SystemExit(f"{folder}: {error.strerror}") from error
    if not paths:
        raise SystemExit(f"{folder}: no CSV")
    return paths


def key(row):
    return tuple(row[name] for name in KEY)


def row_name(row):
    """A row in words."""
    threads = "GPU" if row["threads"] == 0 else f"{row['threads']:.0f} threads"
    cache = ", cold" if row["cache"] == "cold" else ""
    way = "" if row["way"] == "direct" else f", {row['way']}"
    return (f"{row['work']}/{row['type']}/{row['input']} 2^{row['log2n']:.0f} {row['name']}"
            f" ({threads}{cache}{way})")


def seconds(value):
    """Three digits and a unit."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
