/*
 * Linear recurrences of first order in one pass over memory; a look-back tells each tile the x
 * before it. Compiled once for each float type (scan/cpu/element.h).
 *
 * A whole tile is one map x -> A x + B: A is the product of its a, and B is the result of the
 * recurrence for x = 0. A thread computes and publishes both. Any thread can then apply the map.
 * Then the thread runs the recurrence over the tile from its cache. If A, B or x is not finite,
 * A x + B may differ from the result of the tile's recurrence. Then the tile's own thread runs the
 * recurrence, and the tiles behind wait for its result.
 */
#include "apps/segmented/segmented_element_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include <float.h>

#include "apps/segmented/recurrence_kernels.h"
#include "scan/cpu/tile_kernels.h"

/* A number that neither overflows nor underflows: mantissa * 2^exponent. */
typedef struct scaled {
    double mantissa;
    long exponent;
} scaled;

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
#define PRODUCT_BLOCK ((size_t)256)

/* Up to so many bytes of output one thread, which needs no maps, is faster than two. Beyond, memory
   is the limit. */
#define PAIR_FROM_BYTES ((size_t)32 << 20)

typedef struct recurrence_pass {
    const tile_kernels *plain;
    NAMED(parscan_recurrence_kernel) * run;
    const T *a, *b;
    T *out;
    size_t n, tile, tiles; /* elements: in all, in a tile; the number of tiles */
    size_t shift; /* tiles begin so many elements early, so that streaming stores are aligned */
    bool stream;
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

static recurrence_tile tile_of(const recurrence_pass *pass, size_t tile, size_t next)
{
    const size_t begin = tile_begin(pass, tile), ahead = tile_begin(pass, next);
    const bool whole = next > tile && tile_begin(pass, next + 1) - ahead == pass->tile;
    return (recurrence_tile){
        .a = pass->a + begin,
        .b = pass->b + begin,
        .out = pass->out + begin,
        .n = tile_begin(pass, tile + 1) - begin,
        .stream = pass->stream && (tile > 0 || pass->shift == 0),
        .next_a = whole ? pass->a + ahead : NULL,
        .next_b = whole ? pass->b + ahead : NULL,
    };
}

static scaled normal(scaled x)
{
    int exponent;
    const double mantissa = frexp(x.mantissa, &exponent);
    return (scaled){mantissa, mantissa == 0 ? 0 : x.exponent + exponent};
}

static scaled times(scaled x, double factor)
{
    int exponent;
    return normal((scaled){x.mantissa * frexp(factor, &exponent), x.exponent + exponent});
}

#if PARSCAN_ELEMENT_BITS == 32
typedef uint32_t word;
enum { FRACTION_BITS = 23, BIAS = 127 };
#else
typedef uint64_t word;
enum { FRACTION_BITS = 52, BIAS = 1023 };
#endif

/* Returns the mantissa of a normal number, in [1, 2), and adds its exponent to *exponent. The
   lanes have 32 or 64 bits. */
static double take_apart(T value, long *exponent)
{
    const word exponent_mask = (word)(2 * BIAS + 1) << FRACTION_BITS;
    word bits;
    memcpy(&bits, &value, sizeof bits);
    *exponent += (long)((bits & exponent_mask) >> FRACTION_BITS) - BIAS;
    bits = (bits & ~exponent_mask) | (word)BIAS << FRACTION_BITS;
    memcpy(&value, &bits, sizeof bits);
    return (double)value;
}

/* Returns the product of n elements; it is not finite if one of them is not. For each block,
   AT_ONCE mantissas are multiplied in parallel, and the exponents are added. */
static scaled scaled_product(const T *a, size_t n)
{
    enum { AT_ONCE = 8 };
    scaled all = {1, 0};
    for (size_t i = 0; i < n; i += PRODUCT_BLOCK) {
        const size_t end = n - i < PRODUCT_BLOCK ? n : i + PRODUCT_BLOCK;
        double mantissas[AT_ONCE] = {1, 1, 1, 1, 1, 1, 1, 1};
        long exponent = 0;
        for (size_t j = i; j < end; j++) {
            T value;
            memcpy(&value, (const char *)a + j * sizeof value, sizeof value);
            if (PARSCAN_ELEMENT_BITS != 0 && isnormal(value))
                mantissas[j % AT_ONCE] *= take_apart(value, &exponent);
            else
                all = times(all, (double)value);
        }
        for (size_t k = 0; k < AT_ONCE; k++)
            all = times(all, mantissas[k]);
        all.exponent += exponent;
    }
    return all;
}

/* Returns the product of a tile's a. A partial product below the normal numbers may grow again,
   and x may be large, so in that case the product is computed with a separate exponent. */
static scaled product(const recurrence_pass *pass, const recurrence_tile *tile)
{
    const T smallest = (T)(sizeof(T) == sizeof(float) ? FLT_MIN : DBL_MIN);
    T all = 1;
    for (size_t i = 0; i < tile->n; i += PRODUCT_BLOCK) {
        const size_t n = tile->n - i < PRODUCT_BLOCK ? tile->n - i : PRODUCT_BLOCK;
        const T block = pass->plain->reduce(PARSCAN_PRODUCT, tile->a + i, n, NULL);
        all *= block;
        if (fabs((double)block) < (double)smallest || fabs((double)all) < (double)smallest)
            return scaled_product(tile->a, tile->n);
    }
    return (scaled){(double)all, 0};
}

/* Returns a * x + b, for a finite x. */
static T applied(scaled a, T x, T b)
{
    const long limit = 1 << 14; /* beyond the exponent of any float */
    const scaled ax = times(a, (double)x);
    const long exponent = ax.exponent < -limit ? -limit : ax.exponent > limit ? limit : ax.exponent;
    return (T)((T)ldexp(ax.mantissa, (int)exponent) + b);
}

static recurrence_map map_of(const recurrence_pass *pass, const recurrence_tile *tile)
{
    recurrence_tile from_zero = *tile;
    from_zero.out = NULL;
    from_zero.next_a = NULL;
    recurrence_map map = {.a = product(pass, tile), .b = pass->run(&from_zero)};
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
    (void)work;
    const recurrence_tile inputs = tile_of(pass, tile, tile);
    return map_of(pass, &inputs);
}

static const tile_functions maps = {
    .add = add_tile, .summarise = summarise_tile, .is_opaque = is_opaque};

/* The work of one thread. */
static void run_tiles(void *state, size_t part)
{
    recurrence_pass *const pass = state;
    look_back *const l = &pass->look_back;
    (void)part;
    size_t tile = look_back_claim(l);
    while (tile < l->tiles) {
        const size_t next = look_back_early(l);
        recurrence_tile work = tile_of(pass, tile, next);
        const recurrence_map map = map_of(pass, &work);
        look_back_publish(l, tile, &map);
        work.before = look_back_prefix(l, tile, &maps, pass, NULL);
        const bool opaque = is_opaque(pass, &work.before, &map);
        const T through = opaque ? pass->run(&work) : add_tile(pass, &work.before, &map);
        look_back_pass(l, tile, &through);
        if (!opaque)
            pass->run(&work);
        tile = look_back_next(l, next);
    }
    if (pass->stream)
        pass->plain->fence();
}

static void run_tiles_alone(const recurrence_pass *pass, T x)
{
    for (size_t tile = 0; tile < pass->tiles; tile++) {
        recurrence_tile work = tile_of(pass, tile, tile);
        work.before = x;
        x = pass->run(&work);
    }
    if (pass->stream)
        pass->plain->fence();
}

parscan_status NAMED(parscan_recurrence_cpu)(const recurrence_call *call)
{
    recurrence_pass pass = {
        .plain = NAMED(parscan_tile_kernels)(call->context->isa),
        .run = kernel_of(call->context->isa),
        .a = call->a,
        .b = call->b,
        .out = call->out,
        .n = call->n,
    };
    T x = 0;
    if (call->x0 != NULL)
        memcpy(&x, call->x0, sizeof x);
    const size_t bytes = call->n * sizeof(T);
    /* The arrays a and b of a tile together take as much memory as a tile of a scan. */
    const tile_demand demand = {.bytes = bytes, .slot_bytes = 2 * sizeof(tile_slot)};
    pass.plan = parscan_plan_tiles(call->context, &demand);
    if (pass.plan.threads == 2 && bytes < PAIR_FROM_BYTES)
        pass.plan = (tile_plan){.threads = 1, .tile_bytes = TILE_BYTES};
    const uintptr_t out = (uintptr_t)call->out;
    pass.stream = bytes >= STREAM_FROM_BYTES && out % sizeof(T) == 0;
    pass.shift = pass.stream ? out % LINE / sizeof(T) : 0;
    pass.tile = pass.plan.tile_bytes / 2 / sizeof(T);
    pass.tiles = (pass.n + pass.shift + pass.tile - 1) / pass.tile;
    if (pass.plan.threads == 1) {
        run_tiles_alone(&pass, x);
    } else {
        look_back_begin(&pass.look_back, &pass.plan, pass.tiles, pass.plan.tile_bytes, x,
                        call->out == call->a || call->out == call->b);
        parscan_team_run(call->context, pass.plan.threads, run_tiles, &pass);
    }
    if (call->carry != NULL)
        memcpy(call->carry, pass.out + pass.n - 1, sizeof(T));
    return PARSCAN_OK;
}
#endif
