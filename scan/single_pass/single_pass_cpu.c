/*
 * The fast path of the CPU engine: one pass over memory, tiles chained from core to core. Compiled
 * once an element type (see scan/cpu/element.h).
 *
 * A core takes a tile that fits its first-level cache: it reduces it, which reads it from main
 * memory (most of it was prefetched while the tile before was at work), learns from the chain what
 * comes before it, and scans it from cache to memory. So every element is read and written once.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA, 2016, in spirit: with few cores, a chain of turns takes the place of the look-back.
 */
#include <omp.h>

#include "scan/call_element.h"
#include "scan/cpu/chain.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/cpu/tuning.h"
#include "scan/scan_element_cpu.h"

#define TILE (TILE_BYTES / sizeof(T))

typedef struct scan_job {
    OPERATOR op;
    const tile_kernels *kernels;
    VIEW in, out;
    size_t n;
    bool exclusive, staged, stream;
    chain chain; /* its first `before` is init */
} scan_job;

static size_t tile_length(const scan_job *job, size_t tile)
{
    return job->n - tile * TILE < TILE ? job->n - tile * TILE : TILE;
}

/* The elements of a tile as the kernels want them: in place, or gathered in a buffer. */
static const T *tile_in(const scan_job *job, size_t tile, T *buffer)
{
    if (!job->staged)
        return (const T *)job->in.data + tile * TILE;
    job->kernels->gather(&job->in, tile * TILE, tile_length(job, tile), buffer);
    return buffer;
}

static T scan_tile(const scan_job *job, size_t tile, const T *in, T *buffer, T before,
                   const void *next)
{
    tile_scan work = {
        .in = in,
        .out = (T *)job->out.data + tile * TILE,
        .n = tile_length(job, tile),
        .before = before,
        .exclusive = job->exclusive,
        .stream = job->stream,
        .next = next,
    };
    if (!job->out.reverse)
        return job->kernels->scan(job->op, &work);
    work.out = buffer;
    work.stream = false;
    const T through = job->kernels->scan(job->op, &work);
    job->kernels->scatter(&job->out, tile * TILE, work.n, buffer, job->stream);
    return through;
}

/* Where the input of a tile lies, for the kernels to prefetch; NULL where they cannot: beyond the
   end, and where the input's elements are smaller than the kernels think. */
static const void *tile_memory(const scan_job *job, size_t tile)
{
    if ((tile + 1) * TILE > job->n || job->in.type != job->out.type)
        return NULL;
    return (const T *)job->in.data + (job->in.reverse ? job->n - (tile + 1) * TILE : tile * TILE);
}

/* One core's share of a scan. */
static void scan_tiles(scan_job *job)
{
    alignas(64) T buffer[TILE];
    chain *const c = &job->chain;
    const size_t tiles = job->n / TILE + (job->n % TILE != 0);
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    while (tile < tiles) {
        const void *const ahead = next < tiles ? tile_memory(job, next) : NULL;
        const T *const in = tile_in(job, tile, buffer);
        const T sum = job->kernels->reduce(job->op, in, tile_length(job, tile), ahead);
        chain_wait(c, tile);
        const T before = c->before;
        c->before = combine(job->op, before, sum);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        scan_tile(job, tile, in, buffer, before, ahead);
        tile = next;
        next = claimed;
    }
    if (job->stream)
        job->kernels->fence();
}

/* The same on one core, which needs no reduction to know what comes before a tile. */
static void scan_tiles_alone(scan_job *job)
{
    alignas(64) T buffer[TILE];
    T before = job->chain.before;
    for (size_t tile = 0; tile * TILE < job->n; tile++)
        before = scan_tile(job, tile, tile_in(job, tile, buffer), buffer, before, NULL);
    if (job->stream)
        job->kernels->fence();
}

static T reduce_range(const scan_job *job, size_t begin, size_t end)
{
    alignas(64) T buffer[TILE];
    if (!job->staged)
        return job->kernels->reduce(job->op, (const T *)job->in.data + begin, end - begin, NULL);
    T sum = identity(job->op);
    for (; begin < end; begin += TILE) {
        const size_t n = end - begin < TILE ? end - begin : TILE;
        job->kernels->gather(&job->in, begin, n, buffer);
        sum = combine(job->op, sum, job->kernels->reduce(job->op, buffer, n, NULL));
    }
    return sum;
}

/* Each core reduces a range; the sums are combined in the order of the ranges. */
static parscan_status reduce(const scan_job *job, parscan_context *context, unsigned threads,
                             T *result)
{
    void *scratch;
    const parscan_status status = parscan_scratch(context, threads * sizeof(T), &scratch);
    if (status != PARSCAN_OK)
        return status;
    T *const sums = scratch;
    const size_t range = job->n / threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (unsigned k = 0; k < threads; k++)
        sums[k] = reduce_range(job, k * range, k + 1 == threads ? job->n : (k + 1) * range);
    *result = job->chain.before;
    for (unsigned k = 0; k < threads; k++)
        *result = combine(job->op, *result, sums[k]);
    return PARSCAN_OK;
}

static void scan(scan_job *job, const parscan_scan_call *call, const T *init, unsigned threads)
{
    /* To the bit, even where combining it with the identity would quiet a NaN. */
    const T first = job->exclusive ? start_value(call->op, init) : load(&job->in, 0);
    if (threads == 1) {
        scan_tiles_alone(job);
    } else {
#pragma omp parallel num_threads(threads)
        scan_tiles(job);
    }
    if (job->exclusive || init == NULL)
        store(&job->out, 0, first);
}

parscan_status NAMED(parscan_single_pass_cpu)(const parscan_scan_call *call)
{
    if (call->n < SEQUENTIAL_BELOW)
        return NAMED(parscan_sequential_cpu)(call);
    T init;
    const T *const start = init_of(call, &init);
    const VIEW in = input_of(call), out = output_of(call);
    const size_t bytes = call->n * sizeof(T);
    scan_job job = {
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(call->context->isa),
        .in = in,
        .out = out,
        .n = call->n,
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .staged = in.reverse || in.type != out.type,
        /* Streams need whole elements up to an aligned address. */
        .stream = bytes >= STREAM_FROM_BYTES && (uintptr_t)out.data % sizeof(T) == 0,
    };
    chain_begin(&job.chain, start != NULL ? *start : identity(call->op));
    const unsigned threads = bytes >= THREADS_FROM_BYTES ? call->threads : 1;
    if (call->kind != PARSCAN_KIND_REDUCE) {
        scan(&job, call, start, threads);
        return PARSCAN_OK;
    }
    T result;
    const parscan_status status = reduce(&job, call->context, threads, &result);
    if (status == PARSCAN_OK)
        store_result(call, result);
    return status;
}
