"""Tables of results, in Markdown, from a folder's CSV files: summary.py FOLDER [README] [PERFORMANCE]

All rows are printed; or a dozen are written between the marks of README, all between those of
PERFORMANCE.
"""

import pathlib
import sys

import results

# File, work, type, input, the words, whether README has it. Each row is at the largest size measured.
ROWS = (
    ("scan-cuda", "scan", "u32", "uniform", "scan u32", True),
    ("apps-cuda", "sort-keys", "u32", "uniform", "sort u32 keys", True),
    ("apps-cuda", "sort-keys", "u64", "uniform", "sort u64 keys", False),
    ("apps-cuda", "sort-pairs", "u32+u32", "uniform", "sort u32 + u32 pairs", False),
    ("apps-cuda", "sort-pairs", "u64+u32", "uniform", "sort u64 + u32 pairs", True),
    ("apps-cuda", "sort-segments", "u32", "mean-1000", "sort segments of u32, mean 1000", False),
    ("apps-cuda", "compact-if", "u32", "50%", "compact u32, half kept", True),
    ("apps-cuda", "unique", "u32", "runs-of-4", "unique u32, runs of 4", False),
    ("apps-cuda", "histogram-256", "u8", "uniform", "histogram u8, 256 bins", False),
    ("apps-cuda", "histogram-65536", "u32", "uniform", "histogram u32, 65536 bins", True),
    ("apps-cuda", "segmented-scan", "u32", "mean-100", "segmented scan u32 by keys", True),
    ("apps-cuda", "segmented-reduce-keys", "u32", "mean-100", "segmented reduction u32 by keys",
     False),
    ("apps-cuda", "bin-65536", "u32+u32", "uniform", "bin u32 values, 65536 bins", False),
    ("scan-cpu", "scan", "u32", "uniform", "scan u32", True),
    ("apps-cpu", "sort-keys", "u32", "uniform", "sort u32 keys", True),
    ("apps-cpu", "compact-if", "u32", "50%", "compact u32, half kept", True),
    ("apps-cpu", "histogram-256", "u8", "uniform", "histogram u8, 256 bins", False),
    ("apps-cpu", "histogram-65536", "u32", "uniform", "histogram u32, 65536 bins", False),
    ("apps-cpu", "segmented-scan", "u32", "mean-100", "segmented scan u32 (flags, offsets, keys)",
     False),
    ("apps-cpu", "segmented-scan", "u32", "flags-100", "segmented scan u32, flags, mean of 100", False),
    ("program-cpu", "program-sort", "text", "integers", "`parscan sort`, text", True),
    ("program-cpu", "program-gzip", "text", "integers", "`parscan pack`, text", False),
)
BEGIN = "<!-- results: written by sh bench/run.sh --readme -->"
END = "<!-- end of results -->"
VARIANTS = ("exclusive", "reverse", "in-place", "align")


def best(rows, role):
    found = [row for row in rows
             if row["role"] == role and not any(word in row["name"] for word in VARIANTS)]
    return min(found, key=lambda row: row["median_s"]) if found else None


def line(rows, file, words):
    """One of the table, or None where there is nothing of it."""
    sizes = [row["log2n"] for row in rows if row["role"] == "peer"]
    rows = [row for row in rows if sizes and row["log2n"] == max(sizes)]
    if words.endswith("by keys"):  # as the peers' are: flags and offsets are fewer bytes
        rows = [row for row in rows if row["role"] != "parscan" or row["name"] == "keys"]
    ours, peer = best(rows, "parscan"), best(rows, "peer")
    if ours is None or peer is None:
        return None
    share = "" if ours["share_of_copy"] is None else f"{ours['share_of_copy']:.2f}"
    engine = "GPU" if "cuda" in file else "CPU"
    noisy = ours["q1_s"] <= peer["q3_s"] and peer["q1_s"] <= ours["q3_s"]
    return (f"| {engine} | {words}, 2^{ours['log2n']:.0f} | {results.seconds(ours['median_s'])} |"
            f" {share} | {results.seconds(peer['median_s'])}, {peer['name']} |"
            f" {'~ ' if noisy else ''}{peer['median_s'] / ours['median_s']:.2f} x |")


def read_all(folder):
    """Results by the files' names."""
    return {path.stem: results.read(path) for path in results.csv_files(folder)
            if not path.stem.startswith(("busy-", "files-", "gpus-", "threads-", "short-"))}


def heads(files):
    """A machine each, with the newest commit of what the table tells, and which files are older."""
    told = dict.fromkeys(file for file, *_ in ROWS if file in files and files[file].timed())
    machines = {}
    for name in sorted(told, key=lambda name: files[name].day_and_time(), reverse=True):
        commits = machines.setdefault(files[name].machine(), {})
        commits.setdefault(files[name].made(), []).append(name)
    for machine, made in machines.items():
        (newest, _), *older = made.items()
        text = ", ".join(part for part in (machine, newest) if part)
        yield text + "".join(f" ({' and '.join(names)}: {words or 'of an unknown commit'})"
                             for words, names in older)


def table(files, folder, short):
    """The lines of all rows, or of README's (short). Without one of them the program ends."""
    lines = ["| | work | parscan | share of the copy | best peer | times as fast |",
             "|---|---|---|---|---|---|"]
    for file, work, type_name, input_name, words, in_readme in ROWS:
        if short and not in_readme:
            continue
        timed = files[file].timed() if file in files else []
        rows = [row for row in timed
                if (row["work"], row["type"], row["input"]) == (work, type_name, input_name)]
        if (text := line(rows, file, words)) is not None:
            lines.append(text)
    if len(lines) == 2:
        raise SystemExit(f"{folder}: no row of the table was measured")
    return lines


def write(path, head, lines):
    """Between the marks of a document."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path}: no marks for the results")
    if any("| ~ " in row for row in lines):
        head += " ~: the quartiles of both overlap."
    text = "\n".join([head, "", *lines])
    path.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


def main(folder, readme=None, performance=None):
    files = read_all(folder)
    if readme is None:
        print("\n".join(table(files, folder, short=False)))
        return
    head = "; ".join(heads(files)) + "."
    for path, short in ((readme, True), (performance, False)):
        if path is not None:
            write(pathlib.Path(path), head, table(files, folder, short))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
