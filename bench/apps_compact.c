/*
 * Compaction of u32, compared with the C++ library's algorithms, Highway, OpenMP and copies of the
 * input. The groups are a filter that keeps 1, 50 or 90% of uniform input; runs of four elements on
 * average; a dense matrix of 1000 columns with 1 or 10% of its elements not zero.
 */
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"
#include "copy_cases.h"
#include "numpy.h"
#include "peers_compact.h"

typedef enum shape { FILTER, RUNS, MATRIX } shape;

typedef struct input {
    const char *name;
    shape shape;
    double share; /* the share that is kept, that begins a run, or that is not zero */
} input;

static const input inputs[] = {
    {"1%", FILTER, 0.01}, {"50%", FILTER, 0.5},       {"90%", FILTER, 0.9},
    {"runs", RUNS, 0.25}, {"dense-1%", MATRIX, 0.01}, {"dense-10%", MATRIX, 0.1},
};

enum { COLUMNS = 1000 };

typedef struct work {
    parscan_context *engine;
    unsigned threads;
    const input *input;
    uint32_t limit; /* the filter's limit */
    size_t n, bytes, kept;
    uint32_t *in, *out, *other; /* other: the second output, for lengths or columns */
    uint32_t *expected;         /* the elements that are kept, then the rest */
    uint32_t *row_offsets;
    uint8_t *flags;
    uint64_t count;
    bench_copies copies, copies_1;
    bench_numpy_work numpy;
} work;

/* A peer on a number of threads. */
typedef struct peer_case {
    work *work;
    bench_compact_peer *peer;
    unsigned threads;
} peer_case;

/* Fills the input, and finds what is kept of it. */
static void fill(work *w, uint64_t seed)
{
    const shape kind = w->input->shape;
    const uint32_t limit = (uint32_t)(w->input->share * 0x1p32);
    w->limit = limit;
    w->kept = 0;
    for (size_t i = 0; i < w->n; i++) {
        const uint64_t random = bench_random(&seed);
        const uint32_t low = (uint32_t)random, high = (uint32_t)(random >> 32);
        bool keep = low < limit;
        if (kind == RUNS) {
            keep |= i == 0;
            w->in[i] = keep ? high : w->in[i - 1];
            keep = i == 0 || w->in[i] != w->in[i - 1];
        } else {
            w->in[i] = kind == FILTER ? low : keep ? high | 1 : 0;
        }
        w->flags[i] = keep;
        w->expected[w->kept] = w->in[i];
        w->kept += keep;
    }
    size_t rest = w->kept;
    for (size_t i = 0; i < w->n && kind == FILTER; i++)
        if (!w->flags[i])
            w->expected[rest++] = w->in[i];
}

static parscan_predicate below(const work *w)
{
    return PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &w->limit);
}

static void run_compact_if(void *context)
{
    work *const w = context;
    const parscan_predicate keep = below(w);
    bench_must(parscan_compact_if(w->engine, PARSCAN_U32, w->in, &keep, w->out, w->n, &w->count),
               w->engine);
}

static void run_compact(void *context)
{
    work *const w = context;
    bench_must(parscan_compact(w->engine, sizeof *w->in, w->in, w->flags, w->out, w->n, &w->count),
               w->engine);
}

static void run_indices(void *context)
{
    work *const w = context;
    const parscan_predicate keep = below(w);
    bench_must(parscan_compact_indices(w->engine, PARSCAN_U32, w->in, &keep, PARSCAN_U32, w->out,
                                       w->n, &w->count),
               w->engine);
}

static void run_partition(void *context)
{
    work *const w = context;
    const parscan_predicate keep = below(w);
    bench_must(parscan_partition(w->engine, PARSCAN_U32, w->in, &keep, w->out, w->n, &w->count),
               w->engine);
}

static void run_unique(void *context)
{
    work *const w = context;
    bench_must(parscan_unique(w->engine, PARSCAN_U32, w->in, w->out, w->n, &w->count), w->engine);
}

static void run_lengths(void *context)
{
    work *const w = context;
    bench_must(parscan_run_length_encode(w->engine, PARSCAN_U32, w->in, w->out, PARSCAN_U32,
                                         w->other, w->n, &w->count),
               w->engine);
}

static void run_csr(void *context)
{
    work *const w = context;
    bench_must(parscan_dense_to_csr(w->engine, PARSCAN_U32, w->in, w->n / COLUMNS, COLUMNS,
                                    PARSCAN_U32, w->row_offsets, w->other, w->out, &w->count),
               w->engine);
}

static bool kept_is_right(const work *w)
{
    return w->count == w->kept && memcmp(w->out, w->expected, w->kept * sizeof *w->out) == 0;
}

static bool indices_are_right(const work *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->flags[i] && w->out[kept++] != i)
            return false;
    return w->count == w->kept;
}

static bool lengths_are_right(const work *w)
{
    size_t at = 0;
    for (size_t run = 0; run < w->kept; at += w->other[run++])
        if (at >= w->n || !w->flags[at])
            return false;
    return at == w->n && kept_is_right(w);
}

static bool csr_is_right(const work *w)
{
    const size_t elements = w->n / COLUMNS * COLUMNS;
    size_t entry = 0;
    for (size_t i = 0; i < elements; i++) {
        if (i % COLUMNS == 0 && w->row_offsets[i / COLUMNS] != entry)
            return false;
        if (w->flags[i] && (w->out[entry] != w->in[i] || w->other[entry] != i % COLUMNS))
            return false;
        entry += w->flags[i];
    }
    return w->count == entry && w->row_offsets[elements / COLUMNS] == entry;
}

static void spoil(work *w)
{
    memset(w->out, 0xa5, w->bytes);
    w->count = 0;
}

#define VERIFY(name, is_right)               \
    static bool verify_##name(void *context) \
    {                                        \
        spoil(context);                      \
        run_##name(context);                 \
        return is_right(context);            \
    }
static bool partition_is_right(const work *w)
{
    return kept_is_right(w) && memcmp(w->out, w->expected, w->bytes) == 0;
}
VERIFY(compact_if, kept_is_right)
VERIFY(compact, kept_is_right)
VERIFY(indices, indices_are_right)
VERIFY(partition, partition_is_right)
VERIFY(unique, kept_is_right)
VERIFY(lengths, lengths_are_right)
VERIFY(csr, csr_is_right)

static void run_peer(void *context)
{
    const peer_case *const c = context;
    work *const w = c->work;
    w->count = c->peer(w->in, w->n, w->limit, w->out, c->threads);
}

static bool verify_peer(void *context)
{
    const peer_case *const c = context;
    spoil(c->work);
    run_peer(context);
    return c->peer == bench_loop_indices ? indices_are_right(c->work) : kept_is_right(c->work);
}

static bool check_numpy(void *user)
{
    work *const w = user;
    w->count = w->numpy.count;
    return kept_is_right(w);
}

enum { MAX_PEERS = 16 };

static void add_peer(bench_group *group, work *w, peer_case *peers, const char *work_name,
                     const char *name, bench_compact_peer *peer, unsigned threads, double bytes)
{
    size_t k = 0;
    while (peers[k].work != NULL)
        k++;
    peers[k] = (peer_case){w, peer, threads};
    bench_add(group, (bench_case){.name = name,
                                  .work = work_name,
                                  .run = peer != NULL ? run_peer : NULL,
                                  .verify = verify_peer,
                                  .context = &peers[k],
                                  .bytes = bytes,
                                  .role = BENCH_PEER,
                                  .pool = threads > 1 ? BENCH_POOL_OPENMP : BENCH_POOL_NONE});
}

static void add(bench_group *group, work *w, const char *work_name, void (*run)(void *context),
                bool (*verify)(void *context), double bytes)
{
    bench_add(group, (bench_case){"parscan", work_name, run, verify, w, bytes,
                                  .pool = BENCH_POOL_PARSCAN});
}

static void add_filters(bench_group *group, work *w, peer_case *peers)
{
    const double read = (double)w->bytes, kept = (double)(w->kept * sizeof *w->out);
    const double both = read + kept;
    const char *const compact_if = "compact-if";
    add(group, w, compact_if, run_compact_if, verify_compact_if, both);
    add(group, w, "compact", run_compact, verify_compact, both + (double)w->n);
    add(group, w, "compact-indices", run_indices, verify_indices, both);
    add(group, w, "partition", run_partition, verify_partition, 2 * read);
    add_peer(group, w, peers, compact_if, "highway", bench_highway_copy_if, 1, both);
    add_peer(group, w, peers, compact_if, "std", bench_std_copy_if, 1, both);
    add_peer(group, w, peers, compact_if, "openmp", bench_openmp_compact, w->threads, both);
    add_peer(group, w, peers, compact_if, "thrust-openmp", bench_thrust_copy_if, w->threads, both);
    add_peer(group, w, peers, "compact-indices", "loop", bench_loop_indices, 1, both);
    add_peer(group, w, peers, "partition", "std", bench_std_partition, 1, 2 * read);
    w->numpy = (bench_numpy_work){.call = "mask",
                                  .type = PARSCAN_U32,
                                  .in = w->in,
                                  .n = w->n,
                                  .argument = w->limit,
                                  .out = w->out,
                                  .check = check_numpy,
                                  .user = w};
    bench_add_numpy(group, compact_if, both, &w->numpy);
}

static void add_cases(bench_group *group, work *w, peer_case *peers)
{
    const double read = (double)w->bytes, kept = (double)(w->kept * sizeof *w->out);
    switch (w->input->shape) {
    case FILTER:
        add_filters(group, w, peers);
        break;
    case RUNS:
        add(group, w, "unique", run_unique, verify_unique, read + kept);
        add(group, w, "run-lengths", run_lengths, verify_lengths, read + 2 * kept);
        add_peer(group, w, peers, "unique", "std", bench_std_unique, 1, read + kept);
        break;
    case MATRIX:
        add(group, w, "dense-to-csr", run_csr, verify_csr, read + 2 * kept);
        break;
    }
    w->copies = (bench_copies){w->in, w->out, w->bytes, w->threads, 0};
    bench_add_copies(group, &w->copies);
    w->copies_1 = (bench_copies){w->in, w->out, w->bytes, 1, 0};
    if (w->threads > 1)
        bench_add_copies_1(group, &w->copies_1);
}

static bool measure(const bench_options *options, work *w, unsigned log2n)
{
    bool right = true;
    for (size_t k = 0; k < options->thread_counts; k++) {
        peer_case peers[MAX_PEERS] = {{NULL, NULL, 0}};
        bench_group *const group =
            bench_new_group(options, "compact", "u32", w->input->name, log2n, options->threads[k]);
        w->threads = group->threads;
        w->engine = bench_engine(w->threads);
        add_cases(group, w, peers);
        right &= bench_measure(group);
        parscan_context_destroy(w->engine);
        free(group);
    }
    return right;
}

bool bench_compact(const bench_options *options)
{
    enum { MAX_LOG2N = 27, OUT_OFFSET = 1024, OTHER_OFFSET = 2048 };
    const unsigned top = options->max_log2n < MAX_LOG2N ? options->max_log2n : MAX_LOG2N;
    const size_t room = sizeof(uint32_t) << top;
    work w = {.in = bench_memory(room, 0, options->huge_pages),
              .out = bench_memory(room, OUT_OFFSET, options->huge_pages),
              .other = bench_memory(room, OTHER_OFFSET, options->huge_pages),
              .expected = bench_memory(room, 0, options->huge_pages),
              .row_offsets = bench_memory(room / COLUMNS + 64, 0, false),
              .flags = bench_memory(room / sizeof(uint32_t), 0, options->huge_pages)};
    bool right = true;
    for (unsigned log2n = options->min_log2n; log2n <= top; log2n += options->step) {
        w.n = (size_t)1 << log2n;
        w.bytes = w.n * sizeof(uint32_t);
        for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
            w.input = &inputs[k];
            if (!bench_wanted(options, "compact", "u32", w.input->name))
                continue;
            fill(&w, options->seed);
            right &= measure(options, &w, log2n);
        }
    }
    void *const arrays[] = {w.in, w.out, w.other, w.expected, w.row_offsets, w.flags};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        bench_release(arrays[k]);
    return right;
}
