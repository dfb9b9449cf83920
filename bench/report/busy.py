"""Which rows of bench_busy break the limits for a machine with other work: busy.py FILE...

Beside k spinning processes a processor (openmp, the caller's spinning team: k = 1), a row breaks if
  - its median is more than k + 1.5 times that of the quiet machine,
  - its worst call takes more than 20 times the quiet median, and more than 10 ms times k,
  - its median is more than 1.1 times that of the plain loop, or std::sort, in the same conditions.
The exit status is 0 whatever is found; each broken limit has a line.
"""

import dataclasses
import pathlib
import sys

import results

COLUMNS = ("work", "type", "input", "log2n", "threads", "name", "condition", "status", "calls",
           "median_s", "nine_tenths_s", "worst_s")
NUMBERS = ("log2n", "threads", "calls", "median_s", "nine_tenths_s", "worst_s")
MEDIANS, WORST, WORST_SECONDS, PLAIN = 1.5, 20, 10e-3, 1.1
QUIET = "quiet"


def check(row):
    """Makes numbers of its words, or raises ValueError."""
    for name in NUMBERS:
        row[name] = results.number(row, name)
        if row[name] is None and (row["status"] == "ok" or name in ("log2n", "threads")):
            raise ValueError(f"no {name}")
    condition = row["condition"]
    if condition not in (QUIET, "openmp") and not condition.removeprefix("spin-").isdigit():
        raise ValueError(f"no condition: {results.shown(condition)}")


@dataclasses.dataclass
class Found:
    """A row in one condition beside other work."""

    name: str
    condition: str
    slower: float  # than on the quiet machine: medians
    worst: float  # seconds
    worst_limit: float
    plain: float  # the plain loop's median / this one's in the same conditions; None: not measured
    status: str = "ok"

    @property
    def k(self):
        return load_of(self.condition)

    def broken(self):
        """Words for each limit that it breaks."""
        if self.status != "ok":
            return [self.status]
        words = []
        if self.slower > self.k + MEDIANS:
            words.append(f"median {self.slower:.3g} x quiet")
        if self.worst > self.worst_limit:
            words.append(f"worst {results.seconds(self.worst)}")
        if self.plain is not None and self.plain * PLAIN < 1:
            words.append(f"{self.plain:.2f} of the plain loop's speed")
        return words


def load_of(condition):
    """How many spinning threads a processor has beside parscan's."""
    return 1 if condition == "openmp" else int(condition.removeprefix("spin-"))


def name_of(row):
    return f"{row['work']}/{row['type']}/{row['input']} 2^{row['log2n']:.0f}"


def found_in(rows):
    """A Found for each of parscan's rows beside other work, in the file's order."""
    by_key = {(name_of(row), row["name"], row["condition"]): row for row in rows
              if row["status"] == "ok"}
    for row in rows:
        if row["name"] != "parscan" or row["condition"] == QUIET and row["status"] == "ok":
            continue
        name, condition = name_of(row), row["condition"]
        quiet = by_key.get((name, "parscan", QUIET))
        if row["status"] != "ok":
            yield Found(name, condition, 0, 0, 0, None, row["status"])
        elif quiet is not None:
            plain = by_key.get((name, "plain", condition))
            yield Found(name, condition, row["median_s"] / quiet["median_s"], row["worst_s"],
                        max(WORST * quiet["median_s"], WORST_SECONDS * load_of(condition)),
                        plain["median_s"] / row["median_s"] if plain else None)


def table(found):
    """The lines of a table in Markdown: a line a condition, then those that break a limit."""
    lines = ["| beside | rows | median, x quiet: most | worst call: most | slowest beside the plain"
             " loop | rows that break a limit |", "|---|---|---|---|---|---|"]
    for condition in dict.fromkeys(one.condition for one in found):
        some = [one for one in found if one.condition == condition and one.status == "ok"]
        if not some:
            continue
        plain = min((one.plain for one in some if one.plain is not None), default=None)
        lines.append(f"| {condition} | {len(some)} | {max(one.slower for one in some):.3g} |"
                     f" {results.seconds(max(one.worst for one in some))} |"
                     f" {'' if plain is None else f'{plain:.2f}'} |"
                     f" {sum(bool(one.broken()) for one in found if one.condition == condition)} |")
    lines += ["", *(f"{one.name}, {one.condition}: {'; '.join(words)}" for one in found
                    if (words := one.broken()))]
    return lines


def read(path):
    """Its comments and its rows."""
    return results.read_table(pathlib.Path(path), COLUMNS, check)


def main(*paths):
    for path in paths:
        comments, rows = read(path)
        print("\n".join([*(line for line in comments if line.startswith(("machine:", "parscan "))),
                         *table(list(found_in(rows)))]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
