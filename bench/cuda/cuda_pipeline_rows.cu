/*
 * A pipeline of six calls: keys below a limit are kept, sorted with values, their runs counted, the runs' places
 * allocated, the values of each run summed, and the runs expanded. "graph": captured once, each count is the
 * length of the next call in device memory. "through the host": each count comes to the host before the next call,
 * as CUB's calls need it; CUB has no expansion, so its pipeline has five calls.
 */
#include "cuda_bench.h"

namespace
{
struct pipeline {
    bench &b;
    size_t n;
    uint32_t limit;
    const uint32_t *keys, *values;
    uint32_t *kept, *sorted, *moved, *firsts, *runs, *offsets, *sums, *owner;
    uint64_t *counts; /* kept, runs, total */
};

pipeline make_pipeline(group &g)
{
    bench &b = g.b;
    const size_t n = g.n;
    const auto words = [&b](const char *name, size_t count) {
        return b.array<uint32_t>(name, count);
    };
    uint32_t *const keys = (uint32_t *)g.read(n * sizeof *keys), *const values = words("values", n);
    fill_keys(b, PARSCAN_U32, keys, n, uniform, n / 4);
    fill_keys(b, PARSCAN_U32, values, n, uniform, ~(uint64_t)0, 100);
    return pipeline{b,
                    n,
                    (uint32_t)(n / 8),
                    keys,
                    values,
                    words("kept", n),
                    words("sorted", n),
                    words("moved", n),
                    words("firsts", n),
                    words("runs", n),
                    words("offsets", n + 1),
                    g.writes<uint32_t>("sums", n),
                    g.writes<uint32_t>("owner", n),
                    b.array<uint64_t>("counts", 3)};
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
    parscan_lengths lengths = {};
    lengths.struct_size = sizeof lengths;
    lengths.n = n;
    lengths.segment_count = segment_count;
    p.b.attempt(parscan_set_lengths(p.b.context, &lengths));
}

void run_parscan(const pipeline &p, bool on_device)
{
    bench &b = p.b;
    parscan_context *const context = b.context;
    const uint64_t *const kept = p.counts, *const runs = p.counts + 1;
    parscan_predicate below = {};
    below.struct_size = sizeof below;
    below.comparison = PARSCAN_LESS;
    below.value = &p.limit;
    b.attempt(parscan_compact_if(context, PARSCAN_U32, p.keys, &below, p.kept, p.n, p.counts));
    size_t n = on_device ? p.n : through_host(p, 0);
    if (on_device)
        set_lengths(p, kept);
    b.attempt(
        parscan_sort_pairs(context, PARSCAN_U32, p.kept, p.sorted, 4, p.values, p.moved, n, NULL));
    if (on_device)
        set_lengths(p, kept);
    b.attempt(parscan_run_length_encode(context, PARSCAN_U32, p.sorted, p.firsts, PARSCAN_U32,
                                        p.runs, n, p.counts + 1));
    const size_t segments_count = on_device ? p.n : through_host(p, 1);
    if (on_device)
        set_lengths(p, runs);
    parscan_allocate_options close = {};
    close.struct_size = sizeof close;
    close.close = 1;
    b.attempt(parscan_allocate(context, PARSCAN_U32, p.runs, segments_count, PARSCAN_U32, p.offsets,
                               p.counts + 2, &close));
    parscan_segments segments = {};
    segments.struct_size = sizeof segments;
    segments.kind = PARSCAN_SEGMENTS_OFFSETS;
    segments.type = PARSCAN_U32;
    segments.data = p.offsets;
    segments.count = segments_count;
    if (on_device)
        set_lengths(p, kept, runs);
    b.attempt(
        parscan_segmented_reduce(context, PARSCAN_U32, p.moved, p.sums, n, &segments, NULL, NULL));
    if (on_device)
        set_lengths(p, runs);
    b.attempt(parscan_expand(context, PARSCAN_U32, p.runs, segments_count, PARSCAN_U32, p.owner,
                             NULL, p.n, p.counts + 2));
}

struct cub_room {
    void *work;
    size_t bytes;
};

void run_cub(const pipeline &p, cub_room room)
{
    cub_call call = {};
    const auto run = [&](cub_work work) {
        size_t bytes = room.bytes;
        p.b.attempt(peer_cub.calls[work](room.work, bytes, call));
    };
    call.stream = p.b.stream;
    call.type = call.other_type = PARSCAN_U32;
    call.bits = 32;
    call.alignment = 1;
    call.n = p.n;
    call.in = p.keys, call.out = p.kept, call.count = p.counts, call.limit = p.limit;
    run(CUB_select_below);
    call.n = through_host(p, 0);
    call.in = p.kept, call.out = p.sorted, call.beside = p.values, call.beside_out = p.moved;
    run(CUB_sort_pairs);
    call.in = p.sorted, call.out = p.firsts, call.beside_out = p.runs, call.count = p.counts + 1;
    run(CUB_run_lengths);
    call.segments = through_host(p, 1);
    call.n = call.segments + 1; /* its last offset, from one run more, whatever that has */
    call.in = p.runs, call.out = p.offsets;
    run(CUB_allocate);
    call.in = p.moved, call.out = p.sums, call.offsets = p.offsets;
    run(CUB_reduce_by_offsets);
}

void pipeline_row(group &g)
{
    bench &b = g.b;
    const pipeline p = make_pipeline(g);
    const cub_room room = {b.bytes("cub-work", 64 * g.n + (1 << 20)), 64 * g.n + (1 << 20)};
    const double bytes = (double)(g.n * sizeof(uint32_t));
    g.in_stream = true; /* what goes through the host cannot be captured */
    g.reference = [p] { run_parscan(p, false); };
    g.all.push_back({"cub, through the host", [p, room](const void *, void *) { run_cub(p, room); },
                     bytes, BENCH_PEER, false, ""});
    g.all.push_back({"through the host", [p](const void *, void *) { run_parscan(p, false); },
                     bytes, BENCH_PARSCAN, true, ""});
    run_parscan(p, true); /* it takes the scratch */
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    MUST(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeRelaxed));
    run_parscan(p, true);
    MUST(cudaStreamEndCapture(b.stream, &graph));
    if (!b.failure.empty()) {
        fprintf(stderr, "bench_cuda: pipeline: %s\n", b.failure.c_str());
        return;
    }
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
