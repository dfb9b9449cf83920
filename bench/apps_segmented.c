/*
 * The part "segmented" of bench_apps: scans and reductions of segments, compared with the plain
 * scan of the same array and the reading of its flags, in one group for each shape of segments; and
 * recurrences.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"
#include "copy.h"
#include "copy_cases.h"
#include "elements.h"
#include "peers_segmented.h"
#include "shapes.h"

enum { OUT_OFFSET = 2048, KEYS_OFFSET = 1024 };

typedef struct segmented_work segmented_work;
typedef void segmented_run(segmented_work *work);

typedef struct segmented_case {
    segmented_work *work;
    segmented_run *run;
    bool (*check)(const segmented_work *work);
} segmented_case;

struct segmented_work {
    parscan_context *engine;
    parscan_type type;
    unsigned threads;
    size_t n, bytes, count; /* count: the number of segments */
    const bench_element *element;
    void *in, *a, *out, *expected;
    uint8_t *flags;
    uint32_t *keys, *offsets;
    uint64_t result;
    bench_copies copies;
    size_t cases_used;
    segmented_case cases[BENCH_MAX_CASES];
};

static void cut(segmented_work *w, const bench_shape *shape, uint64_t seed)
{
    memset(w->flags, 0, w->n);
    w->count = 0;
    for (size_t begin = 0; begin < w->n;) {
        const size_t length = shape->length(bench_random(&seed), w->n);
        const size_t end = length < w->n - begin ? begin + length : w->n;
        w->flags[begin] = 1;
        w->offsets[w->count] = (uint32_t)begin;
        for (size_t i = begin; i < end; i++)
            w->keys[i] = (uint32_t)w->count;
        w->count++;
        begin = end;
    }
    w->offsets[w->count] = (uint32_t)w->n;
}

static parscan_segments by_flags(const segmented_work *w)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = w->flags);
}

static parscan_segments by_keys(const segmented_work *w)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32, .data = w->keys);
}

static parscan_segments by_offsets(const segmented_work *w)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                            .data = w->offsets, .count = w->count);
}

static void run_plain(segmented_work *w)
{
    bench_must(parscan_inclusive_scan(w->engine, w->type, w->in, w->out, w->n, NULL), w->engine);
}

static void scan_by(segmented_work *w, parscan_segments segments, int reverse)
{
    bench_must(parscan_segmented_inclusive_scan(w->engine, w->type, w->in, w->out, w->n, &segments,
                                                &PARSCAN_SCAN_OPTIONS(.reverse = reverse)),
               w->engine);
}

static void run_flags(segmented_work *w)
{
    scan_by(w, by_flags(w), 0);
}

static void run_keys(segmented_work *w)
{
    scan_by(w, by_keys(w), 0);
}

static void run_offsets(segmented_work *w)
{
    scan_by(w, by_offsets(w), 0);
}

static void run_reverse(segmented_work *w)
{
    scan_by(w, by_flags(w), 1);
}

static void run_exclusive(segmented_work *w)
{
    const parscan_segments segments = by_flags(w);
    bench_must(
        parscan_segmented_exclusive_scan(w->engine, w->type, w->in, w->out, w->n, &segments, NULL),
        w->engine);
}

static void reduce_by(segmented_work *w, parscan_segments segments)
{
    bench_must(parscan_segmented_reduce(w->engine, w->type, w->in, w->out, w->n, &segments,
                                        &w->result, NULL),
               w->engine);
}

static void run_reduce_flags(segmented_work *w)
{
    reduce_by(w, by_flags(w));
}

static void run_reduce_offsets(segmented_work *w)
{
    reduce_by(w, by_offsets(w));
}

static void run_recurrence(segmented_work *w)
{
    bench_must(parscan_recurrence(w->engine, w->type, w->a, w->in, NULL, w->out, w->n), w->engine);
}

static void run_recurrence_loop(segmented_work *w)
{
    (w->type == PARSCAN_F32 ? bench_recurrence_f32 : bench_recurrence_f64)(w->a, w->in, w->out,
                                                                           w->n);
}

typedef struct segmented_peers {
    bench_segmented_scan *loop, *openmp;
    bench_segmented_reduce *reduce;
} segmented_peers;

static segmented_peers peers_of(parscan_type type)
{
    static const segmented_peers peers[] = {
#define X(ctx, NAME, number, name, ...)                                               \
    [number] = {bench_segmented_scan_loop_##name, bench_segmented_scan_openmp_##name, \
                bench_segmented_reduce_##name},
        PARSCAN_TYPES(X, )
#undef X
    };
    return peers[type];
}

static void run_loop(segmented_work *w)
{
    peers_of(w->type).loop(w->in, w->flags, w->out, w->n, 1);
}

static void run_openmp(segmented_work *w)
{
    peers_of(w->type).openmp(w->in, w->flags, w->out, w->n, w->threads);
}

static void run_reduce_loop(segmented_work *w)
{
    w->result = peers_of(w->type).reduce(w->in, w->flags, w->out, w->n);
}

static void run_read_flags(segmented_work *w)
{
    w->result = bench_read(w->flags, w->n, w->threads);
}

/* The sums of these elements are exact, so every grouping gives the same bits. */
static bool check_scan(const segmented_work *w)
{
    peers_of(w->type).loop(w->in, w->flags, w->expected, w->n, 1);
    return memcmp(w->out, w->expected, w->bytes) == 0;
}

static bool check_reduce(const segmented_work *w)
{
    const size_t count = peers_of(w->type).reduce(w->in, w->flags, w->expected, w->n);
    return w->result == count &&
           memcmp(w->out, w->expected, count * parscan_type_size(w->type)) == 0;
}

/* Exclusive and reverse scans are checked by the tests, not here. */
static bool check_nothing(const segmented_work *w)
{
    (void)w;
    return true;
}

static bool check_recurrence(const segmented_work *w)
{
    const bool single = w->type == PARSCAN_F32;
    (single ? bench_recurrence_f32 : bench_recurrence_f64)(w->a, w->in, w->expected, w->n);
    for (size_t i = 0; i < w->n; i++) {
        const double x = single ? ((float *)w->out)[i] : ((double *)w->out)[i];
        const double y = single ? ((float *)w->expected)[i] : ((double *)w->expected)[i];
        if (!(fabs(x - y) <= (single ? 1e-4 : 1e-12) * (1 + fabs(y))))
            return false;
    }
    return true;
}

static void run_case(void *context)
{
    const segmented_case *const c = context;
    c->run(c->work);
}

static bool verify_case(void *context)
{
    const segmented_case *const c = context;
    memset(c->work->out, 0xa5, c->work->bytes);
    c->run(c->work);
    return c->check(c->work);
}

static void add(bench_group *group, segmented_work *w, bench_case added, segmented_run *run,
                bool (*check)(const segmented_work *))
{
    w->cases[w->cases_used] = (segmented_case){w, run, check};
    added.context = &w->cases[w->cases_used++];
    added.run = run_case;
    added.verify = verify_case;
    added.pool = w->threads == 1               ? BENCH_POOL_NONE
                 : added.role == BENCH_PARSCAN ? BENCH_POOL_PARSCAN
                                               : BENCH_POOL_OPENMP;
    bench_add(group, added);
}

static void add_segmented(bench_group *group, segmented_work *w)
{
    const double n = (double)w->n, bytes = (double)w->bytes;
    const double sums = (double)(w->count * parscan_type_size(w->type));
    const double offsets = 4 * (double)(w->count + 1);
    const struct {
        const char *work, *name;
        double bytes;
        segmented_run *run;
        bool (*check)(const segmented_work *);
        bench_role role;
    } all[] = {
        {"scan", "plain-scan", 2 * bytes, run_plain, check_nothing, BENCH_REFERENCE},
        {"read", "read-flags", n, run_read_flags, check_nothing, BENCH_REFERENCE},
        {NULL, "flags", 2 * bytes + n, run_flags, check_scan, BENCH_PARSCAN},
        {NULL, "flags-exclusive", 2 * bytes + n, run_exclusive, check_nothing, BENCH_PARSCAN},
        {NULL, "flags-reverse", 2 * bytes + n, run_reverse, check_nothing, BENCH_PARSCAN},
        {NULL, "offsets", 2 * bytes + offsets, run_offsets, check_scan, BENCH_PARSCAN},
        {NULL, "keys", 2 * bytes + 4 * n, run_keys, check_scan, BENCH_PARSCAN},
        {NULL, "loop", 2 * bytes + n, run_loop, check_scan, BENCH_PEER},
        {NULL, "openmp", 2 * bytes + n, run_openmp, check_scan, BENCH_PEER},
        {"segmented-reduce", "flags", bytes + n + sums, run_reduce_flags, check_reduce,
         BENCH_PARSCAN},
        {"segmented-reduce", "offsets", bytes + offsets + sums, run_reduce_offsets, check_reduce,
         BENCH_PARSCAN},
        {"segmented-reduce", "loop", bytes + n + sums, run_reduce_loop, check_reduce, BENCH_PEER},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        add(group, w,
            (bench_case){.name = all[k].name,
                         .work = all[k].work,
                         .bytes = all[k].bytes,
                         .role = all[k].role},
            all[k].run, all[k].check);
}

static void add_recurrence(bench_group *group, segmented_work *w)
{
    const double bytes = 3 * (double)w->bytes;
    add(group, w, (bench_case){.name = "parscan", .bytes = bytes}, run_recurrence,
        check_recurrence);
    add(group, w, (bench_case){.name = "loop", .bytes = bytes, .role = BENCH_PEER},
        run_recurrence_loop, check_recurrence);
}

/* Measures one size with one number of threads. shape == NULL: recurrences. */
static bool measure(const bench_options *options, segmented_work *w, unsigned log2n,
                    const bench_shape *shape)
{
    const char *const work = shape != NULL ? "segmented-scan" : "recurrence";
    const char *const input = shape != NULL ? shape->name : "uniform";
    const char *const type = parscan_type_name(w->type);
    if (!bench_wanted(options, work, type, input))
        return true;
    bench_group *const group = bench_new_group(options, work, type, input, log2n, w->threads);
    w->n = (size_t)1 << log2n;
    w->bytes = w->n * parscan_type_size(w->type);
    w->cases_used = 0;
    w->engine = bench_engine(w->threads);
    if (shape != NULL) {
        cut(w, shape, options->seed);
        add_segmented(group, w);
    } else {
        add_recurrence(group, w);
    }
    w->copies = (bench_copies){w->in, w->out, w->bytes, w->threads, 0};
    bench_add_copies(group, &w->copies);
    const bool right = bench_measure(group);
    parscan_context_destroy(w->engine);
    free(group);
    return right;
}

/* Fills the factors of a recurrence, between -1 and 1. */
static void fill_factors(segmented_work *w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (w->type == PARSCAN_F32)
            ((float *)w->a)[i] = ((const float *)w->in)[n - 1 - i] / 8;
        else
            ((double *)w->a)[i] = ((const double *)w->in)[n - 1 - i] / 8;
    }
}

static bool measure_size(const bench_options *options, segmented_work *w, unsigned log2n)
{
    const bool floats = w->type == PARSCAN_F32 || w->type == PARSCAN_F64;
    bool right = true;
    for (size_t t = 0; t < (options->list ? 1 : options->thread_counts); t++) {
        w->threads = options->threads[t];
        for (const bench_shape *shape = bench_shapes; shape->name != NULL; shape++)
            right &= measure(options, w, log2n, shape);
        if (floats)
            right &= measure(options, w, log2n, NULL);
    }
    return right;
}

static bool measure_type(const bench_options *options, parscan_type type)
{
    const size_t size = parscan_type_size(type);
    /* Input, factors, output, expected output; flags, keys, offsets. Offsets are u32 here. */
    const double each_bytes = (double)(4 * size + 1 + 4 + 4);
    unsigned top = options->max_log2n < 31 ? options->max_log2n : 31;
    while (top >= options->min_log2n && each_bytes * exp2(top) > 0.8 * bench_available_memory())
        top--;
    if (top < options->min_log2n)
        return true;
    const size_t n = (size_t)1 << top;
    const bool huge = options->huge_pages;
    segmented_work *const w = calloc(1, sizeof *w);
    if (w == NULL)
        exit(EXIT_FAILURE);
    *w = (segmented_work){.type = type, .element = bench_element_of(type)};
    w->in = bench_memory(n * size, 0, huge);
    w->a = bench_memory(n * size, KEYS_OFFSET, huge);
    w->out = bench_memory(n * size, OUT_OFFSET, huge);
    w->expected = bench_memory(n * size, OUT_OFFSET, huge);
    w->flags = bench_memory(n, KEYS_OFFSET, huge);
    w->keys = bench_memory(n * sizeof *w->keys, KEYS_OFFSET, huge);
    w->offsets = bench_memory((n + 1) * sizeof *w->offsets, KEYS_OFFSET, huge);
    w->element->fill(w->in, n, options->seed);
    if (type == PARSCAN_F32 || type == PARSCAN_F64)
        fill_factors(w, n);
    bool right = true;
    for (unsigned log2n = options->min_log2n; log2n <= top; log2n += options->step)
        right &= measure_size(options, w, log2n);
    bench_release(w->in);
    bench_release(w->a);
    bench_release(w->out);
    bench_release(w->expected);
    bench_release(w->flags);
    bench_release(w->keys);
    bench_release(w->offsets);
    free(w);
    return right;
}

bool bench_segmented(const bench_options *options)
{
    bool right = true;
    for (size_t k = 0; k < options->type_count; k++)
        right &= measure_type(options, options->types[k]);
    return right;
}
