/*
 * Histograms and binning, compared with plain loops, OpenMP and copies of the input. 2^log2n is the
 * number of elements; for binning, of entries, each with a bin and a value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"
#include "copy_cases.h"
#include "numpy.h"
#include "peers_histogram.h"

typedef enum shape { UNIFORM, ONE_VALUE, ZIPF, SORTED } shape;

static const char *const shape_names[] = {"uniform", "one-value", "zipf", "sorted"};

typedef struct input {
    parscan_type type;
    size_t bins;
    shape shape;
} input;

static const input inputs[] = {
    {PARSCAN_U8, 256, UNIFORM},      {PARSCAN_U8, 256, ONE_VALUE},    {PARSCAN_U8, 256, ZIPF},
    {PARSCAN_U8, 256, SORTED},       {PARSCAN_U32, 256, UNIFORM},     {PARSCAN_U32, 256, ONE_VALUE},
    {PARSCAN_U32, 256, ZIPF},        {PARSCAN_U32, 4096, UNIFORM},    {PARSCAN_U32, 4096, ZIPF},
    {PARSCAN_U32, 65536, UNIFORM},   {PARSCAN_U32, 65536, ONE_VALUE}, {PARSCAN_U32, 65536, ZIPF},
    {PARSCAN_U32, 65536, SORTED},    {PARSCAN_U32, 1 << 20, UNIFORM}, {PARSCAN_U32, 1 << 20, ZIPF},
    {PARSCAN_U32, 1 << 24, UNIFORM}, {PARSCAN_F32, 1000, UNIFORM},
};

static const input binned[] = {
    {PARSCAN_U32, 256, UNIFORM},  {PARSCAN_U32, 256, ZIPF},     {PARSCAN_U32, 65536, UNIFORM},
    {PARSCAN_U32, 65536, ZIPF},   {PARSCAN_U32, 65536, SORTED}, {PARSCAN_U32, 1 << 20, UNIFORM},
    {PARSCAN_U32, 1 << 20, ZIPF},
};

typedef struct work {
    parscan_context *engine;
    unsigned threads;
    const input *input;
    size_t n, bytes;
    void *in, *out; /* of `bytes` bytes; for binning also as many values, and those of `in` are
                       indices */
    uint32_t *values, *counts, *expected;
    bench_copies copies, copies_1;
    bench_numpy_work numpy;
} work;

/* The bin of element i of n. With zipf its probability is about 1 / (bin + 1). */
static size_t random_bin(const input *from, size_t i, size_t n, uint64_t *state)
{
    const double unit = (double)(bench_random(state) >> 11) * 0x1p-53;
    switch (from->shape) {
    case ONE_VALUE:
        return from->bins / 3;
    case ZIPF:
        return (size_t)exp(unit * log((double)from->bins + 1)) - 1;
    case SORTED:
        return (size_t)((double)i / (double)n * (double)from->bins);
    default:
        return (size_t)(unit * (double)from->bins);
    }
}

/* Fills the input and computes its counts. */
static void fill(work *w, uint64_t seed)
{
    const size_t bins = w->input->bins;
    memset(w->expected, 0, bins * sizeof *w->expected);
    for (size_t i = 0; i < w->n; i++) {
        size_t bin = random_bin(w->input, i, w->n, &seed);
        bin = bin < bins ? bin : bins - 1;
        w->expected[bin]++;
        if (w->input->type == PARSCAN_U8)
            ((uint8_t *)w->in)[i] = (uint8_t)bin;
        else if (w->input->type == PARSCAN_U32)
            ((uint32_t *)w->in)[i] = (uint32_t)bin;
        else
            ((float *)w->in)[i] = (float)bin + 0.5f;
    }
}

static void run_histogram(void *context)
{
    work *const w = context;
    const float lower = 0, upper = (float)w->input->bins;
    const bool floats = w->input->type == PARSCAN_F32;
    bench_must(parscan_histogram(
                   w->engine, w->input->type, w->in, w->n, w->input->bins, PARSCAN_U32, w->counts,
                   floats ? &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper) : NULL),
               w->engine);
}

static bool counts_are_right(const work *w)
{
    return memcmp(w->counts, w->expected, w->input->bins * sizeof *w->counts) == 0;
}

static bool verify_histogram(void *context)
{
    work *const w = context;
    memset(w->counts, 0xa5, w->input->bins * sizeof *w->counts);
    run_histogram(w);
    return counts_are_right(w);
}

#define PEER(name, function)                                                                \
    static void run_##name(void *context)                                                   \
    {                                                                                       \
        const work *const w = context;                                                      \
        function(w->in, parscan_type_size(w->input->type), w->n, w->input->bins, w->counts, \
                 w->threads);                                                               \
    }                                                                                       \
    static bool verify_##name(void *context)                                                \
    {                                                                                       \
        run_##name(context);                                                                \
        return counts_are_right(context);                                                   \
    }
PEER(loop, bench_histogram_loop)
PEER(reduction, bench_histogram_reduction)
PEER(eight, bench_histogram_eight)

static void run_bin(void *context)
{
    const work *const w = context;
    bench_must(parscan_bin(w->engine, PARSCAN_U32, w->in, sizeof *w->values, w->values, w->n,
                           w->input->bins, PARSCAN_U32, w->counts, w->out),
               w->engine);
}

static void run_bin_loop(void *context)
{
    const work *const w = context;
    bench_bin_loop(w->in, w->values, w->n, w->input->bins, w->counts, w->out);
}

/* Values are the indices of their entries, so they must ascend within a bin. */
static bool bins_are_right(const work *w)
{
    const uint32_t *const values = w->out, *const bins = w->in;
    size_t at = 0;
    for (size_t bin = 0; bin < w->input->bins; bin++) {
        if (w->counts[bin] != at || w->counts[bin + 1] != at + w->expected[bin])
            return false;
        for (const size_t end = w->counts[bin + 1], begin = at; at < end; at++)
            if (bins[values[at]] != bin || (at > begin && values[at] <= values[at - 1]))
                return false;
    }
    return at == w->n;
}

static bool verify_bin(void *context)
{
    run_bin(context);
    return bins_are_right(context);
}

static bool verify_bin_loop(void *context)
{
    run_bin_loop(context);
    return bins_are_right(context);
}

static bool check_numpy(void *user)
{
    const work *const w = user;
    return w->numpy.count == w->input->bins && counts_are_right(w);
}

static void add(bench_group *group, work *w, bench_case added)
{
    added.context = w;
    added.bytes = added.bytes > 0 ? added.bytes : (double)w->bytes;
    bench_add(group, added);
}

static void add_copies(bench_group *group, work *w)
{
    w->copies = (bench_copies){w->in, w->out, w->bytes, w->threads, 0};
    bench_add_copies(group, &w->copies);
    w->copies_1 = (bench_copies){w->in, w->out, w->bytes, 1, 0};
    if (w->threads > 1)
        bench_add_copies_1(group, &w->copies_1);
}

/* The peers for integers. */
static void add_peers(bench_group *group, work *w)
{
    const size_t bins = w->input->bins;
    add(group, w,
        (bench_case){.name = "loop", .run = run_loop, .verify = verify_loop, .role = BENCH_PEER});
    /* A reduction keeps its private copies on the threads' stacks. */
    if (bins <= 1 << 20)
        add(group, w,
            (bench_case){.name = "openmp-reduction",
                         .run = run_reduction,
                         .verify = verify_reduction,
                         .role = BENCH_PEER,
                         .pool = BENCH_POOL_OPENMP});
    if (bins <= BENCH_EIGHT_BINS)
        add(group, w,
            (bench_case){.name = "openmp-eight",
                         .run = run_eight,
                         .verify = verify_eight,
                         .role = BENCH_PEER,
                         .pool = BENCH_POOL_OPENMP});
    w->numpy = (bench_numpy_work){.call = "bincount",
                                  .type = w->input->type,
                                  .in = w->in,
                                  .n = w->n,
                                  .argument = bins,
                                  .out = w->counts,
                                  .check = check_numpy,
                                  .user = w};
    bench_add_numpy(group, NULL, (double)w->bytes, &w->numpy);
}

static void add_histograms(bench_group *group, work *w)
{
    add(group, w,
        (bench_case){.name = "parscan",
                     .run = run_histogram,
                     .verify = verify_histogram,
                     .pool = BENCH_POOL_PARSCAN});
    if (w->input->type != PARSCAN_F32)
        add_peers(group, w);
}

static void add_binnings(bench_group *group, work *w)
{
    const double bytes = 3 * (double)w->bytes;
    add(group, w,
        (bench_case){.name = "parscan",
                     .run = run_bin,
                     .verify = verify_bin,
                     .bytes = bytes,
                     .pool = BENCH_POOL_PARSCAN});
    add(group, w,
        (bench_case){.name = "loop",
                     .run = run_bin_loop,
                     .verify = verify_bin_loop,
                     .bytes = bytes,
                     .role = BENCH_PEER});
}

/* Measures every input of a list, histograms or binnings, at one size. */
static bool measure_list(const bench_options *options, work *w, unsigned log2n,
                         const char *primitive, const input *list, size_t count,
                         void (*add_cases)(bench_group *group, work *w))
{
    bool right = true;
    for (size_t k = 0; k < count; k++) {
        char name[64];
        const char *const type = parscan_type_name(list[k].type);
        const char *const shape_name = shape_names[list[k].shape];
        snprintf(name, sizeof name, "%s-%zu", primitive, list[k].bins);
        if (!bench_type_wanted(options, list[k].type) ||
            !bench_wanted(options, name, type, shape_name))
            continue;
        w->input = &list[k];
        w->bytes = w->n * parscan_type_size(list[k].type);
        fill(w, options->seed);
        for (size_t t = 0; t < options->thread_counts; t++) {
            bench_group *const group =
                bench_new_group(options, name, type, shape_name, log2n, options->threads[t]);
            w->threads = group->threads;
            w->engine = bench_engine(w->threads);
            add_cases(group, w);
            add_copies(group, w);
            right &= bench_measure(group);
            parscan_context_destroy(w->engine);
            free(group);
        }
    }
    return right;
}

static bool measure_size(const bench_options *options, work *w, unsigned log2n)
{
    w->n = (size_t)1 << log2n;
    const bool right = measure_list(options, w, log2n, "histogram", inputs,
                                    sizeof inputs / sizeof *inputs, add_histograms);
    return measure_list(options, w, log2n, "bin", binned, sizeof binned / sizeof *binned,
                        add_binnings) &&
           right;
}

bool bench_histogram(const bench_options *options)
{
    enum { MAX_BINS = 1 << 24, MAX_LOG2N = 27, OUT_OFFSET = 1024, VALUES_OFFSET = 2048 };
    const unsigned top = options->max_log2n < MAX_LOG2N ? options->max_log2n : MAX_LOG2N;
    const size_t room = sizeof(uint32_t) << top;
    work w = {.in = bench_memory(room, 0, options->huge_pages),
              .out = bench_memory(room, OUT_OFFSET, options->huge_pages),
              .values = bench_memory(room, VALUES_OFFSET, options->huge_pages),
              .counts = bench_memory((MAX_BINS + 1) * sizeof *w.counts, 0, options->huge_pages),
              .expected = bench_memory(MAX_BINS * sizeof *w.counts, 0, options->huge_pages)};
    for (size_t i = 0; i < (size_t)1 << top; i++)
        w.values[i] = (uint32_t)i;
    bool right = true;
    for (unsigned log2n = options->min_log2n; log2n <= top; log2n += options->step)
        right &= measure_size(options, &w, log2n);
    bench_release(w.expected);
    bench_release(w.counts);
    bench_release(w.values);
    bench_release(w.out);
    bench_release(w.in);
    return right;
}
