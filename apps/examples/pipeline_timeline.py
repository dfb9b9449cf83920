"""Draws example_pipeline as one graph and with its counts through the host, out of what bench/gpu_timeline.c recorded
(CUDA_INJECTION64_PATH=libgpu_timeline.so PARSCAN_TIMELINE=FILE.csv example_pipeline EDGES 5 [host]):

    PYTHONPATH=bench/report python3 apps/examples/pipeline_timeline.py GRAPH.csv HOST.csv FOLDER
"""

import csv
import pathlib
import sys

from matplotlib import pyplot

import style

STEPS = {"compact_shapeILj8EL12compact_test4": ("compact", "blue"), "digit": ("sort", "green"),
         "compact_shapeILj8EL12compact_test3": ("run lengths", "teal"), "count_elements": ("histogram", "violet"),
         "scan_units": ("allocate", "olive"), "reduce_parts": ("sums", "slate"), "segments_directly": ("sums", "slate")}


def draw(paths, folder):
    """The last run of each: from its compaction to its sums, us."""
    style.apply()
    figure, axes = pyplot.subplots(figsize=(11.2, 2.2), layout="constrained")
    labels = {}
    for k, path in enumerate(paths):
        with open(path, newline="") as file:
            events = sorted((int(row["begin_ns"]) / 1e3, int(row["end_ns"]) / 1e3, row["name"]) for row in csv.DictReader(file))
        start = [begin for begin, _, name in events if "compact_test4" in name][-1]
        for begin, end, name in (event for event in events if event[0] >= start):
            step, colour = next((step for key, step in STEPS.items() if key in name), (None, None))
            if step:
                labels[step] = axes.barh(k, end - begin, left=begin - start, height=0.6, color=style.COLOURS[colour], linewidth=0)
    axes.set_yticks([0, 1], ["one graph", "counts through the host"])
    axes.invert_yaxis()
    axes.set_xlabel("us")
    axes.legend(labels.values(), labels.keys(), ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    style.save(figure, pathlib.Path(folder), "pipeline")


if __name__ == "__main__":
    draw(sys.argv[1:3], sys.argv[3])
