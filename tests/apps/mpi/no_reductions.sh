#!/bin/sh
# no_reductions.sh SOURCE: libparscan_mpi, libparscan_nccl and parscan-mpi let neither MPI nor NCCL combine
# numbers (docs/distributed.md, "What a comm is"), and parscan-mpi calls nothing of MPI that waits for other
# ranks without a limit, but MPI_Init_thread() and MPI_Finalize().
set -u
cd "$1" || exit 1
wrong=0
if grep -nE 'MPI_(I?(All)?[Rr]educe|I?(Ex)?[Ss]can|M(AX|IN)(LOC)?|SUM|PROD)\b|nccl(All)?Reduce' \
    apps/mpi/*.[ch] apps/nccl/*.[ch] apps/cli/mpi/*.[ch]; then
    wrong=1
fi
if grep -nE 'MPI_(Bcast|Barrier|S?send|Recv|Wait[a-z]*|(All)?[Gg]ather[a-z]*|Scatter[a-z]*|Alltoall[a-z]*|Comm_(dup|split[a-z_]*|free))\b' \
    apps/cli/mpi/*.[ch]; then
    wrong=1
fi
exit $wrong
