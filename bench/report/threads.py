"""Speed against the number of threads, in tables: threads.py FILE... of bench_cpu, with rows of peers in processes
of their own appended.

A share is of the fastest copy of the same row with any number of threads; that of a row which only
reads (reduce, histograms) is of the fastest read. A row that is more than SLOWER slower with more
threads than with fewer has a line of its own.
"""

import sys

import results

SLOWER = 1.1
READERS = ("reduce", "histogram")
OURS = ("parscan", "auto")  # the names of a row's main case


def row_key(row):
    return row["work"], row["type"], row["input"], row["log2n"]


def name_of(key):
    work, type_name, input_name, log2n = key
    return f"{work}/{type_name}/{input_name} 2^{log2n:.0f}"


def rate(row):
    return row["bytes"] / row["median_s"]


def fastest(rows):
    """By a row's key: the bytes a second of the fastest copy, and of the fastest read."""
    best = {}
    for row in rows:
        if (kind := "read" if row["name"].startswith("read") else row["role"]) in ("read", "copy"):
            limits = best.setdefault(row_key(row), {})
            limits[kind] = max(limits.get(kind, 0), rate(row))
    return best


def reads_only(row):
    return row["work"].startswith(READERS)


def share_of(row, limits):
    """Of the copy, or, for a row that only reads, of reading; None where it was not measured."""
    limit = limits.get(row_key(row), {}).get("read" if reads_only(row) else "copy")
    return rate(row) / limit if limit else None


def series_of(rows, role="parscan"):
    """By key: {name: {threads: row}} of a role."""
    found = {}
    for row in rows:
        if row["role"] == role:
            name = "parscan" if row["name"] in OURS else row["name"]
            found.setdefault(row_key(row), {}).setdefault(name, {})[row["threads"]] = row
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


def cell(row, limits):
    if row is None:
        return ""
    share = share_of(row, limits)
    return results.seconds(row["median_s"]) + ("" if share is None else f" ({share:.2f})")


def head(threads):
    counts = " | ".join(f"{count:.0f}" for count in threads)
    return [f"| | {counts} |", "|---" * (len(threads) + 1) + "|"]


def limit_lines(rows, threads):
    """The copies and reads of the most bytes, in GB/s."""
    limits = [row for row in rows if row["name"] in ("nt-copy", "read")]
    for name in dict.fromkeys(row["name"] for row in limits):
        most = max(row["bytes"] for row in limits if row["name"] == name)
        best = {}
        for row in limits:
            if (row["name"], row["bytes"]) == (name, most):
                best[row["threads"]] = max(best.get(row["threads"], 0), row["gb_per_s"])
        cells = " | ".join(f"{best[count]:.4g}" if count in best else "" for count in threads)
        yield f"| {name}, {most / 2**20:.4g} MiB, GB/s | {cells} |"


def speed_lines(rows, threads):
    limits = fastest(rows)
    for key, by_name in series_of(rows).items():
        cells = (cell(by_name["parscan"].get(count), limits) for count in threads)
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
