/*
 * Linear recurrences of first order in one pass over memory; the tiles are chained from core to
 * core. Compiled once for each float type (scan/cpu/element.h).
 *
 * A whole tile is one map x -> A x + B: A is the product of its a, and B is the result of the
 * recurrence for x = 0. A core computes both before the tile's turn and applies the map to x in the
 * tile's turn. Then it runs the recurrence over the tile from its cache. If A, B or x is not
 * finite, A x + B may differ from the result of the tile's recurrence, so the tile is run in its
 * turn.
 */
#include "apps/segmented/segmented_element_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include <float.h>
#include <omp.h>

#include "apps/segmented/recurrence_kernels.h"
#include "scan/cpu/chain.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/cpu/tuning.h"

/* The arrays a and b of a tile together take as much memory as a tile of a scan. */
#define TILE (TILE_BYTES / 2 / sizeof(T))
#define LINE 64u
#define PRODUCT_BLOCK ((size_t)256)
#define LANES_AT_ONCE ((size_t)8)

typedef struct recurrence_pass {
    const tile_kernels *plain;
    NAMED(parscan_recurrence_kernel) * run;
    const T *a, *b;
    T *out;
    size_t n, tiles;
    size_t shift; /* tiles begin so many elements early, so that streaming stores are aligned */
    bool stream;
    chain chain;
} recurrence_pass;

static NAMED(parscan_recurrence_kernel) * kernel_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, NAMED(parscan_recurrence_portable), NAMED(parscan_recurrence_avx2),
                          NAMED(parscan_recurrence_avx512));
}

static size_t tile_begin(const recurrence_pass *pass, size_t tile)
{
    const size_t begin = tile * TILE;
    return begin < pass->shift ? 0 : begin - pass->shift < pass->n ? begin - pass->shift : pass->n;
}

static recurrence_tile tile_of(const recurrence_pass *pass, size_t tile, size_t next)
{
    const size_t begin = tile_begin(pass, tile), ahead = tile_begin(pass, next);
    const bool whole = next > tile && tile_begin(pass, next + 1) - ahead == TILE;
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

/* A number that neither overflows nor underflows: mantissa * 2^exponent. */
typedef struct scaled {
    double mantissa;
    long exponent;
} scaled;

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

/* Computes the tile's map *a, *b. Returns whether it gives the tile's result to the last bits
   for every finite x. */
static bool is_map(const recurrence_pass *pass, const recurrence_tile *tile, scaled *a, T *b)
{
    recurrence_tile from_zero = *tile;
    from_zero.out = NULL;
    from_zero.next_a = NULL;
    *a = product(pass, tile);
    *b = pass->run(&from_zero);
    return isfinite(a->mantissa) && isfinite(*b);
}

/* The work of one core. */
static void run_tiles(recurrence_pass *pass)
{
    chain *const c = &pass->chain;
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    while (tile < pass->tiles) {
        recurrence_tile work = tile_of(pass, tile, next);
        scaled a;
        T b;
        bool map = is_map(pass, &work, &a, &b);
        chain_wait(c, tile);
        work.before = c->before;
        map = map && isfinite(work.before);
        c->before = map ? applied(a, work.before, b) : pass->run(&work);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        if (map)
            pass->run(&work);
        tile = next;
        next = claimed;
    }
    if (pass->stream)
        pass->plain->fence();
}

static void run_tiles_alone(recurrence_pass *pass)
{
    T x = pass->chain.before;
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
    const uintptr_t out = (uintptr_t)call->out;
    pass.stream = bytes >= STREAM_FROM_BYTES && out % sizeof(T) == 0;
    pass.shift = pass.stream ? out % LINE / sizeof(T) : 0;
    pass.tiles = (pass.n + pass.shift + TILE - 1) / TILE;
    chain_begin(&pass.chain, x);
    const unsigned threads = bytes >= THREADS_FROM_BYTES ? call->context->threads : 1;
    if (threads == 1) {
        run_tiles_alone(&pass);
    } else {
#pragma omp parallel num_threads(threads)
        run_tiles(&pass);
    }
    return PARSCAN_OK;
}
#endif
