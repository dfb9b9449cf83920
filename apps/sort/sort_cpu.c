/*
 * Radix sort on the cores of a CPU.
 *
 * An array that does not fit a core's caches is cut into buckets by one digit at the top of the bits
 * that vary: each core counts the digits of its share, an exclusive scan of the counts gives every
 * core a place of its own in every bucket, and each core scatters its share, in order. It is the one
 * pass that goes through main memory, and its stores are write-combined. Buckets are then sorted
 * within the caches, from the least significant digit up (element_kernels_template.h), by whichever
 * core is free; one that is still too large is cut again, on all cores if it is a good part of all.
 *
 * Sources: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.5; N. Satish et al., Fast Sort on
 * CPUs and GPUs, SIGMOD 2010 (write-combining); M. Kokot, S. Deorowicz, M. Dlugosz, Even Faster
 * Sorting of (Not Only) Integers (RADULS2), ICMMI 2017.
 */
#include <omp.h>
#include <string.h>

#include "apps/sort/sort_job.h"

/* The scan of counts is the core's: its tile kernel for u64, which size_t is. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

enum {
    MAX_THREADS = 64, /* so that what each needs stays within the scratch that sorts may take */
    SCRATCH_BYTES = 13 << 20, /* for all cores, beside the n elements */
    BUCKET_BYTES = 512 << 10, /* of elements that a core sorts in its caches, at most */
    TARGET_BYTES = 64 << 10,  /* of a bucket, where there is a choice */
    PARALLEL_FROM = 1 << 15,  /* elements from which a second core pays for being woken */
    STREAM_BYTES = 4 << 20,   /* of keys, from which stores go past the caches */
    SAMPLES = 256
};

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are scanned as u64");

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t element_bytes(const sort_job *job)
{
    return job->kernels->key_size + job->value_size;
}

static size_t elements_bytes(const sort_job *job, size_t n)
{
    return aligned(n * job->kernels->key_size) + aligned(n * job->value_size);
}

static elements place_elements(const sort_job *job, char **memory, size_t n)
{
    elements e = {.keys = *memory};
    if (job->value_size > 0)
        e.values = *memory + aligned(n * job->kernels->key_size);
    *memory += elements_bytes(job, n);
    return e;
}

/* The bytes of a worker's tables of digits, apart from its elements. */
static size_t tables_bytes(const sort_job *job)
{
    const size_t digits = (size_t)1 << job->scatter_bits;
    return BUCKET_COUNTS * sizeof(uint32_t) + digits * 2 * sizeof(size_t) +
           digits * job->kernels->line_bytes;
}

sort_worker parscan_sort_worker(const sort_job *job, unsigned worker)
{
    const size_t digits = (size_t)1 << job->scatter_bits;
    char *memory = job->workers + worker * job->worker_bytes;
    sort_worker w;
    w.lines = memory;
    memory += digits * job->kernels->line_bytes;
    w.counts = (uint32_t *)memory;
    memory += BUCKET_COUNTS * sizeof(uint32_t);
    w.at = (size_t *)memory;
    w.line_begin = w.at + digits;
    memory += digits * 2 * sizeof(size_t);
    w.spare[0] = place_elements(job, &memory, job->bucket_limit);
    w.spare[1] = place_elements(job, &memory, job->bucket_limit);
    return w;
}

parscan_status parscan_sort_prepare(sort_job *job, size_t extra_bytes, char **extra)
{
    job->threads = job->n < PARALLEL_FROM ? 1 : job->context->threads;
    if (job->threads > MAX_THREADS)
        job->threads = MAX_THREADS;
    const size_t budget = SCRATCH_BYTES / job->threads;
    for (job->scatter_bits = SCATTER_DIGIT_BITS; tables_bytes(job) > budget / 2;)
        job->scatter_bits--;
    const size_t room = (budget - tables_bytes(job)) / 2 - 2 * 64;
    job->bucket_limit = (room < BUCKET_BYTES ? room : BUCKET_BYTES) / element_bytes(job);
    const bool whole = job->n <= job->bucket_limit;
    if (whole) {
        job->bucket_limit = job->n;
        if (job->threads == 1)
            job->scatter_bits = 0;
    }
    job->worker_bytes = tables_bytes(job) + 2 * elements_bytes(job, job->bucket_limit);
    const size_t arrays = whole && job->threads == 1 ? 0 : elements_bytes(job, job->n);
    const size_t counts = ((size_t)job->threads << job->scatter_bits) * 2 * sizeof(size_t);
    const size_t out_keys = job->out.keys == NULL ? aligned(job->n * job->kernels->key_size) : 0;
    void *scratch;
    const parscan_status status =
        parscan_scratch(job->context,
                        arrays + out_keys + aligned(counts) + job->threads * job->worker_bytes +
                            aligned(extra_bytes),
                        &scratch);
    if (status != PARSCAN_OK)
        return status;
    char *memory = scratch;
    if (arrays > 0)
        job->scratch = place_elements(job, &memory, job->n);
    if (out_keys > 0)
        job->out.keys = memory;
    memory += out_keys;
    job->counts = (size_t *)memory;
    memory += aligned(counts);
    job->workers = memory;
    memory += job->threads * job->worker_bytes;
    if (extra != NULL)
        *extra = memory;
    return PARSCAN_OK;
}

/* A range on its way from where it is into buckets, by the digit. */
typedef struct partition {
    const sort_job *job;
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
    return p->range.from.keys + i * p->job->kernels->key_size;
}

/* The digit at the top of the bits that vary, as wide as makes buckets of TARGET_BYTES. */
static key_digit choose_digit(const sort_job *job, size_t n, uint64_t varying)
{
    const unsigned low = (unsigned)__builtin_ctzll(varying);
    const unsigned high = 64 - (unsigned)__builtin_clzll(varying);
    unsigned bits = 4;
    while (bits < job->scatter_bits && n * element_bytes(job) >> bits > TARGET_BYTES)
        bits++;
    if (bits > job->scatter_bits)
        bits = job->scatter_bits;
    if (bits > high - low)
        bits = high - low;
    return (key_digit){high - bits, bits};
}

static uint64_t count(partition *p)
{
    const sort_job *const job = p->job;
    uint64_t varying = 0;
#pragma omp parallel for num_threads(p->threads) if (p->threads > 1) reduction(| : varying)
    for (unsigned t = 0; t < p->threads; t++) {
        const size_t begin = share_begin(p, t);
        varying |= job->kernels->count(&job->order, p->digit, keys_at(p, begin),
                                       share_begin(p, t + 1) - begin, keys_at(p, p->range.begin),
                                       p->rows + ((size_t)t << p->digit.bits));
    }
    return varying;
}

/* Counts by a digit that a sample suggests; false: all keys are equal. */
static bool count_digits(partition *p, uint64_t sampled)
{
    const size_t n = p->range.n;
    p->digit = choose_digit(p->job, n, sampled != 0 ? sampled : 1);
    const uint64_t varying = count(p);
    if (varying == 0)
        return false;
    if (varying >> p->digit.low >> p->digit.bits != 0 || sampled == 0) {
        p->digit = choose_digit(p->job, n, varying);
        count(p);
    }
    return true;
}

/* From counts to where each core's share of each digit begins: digit after digit, core after core;
   rows[core][digit] then, and bounds[digit]. */
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
    parscan_tile_kernels_u64(p->job->context->isa)->scan(PARSCAN_SUM, &scan);
    for (size_t d = 0; d < digits; d++) {
        bounds[d] = p->columns[d * p->threads];
        for (unsigned t = 0; t < p->threads; t++)
            p->rows[t * digits + d] = p->columns[d * p->threads + t];
    }
    bounds[digits] = p->range.begin + p->range.n;
}

static void scatter(const partition *p)
{
    const sort_job *const job = p->job;
    const bool stream = p->range.n * job->kernels->key_size >= STREAM_BYTES;
#pragma omp parallel for num_threads(p->threads) if (p->threads > 1)
    for (unsigned t = 0; t < p->threads; t++) {
        const sort_worker w = parscan_sort_worker(job, p->worker + t);
        const digit_scatter share = {.order = job->order,
                                     .digit = p->digit,
                                     .from = p->range.from,
                                     .to = p->to,
                                     .value_size = job->value_size,
                                     .begin = share_begin(p, t),
                                     .end = share_begin(p, t + 1),
                                     .at = p->rows + ((size_t)t << p->digit.bits),
                                     .line_begin = w.line_begin,
                                     .lines = w.lines,
                                     .stream = stream};
        job->kernels->scatter(&share);
    }
}

static void sort_bucket(const sort_job *job, sort_range range, unsigned worker)
{
    const sort_worker w = parscan_sort_worker(job, worker);
    const bucket_sort bucket = {.order = job->order,
                                .from = range.from,
                                .to = job->out,
                                .spare = {w.spare[0], w.spare[1]},
                                .counts = w.counts,
                                .value_size = job->value_size,
                                .begin = range.begin,
                                .n = range.n};
    job->kernels->sort(&bucket);
}

/* Those that one core would be left alone with are sorted by all cores, one after another; the others
   by whichever core is free. */
void parscan_sort_ranges(const sort_job *job, elements from, const size_t *begin, const size_t *end,
                         size_t count, unsigned threads, unsigned worker)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        n += end[k] - begin[k];
    const size_t share = n / (8 * threads);
    const size_t large = share > job->bucket_limit ? share : job->bucket_limit;
    for (size_t k = 0; threads > 1 && k < count; k++)
        if (end[k] - begin[k] > large)
            parscan_sort_range(job, (sort_range){from, begin[k], end[k] - begin[k]}, threads,
                               worker);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 4)
    for (size_t k = 0; k < count; k++) {
        const sort_range range = {from, begin[k], end[k] - begin[k]};
        if (range.n > 0 && (threads == 1 || range.n <= large))
            parscan_sort_range(job, range, 1,
                               threads > 1 ? (unsigned)omp_get_thread_num() : worker);
    }
}

void parscan_sort_range(const sort_job *job, sort_range range, unsigned threads, unsigned worker)
{
    if (threads == 1 && range.n <= job->bucket_limit) {
        sort_bucket(job, range, worker);
        return;
    }
    size_t bounds[(1 << SCATTER_DIGIT_BITS) + 1];
    const sort_worker w = parscan_sort_worker(job, worker);
    partition p = {.job = job,
                   .range = range,
                   .to = job->out,
                   .threads = threads,
                   .worker = worker,
                   .rows = job->counts,
                   .columns = job->counts + ((size_t)threads << job->scatter_bits)};
    if (threads == 1) {
        p.rows = w.at;
        p.columns = w.line_begin;
    }
    if (range.from.keys == job->out.keys)
        p.to.keys = job->scratch.keys;
    if (range.from.values == job->out.values)
        p.to.values = job->scratch.values;
    const uint64_t sampled = job->kernels->varying(&job->order, keys_at(&p, range.begin), range.n,
                                                   range.n / SAMPLES + 1);
    if (parscan_sort_by_counting(job, range, sampled, threads, worker))
        return;
    if (!count_digits(&p, sampled)) {
        parscan_sort_move(job, range, threads);
        return;
    }
    scan_counts(&p, bounds);
    scatter(&p);
    parscan_sort_ranges(job, p.to, bounds, bounds + 1, (size_t)1 << p.digit.bits, threads, worker);
}

parscan_status parscan_sort_cpu(sort_job *job)
{
    const sort_range all = {job->in, 0, job->n};
    const parscan_status status = parscan_sort_prepare(job, 0, NULL);
    if (status != PARSCAN_OK)
        return status;
    if (!parscan_sort_ordered(job, all, job->threads))
        parscan_sort_range(job, all, job->threads, 0);
    return PARSCAN_OK;
}
