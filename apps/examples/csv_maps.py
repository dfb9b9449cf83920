#!/usr/bin/env python3
"""Draws how the maps of example_csv are composed, for a text of 2, 4, 8 or 16 bytes:

    python3 apps/examples/csv_maps.py 'x,"y,z"
    ' >docs/pictures/csv-maps.svg
"""
import sys

STATES = ("FIELD", "PLAIN", "QUOTED", "QUOTE")
MAPS = {'"': (2, 1, 3, 2), ",": (0, 0, 2, 0), "\r": (0, 0, 2, 0), "\n": (0, 0, 2, 0)}  # by csv.c's table
NAMES = {"\n": "LF", "\r": "CR", " ": "space"}
LEFT, CELL, LEVEL, LINE, COLUMN = 90, 84, 112, 18, 46
STYLE = """text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; fill: #1e293b; text-anchor: middle; }
.title { font-size: 15px; font-weight: bold; text-anchor: start; }
.note { text-anchor: end; font-size: 10px; fill: #475569; }
.map { stroke: #94a3b8; stroke-width: 1.25; }
.path { stroke: #1d4ed8; stroke-width: 2.5; }
.area { fill: #f1f5f9; stroke: #cbd5e1; }"""


def compose(earlier, later):
    return tuple(later[state] for state in earlier)


def draw_map(one, left, top, state):
    """Lines from each state to the next one; the one that is taken is drawn last."""
    yield f'<rect class="area" x="{left - 8}" y="{top - 10}" width="{COLUMN + 16}" height="{3 * LINE + 20}" rx="4"/>'
    for begin in sorted(range(4), key=lambda begin: begin == state):
        kind = "path" if begin == state else "map"
        yield (f'<line class="{kind}" x1="{left}" y1="{top + begin * LINE}" '
               f'x2="{left + COLUMN}" y2="{top + one[begin] * LINE}"/>')


def draw(text):
    level, names = [MAPS.get(byte, (1, 1, 2, 1)) for byte in text], [NAMES.get(byte, byte) for byte in text]
    width, height = LEFT + CELL * len(text) + 16, 60 + LEVEL * len(text).bit_length()
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    yield f"<title>The maps of bytes, composed in pairs</title>\n<style>\n{STYLE}\n</style>"
    yield '<rect width="100%" height="100%" rx="8" fill="#ffffff"/>'
    yield '<text class="title" x="24" y="30">The maps of bytes, composed in pairs; what is taken from FIELD on is blue</text>'
    top = 84
    while True:
        span, state = CELL * len(text) // len(level), 0
        for row, name in enumerate(STATES):
            yield f'<text class="note" x="{LEFT - 6}" y="{top + 4 + row * LINE}">{name}</text>'
        for k, one in enumerate(level):
            left = LEFT + k * span + (span - COLUMN) // 2
            name = names[k].replace('"', "&quot;")
            yield f'<text x="{left + COLUMN // 2}" y="{top - 18}">{name}</text>'
            yield from draw_map(one, left, top, state)
            state = one[state]
        if len(level) == 1:
            break
        level = [compose(*pair) for pair in zip(level[::2], level[1::2])]
        names = [" ".join(pair) for pair in zip(names[::2], names[1::2])]
        top += LEVEL
    yield "</svg>"


print("\n".join(draw(sys.argv[1])))
