#include "scan/cpu/tiles.h"

/* A thread more pays for each piece of this size; beyond FEW_THREADS threads, of the second size. */
#define BYTES_A_THREAD (256u << 10)
#define BYTES_OF_MANY (512u << 10)

enum {
    FEW_THREADS = 16,
    TILES_A_THREAD = 4,     /* if that leaves tiles large enough */
    L2_TILES = 4,           /* a tile is at most this part of the second-level cache, */
    L2_TILES_OF_MANY = 8,   /* and of many threads this part: they often share that cache by two */
    MOST_BYTES = 512 << 10, /* of a tile, where slots do not take too much memory then */
    SLOTS_BYTES = 1 << 20,  /* the most that slots take, for each thread */
    /* With more threads, the memory is busy without prefetches, and tiles that are claimed early hold
       up the others. */
    AHEAD_THREADS = 4
};

unsigned parscan_threads_for(const parscan_context *context, size_t bytes)
{
    if (bytes < THREADS_FROM_BYTES)
        return 1;
    size_t most = bytes / BYTES_A_THREAD;
    if (most > FEW_THREADS)
        most = bytes / BYTES_OF_MANY > FEW_THREADS ? bytes / BYTES_OF_MANY : FEW_THREADS;
    return most < context->threads ? (unsigned)most : context->threads;
}

static size_t tile_size(const parscan_context *context, const tile_demand *demand, unsigned threads)
{
    const size_t share =
        context->l2_bytes / (threads <= AHEAD_THREADS ? L2_TILES : L2_TILES_OF_MANY);
    const size_t most = share < MOST_BYTES ? share : MOST_BYTES;
    size_t size = demand->bytes / threads / TILES_A_THREAD;
    size = size < most ? size : most;
    if (demand->slot_bytes > 0) {
        const size_t tiles = threads * (SLOTS_BYTES / demand->slot_bytes);
        size = size > demand->bytes / tiles ? size : demand->bytes / tiles + TILE_BYTES;
    }
    return size > TILE_BYTES ? size / TILE_BYTES * TILE_BYTES : TILE_BYTES;
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* A pass divided among so many threads, without its memory. */
static tile_plan divided(const parscan_context *context, const tile_demand *demand,
                         unsigned threads)
{
    tile_plan plan = {.threads = threads, .tile_bytes = TILE_BYTES, .ahead = true};
    if (threads == 1)
        return plan;
    plan.ahead = threads <= AHEAD_THREADS;
    plan.tile_bytes = tile_size(context, demand, threads);
    plan.work_bytes = whole_lines(plan.tile_bytes / 8 * demand->work_eighths + demand->work_bytes);
    /* One more for a tile that is not whole, one for tiles that start early. */
    plan.slots_bytes = whole_lines((demand->bytes / plan.tile_bytes + 2) * demand->slot_bytes);
    return plan;
}

/* A pass that is to be divided. */
typedef struct tile_pass {
    const parscan_context *context;
    const tile_demand *demand;
} tile_pass;

static size_t tile_memory_need(const void *call, unsigned threads)
{
    const tile_pass *const pass = call;
    const tile_plan plan = divided(pass->context, pass->demand, threads);
    return plan.slots_bytes + threads * plan.work_bytes;
}

tile_plan parscan_plan_tiles(parscan_context *context, const tile_demand *demand)
{
    const tile_pass pass = {context, demand};
    unsigned threads = parscan_threads_for(context, demand->bytes);
    char *const memory = parscan_tile_memory(context, &threads, tile_memory_need, &pass);
    tile_plan plan = divided(context, demand, threads);
    if (threads > 1) {
        plan.slots = memory;
        plan.work = memory + plan.slots_bytes;
    }
    return plan;
}

/* A look takes some 20 ns or more. A tile is read at 2 bytes or more in a nanosecond. */
unsigned parscan_tile_patience(size_t tile_bytes)
{
    return 64 + (unsigned)(tile_bytes / 64);
}
