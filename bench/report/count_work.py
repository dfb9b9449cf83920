"""The operations that the block algorithms make, counted as they run by `parscan trace`:
count_work.py PARSCAN > work.csv"""

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


def main(program):
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    print(f"# {version.stdout.strip()}, operations of an inclusive sum as trace counts them")
    print("algorithm,n,operations,textbook")
    for algorithm in ALGORITHMS:
        for size in SIZES:
            operations, textbook = trace(program, algorithm, size)
            print(f'{algorithm},{size},{operations},"{textbook}"')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
