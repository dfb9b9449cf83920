/*
 * Allocation, expansion and packing, compared with plain loops, OpenMP, and copies that read and
 * write as many bytes. 2^log2n is the number of sizes of an allocation, of slots of an expansion (4
 * bytes each of owner and rank), or of four-byte words of a packing.
 */
#include <stdlib.h>
#include <string.h>

#include "apps_parts.h"
#include "copy_cases.h"
#include "peers_allocate.h"

typedef struct work {
    parscan_context *engine;
    unsigned threads;
    parscan_type size_type, offset_type;
    size_t n;      /* the number of sizes */
    size_t room;   /* the bytes of each array */
    size_t copied; /* the bytes that the copies read, and write */
    uint64_t total;
    void *sizes; /* of size_type; from here on all are arrays of `room` bytes */
    char *in, *out, *more;
    uint32_t *offsets;
    bench_copies copies;
} work;

static uint64_t size_at(const work *w, size_t i)
{
    return w->size_type == PARSCAN_U8 ? ((uint8_t *)w->sizes)[i] : ((uint32_t *)w->sizes)[i];
}

/* ---- allocate ---- */

static void allocate(work *w, uint64_t alignment)
{
    uint64_t total;
    bench_must(parscan_allocate(w->engine, w->size_type, w->sizes, w->n, w->offset_type, w->out,
                                &total, &PARSCAN_ALLOCATE_OPTIONS(.alignment = alignment)),
               w->engine);
}

static void run_allocate(void *context)
{
    allocate(context, 1);
}

static void run_allocate_aligned(void *context)
{
    allocate(context, 16);
}

static void run_scan(void *context)
{
    const work *const w = context;
    bench_must(parscan_exclusive_scan(w->engine, w->size_type, w->sizes, w->out, w->n,
                                      &PARSCAN_SCAN_OPTIONS(.out_type = w->offset_type)),
               w->engine);
}

/* Runs the peer for the work's types: the plain loop, or OpenMP's scan. */
static void run_peer(const work *w, bool openmp)
{
    const bool narrow = w->size_type == PARSCAN_U8, wide = w->offset_type == PARSCAN_U64;
    bench_offsets_peer *const loop = narrow ? bench_offsets_u8_u64
                                     : wide ? bench_offsets_u32_u64
                                            : bench_offsets_u32_u32;
    bench_offsets_peer *const parallel = narrow ? bench_offsets_openmp_u8_u64
                                         : wide ? bench_offsets_openmp_u32_u64
                                                : bench_offsets_openmp_u32_u32;
    (openmp ? parallel : loop)(w->sizes, w->out, w->n, w->threads);
}

static void run_loop(void *context)
{
    run_peer(context, false);
}

static void run_loop_openmp(void *context)
{
    run_peer(context, true);
}

static bool offsets_are_right(const work *w, uint64_t alignment)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->n; i++) {
        const uint64_t offset = w->offset_type == PARSCAN_U64 ? ((uint64_t *)(void *)w->out)[i]
                                                              : ((uint32_t *)(void *)w->out)[i];
        if (offset != sum)
            return false;
        sum += (size_at(w, i) + alignment - 1) / alignment * alignment;
    }
    return true;
}

#define VERIFY(name, alignment)                                     \
    static bool verify_##name(void *context)                        \
    {                                                               \
        memset(((work *)context)->out, 0xa5, ((work *)context)->n); \
        run_##name(context);                                        \
        return offsets_are_right(context, alignment);               \
    }
VERIFY(allocate, 1)
VERIFY(allocate_aligned, 16)
VERIFY(scan, 1)
VERIFY(loop, 1)
VERIFY(loop_openmp, 1)

/* ---- expand ---- */

static void run_expand(void *context)
{
    work *const w = context;
    bench_must(parscan_expand(w->engine, w->size_type, w->sizes, w->n, PARSCAN_U32, w->out, w->more,
                              w->room / 4, &w->total),
               w->engine);
}

static void expand_item(uint32_t *owner, uint32_t *rank, uint32_t i, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        owner[k] = i;
        rank[k] = (uint32_t)k;
    }
}

static void run_expand_loop(void *context)
{
    const work *const w = context;
    uint32_t *owner = (uint32_t *)(void *)w->out, *rank = (uint32_t *)(void *)w->more;
    for (size_t i = 0; i < w->n; i++) {
        const size_t size = size_at(w, i);
        expand_item(owner, rank, (uint32_t)i, size);
        owner += size;
        rank += size;
    }
}

/* Divides the items among the threads, as is usual. */
static void run_expand_openmp(void *context)
{
    const work *const w = context;
    uint32_t *const owner = (uint32_t *)(void *)w->out, *const rank = (uint32_t *)(void *)w->more;
    uint32_t at = 0;
    for (size_t i = 0; i < w->n; i++) {
        w->offsets[i] = at;
        at += (uint32_t)size_at(w, i);
    }
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 4096)
    for (size_t i = 0; i < w->n; i++)
        expand_item(owner + w->offsets[i], rank + w->offsets[i], (uint32_t)i, size_at(w, i));
}

static bool slots_are_right(const work *w)
{
    const uint32_t *owner = (uint32_t *)(void *)w->out, *rank = (uint32_t *)(void *)w->more;
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < size_at(w, i); k++)
            if (*owner++ != i || *rank++ != k)
                return false;
    return true;
}

#define VERIFY_EXPAND(name)                  \
    static bool verify_##name(void *context) \
    {                                        \
        const work *const w = context;       \
        memset(w->out, 0xa5, 4 * w->total);  \
        memset(w->more, 0xa5, 4 * w->total); \
        run_##name(context);                 \
        return slots_are_right(w);           \
    }
VERIFY_EXPAND(expand)
VERIFY_EXPAND(expand_loop)
VERIFY_EXPAND(expand_openmp)

/* ---- pack ---- */

static void run_pack(void *context)
{
    const work *const w = context;
    bench_must(parscan_pack(w->engine, w->in, PARSCAN_U32, w->offsets, w->size_type, w->sizes,
                            w->out, w->offsets, w->n),
               w->engine);
}

static void run_pack_loop(void *context)
{
    const work *const w = context;
    for (size_t i = 0; i < w->n; i++)
        memcpy(w->out + w->offsets[i], w->in + w->offsets[i], size_at(w, i));
}

static void run_pack_openmp(void *context)
{
    const work *const w = context;
#pragma omp parallel for num_threads(w->threads)
    for (size_t i = 0; i < w->n; i++)
        memcpy(w->out + w->offsets[i], w->in + w->offsets[i], size_at(w, i));
}

#define VERIFY_PACK(name)                            \
    static bool verify_##name(void *context)         \
    {                                                \
        const work *const w = context;               \
        memset(w->out, 0xa5, w->total);              \
        run_##name(context);                         \
        return memcmp(w->in, w->out, w->total) == 0; \
    }
VERIFY_PACK(pack)
VERIFY_PACK(pack_loop)
VERIFY_PACK(pack_openmp)

/* ---- the groups ---- */

typedef struct named_case {
    const char *name;
    void (*run)(void *);
    bool (*verify)(void *);
    bench_role role;
    bench_pool pool;
} named_case;

/* Measures the cases, and copies of as many bytes. */
static bool measure(const bench_options *options, work *w, const char *row, const char *type,
                    const char *input, unsigned log2n, const named_case *cases)
{
    bench_group *const group = bench_new_group(options, row, type, input, log2n, w->threads);
    for (; cases->name != NULL; cases++)
        bench_add(group, (bench_case){.name = cases->name,
                                      .run = cases->run,
                                      .verify = cases->verify,
                                      .context = w,
                                      .bytes = 2.0 * (double)w->copied,
                                      .role = cases->role,
                                      .pool = cases->pool});
    w->copies = (bench_copies){w->in, w->out, w->copied, w->threads, 0};
    bench_add_copies(group, &w->copies);
    const bool right = bench_measure(group);
    free(group);
    return right;
}

static bool measure_allocate(const bench_options *options, work *w, const char *type,
                             unsigned log2n)
{
    static const named_case cases[] = {
        {"parscan", run_allocate, verify_allocate, BENCH_PARSCAN, BENCH_POOL_PARSCAN},
        {"parscan-align-16", run_allocate_aligned, verify_allocate_aligned, BENCH_PARSCAN,
         BENCH_POOL_PARSCAN},
        {"plain-scan", run_scan, verify_scan, BENCH_REFERENCE, BENCH_POOL_PARSCAN},
        {"loop", run_loop, verify_loop, BENCH_PEER, BENCH_POOL_NONE},
        {"openmp", run_loop_openmp, verify_loop_openmp, BENCH_PEER, BENCH_POOL_OPENMP},
        {0}};
    const size_t size = parscan_type_size(w->size_type), offset = parscan_type_size(w->offset_type);
    if (!bench_wanted(options, "allocate", type, "align-1"))
        return true;
    w->n = (size_t)1 << log2n;
    w->copied = (w->n * (size + offset) / 2 + 7) / 8 * 8;
    for (size_t i = 0; i < w->n; i++) {
        const uint32_t value = (uint32_t)(i * 2654435761u >> 20) % 50;
        if (w->size_type == PARSCAN_U8)
            ((uint8_t *)w->sizes)[i] = (uint8_t)value;
        else
            ((uint32_t *)w->sizes)[i] = value;
    }
    return measure(options, w, "allocate", type, "align-1", log2n, cases);
}

static bool measure_allocations(const bench_options *options, work *w, unsigned log2n)
{
    w->size_type = PARSCAN_U32;
    w->offset_type = PARSCAN_U64;
    bool right = measure_allocate(options, w, "u32-u64", log2n);
    w->offset_type = PARSCAN_U32;
    right &= measure_allocate(options, w, "u32-u32", log2n);
    w->size_type = PARSCAN_U8;
    w->offset_type = PARSCAN_U64;
    right &= measure_allocate(options, w, "u8-u64", log2n);
    return right;
}

/* Fills sizes whose sum is `slots` or a little less. Returns their number. */
static size_t fill_sizes(work *w, const char *how, size_t slots)
{
    uint32_t *const sizes = w->sizes;
    size_t n = 0;
    uint64_t random = 1;
    for (size_t left = slots; left > 0; n++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t bits = (uint32_t)(random >> 33);
        uint32_t size = 1;
        if (strcmp(how, "small") == 0)
            size = bits % 9;
        else if (strcmp(how, "zipf") == 0)
            size = 1000000 / (1 + bits % 1000000);
        else if (strcmp(how, "one-huge") == 0)
            size = n == 1000 ? (uint32_t)left : 0;
        sizes[n] = size < left ? size : (uint32_t)left;
        left -= sizes[n];
    }
    return n;
}

static bool measure_expand(const bench_options *options, work *w, const char *how, unsigned log2n)
{
    static const named_case cases[] = {
        {"parscan", run_expand, verify_expand, BENCH_PARSCAN, BENCH_POOL_PARSCAN},
        {"loop", run_expand_loop, verify_expand_loop, BENCH_PEER, BENCH_POOL_NONE},
        {"openmp", run_expand_openmp, verify_expand_openmp, BENCH_PEER, BENCH_POOL_OPENMP},
        {0}};
    if (!bench_wanted(options, "expand", "u32", how))
        return true;
    w->size_type = PARSCAN_U32;
    w->total = (size_t)1 << log2n;
    w->n = fill_sizes(w, how, w->total);
    w->copied = 4 * w->total + (4 * w->n + 7) / 8 * 8; /* two reads of the sizes, two results */
    return measure(options, w, "expand", "u32", how, log2n, cases);
}

static bool measure_pack(const bench_options *options, work *w, const char *input, uint32_t record,
                         unsigned log2n)
{
    static const named_case cases[] = {
        {"parscan", run_pack, verify_pack, BENCH_PARSCAN, BENCH_POOL_PARSCAN},
        {"loop", run_pack_loop, verify_pack_loop, BENCH_PEER, BENCH_POOL_NONE},
        {"openmp", run_pack_openmp, verify_pack_openmp, BENCH_PEER, BENCH_POOL_OPENMP},
        {0}};
    uint32_t *const sizes = w->sizes;
    if (!bench_wanted(options, "pack", "u32", input))
        return true;
    w->size_type = PARSCAN_U32;
    w->total = w->copied = (size_t)4 << log2n;
    w->n = 0;
    for (uint32_t at = 0; at < w->total; w->n++) {
        const uint32_t mixed =
            (uint32_t)(w->n * 2654435761u >> 12) % (w->n % 64 == 0 ? 50000 : 200);
        const uint32_t size = record != 0 ? record : mixed;
        sizes[w->n] = size < w->total - at ? size : (uint32_t)(w->total - at);
        w->offsets[w->n] = at;
        at += sizes[w->n];
    }
    return measure(options, w, "pack", "u32", input, log2n, cases);
}

static bool measure_size(const bench_options *options, work *w, unsigned log2n)
{
    bool right = measure_allocations(options, w, log2n);
    right &= measure_expand(options, w, "ones", log2n);
    right &= measure_expand(options, w, "small", log2n);
    right &= measure_expand(options, w, "zipf", log2n);
    right &= measure_expand(options, w, "one-huge", log2n);
    right &= measure_pack(options, w, "4-bytes", 4, log2n);
    right &= measure_pack(options, w, "16-bytes", 16, log2n);
    right &= measure_pack(options, w, "64-bytes", 64, log2n);
    right &= measure_pack(options, w, "256-bytes", 256, log2n);
    right &= measure_pack(options, w, "1-KiB", 1024, log2n);
    right &= measure_pack(options, w, "1-MiB", 1 << 20, log2n);
    right &= measure_pack(options, w, "mixed", 0, log2n);
    return right;
}

bool bench_allocate(const bench_options *options)
{
    const unsigned top = options->max_log2n < 26 ? options->max_log2n : 26;
    const size_t room = ((size_t)8 << top) + 4096;
    work w = {.room = room,
              .sizes = bench_memory(room, 0, options->huge_pages),
              .in = bench_memory(room, 512, options->huge_pages),
              .out = bench_memory(room, 2048, options->huge_pages),
              .more = bench_memory(room, 1024, options->huge_pages),
              .offsets = bench_memory(room, 3072, options->huge_pages)};
    for (size_t k = 0; k < room; k++)
        w.in[k] = (char)(k * 2654435761u >> 17);
    bool right = true;
    for (unsigned log2n = options->min_log2n; log2n <= top; log2n += options->step)
        for (size_t k = 0; k < (options->list ? 1 : options->thread_counts); k++) {
            w.threads = options->threads[k];
            w.engine = bench_engine(w.threads);
            right &= measure_size(options, &w, log2n);
            parscan_context_destroy(w.engine);
        }
    bench_release(w.sizes);
    bench_release(w.in);
    bench_release(w.out);
    bench_release(w.more);
    bench_release(w.offsets);
    return right;
}
