"""Speed against the number of threads, in pictures: a panel a primitive, beside the copies and the
peers. One picture has each primitive's largest arrays, one more each smaller size."""

from matplotlib import pyplot, ticker

import style
import threads

COLUMNS = 4
FAR = 3.0  # times the fastest contestant: a limit beyond is not drawn
PEERS = {"parlaylib": "orange", "parlaylib-buffers": "red", "ips4o": "gold",
         "std-par-unseq": "plum", "std": "pink"}


def rate(row):
    return row["bytes"] / row["median_s"] * 1e-9


def limits_of(rows, row):
    """The limit by threads, and its words: for a row that only reads, reads of as many bytes; else the
    copies of the size whose fastest one gives the row's share."""
    name = "read" if threads.reads_only(row) else "nt-copy"
    by_size = {}
    for limit in rows:
        if limit["name"] == name:
            by_size.setdefault(limit["log2n"], {})[limit["threads"]] = limit
    if name == "read":
        return by_size.get(threads.log2_bytes(row), {}), "reading"
    if not row["share_of_copy"]:
        return {}, ""
    best = rate(row) / row["share_of_copy"]
    return min(by_size.values(), default={},
               key=lambda copies: abs(max(map(rate, copies.values())) - best)), "non-temporal copy"


def draw_line(axes, by_threads, colour, label, **how):
    counts = sorted(by_threads)
    axes.plot(counts, [rate(by_threads[count]) for count in counts], color=colour, label=label,
              **how)


def draw_panel(axes, rows, key, ours, peers):
    newest = ours[max(ours)]
    limits, words = limits_of(rows, newest)
    fastest = max(rate(row) for some in (ours, *peers.values()) for row in some.values())
    best = max(map(rate, limits.values()), default=0)
    if 0 < best < FAR * fastest:
        dashes = (0, (1, 1.5)) if words == "reading" else (0, (5, 2))
        draw_line(axes, limits, style.INK, words, linestyle=dashes)
        axes.axhline(best, color=style.INK, linewidth=0.8, alpha=0.6)
    for name, by_threads in peers.items():
        draw_line(axes, by_threads, style.COLOURS[PEERS.get(name, "brown")], name, linewidth=1.4,
                  marker="s", markersize=3.5)
    draw_line(axes, ours, style.COLOURS["blue"], "parscan", linewidth=2.4, marker="o",
              markersize=4.5)
    work, type_name, input_name, log2n = key
    axes.set_title(f"{work} {type_name}, {input_name}, {style.power_of_two(log2n)}", fontsize=9)
    axes.set_xscale("log", base=2)
    counts = sorted(ours)
    axes.set_xticks(counts, [f"{count:.0f}" for count in counts], fontsize=8)
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(bottom=0)
    axes.tick_params(axis="y", labelsize=8)


def draw_picture(rows, keys, folder, name, where):
    ours, peers = threads.series_of(rows), threads.series_of(rows, "peer")
    columns = min(COLUMNS, len(keys))
    lines = -(-len(keys) // columns)
    figure, grid = pyplot.subplots(lines, columns, squeeze=False, layout="constrained",
                                   figsize=(max(3.1 * columns, 6.4), 2.1 * lines + 1.2))
    for axes, key in zip(grid.flat, keys):
        draw_panel(axes, rows, key, ours[key]["parscan"], peers.get(key, {}))
    for axes in grid.flat[len(keys):]:
        axes.set_axis_off()
    labels = {}
    for axes in grid.flat:
        labels.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    figure.legend(labels.values(), labels.keys(), loc="upper center", bbox_to_anchor=(0.5, 0),
                  ncol=min(len(labels), 6), fontsize=9)
    figure.suptitle("GB/s, read and written, by the number of threads; thin lines: the fastest copy or"
                    f" read with any number, where it is not far beyond\n{where}", fontsize=9.5, x=0.01, ha="left")
    return style.save(figure, folder, name)


def draw(results, folder, where):
    """The files written."""
    rows = results.timed()
    keys = list(threads.series_of(rows))
    largest = {}
    for key in keys:
        largest[key[:3]] = max(key[3], largest.get(key[:3], 0))
    pictures = {"": [key for key in keys if key[3] == largest[key[:3]]]}
    for key in keys:
        if key[3] != largest[key[:3]]:
            pictures.setdefault(f"-{key[3]:.0f}", []).append(key)
    return [path for suffix, some in pictures.items() if some
            for path in draw_picture(rows, some, folder, results.path.stem + suffix, where)]
