/*
 * The fast path of the CPU engine: one pass over memory, with tiles chained from core to core.
 * Compiled once for each element type (see scan/cpu/element.h).
 *
 * A tile fits a core's first-level cache. A core reduces the tile, which reads it from main memory
 * (most of it was prefetched while the core worked on the tile before). Then the core learns from
 * the chain what comes before the tile, and scans the tile from its cache to memory. So every
 * element is read and written once.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA, 2016. Here, with few cores, each core waits for its turn in the chain instead of looking
 * back.
 */
#include <omp.h>

#include "scan/call_element.h"
#include "scan/cpu/chain.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/cpu/tuning.h"
#include "scan/scan_element_cpu.h"

#define TILE (TILE_BYTES / sizeof(T))

typedef struct scan_pass {
    OPERATOR op;
    const tile_kernels *kernels;
    VIEW in, out;
    size_t n;
    bool exclusive, staged, stream;
    chain chain; /* begins with init, or the identity */
} scan_pass;

static size_t tile_length(const scan_pass *pass, size_t tile)
{
    return pass->n - tile * TILE < TILE ? pass->n - tile * TILE : TILE;
}

/* Where a tile lies in an array. */
static size_t tile_place(const scan_pass *pass, const VIEW *view, size_t tile)
{
    return view->reverse ? pass->n - tile * TILE - tile_length(pass, tile) : tile * TILE;
}

/* The elements of a tile for the kernels: in place, or gathered in a buffer. */
static const T *tile_in(const scan_pass *pass, size_t tile, T *buffer)
{
    if (!pass->staged)
        return (const T *)pass->in.data + tile_place(pass, &pass->in, tile);
    pass->kernels->gather(&pass->in, tile * TILE, tile_length(pass, tile), buffer);
    return buffer;
}

static T scan_tile(const scan_pass *pass, size_t tile, const T *in, T *buffer, T before,
                   const void *next)
{
    tile_scan work = {
        .in = in,
        .out = (T *)pass->out.data + tile_place(pass, &pass->out, tile),
        .n = tile_length(pass, tile),
        .before = before,
        .exclusive = pass->exclusive,
        .stream = pass->stream,
        .reverse = pass->out.reverse,
        .next = next,
    };
    if (!pass->out.reverse || !pass->staged)
        return pass->kernels->scan(pass->op, &work);
    work.out = buffer;
    work.stream = work.reverse = false;
    const T through = pass->kernels->scan(pass->op, &work);
    pass->kernels->scatter(&pass->out, tile * TILE, work.n, buffer, pass->stream);
    return through;
}

/* Where the input of a tile lies, for the kernels to prefetch. NULL where they cannot: if the tile
   is not whole, or if the input's elements are smaller than the type that the kernels assume. */
static const void *tile_memory(const scan_pass *pass, size_t tile)
{
    if ((tile + 1) * TILE > pass->n || pass->in.type != pass->out.type)
        return NULL;
    return (const T *)pass->in.data +
           (pass->in.reverse ? pass->n - (tile + 1) * TILE : tile * TILE);
}

/* in: from tile_in(). */
static T reduce_tile(const scan_pass *pass, const T *in, size_t n, const void *next)
{
    return pass->in.reverse && !pass->staged ? pass->kernels->reduce_reverse(pass->op, in, n, next)
                                             : pass->kernels->reduce(pass->op, in, n, next);
}

/* One core's part of a scan. */
static void scan_tiles(scan_pass *pass)
{
    alignas(64) T buffer[TILE];
    chain *const c = &pass->chain;
    const size_t tiles = pass->n / TILE + (pass->n % TILE != 0);
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    while (tile < tiles) {
        const void *const ahead = next < tiles ? tile_memory(pass, next) : NULL;
        const T *const in = tile_in(pass, tile, buffer);
        const T sum = reduce_tile(pass, in, tile_length(pass, tile), ahead);
        chain_wait(c, tile);
        const T before = c->before;
        c->before = combine(pass->op, before, sum);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        scan_tile(pass, tile, in, buffer, before, ahead);
        tile = next;
        next = claimed;
    }
    if (pass->stream)
        pass->kernels->fence();
}

/* The same on one core. It knows what comes before a tile without a reduction. */
static void scan_tiles_alone(scan_pass *pass)
{
    alignas(64) T buffer[TILE];
    T before = pass->chain.before;
    for (size_t tile = 0; tile * TILE < pass->n; tile++)
        before = scan_tile(pass, tile, tile_in(pass, tile, buffer), buffer, before, NULL);
    if (pass->stream)
        pass->kernels->fence();
}

static T reduce_range(const scan_pass *pass, size_t begin, size_t end)
{
    alignas(64) T buffer[TILE];
    if (!pass->staged && !pass->in.reverse)
        return pass->kernels->reduce(pass->op, (const T *)pass->in.data + begin, end - begin, NULL);
    T sum = identity(pass->op);
    for (; begin < end; begin += TILE) {
        const size_t n = end - begin < TILE ? end - begin : TILE;
        const T *in = (const T *)pass->in.data + (pass->n - begin - n);
        if (pass->staged) {
            pass->kernels->gather(&pass->in, begin, n, buffer);
            in = buffer;
        }
        sum = combine(pass->op, sum, reduce_tile(pass, in, n, NULL));
    }
    return sum;
}

/* Each core reduces a range. Then the sums are combined in the order of the ranges. */
static parscan_status reduce(const scan_pass *pass, parscan_context *context, unsigned threads,
                             T *result)
{
    void *scratch;
    const parscan_status status = parscan_scratch(context, threads * sizeof(T), &scratch);
    if (status != PARSCAN_OK)
        return status;
    T *const sums = scratch;
    const size_t range = pass->n / threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (unsigned k = 0; k < threads; k++)
        sums[k] = reduce_range(pass, k * range, k + 1 == threads ? pass->n : (k + 1) * range);
    *result = pass->chain.before;
    for (unsigned k = 0; k < threads; k++)
        *result = combine(pass->op, *result, sums[k]);
    return PARSCAN_OK;
}

static void scan(scan_pass *pass, const parscan_scan_call *call, const T *init, unsigned threads)
{
    /* The exact bits of the first result: combining a NaN with the identity would quiet it. */
    const T first = pass->exclusive ? start_value(call->op, init) : load(&pass->in, 0);
    if (threads == 1) {
        scan_tiles_alone(pass);
    } else {
#pragma omp parallel num_threads(threads)
        scan_tiles(pass);
    }
    if (pass->exclusive || init == NULL)
        store(&pass->out, 0, first);
}

parscan_status NAMED(parscan_single_pass_cpu)(const parscan_scan_call *call)
{
    if (call->n < SEQUENTIAL_BELOW)
        return NAMED(parscan_sequential_cpu)(call);
    T init;
    const T *const start = init_of(call, &init);
    const VIEW in = input_of(call), out = output_of(call);
    const size_t bytes = call->n * sizeof(T);
    scan_pass pass = {
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(call->context->isa),
        .in = in,
        .out = out,
        .n = call->n,
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .staged = in.type != out.type,
        /* Streaming stores need elements that are aligned to their size. */
        .stream = bytes >= STREAM_FROM_BYTES && (uintptr_t)out.data % sizeof(T) == 0,
    };
    chain_begin(&pass.chain, start != NULL ? *start : identity(call->op));
    const unsigned threads = bytes >= THREADS_FROM_BYTES ? call->threads : 1;
    if (call->kind != PARSCAN_KIND_REDUCE) {
        scan(&pass, call, start, threads);
        return PARSCAN_OK;
    }
    T result;
    const parscan_status status = reduce(&pass, call->context, threads, &result);
    if (status == PARSCAN_OK)
        store_result(call, result);
    return status;
}
