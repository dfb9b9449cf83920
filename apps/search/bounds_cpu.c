/*
 * Search for bounds on the CPU. Threads take tiles of needles. What they look up before the keys
 * themselves is made once, where there are many needles: a sample of the keys, which the caches hold;
 * or, of types with few values, the bound of every value.
 */
#include "apps/search/bounds_call.h"
#include "apps/search/bounds_kernels.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    MOST_BLOCKS = 1 << 16, /* of a sample: 512 KiB of the widest keys */
    LEAST_BLOCKS = 64,
    NEEDLES_A_BLOCK = 8, /* a sample for fewer needles does not pay, */
    KEYS_A_BLOCK = 64,   /* nor one of keys that the caches hold anyway */
    NEEDLES_A_VALUE = 4, /* of a table of all values */
    SHARES = 8,          /* of tiles, for each thread, */
    TILES_AT_ONCE = 32,  /* of no more: in all but its first one a walk knows where it begins */
    NEEDLE_BYTES = 32    /* a needle takes as long as a scan of so many bytes, or longer */
};

static const bounds_kernels *kernels_of(key_class key)
{
    switch (key) {
#define X(ctx, NAME, bits, name, ...) \
    case KEY_##NAME:                  \
        return &BOUNDS_KERNELS_OF(name);
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
        return NULL;
    }
}

/* A power of two, or 0: no sample. */
static size_t blocks_of(const bounds_call *call)
{
    const size_t of_needles = call->n / NEEDLES_A_BLOCK, of_keys = call->count / KEYS_A_BLOCK;
    const size_t most = of_needles < of_keys ? of_needles : of_keys;
    size_t blocks = MOST_BLOCKS;
    while (blocks > most)
        blocks /= 2;
    return blocks >= LEAST_BLOCKS ? blocks : 0;
}

/* The number of values of the type, if a table of them pays; else 0. */
static size_t values_of(const bounds_call *call)
{
    const size_t size = parscan_type_size(call->type);
    const size_t values = size <= 2 ? (size_t)1 << 8 * size : 0;
    return call->n / NEEDLES_A_VALUE >= values ? values : 0;
}

typedef struct bounds_pass {
    const bounds_kernels *kernels;
    bounds_search search;
    size_t tiles, at_once; /* at_once: tiles that one thread takes, one after another */
} bounds_pass;

static void next_tiles(void *state, size_t number, unsigned worker)
{
    const bounds_pass *const pass = state;
    const size_t first = number * pass->at_once, left = pass->tiles - first;
    (void)worker;
    pass->kernels->tiles(&pass->search, first, first + size_min(left, pass->at_once));
}

static void run_pass(parscan_context *context, bounds_pass *pass)
{
    const size_t n = pass->search.n, bytes = size_min(n, SIZE_MAX / NEEDLE_BYTES) * NEEDLE_BYTES;
    const unsigned threads = parscan_threads_for(context, bytes);
    pass->tiles = n / BOUNDS_TILE + (n % BOUNDS_TILE != 0);
    pass->at_once = size_max(1, size_min(pass->tiles / (threads * SHARES), TILES_AT_ONCE));
    const size_t parts = pass->tiles / pass->at_once + (pass->tiles % pass->at_once != 0);
    parscan_team_for(context, threads, parts, 1, next_tiles, pass);
}

/* The bounds of all values, by a search of their ranks. */
static void fill_table(parscan_context *context, const bounds_pass *pass, size_t values,
                       uint64_t *table)
{
    bounds_pass of_table = *pass;
    of_table.search.values = NULL;
    of_table.search.n = values;
    of_table.search.out = (char *)table;
    of_table.search.wide = true;
    run_pass(context, &of_table);
}

parscan_status parscan_bounds_cpu(const bounds_call *call)
{
    parscan_context *const context = call->context;
    const size_t values = values_of(call), blocks = values > 0 ? 0 : blocks_of(call);
    const size_t size = parscan_type_size(call->type);
    void *scratch = NULL;
    const parscan_status status =
        values + blocks == 0
            ? PARSCAN_OK
            : parscan_scratch(context, values * sizeof(uint64_t) + blocks * size, &scratch);
    if (status != PARSCAN_OK || context->measures)
        return status;
    bounds_pass pass = {
        .kernels = kernels_of(parscan_type_traits_of(call->type).key),
        .search = {.order = parscan_key_order(call->type, false, 0, 8 * (unsigned)size),
                   .places = parscan_place_kernels(size, context->isa),
                   .sorted = call->sorted,
                   .count = call->count,
                   .values = call->values,
                   .n = call->n,
                   .out = call->out,
                   .upper = call->upper,
                   .wide = parscan_type_size(call->index_type) == 8},
    };
    if (values > 0) {
        fill_table(context, &pass, values, scratch);
        pass.search.table = scratch;
    } else if (blocks > 0 && !pass.kernels->in_order(&pass.search, 0)) {
        pass.search.samples = blocks - 1;
        pass.search.stride = (call->count + blocks - 1) / blocks;
        pass.kernels->take_sample(&pass.search, scratch);
        pass.search.sample = scratch;
    }
    run_pass(context, &pass);
    return PARSCAN_OK;
}
