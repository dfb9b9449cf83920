/* The calls of parscan/distributed.h over libparscan_nccl, a thread a GPU. Exit status 77 where there
   are fewer than two GPUs. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/apps/nccl/nccl_rank.h"

enum { MOST_RANKS = 8 };

typedef struct rank_thread {
    nccl_rank rank;
    ncclUniqueId id;
    pthread_barrier_t *all;
    bool right;
} rank_thread;

static void *run(void *data)
{
    rank_thread *const self = data;
    self->right = nccl_rank_open(&self->rank, self->id) && nccl_rank_run(&self->rank);
    if (!self->right) {
        /* The others wait for this one: the words first. */
        fprintf(stderr, "%s\n", self->rank.words);
        exit(EXIT_FAILURE);
    }
    self->right = nccl_rank_lose_one(&self->rank);
    pthread_barrier_wait(self->all); /* now all have found out */
    nccl_rank_close(&self->rank);
    return NULL;
}

int main(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) {
        printf("skipped: %d GPUs; two are needed\n", devices);
        return SKIPPED;
    }
    const int ranks = devices < MOST_RANKS ? devices : MOST_RANKS;
    rank_thread threads[MOST_RANKS] = {0};
    pthread_t handles[MOST_RANKS];
    pthread_barrier_t all;
    ncclUniqueId id;
    if (ncclGetUniqueId(&id) != ncclSuccess || pthread_barrier_init(&all, NULL, (unsigned)ranks))
        return EXIT_FAILURE;
    for (int r = 0; r < ranks; r++) {
        threads[r].rank = (nccl_rank){.rank = r, .ranks = ranks, .device = r};
        threads[r].id = id;
        threads[r].all = &all;
        if (pthread_create(&handles[r], NULL, run, &threads[r]) != 0)
            return EXIT_FAILURE;
    }
    int wrong = 0;
    for (int r = 0; r < ranks; r++) {
        pthread_join(handles[r], NULL);
        if (!threads[r].right)
            wrong += fprintf(stderr, "%s\n", threads[r].rank.words) > 0;
    }
    printf("%d passed: threads, a GPU each\n", ranks - wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
