/*
 * init in device memory of segmented scans and reductions: the results are those of the same init in host
 * memory, to the bit, by segments of all kinds, of few elements and of many, and at each replay of a graph.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "scan/half.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(segment_inits, .timeout = 120);

enum { ROW = 40, EACH = 7, KINDS = 4 };

typedef struct bench {
    cudaStream_t stream;
    parscan_context *context;
    parscan_type type;
    size_t n; /* a multiple of ROW */
    void *in, *expected, *out, *init;
    uint64_t *count;
    unsigned char host_init[8];
    void *marks[KINDS]; /* flags, offsets, keys; rows have none */
    parscan_segments segments[KINDS];
} bench;

/* Segments of EACH elements, and an empty one after each; rows of ROW. */
static void make_segments(bench *b)
{
    const size_t n = b->n, count = 2 * ((n - 1) / EACH + 1);
    uint8_t *const flags = malloc(n);
    uint32_t *const keys = malloc(n * sizeof *keys);
    uint32_t *const offsets = malloc((count + 1) * sizeof *offsets);
    for (size_t i = 0; i < n; i++) {
        flags[i] = i % EACH == 0;
        keys[i] = (uint32_t)(i / EACH);
    }
    for (size_t k = 0; k <= count; k++)
        offsets[k] = (uint32_t)((k + 1) / 2 * EACH < n ? (k + 1) / 2 * EACH : n);
    b->marks[0] = device_copy_of(flags, n);
    b->marks[1] = device_copy_of(offsets, (count + 1) * sizeof *offsets);
    b->marks[2] = device_copy_of(keys, n * sizeof *keys);
    b->segments[0] = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = b->marks[0]);
    b->segments[1] = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                                      .data = b->marks[1], .count = count);
    b->segments[2] =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32, .data = b->marks[2]);
    b->segments[3] = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = ROW);
    free(flags);
    free(keys);
    free(offsets);
}

static bench bench_create(parscan_type type, size_t n)
{
    bench b = {.type = type, .n = n};
    const size_t size = parscan_type_size(type);
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    b.context = context_on(b.stream);
    unsigned char *const in = malloc(n * size);
    for (size_t i = 0; i < n; i++)
        put_number(type, in + i * size, (unsigned)(i % 5));
    put_number(type, b.host_init, 3);
    b.in = device_copy_of(in, n * size);
    b.init = device_copy_of(b.host_init, size);
    b.expected = device_room(n * size);
    b.out = device_room(n * size);
    b.count = device_room(sizeof *b.count);
    make_segments(&b);
    free(in);
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    for (unsigned k = 0; k < KINDS - 1; k++)
        CUDA(cudaFree(b->marks[k]));
    CUDA(cudaFree(b->in));
    CUDA(cudaFree(b->init));
    CUDA(cudaFree(b->expected));
    CUDA(cudaFree(b->out));
    CUDA(cudaFree(b->count));
    CUDA(cudaStreamDestroy(b->stream));
}

static void run(const bench *b, scan_kind kind, const parscan_segments *segments, void *out,
                parscan_scan_options options, const void *init)
{
    options.init = init;
    CUDA(cudaMemsetAsync(out, ROOM_BYTE, b->n * parscan_type_size(b->type), b->stream));
    expect_ok(b->context, kind == SCAN_REDUCE
                              ? parscan_segmented_reduce(b->context, b->type, b->in, out, b->n,
                                                         segments, b->count, &options)
                          : kind == SCAN_EXCLUSIVE
                              ? parscan_segmented_exclusive_scan(b->context, b->type, b->in, out,
                                                                 b->n, segments, &options)
                              : parscan_segmented_inclusive_scan(b->context, b->type, b->in, out,
                                                                 b->n, segments, &options));
}

static void expect_same(const bench *b, unsigned segments, int kind)
{
    const size_t bytes = b->n * parscan_type_size(b->type);
    expect_ok(b->context, parscan_synchronize(b->context));
    unsigned char *const expected = host_copy_of(b->expected, bytes);
    unsigned char *const out = host_copy_of(b->out, bytes);
    cr_assert_eq(memcmp(expected, out, bytes), 0, "%s, %zu elements, segments of kind %u, scan %d",
                 parscan_type_name(b->type), b->n, segments, kind);
    free(expected);
    free(out);
}

static void test_type(parscan_type type, size_t n)
{
    static const scan_kind kinds[] = {SCAN_INCLUSIVE, SCAN_EXCLUSIVE, SCAN_REDUCE};
    bench b = bench_create(type, n);
    for (unsigned s = 0; s < KINDS; s++)
        for (unsigned k = 0; k < 3; k++)
            for (unsigned way = 0; way < 4; way++) {
                const parscan_scan_options options =
                    PARSCAN_SCAN_OPTIONS(.op = way & 1 ? PARSCAN_MAX : PARSCAN_SUM,
                                         .reverse = way >> 1);
                run(&b, kinds[k], &b.segments[s], b.expected, options, b.host_init);
                run(&b, kinds[k], &b.segments[s], b.out, options, b.init);
                expect_same(&b, s, (int)kinds[k]);
            }
    bench_destroy(&b);
}

Test(segment_inits, give_what_they_give_in_host_memory)
{
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_F16, PARSCAN_I32,
                                         PARSCAN_F32, PARSCAN_U64, PARSCAN_F64};
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        test_type(types[t], ROW);
        test_type(types[t], 100 * ROW);
        test_type(types[t], 30000 * ROW);
    }
}

static void replay_of_type(parscan_type type, size_t n)
{
    static const scan_kind kinds[] = {SCAN_INCLUSIVE, SCAN_EXCLUSIVE, SCAN_REDUCE};
    bench b = bench_create(type, n);
    unsigned char init[8];
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM);
    for (unsigned s = 0; s < KINDS; s++)
        for (unsigned k = 0; k < 3; k++) {
            cudaGraph_t graph;
            cudaGraphExec_t replayed;
            run(&b, kinds[k], &b.segments[s], b.out, options, b.init); /* takes scratch */
            CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
            run(&b, kinds[k], &b.segments[s], b.out, options, b.init);
            CUDA(cudaStreamEndCapture(b.stream, &graph));
            CUDA(cudaGraphInstantiate(&replayed, graph, 0));
            CUDA(cudaGraphDestroy(graph));
            for (unsigned value = 4; value < 7; value++) {
                put_number(type, init, value);
                run(&b, kinds[k], &b.segments[s], b.expected, options, init);
                CUDA(cudaMemcpyAsync(b.init, init, parscan_type_size(type), cudaMemcpyHostToDevice,
                                     b.stream));
                CUDA(cudaGraphLaunch(replayed, b.stream));
                expect_same(&b, s, (int)kinds[k]);
            }
            CUDA(cudaGraphExecDestroy(replayed));
        }
    bench_destroy(&b);
}

Test(segment_inits, are_read_in_stream_order_in_a_graph)
{
    replay_of_type(PARSCAN_U32, 30000 * ROW);
    replay_of_type(PARSCAN_F64, 3000 * ROW);
    replay_of_type(PARSCAN_U64, 300 * ROW);
}

Test(segment_inits, serve_reductions_by_key)
{
    bench b = bench_create(PARSCAN_U32, 100 * ROW);
    for (int there = 0; there < 2; there++) {
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.init = there ? b.init : (const void *)b.host_init);
        CUDA(cudaMemsetAsync(b.out, ROOM_BYTE, b.n * 4, b.stream));
        expect_ok(b.context,
                  parscan_reduce_by_key(b.context, PARSCAN_U32, b.marks[2], NULL, PARSCAN_U32, b.in,
                                        there ? b.out : b.expected, b.n, b.count, &options));
    }
    expect_same(&b, 2, SCAN_REDUCE);
    bench_destroy(&b);
}
