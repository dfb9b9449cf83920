/* The same with a process a GPU: mpirun -n 2 test_nccl_processes. Where the processes can open each other's memory,
   they exchange without NCCL's kernels. Then sorts that are long enough to travel in pieces. Exit status 77 where there
   are fewer GPUs than processes, or one process alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "tests/apps/nccl/nccl_rank.h"

static void require(int condition, const char *what, const char *words)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", what, words);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static bool all_of(bool own)
{
    int can = own, all = 0;
    MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

/* Whether each process can open memory and events of all others. Some systems forbid it. */
static bool can_open(const nccl_rank *self)
{
    struct handles {
        cudaIpcMemHandle_t memory;
        cudaIpcEventHandle_t event;
    } own, theirs;
    void *memory = NULL;
    cudaEvent_t event = NULL;
    memset(&own, 0, sizeof own);
    bool can = cudaMalloc(&memory, (size_t)2 << 20) == cudaSuccess &&
               cudaIpcGetMemHandle(&own.memory, memory) == cudaSuccess &&
               cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess) ==
                   cudaSuccess &&
               cudaIpcGetEventHandle(&own.event, event) == cudaSuccess;
    can = all_of(can);
    for (int r = 0; r < self->ranks; r++) {
        void *opened = NULL;
        cudaEvent_t opened_event = NULL;
        theirs = own;
        MPI_Bcast(&theirs, sizeof theirs, MPI_BYTE, r, MPI_COMM_WORLD);
        if (!can || r == self->rank)
            continue;
        can = cudaIpcOpenMemHandle(&opened, theirs.memory, cudaIpcMemLazyEnablePeerAccess) ==
                  cudaSuccess &&
              cudaIpcOpenEventHandle(&opened_event, theirs.event) == cudaSuccess;
        if (opened != NULL)
            cudaIpcCloseMemHandle(opened);
        if (opened_event != NULL)
            cudaEventDestroy(opened_event);
    }
    can = all_of(can); /* and all have closed them */
    if (event != NULL)
        cudaEventDestroy(event);
    cudaFree(memory);
    cudaGetLastError();
    return can;
}

static uint32_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x ^ (x >> 31));
}

/* The key of index i. few: 16 of them. */
static uint32_t key_of(uint64_t i, bool few)
{
    return few ? mixed(i) & 0xf0000000U : mixed(i);
}

static uint64_t sum_of_all(uint64_t own)
{
    uint64_t all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The last pair of the rank before is less than the first one of this. Every rank has some. */
static bool follows(const nccl_rank *self, const uint32_t *first, const uint32_t *last)
{
    const int before = self->rank > 0 ? self->rank - 1 : MPI_PROC_NULL;
    const int after = self->rank + 1 < self->ranks ? self->rank + 1 : MPI_PROC_NULL;
    uint32_t other[2] = {0, 0};
    MPI_Sendrecv(last, 2, MPI_UINT32_T, after, 0, other, 2, MPI_UINT32_T, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return self->rank == 0 || other[0] < first[0] || (other[0] == first[0] && other[1] <= first[1]);
}

/* Sorts n pairs of a key and its index in every rank, in device memory; pairs: or the keys alone. */
static bool sort(const nccl_rank *self, size_t n, bool pairs, bool few)
{
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *const keys = malloc(bytes), *const values = malloc(bytes);
    void *memory[4] = {NULL};
    require(keys != NULL && values != NULL, "memory", "there is none");
    uint64_t in = 0, out = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = (uint32_t)((uint64_t)self->rank * n + i);
        keys[i] = key_of(values[i], few);
        in += mixed(keys[i]);
    }
    for (int k = 0; k < 4; k++)
        require(parscan_malloc(self->context, &memory[k], bytes) == PARSCAN_OK, "memory",
                parscan_context_error(self->context));
    parscan_copy(self->context, memory[0], keys, bytes);
    parscan_copy(self->context, memory[1], values, bytes);
    const parscan_status status =
        pairs ? parscan_dist_sort_pairs(self->comm, PARSCAN_U32, memory[0], memory[2], 4, memory[1],
                                        memory[3], n, n, NULL)
              : parscan_dist_sort_keys(self->comm, PARSCAN_U32, memory[0], n, memory[2], n, NULL);
    require(status == PARSCAN_OK, "a sort", parscan_comm_error(self->comm));
    parscan_copy(self->context, keys, memory[2], bytes);
    parscan_copy(self->context, values, pairs ? memory[3] : memory[2], bytes);
    parscan_synchronize(self->context);
    bool right = true;
    for (size_t i = 0; i < n; i++) {
        out += mixed(keys[i]);
        right &= !pairs || keys[i] == key_of(values[i], few);
        right &= i == 0 || keys[i - 1] < keys[i] ||
                 (keys[i - 1] == keys[i] && (!pairs || values[i - 1] < values[i]));
    }
    const uint32_t first[] = {keys[0], values[0]}, last[] = {keys[n - 1], values[n - 1]};
    right &= follows(self, first, last);
    for (int k = 0; k < 4; k++)
        parscan_free(self->context, memory[k]);
    free(keys);
    free(values);
    return all_of(right) && sum_of_all(in) == sum_of_all(out);
}

static void check_sorts(const nccl_rank *self)
{
    static const size_t lengths[] = {(size_t)1 << 20, 5000011, (size_t)1 << 25, 1000};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
        for (int kind = 0; kind < 4; kind++)
            require(sort(self, lengths[k], kind % 2 != 0, kind > 1), "a sort", "is wrong");
}

/* Whether the ranks, which have met, exchange without kernels. */
static bool copies_alone(const nccl_rank *self)
{
    return self->comm->functions.kept_multiprocessors(self->comm->user) == 0;
}

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
    if (self.rank == 0)
        require(ncclGetUniqueId(&id) == ncclSuccess, "ncclGetUniqueId", "failed");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    require(nccl_rank_open(&self, id), "a rank", self.words);
    const bool opens = can_open(&self);
    require(nccl_rank_run(&self), "a rank", self.words);
    require(copies_alone(&self) == opens, "processes that can open each other's memory",
            opens ? "exchange by NCCL" : "cannot, but exchange so");
    check_sorts(&self);
    require(nccl_rank_lose_one(&self), "a rank", self.words);
    MPI_Barrier(MPI_COMM_WORLD); /* now all have found out */
    nccl_rank_close(&self);
    if (self.rank == 0)
        printf("%d passed: processes, a GPU each, %s\n", self.ranks,
               opens ? "copies alone" : "by NCCL: they cannot open each other's memory");
    MPI_Finalize();
    return EXIT_SUCCESS;
}
