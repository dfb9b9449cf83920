/*
 * Sorts keys without values by counting. Equal keys cannot be told apart, so no key is moved: each
 * distinct key is written in order, as often as it occurs.
 *
 *   by digit    Few bits vary, so each key is a digit: count all digits, scan the counts, which
 *               tells where the run of each key begins, and write the runs.
 *   by table    A sample has shown few distinct keys. A hash function numbers them, and each key
 *               is compared with the key that has its number.
 *
 * Both rely on a sample. They notice before anything is written if the sample was misleading, and
 * then leave the range to the radix sort.
 */
#include <string.h>

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"

/* The scan of the counts is a tile kernel of scan/, for u64, which size_t is. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

enum {
    MAX_DIGIT_BITS = 16,
    SAMPLES = 256,
    MAX_DISTINCT = 48,
    TABLE_BITS = 10,
    HASH_TRIALS = 64,
    KEYS_FROM = 1 << 14 /* with fewer keys, the sort within the caches is as fast */
};

/* The runs of equal keys of a range: run r consists of keys[r] and ends where the next run
   begins. */
typedef struct key_runs {
    const uint64_t *keys;
    size_t *begin; /* count + 1 entries; they hold counts at first */
    size_t count;
} key_runs;

static const char *range_keys(const sort_call *call, sort_range range, size_t i)
{
    return range.from.keys + (range.begin + i) * call->key_size;
}

static size_t share_begin(size_t n, unsigned t, unsigned threads)
{
    return t == threads ? n : n / threads * t;
}

/* Writes the runs. Each core writes an equal share of the keys. */
static void write_runs(const sort_call *call, sort_range range, key_digit digit, uint64_t rank,
                       const key_runs *runs, unsigned threads)
{
    const tile_scan scan = {.in = runs->begin,
                            .out = runs->begin,
                            .n = runs->count + 1,
                            .before = range.begin,
                            .exclusive = true};
    parscan_tile_kernels_u64(call->context->isa)->scan(PARSCAN_SUM, &scan);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (unsigned t = 0; t < threads; t++) {
        const size_t first = range.begin + share_begin(range.n, t, threads);
        const size_t last = range.begin + share_begin(range.n, t + 1, threads);
        for (size_t r = 0; r < runs->count; r++) {
            const size_t begin = runs->begin[r] > first ? runs->begin[r] : first;
            const size_t end = runs->begin[r + 1] < last ? runs->begin[r + 1] : last;
            if (begin < end)
                call->kernels->fill(call->out.keys, begin, end,
                                    runs->keys != NULL
                                        ? runs->keys[r]
                                        : (rank | r << digit.low) ^ call->order.flip);
        }
    }
}

/* Each core counts in its own table; the tables are then added up. */
static bool count_by_digit(const sort_call *call, sort_range range, key_digit digit, size_t *counts,
                           unsigned threads, unsigned worker)
{
    const uint64_t outside = ~((((uint64_t)1 << digit.bits) - 1) << digit.low);
    uint64_t varying = 0;
#pragma omp parallel for num_threads(threads) if (threads > 1) reduction(| : varying)
    for (unsigned t = 0; t < threads; t++) {
        const size_t begin = share_begin(range.n, t, threads);
        uint32_t *const own = (uint32_t *)parscan_sort_worker(call, worker + t).spare[0].keys;
        memset(own, 0, sizeof *own << digit.bits);
        varying |= call->kernels->count_wide(&call->order, digit, range_keys(call, range, begin),
                                             share_begin(range.n, t + 1, threads) - begin,
                                             range_keys(call, range, 0), own);
    }
    if ((varying & outside) != 0)
        return false;
    memset(counts, 0, (((size_t)1 << digit.bits) + 1) * sizeof *counts);
    for (unsigned t = 0; t < threads; t++) {
        const uint32_t *const own =
            (const uint32_t *)parscan_sort_worker(call, worker + t).spare[0].keys;
        for (size_t d = 0; d < (size_t)1 << digit.bits; d++)
            counts[d] += own[d];
    }
    return true;
}

static bool sort_by_digit(const sort_call *call, sort_range range, uint64_t sampled,
                          unsigned threads, unsigned worker)
{
    const unsigned high = 64 - (unsigned)__builtin_clzll(sampled | 1);
    const unsigned low = high <= MAX_DIGIT_BITS ? 0 : (unsigned)__builtin_ctzll(sampled);
    const key_digit digit = {low, high - low};
    if (digit.bits > MAX_DIGIT_BITS || range.n >> digit.bits < 2)
        return false;
    const size_t room = call->bucket_limit * call->key_size;
    if ((((size_t)1 << digit.bits) + 1) * sizeof(size_t) > room)
        return false;
    size_t *const counts = (size_t *)parscan_sort_worker(call, worker).spare[1].keys;
    if (!count_by_digit(call, range, digit, counts, threads, worker))
        return false;
    const uint64_t inside = (((uint64_t)1 << digit.bits) - 1) << digit.low;
    const uint64_t rank = call->kernels->rank(&call->order, range_keys(call, range, 0)) & ~inside;
    const key_runs runs = {NULL, counts, (size_t)1 << digit.bits};
    write_runs(call, range, digit, rank, &runs, threads);
    return true;
}

/* ---- few distinct keys ---- */

typedef struct distinct_keys {
    size_t count;
    uint64_t ranks[MAX_DISTINCT], keys[MAX_DISTINCT]; /* sorted */
} distinct_keys;

/* Finds the distinct keys of a sample, sorted. Returns false if there are too many. */
static bool find_distinct(const sort_call *call, sort_range range, distinct_keys *found)
{
    const size_t stride = range.n / SAMPLES;
    found->count = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const char *const at = range_keys(call, range, i * stride);
        const uint64_t rank = call->kernels->rank(&call->order, at);
        size_t k = found->count;
        while (k > 0 && found->ranks[k - 1] >= rank)
            k--;
        if (k < found->count && found->ranks[k] == rank)
            continue;
        if (found->count == MAX_DISTINCT)
            return false;
        memmove(found->ranks + k + 1, found->ranks + k, (found->count - k) * sizeof(uint64_t));
        memmove(found->keys + k + 1, found->keys + k, (found->count - k) * sizeof(uint64_t));
        found->ranks[k] = rank;
        found->keys[k] = call->kernels->raw(at);
        found->count++;
    }
    return true;
}

/* Returns a multiplier for which the products of all keys differ in their top TABLE_BITS, or 0
   if none was found. */
static uint64_t find_hash(const distinct_keys *found, uint64_t table[1 << TABLE_BITS])
{
    uint64_t multiplier = 0x9e3779b97f4a7c15;
    for (int trial = 0; trial < HASH_TRIALS; trial++, multiplier = multiplier * multiplier + 2) {
        bool taken[1 << TABLE_BITS] = {false};
        size_t k = 0;
        for (; k < found->count; k++) {
            const size_t h = found->keys[k] * (multiplier | 1) >> (64 - TABLE_BITS);
            if (taken[h])
                break;
            taken[h] = true;
            table[h] = found->keys[k];
        }
        if (k < found->count)
            continue;
        /* An entry that no key hashes to may hold any key, since no key is compared with it
           successfully. */
        for (size_t h = 0; h < 1 << TABLE_BITS; h++)
            if (!taken[h])
                table[h] = found->keys[0];
        return multiplier | 1;
    }
    return 0;
}

static bool sort_by_table(const sort_call *call, sort_range range, unsigned threads)
{
    distinct_keys found;
    uint64_t table[1 << TABLE_BITS];
    if (!find_distinct(call, range, &found))
        return false;
    const uint64_t multiplier = find_hash(&found, table);
    if (multiplier == 0)
        return false;
    size_t counts[1 << TABLE_BITS] = {0};
    bool known = true;
#pragma omp parallel for num_threads(threads) if (threads > 1) reduction(&& : known) \
    reduction(+ : counts)
    for (unsigned t = 0; t < threads; t++) {
        const size_t begin = share_begin(range.n, t, threads);
        known &= call->kernels->count_known(range_keys(call, range, begin),
                                            share_begin(range.n, t + 1, threads) - begin,
                                            multiplier, 64 - TABLE_BITS, table, counts);
    }
    if (!known)
        return false;
    size_t begin[MAX_DISTINCT + 1] = {0};
    for (size_t k = 0; k < found.count; k++)
        begin[k] = counts[found.keys[k] * multiplier >> (64 - TABLE_BITS)];
    const key_runs runs = {found.keys, begin, found.count};
    write_runs(call, range, (key_digit){0, 0}, 0, &runs, threads);
    return true;
}

bool parscan_sort_by_counting(const sort_call *call, sort_range range, uint64_t sampled,
                              unsigned threads, unsigned worker)
{
    if (call->value_size != 0 || !call->whole_keys || range.n < KEYS_FROM ||
        range.n / threads + threads > UINT32_MAX)
        return false;
    return (!call->float_keys && sort_by_digit(call, range, sampled, threads, worker)) ||
           sort_by_table(call, range, threads);
}
