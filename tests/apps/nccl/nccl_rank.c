#define _POSIX_C_SOURCE 200809L
#include "tests/apps/nccl/nccl_rank.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "parscan/distributed.h"
#include "tests/support/comm_case.h"

static bool fail(nccl_rank *self, const char *what, const char *words)
{
    snprintf(self->words, sizeof self->words, "rank %d: %s: %s", self->rank, what, words);
    return false;
}

/* A communicator that does not block is made in the background. */
static bool open_nccl(nccl_rank *self, ncclUniqueId id)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclResult_t result = ncclCommInitRankConfig(&self->nccl, self->ranks, id, self->rank, &config);
    while (result == ncclInProgress) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (ncclCommGetAsyncError(self->nccl, &result) != ncclSuccess)
            break;
    }
    return result == ncclSuccess ||
           fail(self, "ncclCommInitRankConfig", ncclGetErrorString(result));
}

/* Contexts that NCCL cannot serve. */
static bool refuse(nccl_rank *self)
{
    parscan_context *cpu = NULL;
    parscan_comm *comm = NULL;
    if (parscan_context_create(&cpu, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)) !=
        PARSCAN_OK)
        return fail(self, "a context", "on the CPU");
    const bool refused =
        parscan_comm_create_nccl(&comm, cpu, self->nccl) == PARSCAN_ERROR_INVALID_ARGUMENT &&
        strstr(parscan_context_error(cpu), "CUDA context") != NULL &&
        parscan_comm_create_nccl(&comm, self->context, NULL) == PARSCAN_ERROR_INVALID_ARGUMENT &&
        parscan_comm_create_nccl(NULL, self->context, self->nccl) == PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_context_destroy(cpu);
    return refused || fail(self, "parscan_comm_create_nccl", "takes what it must refuse");
}

bool nccl_rank_open(nccl_rank *self, ncclUniqueId id)
{
    if (cudaSetDevice(self->device) != cudaSuccess)
        return fail(self, "cudaSetDevice", "failed");
    if (!open_nccl(self, id))
        return false;
    char words[256] = "";
    if (parscan_context_create(&self->context,
                               &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA,
                                                        .device = self->device, .error = words,
                                                        .error_size = sizeof words)) != PARSCAN_OK)
        return fail(self, "parscan_context_create", words);
    if (!refuse(self))
        return false;
    return parscan_comm_create_nccl(&self->comm, self->context, self->nccl) == PARSCAN_OK ||
           fail(self, "parscan_comm_create_nccl", parscan_context_error(self->context));
}

static bool run_case(nccl_rank *self, size_t n, unsigned seed, bool device)
{
    comm_case test = {.comm = self->comm, .n = n, .seed = seed, .engine_memory = device};
    return comm_case_run(&test) || fail(self, device ? "device memory" : "host memory", test.words);
}

bool nccl_rank_run(nccl_rank *self)
{
    static const size_t lengths[] = {0, 1, 1000, 50021, 3000017};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (unsigned seed = 1; seed <= 4; seed++)
            if (!run_case(self, lengths[i], seed, seed % 2 == 0) ||
                !run_case(self, lengths[i], seed, seed % 2 != 0))
                return false;
    return true;
}

bool nccl_rank_lose_one(nccl_rank *self)
{
    comm_case test = {.comm = self->comm};
    return comm_case_lose_rank(&test) || fail(self, "a lost rank", test.words);
}

void nccl_rank_close(nccl_rank *self)
{
    if (self->nccl != NULL)
        ncclCommAbort(self->nccl);
    parscan_comm_destroy(self->comm);
    parscan_context_destroy(self->context);
}
