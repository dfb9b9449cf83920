/*
 * bench_nccl: calls over all GPUs of this host by NCCL, a thread or a process a GPU, beside the local call on one
 * GPU with as many elements as one rank has, and beside the exchange alone: every rank sends each other
 * rank an equal share of its array.
 *
 *     bench_nccl [--log2 N] [--reps N] [--gpus N] [--processes 1] [--blocks N] [--ctas N] [--only WORK[/DATA]]
 *
 * 2^N elements a GPU, by default 2^20, 2^22, ... 2^30; of pairs half as many. --blocks is the contexts' resident_blocks,
 * --ctas the maxCTAs of NCCL's communicators: the most blocks of NCCL's kernels. 0: no limit. --processes 1: each
 * rank is a process, not a thread.
 *
 * Where CCCL's sources were given to CMake (PARSCAN_BENCH_CCCL), its sort of keys over the same GPUs
 * stands beside.
 *
 * One row of CSV for each call and kind of data. A repetition is the local call, the exchange and the call
 * over all GPUs, one after another, 20 times by default; times are medians of milliseconds, and worst_ms is
 * the longest of the call over all GPUs. `ratio` is the elements a second
 * of all GPUs by those of the local call. Results are checked before they are timed.
 */
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <limits.h>
#include <nccl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parscan/comm_nccl.h"
#include "peers_cccl.h"
#include "rank_calls.h"
#include "rank_launch.h"

enum {
    MOST_GPUS = RANK_MOST_LAUNCHED,
    MOST_REPS = 101,
    LEAST_LOG2 = 20,
    MOST_LOG2 = 30,
    LOG2_STEP = 2
};

typedef struct gpu {
    int rank;
    size_t n;      /* elements of the size that is measured */
    rank_arrays a; /* on the device */
    parscan_comm *comm;
    ncclComm_t nccl;
    cudaStream_t stream;
    uint32_t *host, *host_values;
    /* For the check. */
    uint32_t first, last, first_value, last_value;
    uint64_t sum_in, sum_out;
    bool right;
    double local[MOST_REPS], exchange[MOST_REPS], all[MOST_REPS], cccl[MOST_REPS];
} gpu;

/* All ranks have this, in memory that processes share. */
static struct shared {
    int devices, gpus, reps, processes, blocks, ctas;
    int least_log2, most_log2;
    const char *only; /* NULL: all rows */
    pthread_barrier_t meeting;
    ncclUniqueId id;
    gpu of[MOST_GPUS];
} * shared;

static void cuda(cudaError_t error, const char *what)
{
    bench_require(error == cudaSuccess, what, cudaGetErrorString(error));
}

static void fill(gpu *g, const rank_row *row)
{
    const uint64_t all = (uint64_t)g->a.n * (uint64_t)shared->gpus;
    const uint64_t begin = (uint64_t)g->rank * g->a.n;
    g->sum_in = 0;
    for (size_t i = 0; i < g->a.n; i++) {
        g->host[i] = rank_key(row->data, begin + i, all);
        g->host_values[i] = (uint32_t)(begin + i);
        g->sum_in += rank_mixed(g->host[i]);
    }
    cuda(cudaMemcpy(g->a.in, g->host, g->a.n * 4, cudaMemcpyHostToDevice), "a copy");
    if (row->call == RANK_SORT_PAIRS)
        cuda(cudaMemcpy(g->a.values_in, g->host_values, g->a.n * 4, cudaMemcpyHostToDevice),
             "a copy");
}

static void call_all(gpu *g, const rank_row *row)
{
    bench_require(rank_call_together(g->comm, &g->a, row) == PARSCAN_OK, row->name,
                  parscan_comm_error(g->comm));
    bench_require(parscan_synchronize(g->a.context) == PARSCAN_OK, row->name,
                  parscan_context_error(g->a.context));
}

static void call_local(gpu *g, const rank_row *row)
{
    bench_require(rank_call_alone(&g->a, row) == PARSCAN_OK &&
                      parscan_synchronize(g->a.context) == PARSCAN_OK,
                  row->name, parscan_context_error(g->a.context));
}

/* Each rank sends each other rank its share of the array. */
static void exchange_alone(gpu *g)
{
    const size_t share = g->a.n / (size_t)shared->gpus;
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; result == ncclSuccess && r < shared->gpus; r++) {
        const size_t at = (size_t)r * share * 4;
        if (r == g->rank)
            continue;
        result = ncclSend((char *)g->a.in + at, share, ncclUint32, r, g->nccl, g->stream);
        if (result == ncclSuccess)
            result = ncclRecv((char *)g->a.out + at, share, ncclUint32, r, g->nccl, g->stream);
    }
    if (result == ncclSuccess)
        result = ncclGroupEnd();
    bench_require(result == ncclSuccess, "an exchange", ncclGetErrorString(result));
    cuda(cudaStreamSynchronize(g->stream), "an exchange");
}

/* CCCL's sort, which is in place. Returns its milliseconds, 0 if it is not there. */
static double cccl(gpu *g, const rank_row *row)
{
#ifdef BENCH_HAVE_CCCL
    if (row->call != RANK_SORT_KEYS)
        return 0;
    cuda(cudaMemcpyAsync(g->a.out, g->a.in, g->a.n * 4, cudaMemcpyDeviceToDevice, g->stream),
         "a copy");
    cuda(cudaStreamSynchronize(g->stream), "a copy");
    pthread_barrier_wait(&shared->meeting);
    const double begin = rank_milliseconds();
    bench_require(bench_cccl_sort(g->nccl, g->stream, g->a.out, g->a.n) == 0, row->name, "CCCL");
    pthread_barrier_wait(&shared->meeting);
    return rank_milliseconds() - begin;
#else
    (void)g, (void)row;
    return 0;
#endif
}

/* Whether this rank's piece of the result is in order, and what the check of all pieces needs. */
static void check_sort(gpu *g, const rank_row *row)
{
    const bool pairs = row->call == RANK_SORT_PAIRS;
    const uint64_t all = (uint64_t)g->a.n * (uint64_t)shared->gpus;
    uint32_t *const keys = g->host, *const values = g->host_values;
    cuda(cudaMemcpy(keys, g->a.out, g->a.n * 4, cudaMemcpyDeviceToHost), "a copy");
    if (pairs)
        cuda(cudaMemcpy(values, g->a.values_out, g->a.n * 4, cudaMemcpyDeviceToHost), "a copy");
    g->sum_out = 0;
    g->right = true;
    for (size_t i = 0; i < g->a.n; i++) {
        g->sum_out += rank_mixed(keys[i]);
        if (pairs)
            g->right &= keys[i] == rank_key(row->data, values[i], all);
        if (i > 0)
            g->right &= keys[i - 1] < keys[i] ||
                        (keys[i - 1] == keys[i] && (!pairs || values[i - 1] < values[i]));
    }
    g->first = keys[0], g->last = keys[g->a.n - 1];
    g->first_value = values[0], g->last_value = values[g->a.n - 1];
}

/* The sums of what is to be kept, and of what is. */
static void check_compact(gpu *g, const rank_row *row)
{
    const uint64_t all = (uint64_t)g->a.n * (uint64_t)shared->gpus;
    uint64_t kept = 0;
    g->sum_in = g->sum_out = 0;
    for (size_t i = 0; i < g->a.n; i++) {
        const uint32_t key = rank_key(row->data, (uint64_t)g->rank * g->a.n + i, all);
        kept += key < RANK_KEPT_BELOW;
        g->sum_in += key < RANK_KEPT_BELOW ? rank_mixed(key) : 0;
    }
    g->right = kept == g->a.counts[0] && kept <= g->a.counts[1];
    cuda(cudaMemcpy(g->host, g->a.out, kept * 4, cudaMemcpyDeviceToHost), "a copy");
    for (size_t i = 0; i < kept; i++)
        g->sum_out += rank_mixed(g->host[i]);
    g->first = g->last = 0;
    g->first_value = 0, g->last_value = 1;
}

/* A scan's last element is the sum of all elements so far; a histogram's counts add up. */
static void check_others(gpu *g, const rank_row *row)
{
    uint32_t sum = 0, last;
    uint64_t counted = 0;
    for (uint64_t i = 0; row->call == RANK_SCAN && i < (uint64_t)(g->rank + 1) * g->a.n; i++)
        sum += rank_key(row->data, i, 0);
    cuda(cudaMemcpy(&last, (char *)g->a.out + (g->a.n - 1) * 4, 4, cudaMemcpyDeviceToHost),
         "a copy");
    for (size_t i = 0; i < RANK_BINS; i++)
        counted += g->a.counts[i];
    g->right = row->call == RANK_SCAN
                   ? last == sum
                   : counted + (uint64_t)shared->gpus >= (uint64_t)g->a.n * (uint64_t)shared->gpus;
    g->sum_in = g->sum_out = 0;
    g->first = g->last = 0;
    g->first_value = 0, g->last_value = 1;
}

static void measure(gpu *g, const rank_row *row)
{
    g->a.n = row->call == RANK_SORT_PAIRS ? g->n / 2 : g->n;
    fill(g, row);
    pthread_barrier_wait(&shared->meeting);
    call_all(g, row);
    if (row->call == RANK_SORT_KEYS || row->call == RANK_SORT_PAIRS)
        check_sort(g, row);
    else if (row->call == RANK_COMPACT)
        check_compact(g, row);
    else
        check_others(g, row);
    for (int k = -1; k < shared->reps; k++) {
        const int at = k < 0 ? 0 : k; /* the first one warms up */
        if (g->rank == 0) {
            const double begin = rank_milliseconds();
            call_local(g, row);
            g->local[at] = rank_milliseconds() - begin;
        }
        pthread_barrier_wait(&shared->meeting);
        double begin = rank_milliseconds();
        exchange_alone(g);
        pthread_barrier_wait(&shared->meeting);
        g->exchange[at] = rank_milliseconds() - begin;
        pthread_barrier_wait(&shared->meeting);
        begin = rank_milliseconds();
        call_all(g, row);
        pthread_barrier_wait(&shared->meeting);
        g->all[at] = rank_milliseconds() - begin;
        g->cccl[at] = cccl(g, row);
    }
    pthread_barrier_wait(&shared->meeting);
}

static void report(const rank_row *row)
{
    gpu *const gpus = shared->of;
    uint64_t in = 0, out = 0;
    bool right = true;
    for (int r = 0; r < shared->gpus; r++) {
        const gpu *const g = &gpus[r];
        in += g->sum_in, out += g->sum_out;
        right &= g->right && (r == 0 || gpus[r - 1].last <= g->first);
        if (r > 0 && row->call == RANK_SORT_PAIRS && gpus[r - 1].last == g->first)
            right &= gpus[r - 1].last_value < g->first_value;
    }
    right &= in == out;
    const double local = rank_median(gpus[0].local, shared->reps),
                 exchange = rank_median(gpus[0].exchange, shared->reps);
    const double all = rank_median(gpus[0].all, shared->reps), /* sorts them */
        worst = gpus[0].all[shared->reps - 1], cccl_ms = rank_median(gpus[0].cccl, shared->reps);
    const double elements = (double)gpus[0].a.n * shared->gpus;
    printf("%s,%s,%d,%zu,%.3f,%.3f,%.3f,%.3f,%.1f,%.3f,", row->name, row->data_name, shared->gpus,
           gpus[0].a.n, local, exchange, all, worst, elements / all * 1e-6,
           elements / all / ((double)gpus[0].a.n / local));
    if (cccl_ms > 0)
        printf("%.3f", cccl_ms);
    printf(",%s\n", right ? "right" : "WRONG");
    fflush(stdout);
    bench_require(right, row->name, "a wrong result");
}

static void measure_rows(gpu *g)
{
    for (const rank_row *row = rank_rows; row->name != NULL; row++) {
        if (!rank_row_wanted(row, shared->only))
            continue;
        measure(g, row);
        if (g->rank == 0)
            report(row);
        pthread_barrier_wait(&shared->meeting);
    }
}

/* Rank 0 says what is measured, and makes the communicator's name. */
static void introduce(const gpu *g)
{
    struct cudaDeviceProp properties;
    if (g->rank == 0) {
        bench_require(ncclGetUniqueId(&shared->id) == ncclSuccess, "NCCL", "no id");
        cuda(cudaGetDeviceProperties(&properties, 0), "the device");
        printf("# %s, a %s a GPU; medians of %d; resident_blocks %d, maxCTAs %d\n", properties.name,
               shared->processes ? "process" : "thread", shared->reps, shared->blocks,
               shared->ctas);
        printf("work,data,gpus,elements_a_gpu,one_gpu_ms,exchange_ms,ms,worst_ms,giga_elements_s,"
               "ratio,cccl_ms,result\n");
        fflush(stdout);
    }
    pthread_barrier_wait(&shared->meeting);
}

static void *work(void *data)
{
    gpu *const g = data;
    cuda(cudaSetDevice(g->rank), "a device");
    introduce(g);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    if (shared->ctas > 0)
        config.maxCTAs = shared->ctas;
    const ncclResult_t made =
        ncclCommInitRankConfig(&g->nccl, shared->gpus, shared->id, g->rank, &config);
    bench_require(made == ncclSuccess, "NCCL", ncclGetErrorString(made));
    cuda(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking), "a stream");
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .device = g->rank,
                                .resident_blocks = (unsigned)shared->blocks);
    bench_require(parscan_context_create(&g->a.context, &options) == PARSCAN_OK, "a context",
                  "failed");
    bench_require(parscan_comm_create_nccl(&g->comm, g->a.context, g->nccl) == PARSCAN_OK, "a comm",
                  parscan_context_error(g->a.context));
    const size_t bytes = ((size_t)1 << shared->most_log2) * 4;
    void **const arrays[] = {&g->a.in, &g->a.out, &g->a.values_in, &g->a.values_out};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        cuda(cudaMalloc(arrays[k], k < 2 ? bytes : bytes / 2), "device memory");
    g->host = malloc(bytes);
    g->host_values = malloc(bytes);
    bench_require(g->host != NULL && g->host_values != NULL, "memory", "there is none");
    for (int log2n = shared->least_log2; log2n <= shared->most_log2; log2n += LOG2_STEP) {
        g->n = (size_t)1 << log2n;
        measure_rows(g);
    }
    parscan_comm_destroy(g->comm);
    parscan_context_destroy(g->a.context);
    ncclCommDestroy(g->nccl);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        cudaFree(*arrays[k]);
    cudaStreamDestroy(g->stream);
    free(g->host);
    free(g->host_values);
    return NULL;
}

/* A process that uses CUDA cannot fork: another one counts the devices. */
static void *count_devices(void *unused)
{
    if (cudaGetDeviceCount(&shared->devices) != cudaSuccess)
        shared->devices = 0;
    return unused;
}

int main(int argc, char **argv)
{
    int log2n = 0, wanted = MOST_GPUS;
    void *ranks[MOST_GPUS] = {NULL};
    shared = rank_shared_memory(sizeof *shared);
    const rank_option list[] = {{"log2", &log2n, 0, 31},
                                {"reps", &shared->reps, 1, MOST_REPS},
                                {"gpus", &wanted, 1, MOST_GPUS},
                                {"processes", &shared->processes, 0, 1},
                                {"blocks", &shared->blocks, 0, INT_MAX},
                                {"ctas", &shared->ctas, 0, INT_MAX},
                                {0}};
    shared->reps = 20;
    if (!rank_parse(argc, argv, list, &shared->only))
        return 2;
    bench_require(rank_launch(1, true, count_devices, ranks), "a process", "has failed");
    if (shared->devices < 2) {
        printf("# fewer than two GPUs: nothing measured\n");
        return EXIT_SUCCESS;
    }
    shared->gpus = shared->devices < wanted ? shared->devices : wanted;
    shared->least_log2 = log2n > 0 ? log2n : LEAST_LOG2;
    shared->most_log2 = log2n > 0 ? log2n : MOST_LOG2;
    rank_shared_barrier(&shared->meeting, shared->gpus);
    for (int r = 0; r < shared->gpus; r++) {
        shared->of[r].rank = r;
        ranks[r] = &shared->of[r];
    }
    return rank_launch(shared->gpus, shared->processes != 0, work, ranks) ? EXIT_SUCCESS
                                                                          : EXIT_FAILURE;
}
