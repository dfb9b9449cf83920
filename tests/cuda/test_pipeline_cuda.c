/*
 * A graph of calls whose counts stay on the device: compact_if, sort_pairs, run_length_encode, allocate (closed),
 * segmented_reduce by those offsets, expand. Replayed for random lengths, it gives to the bit what the same calls
 * give with their counts on the host, on both engines.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(pipeline, .timeout = 300);

enum { MOST = 40000, KEYS = 3000, LIMIT = 1500, REPLAYS = 1000, RESULTS = 7 };

/* In the memory of an engine, which the name of the context's backend tells. */
typedef struct pipeline {
    parscan_context *context;
    uint32_t *keys, *values, *kept;
    uint32_t *result[RESULTS]; /* sorted, moved, firsts, runs, offsets, sums, owner */
    uint64_t *length, *counts; /* counts: of what is kept, of runs, of slots */
} pipeline;

enum { SORTED, MOVED, FIRSTS, RUNS, OFFSETS, SUMS, OWNER };

static void *room_of(parscan_context *context, size_t bytes)
{
    void *room;
    expect_ok(context, parscan_malloc(context, &room, bytes));
    return room;
}

static pipeline pipeline_create(parscan_context *context, const uint32_t *keys,
                                const uint32_t *values)
{
    const size_t bytes = MOST * sizeof(uint32_t);
    pipeline p = {.context = context,
                  .keys = room_of(context, bytes),
                  .values = room_of(context, bytes),
                  .kept = room_of(context, bytes),
                  .length = room_of(context, sizeof(uint64_t)),
                  .counts = room_of(context, 3 * sizeof(uint64_t))};
    expect_ok(context, parscan_copy(context, p.keys, keys, bytes));
    expect_ok(context, parscan_copy(context, p.values, values, bytes));
    for (size_t k = 0; k < RESULTS; k++)
        p.result[k] = room_of(context, bytes + sizeof(uint32_t));
    return p;
}

static void pipeline_destroy(pipeline *p)
{
    void *const all[] = {p->keys, p->values, p->kept, p->length, p->counts};
    for (size_t k = 0; k < COUNT_OF(all); k++)
        expect_ok(p->context, parscan_free(p->context, all[k]));
    for (size_t k = 0; k < RESULTS; k++)
        expect_ok(p->context, parscan_free(p->context, p->result[k]));
    parscan_context_destroy(p->context);
}

static void set_lengths(const pipeline *p, const uint64_t *n, const uint64_t *segment_count)
{
    const parscan_lengths lengths = PARSCAN_LENGTHS(.n = n, .segment_count = segment_count);
    expect_ok(p->context, parscan_set_lengths(p->context, &lengths));
}

/* n, kept, runs: the arguments of the calls; by_address: they are the most, and lengths are given. */
static void run_from(const pipeline *p, bool by_address, size_t n, size_t kept, size_t runs,
                     unsigned calls)
{
    parscan_context *const context = p->context;
    const uint32_t limit = LIMIT;
    const parscan_predicate below = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &limit);
    const parscan_allocate_options close = PARSCAN_ALLOCATE_OPTIONS(.close = 1);
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                         .data = p->result[OFFSETS], .count = runs);
    const uint64_t *const of_kept = p->counts, *const of_runs = p->counts + 1;
    if (calls & 1) {
        if (by_address)
            set_lengths(p, p->length, NULL);
        expect_ok(context,
                  parscan_compact_if(context, PARSCAN_U32, p->keys, &below, p->kept, n, p->counts));
    }
    if (calls & 2) {
        if (by_address)
            set_lengths(p, of_kept, NULL);
        expect_ok(context, parscan_sort_pairs(context, PARSCAN_U32, p->kept, p->result[SORTED], 4,
                                              p->values, p->result[MOVED], kept, NULL));
        if (by_address)
            set_lengths(p, of_kept, NULL);
        expect_ok(context, parscan_run_length_encode(context, PARSCAN_U32, p->result[SORTED],
                                                     p->result[FIRSTS], PARSCAN_U32,
                                                     p->result[RUNS], kept, p->counts + 1));
    }
    if (calls & 4) {
        if (by_address)
            set_lengths(p, of_runs, NULL);
        expect_ok(context,
                  parscan_allocate(context, PARSCAN_U32, p->result[RUNS], runs, PARSCAN_U32,
                                   p->result[OFFSETS], p->counts + 2, &close));
        if (by_address)
            set_lengths(p, of_kept, of_runs);
        expect_ok(context, parscan_segmented_reduce(context, PARSCAN_U32, p->result[MOVED],
                                                    p->result[SUMS], kept, &segments, NULL, NULL));
        if (by_address)
            set_lengths(p, of_runs, NULL);
        expect_ok(context, parscan_expand(context, PARSCAN_U32, p->result[RUNS], runs, PARSCAN_U32,
                                          p->result[OWNER], NULL, MOST, p->counts + 2));
    }
}

static void run_by_address(const pipeline *p)
{
    run_from(p, true, MOST, MOST, MOST, 7);
}

static size_t count_of(const pipeline *p, unsigned k)
{
    uint64_t count;
    expect_ok(p->context, parscan_copy(p->context, &count, p->counts + k, sizeof count));
    return (size_t)count;
}

static void run_through_host(const pipeline *p, size_t n)
{
    run_from(p, false, n, 0, 0, 1);
    const size_t kept = count_of(p, 0);
    run_from(p, false, n, kept, 0, 2);
    run_from(p, false, n, kept, count_of(p, 1), 4);
}

/* Everything that a run has written, poison included. */
typedef struct outcome {
    uint32_t result[RESULTS][MOST + 1];
    uint64_t counts[3];
} outcome;

static void clear(const pipeline *p)
{
    outcome *const poison = malloc(sizeof *poison);
    memset(poison, ROOM_BYTE, sizeof *poison);
    for (size_t k = 0; k < RESULTS; k++)
        expect_ok(p->context, parscan_copy(p->context, p->result[k], poison->result[k],
                                           sizeof poison->result[k]));
    expect_ok(p->context,
              parscan_copy(p->context, p->counts, poison->counts, sizeof poison->counts));
    expect_ok(p->context, parscan_synchronize(p->context));
    free(poison);
}

static void take(const pipeline *p, outcome *o)
{
    expect_ok(p->context, parscan_synchronize(p->context));
    for (size_t k = 0; k < RESULTS; k++)
        expect_ok(p->context,
                  parscan_copy(p->context, o->result[k], p->result[k], sizeof o->result[k]));
    expect_ok(p->context, parscan_copy(p->context, o->counts, p->counts, sizeof o->counts));
}

static void expect_same(const outcome *a, const outcome *b, size_t n, const char *which)
{
    static const char *const names[] = {"sorted keys", "moved values", "firsts", "run lengths",
                                        "offsets",     "sums",         "owners"};
    for (size_t k = 0; k < RESULTS; k++)
        cr_assert_eq(memcmp(a->result[k], b->result[k], sizeof a->result[k]), 0, "%s of %zu: %s",
                     which, n, names[k]);
    cr_assert_eq(memcmp(a->counts, b->counts, sizeof a->counts), 0, "%s of %zu: counts", which, n);
}

static size_t any_length(size_t replay)
{
    static const size_t lengths[] = {0,    1,    2,     1023,  1024,     1025, 4095, 4096,
                                     4097, 8192, 16384, 32767, MOST - 1, MOST, 0};
    return replay < COUNT_OF(lengths) ? lengths[replay] : random_below(MOST + 1);
}

/* No node waits for the host or takes memory: kernels, memsets, and copies on the device. */
static void expect_device_nodes(cudaGraph_t graph)
{
    size_t count = 0;
    CUDA(cudaGraphGetNodes(graph, NULL, &count));
    cudaGraphNode_t *const nodes = calloc(count + 1, sizeof *nodes);
    CUDA(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t k = 0; k < count; k++) {
        enum cudaGraphNodeType type;
        CUDA(cudaGraphNodeGetType(nodes[k], &type));
        cr_assert(type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemset ||
                      type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeEmpty,
                  "node %zu is of type %d", k, (int)type);
    }
    free(nodes);
}

static cudaGraphExec_t record(const pipeline *p, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    parscan_context *told = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .measure = 1);
    cr_assert_eq(parscan_context_create(&told, &options), PARSCAN_OK);
    pipeline measured = *p;
    measured.context = told;
    run_by_address(&measured);
    expect_ok(p->context, parscan_context_reserve(p->context, parscan_context_scratch(told)));
    parscan_context_destroy(told);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    run_by_address(p);
    CUDA(cudaStreamEndCapture(stream, &graph));
    expect_device_nodes(graph);
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return replayed;
}

static parscan_context *cpu_context(void)
{
    parscan_context *context;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 2);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    return context;
}

Test(pipeline, of_lengths_on_the_device_is_what_counts_on_the_host_give)
{
    need_cuda();
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    uint32_t *const keys = calloc(MOST, sizeof *keys), *const values = calloc(MOST, sizeof *keys);
    for (size_t i = 0; i < MOST; i++) {
        keys[i] = (uint32_t)random_below(KEYS);
        values[i] = (uint32_t)random_below(UINT32_MAX);
    }
    pipeline replayed = pipeline_create(context_on(stream), keys, values),
             on_host = pipeline_create(context_on(NULL), keys, values),
             on_cpu = pipeline_create(cpu_context(), keys, values);
    outcome *const found = calloc(1, sizeof *found), *const right = calloc(1, sizeof *right);
    const cudaGraphExec_t graph = record(&replayed, stream);
    const size_t held = parscan_context_scratch(replayed.context);
    for (size_t k = 0; k < REPLAYS; k++) {
        const uint64_t n = any_length(k);
        clear(&replayed);
        expect_ok(replayed.context, parscan_copy(replayed.context, replayed.length, &n, sizeof n));
        CUDA(cudaGraphLaunch(graph, stream));
        take(&replayed, found);
        clear(&on_host);
        run_through_host(&on_host, n);
        take(&on_host, right);
        expect_same(found, right, n, "CUDA, counts through the host");
        *on_cpu.length = n;
        clear(&on_cpu);
        run_by_address(&on_cpu);
        take(&on_cpu, right);
        expect_same(found, right, n, "the CPU");
    }
    cr_assert_eq(parscan_context_scratch(replayed.context), held);
    CUDA(cudaGraphExecDestroy(graph));
    pipeline_destroy(&replayed);
    pipeline_destroy(&on_host);
    pipeline_destroy(&on_cpu);
    CUDA(cudaStreamDestroy(stream));
    free(keys), free(values), free(found), free(right);
}
