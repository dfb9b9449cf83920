/*
 * A histogram's bounds in device memory: the counts are those of the same bounds in host memory, to the bit, of
 * every table in which blocks count; in graphs, too; wrong bounds are told later, and nothing is counted.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "scan/half.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(histogram_bounds, .timeout = 120);

enum { N = 40003, MANY = 1 << 21 };

typedef struct bench {
    cudaStream_t stream;
    parscan_context *context;
    parscan_type type;
    void *in;
} bench;

static bench bench_create(parscan_type type, size_t n)
{
    bench b = {.type = type};
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    b.context = context_on(b.stream);
    const size_t size = parscan_type_size(type);
    unsigned char *const in = malloc(n * size);
    for (size_t i = 0; i < n; i++)
        put_number(type, in + i * size, (unsigned)(i * 7 % 127));
    b.in = device_copy_of(in, n * size);
    free(in);
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    CUDA(cudaFree(b->in));
    CUDA(cudaStreamDestroy(b->stream));
}

static parscan_status count(const bench *b, size_t n, size_t bins, uint32_t *counts,
                            const void *lower, const void *upper)
{
    return parscan_histogram(b->context, b->type, b->in, n, bins, PARSCAN_U32, counts,
                             &PARSCAN_HISTOGRAM_OPTIONS(.lower = lower, .upper = upper));
}

static uint32_t *counts_of(const bench *b, size_t n, size_t bins, const void *lower,
                           const void *upper)
{
    uint32_t *const counts = device_room(bins * sizeof *counts);
    expect_ok(b->context, count(b, n, bins, counts, lower, upper));
    expect_ok(b->context, parscan_synchronize(b->context));
    uint32_t *const found = host_copy_of(counts, bins * sizeof *counts);
    CUDA(cudaFree(counts));
    return found;
}

static void expect_bins(const bench *b, size_t n, size_t bins)
{
    unsigned char host[2][8] = {{0}};
    put_number(b->type, host[0], 3);
    put_number(b->type, host[1], 121);
    unsigned char *const there = device_copy_of(host, sizeof host);
    uint32_t *const expected = counts_of(b, n, bins, host[0], host[1]);
    for (unsigned k = 1; k < 4; k++) {
        uint32_t *const found = counts_of(b, n, bins, k & 1 ? (const void *)there : host[0],
                                          k & 2 ? (const void *)(there + 8) : host[1]);
        cr_assert_eq(memcmp(found, expected, bins * sizeof *found), 0,
                     "%s, %zu elements, %zu bins, bounds on the device: %u",
                     parscan_type_name(b->type), n, bins, k);
        free(found);
    }
    free(expected);
    CUDA(cudaFree(there));
}

Test(histogram_bounds, give_the_bins_of_those_in_host_memory)
{
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_I8,  PARSCAN_F16, PARSCAN_U16,
                                         PARSCAN_I32, PARSCAN_U64, PARSCAN_F32, PARSCAN_F64};
    static const size_t lengths[] = {0, 1, 777, N}, bins[] = {1, 7, 118, 1000, 20000, 200000};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        bench b = bench_create(types[t], N);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (size_t k = 0; k < sizeof bins / sizeof *bins; k++)
                expect_bins(&b, lengths[l], bins[k]);
        bench_destroy(&b);
    }
}

Test(histogram_bounds, give_the_same_where_there_are_many_elements)
{
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_F16, PARSCAN_I16, PARSCAN_U32,
                                         PARSCAN_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        bench b = bench_create(types[t], MANY);
        expect_bins(&b, MANY, 1000);
        expect_bins(&b, MANY - 1, 20000);
        expect_bins(&b, MANY, 200000);
        bench_destroy(&b);
    }
}

/* Arrays in host memory: the bounds are fetched. */
Test(histogram_bounds, serve_host_arrays)
{
    bench b = bench_create(PARSCAN_U32, 4);
    const uint32_t in[] = {1, 2, 3, 4, 5, 6}, bounds[] = {2, 6};
    uint32_t counts[2];
    uint32_t *const there = device_copy_of(bounds, sizeof bounds);
    expect_ok(b.context,
              parscan_histogram(b.context, PARSCAN_U32, in, 6, 2, PARSCAN_U32, counts,
                                &PARSCAN_HISTOGRAM_OPTIONS(.lower = there, .upper = there + 1)));
    cr_assert_eq(counts[0], 2);
    cr_assert_eq(counts[1], 2);
    cr_assert_eq(parscan_histogram(b.context, PARSCAN_U32, in, 6, 2, PARSCAN_U32, counts,
                                   &PARSCAN_HISTOGRAM_OPTIONS(.lower = there + 1, .upper = there)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    CUDA(cudaFree(there));
    bench_destroy(&b);
}

Test(histogram_bounds, that_are_missing_are_told)
{
    bench b = bench_create(PARSCAN_F32, 4);
    const float one = 1;
    float *const there = device_copy_of(&one, sizeof one);
    uint32_t *const counts = device_room(8);
    cr_assert_eq(count(&b, 4, 2, counts, there, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(b.context), "options->upper is NULL"));
    cr_assert_eq(count(&b, 4, 2, counts, NULL, there), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(b.context), "options->lower is NULL"));
    CUDA(cudaFree(there));
    CUDA(cudaFree(counts));
    bench_destroy(&b);
}

enum { BINS = 3 };

/* The upper bound is what a reduction has found. */
static void count_below_greatest(const bench *b, uint32_t *bounds, uint32_t *counts)
{
    expect_ok(b->context, parscan_reduce(b->context, PARSCAN_U32, b->in, bounds + 1, N,
                                         &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX)));
    expect_ok(b->context, count(b, N, BINS, counts, bounds, bounds + 1));
}

static void expect_replay(const bench *b, cudaGraphExec_t replayed, uint32_t *bounds,
                          const uint32_t *counts, uint32_t low, uint32_t greatest)
{
    uint32_t found[BINS], expected[BINS] = {0};
    const bool wrong = low >= greatest;
    for (size_t i = 1; i < N; i++) {
        const uint32_t x = (uint32_t)(i * 7 % 127);
        if (!wrong && x >= low && x < greatest)
            expected[(uint64_t)(x - low) * BINS / (greatest - low)]++;
    }
    CUDA(cudaMemcpyAsync(b->in, &greatest, sizeof greatest, cudaMemcpyHostToDevice, b->stream));
    CUDA(cudaMemcpyAsync(bounds, &low, sizeof low, cudaMemcpyHostToDevice, b->stream));
    CUDA(cudaGraphLaunch(replayed, b->stream));
    cr_assert_eq(parscan_synchronize(b->context),
                 wrong ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_OK, "[%u, %u): %s", low, greatest,
                 parscan_context_error(b->context));
    if (wrong) /* the fourth call of the context */
        cr_assert_not_null(strstr(parscan_context_error(b->context), "call 4 of this context"),
                           "%s", parscan_context_error(b->context));
    CUDA(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
    cr_assert_eq(memcmp(found, expected, sizeof found), 0, "[%u, %u): %u, %u, %u", low, greatest,
                 found[0], found[1], found[2]);
}

/* Changed bounds at each replay, also wrong ones. */
Test(histogram_bounds, are_read_in_stream_order_in_a_graph)
{
    bench b = bench_create(PARSCAN_U32, N);
    uint32_t *const counts = device_room(BINS * sizeof *counts);
    const uint32_t first[2] = {0, 127};
    uint32_t *const bounds = device_copy_of(first, sizeof first);
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    count_below_greatest(&b, bounds, counts); /* takes scratch */
    CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    count_below_greatest(&b, bounds, counts);
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    expect_replay(&b, replayed, bounds, counts, 0, 127);
    expect_replay(&b, replayed, bounds, counts, 5, 200);
    expect_replay(&b, replayed, bounds, counts, 300, 300);
    expect_replay(&b, replayed, bounds, counts, 120, 1000000007);
    expect_replay(&b, replayed, bounds, counts, 301, 300);
    expect_replay(&b, replayed, bounds, counts, 1, 129);
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaFree(counts));
    CUDA(cudaFree(bounds));
    bench_destroy(&b);
}
