"""Operations counted against the bounds N - 1, 2N and N log2 N."""

import math

from matplotlib import pyplot

import results
import style

BOUNDS = (("N - 1", lambda n: n - 1), ("2N", lambda n: 2 * n),
          ("N log2 N", lambda n: n * math.log2(n)))
COLUMNS = ("algorithm", "n", "operations", "textbook")
MOST = 2**28  # elements, far more than are counted


def whole(row, name, most):
    if not row[name].isdecimal() or len(row[name]) > 18 or not 1 <= int(row[name]) <= most:
        raise ValueError(f"{name} of {results.shown(row[name])}")
    return int(row[name])


def check(row):
    """Makes numbers of its words, or raises ValueError."""
    row["n"] = whole(row, "n", MOST)
    row["operations"] = whole(row, "operations", MOST * MOST)


def read(path):
    """What made it, in words, and its rows."""
    comments, rows = results.read_table(path, COLUMNS, check)
    return results.Results(path, comments, []).made(), [tuple(row.values()) for row in rows]


def draw(path, folder):
    """Of work.csv (count_work.py); the files written."""
    made, rows = read(path)
    if not rows:
        return []
    figure, axes = pyplot.subplots(figsize=(7.4, 4.3))
    sizes = sorted({n for _, n, _, _ in rows})
    for words, bound in BOUNDS:
        axes.plot(sizes, [bound(n) / n for n in sizes], color=style.INK, linestyle=(0, (5, 2)),
                  linewidth=1.4)
        axes.annotate(words, (sizes[-1], bound(sizes[-1]) / sizes[-1]), (6, 0), va="center",
                      textcoords="offset points", fontsize=9)
    for k, algorithm in enumerate(dict.fromkeys(row[0] for row in rows)):
        mine = [(n, operations / n) for name, n, operations, _ in rows if name == algorithm]
        axes.plot(*zip(*mine), label=algorithm, linewidth=1.6,
                  marker=style.MARKERS[k % len(style.MARKERS)],
                  color=style.colour_of(algorithm, style.PARSCAN))
    axes.set_title("Work: operations an element, counted")
    style.subtitle(axes, "inclusive sum; one block up to 1024 (Kogge-Stone) or 2048 (Brent-Kung),"
                         " then blocks under the hierarchical scan"
                   + f"\ncounted at {made}" * bool(made))
    style.size_axis(axes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("N, elements (logarithmic)")
    axes.set_ylabel("operations / N")
    axes.legend(loc="upper left", fontsize=9)
    return style.save(figure, folder, "work")
