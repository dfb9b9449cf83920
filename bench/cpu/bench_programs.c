/*
 * bench_programs: whole programs of a few calls, each in at most 15 lines, compared with the plain loop that
 * somebody would write instead, on one thread. bench/bench_python.py has some of them beside NumPy, pandas,
 * SciPy and DuckDB, and on a GPU beside CuPy and PyTorch.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { TOP = 1000, MEAN_ROW = 16, ARRAYS = 3 };

typedef struct data {
    parscan_context *engine;
    size_t n, rows;
    void *in[ARRAYS];
    void *out[ARRAYS], *loop_out[ARRAYS],
        *room[ARRAYS]; /* of parscan, of the loop; scratch of both */
    uint64_t count, loop_count;
    uint64_t seed;
} data;

typedef struct program {
    const char *name, *type, *input;
    double bytes; /* that an element of the input must move */
    void (*fill)(data *d);
    void (*calls)(data *d);
    void (*loop)(data *d);
    size_t (*results)(const data *d); /* elements of the outputs that are compared */
    size_t sizes[ARRAYS];             /* bytes of an element of each output */
} program;

static void must(const data *d, parscan_status status)
{
    bench_must(status, d->engine);
}

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

static size_t counted_results(const data *d)
{
    return (size_t)d->loop_count;
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

/* ---- what is large, with its index ---- */

static const float limit = 0.5f;

static void keep_large(data *d)
{
    const parscan_predicate is_large =
        PARSCAN_PREDICATE(.comparison = PARSCAN_GREATER, .value = &limit);
    must(d, parscan_compact_if(d->engine, PARSCAN_F32, d->in[0], &is_large, d->out[0], d->n,
                               &d->count));
    must(d, parscan_compact_indices(d->engine, PARSCAN_F32, d->in[0], &is_large, PARSCAN_U32,
                                    d->out[1], d->n, &d->count));
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

/* ---- the inner join of two sorted arrays ---- */

static void fill_sorted(data *d)
{
    for (size_t side = 0; side < 2; side++) {
        uint64_t seed = d->seed + side, *const keys = d->in[side], key = 0;
        for (size_t i = 0; i < d->n; i++)
            keys[i] = key += bench_random(&seed) % 3;
    }
}

static void join(data *d)
{
    must(d, parscan_join(d->engine, PARSCAN_JOIN_INNER, PARSCAN_U64, d->in[0], d->n, d->in[1], d->n,
                         PARSCAN_U32, d->out[0], d->out[1], 2 * d->n, &d->count));
}

static void loop_join(data *d)
{
    const uint64_t *const left = d->in[0], *const right = d->in[1];
    uint32_t *const left_out = d->loop_out[0], *const right_out = d->loop_out[1];
    size_t begin = 0, total = 0;
    for (size_t i = 0; i < d->n; i++) {
        while (begin < d->n && right[begin] < left[i])
            begin++;
        for (size_t j = begin; j < d->n && right[j] == left[i]; j++, total++)
            if (total < 2 * d->n) {
                left_out[total] = (uint32_t)i;
                right_out[total] = (uint32_t)j;
            }
    }
    d->loop_count = total;
}

/* ---- CSR from coordinates, entries of one place summed ---- */

static void fill_coordinates(data *d)
{
    uint64_t seed = d->seed;
    d->rows = d->n / MEAN_ROW + 1;
    for (size_t i = 0; i < d->n; i++) {
        ((uint32_t *)d->in[0])[i] = (uint32_t)(bench_random(&seed) % d->rows);
        ((uint32_t *)d->in[1])[i] = (uint32_t)(bench_random(&seed) % 64);
        ((double *)d->in[2])[i] = (double)(bench_random(&seed) % 8);
    }
}

/* Columns of 32 bits stand below the row in a key. The offsets of rows are where their first keys belong. */
static void make_csr(data *d)
{
    const uint32_t *const row = d->in[0], *const column = d->in[1];
    uint64_t *const keys = d->room[0], *const places = d->out[1], *const ends = d->room[2];
    for (size_t i = 0; i < d->n; i++)
        keys[i] = (uint64_t)row[i] << 32 | column[i];
    for (size_t r = 0; r <= d->rows; r++)
        ends[r] = (uint64_t)r << 32;
    must(d, parscan_sort_pairs(d->engine, PARSCAN_U64, keys, keys, 8, d->in[2], d->room[1], d->n,
                               NULL));
    must(d, parscan_reduce_by_key(d->engine, PARSCAN_U64, keys, places, PARSCAN_F64, d->room[1],
                                  d->out[0], d->n, &d->count, NULL));
    must(d, parscan_lower_bound(d->engine, PARSCAN_U64, places, (size_t)d->count, ends, d->rows + 1,
                                PARSCAN_U64, d->out[2]));
}

typedef struct entry {
    uint64_t place;
    double value;
} entry;

static void sort_row(entry *row, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const entry moved = row[i];
        size_t k = i;
        for (; k > 0 && row[k - 1].place > moved.place; k--)
            row[k] = row[k - 1];
        row[k] = moved;
    }
}

static void loop_csr(data *d)
{
    const uint32_t *const row = d->in[0], *const column = d->in[1];
    const double *const value = d->in[2];
    double *const sums = d->loop_out[0];
    uint64_t *const places = d->loop_out[1], *const offsets = d->loop_out[2];
    entry *const entries = d->room[0];
    memset(offsets, 0, (d->rows + 2) * sizeof *offsets);
    for (size_t i = 0; i < d->n; i++)
        offsets[row[i] + 2]++;
    for (size_t r = 2; r < d->rows + 2; r++)
        offsets[r] += offsets[r - 1];
    for (size_t i = 0; i < d->n; i++)
        entries[offsets[row[i] + 1]++] = (entry){(uint64_t)row[i] << 32 | column[i], value[i]};
    size_t count = 0;
    for (size_t r = 0, begin = 0; r < d->rows; r++) {
        const size_t end = offsets[r + 1];
        offsets[r] = count;
        sort_row(entries + begin, end - begin);
        for (size_t i = begin; i < end; i++) {
            if (i == begin || entries[i].place != entries[i - 1].place) {
                places[count] = entries[i].place;
                sums[count++] = 0;
            }
            sums[count - 1] += entries[i].value;
        }
        begin = end;
    }
    offsets[d->rows] = d->loop_count = count;
}

/* ---- sums of groups by two columns, a string and a day ---- */

static void fill_groups(data *d)
{
    enum { CITIES = 1000, DAYS = 365 };
    uint64_t seed = d->seed, cities[CITIES];
    for (size_t k = 0; k < CITIES; k++)
        cities[k] = bench_random(&seed) | 0x6161616161616161u;
    for (size_t i = 0; i < d->n; i++) {
        ((uint64_t *)d->in[0])[i] = cities[bench_random(&seed) % CITIES];
        ((int32_t *)d->in[1])[i] = (int32_t)(bench_random(&seed) % DAYS);
        ((double *)d->in[2])[i] = (double)(bench_random(&seed) % 8);
    }
}

static bool starts_group(const uint64_t *city, const int32_t *day, size_t i)
{
    return i == 0 || city[i] != city[i - 1] || day[i] != day[i - 1];
}

/* The sums, and the first row of each group. */
static void group_sums(data *d)
{
    const size_t n = d->n;
    uint64_t *const city = d->room[0];
    int32_t *const day = (int32_t *)(void *)(city + n);
    uint32_t *const order = (uint32_t *)(void *)(day + n);
    uint8_t *const heads = d->room[2];
    const parscan_segments groups = PARSCAN_SEGMENTS(.data = heads);
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 8, .data = d->in[0]),
        PARSCAN_COLUMN(.type = PARSCAN_I32, .data = d->in[1])};
    must(d, parscan_sort_columns(d->engine, by, 2, PARSCAN_U32, order, n));
    must(d, parscan_gather(d->engine, 8, d->in[0], n, PARSCAN_U32, order, city, n));
    must(d, parscan_gather(d->engine, 4, d->in[1], n, PARSCAN_U32, order, day, n));
    must(d, parscan_gather(d->engine, 8, d->in[2], n, PARSCAN_U32, order, d->room[1], n));
    for (size_t i = 0; i < n; i++)
        heads[i] = starts_group(city, day, i);
    must(d, parscan_compact(d->engine, 4, order, heads, d->out[1], n, &d->count));
    must(d, parscan_segmented_reduce(d->engine, PARSCAN_F64, d->room[1], d->out[0], n, &groups,
                                     &d->count, NULL));
}

typedef struct city_day {
    unsigned char city[8];
    int32_t day;
    uint32_t first; /* row */
    double sum;
} city_day;

static int compare_groups(const void *a, const void *b)
{
    const city_day *const x = a, *const y = b;
    const int found = memcmp(x->city, y->city, sizeof x->city);
    return found != 0 ? found : (x->day > y->day) - (x->day < y->day);
}

/* In a hash table, whose groups are then sorted. */
static void loop_groups(data *d)
{
    enum { SLOTS = 1 << 20 };
    const uint64_t *const city = d->in[0];
    const int32_t *const day = d->in[1];
    uint32_t *const slots = calloc(SLOTS, sizeof *slots);
    city_day *const groups = malloc(SLOTS * sizeof *groups);
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++) {
        size_t at = (city[i] ^ (uint64_t)day[i] << 17) * 0x9e3779b97f4a7c15u >> 44;
        for (; slots[at] != 0; at = (at + 1) % SLOTS)
            if (groups[slots[at] - 1].day == day[i] &&
                memcmp(groups[slots[at] - 1].city, &city[i], 8) == 0)
                break;
        if (slots[at] == 0) {
            slots[at] = (uint32_t)++count;
            groups[count - 1] = (city_day){.day = day[i], .first = (uint32_t)i};
            memcpy(groups[count - 1].city, &city[i], 8);
        }
        groups[slots[at] - 1].sum += ((double *)d->in[2])[i];
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    for (size_t k = 0; k < count; k++) {
        ((double *)d->loop_out[0])[k] = groups[k].sum;
        ((uint32_t *)d->loop_out[1])[k] = groups[k].first;
    }
    d->loop_count = count;
    free(slots);
    free(groups);
}

#define PROGRAM(name, type, input, bytes, function, loop, fill, results, ...) \
    {                                                                         \
        name, type, input, bytes, fill, function, loop, results,              \
        {                                                                     \
            __VA_ARGS__                                                       \
        }                                                                     \
    }
static const program programs[] = {
    PROGRAM("top-1000", "f32", "uniform", 4, top, loop_top, fill_f32, top_results, 4, 4),
    PROGRAM("argmax", "f32", "uniform", 4, place_of_largest, loop_place, fill_f32, one_result, 4,
            8),
    PROGRAM("forward-fill", "f64", "half-missing", 16, fill_forward, loop_forward, fill_missing,
            all_results, 8),
    PROGRAM("exponential-average", "f32", "bits", 8, average, loop_average, fill_eighths,
            all_results, 0),
    PROGRAM("index-and-value", "f32", "half", 8, keep_large, loop_large, fill_f32, counted_results,
            4, 4),
    PROGRAM("inner-join", "u64", "sorted", 24, join, loop_join, fill_sorted, counted_results, 4, 4),
    PROGRAM("csr", "f64", "rows-of-16", 32, make_csr, loop_csr, fill_coordinates, counted_results,
            8, 8),
    PROGRAM("group-by-two", "f64", "string-day", 20, group_sums, loop_groups, fill_groups,
            counted_results, 8, 4),
};

typedef struct running {
    const program *program;
    data *data;
} running;

static void run_calls(void *context)
{
    const running *const r = context;
    r->program->calls(r->data);
}

static void run_loop(void *context)
{
    const running *const r = context;
    r->program->loop(r->data);
}

/* Averages are near: a product's rounding depends on the grouping. */
static bool is_near(const data *d)
{
    const float *const out = d->out[0], *const expected = d->loop_out[0];
    for (size_t i = 0; i < d->n; i++)
        if (!(fabsf(out[i] - expected[i]) <= 1e-5f))
            return false;
    return true;
}

static bool verify(void *context)
{
    const running *const r = context;
    data *const d = r->data;
    run_loop(context);
    d->count = d->loop_count;
    run_calls(context);
    if (d->count != d->loop_count)
        return false;
    if (r->program->loop == loop_average)
        return is_near(d);
    if (r->program->loop == loop_csr &&
        memcmp(d->out[2], d->loop_out[2], (d->rows + 1) * sizeof(uint64_t)) != 0)
        return false;
    for (size_t k = 0; k < ARRAYS; k++)
        if (memcmp(d->out[k], d->loop_out[k], r->program->results(d) * r->program->sizes[k]) != 0)
            return false;
    return true;
}

static bool measure(const bench_options *options, const program *p, unsigned log2n,
                    unsigned threads)
{
    data d = {.engine = bench_engine(threads), .n = (size_t)1 << log2n, .seed = options->seed};
    running r = {p, &d};
    void **const arrays[] = {d.in, d.out, d.loop_out, d.room};
    for (size_t k = 0; k < 4 * ARRAYS; k++) /* room[0] has twice as much */
        arrays[k / ARRAYS][k % ARRAYS] = bench_memory(
            (k == 3 * ARRAYS ? 16 : 8) * d.n + 64 + 8 * TOP, 64 * k, options->huge_pages);
    p->fill(&d);
    bench_group *const group = bench_new_group(options, p->name, p->type, p->input, log2n, threads);
    bench_case each = {.name = "parscan",
                       .run = run_calls,
                       .verify = verify,
                       .context = &r,
                       .bytes = p->bytes * (double)d.n,
                       .pool = BENCH_POOL_PARSCAN};
    bench_add(group, each);
    each.name = "plain";
    each.run = run_loop;
    each.role = BENCH_PEER;
    each.pool = BENCH_POOL_NONE;
    bench_add(group, each);
    const bool right = bench_measure(group);
    free(group);
    for (size_t k = 0; k < 4 * ARRAYS; k++)
        bench_release(arrays[k / ARRAYS][k % ARRAYS]);
    parscan_context_destroy(d.engine);
    return right;
}

int main(int argc, char **argv)
{
    bench_options options = bench_defaults();
    bool right = true;
    bench_parse(&options, argc, argv);
    bench_write_head("bench_programs", &options, NULL);
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (bench_wanted(&options, programs[k].name, programs[k].type, programs[k].input))
            for (unsigned log2n = options.min_log2n; log2n <= options.max_log2n;
                 log2n += options.step)
                for (size_t t = 0; t < options.thread_counts; t++)
                    right &= measure(&options, &programs[k], log2n, options.threads[t]);
    return bench_finish(&options, right);
}
