/*
 * Stream compaction on the CPU: one pass over memory; a look-back tells each tile what comes before
 * it.
 *
 * Compaction is flags -> exclusive scan -> scatter. A thread takes a tile, finds which elements are
 * kept (the flags, as bits) and packs them into a buffer. The scan is over the numbers of kept
 * elements: the look-back (scan/cpu/look_back.h) tells where the tile's elements go. The thread
 * writes its buffer there in whole lines. So every element is read once, and every kept element is
 * written once.
 *
 * This is safe in place. A tile's elements are written at or before the tile's own place, and a
 * thread publishes a tile only after it has read and packed all of it. So when a tile is written,
 * all elements that it overwrites have been read. A tile of another thread can no longer be read
 * then; so in place, nobody reduces a late tile of another thread.
 *
 * A second array (compact_pass.beside) is packed by the same bits to a buffer of its own, at the same time.
 *
 * For runs, the element before a tile tells whether a run continues in the tile. It may have been
 * overwritten by then, so the prefix carries it.
 *
 * Source: M. Billeter, O. Olsson, U. Assarsson, Efficient Stream Compaction on Wide SIMD Many-core
 * Architectures, HPG 2009; D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled
 * Look-back, NVIDIA, 2016, for the single pass.
 */
#include "apps/compact/compact_tile_cpu.h"
#include "scan/tables.h"

#define SUMMARY compact_summary
#define PREFIX compact_before
#include "scan/cpu/look_back.h"

/* Bytes of input from which on results bypass the caches, since they would not fit. */
#define COMPACT_STREAM_FROM_BYTES (4u << 20)

enum { LINE = 64 };

const compact_element *parscan_compact_element(parscan_type type)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...)                              \
    case PARSCAN_##NAME: {                                           \
        extern const compact_element parscan_compact_element_##name; \
        return &parscan_compact_element_##name;                      \
    }
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

extern const place_kernels parscan_place_kernels_portable, parscan_place_kernels_avx2,
    parscan_place_kernels_avx512;

const place_kernels *parscan_place_kernels(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_place_kernels_portable, &parscan_place_kernels_avx2,
                          &parscan_place_kernels_avx512);
}

void parscan_compact_elements(compact_pass *pass, parscan_type type, const void *in)
{
    const compact_element *const element = parscan_compact_element(type);
    pass->in = pass->tested = in;
    pass->size = pass->tested_size = element->size;
    pass->test = pass->move = element->kernels_of(pass->context->isa);
}

/* The bytes of an element of the widest array. */
static size_t widest(const compact_pass *pass)
{
    const size_t size = pass->size > pass->tested_size ? pass->size : pass->tested_size;
    return pass->beside.size > size ? pass->beside.size : size;
}

size_t parscan_compact_tile_elements(const compact_pass *pass)
{
    const size_t words = pass->tile_bytes / widest(pass) / KEEP_BITS;
    return words > 0 ? words * KEEP_BITS : KEEP_BITS;
}

/* The pass on several threads. */
typedef struct compact_team {
    const compact_pass *pass;
    tile_plan plan;
    /* A thread has a buffer and twice the bits of a tile, and then the buffer of the second array. */
    size_t buffer_bytes, keep_bytes;
    look_back look_back;
} compact_team;

static compact_summary summarise_tile(const void *state, void *work, size_t number)
{
    const compact_pass *const pass = state;
    uint64_t *const keep = work;
    compact_tile tile = parscan_compact_tile_at(pass, number, keep);
    tile.kept = parscan_compact_find(pass, &tile, keep, (compact_ahead){NULL, 0});
    return parscan_compact_summary(pass, &tile);
}

static const tile_functions counts = {.add = parscan_compact_add, .summarise = summarise_tile};
static const tile_functions counts_in_place = {.add = parscan_compact_add, .summarise = NULL};

/* The work of one thread. */
static void compact_tiles(void *state, size_t part)
{
    compact_team *const team = state;
    const compact_pass *const pass = team->pass;
    look_back *const l = &team->look_back;
    char *const buffer = team->plan.work + part * team->plan.work_bytes;
    uint64_t *const keep = (uint64_t *)(buffer + team->buffer_bytes);
    char *const second = buffer + team->buffer_bytes + team->keep_bytes;
    const tile_buffers buffers = {buffer, second + team->keep_bytes};
    const tile_functions *const functions =
        parscan_compact_is_in_place(pass) ? &counts_in_place : &counts;
    compact_tile last = {0};
    size_t number = look_back_claim(l);
    while (number < l->tiles) {
        const size_t next = look_back_early(l);
        compact_tile tile = parscan_compact_tile_at(pass, number, keep);
        const read_ahead ahead = parscan_compact_ahead_of(pass, next, last.n > 0 ? &last : NULL);
        const compact_summary summary =
            parscan_compact_take_tile(pass, &tile, keep, &buffers, &ahead);
        look_back_publish(l, number, &summary);
        const compact_before before = look_back_prefix(l, number, functions, pass, second);
        const compact_before through = parscan_compact_add(pass, &before, &summary);
        look_back_pass(l, number, &through);
        last = tile;
        parscan_compact_put_tile(pass, &tile, &summary, &before, keep, &buffers, &ahead);
        number = look_back_next(l, next);
    }
    if (pass->stream)
        pass->kernels->fence();
}

/* The same on one thread. beside: room for a tile of the second array. */
static compact_before compact_tiles_in(const compact_pass *pass, char *beside)
{
    alignas(64) char buffer[COMPACT_TILE_BYTES + COMPACT_SLACK];
    const tile_buffers buffers = {buffer, beside};
    uint64_t keep[COMPACT_TILE_BYTES / KEEP_BITS];
    compact_before before = {0};
    compact_tile last = {0};
    for (size_t number = 0; number < parscan_compact_tiles(pass); number++) {
        compact_tile tile = parscan_compact_tile_at(pass, number, keep);
        const read_ahead ahead =
            parscan_compact_ahead_of(pass, number + 1, last.n > 0 ? &last : NULL);
        const compact_summary summary =
            parscan_compact_take_tile(pass, &tile, keep, &buffers, &ahead);
        last = tile;
        parscan_compact_put_tile(pass, &tile, &summary, &before, keep, &buffers, &ahead);
        before = parscan_compact_add(pass, &before, &summary);
    }
    if (pass->stream)
        pass->kernels->fence();
    return before;
}

static __attribute__((noinline)) compact_before compact_two_alone(const compact_pass *pass)
{
    alignas(64) char beside[COMPACT_TILE_BYTES + COMPACT_SLACK];
    return compact_tiles_in(pass, beside);
}

static compact_before compact_tiles_alone(const compact_pass *pass)
{
    char none;
    return pass->beside.out != NULL ? compact_two_alone(pass) : compact_tiles_in(pass, &none);
}

static size_t round_up(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static compact_before compact_in_parallel(const compact_pass *pass, const tile_plan *plan)
{
    compact_team team = {.pass = pass, .plan = *plan};
    team.buffer_bytes = round_up(pass->tile_bytes + COMPACT_SLACK);
    team.keep_bytes = round_up(pass->tile / KEEP_BITS * sizeof(uint64_t));
    look_back_begin(&team.look_back, plan, parscan_compact_tiles(pass), pass->tile_bytes,
                    (compact_before){0}, parscan_compact_is_in_place(pass));
    parscan_team_run(pass->context, plan->threads, compact_tiles, &team);
    return look_back_end(&team.look_back);
}

/* Sets the tiles of the pass. A tile and its buffer share the caches, so a tile is half as large as
   those of other passes; whole words of bits may make it half of that. */
static tile_plan plan_compact_tiles(compact_pass *pass)
{
    const bool two = pass->beside.out != NULL;
    const tile_demand demand = {
        .bytes = pass->n * widest(pass),
        .slot_bytes = 4 * sizeof(tile_slot),
        .work_eighths = two ? 9 : 5,
        .work_bytes = (two ? 2 : 1) * (COMPACT_SLACK + 4 * LINE),
    };
    tile_plan plan = parscan_plan_tiles(pass->context, &demand);
    pass->tile_bytes = plan.tile_bytes / 2;
    pass->tile = parscan_compact_tile_elements(pass);
    /* In place, a record that does not go through a buffer must not be overwritten before it is
       moved: one thread moves all in order. */
    if ((parscan_compact_is_straight(pass) || parscan_compact_is_large(pass, pass->beside.size)) &&
        parscan_compact_is_in_place(pass))
        plan.threads = 1;
    return plan;
}

void parscan_compact_run(compact_pass *pass, compact_before *end)
{
    const tile_plan divided = plan_compact_tiles(pass);
    pass->kernels = parscan_place_kernels(pass->context->isa);
    pass->stream = pass->n >= COMPACT_STREAM_FROM_BYTES / pass->size;
    if (divided.threads == 1) {
        pass->tile_bytes = COMPACT_TILE_BYTES;
        pass->tile = parscan_compact_tile_elements(pass);
        *end = compact_tiles_alone(pass);
    } else {
        *end = compact_in_parallel(pass, &divided);
    }
}

void parscan_compact_measure(compact_pass *pass)
{
    plan_compact_tiles(pass);
}
