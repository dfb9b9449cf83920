/*
 * Linear recurrences of first order in one pass over memory; a look-back tells each tile the x
 * before it. Compiled once for each float type (scan/cpu/element.h).
 *
 * A whole tile is one map x -> A x + B: A is the product of its a, and B is the result of the
 * recurrence for x = 0. A thread computes and publishes both. Any thread can then apply the map.
 * Then the thread runs the recurrence over the tile from its cache. If A, B or x is not finite,
 * A x + B may differ from the result of the tile's recurrence. Then the tile's own thread runs the
 * recurrence, and the tiles after it wait for its result.
 *
 * Floats of 16 bits are gathered to a buffer and rounded when they are scattered from it. x is passed on
 * as it was computed.
 */
#include "apps/segmented/segmented_element_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "apps/segmented/recurrence_kernels.h"
#include "scan/cpu/tile_kernels.h"

/* What a tile contributes: x -> a x + b. is_map: this gives the tile's result to the last bits for
   every finite x. */
typedef struct recurrence_map {
    scaled a;
    T b;
    bool is_map;
} recurrence_map;
#define SUMMARY recurrence_map
#define PREFIX T
#include "scan/cpu/look_back.h"

#define LINE 64u

/* Up to so many bytes of output one thread, which needs no maps, is faster than two. Beyond, memory
   is the limit. */
#define PAIR_FROM_BYTES ((size_t)32 << 20)

typedef struct recurrence_pass {
    const tile_kernels *plain;
    NAMED(parscan_recurrence_kernel) * run;
    VIEW a, b, out;
    bool constant_a; /* a is an element, of which these are copies */
    T constants[RECURRENCE_CONSTANTS];
    size_t n, tile, tiles; /* elements: in all, in a tile; the number of tiles */
    size_t shift; /* tiles start so many elements early, so that streaming stores are aligned */
    bool staged, stream;
    T last; /* the last x */
    tile_plan plan;
    look_back look_back;
} recurrence_pass;

static NAMED(parscan_recurrence_kernel) * kernel_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, NAMED(parscan_recurrence_portable), NAMED(parscan_recurrence_avx2),
                          NAMED(parscan_recurrence_avx512));
}

static size_t tile_begin(const recurrence_pass *pass, size_t tile)
{
    const size_t begin = tile * pass->tile;
    return begin < pass->shift ? 0 : begin - pass->shift < pass->n ? begin - pass->shift : pass->n;
}

/* buffer: two tiles. */
static recurrence_tile staged_tile(const recurrence_pass *pass, size_t begin, size_t n, T *buffer)
{
    if (pass->constant_a)
        for (size_t i = 0; i < n; i++)
            buffer[i] = pass->constants[0];
    else
        pass->plain->gather(&pass->a, begin, n, buffer);
    pass->plain->gather(&pass->b, begin, n, buffer + pass->tile);
    return (recurrence_tile){
        .a = buffer, .a_mask = SIZE_MAX, .b = buffer + pass->tile, .out = buffer, .n = n};
}

/* buffer: two tiles, if the pass is staged. */
static recurrence_tile tile_of(const recurrence_pass *pass, size_t tile, size_t next, T *buffer)
{
    const size_t begin = tile_begin(pass, tile), n = tile_begin(pass, tile + 1) - begin;
    if (pass->staged)
        return staged_tile(pass, begin, n, buffer);
    const T *const a = pass->a.data, *const b = pass->b.data;
    const size_t ahead = tile_begin(pass, next);
    const bool whole = next > tile && tile_begin(pass, next + 1) - ahead == pass->tile;
    return (recurrence_tile){
        .a = pass->constant_a ? pass->constants : a + begin,
        .a_mask = pass->constant_a ? RECURRENCE_CONSTANTS - 1 : SIZE_MAX,
        .b = b + begin,
        .out = (T *)pass->out.data + begin,
        .n = n,
        .stream = pass->stream && (tile > 0 || pass->shift == 0),
        .next_a = !whole             ? NULL
                  : pass->constant_a ? b + ahead
                                     : a + ahead,
        .next_b = whole ? b + ahead : NULL,
    };
}

/* Runs the recurrence over a tile, and stores it. */
static T run_tile(recurrence_pass *pass, size_t tile, const recurrence_tile *work)
{
    const T x = pass->run(work);
    if (pass->staged)
        pass->plain->scatter(&pass->out, tile_begin(pass, tile), work->n, work->out, pass->stream);
    if (tile + 1 == pass->tiles)
        pass->last = x;
    return x;
}

/* Buffer 0 or 1 of a thread. */
static T *buffer_of(const recurrence_pass *pass, size_t part, size_t which)
{
    return (T *)(pass->plan.work + part * pass->plan.work_bytes) + which * 2 * pass->tile;
}

/* Returns a * x + b, for a finite x. */
static T applied(scaled a, T x, T b)
{
    const long limit = 1 << 14; /* beyond the exponent of any float */
    const scaled ax = scaled_times(a, (double)x);
    const long exponent = ax.exponent < -limit ? -limit : ax.exponent > limit ? limit : ax.exponent;
    return (T)((T)ldexp(ax.mantissa, (int)exponent) + b);
}

static recurrence_map map_of(const recurrence_pass *pass, const recurrence_tile *tile)
{
    recurrence_tile from_zero = *tile;
    from_zero.out = NULL;
    from_zero.next_a = NULL;
    recurrence_map map = {.a = {1, 0}};
    from_zero.product = &map.a;
    map.b = pass->run(&from_zero);
    map.is_map = isfinite(map.a.mantissa) && isfinite(map.b);
    return map;
}

static bool is_opaque(const void *pass, const T *x, const recurrence_map *map)
{
    (void)pass;
    return !map->is_map || !isfinite(*x);
}

static T add_tile(const void *pass, const T *x, const recurrence_map *map)
{
    (void)pass;
    return applied(map->a, *x, map->b);
}

static recurrence_map summarise_tile(const void *pass, void *work, size_t tile)
{
    const recurrence_tile inputs = tile_of(pass, tile, tile, work);
    return map_of(pass, &inputs);
}

static const tile_functions maps = {
    .add = add_tile, .summarise = summarise_tile, .is_opaque = is_opaque};

/* The work of one thread. */
static void run_tiles(void *state, size_t part)
{
    recurrence_pass *const pass = state;
    look_back *const l = &pass->look_back;
    T *const buffer = buffer_of(pass, part, 0), *const second = buffer_of(pass, part, 1);
    size_t tile = look_back_claim(l);
    while (tile < l->tiles) {
        const size_t next = look_back_early(l);
        recurrence_tile work = tile_of(pass, tile, next, buffer);
        const recurrence_map map = map_of(pass, &work);
        look_back_publish(l, tile, &map);
        work.before = look_back_prefix(l, tile, &maps, pass, second);
        const bool opaque = is_opaque(pass, &work.before, &map);
        const T through = opaque ? run_tile(pass, tile, &work) : add_tile(pass, &work.before, &map);
        look_back_pass(l, tile, &through);
        if (!opaque)
            run_tile(pass, tile, &work);
        tile = look_back_next(l, next);
    }
    if (pass->stream)
        pass->plain->fence();
}

/* Never inlined: its buffer would be on the stack of every call. */
static __attribute__((noinline)) void run_tiles_alone(recurrence_pass *pass, T x)
{
    alignas(64) T buffer[TILE_BYTES / sizeof(T)];
    for (size_t tile = 0; tile < pass->tiles; tile++) {
        recurrence_tile work = tile_of(pass, tile, tile, buffer);
        work.before = x;
        x = run_tile(pass, tile, &work);
    }
    if (pass->stream)
        pass->plain->fence();
}

static VIEW view_of(const recurrence_call *call, const void *array)
{
    return (VIEW){(void *)array, call->type, call->n, false};
}

parscan_status NAMED(parscan_recurrence_cpu)(const recurrence_call *call)
{
    recurrence_pass pass = {
        .plain = NAMED(parscan_tile_kernels)(call->context->isa),
        .run = kernel_of(call->context->isa),
        .a = view_of(call, call->a),
        .b = view_of(call, call->b),
        .out = view_of(call, call->out),
        .n = call->n,
        .staged = call->type != PARSCAN_ELEMENT_TYPE,
        .constant_a = call->constant_a,
    };
    for (size_t i = 0; call->constant_a && i < RECURRENCE_CONSTANTS; i++)
        pass.constants[i] = load(&pass.a, 0);
    const VIEW first = {(void *)call->x0, call->carried ? PARSCAN_ELEMENT_TYPE : call->type, 1,
                        false};
    const T x = call->x0 != NULL ? load(&first, 0) : 0;
    const size_t bytes = call->n * sizeof(T), size = parscan_type_size(call->type);
    /* The arrays a and b of a tile together take as much memory as a tile of a scan. */
    const tile_demand demand = {
        .bytes = bytes, .slot_bytes = 2 * sizeof(tile_slot), .work_eighths = pass.staged ? 16 : 0};
    pass.plan = parscan_plan_tiles(call->context, &demand);
    if (call->context->measures)
        return PARSCAN_OK;
    if (pass.plan.threads == 2 && bytes < PAIR_FROM_BYTES)
        pass.plan = (tile_plan){.threads = 1, .tile_bytes = TILE_BYTES};
    const uintptr_t out = (uintptr_t)call->out;
    pass.stream = pass.n * size >= STREAM_FROM_BYTES && out % size == 0;
    pass.shift = pass.stream && !pass.staged ? out % LINE / sizeof(T) : 0;
    pass.tile = pass.plan.tile_bytes / 2 / sizeof(T);
    pass.tiles = (pass.n + pass.shift + pass.tile - 1) / pass.tile;
    if (pass.plan.threads == 1) {
        run_tiles_alone(&pass, x);
    } else {
        look_back_begin(&pass.look_back, &pass.plan, pass.tiles, pass.plan.tile_bytes, x,
                        (call->out == call->a && !call->constant_a) || call->out == call->b);
        parscan_team_run(call->context, pass.plan.threads, run_tiles, &pass);
    }
    if (call->carry != NULL)
        memcpy(call->carry, &pass.last, sizeof pass.last);
    return PARSCAN_OK;
}
#endif
