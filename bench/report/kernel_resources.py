"""What each kernel takes on each GPU architecture: registers, spills, static shared memory.

    python3 bench/report/kernel_resources.py BUILD ARCHITECTURE...

BUILD is a configured build folder with CUDA; it needs no GPU. Every CUDA source of the library is compiled again
for each ARCHITECTURE (80, 90, ...), with the build's own options, and ptxas is asked. It prints a table in Markdown.
A kernel is a template: a row tells of all its instances, with the largest of each figure. An instance of fewer
registers than STUB does nothing: the other form of the kernel (warp-specialised or not) is the one that runs there.
"""

import concurrent.futures
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
FUNCTION = re.compile(r"Function properties for (\S+)\n.*, (\d+) bytes spill stores")
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
    """Mangled name, registers, bytes of spill stores and of static shared memory of each instance."""
    parts = FUNCTION.split(words)[1:]
    for name, spills, rest in zip(*(parts[i::3] for i in range(3))):
        used = USED.search(rest)
        if used:  # else a function that is not inline: what it needs is in its kernels' figures
            shared = SHARED.search(used[2])
            yield name, int(used[1]), int(spills), int(shared[1]) if shared else 0


def demangled(names):
    run = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, run.stdout.splitlines()))


def kernel_of(name):
    """`single_pass_scan` of `void single_pass_scan<...>(...)`."""
    return re.match(r"(?:void )?(?:\(anonymous namespace\)::)?(\w+)", name)[1]


def cell(rows):
    """`registers`, or `registers; instances that spill, bytes at most`."""
    if not rows:
        return ""
    spilled = [row[1] for row in rows if row[1] > 0]
    registers = max(row[0] for row in rows)
    return f"{registers}; {len(spilled)} spill, {max(spilled)}" if spilled else str(registers)


def main():
    build, architectures = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = defaultdict(list)  # kernel, architecture: registers, spills, shared memory of each instance
    work = [(*source, architecture) for architecture in architectures for source in sources(build)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (_, _, architecture), words in zip(work, pool.map(lambda job: compiled(*job), work)):
            rows = list(instances(words))
            names = demangled([row[0] for row in rows])
            for name, *figures in rows:
                if figures[0] >= STUB:
                    found[kernel_of(names[name]), architecture].append(figures)
    print(f"| kernel | instances | shared memory | {' | '.join(architectures)} |")
    print("|---" * (3 + len(architectures)) + "|")
    for kernel in sorted({kernel for kernel, _ in found}):
        each = [found[kernel, architecture] for architecture in architectures]
        shared = max(row[2] for rows in each for row in rows)
        print(f"| {kernel} | {max(map(len, each))} | {shared or ''} | {' | '.join(map(cell, each))} |")


if __name__ == "__main__":
    main()
