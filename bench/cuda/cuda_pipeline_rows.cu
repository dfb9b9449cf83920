/*
 * A pipeline of six calls: keys below a limit are kept, sorted with values, their runs counted, the runs' places
 * allocated, the values of each run summed, the runs expanded. "graph": captured once, counts stay on the device.
 * "through-host": each count comes to the host before the next call. CUB has no expansion, so it has five calls.
 */
#include "cuda_bench.h"

namespace
{
enum { KEYS, VALUES, KEPT, SORTED_KEYS, MOVED, FIRSTS, RUNS, OFFSETS, SUMS, OWNER, ARRAYS };

struct pipeline {
    bench &b;
    size_t n;
    uint32_t limit;
    uint32_t *at[ARRAYS];
    uint64_t *counts; /* kept, runs, total */
};

pipeline make_pipeline(group &g)
{
    pipeline p = {g.b, g.n, (uint32_t)(g.n / 8), {}, g.b.array<uint64_t>("counts", 3)};
    for (unsigned k = 0; k < ARRAYS; k++)
        p.at[k] = k == KEYS  ? (uint32_t *)g.read(g.n * sizeof(uint32_t))
                  : k < SUMS ? g.b.array<uint32_t>("array " + std::to_string(k), g.n + 1)
                             : g.writes<uint32_t>("array " + std::to_string(k), g.n);
    fill_keys(g.b, PARSCAN_U32, p.at[KEYS], g.n, uniform, g.n / 4);
    fill_keys(g.b, PARSCAN_U32, p.at[VALUES], g.n, uniform, ~(uint64_t)0, 100);
    return p;
}

/* The count is read before the next call. */
size_t through_host(const pipeline &p, unsigned k)
{
    uint64_t count = 0;
    p.b.attempt(
        cudaMemcpyAsync(&count, p.counts + k, sizeof count, cudaMemcpyDeviceToHost, p.b.stream));
    p.b.attempt(cudaStreamSynchronize(p.b.stream));
    return (size_t)count;
}

void set_lengths(const pipeline &p, const uint64_t *n, const uint64_t *segment_count = NULL)
{
    const parscan_lengths lengths = PARSCAN_LENGTHS(.n = n, .segment_count = segment_count);
    p.b.attempt(parscan_set_lengths(p.b.context, &lengths));
}

void run_parscan(const pipeline &p, bool on_device)
{
    bench &b = p.b;
    parscan_context *const context = b.context;
    /* The n of the next call, whose length is a count. */
    const auto next = [&](unsigned k) {
        if (!on_device)
            return through_host(p, k);
        set_lengths(p, p.counts + k);
        return p.n;
    };
    const parscan_predicate below = {sizeof below, PARSCAN_LESS, &p.limit, NULL};
    const parscan_allocate_options close = PARSCAN_ALLOCATE_OPTIONS(.close = 1);
    b.attempt(
        parscan_compact_if(context, PARSCAN_U32, p.at[KEYS], &below, p.at[KEPT], p.n, p.counts));
    const size_t n = next(0);
    b.attempt(parscan_sort_pairs(context, PARSCAN_U32, p.at[KEPT], p.at[SORTED_KEYS], 4,
                                 p.at[VALUES], p.at[MOVED], n, NULL));
    if (on_device)
        set_lengths(p, p.counts);
    b.attempt(parscan_run_length_encode(context, PARSCAN_U32, p.at[SORTED_KEYS], p.at[FIRSTS],
                                        PARSCAN_U32, p.at[RUNS], n, p.counts + 1));
    const size_t runs = next(1);
    b.attempt(parscan_allocate(context, PARSCAN_U32, p.at[RUNS], runs, PARSCAN_U32, p.at[OFFSETS],
                               p.counts + 2, &close));
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                         .data = p.at[OFFSETS], .count = runs);
    if (on_device)
        set_lengths(p, p.counts, p.counts + 1);
    b.attempt(parscan_segmented_reduce(context, PARSCAN_U32, p.at[MOVED], p.at[SUMS], n, &segments,
                                       NULL, NULL));
    if (on_device)
        set_lengths(p, p.counts + 1);
    b.attempt(parscan_expand(context, PARSCAN_U32, p.at[RUNS], runs, PARSCAN_U32, p.at[OWNER], NULL,
                             p.n, p.counts + 2));
}

void run_cub(const pipeline &p, buffer room)
{
    cub_call call = {};
    const auto run = [&](cub_work work) {
        size_t bytes = room.bytes;
        p.b.attempt(peer_cub.calls[work](room.data, bytes, call));
    };
    call.stream = p.b.stream;
    call.type = call.other_type = PARSCAN_U32;
    call.bits = 32;
    call.alignment = 1;
    call.n = p.n;
    call.in = p.at[KEYS], call.out = p.at[KEPT], call.count = p.counts, call.limit = p.limit;
    run(CUB_select_below);
    call.n = through_host(p, 0);
    call.in = p.at[KEPT], call.out = p.at[SORTED_KEYS], call.beside = p.at[VALUES],
    call.beside_out = p.at[MOVED];
    run(CUB_sort_pairs);
    call.in = p.at[SORTED_KEYS], call.out = p.at[FIRSTS], call.beside_out = p.at[RUNS],
    call.count = p.counts + 1;
    run(CUB_run_lengths);
    call.segments = through_host(p, 1);
    call.n = call.segments + 1; /* its last offset, from one run more, whatever that has */
    call.in = p.at[RUNS], call.out = p.at[OFFSETS];
    run(CUB_allocate);
    call.in = p.at[MOVED], call.out = p.at[SUMS], call.offsets = p.at[OFFSETS];
    run(CUB_reduce_by_offsets);
}

void pipeline_row(group &g)
{
    bench &b = g.b;
    const pipeline p = make_pipeline(g);
    const buffer room = {b.bytes("cub-work", 64 * g.n + (1 << 20)), 64 * g.n + (1 << 20)};
    const double bytes = (double)(g.n * sizeof(uint32_t));
    g.in_stream = true; /* what goes through the host cannot be captured */
    g.reference = [p] { run_parscan(p, false); };
    g.all.push_back({"cub through-host", [p, room](const void *, void *) { run_cub(p, room); },
                     bytes, BENCH_PEER, false, ""});
    g.all.push_back({"through-host", [p](const void *, void *) { run_parscan(p, false); }, bytes,
                     BENCH_PARSCAN, true, ""});
    run_parscan(p, true); /* it takes the scratch */
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    MUST(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeRelaxed));
    run_parscan(p, true);
    MUST(cudaStreamEndCapture(b.stream, &graph));
    MUST(b.failure.empty() ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
    MUST(cudaGraphInstantiate(&replayed, graph, 0));
    g.all.push_back(
        {"graph",
         [&b, replayed](const void *, void *) { b.attempt(cudaGraphLaunch(replayed, b.stream)); },
         bytes, BENCH_PARSCAN, true, ""});
}
} // namespace

void pipeline_rows(bench &b)
{
    each_size(b, "pipeline", "u32", "uniform", pipeline_row, 26);
}
