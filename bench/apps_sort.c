/*
 * Sorts, compared with std::sort, TBB, vqsort and a copy of the keys. 2^log2n is the number of
 * keys.
 *
 * Peers sort in place, so each of their calls first copies the input, within the measured time;
 * parscan's in-place cases do the same. Out of place, parscan needs no copy. The row of the copy
 * shows what it costs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"
#include "copy_cases.h"
#include "elements.h"
#include "numpy.h"
#include "peers_sort.h"

typedef enum shape { UNIFORM, ZIPF, FEW, SORTED, REVERSED, TOP_BYTE, SHAPES } shape;

static const char *const shape_names[] = {"uniform", "zipf",     "few",
                                          "sorted",  "reversed", "top-byte"};

typedef struct sort_input {
    parscan_type type;
    shape shape;
    unsigned log2n; /* 0: all sizes of the options */
    bool values;    /* also measures pairs, indices and segments */
} sort_input;

static const sort_input inputs[] = {
    {PARSCAN_U32, UNIFORM, 0, true},   {PARSCAN_U64, UNIFORM, 0, false},
    {PARSCAN_U8, UNIFORM, 24, false},  {PARSCAN_U16, UNIFORM, 24, false},
    {PARSCAN_F32, UNIFORM, 24, false}, {PARSCAN_F64, UNIFORM, 24, false},
    {PARSCAN_U32, ZIPF, 24, true},     {PARSCAN_U32, FEW, 20, true},
    {PARSCAN_U32, SORTED, 24, true},   {PARSCAN_U32, REVERSED, 24, false},
    {PARSCAN_U32, TOP_BYTE, 24, true},
};

/* Above 2^MAX_LOG2N_PEERS keys the slow peers take minutes. */
enum { MAX_LOG2N_PEERS = 24, FEW_VALUES = 16 };

typedef enum sort_action { KEYS, IN_PLACE, PAIRS, INDICES, SEGMENTS, PEER } sort_action;

typedef struct work {
    parscan_context *engine;
    const sort_input *input;
    unsigned threads;
    size_t n, bytes;
    void *in, *out;
    uint32_t *values, *values_out;
    uint8_t *heads;       /* of segments */
    uint64_t checksum[2]; /* of the input's keys */
    bench_copies copies;
    bench_numpy_work numpy;
} work;

typedef struct sort_case {
    work *work;
    sort_action action;
    bench_sort_function *peer;
} sort_case;

/* The low bits of key i. */
static uint64_t key_bits(const work *w, size_t i, uint64_t *state)
{
    const unsigned bits = 8 * (unsigned)parscan_type_size(w->input->type);
    const uint64_t random = bench_random(state);
    switch (w->input->shape) {
    case ZIPF: /* with a probability of about 1 / key */
        return (uint64_t)exp((double)(random >> 11) * 0x1p-53 * log((double)w->n));
    case FEW: {
        uint64_t value = random % FEW_VALUES;
        return bench_random(&value);
    }
    case SORTED:
        return i;
    case REVERSED:
        return w->n - i;
    case TOP_BYTE:
        return random >> 56 << (bits - 8);
    default:
        return random;
    }
}

static void put_key(const work *w, size_t i, uint64_t bits)
{
    const size_t size = parscan_type_size(w->input->type);
    const float single = (float)(int32_t)bits;
    const double twice = (double)(int64_t)bits;
    const void *from = &bits; /* the machine is little-endian, as the whole harness assumes */
    if (w->input->type == PARSCAN_F32)
        from = &single;
    if (w->input->type == PARSCAN_F64)
        from = &twice;
    memcpy((char *)w->in + i * size, from, size);
}

static uint64_t get_key(const work *w, const void *keys, size_t i)
{
    const size_t size = parscan_type_size(w->input->type);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)keys + i * size, size);
    return bits;
}

static void checksum(const work *w, const void *keys, uint64_t sums[2])
{
    sums[0] = sums[1] = 0;
    for (size_t i = 0; i < w->n; i++) {
        uint64_t key = get_key(w, keys, i);
        sums[0] += key;
        sums[1] += bench_random(&key);
    }
}

/* A million short segments, and one that has half of all elements. */
static void fill(work *w, uint64_t seed)
{
    for (size_t i = 0; i < w->n; i++) {
        put_key(w, i, key_bits(w, i, &seed));
        w->values[i] = (uint32_t)i;
        w->heads[i] = (i < w->n / 4 || i > w->n / 4 * 3) && bench_random(&seed) % 16 == 0;
    }
    checksum(w, w->in, w->checksum);
}

static void run(void *context)
{
    const sort_case *const c = context;
    work *const w = c->work;
    const parscan_type type = w->input->type;
    if (c->action == IN_PLACE || c->action == PEER)
        memcpy(w->out, w->in, w->bytes);
    switch (c->action) {
    case KEYS:
        bench_must(parscan_sort_keys(w->engine, type, w->in, w->out, w->n, NULL), w->engine);
        break;
    case IN_PLACE:
        bench_must(parscan_sort_keys(w->engine, type, w->out, w->out, w->n, NULL), w->engine);
        break;
    case PAIRS:
        bench_must(parscan_sort_pairs(w->engine, type, w->in, w->out, sizeof *w->values, w->values,
                                      w->values_out, w->n, NULL),
                   w->engine);
        break;
    case INDICES:
        bench_must(parscan_argsort(w->engine, type, w->in, PARSCAN_U32, w->values_out, w->n, NULL),
                   w->engine);
        break;
    case SEGMENTS:
        bench_must(parscan_sort_segments(
                       w->engine, type, w->in, w->out, 0, NULL, NULL, w->n,
                       &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = w->heads), NULL),
                   w->engine);
        break;
    case PEER:
        c->peer(w->out, w->n, w->threads);
        break;
    }
}

static bool below(const work *w, uint64_t a, uint64_t b)
{
    if (w->input->type == PARSCAN_F32) {
        float x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        return x < y;
    }
    if (w->input->type == PARSCAN_F64) {
        double x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        return x < y;
    }
    return a < b;
}

/* Whether keys are in order, within segments if there are any, and equal keys in the order of
   their values. */
static bool in_order(const work *w, sort_action action)
{
    for (size_t i = 1; i < w->n; i++) {
        if (action == SEGMENTS && w->heads[i])
            continue;
        const uint64_t a = get_key(w, w->out, i - 1), b = get_key(w, w->out, i);
        if (below(w, b, a))
            return false;
        if (action == PAIRS && a == b && w->values_out[i - 1] >= w->values_out[i])
            return false;
    }
    return true;
}

static bool keys_are_right(const work *w, sort_action action)
{
    uint64_t sums[2];
    checksum(w, w->out, sums);
    return sums[0] == w->checksum[0] && sums[1] == w->checksum[1] && in_order(w, action);
}

static bool verify(void *context)
{
    const sort_case *const c = context;
    work *const w = c->work;
    memset(w->out, 0xa5, w->bytes);
    memset(w->values_out, 0xa5, w->n * sizeof *w->values_out);
    run(context);
    for (size_t i = 0; (c->action == PAIRS || c->action == INDICES) && i < w->n; i++) {
        if (w->values_out[i] >= w->n)
            return false;
        const uint64_t key = get_key(w, w->in, w->values_out[i]);
        if (c->action == INDICES)
            memcpy((char *)w->out + i * parscan_type_size(w->input->type), &key,
                   parscan_type_size(w->input->type));
        else if (key != get_key(w, w->out, i))
            return false;
    }
    return keys_are_right(w, c->action == INDICES ? PAIRS : c->action);
}

static bool check_numpy(void *user)
{
    return keys_are_right(user, KEYS);
}

static void add(bench_group *group, sort_case *cases, work *w, bench_case added, sort_action action,
                bench_sort_function *peer)
{
    sort_case *const c = cases + group->count;
    *c = (sort_case){w, action, peer};
    added.context = c;
    added.verify = verify;
    added.run = action == PEER && peer == NULL ? NULL : run;
    added.role = action == PEER ? BENCH_PEER : BENCH_PARSCAN;
    added.bytes = 2.0 * (double)w->bytes;
    bench_add(group, added);
}

static void add_parscan(bench_group *group, sort_case *cases, work *w, const char *name,
                        const char *work_name, sort_action action)
{
    add(group, cases, w, (bench_case){.name = name, .work = work_name, .pool = BENCH_POOL_PARSCAN},
        action, NULL);
}

static void add_numpy(bench_group *group, work *w)
{
    w->numpy = (bench_numpy_work){.call = "sort",
                                  .type = w->input->type,
                                  .in = w->in,
                                  .n = w->n,
                                  .out = w->out,
                                  .check = check_numpy,
                                  .user = w};
    bench_add_numpy(group, NULL, 2.0 * (double)w->bytes, &w->numpy);
}

static void add_peers(bench_group *group, sort_case *cases, work *w)
{
    const parscan_type type = w->input->type;
    const bench_case peers[] = {
        {.name = "vqsort"},
        {.name = "thrust-openmp", .pool = BENCH_POOL_OPENMP},
        {.name = "std"},
        {.name = "std-par", .pool = BENCH_POOL_TBB},
        {.name = "tbb", .pool = BENCH_POOL_TBB},
    };
    bench_sort_function *const functions[] = {bench_vqsort(type), bench_thrust_sort(type),
                                              bench_std_sort(type), bench_std_sort_par(type),
                                              bench_tbb_sort(type)};
    const size_t fast = 2, all = sizeof peers / sizeof *peers;
    for (size_t k = 0; k < (group->log2n > MAX_LOG2N_PEERS ? fast : all); k++)
        add(group, cases, w, peers[k], PEER, functions[k]);
    add_numpy(group, w);
}

static void add_cases(bench_group *group, sort_case *cases, work *w)
{
    add_parscan(group, cases, w, "parscan", NULL, KEYS);
    add_parscan(group, cases, w, "parscan-in-place", NULL, IN_PLACE);
    if (w->input->values) {
        add_parscan(group, cases, w, "parscan", "sort-pairs", PAIRS);
        add_parscan(group, cases, w, "parscan", "argsort", INDICES);
        add_parscan(group, cases, w, "parscan", "sort-segments", SEGMENTS);
    }
    w->copies = (bench_copies){w->in, w->out, (w->bytes + 7) / 8 * 8, w->threads, 0};
    bench_add_copies(group, &w->copies);
    add_peers(group, cases, w);
}

static bool measure(const bench_options *options, const sort_input *input, unsigned log2n,
                    unsigned threads)
{
    const size_t n = (size_t)1 << log2n, bytes = n * parscan_type_size(input->type);
    const bool huge = options->huge_pages;
    /* Keys and values, input and output, and as much again for parscan's scratch. */
    if (3.0 * (double)(bytes + n * sizeof(uint32_t)) > 0.9 * bench_available_memory()) {
        bench_write_note("# %s: no memory for 2^%u keys\n", shape_names[input->shape], log2n);
        return true;
    }
    work w = {.input = input,
              .threads = threads,
              .n = n,
              .bytes = bytes,
              .in = bench_memory(bytes, 0, huge),
              .out = bench_memory(bytes, 2048, huge),
              .values = bench_memory(n * sizeof *w.values, 1024, huge),
              .values_out = bench_memory(n * sizeof *w.values, 3072, huge),
              .heads = bench_memory(n, 512, huge)};
    bench_group *const group = bench_new_group(options, "sort-keys", parscan_type_name(input->type),
                                               shape_names[input->shape], log2n, threads);
    sort_case cases[BENCH_MAX_CASES];
    w.engine = bench_engine(threads);
    fill(&w, options->seed);
    bench_std_threads(threads);
    add_cases(group, cases, &w);
    const bool right = bench_measure(group);
    free(group);
    parscan_context_destroy(w.engine);
    bench_release(w.heads);
    bench_release(w.values_out);
    bench_release(w.values);
    bench_release(w.out);
    bench_release(w.in);
    return right;
}

bool bench_sort(const bench_options *options)
{
    bool right = true;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        const sort_input *const input = inputs + k;
        if (!bench_type_wanted(options, input->type) ||
            !bench_wanted(options, "sort-keys", parscan_type_name(input->type),
                          shape_names[input->shape]))
            continue;
        unsigned log2n = input->log2n != 0 ? input->log2n : options->min_log2n;
        const unsigned last = input->log2n != 0 ? input->log2n : options->max_log2n;
        for (; log2n <= last; log2n += options->step)
            for (size_t t = 0; t < options->thread_counts; t++)
                right &= measure(options, input, log2n, options->threads[t]);
    }
    return right;
}
