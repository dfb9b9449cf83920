/*
 * Sorts keys of 8 bytes of which most are some thousand, wherever these are, as floats of a thousand values or of a Zipf
 * distribution; vectors sort those of 4 bytes as fast. The keys of a sample are put in a hash table. Each key that is
 * there is counted; all others are copied, sorted on their own, and go between the runs of those that were counted.
 */
#include <string.h>

#include "apps/sort/sort_counting.h"

enum {
    COMMON_BITS = 12,      /* of the table: keys in pairs of the same hash */
    COMMON_FROM = 1 << 18, /* keys; for fewer a sample costs too much */
    REPEATED_FROM = 16,    /* of COUNTING_SAMPLES, those that were there before */
    COMMON_SAMPLES = 1 << 13,
    SAMPLED_FROM = 128 /* keys for each of them */
};

/* A key that was counted. */
typedef struct common_key {
    uint64_t rank, key;
    size_t count;
} common_key;

/* The place of a key's pair. */
static size_t hash_of(uint64_t key)
{
    return 2 * (size_t)(key * 0x9e3779b97f4a7c15 >> (64 - COMMON_BITS + 1));
}

/* Whether a key is in the table; puts it there, if there is room. `none` stands where no key has been put: it is one that
   is found by its own hash alone. */
static bool find_or_put(uint64_t *table, uint64_t none, uint64_t key)
{
    uint64_t *const pair = table + hash_of(key);
    if (pair[0] == key || pair[1] == key)
        return true;
    if (pair[0] == none)
        pair[0] = key;
    else if (pair[1] == none)
        pair[1] = key;
    return false;
}

/* Fills the table with the keys of a sample. Returns false if too few of them come again, or if there is a NaN: these are
   equal and may have different bits, of which only a sort tells the order. */
static bool find_common(const counting *c, uint64_t *table)
{
    const sort_call *const call = c->call;
    const size_t most = c->range.n / SAMPLED_FROM,
                 samples = most < COMMON_SAMPLES ? most : COMMON_SAMPLES;
    const uint64_t none = call->kernels->raw(counting_keys(call, c->range, 0));
    size_t again = 0, late = 0;
    for (size_t k = 0; k < (size_t)1 << COMMON_BITS; k++)
        table[k] = none;
    for (size_t i = 0; i < samples; i++) {
        /* The first ones are spread over the range, too. */
        const size_t at = (i % COUNTING_SAMPLES) * (c->range.n / COUNTING_SAMPLES) +
                          i / COUNTING_SAMPLES * SAMPLED_FROM;
        const char *const key = counting_keys(call, c->range, at);
        const bool found = find_or_put(table, none, call->kernels->raw(key));
        again += found;
        late += found && i >= samples - samples / 4;
        if (parscan_counting_is_nan(call, call->kernels->rank(&call->order, key)) ||
            (i + 1 == COUNTING_SAMPLES && again < REPEATED_FROM))
            return false;
    }
    return late >= samples / 4 - samples / 16;
}

/* Counts the keys that are in the table, and copies all others. Returns how many these are. Without branches: which it
   is cannot be foreseen. */
static size_t count_common(const counting *c, const char *keys, size_t n, uint32_t *counts,
                           char *outside)
{
    const uint64_t *const table = c->table;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key;
        memcpy(&key, keys + i * sizeof key, sizeof key);
        const size_t first = hash_of(key), h = first + (table[first] != key);
        const bool other = table[h] != key;
        memcpy(outside + count * sizeof key, &key, sizeof key);
        count += other;
        counts[h] += !other;
    }
    return count;
}

static void count_common_share(void *state, size_t share)
{
    const counting *const c = state;
    const size_t begin = counting_share(c->range.n, share, c->threads);
    const size_t n = counting_share(c->range.n, share + 1, c->threads) - begin;
    const char *const keys = counting_keys(c->call, c->range, begin);
    uint32_t *const own = parscan_counting_counts(c, share);
    char *const outside = parscan_counting_outside(c, share);
    memset(own, 0, sizeof *own << COMMON_BITS);
    *parscan_counting_outside_count(c, share) = count_common(c, keys, n, own, outside);
}

/* Shell's sort, by Ciura's gaps. */
static void sort_by_rank(common_key *keys, size_t n)
{
    static const size_t gaps[] = {1577, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (size_t i = gaps[g]; i < n; i++) {
            const common_key key = keys[i];
            size_t k = i;
            for (; k >= gaps[g] && keys[k - gaps[g]].rank > key.rank; k -= gaps[g])
                keys[k] = keys[k - gaps[g]];
            keys[k] = key;
        }
}

/* The keys that have been counted, sorted. Returns how many they are. */
static size_t take_common(const counting *c, common_key *keys)
{
    const sort_call *const call = c->call;
    size_t n = 0;
    for (size_t k = 0; k < (size_t)1 << COMMON_BITS; k++)
        if (c->runs.begin[k] > 0)
            keys[n++] = (common_key){call->kernels->rank(&call->order, (const char *)&c->table[k]),
                                     c->table[k], c->runs.begin[k]};
    sort_by_rank(keys, n);
    return n;
}

/* Writes the runs; between them the keys outside, `count`, which are sorted at the end of the range's part of the output:
   what is written never comes behind those that are still to be moved. */
static void write_common(const counting *c, const common_key *keys, size_t n, size_t count)
{
    const sort_call *const call = c->call;
    const size_t size = call->key_size, end = c->range.begin + c->range.n;
    char *const out = call->out.keys;
    size_t to = c->range.begin, from = end - count;
    for (size_t k = 0; k < n; k++) {
        size_t next = from, last = end;
        while (next < last) {
            const size_t middle = next + (last - next) / 2;
            if (call->kernels->rank(&call->order, out + middle * size) < keys[k].rank)
                next = middle + 1;
            else
                last = middle;
        }
        memmove(out + to * size, out + from * size, (next - from) * size);
        to += next - from;
        from = next;
        call->kernels->fill(out, to, to + keys[k].count, keys[k].key);
        to += keys[k].count;
    }
}

bool parscan_sort_by_common(counting *c)
{
    const sort_call *const call = c->call;
    if (call->key_size != 8 || c->range.n < COMMON_FROM || call->scratch.keys == NULL ||
        c->range.from.keys == call->scratch.keys ||
        (sizeof(uint64_t) << COMMON_BITS) > call->bucket_limit * call->key_size)
        return false;
    uint64_t *const table = (uint64_t *)parscan_sort_worker(call, c->worker).spare[1].keys;
    c->digit = (key_digit){0, COMMON_BITS};
    c->table = table;
    if (!find_common(c, table))
        return false;
    parscan_counting_shares(c, count_common_share);
    const size_t outside = parscan_counting_gather_outside(c);
    if (outside == c->range.n)
        return false;
    c->runs = (key_runs){NULL, parscan_counting_room(c), (size_t)1 << COMMON_BITS};
    parscan_counting_add_up(c);
    common_key *const keys = (common_key *)(c->runs.begin + c->runs.count);
    const size_t n = take_common(c, keys);
    if (outside > 0)
        parscan_sort_range(call,
                           (sort_range){.from = call->scratch,
                                        .begin = c->range.begin + c->range.n - outside,
                                        .n = outside},
                           c->threads, c->worker);
    write_common(c, keys, n, outside);
    return true;
}
