/*
 * Sorts keys without values by counting. Equal keys cannot be told apart, so no key is moved: each
 * distinct key is written in order, as often as it occurs.
 *
 *   by digit    Few bits vary, so each key is a digit: count all digits, scan the counts, which
 *               tells where the run of each key starts, and write the runs. Not with NaNs, which
 *               are one digit and may have different bits.
 *   by window   Most keys are near each other: sort_window.c.
 *   by common keys   Some thousand keys are most of them: sort_common.c.
 *   by table    A sample has shown few distinct keys. A hash function numbers them, and each key
 *               is compared with the key that has its number.
 *
 * All rely on a sample. They notice before anything is written if the sample was misleading, and
 * then leave the range to the radix sort.
 */
#include <string.h>

#include "apps/sort/sort_counting.h"

/* The scan of the counts is a tile kernel of scan/, for u64, which size_t is. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

enum {
    MAX_DISTINCT = 48,
    TABLE_BITS = 10,
    HASH_TRIALS = 64,
    WIDE_FROM = 8, /* keys a digit of COUNTING_DIGIT_BITS; with fewer, buckets take no more time */
    DIGIT_BLOCK = 1024, /* digits whose counts a thread adds up at once */
    KEYS_FROM = 1 << 14 /* with fewer keys, the sort within the caches is as fast */
};

void parscan_counting_shares(counting *c, parscan_team_part *run)
{
    if (c->threads == 1)
        run(c, 0);
    else
        parscan_team_run(c->call->context, c->threads, run, c);
}

/* Each thread writes an equal share of the keys. */
static void write_share(void *state, size_t share)
{
    const counting *const c = state;
    const key_runs *const runs = &c->runs;
    const size_t first = c->range.begin + counting_share(c->range.n, share, c->threads);
    const size_t last = c->range.begin + counting_share(c->range.n, share + 1, c->threads);
    for (size_t r = 0; r < runs->count; r++) {
        const size_t begin = runs->begin[r] > first ? runs->begin[r] : first;
        const size_t end =
            r + 1 < runs->count && runs->begin[r + 1] < last ? runs->begin[r + 1] : last;
        if (begin < end)
            c->call->kernels->fill(
                c->call->out.keys, begin, end,
                runs->keys != NULL
                    ? runs->keys[r]
                    : c->call->kernels->key_of(&c->call->order, c->rank + (r << c->digit.low)));
    }
}

void parscan_counting_write(counting *c)
{
    const tile_scan scan = {.in = c->runs.begin,
                            .out = c->runs.begin,
                            .n = c->runs.count,
                            .before = c->range.begin,
                            .exclusive = true};
    parscan_tile_kernels_u64(c->call->context->isa)->scan(PARSCAN_SUM, &scan);
    parscan_counting_shares(c, write_share);
}

void *parscan_counting_counts(const counting *c, size_t share)
{
    return parscan_sort_worker(c->call, c->worker + (unsigned)share).spare[0].keys;
}

static void count_share(void *state, size_t share)
{
    counting *const c = state;
    const size_t begin = counting_share(c->range.n, share, c->threads);
    uint32_t *const own = parscan_counting_counts(c, share);
    memset(own, 0, sizeof *own << c->digit.bits);
    const uint64_t varying = c->call->kernels->count_wide(
        &c->call->order, c->digit, counting_keys(c->call, c->range, begin),
        counting_share(c->range.n, share + 1, c->threads) - begin,
        counting_keys(c->call, c->range, 0), own);
    atomic_fetch_or(&c->varying, varying);
}

/* Adds up the counts of a block of digits. */
static void add_up_digits(void *state, size_t block, unsigned worker)
{
    const counting *const c = state;
    const size_t digits = (size_t)1 << c->digit.bits, begin = block * DIGIT_BLOCK;
    const size_t end = digits - begin < DIGIT_BLOCK ? digits : begin + DIGIT_BLOCK;
    (void)worker;
    memset(c->runs.begin + begin, 0, (end - begin) * sizeof *c->runs.begin);
    for (size_t share = 0; share < c->threads; share++) {
        const uint32_t *const own = parscan_counting_counts(c, share);
        for (size_t d = begin; d < end; d++)
            c->runs.begin[d] += own[d];
    }
}

void parscan_counting_add_up(counting *c)
{
    const size_t digits = (size_t)1 << c->digit.bits;
    parscan_team_for(c->call->context, c->threads, (digits + DIGIT_BLOCK - 1) / DIGIT_BLOCK, 1,
                     add_up_digits, c);
}

/* Each thread counts in its own table; the tables are then added up. */
static bool count_by_digit(counting *c)
{
    const size_t digits = (size_t)1 << c->digit.bits;
    parscan_counting_shares(c, count_share);
    if ((atomic_load(&c->varying) & ~((digits - 1) << c->digit.low)) != 0)
        return false;
    parscan_counting_add_up(c);
    return true;
}

/* The rank of NaNs. */
static uint64_t rank_of_nans(const sort_call *call)
{
    return UINT64_MAX >> (64 - 8 * call->key_size) ^ call->order.flip;
}

bool parscan_counting_is_nan(const sort_call *call, uint64_t rank)
{
    return call->float_keys && rank == rank_of_nans(call);
}

static bool samples_nans(const counting *c)
{
    const sort_call *const call = c->call;
    bool found = false;
    for (size_t i = 0; call->float_keys && i < COUNTING_SAMPLES; i++)
        found = found ||
                parscan_counting_is_nan(
                    call, call->kernels->rank(
                              &call->order,
                              counting_keys(call, c->range, i * (c->range.n / COUNTING_SAMPLES))));
    return found;
}

/* Whether NaNs have been counted by digit. */
static bool has_counted_nans(const counting *c)
{
    const uint64_t nan = rank_of_nans(c->call), digits = ((uint64_t)1 << c->digit.bits) - 1;
    return c->call->float_keys && (nan & ~(digits << c->digit.low)) == c->rank &&
           c->runs.begin[nan >> c->digit.low & digits] > 0;
}

static bool sort_by_digit(counting *c, uint64_t sampled)
{
    const unsigned high = 64 - (unsigned)__builtin_clzll(sampled | 1);
    const unsigned low = high <= COUNTING_DIGIT_BITS ? 0 : (unsigned)__builtin_ctzll(sampled);
    const sort_call *const call = c->call;
    c->digit = (key_digit){low, high - low};
    if (c->digit.bits > COUNTING_DIGIT_BITS ||
        c->range.n >> c->digit.bits < (c->digit.bits < COUNTING_DIGIT_BITS ? 2 : WIDE_FROM))
        return false;
    const size_t digits = (size_t)1 << c->digit.bits;
    if (digits * sizeof(size_t) > call->bucket_limit * call->key_size || samples_nans(c))
        return false;
    c->runs =
        (key_runs){NULL, (size_t *)parscan_sort_worker(call, c->worker).spare[1].keys, digits};
    if (!count_by_digit(c))
        return false;
    c->rank = call->kernels->rank(&call->order, counting_keys(call, c->range, 0)) &
              ~((uint64_t)(digits - 1) << low);
    if (has_counted_nans(c))
        return false;
    parscan_counting_write(c);
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
    const size_t stride = range.n / COUNTING_SAMPLES;
    found->count = 0;
    for (size_t i = 0; i < COUNTING_SAMPLES; i++) {
        const char *const at = counting_keys(call, range, i * stride);
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

static void count_known_share(void *state, size_t share)
{
    counting *const c = state;
    const size_t begin = counting_share(c->range.n, share, c->threads);
    size_t *const own = parscan_counting_counts(c, share);
    memset(own, 0, sizeof *own << TABLE_BITS);
    if (!c->call->kernels->count_known(counting_keys(c->call, c->range, begin),
                                       counting_share(c->range.n, share + 1, c->threads) - begin,
                                       c->multiplier, 64 - TABLE_BITS, c->table, own))
        atomic_store(&c->unknown, true);
}

static bool sort_by_table(counting *c)
{
    distinct_keys found;
    uint64_t table[1 << TABLE_BITS];
    if ((sizeof(size_t) << TABLE_BITS) > c->call->bucket_limit * c->call->key_size ||
        !find_distinct(c->call, c->range, &found))
        return false;
    c->multiplier = find_hash(&found, table);
    if (c->multiplier == 0)
        return false;
    c->table = table;
    parscan_counting_shares(c, count_known_share);
    if (atomic_load(&c->unknown))
        return false;
    size_t begin[MAX_DISTINCT] = {0};
    for (size_t k = 0; k < found.count; k++)
        for (size_t share = 0; share < c->threads; share++)
            begin[k] += ((const size_t *)parscan_counting_counts(
                c, share))[found.keys[k] * c->multiplier >> (64 - TABLE_BITS)];
    c->runs = (key_runs){found.keys, begin, found.count};
    parscan_counting_write(c);
    return true;
}

bool parscan_sort_by_counting(const sort_call *call, sort_range range, uint64_t sampled,
                              unsigned threads, unsigned worker)
{
    if (call->value_size != 0 || !call->whole_keys || range.n < KEYS_FROM ||
        range.n / threads + threads > UINT32_MAX)
        return false;
    counting c = {.call = call, .range = range, .threads = threads, .worker = worker};
    return sort_by_digit(&c, sampled) || sort_by_table(&c) || parscan_sort_by_window(&c) ||
           parscan_sort_by_common(&c);
}
