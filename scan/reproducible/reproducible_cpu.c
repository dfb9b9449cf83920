/*
 * The reproducible scan of the CPU engine: evaluates the tree of tree.h in one pass, its tiles
 * chained from core to core as in the single pass. Compiled once an element type.
 *
 * Integers, whose sums do not depend on how they are grouped, go to the single pass.
 */
#include "scan/call_element.h"
#include "scan/scan_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "scan/single_pass/chain.h"
#include "scan/single_pass/tile_kernels.h"
#include "scan/single_pass/tuning.h"

#include "scan/block/kogge_stone.h"
#include "scan/reproducible/tree.h"

typedef struct tree_job {
    OPERATOR op;
    const tile_kernels *kernels;
    VIEW in, out;
    bool exclusive, reduce, stream;
    T init; /* the identity if there is none */
    chain chain;
    tile_tree tree;
} tree_job;

/* What a core works in: one tile's elements, results and the sums of its rows. */
typedef struct tile_work {
    alignas(64) T elements[TREE_TILE];
    alignas(64) T results[TREE_TILE];
    T row_sums[2][PADDED(TILE_ROWS)];
    T before[TILE_ROWS];
} tile_work;

/* What comes before each row, and the results of a tile that `tiles_before` comes before. */
static void finish_tile(const tree_job *job, tile_work *work, const T *in, const T *rows,
                        size_t begin, size_t n, T tiles_before)
{
    for (unsigned r = 0; r < TILE_ROWS && r * ROW < n; r++)
        work->before[r] = r == 0 ? tiles_before : combine(job->op, tiles_before, rows[AT(r - 1)]);
    job->kernels->scan_rows(job->op, in, n, work->before, work->results, job->exclusive);
    job->kernels->scatter(&job->out, begin, n, work->results, job->stream);
}

/* One core's share: the tiles that it claims, until there are no more. */
static void take_tiles(tree_job *job)
{
    tile_work work;
    const bool staged = job->in.reverse || job->in.type != PARSCAN_ELEMENT_TYPE;
    const size_t length = job->in.n, tiles = length / TREE_TILE + (length % TREE_TILE != 0);
    for (size_t tile; (tile = chain_claim(&job->chain)) < tiles;) {
        const size_t begin = tile * TREE_TILE;
        const size_t n = length - begin < TREE_TILE ? length - begin : TREE_TILE;
        const unsigned rows = (unsigned)((n + ROW - 1) / ROW);
        const T *in = work.elements;
        if (staged)
            job->kernels->gather(&job->in, begin, n, work.elements);
        else
            in = (const T *)job->in.data + begin;
        job->kernels->row_sums(job->op, in, n, work.row_sums[0]);
        const T *const scanned =
            kogge_stone(job->op, TILE_ROWS, work.row_sums[0], work.row_sums[1], rows);
        chain_wait(&job->chain, tile);
        const T before = tile_tree_sum(job->op, &job->tree, job->init);
        tile_tree_add(job->op, &job->tree, scanned[AT(rows - 1)]);
        chain_pass(&job->chain, tile);
        if (!job->reduce)
            finish_tile(job, &work, in, scanned, begin, n, before);
    }
    job->kernels->fence();
}

parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call)
{
    T init;
    const T *const start = init_of(call, &init);
    const size_t bytes = call->n * sizeof(T);
    tree_job job = {
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(call->context->isa),
        .in = input_of(call),
        .out = output_of(call),
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduce = call->kind == PARSCAN_KIND_REDUCE,
        .stream = bytes >= STREAM_FROM_BYTES && (uintptr_t)call->out % sizeof(T) == 0,
        .init = start != NULL ? *start : identity(call->op),
    };
    /* To the bit, even where combining it with the identity would quiet a NaN. */
    const T first = job.exclusive || call->n == 0 ? start_value(call->op, start) : load(&job.in, 0);
    const unsigned threads = bytes >= THREADS_FROM_BYTES ? call->threads : 1;
    chain_begin(&job.chain);
#pragma omp parallel num_threads(threads) if (threads > 1)
    take_tiles(&job);
    if (job.reduce)
        store_result(call, call->n == 0 ? first : tile_tree_sum(job.op, &job.tree, job.init));
    else if (job.exclusive || start == NULL)
        store(&job.out, 0, first);
    return PARSCAN_OK;
}

#else

parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call)
{
    return NAMED(parscan_single_pass_cpu)(call);
}

#endif
