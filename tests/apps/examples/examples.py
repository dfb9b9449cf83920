#!/usr/bin/env python3
"""examples.py NAME PROGRAM PREPARE: runs an example on real input, made by PREPARE (apps/examples/prepare.py)
where it comes from a package, and compares its output with that of NumPy, SciPy, contourpy or Python.
Exit status 77, and the reason, if a package is missing."""
import collections
import csv as csv_module
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def run(*command):
    """The lines that a program prints."""
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True).stdout.split(b"\n")[:-1]


def need(path, package):
    if not os.path.exists(path):
        print(f"skipped: no {path} (package {package})")
        sys.exit(77)


def verses():
    need("/usr/bin/bible", "bible-kjv")
    return [line.split(b" ", 1)[1] for line in run("bible", "-f", "gen1:1-rev22:21")]


def sparse_matrix(program, prepare):
    from scipy.io import mmread
    need("/usr/bin/bible", "bible-kjv")
    prepare("matrix")
    matrix = mmread("bible.mtx").tocsr()
    assert matrix.nnz >= 10**6
    x = np.random.default_rng(7).normal(size=matrix.shape[1])
    np.savetxt("x.txt", x, "%.17g")
    got = np.array(run(program, "bible.mtx", "x.txt"), float)
    # Both add in some order: the error is bounded by the sum of the magnitudes.
    assert np.all(np.abs(got - matrix @ x) <= 1e-13 * (abs(matrix) @ abs(x)))
    assert np.array_equal(np.array(run(program, "bible.mtx"), float), matrix @ np.ones(len(x)))
    return f"{matrix.nnz} entries"


def search(program, prepare):
    from scipy.io import mmread
    from scipy.sparse.csgraph import dijkstra
    need("/usr/share/dict/scowl/english-words.10", "scowl")
    prepare("ladder")
    graph = mmread("ladder.mtx").tocsr()
    assert graph.nnz >= 10**6
    words = open("ladder.words", encoding="ascii").read().split()
    first, last = words.index("wheat"), words.index("bread")
    expected = dijkstra(graph, directed=False, unweighted=True, indices=first)
    expected[np.isinf(expected)] = -1
    assert np.array_equal(np.array(run(program, "ladder.mtx", first + 1), int), expected)
    path = [int(line) - 1 for line in run(program, "ladder.mtx", first + 1, last + 1)]
    assert path[0] == first and path[-1] == last and len(path) == expected[last] + 1
    assert all(graph[a, b] or graph[b, a] for a, b in zip(path, path[1:]))
    return f"{graph.nnz} edges; " + " ".join(words[v] for v in path)


def contours(program, prepare):
    from contourpy import contour_generator
    need("/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz", "python-matplotlib-data")
    prepare("heights")
    with open("jacksboro.pgm", "rb") as file:
        _, size, _ = file.readline(), file.readline(), file.readline()
        heights = np.frombuffer(file.read(), ">u2").reshape([int(n) for n in size.split()][::-1]).astype(float)
    segments = np.array([line.split() for line in run(program, "jacksboro.pgm", 20, "list")], float)
    levels = np.arange(0, heights.max(), 20) + 0.5
    levels = levels[levels > heights.min()]
    assert np.array_equal(np.unique(segments[:, 4]), levels)
    generator = contour_generator(z=heights, name="serial", corner_mask=False)
    for level in levels:  # the whole length of the lines, and no more segments than lines have
        mine = segments[segments[:, 4] == level]
        length = np.hypot(mine[:, 0] - mine[:, 2], mine[:, 1] - mine[:, 3]).sum()
        lines = [np.diff(line, axis=0) for line in generator.lines(level)]
        expected = sum(np.hypot(*line.T).sum() for line in lines)
        # Ends are floats, of up to 403 pixels, and printed with six digits.
        assert abs(length - expected) <= 1e-4 * len(mine), (level, length, expected)
        assert len(mine) == sum(map(len, lines))
    picture = b"\n".join(run(program, "jacksboro.pgm", 20))
    assert picture.count(b"M") == len(segments)
    return f"{len(segments)} segments"


def quick_sort(program, prepare):
    need("/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz", "python-matplotlib-data")
    prepare("heights")
    heights = np.fromfile("jacksboro.pgm", ">u2", offset=17)
    numbers = heights.astype(int) - 500
    np.savetxt("numbers.txt", numbers, "%d")
    assert np.array_equal(np.array(run(program, "numbers.txt"), int), np.sort(numbers))
    np.savetxt("row.txt", numbers[:403], "%d")
    run(program, "row.txt", "row.svg")
    with open("row.svg", encoding="ascii") as picture:
        text = picture.read()
    assert text.startswith("<svg ") and text.endswith("</svg>\n") and text.count("<path") >= 9
    open("none.txt", "w").close()
    assert run(program, "none.txt") == []
    return f"{len(numbers)} numbers"


def compare_strings(program, _):
    lines = verses()
    lines += [b"", b"", b"a", b"ab", b"ab", b"a", b"\xff", b"z"]
    with open("lines.txt", "wb") as out:
        out.write(b"\n".join(lines))
    expected = []
    for one, other in zip(lines, lines[1:]):
        order = "<" if one < other else "=" if one == other else ">"
        expected.append(f"{order} {len(os.path.commonprefix([one, other]))}".encode())
    assert run(program, "lines.txt") == expected
    return f"{len(lines)} lines"


def tree(program, _):
    found = run("find", "/usr/share", "-xdev", "-printf", r"%d %s %p\n")
    found = [line.split(b" ", 2) for line in found]
    found = [line for line in found if len(line) == 3 and line[2].startswith(b"/usr/share")]
    number = {path: i for i, (_, _, path) in enumerate(found)}
    up = [0] + [number[os.path.dirname(path)] for _, _, path in found[1:]]
    size = [int(line[1]) for line in found]
    # Other numbers for the nodes: a tree need not come in the order of a walk.
    new = np.concatenate([[0], 1 + np.random.default_rng(3).permutation(len(up) - 1)])
    old = np.argsort(new)
    with open("tree.txt", "wb") as out:
        for v in old:
            out.write(b"%d %d %s\n" % (new[up[v]], size[v], found[v][2]))
    below, total = [0] * len(up), size[:]
    for v in range(len(up) - 1, 0, -1):
        below[up[v]] += below[v] + 1
        total[up[v]] += total[v]
    lines = [line.split(b" ", 4) for line in run(program, "tree.txt")]
    assert len(lines) == len(up)
    for v, (depth, nodes, sums, _, path) in zip(old, lines):
        assert (depth, int(nodes), int(sums), path) == (found[v][0], below[v], total[v], found[v][2]), path
    deepest = max(range(len(up)), key=lambda v: int(found[v][0]))
    path = found[deepest][2].split(b"/")
    expected = sorted((new[number[name]], name) for name in (b"/".join(path[:k]) for k in range(3, len(path) + 1)))
    assert run(program, "tree.txt", new[deepest]) == [b"%d %s" % line for line in expected]
    return f"{len(up)} nodes"


def word_count(program, _):
    lines = verses()
    with open("book.txt", "wb") as out:
        out.write(b"\n".join(lines))
    counts = collections.Counter(re.findall(b"[a-z]+", b"\n".join(lines).lower()))
    expected = [b"%d %s" % (count, word) for word, count in counts.most_common()]
    assert run(program, "book.txt", "zipf.svg") == expected
    with open("zipf.svg", encoding="ascii") as picture:
        assert picture.read().endswith("</svg>\n")
    return f"{sum(counts.values())} words, {len(counts)} different ones"


def pipeline(program, prepare):
    need("/usr/bin/bible", "bible-kjv")
    prepare("edges")
    with open("bible.edges", encoding="ascii") as file:
        edges = [tuple(map(int, line.split())) for line in file if line[0] != "#"]
    parts = 7
    result = subprocess.run([program, "bible.edges", str(parts)], capture_output=True, check=True, encoding="ascii")
    for part, told in enumerate(result.stderr.splitlines(), 1):
        listed = edges[:part * len(edges) // parts]
        times = collections.Counter((one, other) for one, other in listed if one != other)
        assert told == f"{len(listed)} lines: {sum(times.values())} edges, {len(times)} of them different", told
    assert part == parts
    host = subprocess.run([program, "bible.edges", str(parts), "host"], capture_output=True, check=True, encoding="ascii")
    assert host.stdout == result.stdout
    expected = [[] for _ in range(1 + max(map(max, edges)))]
    for one, other in sorted(times):
        expected[one].append(other)
    rows = result.stdout.splitlines()
    assert len(rows) == len(expected)
    for vertex, (row, others) in enumerate(zip(rows, expected)):
        count = sum(times[vertex, other] for other in others)
        assert row == f"{vertex} {len(others)} {count}:" + "".join(f" {other}" for other in others)
    with open("loops.edges", "w", encoding="ascii") as out:
        out.write("1 1\n")
    assert run(program, "loops.edges", 1) == [b"0 0 0:", b"1 0 0:"]
    return f"{len(edges)} lines, {len(times)} different edges"


def python_rows(text):
    return list(csv_module.reader(io.StringIO(text, newline="")))


def rows_of(program, text):
    with open("table.csv", "w", newline="", encoding="utf8") as out:
        out.write(text)
    return [json.loads(line) for line in run(program, "table.csv")]


def csv(program, _):
    need("/usr/share/ieee-data/oui.csv", "ieee-data")
    rows = quotes = 0
    for name in ("oui", "mam", "oui36", "iab"):
        with open(f"/usr/share/ieee-data/{name}.csv", newline="", encoding="utf8") as file:
            text = file.read()
        expected = python_rows(text)
        assert rows_of(program, text) == expected, name
        rows, quotes = rows + len(expected), quotes + text.count('"')
    assert rows > 40000 and quotes > 10000
    expected = python_rows(text * 3)
    told = run(program, "table.csv", 3)[0].decode()
    assert told.startswith(f"{len(expected)} rows, {sum(map(len, expected))} fields, "), told
    # Quotes, doubled ones and line ends anywhere, at the ends of blocks too.
    chance = random.Random(50)
    letters, weights = '",\n\r a\u00e9\\\t', (4, 3, 1, 1, 1, 6, 1, 1, 1)
    for length in [0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 511, 513] + [chance.randrange(1500) for _ in range(20)]:
        for text in ("".join(chance.choices(letters, weights, k=length)), "a" * length + '",\n"', '"' * length):
            assert rows_of(program, text) == python_rows(text), text
    with open(SOURCE + "/docs/pictures/csv-maps.svg", "rb") as file:
        assert run(sys.executable, SOURCE + "/apps/examples/csv_maps.py", 'x,"y,z"\n') == file.read().split(b"\n")[:-1]
    return f"{rows} rows, {quotes} quotes"


def nested(chance, depth):
    kind = chance.randrange(4) if depth else 0
    if kind < 2:
        return "".join(chance.choices('[]{}\\"a', k=chance.randrange(9)))
    if kind == 2:
        return [nested(chance, depth - 1) for _ in range(chance.randrange(5))]
    return {nested(chance, 0) + str(k): nested(chance, depth - 1) for k in range(chance.randrange(5))}


def brackets(program, _):
    path = "/usr/share/iso-codes/json/iso_639-3.json"
    need(path, "iso-codes")
    with open(path, encoding="utf8") as file:
        texts = [file.read().encode()]
    chance = random.Random(50)
    texts += [json.dumps(nested(chance, depth)).encode() for depth in (0, 1, 2, 4, 8, 8, 8)]
    for text in texts:
        pairs, stack, deepest = {}, [], (0, 0)
        for found in re.finditer(rb'"(?:\\.|[^"\\])*"|[][{}]', text):
            if found[0] in b"[{":
                stack.append(found.start())
                deepest = max(deepest, (len(stack), -found.start()))
            elif found[0] in b"]}":
                pairs[stack.pop()] = found.start()
        assert not stack
        expected = [b"depth %d at byte %d" % (deepest[0], -deepest[1])] if pairs else []
        expected += [b"%d %d" % pair for pair in sorted(pairs.items())]
        with open("file.json", "wb") as out:
            out.write(text)
        assert run(program, "file.json") == expected, text
    for text, words in ((b"[1, 2", b"without its partner"), (b"]", b"without its partner"),
                        (b"[}", b"of the other kind"), (b"][", b"without its partner")):
        with open("file.json", "wb") as out:
            out.write(text)
        wrong = subprocess.run([program, "file.json"], capture_output=True)
        assert wrong.returncode == 1 and words in wrong.stderr, text
    return f"{texts[0].count(b'{')} objects"


def main():
    name, program, script = sys.argv[1:]
    program, script = os.path.abspath(program), os.path.abspath(script)
    prepare = lambda kind: subprocess.run([sys.executable, script, kind, "."], check=True)
    for path, words in (("/nonexistent", b"No such file"), ("/", b"Is a directory")):
        wrong = subprocess.run([program, path, "1"], capture_output=True)
        assert wrong.returncode == 1 and (words in wrong.stderr or b"usage: " in wrong.stderr), wrong.stderr
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(f"{name}: {globals()[name](program, prepare)}")
        os.chdir("/")


main()
