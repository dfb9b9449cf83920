"""The CSV that every benchmark writes (harness_report.c): comments, a header, rows."""

import csv
import dataclasses
import math
import pathlib
import re

NUMBERS = ("log2n", "threads", "median_s", "q1_s", "q3_s", "timings", "bytes", "gb_per_s",
           "elements_per_s", "share_of_copy", "times_peer")
COLUMNS = ("work", "type", "input", "log2n", "threads", "cache", "name", "role", "status",
           "median_s", "q1_s", "q3_s", "timings", "bytes", "gb_per_s", "elements_per_s",
           "share_of_copy", "times_peer")
KEY = ("work", "type", "input", "log2n", "threads", "cache", "name")


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


def number(text):
    return float(text) if text else None


def check(row):
    """Its numbers, or ValueError. A line that was cut off, too, is no row."""
    for name in NUMBERS:
        row[name] = number(row[name])
    needed = ("log2n", "threads")
    needed += ("median_s", "q1_s", "q3_s", "bytes") if row["status"] == "ok" else ()
    for name in needed:
        if row[name] is None or not math.isfinite(row[name]):
            raise ValueError(f"no {name}")
    if row["status"] == "ok" and min(row["median_s"], row["q1_s"], row["q3_s"]) <= 0:
        raise ValueError("a time of 0 or less")


def read_parts(path):
    """The comments of a CSV, without their '# ', and the lines of its table."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SystemExit(f"{path}: not a text") from error
    return ([line[2:] for line in lines if line.startswith("# ")],
            [line for line in lines if line and not line.startswith("#")])


def read(path):
    """Ends the program, with the file's name, where it is not a benchmark's CSV."""
    path = pathlib.Path(path)
    comments, lines = read_parts(path)
    reader = csv.DictReader(lines)
    if reader.fieldnames is None:
        return Results(path, comments, [])
    if tuple(reader.fieldnames) != COLUMNS:
        raise SystemExit(f"{path}: not the columns of a benchmark: {','.join(reader.fieldnames)}")
    rows = list(reader)
    for row in rows:
        try:
            check(row)
        except ValueError as error:
            raise SystemExit(f"{path}: row {row['name']} of {row['work']}: {error}") from error
    return Results(path, comments, rows)


def key(row):
    return tuple(row[name] for name in KEY)


def row_name(row):
    """A row in words."""
    threads = "GPU" if row["threads"] == 0 else f"{row['threads']:.0f} threads"
    cache = ", cold" if row["cache"] == "cold" else ""
    return (f"{row['work']}/{row['type']}/{row['input']} 2^{row['log2n']:.0f} {row['name']}"
            f" ({threads}{cache})")


def seconds(value):
    """Three digits and a unit."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
