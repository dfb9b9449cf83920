/*
 * A sort over all GPUs of this host, a thread a GPU, by NCCL: every GPU has a piece of an array, and
 * gets its piece of the sorted one.
 *
 *     example_sort_gpus [KEYS]     keys a GPU, default 2^26
 *
 * Exit status 77 where there are fewer than two GPUs.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "parscan/comm_nccl.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"

enum { MOST_GPUS = 16, SKIPPED = 77 };

/* What a thread is given, and what it leaves. */
typedef struct gpu {
    int device;
    size_t n;
    ncclComm_t nccl;
    uint32_t *keys; /* on the host: random, then this GPU's piece of the sorted array */
    char words[512];
} gpu;

static void fail(gpu *self, const char *words)
{
    snprintf(self->words, sizeof self->words, "GPU %d: %s", self->device, words);
}

static void sort(gpu *self, parscan_context *context, parscan_comm *comm)
{
    const size_t bytes = self->n * sizeof *self->keys;
    void *in = NULL, *out = NULL;
    const int ready = parscan_malloc(context, &in, bytes) == PARSCAN_OK &&
                      parscan_malloc(context, &out, bytes) == PARSCAN_OK &&
                      parscan_copy(context, in, self->keys, bytes) == PARSCAN_OK;
    if (!ready)
        fail(self, parscan_context_error(context));
    else if (parscan_dist_sort_keys(comm, PARSCAN_U32, in, self->n, out, self->n, NULL) !=
             PARSCAN_OK)
        fail(self, parscan_comm_error(comm));
    else if (parscan_copy(context, self->keys, out, bytes) != PARSCAN_OK ||
             parscan_synchronize(context) != PARSCAN_OK)
        fail(self, parscan_context_error(context));
    if (self->words[0] != '\0')
        ncclCommAbort(self->nccl); /* an exchange may still wait for another GPU */
    parscan_free(context, in);
    parscan_free(context, out);
}

static void *run(void *data)
{
    gpu *const self = data;
    parscan_context *context = NULL;
    parscan_comm *comm = NULL;
    if (parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA,
                                                                  .device = self->device)) !=
        PARSCAN_OK)
        fail(self, "no context");
    else if (parscan_comm_create_nccl(&comm, context, self->nccl) != PARSCAN_OK)
        fail(self, parscan_context_error(context));
    else
        sort(self, context, comm);
    parscan_comm_destroy(comm);
    parscan_context_destroy(context);
    return NULL;
}

static int in_order(const gpu *gpus, int devices)
{
    uint32_t before = 0;
    for (int d = 0; d < devices; d++)
        for (size_t i = 0; i < gpus[d].n; before = gpus[d].keys[i++])
            if (gpus[d].keys[i] < before)
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int devices = 0, right = 1;
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 1L << 26;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) {
        printf("skipped: %d GPUs; two are needed\n", devices);
        return SKIPPED;
    }
    devices = devices < MOST_GPUS ? devices : MOST_GPUS;
    gpu gpus[MOST_GPUS] = {0};
    pthread_t threads[MOST_GPUS];
    ncclComm_t nccl[MOST_GPUS];
    if (ncclCommInitAll(nccl, devices, NULL) != ncclSuccess)
        return EXIT_FAILURE;
    uint32_t random = 1;
    for (int d = 0; d < devices; d++) {
        const size_t n = wanted > 0 ? (size_t)wanted : 1;
        gpus[d] = (gpu){.device = d, .n = n, .nccl = nccl[d], .keys = malloc(n * sizeof random)};
        for (size_t i = 0; gpus[d].keys != NULL && i < n; i++)
            gpus[d].keys[i] = random = random * 1664525 + 1013904223;
        if (gpus[d].keys == NULL || pthread_create(&threads[d], NULL, run, &gpus[d]) != 0)
            return EXIT_FAILURE;
    }
    for (int d = 0; d < devices; d++) {
        pthread_join(threads[d], NULL);
        if (gpus[d].words[0] != '\0')
            right = fprintf(stderr, "%s\n", gpus[d].words) < 0;
    }
    right = right && in_order(gpus, devices);
    printf("%d GPUs: %s\n", devices, right ? "the keys are in order" : "failed");
    for (int d = 0; d < devices; d++) {
        if (right)
            ncclCommDestroy(nccl[d]);
        free(gpus[d].keys);
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
