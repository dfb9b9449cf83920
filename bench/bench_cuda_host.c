/*
 * bench_cuda_host: calls on the GPU whose arrays are in pinned host memory and go through the device
 * in chunks, beside the copies that they cannot do without. The context's scratch_limit is an eighth
 * of an array, so of --min 30 (4 GiB of u32) it is 512 MiB.
 *
 * The share of a row is the time of its floor by its own time. The floors are copies of whole arrays,
 * all at once: up (a reduction, a histogram), up and down (a scan), up and half of it down (a
 * compaction that keeps half), twice up and down (a sort). Results are compared with the CPU
 * engine's before they are timed.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"

enum { BINS = 256 };

typedef struct machine {
    parscan_context *cuda, *cpu;
    cudaStream_t up, down;
    uint32_t *in, *out, *reference; /* in, out: pinned */
    void *device[2];                /* for the copies: a sixteenth of an array each */
    size_t n;
    uint64_t count, kept; /* of the last compaction, of the reference */
    char failure[256];
} machine;

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "bench_cuda_host: %s: %s\n", what, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the floors ---- */

/* Copies arrays up and `part` of 16 parts of them down, at once. */
static void copy_arrays(machine *m, unsigned up, unsigned down)
{
    const size_t part = m->n / 16;
    for (unsigned k = 0; k < 16; k++) {
        if (k < up)
            must(cudaMemcpyAsync(m->device[0], m->in + k * part, part * sizeof *m->in,
                                 cudaMemcpyHostToDevice, m->up),
                 "a copy up");
        if (k < down)
            must(cudaMemcpyAsync(m->out + k * part, m->device[1], part * sizeof *m->out,
                                 cudaMemcpyDeviceToHost, m->down),
                 "a copy down");
    }
    must(cudaStreamSynchronize(m->up), "a copy up");
    must(cudaStreamSynchronize(m->down), "a copy down");
}

static void copy_up(void *context)
{
    copy_arrays(context, 16, 0);
}

static void copy_down(void *context)
{
    copy_arrays(context, 0, 16);
}

static void copy_both(void *context)
{
    copy_arrays(context, 16, 16);
}

static void copy_half_down(void *context)
{
    copy_arrays(context, 16, 8);
}

static void copy_both_twice(void *context)
{
    copy_arrays(context, 16, 16);
    copy_arrays(context, 16, 16);
}

/* ---- the calls: each by an engine, to an array ---- */

typedef parscan_status engine_call(machine *m, parscan_context *engine, uint32_t *out,
                                   uint64_t *count);

static parscan_status scan(machine *m, parscan_context *engine, uint32_t *out, uint64_t *count)
{
    *count = m->n;
    return parscan_inclusive_scan(engine, PARSCAN_U32, m->in, out, m->n, NULL);
}

static parscan_status exclusive(machine *m, parscan_context *engine, uint32_t *out, uint64_t *count)
{
    const parscan_scan_options reverse = PARSCAN_SCAN_OPTIONS(.reverse = 1);
    *count = m->n;
    return parscan_exclusive_scan(engine, PARSCAN_U32, m->in, out, m->n, &reverse);
}

static parscan_status reduce(machine *m, parscan_context *engine, uint32_t *out, uint64_t *count)
{
    *count = 1;
    return parscan_reduce(engine, PARSCAN_U32, m->in, out, m->n, NULL);
}

static parscan_status histogram(machine *m, parscan_context *engine, uint32_t *out, uint64_t *count)
{
    const uint32_t upper = UINT32_MAX;
    const parscan_histogram_options options = PARSCAN_HISTOGRAM_OPTIONS(.upper = &upper);
    *count = BINS;
    return parscan_histogram(engine, PARSCAN_U32, m->in, m->n, BINS, PARSCAN_U32, out, &options);
}

static parscan_status compact(machine *m, parscan_context *engine, uint32_t *out, uint64_t *count)
{
    const uint32_t half = 1u << 31;
    const parscan_predicate keep = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &half);
    return parscan_compact_if(engine, PARSCAN_U32, m->in, &keep, out, m->n, count);
}

static parscan_status sort(machine *m, parscan_context *engine, uint32_t *out, uint64_t *count)
{
    *count = m->n;
    return parscan_sort_keys(engine, PARSCAN_U32, m->in, out, m->n, NULL);
}

typedef struct contestant {
    machine *m;
    engine_call *call; /* NULL: a copy */
    void (*copy)(void *context);
} contestant;

static parscan_status run_call(const contestant *c)
{
    machine *const m = c->m;
    const parscan_status status = c->call(m, m->cuda, m->out, &m->count);
    if (status != PARSCAN_OK)
        snprintf(m->failure, sizeof m->failure, "%s: %s", parscan_status_string(status),
                 parscan_context_error(m->cuda));
    return status;
}

static void run(void *context)
{
    const contestant *const c = context;
    if (c->call == NULL)
        c->copy(c->m);
    else
        run_call(c);
}

static bool verify(void *context)
{
    const contestant *const c = context;
    machine *const m = c->m;
    m->failure[0] = '\0';
    if (c->call == NULL)
        return true;
    memset(m->out, 0xa5, m->n * sizeof *m->out);
    bench_must(c->call(m, m->cpu, m->reference, &m->kept), m->cpu);
    return run_call(c) == PARSCAN_OK && m->count == m->kept &&
           memcmp(m->out, m->reference, m->kept * sizeof *m->out) == 0;
}

static double time_calls(void *context, size_t calls)
{
    const contestant *const c = context;
    const double begin = now();
    c->m->failure[0] = '\0';
    for (size_t k = 0; k < calls; k++)
        run(context);
    return c->m->failure[0] == '\0' ? now() - begin : 0;
}

static const char *failure(void *context)
{
    const contestant *const c = context;
    return c->m->failure[0] == '\0' ? NULL : c->m->failure;
}

static void add(bench_group *group, contestant *c, const char *name, double bytes, bench_role role)
{
    bench_add(group, (bench_case){.name = name,
                                  .run = run,
                                  .verify = verify,
                                  .time = time_calls,
                                  .failure = failure,
                                  .context = c,
                                  .bytes = bytes,
                                  .role = role});
}

static const struct row {
    const char *work, *floor;
    engine_call *call;
    void (*copy)(void *context);
    double passes; /* over an array, of the floor */
} rows[] = {
    {"host-scan", "up and down", scan, copy_both, 2},
    {"host-scan-exclusive-reverse", "up and down", exclusive, copy_both, 2},
    {"host-reduce", "up", reduce, copy_up, 1},
    {"host-histogram-256", "up", histogram, copy_up, 1},
    {"host-compact-if", "up and half down", compact, copy_half_down, 1.5},
    {"host-sort-keys", "twice up and down", sort, copy_both_twice, 4},
    {"host-copy", "down", NULL, copy_down, 1},
};

static bool measure(machine *m, const bench_options *options, const struct row *row, unsigned log2n)
{
    contestant floor = {m, NULL, row->copy}, parscan = {m, row->call, NULL};
    const double bytes = row->passes * (double)(m->n * sizeof *m->in);
    bench_group *const group = bench_new_group(options, row->work, "u32", "uniform", log2n, 0);
    add(group, &floor, row->floor, bytes, BENCH_COPY);
    if (row->call != NULL)
        add(group, &parscan, "parscan", bytes, BENCH_PARSCAN);
    group->least_seconds = 1e-3;
    const bool right = bench_measure(group);
    free(group);
    return right;
}

static void open_machine(machine *m, const bench_options *options, unsigned log2n)
{
    m->n = (size_t)1 << log2n;
    const size_t bytes = m->n * sizeof *m->in;
    const parscan_context_options cuda =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .scratch_limit = bytes / 8,
                                .error = m->failure, .error_size = sizeof m->failure);
    if (parscan_context_create(&m->cuda, &cuda) != PARSCAN_OK)
        must(cudaErrorUnknown, m->failure);
    m->cpu = bench_engine(bench_processors());
    must(cudaMallocHost((void **)&m->in, bytes), "pinned memory");
    must(cudaMallocHost((void **)&m->out, bytes), "pinned memory");
    m->reference = bench_memory(bytes, 0, options->huge_pages);
    for (unsigned k = 0; k < 2; k++)
        must(cudaMalloc(&m->device[k], bytes / 16), "device memory");
    must(cudaStreamCreateWithFlags(&m->up, cudaStreamNonBlocking), "a stream");
    must(cudaStreamCreateWithFlags(&m->down, cudaStreamNonBlocking), "a stream");
    uint64_t state = options->seed;
    for (size_t i = 0; i < m->n; i++)
        m->in[i] = (uint32_t)(bench_random(&state) >> 32);
}

static void close_machine(machine *m)
{
    parscan_context_destroy(m->cuda);
    parscan_context_destroy(m->cpu);
    cudaFreeHost(m->in);
    cudaFreeHost(m->out);
    bench_release(m->reference);
    for (unsigned k = 0; k < 2; k++)
        cudaFree(m->device[k]);
    cudaStreamDestroy(m->up);
    cudaStreamDestroy(m->down);
}

int main(int argc, char **argv)
{
    enum { LEAST_LOG2N = 24 }; /* an eighth of the array is then 8 MiB */
    bench_options options = bench_defaults();
    bool right = true;
    int devices = 0;
    options.min_log2n = options.max_log2n = 30;
    options.method = "# The share of a row is the time of its floor by its own time.\n";
    bench_parse(&options, argc, argv);
    if (!options.list) {
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            printf("# no GPU: nothing measured\n");
            return EXIT_SUCCESS;
        }
        struct cudaDeviceProp gpu;
        char words[160];
        must(cudaGetDeviceProperties(&gpu, 0), "the device");
        snprintf(words, sizeof words, "# GPU: %.64s; arrays in pinned memory\n", gpu.name);
        bench_write_head("bench_cuda_host", &options, words);
    }
    if (options.min_log2n < LEAST_LOG2N)
        options.min_log2n = LEAST_LOG2N;
    for (unsigned log2n = options.min_log2n; log2n <= options.max_log2n; log2n += options.step) {
        machine m = {0};
        if (!options.list)
            open_machine(&m, &options, log2n);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (bench_wanted(&options, rows[k].work, "u32", "uniform"))
                right &= measure(&m, &options, &rows[k], log2n);
        if (!options.list)
            close_machine(&m);
    }
    return bench_finish(&options, right);
}
