/*
 * The reproducible scan of the CPU engine. It evaluates the tree of tree.h in one pass; its tiles
 * are chained from core to core as in the single pass. Compiled once for each element type.
 *
 * Integer sums do not depend on the grouping, so integers use the single pass.
 */
#include "scan/call_element.h"
#include "scan/scan_element_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include <omp.h>

#include "scan/cpu/chain.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/cpu/tuning.h"

#include "scan/block/block.h"
#include "scan/reproducible/row_kernels.h"
#include "scan/reproducible/tree.h"

typedef struct tree_pass {
    OPERATOR op;
    const tile_kernels *kernels;
    const row_kernels *rows;
    VIEW in, out;
    bool exclusive, reduce, stream;
    T init; /* the identity if there is none */
    chain chain;
    TILE_TREE tree;
} tree_pass;

/* The buffers of one core: the elements of a tile, its results and the sums of its rows. */
typedef struct tile_work {
    alignas(64) T elements[TREE_TILE];
    alignas(64) T results[TREE_TILE];
    alignas(64) T rows[ROW_WORK];
} tile_work;

/* One core's part of the scan. */
static void take_tiles(tree_pass *pass)
{
    tile_work work;
    const tile_kernels *const kernels = pass->kernels;
    const bool staged = pass->in.reverse || pass->in.type != PARSCAN_ELEMENT_TYPE;
    const size_t length = pass->in.n, tiles = length / TREE_TILE + (length % TREE_TILE != 0);
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    while (tile < tiles) {
        const size_t begin = tile * TREE_TILE;
        const size_t n = length - begin < TREE_TILE ? length - begin : TREE_TILE;
        const T *in = work.elements;
        if (staged)
            kernels->gather(&pass->in, begin, n, work.elements);
        else
            in = (const T *)pass->in.data + begin;
        const void *const ahead =
            staged || next + 1 >= tiles ? NULL : (const T *)pass->in.data + next * TREE_TILE;
        const T *const rows =
            pass->rows->scan_rows(pass->op, in, n, work.results, work.rows, ahead);
        chain_wait(&pass->chain, tile);
        const T before = tile_tree_sum(pass->op, &pass->tree, pass->init, identity(pass->op));
        tile_tree_add(pass->op, &pass->tree, rows[PADDED_INDEX((n - 1) / ROW)]);
        const size_t claimed = chain_claim(&pass->chain, team);
        chain_pass(&pass->chain, tile);
        if (!pass->reduce) {
            pass->rows->add_rows(pass->op, work.results, n, rows, before, pass->exclusive);
            kernels->scatter(&pass->out, begin, n, work.results, pass->stream);
        }
        tile = next;
        next = claimed;
    }
    if (pass->stream)
        kernels->fence();
}

parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call)
{
    T init;
    const T *const start = init_of(call, &init);
    const size_t bytes = call->n * sizeof(T);
    tree_pass pass = {
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(call->context->isa),
        .rows =
            PARSCAN_BY_ISA(call->context->isa, &NAMED(parscan_row_kernels_portable),
                           &NAMED(parscan_row_kernels_avx2), &NAMED(parscan_row_kernels_avx512)),
        .in = input_of(call),
        .out = output_of(call),
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .reduce = call->kind == PARSCAN_KIND_REDUCE,
        .stream = bytes >= STREAM_FROM_BYTES && (uintptr_t)call->out % sizeof(T) == 0,
        .init = start != NULL ? *start : identity(call->op),
    };
    /* The exact bits of the first result: combining a NaN with the identity would quiet it. */
    const T first =
        pass.exclusive || call->n == 0 ? start_value(call->op, start) : load(&pass.in, 0);
    const unsigned threads = bytes >= THREADS_FROM_BYTES ? call->threads : 1;
    chain_begin(&pass.chain, pass.init);
#pragma omp parallel num_threads(threads) if (threads > 1)
    take_tiles(&pass);
    if (pass.reduce)
        store_result(call, call->n == 0
                               ? first
                               : tile_tree_sum(pass.op, &pass.tree, pass.init, identity(pass.op)));
    else if (pass.exclusive || start == NULL)
        store(&pass.out, 0, first);
    return PARSCAN_OK;
}

#else

parscan_status NAMED(parscan_reproducible_cpu)(const parscan_scan_call *call)
{
    return NAMED(parscan_single_pass_cpu)(call);
}

#endif
