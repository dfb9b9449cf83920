/*
 * A sort over all GPUs of this host, a thread a GPU, by NCCL: every GPU has a piece of an array,
 * and gets its piece of the sorted one.
 *
 *     example_sort_gpus [KEYS]     keys a GPU, default 2^26
 *
 * Exit status 77 where there are fewer than two GPUs.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "parscan/comm_nccl.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"

/* The sort and NCCL run side by side: on an H200 each has some of the 132 multiprocessors. */
enum { SORT_BLOCKS = 116, NCCL_BLOCKS = 16, MOST_GPUS = 16, SKIPPED = 77 };

/* What a thread is given. keys: this GPU's piece, in host memory, random and in the end sorted. */
typedef struct gpu {
    int device, devices;
    ncclUniqueId id;
    uint32_t *keys;
    size_t n;
} gpu;

/* A failure ends the program with all its threads: without one GPU the others would wait in vain.
   How a program goes on after one: docs/distributed.md, "Errors and timeouts". */
static void must(int right, const char *what, const char *why)
{
    if (right)
        return;
    fprintf(stderr, "%s: %s\n", what, why);
    _Exit(EXIT_FAILURE);
}

static void check(const parscan_context *context, parscan_status status)
{
    must(status == PARSCAN_OK, parscan_status_string(status), parscan_context_error(context));
}

/* A communicator that does not block works in the background: its calls return ncclInProgress, and
   this waits until they are done. */
static void settle(ncclComm_t nccl, ncclResult_t result, const char *what)
{
    while (result == ncclInProgress) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        must(ncclCommGetAsyncError(nccl, &result) == ncclSuccess, what, "ncclCommGetAsyncError");
    }
    must(result == ncclSuccess, what, ncclGetErrorString(result));
}

static void *run(void *data)
{
    const gpu *const self = data;
    const size_t n = self->n, bytes = n * sizeof *self->keys;

    /* NCCL's communicator, on this thread's device. A blocking one would wait for a lost GPU
       without a limit. */
    ncclComm_t nccl = NULL;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    config.maxCTAs = NCCL_BLOCKS;
    must(cudaSetDevice(self->device) == cudaSuccess, "cudaSetDevice", "no such device");
    const ncclResult_t made =
        ncclCommInitRankConfig(&nccl, self->devices, self->id, self->device, &config);
    settle(nccl, made, "ncclCommInitRankConfig");

    /* parscan's context, and the comm of both. */
    parscan_context *context = NULL;
    parscan_comm *comm = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .device = self->device,
                                .resident_blocks = SORT_BLOCKS);
    must(parscan_context_create(&context, &options) == PARSCAN_OK, "a context", "failed");
    check(context, parscan_comm_create_nccl(&comm, context, nccl));

    /* All threads make this sort. A GPU may get more keys than it gives, or fewer. */
    void *in = NULL, *out = NULL;
    check(context, parscan_malloc(context, &in, bytes));
    check(context, parscan_malloc(context, &out, bytes));
    check(context, parscan_copy(context, in, self->keys, bytes));
    const parscan_status sorted = parscan_dist_sort_keys(comm, PARSCAN_U32, in, n, out, n, NULL);
    must(sorted == PARSCAN_OK, "the sort", parscan_comm_error(comm));
    check(context, parscan_copy(context, self->keys, out, bytes));
    check(context, parscan_synchronize(context));

    /* What was made of NCCL's communicator goes before it. It is finished when all GPUs are. */
    parscan_free(context, in);
    parscan_free(context, out);
    parscan_comm_destroy(comm);
    parscan_context_destroy(context);
    settle(nccl, ncclCommFinalize(nccl), "ncclCommFinalize");
    ncclCommDestroy(nccl); /* it may still be in progress then: nobody may ask nccl any more */
    return NULL;
}

int main(int argc, char **argv)
{
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 1L << 26;
    const size_t n = wanted > 0 ? (size_t)wanted : 1;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) {
        printf("skipped: %d GPUs; two are needed\n", devices);
        return SKIPPED;
    }
    devices = devices < MOST_GPUS ? devices : MOST_GPUS;
    const size_t all = n * (size_t)devices;
    uint32_t random = 1, *const keys = malloc(all * sizeof *keys);
    must(keys != NULL, "malloc", "no memory");
    for (size_t i = 0; i < all; i++)
        keys[i] = random = random * 1664525 + 1013904223;

    gpu gpus[MOST_GPUS];
    pthread_t threads[MOST_GPUS];
    ncclUniqueId id; /* by which the threads find each other */
    must(ncclGetUniqueId(&id) == ncclSuccess, "ncclGetUniqueId", "failed");
    for (int d = 0; d < devices; d++) {
        gpus[d] = (gpu){d, devices, id, keys + n * (size_t)d, n};
        must(pthread_create(&threads[d], NULL, run, &gpus[d]) == 0, "pthread_create", "failed");
    }
    for (int d = 0; d < devices; d++)
        pthread_join(threads[d], NULL);
    for (size_t i = 1; i < all; i++)
        must(keys[i - 1] <= keys[i], "the result", "not in order");
    printf("%zu keys on %d GPUs are in order\n", all, devices);
    free(keys);
    return EXIT_SUCCESS;
}
