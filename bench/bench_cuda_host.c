/*
 * bench_cuda_host: rows of the CPU's table (cpu/rows.h) by a CUDA context. Their arrays are in pinned host memory and
 * go through the device in chunks, beside the copies that they cannot do without. The context's scratch_limit
 * is an eighth of an array, so of --min 30 (4 GiB of u32) it is 512 MiB.
 *
 * The share of a row is the time of its floor by its own time. The floors are copies of whole arrays,
 * all at once: up (a reduction, a histogram), up and down (a scan), up and half of it down (a
 * compaction that keeps half), twice up and down (a sort).
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/rows.h"

/* A row by its name, and its floor: 16ths of an array up and down, so many times. */
typedef struct host_row {
    const char *name, *floor;
    unsigned up, down, times;
} host_row;

static const host_row host_rows[] = {
    {"scan/u32/uniform", "up and down", 16, 16, 1},
    {"scan-reverse/u32/uniform", "up and down", 16, 16, 1},
    {"reduce/u32/uniform", "up", 16, 0, 1},
    {"histogram-65536/u32/uniform", "up", 16, 0, 1},
    {"compact-if/u32/50%", "up and half down", 16, 8, 1},
    {"sort-keys/u32/uniform", "twice up and down", 16, 16, 2},
};

typedef struct machine {
    const host_row *host_row;
    row_data data;
    parscan_context *cuda;
    cudaStream_t up, down;
    void *device[2]; /* for the copies: a sixteenth of an array each */
    char failure[256];
} machine;

static void must(cudaError_t error, const char *what)
{
    bench_require(error == cudaSuccess, what, cudaGetErrorString(error));
}

/* Copies the arrays up and down, at once. */
static void run_floor(void *context)
{
    machine *const m = context;
    const host_row *const row = m->host_row;
    const size_t part = m->data.n * sizeof(uint32_t) / 16;
    for (unsigned k = 0; k < 16 * row->times; k++) {
        if (k % 16 < row->up)
            must(cudaMemcpyAsync(m->device[0], (char *)m->data.in + k % 16 * part, part,
                                 cudaMemcpyHostToDevice, m->up),
                 "a copy up");
        if (k % 16 < row->down)
            must(cudaMemcpyAsync((char *)m->data.out + k % 16 * part, m->device[1], part,
                                 cudaMemcpyDeviceToHost, m->down),
                 "a copy down");
    }
    must(cudaStreamSynchronize(m->up), "a copy up");
    must(cudaStreamSynchronize(m->down), "a copy down");
}

static bool verify_floor(void *context)
{
    run_floor(context);
    return true;
}

static void run_call(void *context)
{
    machine *const m = context;
    bench_must(m->data.row->call(&m->data, m->cuda), m->cuda);
}

static bool verify_call(void *context)
{
    machine *const m = context;
    const char *const words = row_verify(&m->data, m->data.row->call, m->cuda);
    m->failure[0] = '\0';
    if (words != NULL && strcmp(words, "wrong") != 0)
        snprintf(m->failure, sizeof m->failure, "%s", words);
    return words == NULL;
}

static const char *failure(void *context)
{
    const machine *const m = context;
    return m->failure[0] != '\0' ? m->failure : NULL;
}

static bool measure(machine *m, const bench_options *options, const bench_row *row, unsigned log2n)
{
    const host_row *const floor = m->host_row;
    const double bytes =
        (floor->up + floor->down) / 16.0 * floor->times * (double)(m->data.n * sizeof(uint32_t));
    bench_group *const group = bench_new_group(options, row->work, row->type, row->input, log2n, 0);
    m->data.row = row;
    row->fill(&m->data);
    bench_add(group, (bench_case){.name = floor->floor,
                                  .run = run_floor,
                                  .verify = verify_floor,
                                  .context = m,
                                  .bytes = bytes,
                                  .role = BENCH_COPY});
    bench_add(group, (bench_case){.name = "parscan",
                                  .run = run_call,
                                  .verify = verify_call,
                                  .failure = failure,
                                  .context = m,
                                  .bytes = bytes});
    group->least_seconds = 1e-3;
    workers_settle(m->data.team);
    const bool right = bench_measure(group);
    free(group);
    return right;
}

/* Measures the rows that are wanted at one size. */
static bool measure_size(const bench_options *options, workers *team, unsigned log2n)
{
    machine m = {0};
    const size_t n = (size_t)1 << log2n, bytes = n * sizeof(uint32_t);
    const parscan_context_options cuda =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .scratch_limit = bytes / 8,
                                .error = m.failure, .error_size = sizeof m.failure);
    if (parscan_context_create(&m.cuda, &cuda) != PARSCAN_OK)
        must(cudaErrorUnknown, m.failure);
    row_data_create(&m.data, team, bytes, n, options->huge_pages, options->seed);
    m.data.n = n;
    must(cudaHostRegister(m.data.in, bytes, cudaHostRegisterDefault), "pinned memory");
    must(cudaHostRegister(m.data.out, bytes, cudaHostRegisterDefault), "pinned memory");
    for (unsigned k = 0; k < 2; k++)
        must(cudaMalloc(&m.device[k], bytes / 16), "device memory");
    must(cudaStreamCreateWithFlags(&m.up, cudaStreamNonBlocking), "a stream");
    must(cudaStreamCreateWithFlags(&m.down, cudaStreamNonBlocking), "a stream");
    bool right = true;
    for (size_t k = 0; bench_row_at(k) != NULL; k++)
        for (size_t f = 0; f < sizeof host_rows / sizeof *host_rows; f++) {
            const bench_row *const row = bench_row_at(k);
            m.host_row = &host_rows[f];
            if (strcmp(bench_row_name(row), host_rows[f].name) == 0 &&
                bench_wanted(options, row->work, row->type, row->input))
                right &= measure(&m, options, row, log2n);
        }
    parscan_context_destroy(m.cuda);
    cudaHostUnregister(m.data.in);
    cudaHostUnregister(m.data.out);
    row_data_destroy(&m.data);
    for (unsigned k = 0; k < 2; k++)
        cudaFree(m.device[k]);
    cudaStreamDestroy(m.up);
    cudaStreamDestroy(m.down);
    return right;
}

int main(int argc, char **argv)
{
    enum { LEAST_LOG2N = 24 }; /* an eighth of the array is then 8 MiB */
    bench_options options = bench_defaults();
    struct cudaDeviceProp gpu;
    char words[160];
    bool right = true;
    int devices = 0;
    options.min_log2n = options.max_log2n = 30;
    options.method = "# The share of a row is the time of its floor by its own time.\n";
    bench_parse(&options, argc, argv);
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
        printf("# no GPU: nothing measured: %s\n", cudaGetErrorString(error));
        return EXIT_SUCCESS;
    }
    must(error, "the devices");
    must(cudaGetDeviceProperties(&gpu, 0), "the device");
    snprintf(words, sizeof words, "# GPU: %.64s; arrays in pinned memory\n", gpu.name);
    bench_write_head("bench_cuda_host", &options, words);
    workers *const team = workers_start(bench_processors());
    if (options.min_log2n < LEAST_LOG2N)
        options.min_log2n = LEAST_LOG2N;
    for (unsigned log2n = options.min_log2n; log2n <= options.max_log2n; log2n += options.step)
        right &= measure_size(&options, team, log2n);
    workers_stop(team);
    return bench_finish(&options, right);
}
