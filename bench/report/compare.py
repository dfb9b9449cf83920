"""What moved between two runs by more than their noise: compare.py OLD.csv NEW.csv...

A row's noise is the sum of both runs' distances between the quartiles. It has moved if its median
has by more than that, and by more than LEAST.
"""

import statistics
import sys

import results

LEAST = 0.02  # of the median: clocks and alignment move more than quartiles of few timings show


def moved(old, new):
    """(new / old, noise / old) of the medians, or None where the row has not moved."""
    noise = (old["q3_s"] - old["q1_s"]) + (new["q3_s"] - new["q1_s"])
    change = new["median_s"] - old["median_s"]
    if abs(change) <= max(noise, LEAST * old["median_s"]):
        return None
    return new["median_s"] / old["median_s"], noise / old["median_s"]


def pairs_of(old, new):
    """The rows that were timed in both."""
    by_key = {results.key(row): row for row in new}
    return [(row, by_key[results.key(row)]) for row in old if results.key(row) in by_key]


def lines_of(pairs):
    """A line each for what moved, the slowest down first."""
    found = [(*change, old, new) for old, new in pairs if (change := moved(old, new))]
    for ratio, noise, old, new in sorted(found, key=lambda item: -item[0]):
        change = f"{ratio - 1:+.1%}" if ratio < 2 else f"{ratio:.3g} x"
        yield (f"{change:>8}  (noise {noise:.1%})  {results.seconds(old['median_s'])} ->"
               f" {results.seconds(new['median_s'])}  {results.row_name(old)}")


def tell_of_new(old, new_files):
    """How many rows the files that were compared have beyond the old ones."""
    keys = {results.key(row) for row in old}
    for file in new_files:
        extra = sum(results.key(row) not in keys for row in file.timed())
        if 0 < extra < len(file.timed()):
            print(f"{extra} rows of {file.path} are new")


def but_threads(row):
    """The key without the number of threads. A GPU, which has none, stays another engine."""
    return (row["threads"] == 0, *(row[name] for name in results.KEY if name != "threads"))


def threads_in_words(rows):
    return " and ".join(f"{count:.0f}" for count in sorted({row["threads"] for row in rows}))


def other_threads(old, new):
    """Words for the old rows that the new ones have but for the number of threads; '' for none."""
    found, keys = {}, {results.key(row) for row in new}
    for row in new:
        found.setdefault(but_threads(row), []).append(row)
    alone = [row for row in old if results.key(row) not in keys and but_threads(row) in found]
    if not alone:
        return ""
    theirs = [row for old_row in alone for row in found[but_threads(old_row)]]
    return (f"{len(alone)} are there with another number of threads:"
            f" {threads_in_words(alone)}, now {threads_in_words(theirs)}")


def machine_of(file):
    return file.comment("GPU: ") or file.comment("machine: ").split(",")[0]


def words_of_machines(old_file, new_files):
    """Lines. Another machine, of the files that were compared: what moved is the machine's then."""
    keys = {but_threads(row) for row in old_file.timed()}
    others = [machine_of(file) for file in new_files
              if any(but_threads(row) in keys for row in file.timed())]
    return [f"not the same machine: {machine_of(old_file)}; {other}"
            for other in dict.fromkeys(others) if other != machine_of(old_file)]


def say_why_none(old_file, new_files, new):
    """Ends the program: there is nothing to compare."""
    names = " ".join(str(file.path) for file in new_files)
    if not old_file.timed() or not new:
        raise SystemExit("\n".join(f"{file.path}: {file.why_none()}"
                                   for file in (old_file, *new_files) if not file.timed()))
    reasons = [f"{old_file.path}: no row of it is in {names}"]
    if words := other_threads(old_file.timed(), new):
        reasons.append(words)
    raise SystemExit("\n".join(reasons + words_of_machines(old_file, new_files)))


def main(old_path, new_paths):
    old_file, new_files = results.read(old_path), [results.read(path) for path in new_paths]
    old, new = old_file.timed(), [row for file in new_files for row in file.timed()]
    pairs = pairs_of(old, new)
    if not pairs:
        say_why_none(old_file, new_files, new)
    copies = [new["median_s"] / old["median_s"] for old, new in pairs if old["role"] == "copy"]
    lines = list(lines_of(pairs))
    print("\n".join(lines + [""]) if lines else "", end="")
    print(f"{len(lines)} of {len(pairs)} rows moved by more than the noise")
    missing = len(old) - len(pairs)
    if missing:
        print(f"{missing} rows of {old_path} have no counterpart")
    if words := other_threads(old, new):
        print(words)
    tell_of_new(old, new_files)
    for words in words_of_machines(old_file, new_files):
        print(words)
    for file in (old_file, *new_files):
        if words := file.comment("not quiet: "):
            print(f"{file.path}: not a quiet machine: {words}")
    if copies:
        print(f"the machine: copies took {statistics.median(copies):.2f} x their old time (median)")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2:])
