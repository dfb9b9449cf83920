/*
 * Scalars in device memory: the results are those of the same scalar in host memory, in stream order, and
 * in graphs where kernels read it; where the host has to fetch it, a capture refuses it in words.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(scalars, .timeout = 120);

enum { N = 40003 };

typedef struct bench {
    cudaStream_t stream;
    parscan_context *context;
    unsigned char *in, *expected, *out; /* N elements each, of 8 bytes at most */
    void *scalar;                       /* 1, on the device */
    unsigned char one[8];
} bench;

static bench bench_create(parscan_type type)
{
    bench b;
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    b.context = context_on(b.stream);
    const size_t size = parscan_type_size(type);
    unsigned char *const in = malloc(N * size);
    for (size_t i = 0; i < N; i++)
        put_number(type, in + i * size, i % 3 == 0);
    put_number(type, b.one, 1);
    b.in = device_copy_of(in, N * size);
    b.scalar = device_copy_of(b.one, sizeof b.one);
    b.expected = device_room(N * size);
    b.out = device_room(N * size);
    free(in);
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    CUDA(cudaFree(b->in));
    CUDA(cudaFree(b->scalar));
    CUDA(cudaFree(b->expected));
    CUDA(cudaFree(b->out));
    CUDA(cudaStreamDestroy(b->stream));
}

static void expect_same(const bench *b, size_t bytes, const char *call, parscan_type type, size_t n)
{
    expect_ok(b->context, parscan_synchronize(b->context));
    unsigned char *const expected = host_copy_of(b->expected, bytes);
    unsigned char *const out = host_copy_of(b->out, bytes);
    cr_assert_eq(memcmp(expected, out, bytes), 0, "%s of %s, n = %zu", call,
                 parscan_type_name(type), n);
    free(expected);
    free(out);
}

static void expect_init(const bench *b, scan_kind kind, parscan_type type, size_t n,
                        parscan_scan_options options)
{
    const size_t bytes = (kind == SCAN_REDUCE ? 1 : n) * parscan_type_size(type);
    options.init = b->one;
    expect_ok(b->context, call_scan(b->context, kind, type, b->in, b->expected, n, &options));
    CUDA(cudaMemsetAsync(b->out, ROOM_BYTE, bytes, b->stream));
    options.init = b->scalar;
    expect_ok(b->context, call_scan(b->context, kind, type, b->in, b->out, n, &options));
    expect_same(b, bytes, "a scan or reduction", type, n);
}

Test(scalars, init_gives_what_it_gives_in_host_memory)
{
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_F16, PARSCAN_U32,
                                         PARSCAN_F32, PARSCAN_I64, PARSCAN_F64};
    static const size_t lengths[] = {1, 31, 4096, N};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        bench b = bench_create(types[t]);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            for (int kind = 0; kind < 3; kind++)
                for (int reverse = 0; reverse < 2; reverse++) {
                    expect_init(&b, (scan_kind)kind, types[t], lengths[l],
                                PARSCAN_SCAN_OPTIONS(.reverse = reverse));
                    expect_init(&b, (scan_kind)kind, types[t], lengths[l],
                                PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX, .reverse = reverse));
                    expect_init(&b, (scan_kind)kind, types[t], lengths[l],
                                PARSCAN_SCAN_OPTIONS(.reproducible = 1, .reverse = reverse));
                    expect_init(&b, (scan_kind)kind, types[t], lengths[l],
                                PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG));
                }
        bench_destroy(&b);
    }
}

/* A length of 0 on the device, too: the reduction of nothing is init. */
Test(scalars, init_is_the_reduction_of_nothing)
{
    bench b = bench_create(PARSCAN_U32);
    const uint64_t none = 0;
    uint64_t *const length = device_copy_of(&none, sizeof none);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.init = b.scalar);
    CUDA(cudaMemcpy(b.expected, b.scalar, 4, cudaMemcpyDeviceToDevice));
    expect_ok(b.context, parscan_reduce(b.context, PARSCAN_U32, NULL, b.out, 0, &options));
    expect_same(&b, 4, "a reduction of nothing", PARSCAN_U32, 0);
    CUDA(cudaMemset(b.out, ROOM_BYTE, 4));
    expect_ok(b.context, parscan_set_lengths(b.context, &PARSCAN_LENGTHS(.n = length)));
    expect_ok(b.context, parscan_reduce(b.context, PARSCAN_U32, b.in, b.out, N, &options));
    expect_same(&b, 4, "a reduction of nothing, as the device knows", PARSCAN_U32, 0);
    CUDA(cudaFree(length));
    bench_destroy(&b);
}

/* The init of the scan is what the reduction before it has found, at each replay. */
Test(scalars, init_is_read_in_stream_order_in_a_graph)
{
    bench b = bench_create(PARSCAN_U32);
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.init = b.scalar);
    uint32_t last;
    for (int captured = 0; captured < 2; captured++) { /* the first time takes scratch */
        if (captured)
            CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
        expect_ok(b.context, parscan_reduce(b.context, PARSCAN_U32, b.in, b.scalar, N, NULL));
        expect_ok(b.context,
                  parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, &options));
    }
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    for (uint32_t more = 1; more < 4; more++) {
        CUDA(cudaMemcpyAsync(b.in, &more, sizeof more, cudaMemcpyHostToDevice, b.stream));
        CUDA(cudaGraphLaunch(replayed, b.stream));
        expect_ok(b.context, parscan_synchronize(b.context));
        CUDA(cudaMemcpy(&last, b.out + (N - 1) * 4, 4, cudaMemcpyDeviceToHost));
        cr_assert_eq(last, 2 * (N / 3 + more), "replay with %u", more);
    }
    CUDA(cudaGraphExecDestroy(replayed));
    bench_destroy(&b);
}

typedef struct named_scan {
    const char *name;
    scan_kind kind;
    parscan_type type, out_type;
    parscan_scan_options options;
} named_scan;

static void expect_init_at_replays(const named_scan *scan)
{
    bench b = bench_create(scan->type);
    const parscan_type out_type = scan->out_type != 0 ? scan->out_type : scan->type;
    const size_t bytes = (scan->kind == SCAN_REDUCE ? 1 : N) * parscan_type_size(out_type);
    unsigned char *const expected = device_room(N * 8), *const out = device_room(N * 8);
    unsigned char value[8];
    parscan_scan_options options = scan->options;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    options.out_type = scan->out_type;
    options.init = b.scalar;
    put_number(out_type, value, 1);
    device_write(b.scalar, value, parscan_type_size(out_type));
    expect_ok(b.context, call_scan(b.context, scan->kind, scan->type, b.in, out, N, &options));
    CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    expect_ok(b.context, call_scan(b.context, scan->kind, scan->type, b.in, out, N, &options));
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    for (unsigned k = 2; k < 5; k++) {
        put_number(out_type, value, k);
        options.init = value;
        expect_ok(b.context,
                  call_scan(b.context, scan->kind, scan->type, b.in, expected, N, &options));
        CUDA(cudaMemcpyAsync(b.scalar, value, parscan_type_size(out_type), cudaMemcpyHostToDevice,
                             b.stream));
        CUDA(cudaGraphLaunch(replayed, b.stream));
        expect_ok(b.context, parscan_synchronize(b.context));
        unsigned char *const these = host_copy_of(out, bytes);
        unsigned char *const those = host_copy_of(expected, bytes);
        cr_assert_eq(memcmp(these, those, bytes), 0, "%s of %s, init %u", scan->name,
                     parscan_type_name(scan->type), k);
        free(these);
        free(those);
    }
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaFree(expected));
    CUDA(cudaFree(out));
    bench_destroy(&b);
}

Test(scalars, init_is_read_by_every_algorithm_at_each_replay)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F16, PARSCAN_BF16,
                                         PARSCAN_F32, PARSCAN_F64, PARSCAN_U8};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const parscan_scan_options tree = PARSCAN_SCAN_OPTIONS(.reproducible = 1),
                                   backwards =
                                       PARSCAN_SCAN_OPTIONS(.reproducible = 1, .reverse = 1),
                                   blocks = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG),
                                   tiles = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE,
                                                                .block_threads = 64),
                                   plain = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_SEQUENTIAL);
        const named_scan scans[] = {
            {"a tree", SCAN_INCLUSIVE, types[t], 0, tree},
            {"a tree from the end", SCAN_EXCLUSIVE, types[t], 0, backwards},
            {"a reduction by a tree", SCAN_REDUCE, types[t], 0, tree},
            {"batches of blocks", SCAN_INCLUSIVE, types[t], 0, blocks},
            {"batches of blocks, exclusive", SCAN_EXCLUSIVE, types[t], 0, blocks},
            {"blocks", SCAN_EXCLUSIVE, types[t], 0, tiles},
            {"one thread", SCAN_INCLUSIVE, types[t], 0, plain},
        };
        for (size_t k = 0; k < sizeof scans / sizeof *scans; k++)
            expect_init_at_replays(&scans[k]);
    }
    const named_scan widening = {"a reduction to f32", SCAN_REDUCE, PARSCAN_F16, PARSCAN_F32,
                                 PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM)};
    expect_init_at_replays(&widening);
    const named_scan tree = {"a tree to f32", SCAN_INCLUSIVE, PARSCAN_BF16, PARSCAN_F32,
                             PARSCAN_SCAN_OPTIONS(.reproducible = 1)};
    expect_init_at_replays(&tree);
}

/* ---- scalars of other calls: result and count are in device memory ---- */

static parscan_status keep_ones(const bench *b, const void *value, void *out, uint64_t *count)
{
    return parscan_compact_if(b->context, PARSCAN_U32, b->in,
                              &PARSCAN_PREDICATE(.comparison = PARSCAN_EQUAL, .value = value), out,
                              N, count);
}

static parscan_status keep_between(const bench *b, const void *value, void *out, uint64_t *count)
{
    return parscan_compact_indices(
        b->context, PARSCAN_U32, b->in,
        &PARSCAN_PREDICATE(.comparison = PARSCAN_BETWEEN, .value = value, .upper = value),
        PARSCAN_U32, out, N, count);
}

/* The indices lie behind the elements; a third is kept. */
static parscan_status keep_with_indices(const bench *b, const void *value, void *out,
                                        uint64_t *count)
{
    return parscan_compact_with_indices(
        b->context, PARSCAN_U32, b->in,
        &PARSCAN_PREDICATE(.comparison = PARSCAN_EQUAL, .value = value), out, PARSCAN_U32,
        (uint32_t *)out + N / 2, N, count);
}

static parscan_status subtract(const bench *b, const void *value, void *out, uint64_t *count)
{
    (void)count;
    return parscan_difference(b->context, PARSCAN_U32, b->in, out, N,
                              &PARSCAN_SCAN_OPTIONS(.init = value, .reverse = 1));
}

static parscan_status keep_by(const bench *b, const void *value, void *out, uint64_t *count)
{
    return parscan_compact_by(b->context, 3, b->in, PARSCAN_U32, b->in,
                              &PARSCAN_PREDICATE(.comparison = PARSCAN_LESS_EQUAL, .value = value),
                              out, N, count);
}

static parscan_status flag(const bench *b, const void *value, void *out, uint64_t *count)
{
    (void)count;
    return parscan_flags_if(b->context, PARSCAN_U32, b->in,
                            &PARSCAN_PREDICATE(.comparison = PARSCAN_EQUAL, .value = value), out,
                            N);
}

static parscan_status divide(const bench *b, const void *value, void *out, uint64_t *count)
{
    return parscan_partition(b->context, PARSCAN_U32, b->in,
                             &PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = value), out, N,
                             count);
}

static parscan_status count_bins(const bench *b, const void *value, void *out, uint64_t *count)
{
    const uint32_t upper = 9;
    (void)count;
    return parscan_histogram(b->context, PARSCAN_U32, b->in, N, 4, PARSCAN_U32, out,
                             &PARSCAN_HISTOGRAM_OPTIONS(.lower = value, .upper = &upper));
}

static parscan_status recur(const bench *b, const void *value, void *out, uint64_t *count)
{
    (void)count;
    return parscan_recurrence(b->context, PARSCAN_F32, b->in, b->in, value, out, N);
}

static parscan_status reduce_segments(const bench *b, const void *value, void *out, uint64_t *count)
{
    return parscan_segmented_reduce(
        b->context, PARSCAN_U32, b->in, out, N,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32, .data = b->in), count,
        &PARSCAN_SCAN_OPTIONS(.init = value));
}

static const struct {
    const char *name, *scalar;
    parscan_status (*run)(const bench *b, const void *value, void *out, uint64_t *count);
    bool in_graphs;
} calls[] = {
    {"compact_if", "keep->value", keep_ones, true},
    {"compact_indices", "keep->value", keep_between, true},
    {"compact_with_indices", "keep->value", keep_with_indices, true},
    {"difference", "init", subtract, true},
    {"compact_by", "keep->value", keep_by, true},
    {"flags_if", "keep->value", flag, true},
    {"partition", "keep->value", divide, true},
    {"histogram", "options->lower", count_bins, true},
    {"recurrence", "x0", recur, true},
    {"segmented_reduce", "init", reduce_segments, true},
};

static void run_call(const bench *b, size_t k, const void *value, void *out, uint64_t *count)
{
    CUDA(cudaMemsetAsync(out, ROOM_BYTE, N * sizeof(uint32_t), b->stream));
    CUDA(cudaMemsetAsync(count, 0, sizeof *count, b->stream));
    cr_assert_eq(calls[k].run(b, value, out, count), PARSCAN_OK, "%s: %s", calls[k].name,
                 parscan_context_error(b->context));
    expect_ok(b->context, parscan_synchronize(b->context));
}

Test(scalars, of_other_calls_give_what_they_give_in_host_memory)
{
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        bench b = bench_create(calls[k].run == recur ? PARSCAN_F32 : PARSCAN_U32);
        uint64_t *const counts = device_room(2 * sizeof *counts), found[2];
        run_call(&b, k, b.one, b.expected, counts);
        run_call(&b, k, b.scalar, b.out, counts + 1);
        expect_same(&b, N * sizeof(uint32_t), calls[k].name, PARSCAN_U32, N);
        CUDA(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
        cr_assert_eq(found[0], found[1], "%s: its count", calls[k].name);
        CUDA(cudaFree(counts));
        bench_destroy(&b);
    }
}

/* Those that are fetched are refused, and the capture goes on; the others are read at the replay. */
Test(scalars, in_a_capture_are_read_by_kernels_or_refused_in_words)
{
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        bench b = bench_create(calls[k].run == recur ? PARSCAN_F32 : PARSCAN_U32);
        uint64_t *const count = device_room(sizeof *count);
        cudaGraph_t graph;
        run_call(&b, k, b.scalar, b.out, count); /* takes scratch */
        CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
        const parscan_status status = calls[k].run(&b, b.scalar, b.out, count);
        CUDA(cudaStreamEndCapture(b.stream, &graph));
        cr_assert_eq(status, calls[k].in_graphs ? PARSCAN_OK : PARSCAN_ERROR_UNSUPPORTED, "%s",
                     calls[k].name);
        if (status != PARSCAN_OK)
            cr_assert_not_null(strstr(parscan_context_error(b.context), calls[k].scalar), "%s: %s",
                               calls[k].name, parscan_context_error(b.context));
        CUDA(cudaGraphDestroy(graph));
        CUDA(cudaFree(count));
        bench_destroy(&b);
    }
}

/* Of a threshold that a reduction has found, at each replay. */
Test(scalars, of_a_predicate_are_read_in_stream_order_in_a_graph)
{
    bench b = bench_create(PARSCAN_U32);
    uint64_t *const count = device_room(sizeof *count), found;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    for (int captured = 0; captured < 2; captured++) {
        if (captured)
            CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
        expect_ok(b.context, parscan_reduce(b.context, PARSCAN_U32, b.in, b.scalar, N,
                                            &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX)));
        expect_ok(b.context, keep_ones(&b, b.scalar, b.out, count));
    }
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    for (uint32_t most = 1; most < 4; most++) {
        uint32_t kept;
        CUDA(cudaMemcpyAsync(b.in, &most, sizeof most, cudaMemcpyHostToDevice, b.stream));
        CUDA(cudaGraphLaunch(replayed, b.stream));
        expect_ok(b.context, parscan_synchronize(b.context));
        CUDA(cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(&kept, b.out, sizeof kept, cudaMemcpyDeviceToHost));
        cr_assert_eq(found, most == 1 ? (N + 2) / 3 : 1, "replay with %u", most);
        cr_assert_eq(kept, most);
    }
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaFree(count));
    bench_destroy(&b);
}

Test(scalars, in_device_memory_are_refused_by_a_context_of_the_cpu)
{
    bench b = bench_create(PARSCAN_U32);
    const uint32_t in[3] = {1, 2, 3};
    uint32_t out[3];
    uint64_t count;
    parscan_context *context;
    cr_assert_eq(
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, in, out, 3,
                                        &PARSCAN_SCAN_OPTIONS(.init = b.scalar)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "init = "));
    cr_assert_eq(
        parscan_compact_if(context, PARSCAN_U32, in,
                           &PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = b.scalar), out,
                           3, &count),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "keep->value = "));
    parscan_context_destroy(context);
    bench_destroy(&b);
}

Test(scalars, that_are_not_aligned_are_refused)
{
    bench b = bench_create(PARSCAN_U32);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.init = (const char *)b.scalar + 2, .op = PARSCAN_MAX);
    cr_assert_eq(parscan_reduce(b.context, PARSCAN_U32, b.in, b.out, N, &options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(b.context), "init = "));
    bench_destroy(&b);
}
