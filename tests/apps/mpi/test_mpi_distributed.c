/*
 * The calls of parscan/distributed.h over libparscan_mpi, run by mpirun.
 * All ranks, and parts of them, against one process on the joined array; then the last rank does not
 * come to a call.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/comm_mpi.h"
#include "tests/support/comm_case.h"

static int fail(const char *words)
{
    fprintf(stderr, "%s\n", words);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return EXIT_FAILURE;
}

static void run(parscan_comm *comm)
{
    static const size_t lengths[] = {0, 3, 1000, 50021};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (unsigned seed = 1; seed <= 4; seed++) {
            comm_case test = {
                .comm = comm, .n = lengths[i], .seed = seed, .engine_memory = seed % 2 == 0};
            if (!comm_case_run(&test))
                fail(test.words);
        }
}

/* On the first ranks, and on the others. The communicator is freed before the comm is used. */
static void run_on(parscan_context *context, int first)
{
    int rank;
    MPI_Comm part;
    parscan_comm *comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < first, rank, &part);
    if (parscan_comm_create_mpi(&comm, context, part) != PARSCAN_OK)
        fail(parscan_context_error(context));
    MPI_Comm_free(&part);
    run(comm);
    parscan_comm_destroy(comm);
}

/* Arguments that are wrong on all ranks. */
static int refuse(parscan_context *context)
{
    parscan_comm *comm = (parscan_comm *)context;
    if (parscan_comm_create_mpi(NULL, context, MPI_COMM_WORLD) != PARSCAN_ERROR_INVALID_ARGUMENT ||
        parscan_comm_create_mpi(&comm, NULL, MPI_COMM_WORLD) != PARSCAN_ERROR_INVALID_ARGUMENT ||
        comm != NULL)
        return fail("NULL is accepted");
    if (parscan_comm_create_mpi(&comm, context, MPI_COMM_NULL) != PARSCAN_ERROR_INVALID_ARGUMENT ||
        strstr(parscan_context_error(context), "MPI_COMM_NULL") == NULL)
        return fail("MPI_COMM_NULL is accepted");
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int level, rank, ranks;
    parscan_context *context;
    parscan_comm *comm;
    if (parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU,
                                                                  .threads = 2)) != PARSCAN_OK)
        return EXIT_FAILURE;
    const bool early =
        parscan_comm_create_mpi(&comm, context, MPI_COMM_WORLD) == PARSCAN_ERROR_INVALID_ARGUMENT &&
        strstr(parscan_context_error(context), "not initialised") != NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    if (!early)
        return fail("MPI that is not initialised is accepted");
    if (refuse(context) != EXIT_SUCCESS)
        return EXIT_FAILURE;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int first = ranks; first > 0; first /= 2)
        run_on(context, first);
    if (parscan_comm_create_mpi(&comm, context, MPI_COMM_WORLD) != PARSCAN_OK)
        return fail(parscan_context_error(context));
    comm_case test = {.comm = comm};
    if (ranks > 1 && !comm_case_lose_rank(&test))
        return fail(test.words);
    /* The last rank's comm has not failed: it would wait for the others to free it. */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank + 1 < ranks)
        parscan_comm_destroy(comm);
    parscan_context_destroy(context);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
