#include "scan/cpu/tiles.h"

/* A thread more pays for each piece of this size. */
#define BYTES_A_THREAD (256u << 10)

enum {
    TILES_A_THREAD = 16,   /* at least, so that all threads end at about the same time */
    L2_TILES = 4,          /* a tile is at most this part of the second-level cache */
    SLOTS_BYTES = 1 << 20, /* the most that slots take, for each thread */
    AHEAD_THREADS = 16     /* with more threads, the memory is busy without prefetches */
};

unsigned parscan_threads_for(const parscan_context *context, size_t bytes)
{
    if (bytes < THREADS_FROM_BYTES)
        return 1;
    const size_t most = bytes / BYTES_A_THREAD;
    return most < context->threads ? (unsigned)most : context->threads;
}

tile_plan parscan_plan_tiles(const parscan_context *context, size_t bytes, size_t slot_bytes)
{
    tile_plan plan = {.threads = parscan_threads_for(context, bytes), .tile_bytes = TILE_BYTES};
    plan.ahead = plan.threads <= AHEAD_THREADS;
    if (plan.threads == 1)
        return plan;
    const size_t most = context->l2_bytes / L2_TILES;
    size_t size = bytes / plan.threads / TILES_A_THREAD;
    size = size < most ? size : most;
    const size_t tiles = plan.threads * (SLOTS_BYTES / slot_bytes);
    size = size > bytes / tiles ? size : bytes / tiles + TILE_BYTES;
    if (size > TILE_BYTES)
        plan.tile_bytes = size / TILE_BYTES * TILE_BYTES;
    return plan;
}

/* A look takes some 20 ns or more. A tile is read at 2 bytes or more in a nanosecond. */
unsigned parscan_tile_patience(size_t tile_bytes)
{
    return 64 + (unsigned)(tile_bytes / 64);
}
