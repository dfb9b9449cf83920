"""What each kernel takes on each GPU architecture: registers, spills, static shared memory.

    python3 bench/report/kernel_resources.py BUILD ARCHITECTURE... > kernel-resources.csv

BUILD is a configured build folder with CUDA; it needs no GPU. Every CUDA source of the library is compiled again
for each ARCHITECTURE (80, 90, ...), with the build's own options, and ptxas is asked. A kernel is a template: a
row tells of all its instances, the largest figure of each column. An instance of fewer registers than STUB does
nothing: the other form of the kernel (with warp roles or without) is the one that runs there.
"""

import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict

STUB = 8
COLUMNS = ("kernel", "architecture", "instances", "registers", "spilled_instances", "spill_store_bytes",
           "stack_bytes", "shared_bytes", "most_spilled")
FUNCTION = re.compile(r"Function properties for (\S+)\n\s+(\d+) bytes stack frame, (\d+) bytes spill stores")
USED = re.compile(r"Used (\d+) registers(.*)")
SHARED = re.compile(r"(\d+) bytes smem")


def sources(build):
    """The commands of the library's CUDA sources, each as a list of words."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"].endswith(".cu") and "/parscan_cuda" in entry["command"]:
            words = shlex.split(entry["command"])
            place = words.index("-o")
            words[place:place + 2] = []
            yield entry["directory"], [word for word in words if word != "-c" and not word.startswith((
                "--generate-code", "-Xcompiler", "--compress-mode"))]


def compiled(directory, words, architecture):
    """What ptxas says of one source."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([*words, "-cubin", f"-arch=sm_{architecture}", "--resource-usage",
                              "-o", os.path.join(folder, "x.cubin")],
                             cwd=directory, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{shlex.join(words)}\n{run.stderr}")
    return run.stderr


def instances(words):
    """Mangled name, registers, bytes of spill stores, stack and shared memory of each instance."""
    parts = FUNCTION.split(words)[1:]
    for name, stack, spills, rest in zip(*(parts[i::4] for i in range(4))):
        used = USED.search(rest)
        if used:  # else a function that is not inline: what it needs is in its kernels' figures
            shared = SHARED.search(used[2])
            yield name, int(used[1]), int(spills), int(stack), int(shared[1]) if shared else 0


def demangled(names):
    run = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, run.stdout.splitlines()))


def kernel_of(name):
    """`single_pass_scan` of `void single_pass_scan<...>(...)`."""
    return re.match(r"(?:void )?(?:\(anonymous namespace\)::)?(\w+)", name)[1]


def arguments_of(name):
    """What is between the outer < and > of a name."""
    begin = name.find("<")
    end = name.find(">(")
    return name[begin + 1:end] if 0 <= begin < end else ""


def main():
    build, architectures = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = defaultdict(list)  # kernel, architecture: instances
    work = [(*source, architecture) for architecture in architectures for source in sources(build)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (_, _, architecture), words in zip(work, pool.map(lambda job: compiled(*job), work)):
            rows = list(instances(words))
            names = demangled([row[0] for row in rows])
            for name, *figures in rows:
                found[kernel_of(names[name]), architecture].append((arguments_of(names[name]), *figures))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (kernel, architecture), rows in sorted(found.items()):
        rows = [row for row in rows if row[1] >= STUB]
        if not rows:
            continue
        worst = max(rows, key=lambda row: row[2])
        writer.writerow((kernel, architecture, len(rows), max(row[1] for row in rows),
                         sum(row[2] > 0 for row in rows), worst[2], max(row[3] for row in rows),
                         max(row[4] for row in rows), worst[0] if worst[2] else ""))


if __name__ == "__main__":
    main()
