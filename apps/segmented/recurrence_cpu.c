/*
 * Linear recurrences of first order in one pass over memory, tiles chained from core to core; for
 * floats, compiled once an element type (see scan/element.h).
 *
 * A tile as a whole is one map x -> A x + B: A is the product of its a, B is where the recurrence
 * goes from x = 0. A core finds both before the tile's turn, applies them to x in its turn, and
 * then runs the tile from its cache. Where A, B or x is not finite, A x + B may not be where the
 * tile leads: it is run in its turn.
 */
#include "apps/segmented/segmented_cpu.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include <float.h>
#include <omp.h>

#include "apps/segmented/recurrence_kernels.h"
#include "scan/single_pass/chain.h"
#include "scan/single_pass/tile_kernels.h"
#include "scan/single_pass/tuning.h"

/* a and b of a tile take what a tile of a scan takes. */
#define TILE (TILE_BYTES / 2 / sizeof(T))
#define LINE 64u
#define PRODUCT_BLOCK ((size_t)256)
#define LANES_AT_ONCE ((size_t)8)

typedef struct recurrence_job {
    const tile_kernels *plain;
    NAMED(parscan_recurrence_kernel) * run;
    const T *a, *b;
    T *out;
    size_t n, tiles;
    size_t shift; /* tiles begin so many elements early, for streams to be aligned */
    bool stream;
    chain chain;
} recurrence_job;

static NAMED(parscan_recurrence_kernel) * kernel_of(parscan_isa isa)
{
#define RECURRENCE(set) NAMED(parscan_recurrence_##set)
    return PARSCAN_OF_ISA(isa, RECURRENCE);
}

static size_t tile_begin(const recurrence_job *job, size_t tile)
{
    const size_t begin = tile * TILE;
    return begin < job->shift ? 0 : begin - job->shift < job->n ? begin - job->shift : job->n;
}

static recurrence_tile tile_of(const recurrence_job *job, size_t tile, size_t next)
{
    const size_t begin = tile_begin(job, tile), ahead = tile_begin(job, next);
    const bool whole = next > tile && tile_begin(job, next + 1) - ahead == TILE;
    return (recurrence_tile){
        .a = job->a + begin,
        .b = job->b + begin,
        .out = job->out + begin,
        .n = tile_begin(job, tile + 1) - begin,
        .stream = job->stream && (tile > 0 || job->shift == 0),
        .next_a = whole ? job->a + ahead : NULL,
        .next_b = whole ? job->b + ahead : NULL,
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

/* The mantissa of a normal number, in [1, 2), as of lanes of 32 and 64 bits; adds to its exponent. */
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

/* The product of n elements; not finite if one of them is not. Mantissas of a block are multiplied,
   AT_ONCE of them at a time, and their exponents added. */
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

/* The product of a tile's a. What becomes smaller than a normal number on the way may grow again, and
   x may be large: then it is worked out with its exponent apart. */
static scaled product(const recurrence_job *job, const recurrence_tile *tile)
{
    const T smallest = (T)(sizeof(T) == sizeof(float) ? FLT_MIN : DBL_MIN);
    T all = 1;
    for (size_t i = 0; i < tile->n; i += PRODUCT_BLOCK) {
        const size_t n = tile->n - i < PRODUCT_BLOCK ? tile->n - i : PRODUCT_BLOCK;
        const T block = job->plain->reduce(PARSCAN_PRODUCT, tile->a + i, n, NULL);
        all *= block;
        if (fabs((double)block) < (double)smallest || fabs((double)all) < (double)smallest)
            return scaled_product(tile->a, tile->n);
    }
    return (scaled){(double)all, 0};
}

/* a * x + b, for a finite x. */
static T applied(scaled a, T x, T b)
{
    const long limit = 1 << 14; /* beyond what any float holds */
    const scaled ax = times(a, (double)x);
    const long exponent = ax.exponent < -limit ? -limit : ax.exponent > limit ? limit : ax.exponent;
    return (T)((T)ldexp(ax.mantissa, (int)exponent) + b);
}

/* Whether the tile is the map of *a and *b to the last bits, whatever finite x. */
static bool is_map(const recurrence_job *job, const recurrence_tile *tile, scaled *a, T *b)
{
    recurrence_tile from_zero = *tile;
    from_zero.out = NULL;
    from_zero.next_a = NULL;
    *a = product(job, tile);
    *b = job->run(&from_zero);
    return isfinite(a->mantissa) && isfinite(*b);
}

/* One core's share. */
static void run_tiles(recurrence_job *job)
{
    chain *const c = &job->chain;
    const size_t team = (size_t)omp_get_num_threads();
    size_t tile = (size_t)omp_get_thread_num(), next = tile + team;
    while (tile < job->tiles) {
        recurrence_tile work = tile_of(job, tile, next);
        scaled a;
        T b;
        bool map = is_map(job, &work, &a, &b);
        chain_wait(c, tile);
        work.before = c->before;
        map = map && isfinite(work.before);
        c->before = map ? applied(a, work.before, b) : job->run(&work);
        const size_t claimed = chain_claim(c, team);
        chain_pass(c, tile);
        if (map)
            job->run(&work);
        tile = next;
        next = claimed;
    }
    if (job->stream)
        job->plain->fence();
}

static void run_tiles_alone(recurrence_job *job)
{
    T x = job->chain.before;
    for (size_t tile = 0; tile < job->tiles; tile++) {
        recurrence_tile work = tile_of(job, tile, tile);
        work.before = x;
        x = job->run(&work);
    }
    if (job->stream)
        job->plain->fence();
}

parscan_status NAMED(parscan_recurrence_cpu)(const recurrence_call *call)
{
    recurrence_job job = {
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
    job.stream = bytes >= STREAM_FROM_BYTES && out % sizeof(T) == 0;
    job.shift = job.stream ? out % LINE / sizeof(T) : 0;
    job.tiles = (job.n + job.shift + TILE - 1) / TILE;
    chain_begin(&job.chain, x);
    const unsigned threads = bytes >= THREADS_FROM_BYTES ? call->context->threads : 1;
    if (threads == 1) {
        run_tiles_alone(&job);
    } else {
#pragma omp parallel num_threads(threads)
        run_tiles(&job);
    }
    return PARSCAN_OK;
}
#endif
