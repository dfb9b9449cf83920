#!/bin/sh
# MPICH 5.0.2 (the wheel of PyPI): MPI_Allreduce with MPI_MAX gives the ranks different results where one
# input is a NaN.
#
# Seen: 4 ranks give 1.0, 2.0, 3.0, 4.0, one of them a NaN in its place. Whichever rank it is, some ranks
# get a NaN, others a number, and not always the same one:
#
#     NaN on 0 [4.0, 4.0, 4.0, nan]
#     NaN on 1 [4.0, 4.0, nan, 4.0]
#     NaN on 2 [4.0, nan, 4.0, 2.0]
#     NaN on 3 [nan, 3.0, 2.0, 3.0]
#
# A program whose ranks all decide by the result, such as the end of an iteration, goes different ways on
# different ranks. It would be so if the operator were a > b ? a : b, which does not commute where one is a
# NaN, and if each rank combined in an order of its own; the source was not read. For us:
# docs/distributed.md; parscan's own reductions give all ranks the same bits
# (tests/apps/distributed/test_dist_nan.c).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q mpich==5.0.2 mpi4py==4.1.1 numpy==2.4.6
cat >"$work/maximum.py" <<'END'
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
for where in range(comm.size):
    given = np.array([np.nan if comm.rank == where else comm.rank + 1.0])
    largest = np.empty(1)
    comm.Allreduce(given, largest, op=MPI.MAX)
    all_largest = comm.gather(float(largest[0]))
    if comm.rank == 0:
        print("NaN on", where, all_largest)
END
cat >"$work/expected" <<'END'
NaN on 0 [4.0, 4.0, 4.0, nan]
NaN on 1 [4.0, 4.0, nan, 4.0]
NaN on 2 [4.0, nan, 4.0, 2.0]
NaN on 3 [nan, 3.0, 2.0, 3.0]
END
"$work/venv/bin/mpiexec" -n 4 "$work/venv/bin/python" "$work/maximum.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: ranks disagree"
