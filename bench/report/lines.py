"""The scan against the size of its input: bandwidth, or time where caches are cold; a line an algorithm
or peer."""

import dataclasses

from matplotlib import pyplot, ticker

import style

ORDER = list(style.PARSCAN) + list(style.PEERS)


@dataclasses.dataclass
class Quantity:
    """What a picture shows of a row; the limit's row gives the limit's."""

    name: str
    title: str
    unit: str
    of: object  # (row, seconds) -> number
    logarithmic: bool
    suffix: str = ""  # of the numbers on a logarithmic axis


BANDWIDTH = Quantity("bandwidth", "Memory bandwidth", "GB/s, read and written",
                     lambda row, seconds: row["bytes"] / seconds * 1e-9, False)
TIME = Quantity("time", "Time", "time of a call", lambda row, seconds: seconds, True, "s")


def limits_of(rows):
    """The fastest copy's row, by log2n."""
    fastest = {}
    for row in rows:
        if row["role"] == "copy":
            best = fastest.get(row["log2n"])
            if best is None or row["bytes"] / row["median_s"] > best["bytes"] / best["median_s"]:
                fastest[row["log2n"]] = row
    return fastest


def series_of(rows):
    """Sorted rows by name: what does the same work, in the order of the legend."""
    names = [name for name in ORDER if any(row["name"] == name for row in rows)]
    return {name: sorted((row for row in rows if row["name"] == name),
                         key=lambda row: row["log2n"]) for name in names}


def draw_series(axes, quantity, name, rows):
    main = name == "auto"
    table = style.PARSCAN if name in style.PARSCAN else style.PEERS
    colour = style.colour_of(name, table)
    sizes = [2 ** row["log2n"] for row in rows]
    axes.fill_between(sizes, [quantity.of(row, row["q1_s"]) for row in rows],
                      [quantity.of(row, row["q3_s"]) for row in rows], color=colour, alpha=0.2,
                      linewidth=0)
    axes.plot(sizes, [quantity.of(row, row["median_s"]) for row in rows], color=colour,
              label=f"parscan {name}" if name in style.PARSCAN else name,
              linewidth=2.6 if main else 1.4, markersize=6 if main else 4,
              marker=style.MARKERS[ORDER.index(name) % len(style.MARKERS)],
              zorder=4 if main else 3)


def draw_limit(axes, quantity, limits):
    """The same number of bytes at the copy's rate."""
    sizes = sorted(limits)
    axes.plot([2 ** size for size in sizes],
              [quantity.of(limits[size], limits[size]["median_s"]) for size in sizes],
              color=style.INK, linestyle=(0, (5, 2)), linewidth=1.8,
              label="limit: the measured copy", zorder=2)


def finish(axes, quantity, type_name):
    style.size_axis(axes)
    if quantity.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(ticker.EngFormatter(quantity.suffix, sep=" "))
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(f"elements of {type_name} (logarithmic)")
    axes.set_ylabel(quantity.unit)
    handles, labels = axes.get_legend_handles_labels()
    last = {label: handle.get_ydata()[-1] for handle, label in zip(handles, labels)}
    order = sorted(range(len(labels)), key=lambda k: -last[labels[k]])
    axes.legend([handles[k] for k in order], [labels[k] for k in order], loc="center left",
                bbox_to_anchor=(1.01, 0.5), fontsize=9)


def draw(results, folder, engine, where, quantity):
    """engine: how the title ends. where: the machine, in words. The files written."""
    rows = [row for row in results.timed() if row["type"] == "u32"]
    limits = limits_of(rows)
    scans = [row for row in rows if row["work"] == "scan" and row["log2n"] in limits]
    if not scans:
        return []
    figure, axes = pyplot.subplots(figsize=(7.4, 4.3))
    for name, series in series_of(scans).items():
        draw_series(axes, quantity, name, series)
    draw_limit(axes, quantity, limits)
    axes.set_title(f"{quantity.title}: inclusive sum of u32, {engine}")
    style.subtitle(axes, where)
    finish(axes, quantity, "u32")
    return style.save(figure, folder, f"{results.path.stem}-{quantity.name}")
