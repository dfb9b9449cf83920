"""Draws every CSV of a folder that benchmarks have written, as SVG and PNG beside it: plot.py FOLDER

scan-*.csv: lines against the size; work.csv: operations counted; all others: bars.
"""

import pathlib
import re
import sys

import bars
import lines
import results
import style
import work


def where_of(found):
    """The machine, the commit and the day."""
    gpu = found.comment("GPU: ").split(",")[0]
    cpu = re.sub(r"\((R|TM)\)|CPU|Processor", "", found.comment("machine: ").split(",")[0])
    threads = max((row["threads"] for row in found.rows), default=0)
    machine = gpu or f"{' '.join(cpu.split())}, {threads:.0f} threads"
    commit = re.search(r"commit (\w+)", found.comments[0] if found.comments else "")
    day = re.search(r"\d{4}-\d\d-\d\d", found.comments[0] if found.comments else "")
    parts = [machine] + [f"commit {commit[1][:7]}"] * bool(commit) + [day[0]] * bool(day)
    cold = any(row["cache"] == "cold" for row in found.rows)
    return ", ".join(parts) + ("; caches emptied before each timing" if cold else "")


def draw(path):
    """The files written for one CSV."""
    folder = path.parent
    if path.stem == "work":
        return work.draw(path, folder)
    found = results.read(path)
    where = where_of(found)
    if path.stem.startswith("scan-"):
        engine = "GPU" if "cuda" in path.stem else "CPU"
        return lines.draw(found, folder, engine, f"{where}; medians, bands: quartiles")
    return bars.draw(found, folder, f"{where}; medians, whiskers: quartiles")


def main(folder):
    paths = sorted(pathlib.Path(folder).glob("*.csv"))
    if not paths:
        raise SystemExit(f"{folder}: no CSV")
    style.apply()
    for path in paths:
        for written in draw(path):
            print(written)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
