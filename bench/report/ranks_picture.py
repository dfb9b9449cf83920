"""Sorts over ranks in one picture (distributed-*.csv): the local sort's time by that of the ranks, and by
that of the exchange alone. Left (strong scaling) the same keys in all, right (weak) as many for each
rank as the local sort has."""

from matplotlib import pyplot

import style

TITLES = {"sort-strong": "The same keys: the local sort's time / the ranks'",
          "sort-weak": "As many keys for each rank: one thread's time / the ranks'"}


def label(row):
    return f"{row['type']} {row['input']}, {style.power_of_two(row['log2n'])}"


def groups_of(rows, work):
    """The rows of a kind, by what they sort: name -> row."""
    groups = {}
    for row in rows:
        if row["work"] == work:
            groups.setdefault((label(row), row["threads"]), {})[row["name"]] = row
    return groups


def draw_bars(axes, groups, name_begins, colour, offset):
    """The local sort's time by that of each group's rows whose name begins so."""
    for at, by_name in enumerate(groups.values()):
        local = by_name["local"]["median_s"]
        for name, row in by_name.items():
            if name.startswith(name_begins):
                share = local / row["median_s"]
                axes.barh(at + offset, min(share, 2), height=0.36, color=style.COLOURS[colour])
                axes.text(min(share, 2) + 0.02, at + offset, f"{share:.2g}", va="center", fontsize=7)


def draw(found, folder, where):
    rows = found.timed()
    kinds = [work for work in TITLES if groups_of(rows, work)]
    if not kinds:
        return []
    figure, panels = pyplot.subplots(1, len(kinds), squeeze=False, layout="constrained",
                                     figsize=(6.2 * len(kinds), 1.6 + 0.32 * max(
                                         len(groups_of(rows, work)) for work in kinds)))
    for axes, work in zip(panels.flat, kinds):
        groups = groups_of(rows, work)
        draw_bars(axes, groups, "ranks-", "blue", -0.19)
        draw_bars(axes, groups, "exchange-", "orange", 0.19)
        axes.set_yticks(range(len(groups)), [name for name, _ in groups], fontsize=8)
        axes.invert_yaxis()
        axes.axvline(1, color=style.INK, linewidth=1)
        axes.set_xlim(0, 2.2)
        axes.set_title(TITLES[work], fontsize=10)
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=style.COLOURS[colour])
               for colour in ("blue", "orange")]
    figure.legend(handles, ["ranks", "the exchange alone"], loc="upper center",
                  bbox_to_anchor=(0.5, 0), ncol=2)
    figure.suptitle(where, fontsize=8)
    return style.save(figure, folder, found.path.stem)
