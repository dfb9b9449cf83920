"""The CSV of bench/files.py: programs from file to file."""

import dataclasses
import pathlib

from matplotlib import pyplot, ticker

import results
import style

COLUMNS = ("group", "work", "program", "state", "bytes", "memory", "status", "median_s", "least_s",
           "most_s", "timings", "out_bytes", "peak_bytes")
NUMBERS = ("bytes", "memory", "median_s", "least_s", "most_s", "timings", "out_bytes", "peak_bytes")
PROGRAMS = {"parscan": "blue", "parscan-in-memory": "teal", "duckdb": "orange", "numpy": "brown",
            "coreutils": "red", "cp": "slate", "cp-twice": "slate"}


@dataclasses.dataclass
class Files:
    comments: list
    rows: list  # the timed ones


def check(row):
    """Makes numbers of its words, or raises ValueError."""
    for name in NUMBERS:
        row[name] = results.number(row, name)
    if row["bytes"] is None:
        raise ValueError("no bytes")
    if row["status"] == "ok" and None in (row["median_s"], row["least_s"], row["most_s"]):
        raise ValueError("no time")


def read(path):
    comments, rows = results.read_table(pathlib.Path(path), COLUMNS, check)
    return Files(comments, [row for row in rows if row["status"] == "ok"])


def where(found):
    """The machine and the disk, in two lines."""
    def words(begin):
        return next((line[len(begin):] for line in found.comments if line.startswith(begin)), "")
    return f"{words('machine: ')}\n{words('disk: ')}; medians, bands: least and most"


def draw_sort(found, folder, stem):
    """Time against the size of the file, through the border of memory."""
    rows = [row for row in found.rows if row["group"] == "sort" and row["state"] == "warm"]
    if not rows:
        return []
    figure, axes = pyplot.subplots(figsize=(7.4, 4.3))
    programs = [name for name in PROGRAMS if any(row["program"] == name for row in rows)]
    for name, marker in zip(programs, style.MARKERS):
        series = sorted((row for row in rows if row["program"] == name),
                        key=lambda row: row["bytes"])
        sizes, colour = [row["bytes"] for row in series], style.COLOURS[PROGRAMS[name]]
        axes.fill_between(sizes, [row["least_s"] for row in series],
                          [row["most_s"] for row in series], color=colour, alpha=0.2, linewidth=0)
        axes.plot(sizes, [row["median_s"] for row in series], color=colour, marker=marker, label=name,
                  linewidth=2.6 if name == "parscan" else 1.4)
    memory = max(row["memory"] or 0 for row in rows if row["program"] == "parscan")
    axes.axvline(memory, color=style.INK, linestyle=(0, (5, 2)), linewidth=1.2,
                 label=f"--memory, {memory / 2**30:g} GiB")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x / 2**30:g}"))
    axes.yaxis.set_major_formatter(ticker.EngFormatter("s", sep=" "))
    axes.set_xlabel("GiB of random u32 (logarithmic)")
    axes.set_ylabel("from start to end of the program")
    axes.set_title("Sort of a file in the page cache")
    style.subtitle(axes, where(found))
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9)
    return style.save(figure, folder, f"{stem}-sort")


def draw_stream(found, folder, stem):
    """Bars of the time of each subcommand, beside cp."""
    rows = [row for row in found.rows if row["group"] == "stream"]
    states = [state for state in ("warm", "cold") if any(row["state"] == state for row in rows)]
    if not rows:
        return []
    figure, grid = pyplot.subplots(1, len(states), squeeze=False, layout="constrained",
                                   figsize=(4.6 * len(states), 3.2))
    for axes, state in zip(grid.flat, states):
        of_state = [row for row in rows if row["state"] == state][::-1]
        names = [row["program"] if row["work"] == "copy" else f"{row['work']} {row['program']}"
                 for row in of_state]
        medians = [row["median_s"] for row in of_state]
        axes.barh(names, medians,
                  color=[style.COLOURS[PROGRAMS[row["program"]]] for row in of_state],
                  xerr=[[row["median_s"] - row["least_s"] for row in of_state],
                        [row["most_s"] - row["median_s"] for row in of_state]],
                  error_kw={"ecolor": style.INK, "elinewidth": 1})
        axes.set_title(f"{state}, {of_state[0]['bytes'] / 2**30:g} GiB of u64", fontsize=10)
        axes.set_xlabel("seconds")
        axes.grid(axis="y", visible=False)
    words = where(found).replace("bands", "whiskers")
    figure.suptitle(f"File to file\n{words}", fontsize=9.5, x=0.01, ha="left")
    return style.save(figure, folder, f"{stem}-stream")


def draw(path, folder):
    """The files written for one CSV."""
    found = read(path)
    return draw_sort(found, folder, path.stem) + draw_stream(found, folder, path.stem)
