"""A table of short calls in CUDA graphs, in Markdown: short.py FILE.csv [WAY]

A row of work, a column of size: microseconds of parscan's call, then each CUB's time by it. What is below 1 is
bold. WAY: graph (equal calls, the default), chain (each reads what the last one wrote), direct.
"""

import sys

import results

PEERS = ("cub", "cub_main")
NAMES = {"keys", "auto", "reduce", "parscan"}  # of parscan's cases


def best(rows, wanted):
    """The shortest median of the rows whose names are wanted; None: there is none."""
    return min((row["median_s"] for row in rows if row["name"] in wanted), default=None)


def ratio(peer, ours):
    text = f"{peer / ours:.2f}"
    return f"**{text}**" if peer < ours else text


def cell(rows):
    """One size of a row."""
    ours = best(rows, NAMES)
    if ours is None:
        return ""
    peers = [ratio(peer, ours) for name in PEERS if (peer := best(rows, {name})) is not None]
    return f"{ours * 1e6:.2f}" + (f" ({', '.join(peers)})" if peers else "")


def table(rows):
    sizes = sorted({row["log2n"] for row in rows})
    works = dict.fromkeys((row["work"], row["type"], row["input"]) for row in rows)
    yield "| work | " + " | ".join(f"2^{size:.0f}" for size in sizes) + " |"
    yield "|---" * (len(sizes) + 1) + "|"
    for work in works:
        mine = [row for row in rows if (row["work"], row["type"], row["input"]) == work]
        cells = (cell([row for row in mine if row["log2n"] == size]) for size in sizes)
        yield f"| {' '.join(work)} | " + " | ".join(cells) + " |"


def main(path, way="graph"):
    file = results.read(path)
    rows = [row for row in file.timed() if row["way"] == way]
    if not rows:
        raise SystemExit(f"{path}: no {way}")
    print(f"{file.where()}; peers: {file.comment('peers: ')}\n")
    print("\n".join(table(rows)))
    for row in file.rows:
        if row["status"] != "ok":
            print(f"{results.row_name(row)}: {row['status']}", file=sys.stderr)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
