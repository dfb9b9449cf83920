/*
 * Histograms and binning, beside plain loops, OpenMP and copies of the input. 2^log2n is the number
 * of elements; of an array of bins and one of values for binning.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"
#include "copy.h"
#include "peers_histogram.h"

typedef enum shape { UNIFORM, ONE_VALUE, ZIPF, SORTED } shape;

static const char *const shape_names[] = {"uniform", "one", "zipf", "sorted"};

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
    void *in, *out; /* of `bytes` and, for binning, as many values: in's are indices */
    uint32_t *values, *counts, *expected;
} work;

static void must(parscan_status status, const work *w)
{
    if (status == PARSCAN_OK)
        return;
    fprintf(stderr, "bench_apps: %s\n", parscan_context_error(w->engine));
    exit(EXIT_FAILURE);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* The bin of element i of n; zipf: of probability about 1 / (bin + 1). */
static size_t random_bin(const input *from, size_t i, size_t n, uint64_t *state)
{
    const double unit = (double)(next_random(state) >> 11) * 0x1p-53;
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

/* The input, and what its counts are. */
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
    must(parscan_histogram(
             w->engine, w->input->type, w->in, w->n, w->input->bins, PARSCAN_U32, w->counts,
             floats ? &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper) : NULL),
         w);
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
    must(parscan_bin(w->engine, PARSCAN_U32, w->in, sizeof *w->values, w->values, w->n,
                     w->input->bins, PARSCAN_U32, w->counts, w->out),
         w);
}

static void run_bin_loop(void *context)
{
    const work *const w = context;
    bench_bin_loop(w->in, w->values, w->n, w->input->bins, w->counts, w->out);
}

/* Values are the indices of their entries: they ascend within a bin. */
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

static void run_memcpy(void *context)
{
    const work *const w = context;
    bench_memcpy(w->out, w->in, w->bytes, w->threads);
}

static void run_memcpy_1(void *context)
{
    const work *const w = context;
    bench_memcpy(w->out, w->in, w->bytes, 1);
}

static void run_nt_copy(void *context)
{
    const work *const w = context;
    bench_nt_copy(w->out, w->in, w->bytes, w->threads);
}

static bool verify_copy(void *context)
{
    const work *const w = context;
    run_nt_copy(context);
    return memcmp(w->in, w->out, w->bytes) == 0;
}

static void run_read(void *context)
{
    const work *const w = context;
    w->counts[0] = (uint32_t)bench_read(w->in, w->bytes, w->threads);
}

static bool verify_read(void *context)
{
    run_read(context);
    return true;
}

static void add(bench_group *group, work *w, bench_case added)
{
    added.context = w;
    bench_add(group, added);
}

static void add_copies(bench_group *group, work *w)
{
    const double both = 2 * (double)w->bytes;
    add(group, w,
        (bench_case){"memcpy", run_memcpy, verify_copy, .bytes = both, .role = BENCH_MEMCPY,
                     .pool = BENCH_POOL_OPENMP});
    add(group, w,
        (bench_case){"nt-copy", run_nt_copy, verify_copy, .bytes = both, .role = BENCH_NT_COPY,
                     .pool = BENCH_POOL_OPENMP});
    add(group, w,
        (bench_case){"read", run_read, verify_read, .bytes = (double)w->bytes,
                     .pool = BENCH_POOL_OPENMP});
    if (w->threads > 1)
        add(group, w, (bench_case){"memcpy-1", run_memcpy_1, verify_copy, .bytes = both});
}

static void add_histograms(bench_group *group, work *w)
{
    const double bytes = (double)w->bytes;
    const bool peers = w->input->type != PARSCAN_F32;
    add(group, w,
        (bench_case){"parscan", run_histogram, verify_histogram, .bytes = bytes,
                     .pool = BENCH_POOL_OPENMP});
    if (peers)
        add(group, w, (bench_case){"loop", run_loop, verify_loop, .bytes = bytes});
    /* The private copies of a reduction lie on the threads' stacks. */
    if (peers && w->input->bins <= 1 << 20)
        add(group, w,
            (bench_case){"omp-reduction", run_reduction, verify_reduction, .bytes = bytes,
                         .pool = BENCH_POOL_OPENMP});
    if (peers && w->input->bins <= BENCH_EIGHT_BINS)
        add(group, w,
            (bench_case){"omp-eight", run_eight, verify_eight, .bytes = bytes,
                         .pool = BENCH_POOL_OPENMP});
}

static void add_binnings(bench_group *group, work *w)
{
    const double bytes = 3 * (double)w->bytes;
    add(group, w,
        (bench_case){"parscan", run_bin, verify_bin, .bytes = bytes, .pool = BENCH_POOL_OPENMP});
    add(group, w, (bench_case){"loop", run_bin_loop, verify_bin_loop, .bytes = bytes});
}

static bool measure(const bench_options *options, work *w, unsigned log2n, const char *benchmark,
                    void (*add_cases)(bench_group *group, work *w))
{
    char name[64];
    snprintf(name, sizeof name, "%s-%zu-%s", parscan_type_name(w->input->type), w->input->bins,
             shape_names[w->input->shape]);
    bool right = true;
    for (size_t k = 0; k < options->thread_counts; k++) {
        bench_group group = {.options = options,
                             .benchmark = benchmark,
                             .type = name,
                             .log2n = log2n,
                             .threads = options->threads[k]};
        w->threads = group.threads;
        if (parscan_context_create(&w->engine, &PARSCAN_CONTEXT_OPTIONS(.threads = w->threads)) !=
            PARSCAN_OK)
            exit(EXIT_FAILURE);
        add_cases(&group, w);
        add_copies(&group, w);
        right &= bench_measure(&group);
        parscan_context_destroy(w->engine);
    }
    return right;
}

/* Whether --type asks for it. */
static bool wanted(const bench_options *options, const input *from)
{
    for (size_t k = 0; k < options->type_count; k++)
        if (options->types[k] == from->type)
            return true;
    return false;
}

static bool measure_size(const bench_options *options, work *w, unsigned log2n)
{
    bool right = true;
    w->n = (size_t)1 << log2n;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        w->input = &inputs[k];
        w->bytes = w->n * parscan_type_size(w->input->type);
        if (!wanted(options, w->input))
            continue;
        fill(w, options->seed);
        right &= measure(options, w, log2n, "histogram", add_histograms);
    }
    for (size_t k = 0; k < sizeof binned / sizeof *binned; k++) {
        w->input = &binned[k];
        w->bytes = w->n * parscan_type_size(w->input->type);
        if (!wanted(options, w->input))
            continue;
        fill(w, options->seed);
        right &= measure(options, w, log2n, "bin", add_binnings);
    }
    return right;
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
