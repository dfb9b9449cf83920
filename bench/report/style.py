"""How every picture looks: no background of its own, and colours that are told from a white page
and from a dark one; SVG."""

import logging

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot, ticker  # noqa: E402  (the backend first)

PAGES = ("#ffffff", "#0d1117")  # that pictures are looked at on
LEAST_CONTRAST = 3.0  # of a colour with each of the pages (WCAG 2.1, graphical objects)
INK = "#7a7a7a"  # words, axes, the limit

# Cool colours are parscan's, warm ones its peers'.
COLOURS = {
    "blue": "#2f81f7", "green": "#2a9d5a", "teal": "#1797a6", "violet": "#8f6df2",
    "slate": "#6b84a8", "olive": "#7f8f1f",
    "orange": "#e0701a", "red": "#e5484d", "pink": "#d6559f", "brown": "#a9743a",
    "gold": "#b8860b", "plum": "#b05bc0",
}
PARSCAN = {
    "auto": "blue", "parscan": "blue", "sequential": "slate", "kogge-stone": "green",
    "brent-kung": "teal", "three-phase": "violet", "warp": "olive",
}
PEERS = {
    "cub": "orange", "cub_main": "gold", "thrust": "red", "openmp-simd": "orange", "openmp": "gold",
    "std": "pink", "std-par-unseq": "plum", "plain": "red", "numpy": "brown",
}
MARKERS = "osD^vP*Xph<>"


def luminance(colour):
    """WCAG 2.1's relative luminance of '#rrggbb'."""
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colour_of(name, table):
    return COLOURS[table.get(name, "slate")]


def apply():
    # Fonts that are only named for those who look at an SVG elsewhere.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    pyplot.rcParams.update({
        "figure.dpi": 100, "savefig.transparent": True,
        "font.family": ["DejaVu Sans", "Verdana", "sans-serif"], "font.size": 10,
        "svg.fonttype": "none", "svg.hashsalt": "parscan",  # text as text; the same bytes each time
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK,
        "xtick.color": INK, "ytick.color": INK,
        "axes.spines.top": False, "axes.spines.right": False,
        "axes.grid": True, "grid.color": INK, "grid.alpha": 0.25, "grid.linewidth": 0.6,
        "axes.titlesize": 12, "axes.titleweight": "bold", "axes.titlelocation": "left",
        "legend.frameon": False, "legend.labelcolor": INK,
    })


def save(figure, folder, name):
    """The files written: one."""
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight", pad_inches=0.1)
    pyplot.close(figure)
    return [path]


def power_of_two(exponent):
    return "2" + f"{exponent:.0f}".translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def size_axis(axes):
    """Logarithmic, with a tick at each even power of two."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(ticker.LogLocator(base=4, numticks=20))
    axes.xaxis.set_major_formatter(ticker.LogFormatterMathtext(base=2))


def subtitle(axes, text):
    """Small words between the title and the plot, in one line or more."""
    axes.set_title(axes.get_title(loc="left"), loc="left", pad=24 + 12 * text.count("\n"))
    axes.annotate(text, (0, 1), (0, 8), xycoords="axes fraction", textcoords="offset points",
                  fontsize=8.5, va="bottom")
