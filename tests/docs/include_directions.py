#!/usr/bin/env python3
"""include_directions.py SOURCE: which file may include which. Reads every #include "..." of include/,
scan/, apps/, tests/ and bench/ (and <parscan/...>, which is the same), and fails with the line of each
that breaks a rule:

    layers    include <- scan <- apps <- tests, bench: a file includes its own layer and those to the left.
    scan      tables.h <- type_traits.h, half.h <- context, block <- cpu, cuda <- SCAN_HEADERS <- sequential, single_pass
              <- hierarchical, reproducible <- axis <- scan/*.c. Two folders of one rank do not include each other.
    apps      An app includes its own folder and SHARED_APPS. CALLERS also include the NAME_call.h of others; a
              CUDA file of COMPOSED also what its apps hand to their launches.
    engines   A CPU file reaches no CUDA file and a CUDA file no CPU file, directly or through other
              headers. The block algorithms (scan/block/*.h) are for both.
    names     A file name occurs once in the repository, but for SAME_NAMES and links (python/LICENSE).

First it shows, on a tree with mistakes, that it finds them.
"""
import fnmatch
import os
import re
import sys

LAYERS = {"include": 0, "scan": 1, "apps": 2, "tests": 3, "bench": 3}

# The headers of scan/ itself that the algorithms' folders include: a call of a scan, and what the files
# that are compiled once an element type need. A new header of scan/ needs a rank here.
SCAN_HEADERS = ("scan_call.h", "call_element.h", "scan_element_cpu.h", "scan_plan.h", "scan_cuda.h",
                "launch_element.cuh")
SCAN_RANKS = {
    "tables.h": 0,
    "type_traits.h": 1, "half.h": 1,
    "context": 2, "block": 2,
    "cpu": 3, "cuda": 3,
    **dict.fromkeys(SCAN_HEADERS, 4),
    "sequential": 5, "single_pass": 5,
    "hierarchical": 6, "reproducible": 6,
    "custom": 7, "runtime": 7.5,
    "axis": 7,
}
SCAN_C_RANK = 8

SHARED_APPS = ("radix", "segments", "merge")
CALLERS = ("chunked", "distributed")
# A join is a search and an expansion; a sort of what is appended ends with a merge.
COMPOSED = {"join": ("search", "allocate"), "sort": ("join",)}
LAUNCHED = ("*_call.h", "*_plan.h", "*_cuda.h")

CUDA_FILES = ("scan/cuda/*", "*.cu", "*.cuh", "*/cuda_*.[ch]", "*_cuda.[ch]")
CPU_FILES = ("scan/cpu/*", "*_cpu.[ch]", "*_cpu_template.h", "*_kernels.[ch]", "*_kernels_template.h",
             "*_simd.h")

# Names that a tool or a habit fixes: CMake's, and the command of a folder (sh tests/race/run.sh).
SAME_NAMES = ("CMakeLists.txt", "sources.cmake", "README.md", "run.sh")
SAME_NAME_FOLDERS = ("tests/fuzz/seeds/", "packaging/debian/")

# Written by CMake into the build folder.
GENERATED = {"parscan/types.h": "include/parscan/types.h.in", "bench_commit.h": "bench/commit.cmake",
             "every_plan.h": "tests/scan/plan/CMakeLists.txt"}

SOURCE = re.compile(r".*\.(c|h|cu|cuh|cpp|h\.in)$")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<(parscan/[^>]+)>)')


def layer(path):
    return path.split("/")[0]


def matches(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def engine(path):
    """cuda, cpu, or neither. Tests and benchmarks look at both."""
    if layer(path) not in ("scan", "apps"):
        return None
    return "cuda" if matches(path, CUDA_FILES) else "cpu" if matches(path, CPU_FILES) else None


def scan_rank(path):
    part = path.split("/")[1]
    rank = SCAN_RANKS.get(part)
    if rank is None and path.count("/") == 1 and path.endswith((".c", ".cu")):
        rank = SCAN_C_RANK
    return rank


def resolve(files, path, name):
    if name in GENERATED:
        return GENERATED[name]
    for folder in ("", os.path.dirname(path), "include", "bench"):
        found = os.path.normpath(os.path.join(folder, name))
        if found in files:
            return found
    return None


def wrong_in_layers(path, to):
    if layer(path) == layer(to):
        return None
    if LAYERS[layer(to)] >= LAYERS[layer(path)]:
        return f"{layer(path)}/ does not include {layer(to)}/"
    return None


def wrong_in_scan(path, to):
    if layer(path) != "scan" or layer(to) != "scan":
        return None
    for name in (path, to):
        if scan_rank(name) is None:
            return f"{name} has no rank in include_directions.py"
    if os.path.dirname(path) == os.path.dirname(to) and path.count("/") == 2:
        return None
    mine, other = scan_rank(path), scan_rank(to)
    both_headers = mine == other == SCAN_RANKS[SCAN_HEADERS[0]]
    if mine > other or both_headers:
        return None
    return f"{path} stands below {to} or beside it"


def wrong_in_apps(path, to):
    if layer(path) != "apps" or layer(to) != "apps":
        return None
    mine, other = path.split("/")[1], to.split("/")[1]
    if mine == other or other in SHARED_APPS:
        return None
    if mine in CALLERS and to.endswith("_call.h"):
        return None
    if other in COMPOSED.get(mine, ()) and matches(path, CUDA_FILES) and matches(to, LAUNCHED):
        return None
    return f"apps/{mine} does not include files of apps/{other}"


def other_engine(graph, path):
    """A chain of includes from a file of one engine to the nearest of the other; None if there is none."""
    mine = engine(path)
    chains, seen = [[path]], {path}
    while mine is not None and chains:
        chain = chains.pop(0)
        for to in graph.get(chain[-1], ()):
            if to in seen:
                continue
            seen.add(to)
            if engine(to) not in (None, mine):
                return chain + [to]
            if engine(to) is None:  # a file of one's own engine is looked at by itself
                chains.append(chain + [to])
    return None


def broken(files, names):
    """files: for each source the (line, name) of its includes. names: all files of the repository."""
    found, graph = [], {}
    for path in sorted(files):
        graph[path] = []
        for line, name in files[path]:
            at, to = f'{path}:{line}: "{name}"', resolve(files, path, name)
            if to is None:
                found.append(f"{at}: no such file")
                continue
            graph[path].append(to)
            for rule in (wrong_in_layers, wrong_in_scan, wrong_in_apps):
                words = rule(path, to)
                if words is not None:
                    found.append(f"{at}: {words}")
    for path in sorted(files):
        chain = other_engine(graph, path)
        if chain is not None:
            found.append(f"{path}: {engine(path)} code reaches {engine(chain[-1])} code: "
                         + " -> ".join(chain))
    places = {}
    for path in sorted(names):
        name = os.path.basename(path)
        if name not in SAME_NAMES and not path.startswith(SAME_NAME_FOLDERS):
            places.setdefault(name, []).append(path)
    for name, paths in places.items():
        if len(paths) > 1:
            found.append(f"{name} is the name of {len(paths)} files: {' '.join(paths)}")
    return found


def all_names(source):
    names = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders
                      if not name.startswith((".", "build")) and name != "__pycache__"]
        places = [os.path.join(folder, name) for name in files]
        names += [os.path.relpath(place, source) for place in places if not os.path.islink(place)]
    return names


def includes(path):
    with open(path, encoding="utf-8") as lines:
        return [(number, match[1] or match[2]) for number, line in enumerate(lines, 1)
                if (match := INCLUDE.match(line))]


def show_that_it_finds():
    tree = {
        "include/parscan/a.h": ["parscan/types.h", "scan/tables.h"],
        "scan/tables.h": [],
        "scan/new.h": [],
        "scan/scan.c": ["scan/scan_call.h", "scan/new.h"],
        "scan/scan_call.h": ["parscan/a.h", "scan/tables.h", "scan/call_element.h"],
        "scan/call_element.h": ["scan/cpu/element.h"],
        "scan/context/memory.h": ["scan/block/block.h", "apps/sort/sort_call.h"],
        "scan/block/block.h": ["scan/tables.h"],
        "scan/cpu/element.h": ["scan/context/memory.h", "scan/scan_call.h"],
        "scan/cuda/arrays.h": ["scan/context/memory.h"],
        "scan/single_pass/pass.cuh": ["scan/cuda/arrays.h", "scan/call_element.h"],
        "scan/hierarchical/level.h": ["scan/single_pass/pass.cuh", "none.h"],
        "apps/sort/sort_call.h": ["apps/sort/sort_kernels.h", "apps/radix/pass.h"],
        "apps/sort/sort_kernels.h": ["scan/cpu/element.h"],
        "apps/sort/sort_cuda.c": ["apps/sort/sort_call.h"],
        "apps/sort/sort_cpu.c": ["apps/sort/sort_call.h", "apps/bin/bin_cuda.h"],
        "apps/bin/bin_cuda.h": ["apps/sort/sort_call.h"],
        "apps/radix/pass.h": ["tests/case.h"],
        "apps/chunked/chunked.c": ["apps/sort/sort_call.h", "apps/sort/sort_cpu.c"],
        "tests/case.h": ["apps/sort/sort_kernels.h", "../bench/harness.h"],
        "bench/harness.h": ["parscan/a.h"],
        "bench/sub/element.h": ["harness.h"],
    }
    files = {path: list(enumerate(names, 1)) for path, names in tree.items()}
    expected = """
        apps/bin/bin_cuda.h:1: "apps/sort/sort_call.h"
        apps/chunked/chunked.c:2: "apps/sort/sort_cpu.c"
        apps/radix/pass.h:1: "tests/case.h"
        apps/sort/sort_cpu.c:2: "apps/bin/bin_cuda.h"
        include/parscan/a.h:2: "scan/tables.h"
        scan/context/memory.h:1: "scan/block/block.h"
        scan/context/memory.h:2: "apps/sort/sort_call.h"
        scan/cpu/element.h:2: "scan/scan_call.h"
        scan/hierarchical/level.h:2: "none.h"
        scan/scan.c:2: "scan/new.h"
        tests/case.h:2: "../bench/harness.h"
        apps/bin/bin_cuda.h: cuda code reaches cpu code
        apps/sort/sort_cpu.c: cpu code reaches cuda code
        apps/sort/sort_cuda.c: cuda code reaches cpu code
        scan/cuda/arrays.h: cuda code reaches cpu code
        scan/single_pass/pass.cuh: cuda code reaches cpu code
        element.h is the name of 2 files""".split("\n")[1:]
    names = list(tree) + ["include/parscan/types.h.in", "apps/run.sh", "tests/run.sh",
                          "tests/fuzz/seeds/a/case.h", "tests/fuzz/seeds/b/case.h"]
    found = broken(files, names)
    expected = [words.strip() for words in expected]
    if len(found) != len(expected) or not all(map(str.startswith, found, expected)):
        sys.exit("include_directions.py does not find what is planted, but:\n" + "\n".join(found))


def main():
    show_that_it_finds()
    source = sys.argv[1]
    names = all_names(source)
    files = {path: includes(os.path.join(source, path)) for path in names
             if layer(path) in LAYERS and SOURCE.match(path)}
    if not any(layer(path) == "scan" for path in files):
        sys.exit(f"{source}: no sources")
    found = broken(files, names)
    for words in found:
        print(words)
    sys.exit(1 if found else 0)


main()
