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
#include <omp.h>
#include <string.h>

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"

/* The scan of the counts is a tile kernel of scan/, for u64, which size_t is. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

enum {
    MAX_THREADS = 64, /* keeps the memory of all cores within the scratch that a sort may take */
    SCRATCH_BYTES = 13 << 20, /* of all cores, beside the n elements */
    BUCKET_BYTES = 512 << 10, /* the most that a core sorts in its caches */
    TARGET_BYTES = 64 << 10,  /* of a bucket, where the digit can be chosen */
    PARALLEL_FROM = 1 << 15,  /* elements from which on waking a second core pays */
    STREAM_BYTES = 4 << 20,   /* bytes of keys from which on stores bypass the caches */
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

/* The bytes of a worker's tables of digits, without its elements. */
static size_t tables_bytes(const sort_call *call)
{
    const size_t digits = (size_t)1 << call->scatter_bits;
    return BUCKET_COUNTS * sizeof(uint32_t) + digits * 2 * sizeof(size_t) +
           digits * call->kernels->line_bytes;
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
    memory += digits * 2 * sizeof(size_t);
    w.spare[0] = place_elements(call, &memory, call->bucket_limit);
    w.spare[1] = place_elements(call, &memory, call->bucket_limit);
    return w;
}

parscan_status parscan_sort_prepare(sort_call *call, size_t extra_bytes, char **extra)
{
    call->threads = call->n < PARALLEL_FROM ? 1 : call->context->threads;
    if (call->threads > MAX_THREADS)
        call->threads = MAX_THREADS;
    const size_t budget = SCRATCH_BYTES / call->threads;
    for (call->scatter_bits = SCATTER_DIGIT_BITS; tables_bytes(call) > budget / 2;)
        call->scatter_bits--;
    const size_t room = (budget - tables_bytes(call)) / 2 - 2 * 64;
    call->bucket_limit = (room < BUCKET_BYTES ? room : BUCKET_BYTES) / element_bytes(call);
    const bool whole = call->n <= call->bucket_limit;
    if (whole) {
        call->bucket_limit = call->n;
        if (call->threads == 1)
            call->scatter_bits = 0;
    }
    call->worker_bytes = tables_bytes(call) + 2 * elements_bytes(call, call->bucket_limit);
    const size_t arrays = whole && call->threads == 1 ? 0 : elements_bytes(call, call->n);
    const size_t counts = ((size_t)call->threads << call->scatter_bits) * 2 * sizeof(size_t);
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
    if (extra != NULL)
        *extra = memory;
    return PARSCAN_OK;
}

/* A range that is being partitioned into buckets by a digit. */
typedef struct partition {
    const sort_call *call;
    sort_range range;
    elements to;
    key_digit digit;
    unsigned threads, worker;
    size_t *rows, *columns; /* counts[core][digit], counts[digit][core] */
} partition;

static size_t share_begin(const partition *p, unsigned t)
{
    return p->range.begin + (t == p->threads ? p->range.n : p->range.n / p->threads * t);
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
    unsigned bits = 4;
    while (bits < call->scatter_bits && n * element_bytes(call) >> bits > TARGET_BYTES)
        bits++;
    if (bits > call->scatter_bits)
        bits = call->scatter_bits;
    if (bits > high - low)
        bits = high - low;
    return (key_digit){high - bits, bits};
}

static uint64_t count(partition *p)
{
    const sort_call *const call = p->call;
    uint64_t varying = 0;
#pragma omp parallel for num_threads(p->threads) if (p->threads > 1) reduction(| : varying)
    for (unsigned t = 0; t < p->threads; t++) {
        const size_t begin = share_begin(p, t);
        varying |= call->kernels->count(&call->order, p->digit, keys_at(p, begin),
                                        share_begin(p, t + 1) - begin, keys_at(p, p->range.begin),
                                        p->rows + ((size_t)t << p->digit.bits));
    }
    return varying;
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

/* Scans the counts in the order of digits, and of cores within a digit. rows[core][digit]
   becomes the place where the core's elements of the digit begin, bounds[digit] the place where
   the bucket begins. */
static void scan_counts(partition *p, size_t *bounds)
{
    const size_t digits = (size_t)1 << p->digit.bits;
    for (size_t d = 0; d < digits; d++)
        for (unsigned t = 0; t < p->threads; t++)
            p->columns[d * p->threads + t] = p->rows[t * digits + d];
    const tile_scan scan = {.in = p->columns,
                            .out = p->columns,
                            .n = digits * p->threads,
                            .before = p->range.begin,
                            .exclusive = true};
    parscan_tile_kernels_u64(p->call->context->isa)->scan(PARSCAN_SUM, &scan);
    for (size_t d = 0; d < digits; d++) {
        bounds[d] = p->columns[d * p->threads];
        for (unsigned t = 0; t < p->threads; t++)
            p->rows[t * digits + d] = p->columns[d * p->threads + t];
    }
    bounds[digits] = p->range.begin + p->range.n;
}

static void scatter(const partition *p)
{
    const sort_call *const call = p->call;
    const bool stream = p->range.n * call->key_size >= STREAM_BYTES;
#pragma omp parallel for num_threads(p->threads) if (p->threads > 1)
    for (unsigned t = 0; t < p->threads; t++) {
        const sort_worker w = parscan_sort_worker(call, p->worker + t);
        const digit_scatter share = {.order = call->order,
                                     .digit = p->digit,
                                     .from = p->range.from,
                                     .to = p->to,
                                     .value_size = call->value_size,
                                     .begin = share_begin(p, t),
                                     .end = share_begin(p, t + 1),
                                     .at = p->rows + ((size_t)t << p->digit.bits),
                                     .line_begin = w.line_begin,
                                     .lines = w.lines,
                                     .stream = stream};
        call->kernels->scatter(&share);
    }
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
                                .n = range.n};
    call->kernels->sort(&bucket);
}

/* Ranges so large that one core would finish long after the others are sorted by all cores, one
   range after another. Each other range is sorted by the next core that is free. */
void parscan_sort_ranges(const sort_call *call, elements from, const size_t *begin,
                         const size_t *end, size_t count, unsigned threads, unsigned worker)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        n += end[k] - begin[k];
    const size_t share = n / (8 * threads);
    const size_t large = share > call->bucket_limit ? share : call->bucket_limit;
    for (size_t k = 0; threads > 1 && k < count; k++)
        if (end[k] - begin[k] > large)
            parscan_sort_range(call, (sort_range){from, begin[k], end[k] - begin[k]}, threads,
                               worker);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 4)
    for (size_t k = 0; k < count; k++) {
        const sort_range range = {from, begin[k], end[k] - begin[k]};
        if (range.n > 0 && (threads == 1 || range.n <= large))
            parscan_sort_range(call, range, 1,
                               threads > 1 ? (unsigned)omp_get_thread_num() : worker);
    }
}

void parscan_sort_range(const sort_call *call, sort_range range, unsigned threads, unsigned worker)
{
    if (threads == 1 && range.n <= call->bucket_limit) {
        sort_bucket(call, range, worker);
        return;
    }
    size_t bounds[(1 << SCATTER_DIGIT_BITS) + 1];
    const sort_worker w = parscan_sort_worker(call, worker);
    partition p = {.call = call,
                   .range = range,
                   .to = call->out,
                   .threads = threads,
                   .worker = worker,
                   .rows = call->counts,
                   .columns = call->counts + ((size_t)threads << call->scatter_bits)};
    if (threads == 1) {
        p.rows = w.at;
        p.columns = w.line_begin;
    }
    if (range.from.keys == call->out.keys)
        p.to.keys = call->scratch.keys;
    if (range.from.values == call->out.values)
        p.to.values = call->scratch.values;
    const uint64_t sampled = call->kernels->varying(&call->order, keys_at(&p, range.begin), range.n,
                                                    range.n / SAMPLES + 1);
    if (parscan_sort_by_counting(call, range, sampled, threads, worker))
        return;
    if (!count_digits(&p, sampled)) {
        parscan_sort_move(call, range, threads);
        return;
    }
    scan_counts(&p, bounds);
    scatter(&p);
    parscan_sort_ranges(call, p.to, bounds, bounds + 1, (size_t)1 << p.digit.bits, threads, worker);
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
