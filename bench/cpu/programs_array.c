/*
 * Programs on one array: the largest, what is missing, averages, what is large.
 */
#include <math.h>
#include <stdint.h>

#include "programs.h"

static double uniform(uint64_t *seed)
{
    return (double)(bench_random(seed) >> 11) * 0x1p-53;
}

static void fill_f32(data *d)
{
    uint64_t seed = d->seed;
    for (size_t i = 0; i < d->n; i++)
        ((float *)d->in[0])[i] = (float)uniform(&seed);
}

static size_t all_results(const data *d)
{
    return d->n;
}

/* ---- the largest, with their indices ---- */

static size_t top_results(const data *d)
{
    return d->n < TOP ? d->n : TOP;
}

static void top(data *d)
{
    must(d, parscan_top_k(d->engine, PARSCAN_F32, d->in[0], d->n, top_results(d), d->out[0],
                          PARSCAN_U32, d->out[1], NULL));
}

/* In a heap whose root is the least of the largest so far, of equal ones the last. */
static void sift(float *values, uint32_t *indices, size_t k, size_t n, float x, uint32_t index)
{
    for (size_t child; (child = 2 * k + 1) < n; k = child) {
        if (child + 1 < n &&
            (values[child + 1] < values[child] ||
             (values[child + 1] == values[child] && indices[child + 1] > indices[child])))
            child++;
        if (values[child] > x || (values[child] == x && indices[child] < index))
            break;
        values[k] = values[child];
        indices[k] = indices[child];
    }
    values[k] = x;
    indices[k] = index;
}

static void loop_top(data *d)
{
    const float *const in = d->in[0];
    float *const values = d->loop_out[0];
    uint32_t *const indices = d->loop_out[1];
    for (size_t i = 0; i < TOP; i++) {
        values[i] = -INFINITY;
        indices[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < d->n; i++)
        if (in[i] > values[0])
            sift(values, indices, 0, TOP, in[i], (uint32_t)i);
    for (size_t k = TOP; k-- > 1;) {
        const float least = values[0];
        const uint32_t index = indices[0];
        sift(values, indices, 0, k, values[k], indices[k]);
        values[k] = least;
        indices[k] = index;
    }
}

/* ---- the place of the largest ---- */

static void place_of_largest(data *d)
{
    must(d, parscan_arg_reduce(d->engine, PARSCAN_F32, d->in[0], d->n, PARSCAN_MAX, d->out[0],
                               PARSCAN_U64, d->out[1], NULL));
}

static void loop_place(data *d)
{
    const float *const in = d->in[0];
    size_t place = 0;
    for (size_t i = 1; i < d->n; i++)
        if (in[i] > in[place])
            place = i;
    *(float *)d->loop_out[0] = in[place];
    *(uint64_t *)d->loop_out[1] = place;
}

static size_t one_result(const data *d)
{
    (void)d;
    return 1;
}

/* ---- missing values become the last one before them ---- */

static void fill_missing(data *d)
{
    uint64_t seed = d->seed;
    for (size_t i = 0; i < d->n; i++) {
        const double x = uniform(&seed);
        ((double *)d->in[0])[i] = x < 0.5 ? (double)NAN : x;
    }
}

/* As integers all numbers are below the NaN that stands for a missing one. */
static void fill_forward(data *d)
{
    static const double least = -INFINITY, most = INFINITY;
    const parscan_predicate is_there =
        PARSCAN_PREDICATE(.comparison = PARSCAN_BETWEEN, .value = &least, .upper = &most);
    const parscan_segments runs =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = d->room[0]);
    must(d, parscan_flags_if(d->engine, PARSCAN_F64, d->in[0], &is_there, d->room[0], d->n));
    must(d, parscan_segmented_inclusive_scan(d->engine, PARSCAN_I64, d->in[0], d->out[0], d->n,
                                             &runs, &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN)));
}

static void loop_forward(data *d)
{
    const double *const in = d->in[0];
    double *const out = d->loop_out[0], last = NAN;
    for (size_t i = 0; i < d->n; i++)
        out[i] = last = isnan(in[i]) ? last : in[i];
}

/* ---- the exponential average ---- */

static const float decay = 0.875f;

static void fill_eighths(data *d)
{
    uint64_t seed = d->seed;
    for (size_t i = 0; i < d->n; i++)
        ((float *)d->in[0])[i] = (float)(bench_random(&seed) % 2);
}

static void average(data *d)
{
    float *const out = d->out[0];
    must(d, parscan_recurrence_with(d->engine, PARSCAN_F32, &decay, d->in[0], NULL, out, d->n,
                                    &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1)));
    for (size_t i = 0; i < d->n; i++)
        out[i] *= 1 - decay;
}

static void loop_average(data *d)
{
    const float *const in = d->in[0];
    float *const out = d->loop_out[0], last = 0;
    for (size_t i = 0; i < d->n; i++)
        out[i] = last = decay * last + (1 - decay) * in[i];
}

/* A product's rounding depends on the grouping. */
static bool averages_are_near(const data *d)
{
    const float *const out = d->out[0], *const expected = d->loop_out[0];
    for (size_t i = 0; i < d->n; i++)
        if (!(fabsf(out[i] - expected[i]) <= 1e-5f))
            return false;
    return true;
}

/* ---- what is large, with its index ---- */

static const float limit = 0.5f;

static void keep_large(data *d)
{
    const parscan_predicate is_large =
        PARSCAN_PREDICATE(.comparison = PARSCAN_GREATER, .value = &limit);
    must(d, parscan_compact_with_indices(d->engine, PARSCAN_F32, d->in[0], &is_large, d->out[0],
                                         PARSCAN_U32, d->out[1], d->n, &d->count));
}

static void loop_large(data *d)
{
    const float *const in = d->in[0];
    float *const values = d->loop_out[0];
    uint32_t *const indices = d->loop_out[1];
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++) {
        values[count] = in[i];
        indices[count] = (uint32_t)i;
        count += in[i] > limit;
    }
    d->loop_count = count;
}

const program array_programs[] = {
    PROGRAM("top-1000", "f32", "uniform", 4, top, loop_top, fill_f32, top_results, NULL, 4, 4),
    PROGRAM("argmax", "f32", "uniform", 4, place_of_largest, loop_place, fill_f32, one_result, NULL,
            4, 8),
    PROGRAM("forward-fill", "f64", "half-missing", 16, fill_forward, loop_forward, fill_missing,
            all_results, NULL, 8),
    PROGRAM("exponential-average", "f32", "bits", 8, average, loop_average, fill_eighths,
            all_results, averages_are_near, 0),
    PROGRAM("index-and-value", "f32", "half", 8, keep_large, loop_large, fill_f32, counted_results,
            NULL, 4, 4),
    {0},
};
