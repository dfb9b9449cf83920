/* The same with a process a GPU: mpirun -n 2 test_nccl_processes. Exit status 77 where there are fewer
   GPUs than processes, or one process alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/apps/nccl/nccl_rank.h"

int main(int argc, char **argv)
{
    int level, devices = 0;
    nccl_rank self = {0};
    ncclUniqueId id;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
    self.device = self.rank;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < self.ranks || self.ranks < 2) {
        if (self.rank == 0)
            printf("skipped: %d GPUs for %d processes; mpirun -n 2 and two GPUs are needed\n",
                   devices, self.ranks);
        MPI_Finalize();
        return SKIPPED;
    }
    if (self.rank == 0 && ncclGetUniqueId(&id) != ncclSuccess)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!nccl_rank_open(&self, id) || !nccl_rank_run(&self) || !nccl_rank_lose_one(&self)) {
        fprintf(stderr, "%s\n", self.words);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* now all have found out */
    nccl_rank_close(&self);
    if (self.rank == 0)
        printf("%d passed: processes, a GPU each\n", self.ranks);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
