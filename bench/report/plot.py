"""Draws every CSV that benchmarks have written to a folder, as SVG and PNG beside it: plot.py FOLDER

scan-*.csv: lines against the size; work.csv: operations counted; all others: bars.
"""

import pathlib
import sys

import bars
import lines
import results
import style
import work


def draw(path):
    """The files written for one CSV."""
    folder = path.parent
    if path.stem == "work":
        return work.draw(path, folder)
    found = results.read(path)
    cold = any(row["cache"] == "cold" for row in found.rows)
    where = found.where() + ("; caches emptied before each timing" if cold else "")
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
