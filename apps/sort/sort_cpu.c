/*
 * Radix sort on the cores of a CPU.
 *
 * An array that does not fit a core's caches is cut into buckets by one digit, the top one of the
 * bits that vary. Each core counts the digits of its share, an exclusive scan of the counts gives
 * each core its place in every bucket, and each core scatters its share in order. This is the only
 * pass through main memory; its stores are write-combined. The buckets are then sorted within the
 * caches, from the least significant digit up (element_kernels_template.h), each by the next core
 * that is free. A bucket that is still too large is cut again, by all cores if it is a large part
 * of the array.
 *
 * Sources: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.5; N. Satish et al., Fast Sort
 * on CPUs and GPUs, SIGMOD 2010 (write-combining); M. Kokot, S. Deorowicz, M. Dlugosz, Even Faster
 * Sorting of (Not Only) Integers (RADULS2), ICMMI 2017.
 */
#include <stdatomic.h>
#include <string.h>

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"
#include "scan/cpu/team.h"

/* The scan of the counts is a tile kernel of scan/, for u64, which size_t is. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

enum {
    WORKER_BYTES = (2 << 20) - (64 << 10), /* of scratch for each thread, beside the n elements */
    BUCKET_BYTES = 512 << 10,              /* the most that a core sorts in its caches */
    LEAST_DIGIT_BITS = 4,
    TARGET_BYTES = 64 << 10,   /* of a bucket, where the digit can be chosen */
    PARALLEL_FROM = 1 << 15,   /* elements from which on waking a second thread pays, */
    THREAD_ELEMENTS = 1 << 14, /* and those that pay for each thread more */
    FEW_SHARES = 4,            /* up to so many, one thread adds up the counts */
    DIGIT_BLOCK = 64,          /* digits whose counts a thread adds up at once */
    STREAM_BYTES = 4 << 20,    /* bytes of keys from which on stores bypass the caches */
    RANGES_AT_ONCE = 4,        /* that a thread takes */
    SAMPLES = 256
};

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are scanned as u64");

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t element_bytes(const sort_call *call)
{
    return call->key_size + call->value_size;
}

static size_t elements_bytes(const sort_call *call, size_t n)
{
    return aligned(n * call->key_size) + aligned(n * call->value_size);
}

static elements place_elements(const sort_call *call, char **memory, size_t n)
{
    elements e = {.keys = *memory};
    if (call->value_size > 0)
        e.values = *memory + aligned(n * call->key_size);
    *memory += elements_bytes(call, n);
    return e;
}

/* The bounds of the buckets of each range that a worker has cut and not finished. Each cut takes
   bits of the key, and there are 64, so they have at most so many entries in all. The first entry
   tells how many are in use. */
static size_t bounds_entries(const sort_call *call)
{
    const unsigned bits = call->scatter_bits;
    return bits == 0 ? 1 : 1 + (64 / bits + 1) * (((size_t)1 << bits) + 1);
}

/* The bytes of a worker's tables of digits, without its elements. */
static size_t tables_bytes(const sort_call *call)
{
    const size_t digits = (size_t)1 << call->scatter_bits;
    return BUCKET_COUNTS * sizeof(uint32_t) + digits * call->kernels->line_bytes +
           aligned((digits * 2 + bounds_entries(call)) * sizeof(size_t));
}

sort_worker parscan_sort_worker(const sort_call *call, unsigned worker)
{
    const size_t digits = (size_t)1 << call->scatter_bits;
    char *memory = call->workers + worker * call->worker_bytes;
    sort_worker w;
    w.lines = memory;
    memory += digits * call->kernels->line_bytes;
    w.counts = (uint32_t *)memory;
    memory += BUCKET_COUNTS * sizeof(uint32_t);
    w.at = (size_t *)memory;
    w.line_begin = w.at + digits;
    w.bounds = w.line_begin + digits;
    memory += aligned((digits * 2 + bounds_entries(call)) * sizeof(size_t));
    w.spare[0] = place_elements(call, &memory, call->bucket_limit);
    w.spare[1] = place_elements(call, &memory, call->bucket_limit);
    return w;
}

static unsigned threads_for(const sort_call *call)
{
    const unsigned all = call->context->threads;
    if (call->n < PARALLEL_FROM)
        return 1;
    return call->n / THREAD_ELEMENTS < all ? (unsigned)(call->n / THREAD_ELEMENTS) : all;
}

parscan_status parscan_sort_prepare(sort_call *call, size_t extra_bytes, char **extra)
{
    call->threads = threads_for(call);
    /* The lines of the scatter share the second-level cache with what is read. */
    const size_t lines = call->context->l2_bytes / 2;
    for (call->scatter_bits = SCATTER_DIGIT_BITS;
         call->scatter_bits > LEAST_DIGIT_BITS &&
         (call->kernels->line_bytes << call->scatter_bits > lines ||
          tables_bytes(call) > WORKER_BYTES / 2);)
        call->scatter_bits--;
    const size_t room = (WORKER_BYTES - tables_bytes(call)) / 2 - 2 * 64;
    call->bucket_limit = (room < BUCKET_BYTES ? room : BUCKET_BYTES) / element_bytes(call);
    const bool whole = call->n <= call->bucket_limit;
    if (whole) {
        call->bucket_limit = call->n;
        if (call->threads == 1)
            call->scatter_bits = 0;
    }
    call->worker_bytes = tables_bytes(call) + 2 * elements_bytes(call, call->bucket_limit);
    const size_t arrays = whole && call->threads == 1 ? 0 : elements_bytes(call, call->n);
    const size_t counts = ((size_t)call->threads << call->scatter_bits) * sizeof(size_t);
    const size_t out_keys = call->out.keys == NULL ? aligned(call->n * call->key_size) : 0;
    void *scratch;
    const parscan_status status =
        parscan_scratch(call->context,
                        arrays + out_keys + aligned(counts) + call->threads * call->worker_bytes +
                            aligned(extra_bytes),
                        &scratch);
    if (status != PARSCAN_OK)
        return status;
    char *memory = scratch;
    if (arrays > 0)
        call->scratch = place_elements(call, &memory, call->n);
    if (out_keys > 0)
        call->out.keys = memory;
    memory += out_keys;
    call->counts = (size_t *)memory;
    memory += aligned(counts);
    call->workers = memory;
    memory += call->threads * call->worker_bytes;
    for (unsigned k = 0; k < call->threads; k++)
        *parscan_sort_worker(call, k).bounds = 0;
    if (extra != NULL)
        *extra = memory;
    return PARSCAN_OK;
}

/* A range that is being partitioned into buckets by a digit. Each of `threads` shares of it is
   counted and scattered on its own. */
typedef struct partition {
    const sort_call *call;
    sort_range range;
    elements to;
    key_digit digit;
    unsigned threads, worker;
    size_t *rows;   /* counts[share][digit]; later the place of the share's next element */
    size_t *bounds; /* where each bucket begins, and where the last one ends */
    atomic_uint_least64_t varying; /* the bits that vary in the keys */
    bool stream;
} partition;

static size_t share_begin(const partition *p, size_t share)
{
    return p->range.begin + (share == p->threads ? p->range.n : p->range.n / p->threads * share);
}

static size_t *row_of(const partition *p, size_t share)
{
    return p->rows + (share << p->digit.bits);
}

static const char *keys_at(const partition *p, size_t i)
{
    return p->range.from.keys + i * p->call->key_size;
}

/* Chooses the digit at the top of the bits that vary, wide enough to make buckets of
   TARGET_BYTES. */
static key_digit choose_digit(const sort_call *call, size_t n, uint64_t varying)
{
    const unsigned low = (unsigned)__builtin_ctzll(varying);
    const unsigned high = 64 - (unsigned)__builtin_clzll(varying);
    unsigned bits = LEAST_DIGIT_BITS;
    while (bits < call->scatter_bits && n * element_bytes(call) >> bits > TARGET_BYTES)
        bits++;
    if (bits > call->scatter_bits)
        bits = call->scatter_bits;
    if (bits > high - low)
        bits = high - low;
    return (key_digit){high - bits, bits};
}

static void count_share(void *state, size_t share)
{
    partition *const p = state;
    const sort_call *const call = p->call;
    const size_t begin = share_begin(p, share);
    const uint64_t varying = call->kernels->count(&call->order, p->digit, keys_at(p, begin),
                                                  share_begin(p, share + 1) - begin,
                                                  keys_at(p, p->range.begin), row_of(p, share));
    atomic_fetch_or(&p->varying, varying);
}

/* Returns the bits that vary. */
static uint64_t count(partition *p)
{
    atomic_store(&p->varying, 0);
    parscan_team_run(p->call->context, p->threads, count_share, p);
    return atomic_load(&p->varying);
}

/* Counts the digit that a sample suggests. Returns false if all keys are equal. */
static bool count_digits(partition *p, uint64_t sampled)
{
    const size_t n = p->range.n;
    p->digit = choose_digit(p->call, n, sampled != 0 ? sampled : 1);
    const uint64_t varying = count(p);
    if (varying == 0)
        return false;
    if (varying >> p->digit.low >> p->digit.bits != 0 || sampled == 0) {
        p->digit = choose_digit(p->call, n, varying);
        count(p);
    }
    return true;
}

/* Replaces the counts of a block of digits by their exclusive scan over the shares. bounds[digit]
   becomes the count of all shares. */
static void add_up_digits(void *state, size_t block, unsigned worker)
{
    const partition *const p = state;
    const size_t digits = (size_t)1 << p->digit.bits, begin = block * DIGIT_BLOCK;
    const size_t n = digits - begin < DIGIT_BLOCK ? digits - begin : DIGIT_BLOCK;
    size_t *const sums = p->bounds + begin;
    (void)worker;
    memset(sums, 0, n * sizeof *sums);
    for (size_t share = 0; share < p->threads; share++) {
        size_t *const row = row_of(p, share) + begin;
        for (size_t d = 0; d < n; d++) {
            const size_t count = row[d];
            row[d] = sums[d];
            sums[d] += count;
        }
    }
}

/* Scans the counts in the order of digits, and of shares within a digit. bounds[digit] becomes the
   place where the bucket begins; a row has for each digit how far behind it the share's elements
   begin. */
static void scan_counts(partition *p)
{
    parscan_context *const context = p->call->context;
    const size_t digits = (size_t)1 << p->digit.bits;
    const size_t blocks = (digits + DIGIT_BLOCK - 1) / DIGIT_BLOCK;
    parscan_team_for(context, p->threads > FEW_SHARES ? p->threads : 1, blocks, 1, add_up_digits,
                     p);
    const tile_scan scan = {.in = p->bounds,
                            .out = p->bounds,
                            .n = digits,
                            .before = p->range.begin,
                            .exclusive = true};
    parscan_tile_kernels_u64(context->isa)->scan(PARSCAN_SUM, &scan);
    p->bounds[digits] = p->range.begin + p->range.n;
}

static void scatter_share(void *state, size_t share)
{
    const partition *const p = state;
    const sort_call *const call = p->call;
    const sort_worker w = parscan_sort_worker(call, p->worker + (unsigned)share);
    size_t *const at = row_of(p, share);
    for (size_t d = 0; d < (size_t)1 << p->digit.bits; d++)
        at[d] += p->bounds[d];
    const digit_scatter scatter = {.order = call->order,
                                   .digit = p->digit,
                                   .from = p->range.from,
                                   .to = p->to,
                                   .value_size = call->value_size,
                                   .begin = share_begin(p, share),
                                   .end = share_begin(p, share + 1),
                                   .at = at,
                                   .line_begin = w.line_begin,
                                   .lines = w.lines,
                                   .stream = p->stream,
                                   .prefetch = call->context->prefetch_stores};
    call->kernels->scatter(&scatter);
}

static void sort_bucket(const sort_call *call, sort_range range, unsigned worker)
{
    const sort_worker w = parscan_sort_worker(call, worker);
    const bucket_sort bucket = {.order = call->order,
                                .from = range.from,
                                .to = call->out,
                                .spare = {w.spare[0], w.spare[1]},
                                .counts = w.counts,
                                .value_size = call->value_size,
                                .begin = range.begin,
                                .n = range.n,
                                .prefetch = call->context->prefetch_stores};
    call->kernels->sort(&bucket);
}

typedef struct range_loop {
    const sort_call *call;
    elements from;
    const size_t *begin, *end;
    size_t large; /* larger ranges are sorted by all threads */
    unsigned threads, worker;
} range_loop;

static void sort_next_range(void *state, size_t k, unsigned worker)
{
    const range_loop *const l = state;
    const sort_range range = {l->from, l->begin[k], l->end[k] - l->begin[k]};
    if (range.n > 0 && (l->threads == 1 || range.n <= l->large))
        parscan_sort_range(l->call, range, 1, l->worker + worker);
}

/* Ranges so large that one thread would finish long after the others are sorted by all threads, one
   range after another. Each other range is sorted by the next thread that is free. */
void parscan_sort_ranges(const sort_call *call, elements from, const size_t *begin,
                         const size_t *end, size_t count, unsigned threads, unsigned worker)
{
    range_loop loop = {call, from, begin, end, 0, threads, worker};
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        n += end[k] - begin[k];
    const size_t share = n / (8 * threads);
    loop.large = share > call->bucket_limit ? share : call->bucket_limit;
    for (size_t k = 0; threads > 1 && k < count; k++)
        if (end[k] - begin[k] > loop.large)
            parscan_sort_range(call, (sort_range){from, begin[k], end[k] - begin[k]}, threads,
                               worker);
    parscan_team_for(call->context, threads, count, RANGES_AT_ONCE, sort_next_range, &loop);
}

/* Cuts a range into buckets and sorts these. */
static void sort_by_digit(partition *p, uint64_t sampled)
{
    const sort_call *const call = p->call;
    if (!count_digits(p, sampled)) {
        parscan_sort_move(call, p->range, p->threads);
        return;
    }
    /* The bounds are used until all buckets are sorted; those of buckets that are cut follow. */
    size_t *const used = parscan_sort_worker(call, p->worker).bounds;
    const size_t before = *used;
    p->bounds = used + 1 + before;
    *used = before + ((size_t)1 << p->digit.bits) + 1;
    scan_counts(p);
    if (p->threads == 1)
        scatter_share(p, 0);
    else
        parscan_team_run(call->context, p->threads, scatter_share, p);
    const size_t digits = (size_t)1 << p->digit.bits;
    parscan_sort_ranges(call, p->to, p->bounds, p->bounds + 1, digits, p->threads, p->worker);
    *used = before;
}

void parscan_sort_range(const sort_call *call, sort_range range, unsigned threads, unsigned worker)
{
    if (threads == 1 && range.n <= call->bucket_limit) {
        sort_bucket(call, range, worker);
        return;
    }
    const sort_worker w = parscan_sort_worker(call, worker);
    partition p = {.call = call,
                   .range = range,
                   .to = call->out,
                   .threads = threads,
                   .worker = worker,
                   .rows = threads == 1 ? w.at : call->counts,
                   .stream = range.n * call->key_size >= STREAM_BYTES};
    if (range.from.keys == call->out.keys)
        p.to.keys = call->scratch.keys;
    if (range.from.values == call->out.values)
        p.to.values = call->scratch.values;
    const uint64_t sampled = call->kernels->varying(&call->order, keys_at(&p, range.begin), range.n,
                                                    range.n / SAMPLES + 1);
    if (parscan_sort_by_counting(call, range, sampled, threads, worker))
        return;
    sort_by_digit(&p, sampled);
}

parscan_status parscan_sort_cpu(sort_call *call)
{
    const sort_range all = {call->in, 0, call->n};
    const parscan_status status = parscan_sort_prepare(call, 0, NULL);
    if (status != PARSCAN_OK)
        return status;
    if (!parscan_sort_ordered(call, all, call->threads))
        parscan_sort_range(call, all, call->threads, 0);
    return PARSCAN_OK;
}
