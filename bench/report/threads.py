"""Speed against the number of threads, in tables: threads.py FILE... of bench_threads, with rows of
bench_peer_process appended.

A share is of the fastest non-temporal copy with any number of threads; that of a row which only
reads (reduce, histograms) is of the fastest read. A row that is more than SLOWER slower with more
threads than with fewer has a line of its own.
"""

import math
import sys

import results

SLOWER = 1.1
READERS = ("reduce", "histogram")
LIMITS = ("copy",)  # the work of the rows of copies and reads


def row_key(row):
    return row["work"], row["type"], row["input"], row["log2n"]


def name_of(key):
    work, type_name, input_name, log2n = key
    return f"{work}/{type_name}/{input_name} 2^{log2n:.0f}"


def fastest_reads(rows):
    """The most bytes a second of a read, by the log2 of the bytes."""
    best = {}
    for row in rows:
        if row["name"] == "read":
            best[row["log2n"]] = max(best.get(row["log2n"], 0), row["bytes"] / row["median_s"])
    return best


def reads_only(row):
    return row["work"].startswith(READERS)


def log2_bytes(row):
    return round(math.log2(row["bytes"]))


def share_of(row, reads):
    """Of the copy, or, for a row that only reads, of reading; None where it was not measured."""
    if not reads_only(row):
        return row["share_of_copy"]
    rate = reads.get(log2_bytes(row))
    return row["bytes"] / row["median_s"] / rate if rate else None


def series_of(rows, role="parscan"):
    """By key: {name: {threads: row}} of a role."""
    found = {}
    for row in rows:
        if row["role"] == role and row["work"] not in LIMITS:
            found.setdefault(row_key(row), {}).setdefault(row["name"], {})[row["threads"]] = row
    return found


def slower_with_more(by_threads):
    """(more threads, fewer threads, ratio of the times): the worst such pair, or None."""
    worst = None
    for more, row in by_threads.items():
        for fewer, other in by_threads.items():
            ratio = row["median_s"] / other["median_s"]
            if fewer < more and ratio > max(SLOWER, worst[2] if worst else 0):
                worst = more, fewer, ratio
    return worst


def cell(row, reads):
    if row is None:
        return ""
    share = share_of(row, reads)
    return results.seconds(row["median_s"]) + ("" if share is None else f" ({share:.2f})")


def head(threads):
    counts = " | ".join(f"{count:.0f}" for count in threads)
    return [f"| | {counts} |", "|---" * (len(threads) + 1) + "|"]


def limit_lines(rows, threads):
    """The copies and reads, in GB/s."""
    series = {}
    for row in rows:
        if row["work"] in LIMITS:
            key = f"{row['name']}, 2^{row['log2n']:.0f} bytes, GB/s"
            series.setdefault(key, {})[row["threads"]] = f"{row['gb_per_s']:.4g}"
    for name, cells in series.items():
        yield f"| {name} | {' | '.join(cells.get(count, '') for count in threads)} |"


def speed_lines(rows, threads):
    reads = fastest_reads(rows)
    for key, by_name in series_of(rows).items():
        cells = (cell(by_name["parscan"].get(count), reads) for count in threads)
        yield f"| {name_of(key)} | {' | '.join(cells)} |"


def peer_lines(rows, threads):
    """How many times as fast as each peer, with as many threads."""
    ours = series_of(rows)
    for key, by_name in series_of(rows, "peer").items():
        mine = ours.get(key, {}).get("parscan", {})
        for name, by_threads in by_name.items():
            cells = (f"{by_threads[count]['median_s'] / mine[count]['median_s']:.2f}"
                     if count in mine and count in by_threads else "" for count in threads)
            line = " | ".join(cells)
            if line.strip(" |"):
                yield f"| {name_of(key)}, {name} | {line} |"


def table(rows):
    """The lines of all tables."""
    threads = sorted({row["threads"] for row in rows})
    lines = ["Time, and in brackets the share of the fastest copy (reduce, histograms: of the fastest"
             " read), by threads:", "", *head(threads), *limit_lines(rows, threads),
             *speed_lines(rows, threads)]
    if peers := list(peer_lines(rows, threads)):
        lines += ["", "Times as fast as a peer with as many threads:", "", *head(threads), *peers]
    slow = [(name_of(key), worst) for key, by_name in series_of(rows).items()
            if (worst := slower_with_more(by_name["parscan"]))]
    lines += ["", f"{len(slow)} rows are more than {SLOWER - 1:.0%} slower with more threads:"]
    lines += [f"{name}: {more:.0f} threads {ratio:.2f} x the time of {fewer:.0f}"
              for name, (more, fewer, ratio) in slow]
    return lines


def main(*paths):
    for path in paths:
        found = results.read(path)
        if not found.timed():
            raise SystemExit(f"{path}: {found.why_none()}")
        print("\n".join([found.where(), "", *table(found.timed())]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
