/*
 * A sort over MPI: every rank has a piece of an array, and gets its piece of the sorted one.
 *
 *     mpirun -n 4 example_sort_mpi [KEYS]     keys a rank, default a million
 *
 *     mpicc sort_mpi.c $(pkg-config --cflags --libs parscan-mpi)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "parscan/comm_mpi.h"
#include "parscan/distributed.h"

/* Whether the keys are in order, also after the last key of the rank before. */
static int in_order(const uint32_t *keys, size_t n, int rank, int ranks)
{
    uint32_t before = 0;
    int ordered = 1;
    MPI_Sendrecv(&keys[n - 1], 1, MPI_UINT32_T, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 0,
                 &before, 1, MPI_UINT32_T, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (size_t i = 0; i < n; before = keys[i++])
        ordered &= before <= keys[i];
    MPI_Allreduce(MPI_IN_PLACE, &ordered, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return ordered;
}

int main(int argc, char **argv)
{
    int level, rank, ranks, result = EXIT_FAILURE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    const size_t n = wanted > 0 ? (size_t)wanted : 1;
    uint32_t *const keys = malloc(n * sizeof *keys), *const sorted = malloc(n * sizeof *sorted);
    parscan_context *context = NULL;
    parscan_comm *comm = NULL;
    if (keys == NULL || sorted == NULL || parscan_context_create(&context, NULL) != PARSCAN_OK)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    uint32_t random = 1 + (uint32_t)rank;
    for (size_t i = 0; i < n; i++)
        keys[i] = random = random * 1664525 + 1013904223;

    if (parscan_comm_create_mpi(&comm, context, MPI_COMM_WORLD) != PARSCAN_OK)
        fprintf(stderr, "rank %d: %s\n", rank, parscan_context_error(context));
    else if (parscan_dist_sort_keys(comm, PARSCAN_U32, keys, n, sorted, n, NULL) != PARSCAN_OK)
        fprintf(stderr, "rank %d: %s\n", rank, parscan_comm_error(comm));
    else if (in_order(sorted, n, rank, ranks))
        result = EXIT_SUCCESS;
    if (result == EXIT_SUCCESS && rank == 0)
        printf("%zu keys on %d ranks are in order\n", n * (size_t)ranks, ranks);

    parscan_comm_destroy(comm);
    parscan_context_destroy(context);
    free(keys);
    free(sorted);
    MPI_Finalize();
    return result;
}
