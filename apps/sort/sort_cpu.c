/*
 * Radix sort on the cores of a CPU.
 *
 * An array that does not fit a core's caches is cut into buckets by one digit, the top one of the
 * bits that vary. Each core counts the digits of its share, an exclusive scan of the counts gives
 * each core its place in every bucket, and each core scatters its share in order. This is the only
 * pass through main memory; its stores go through write-combining buffers. The buckets are then sorted within the
 * caches, from the least significant digit up (element_kernels_template.h), each by the next core
 * that is free. A bucket that is still too large is cut again, by all cores if it is a large part
 * of the array.
 *
 * Sources: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.5; N. Satish et al., Fast Sort
 * on CPUs and GPUs, SIGMOD 2010 (write-combining); M. Kokot, S. Deorowicz, M. Dlugosz, Even Faster
 * Sorting of (Not Only) Integers (RADULS2), ICMMI 2017.
 */
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"
#include "apps/sort/sort_partition_cpu.h"
#include "apps/sort/sort_runs_cpu.h"
#include "scan/context/float_mode.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"

enum {
    WORKER_BYTES = (2 << 20) - (64 << 10), /* of scratch for each thread, beside the n elements */
    BUCKET_BYTES = 512 << 10,              /* the most that a core sorts in its caches */
    LEAST_DIGIT_BITS = 4,
    TARGET_BYTES = 64 << 10,        /* of a bucket, where the digit can be chosen, */
    VECTOR_TARGET_BYTES = 16 << 10, /* and of one of floats that vectors sort */
    PARALLEL_FROM = 1 << 15,        /* elements from which on waking a second thread pays, */
    THREAD_ELEMENTS = 1 << 14,      /* and those that pay for each thread more */
    RANGES_AT_ONCE = 4,             /* that a thread takes */
    SAMPLES = 256
};

static size_t element_bytes(const sort_call *call)
{
    return call->key_size + call->value_size;
}

static size_t elements_bytes(const sort_call *call, size_t n)
{
    return whole_lines(n * call->key_size) + whole_lines(n * call->value_size);
}

static elements place_elements(const sort_call *call, char **memory, size_t n)
{
    elements e = {.keys = *memory};
    if (call->value_size > 0)
        e.values = *memory + whole_lines(n * call->key_size);
    *memory += elements_bytes(call, n);
    return e;
}

/* The bounds of the buckets of each range that a worker has cut and not finished. Each cut takes
   bits of the key, and there are 64, but for one by octaves, so they have at most so many entries in all.
   The first entry tells how many are in use. */
static size_t bounds_entries(const sort_call *call)
{
    const unsigned bits = call->scatter_bits;
    return bits == 0 ? 1 : 1 + (64 / bits + 2) * (((size_t)1 << bits) + 1);
}

/* The bytes of a worker's tables of digits, without its elements. */
static size_t tables_bytes(const sort_call *call)
{
    const size_t digits = (size_t)1 << call->scatter_bits;
    return BUCKET_COUNTS * sizeof(uint32_t) + digits * call->kernels->line_bytes +
           whole_lines((digits * 2 + bounds_entries(call)) * sizeof(size_t));
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
    memory += whole_lines((digits * 2 + bounds_entries(call)) * sizeof(size_t));
    w.spare[0] = place_elements(call, &memory, call->bucket_limit);
    w.spare[1] = place_elements(call, &memory, call->bucket_limit);
    return w;
}

void parscan_sort_forget_bounds(const sort_call *call)
{
    for (unsigned k = 0; k < call->threads; k++)
        *parscan_sort_worker(call, k).bounds = 0;
}

static unsigned sort_threads_for(const sort_call *call)
{
    const unsigned all = call->context->threads;
    if (call->n < PARALLEL_FROM)
        return 1;
    return call->n / THREAD_ELEMENTS < all ? (unsigned)(call->n / THREAD_ELEMENTS) : all;
}

/* Sets the digits and the buckets of a sort on so many threads. Returns the bytes of
   call->scratch. */
static size_t plan_sort(sort_call *call, unsigned threads)
{
    call->threads = threads;
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
    if (whole && !call->in_parts) {
        call->bucket_limit = call->n;
        if (threads == 1)
            call->scatter_bits = 0;
    }
    call->worker_bytes = tables_bytes(call) + 2 * elements_bytes(call, call->bucket_limit);
    return call->in_parts || (whole && threads == 1) ? 0 : elements_bytes(call, call->n);
}

static size_t counts_bytes(const sort_call *call)
{
    return whole_lines(((size_t)call->threads << call->scatter_bits) * sizeof(size_t));
}

static size_t out_keys_bytes(const sort_call *call)
{
    return call->in_parts || call->out.keys != NULL ? 0 : whole_lines(call->n * call->key_size);
}

/* What is asked for: a sort, and more for its caller. */
typedef struct sort_demand {
    const sort_call *call;
    parscan_scratch_need *extra;
} sort_demand;

static size_t sort_scratch_need(const void *state, unsigned threads)
{
    const sort_demand *const demand = state;
    sort_call call = *demand->call;
    const size_t arrays = plan_sort(&call, threads);
    const size_t extra = demand->extra == NULL ? 0 : whole_lines(demand->extra(&call, threads));
    return arrays + out_keys_bytes(&call) + counts_bytes(&call) + threads * call.worker_bytes +
           extra;
}

parscan_status parscan_sort_prepare(sort_call *call, parscan_scratch_need *extra_need, char **extra)
{
    const sort_demand demand = {call, extra_need};
    unsigned threads = sort_threads_for(call);
    void *scratch;
    const parscan_status status =
        parscan_scratch_of_threads(call->context, &threads, sort_scratch_need, &demand, &scratch);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    char *memory = scratch;
    if (plan_sort(call, threads) > 0)
        call->scratch = place_elements(call, &memory, call->n);
    const size_t out_keys = out_keys_bytes(call);
    if (out_keys > 0)
        call->out.keys = memory;
    memory += out_keys;
    call->counts = (size_t *)memory;
    memory += counts_bytes(call);
    call->workers = memory;
    memory += threads * call->worker_bytes;
    parscan_sort_forget_bounds(call);
    if (extra != NULL)
        *extra = memory;
    return PARSCAN_OK;
}

bucket_sort parscan_sort_bucket_of(const sort_call *call, elements from, unsigned worker)
{
    const sort_worker w = parscan_sort_worker(call, worker);
    return (bucket_sort){.order = call->order,
                         .from = from,
                         .to = call->out,
                         .spare = {w.spare[0], w.spare[1]},
                         .counts = w.counts,
                         .changing = call->in.keys,
                         .value_size = call->value_size,
                         .prefetch = call->context->prefetch_stores};
}

static void sort_bucket(const sort_call *call, sort_range range, unsigned worker)
{
    bucket_sort bucket = parscan_sort_bucket_of(call, range.from, worker);
    bucket.begin = range.begin;
    bucket.n = range.n;
    call->kernels->sort(&bucket);
}

typedef struct range_loop {
    const sort_call *call;
    sort_range cut;
    const size_t *begin, *end;
    size_t large; /* larger ranges are sorted by all threads */
    unsigned threads, worker;
} range_loop;

static sort_range range_of(const range_loop *l, size_t k)
{
    sort_range range = l->cut;
    range.begin = l->begin[k];
    range.n = l->end[k] - l->begin[k];
    return range;
}

static void sort_next_range(void *state, size_t k, unsigned worker)
{
    const range_loop *const l = state;
    const sort_range range = range_of(l, k);
    if (range.n > 0 && (l->threads == 1 || range.n <= l->large))
        parscan_sort_range(l->call, range, 1, l->worker + worker);
}

/* Ranges so large that one thread would finish long after the others are sorted by all threads, one
   range after another. Each other range is sorted by the next thread that is free. */
void parscan_sort_ranges(const sort_call *call, sort_range cut, const size_t *begin,
                         const size_t *end, size_t count, unsigned threads, unsigned worker)
{
    range_loop loop = {call, cut, begin, end, 0, threads, worker};
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        n += end[k] - begin[k];
    const size_t share = n / (8 * threads);
    loop.large = share > call->bucket_limit ? share : call->bucket_limit;
    for (size_t k = 0; threads > 1 && k < count; k++)
        if (end[k] - begin[k] > loop.large)
            parscan_sort_range(call, range_of(&loop, k), threads, worker);
    parscan_team_for(call->context, threads, count, RANGES_AT_ONCE, sort_next_range, &loop);
}

key_digit parscan_sort_choose_digit(uint64_t varying, size_t bytes, size_t target,
                                    unsigned most_bits)
{
    const unsigned low = (unsigned)__builtin_ctzll(varying);
    const unsigned high = 64 - (unsigned)__builtin_clzll(varying);
    unsigned bits = LEAST_DIGIT_BITS;
    while (bits < most_bits && bytes >> bits > target)
        bits++;
    if (bits > most_bits)
        bits = most_bits;
    if (bits > high - low)
        bits = high - low;
    return (key_digit){high - bits, bits};
}

static key_digit choose_digit(const sort_call *call, size_t n, uint64_t varying)
{
    const bool by_vectors = call->float_keys && call->value_size == 0 && call->whole_keys &&
                            call->kernels->vectors_sort_buckets;
    return parscan_sort_choose_digit(varying, n * element_bytes(call),
                                     by_vectors ? VECTOR_TARGET_BYTES : TARGET_BYTES,
                                     call->scatter_bits);
}

/* The bits by which the keys of a range are sorted. */
static uint64_t bits_of(sort_range range)
{
    return range.known < 64 ? UINT64_MAX >> range.known : 0;
}

/* Counts the digit or the octaves that a sample suggests. Returns false if all keys are equal. */
static bool count_digits(sort_partition *p, uint64_t sampled)
{
    const size_t n = p->range.n;
    p->digit = choose_digit(p->call, n, sampled != 0 ? sampled : 1);
    if (parscan_sort_by_octaves(p, p->digit))
        return parscan_sort_partition_count(p) != 0;
    const uint64_t varying = parscan_sort_partition_count(p) & bits_of(p->range);
    if (varying == 0)
        return false;
    if (varying >> p->digit.low >> p->digit.bits != 0 || sampled == 0) {
        p->digit = choose_digit(p->call, n, varying);
        parscan_sort_partition_count(p);
    }
    return true;
}

/* Cuts a range into buckets and sorts these. */
static void sort_by_digit(sort_partition *p, uint64_t sampled)
{
    const sort_call *const call = p->call;
    const parscan_float_state mode = parscan_float_begin(FLOAT_DEFAULT); /* of equal parts */
    if (!count_digits(p, sampled)) {
        parscan_float_end(mode);
        parscan_sort_move(call, p->range, p->threads);
        return;
    }
    /* The bounds are used until all buckets are sorted; those of buckets that are cut follow. */
    size_t *const used = parscan_sort_worker(call, p->worker).bounds;
    const size_t before = *used;
    p->bounds = used + 1 + before;
    *used = before + ((size_t)1 << p->digit.bits) + 1;
    parscan_sort_partition_scatter(p);
    parscan_float_end(mode);
    const size_t digits = (size_t)1 << p->digit.bits;
    const bool spreads = p->octaves.fine != 0;
    const sort_range cut = {.from = p->to,
                            .known = spreads ? p->range.known : 64 - p->digit.low,
                            .spread = spreads || p->range.spread};
    parscan_sort_ranges(call, cut, p->bounds, p->bounds + 1, digits, p->threads, p->worker);
    *used = before;
}

void parscan_sort_range(const sort_call *call, sort_range range, unsigned threads, unsigned worker)
{
    if (threads == 1 && range.n <= call->bucket_limit) {
        sort_bucket(call, range, worker);
        return;
    }
    elements to = call->out;
    if (range.from.keys == to.keys)
        to.keys = call->scratch.keys;
    if (range.from.values == to.values)
        to.values = call->scratch.values;
    sort_partition p = parscan_sort_partition(call, range, to, threads, worker);
    const uint64_t sampled =
        call->kernels->varying(&call->order, parscan_sort_partition_key(&p, range.begin), range.n,
                               range.n / SAMPLES + 1) &
        bits_of(range);
    const bool varies = sampled != 0;
    if (parscan_sort_by_counting(call, range, sampled, threads, worker) ||
        parscan_sort_short_by_vectors(&p) ||
        (varies && parscan_sort_skewed_by_vectors(&p, choose_digit(call, range.n, sampled))))
        return;
    sort_by_digit(&p, sampled);
}

parscan_status parscan_sort_cpu(sort_call *call)
{
    const sort_range all = {.from = call->in, .n = call->n};
    const parscan_status status = parscan_sort_prepare(call, NULL, NULL);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    if (!parscan_sort_ordered(call, all, call->threads) && !parscan_sort_by_runs(call) &&
        !parscan_sort_by_aside(call))
        parscan_sort_range(call, all, call->threads, 0);
    return PARSCAN_OK;
}
