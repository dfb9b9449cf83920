"""The applications beside their peers: a panel an application, a bar a contestant."""

from matplotlib import pyplot, ticker

import style
from results import seconds

# What is drawn of a CSV, where it is there: work, type, input, and the panel's words.
PANELS = (
    *(("scan", name, "uniform", f"scan of {name}") for name in ("u8", "u32", "u64", "f32", "f64")),
    ("sort-keys", "u32", "uniform", "sort u32 keys"),
    ("sort-keys", "u64", "uniform", "sort u64 keys"),
    ("sort-pairs", "u32+u32", "uniform", "sort u32 + u32 pairs"),
    ("sort-pairs", "u32", "uniform", "sort u32 + u32 pairs"),
    ("sort-pairs", "u64+u32", "uniform", "sort u64 + u32 pairs"),
    ("argsort", "u32", "uniform", "argsort u32"),
    ("sort-segments", "u32", "mean-1000", "sort segments of u32, mean 1000"),
    ("compact-if", "u32", "50%", "compact u32, half kept"),
    ("unique", "u32", "runs", "unique u32, runs of 4"),
    ("unique", "u32", "runs-of-4", "unique u32, runs of 4"),
    ("run-lengths", "u32", "runs-of-4", "run lengths of u32, runs of 4"),
    ("histogram-256", "u8", "uniform", "histogram, u8 to 256 bins"),
    ("histogram-65536", "u32", "uniform", "histogram, u32 to 65536 bins"),
    ("segmented-scan", "u32", "mean-100", "segmented scan of u32, mean 100"),
    ("segmented-scan", "u32", "flags-100", "segmented scan of u32, flags, mean 100"),
    ("segmented-reduce-keys", "u32", "mean-100", "reduction by keys of u32, mean 100"),
    ("allocate", "u32-u64", "align-1", "allocate, u32 to u64"),
    ("bin-65536", "u32+u32", "uniform", "bin u32 values, 65536 bins"),
    ("program-sort", "text", "integers", "program: sort a text of integers"),
    ("program-gzip", "text", "integers", "program: gzip the same text"),
    ("python-cumsum", "i64", "uniform", "Python: cumsum of i64"),
    ("python-cumsum-f32", "f32", "uniform", "Python: cumsum of f32"),
    ("python-sort", "u32", "uniform", "Python: sort u32"),
    ("python-sort-i64", "i64", "uniform", "Python: sort i64"),
    ("python-sort-f32", "f32", "normal", "Python: sort f32"),
    ("python-argsort", "i64", "uniform", "Python: argsort i64"),
    ("python-unique", "i64", "65536 values", "Python: unique of i64, 65536 values"),
    ("python-bincount", "i64", "65536 values", "Python: bincount of i64, 65536 bins"),
    ("python-histogram", "f32", "normal", "Python: histogram of f32, 256 bins"),
    ("python-reduce", "i64", "65536 values", "Python: sum of i64"),
    ("python-flatnonzero", "i64", "half", "Python: flatnonzero of i64, half kept"),
)
SECONDARY = ("exclusive", "reverse", "in-place", "align")  # variants: not drawn
FAR = 4.0  # times the longest bar: a limit beyond stands behind a break of the axis
# Where the axis is broken, and where the limit stands then, in longest bars.
BREAK, BREAK_WIDTH, BEHIND = 1.13, 0.025, 1.25
RATES = ticker.EngFormatter(sep=" ")


def contestants(rows, work, type_name, input_name):
    """The rows of a panel at its largest size with a peer; parscan's first, then by speed."""
    rows = [row for row in rows
            if (row["work"], row["type"], row["input"]) == (work, type_name, input_name)
            and row["role"] in ("parscan", "peer")
            and not any(word in row["name"] for word in SECONDARY)]
    sizes = [row["log2n"] for row in rows if row["role"] == "peer"]
    rows = [row for row in rows if sizes and row["log2n"] == max(sizes)]
    return sorted(rows, key=lambda row: (row["role"] != "parscan", row["median_s"]))


def label_of(row):
    ours = row["role"] == "parscan" and not row["name"].startswith("parscan")
    return f"{'parscan, ' * ours}{row['name']}: {seconds(row['median_s'])}"


def draw_limit(axes, at):
    axes.axvline(at, color=style.INK, linestyle=(0, (5, 2)), linewidth=1.6)


def draw_break(axes, longest, limit):
    """The axis ends behind the bars, and goes on at the limit."""
    left, right = BREAK * longest, (BREAK + BREAK_WIDTH) * longest
    end = (2 * BEHIND - BREAK) * longest
    axes.set_xlim(0, end)
    axes.spines["bottom"].set_bounds(0, left)
    ink = {"color": style.INK, "clip_on": False, "transform": axes.get_xaxis_transform()}
    axes.plot([right, end], [0, 0], linewidth=axes.spines["bottom"].get_linewidth(), **ink)
    axes.plot([left, right], [0, 0], linestyle="none", marker=[(-1, -2), (1, 2)], markersize=9,
              **ink)
    ticks = [tick for tick in ticker.MaxNLocator(5).tick_values(0, longest) if tick <= longest]
    axes.set_xticks(ticks + [BEHIND * longest],
                    [RATES(tick) for tick in ticks] + [RATES(float(f"{limit:.2g}"))])
    axes.xaxis.get_gridlines()[-1].set_visible(False)
    draw_limit(axes, BEHIND * longest)


def draw_axis(axes, longest, limit):
    """limit: 0 where there is none."""
    if limit > FAR * longest:
        draw_break(axes, longest, limit)
        return
    axes.set_xlim(0, 1.08 * max(longest, limit))
    axes.xaxis.set_major_locator(ticker.MaxNLocator(5))
    axes.xaxis.set_major_formatter(RATES)
    if limit:
        draw_limit(axes, limit)


def draw_panel(axes, rows, words, places):
    """places: of bars, so that they are as thick as those of the panel beside."""
    rates = [row["elements_per_s"] for row in rows]
    spread = [[2 ** row["log2n"] * abs(1 / row["median_s"] - 1 / row[end]) for row in rows]
              for end in ("q3_s", "q1_s")]
    colours = [style.COLOURS["blue" if row["role"] == "parscan" else "orange"] for row in rows]
    axes.barh(range(len(rows)), rates, color=colours, height=0.7, xerr=spread,
              error_kw={"ecolor": style.INK, "elinewidth": 1.2, "capsize": 2})
    axes.set_title(f"{words}, {style.power_of_two(rows[0]['log2n'])}", fontsize=9.5, pad=5)
    axes.set_yticks(range(len(rows)), [label_of(row) for row in rows])
    axes.set_ylim(places - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    share = rows[0]["share_of_copy"]
    limit = rows[0]["elements_per_s"] / share if share else 0  # no copy was measured
    draw_axis(axes, max(rate + beyond for rate, beyond in zip(rates, spread[1])), limit)


def draw(results, folder, where):
    """The files written."""
    timed = results.timed()
    panels = [(rows, words) for *key, words in PANELS if (rows := contestants(timed, *key))]
    if not panels:
        return []
    columns = 2 if len(panels) > 2 else 1
    places = [max(len(rows) for rows, _ in panels[k:k + columns])
              for k in range(0, len(panels), columns)]
    row_heights = [count + 1.6 for count in places]
    figure, grid = pyplot.subplots(len(row_heights), columns, squeeze=False,
                                   figsize=(11.2 if columns == 2 else 7.4,
                                            0.27 * sum(row_heights) + 1.1),
                                   height_ratios=row_heights, layout="constrained")
    for k, (axes, panel) in enumerate(zip(grid.flat, panels)):
        draw_panel(axes, *panel, places[k // columns])
    for axes in grid.flat[len(panels):]:
        axes.set_axis_off()
    figure.suptitle(f"Elements a second, and the time of a call: parscan blue, peers orange\n"
                    "dashed: the limit, the work's bytes at the measured copy's rate;"
                    f" far beyond the bars it stands behind a break of the axis\n{where}",
                    fontsize=9.5, x=0.01, ha="left")
    return style.save(figure, folder, results.path.stem)
