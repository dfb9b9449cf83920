/*
 * Differences on the CPU: one read and one write of each element, tile by tile. A tile needs one element
 * of its neighbour. In place, on several threads, another thread may have overwritten that one: then the
 * neighbours of all tiles are copied first.
 */
#include <string.h>

#include "apps/difference/difference_call.h"
#include "apps/difference/difference_kernels.h"
#include "scan/context/float_mode.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"
#include "scan/type_traits.h"

enum { ELEMENT_ROOM = 16 };

typedef struct difference_pass {
    const difference_call *call;
    difference_kernel *kernel;
    size_t size, tile, tiles; /* bytes of an element; elements of a tile */
    bool stream;
    char *copied; /* the neighbours of the tiles; NULL: they are read in place */
    unsigned char start[ELEMENT_ROOM]; /* init, or 0 */
} difference_pass;

static difference_kernel *kernel_of(const difference_call *call)
{
    switch ((int)parscan_compute_type(call->type)) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return parscan_difference_kernel_##name(call->context->isa);
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    default:
        return NULL;
    }
}

/* The element that the first difference of a tile needs, in reverse the last. */
static const void *neighbour_of(const difference_pass *pass, size_t tile)
{
    const bool reverse = pass->call->reverse;
    if (reverse ? tile + 1 == pass->tiles : tile == 0)
        return pass->start;
    const size_t at = reverse ? (tile + 1) * pass->tile : tile * pass->tile - 1;
    return (const char *)pass->call->in + at * pass->size;
}

static void run_tile(void *state, size_t tile, unsigned worker)
{
    (void)worker;
    const difference_pass *const pass = state;
    const difference_call *const call = pass->call;
    const size_t begin = tile * pass->tile, left = call->n - begin;
    pass->kernel(&(difference_tile){
        .type = call->type,
        .op = call->op,
        .in = (const char *)call->in + begin * pass->size,
        .out = (char *)call->out + begin * pass->size,
        .n = left < pass->tile ? left : pass->tile,
        .neighbour =
            pass->copied != NULL ? pass->copied + tile * pass->size : neighbour_of(pass, tile),
        .reverse = call->reverse,
        .stream = pass->stream,
    });
}

/* Without an init the first element, in reverse the last, is copied: subtracting 0 would quiet a NaN. */
static void run_pass(difference_pass *pass, unsigned threads)
{
    const difference_call *const call = pass->call;
    const size_t first = (call->reverse ? call->n - 1 : 0) * pass->size;
    unsigned char bytes[ELEMENT_ROOM];
    memcpy(bytes, (const char *)call->in + first, pass->size);
    if (call->init != NULL)
        memcpy(pass->start, call->init, pass->size);
    for (size_t tile = 0; pass->copied != NULL && tile < pass->tiles; tile++)
        memcpy(pass->copied + tile * pass->size, neighbour_of(pass, tile), pass->size);
    parscan_team_for(call->context, threads, pass->tiles, 1, run_tile, pass);
    if (call->init == NULL)
        memcpy((char *)call->out + first, bytes, pass->size);
}

parscan_status parscan_difference_cpu(const difference_call *call)
{
    const size_t size = parscan_type_size(call->type);
    const tile_demand demand = {.bytes = call->n * size, .slot_bytes = size};
    const tile_plan plan = parscan_plan_tiles(call->context, &demand);
    if (call->context->measures)
        return PARSCAN_OK;
    const size_t tile = plan.threads == 1 ? call->n : plan.tile_bytes / size;
    difference_pass pass = {
        .call = call,
        .kernel = kernel_of(call),
        .size = size,
        .tile = tile,
        .tiles = (call->n - 1) / tile + 1,
        /* Streaming stores need elements that are aligned to their size. */
        .stream = call->in != call->out && call->n >= STREAM_FROM_BYTES / size &&
                  (uintptr_t)call->out % size == 0,
        .copied = plan.threads > 1 && call->in == call->out ? plan.slots : NULL,
    };
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    run_pass(&pass, plan.threads);
    parscan_float_end(before);
    return PARSCAN_OK;
}
