"""Draws a call over several GPUs, out of what bench/gpu_timeline.c recorded, and tells how much of the time of
NCCL's large kernels another kernel ran on the same device.

    python3 bench/report/timeline.py FILE.csv MILLISECONDS FOLDER

MILLISECONDS: the end of the record that is looked at, as long as the last call took.
"""

import csv
import pathlib
import sys

from matplotlib import pyplot

import style

LARGE = 0.1  # ms: a shorter kernel of NCCL's is an exchange of counts
KINDS = {"ncclDevKernel": ("exchange", "orange"), "digit_pass": ("pass", "blue"),
         "histogram": ("count", "green"), "copy": ("copy", "violet")}


def read(path, last):
    """Events of the last milliseconds: device, kind, begin, end in ms."""
    with open(path, newline="") as file:
        rows = [(row["device"], row["name"], int(row["begin_ns"]) / 1e6, int(row["end_ns"]) / 1e6)
                for row in csv.DictReader(file)]
    start = max(end for *_, end in rows) - last
    return sorted((device, next((kind for key, kind in KINDS.items() if key in name), ("other", "slate")),
                   begin - start, end - start) for device, name, begin, end in rows if begin >= start)


def report(events):
    for device in sorted({event[0] for event in events}):
        mine = [(kind[0], begin, end) for at, kind, begin, end in events if at == device]
        travels = [(begin, end) for kind, begin, end in mine
                   if kind == "exchange" and end - begin > LARGE]
        works = [(begin, end) for kind, begin, end in mine if kind in ("pass", "count")]
        whole = sum(end - begin for begin, end in travels)
        beside = sum(max(0, min(end, until) - max(begin, since))  # works do not overlap each other
                     for begin, end in travels for since, until in works)
        print(f"device {device}: exchanges {whole:.2f} ms, {100 * beside / whole:.0f}% of it beside "
              f"kernels of the sort, which take {sum(end - begin for begin, end in works):.2f} ms")


def draw(events, folder, name):
    style.apply()
    devices = sorted({event[0] for event in events})
    figure, axes = pyplot.subplots(figsize=(11.2, 0.9 + 0.9 * len(devices)), layout="constrained")
    labels = {}
    for device, (kind, colour), begin, end in events:
        bar = axes.barh(2 * devices.index(device) + (kind == "exchange"), end - begin, left=begin, height=0.8,
                        color=style.COLOURS[colour], linewidth=0)
        labels.setdefault(kind, bar)
    axes.set_yticks([2 * k + lane for k in range(len(devices)) for lane in (0, 1)],
                    [f"GPU {device}{words}" for device in devices for words in ("", ", NCCL")])
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    axes.legend(labels.values(), labels.keys(), ncols=5, loc="lower center",
                bbox_to_anchor=(0.5, 1.0))
    style.save(figure, pathlib.Path(folder), name)


if __name__ == "__main__":
    found = read(sys.argv[1], float(sys.argv[2]))
    report(found)
    draw(found, sys.argv[3], pathlib.Path(sys.argv[1]).stem)
