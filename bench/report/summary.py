"""README's table of results, in Markdown, from a folder's CSV: summary.py FOLDER [README]

Printed, or written between the README's marks.
"""

import pathlib
import sys

import results

# What is told: file, work, type, input, the words; each at the largest size measured.
ROWS = (
    ("scan-cuda", "scan", "u32", "uniform", "scan u32"),
    ("apps-cuda", "sort-keys", "u32", "uniform", "sort u32 keys"),
    ("apps-cuda", "sort-keys", "u64", "uniform", "sort u64 keys"),
    ("apps-cuda", "sort-pairs", "u32+u32", "uniform", "sort u32 + u32 pairs"),
    ("apps-cuda", "sort-pairs", "u64+u32", "uniform", "sort u64 + u32 pairs"),
    ("apps-cuda", "sort-segments", "u32", "mean-1000", "sort segments of u32, mean 1000"),
    ("apps-cuda", "compact-if", "u32", "50%", "compact u32, half kept"),
    ("apps-cuda", "unique", "u32", "runs-of-4", "unique u32, runs of 4"),
    ("apps-cuda", "histogram-256", "u8", "uniform", "histogram u8, 256 bins"),
    ("apps-cuda", "histogram-65536", "u32", "uniform", "histogram u32, 65536 bins"),
    ("apps-cuda", "segmented-scan", "u32", "mean-100", "segmented scan u32 by keys"),
    ("apps-cuda", "segmented-reduce-keys", "u32", "mean-100", "segmented reduction u32 by keys"),
    ("apps-cuda", "bin-65536", "u32+u32", "uniform", "bin u32 values, 65536 bins"),
    ("scan-cpu", "scan", "u32", "uniform", "scan u32"),
    ("apps-cpu", "sort-keys", "u32", "uniform", "sort u32 keys"),
    ("apps-cpu", "compact-if", "u32", "50%", "compact u32, half kept"),
    ("apps-cpu", "histogram-256", "u8", "uniform", "histogram u8, 256 bins"),
    ("apps-cpu", "histogram-65536", "u32", "uniform", "histogram u32, 65536 bins"),
    ("apps-cpu", "segmented-scan", "u32", "mean-100", "segmented scan u32 (flags, offsets, keys)"),
    ("program-cpu", "program-sort", "text", "integers", "`parscan sort`, text"),
    ("program-cpu", "program-gzip", "text", "integers", "`parscan pack`, text"),
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
            if path.stem != "work"}


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


def table(files, folder):
    """The lines, of which there are some, or the program ends."""
    lines = ["| | work | parscan | share of the copy | best peer | parscan is |",
             "|---|---|---|---|---|---|"]
    for file, work, type_name, input_name, words in ROWS:
        timed = files[file].timed() if file in files else []
        rows = [row for row in timed
                if (row["work"], row["type"], row["input"]) == (work, type_name, input_name)]
        if (text := line(rows, file, words)) is not None:
            lines.append(text)
    if len(lines) == 2:
        raise SystemExit(f"{folder}: no row of the table was measured")
    return lines


def main(folder, readme=None):
    files = read_all(folder)
    lines = table(files, folder)
    if readme is None:
        print("\n".join(lines))
        return
    path = pathlib.Path(readme)
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path}: no marks for the results")
    text = "; ".join(heads(files)) + "."
    if any("| ~ " in row for row in lines):
        text += " ~: the quartiles of both overlap."
    text = "\n".join([text, "", *lines])
    path.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
