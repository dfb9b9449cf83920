"""Draws every CSV that benchmarks have written to a folder, as SVG beside it: plot.py FOLDER

scan-*.csv: lines against the size; busy-*.csv, threads-*.csv, short-*.csv: no picture, but tables (busy.py, threads.py,
short.py); files-*.csv, distributed-*.csv: none; all others: bars.
"""

import sys

import bars
import lines
import results
import style


def draw_results(path):
    folder = path.parent
    found = results.read(path)
    found.rows = [row for row in found.rows if row["way"] != "chain"]
    cold = any(row["cache"] == "cold" for row in found.rows)
    where = found.where() + ("; caches emptied before each timing" if cold else "")
    if path.stem.startswith("scan-"):
        engine = "GPU" if "cuda" in path.stem else "CPU"
        written = lines.draw(found, folder, engine, f"{where}; medians, bands: quartiles",
                             lines.TIME if cold else lines.BANDWIDTH)
    else:
        written = bars.draw(found, folder, f"{where}; medians, whiskers: quartiles")
    if not written:
        why = "nothing of it is drawn" if found.timed() else found.why_none()
        print(f"{path}: {why}: no picture", file=sys.stderr)
    return written


def draw(path):
    """The files written for one CSV."""
    if path.stem.startswith(("busy-", "threads-", "short-", "files-", "gpus-", "distributed-")):
        return []
    return draw_results(path)


def main(folder):
    """What is no CSV of a benchmark's is told, and ends the program when the others are drawn."""
    style.apply()
    failed = False
    for path in results.csv_files(folder):
        try:
            for written in draw(path):
                print(written)
        except SystemExit as error:
            print(error, file=sys.stderr)
            failed = True
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
