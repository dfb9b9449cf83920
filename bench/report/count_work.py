"""The operations that the block algorithms make, counted as they run by `parscan trace`:
count_work.py PARSCAN > work.csv"""

import datetime
import os
import pathlib
import re
import subprocess
import sys

ALGORITHMS = ("sequential", "kogge-stone", "brent-kung", "three-phase")
# From 2^11 or 2^12 on more than one block, under the hierarchical scan.
SIZES = tuple(2**k for k in range(2, 13))


def trace(program, algorithm, size):
    """The operations, and the textbook's formula in words."""
    command = [program, "trace", "--algorithm", algorithm, "--type", "u32", "--"]
    text = subprocess.run(command + ["1"] * size, check=True, capture_output=True, text=True).stdout
    operations = int(re.search(r"^operations: (\d+)", text, re.MULTILINE).group(1))
    return operations, re.search(r"^textbook: +(.*)", text, re.MULTILINE).group(1)


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False,
                          cwd=pathlib.Path(__file__).parent)


def commit():
    """As the benchmarks' programs have it (commit.cmake): of the sources that this file is of. What
    bench/run.sh itself writes is no change of them."""
    try:
        told = git("describe", "--always", "--abbrev=12")
        changed = git("diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)bench/results",
                      ":(top,exclude)README.md",
                      ":(top,exclude)docs/performance.md").returncode != 0
    except OSError:
        return "unknown"
    return told.stdout.strip() + "-dirty" * changed if told.returncode == 0 else "unknown"


def machine():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    model = re.search(r"^model name\s*: (.*)", text, re.MULTILINE)
    return f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} processors"


def head(program):
    """The lines that the benchmarks' programs begin with (harness_report.c)."""
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    return (f"# {version.stdout.strip()}, count_work, commit {commit()}, {now:%Y-%m-%dT%H:%M:%SZ}\n"
            f"# machine: {machine()}\n"
            "# operations of an inclusive sum as trace counts them: the same on every machine")


def main(program):
    print(head(program))
    print("algorithm,n,operations,textbook")
    for algorithm in ALGORITHMS:
        for size in SIZES:
            operations, textbook = trace(program, algorithm, size)
            print(f'{algorithm},{size},{operations},"{textbook}"')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
