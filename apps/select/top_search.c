#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "apps/select/top_search.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "apps/select/top_entries.h"
#include "apps/select/top_ranges.h"

enum {
    FEW = 1024,      /* so many elements are listed without a limit */
    MOST_SHARE = 16, /* beyond this share of the elements k is large */
    BLOCK = 256,     /* entries of a range that lie together */
    SAMPLES = 2      /* that are tried */
};

/* ---- memory ---- */

/* A sample of some sqrt(n) elements costs about what the elements cost that pass without being wanted. */
static size_t sample_size(size_t n)
{
    return 2 * (size_t)sqrt((double)n);
}

/* Which of a sample is the limit: so many of it are wanted, `share` in the mean, and six deviations more. */
static size_t place_in_sample(double share)
{
    return (size_t)(share + 6 * sqrt(share)) + 8;
}

static bool is_small(size_t n, size_t k)
{
    return k <= n / MOST_SHARE;
}

/* How many elements may pass: as many as that place of the sample stands for, and six deviations more. */
static size_t most_passing(size_t n, size_t k)
{
    const double stride = (double)n / (double)sample_size(n);
    const double place = (double)place_in_sample((double)k / stride);
    const double most = stride * (place + 6 * sqrt(place));
    return most < (double)n ? (size_t)most : n;
}

static size_t entry_room(size_t n, size_t k)
{
    const size_t small = k < n / MOST_SHARE ? k : n / MOST_SHARE;
    size_t room = most_passing(n, small);
    room = room > sample_size(n) ? room : sample_size(n);
    room = room > k ? room : k;
    return room > FEW ? room : FEW;
}

static size_t blocks_for(size_t room, unsigned threads)
{
    return room / BLOCK + 1 + ranges_for(threads);
}

size_t parscan_top_search_bytes(size_t n, size_t k, unsigned threads)
{
    const size_t room = entry_room(n, k), blocks = blocks_for(room, threads);
    const size_t entries = room + blocks * BLOCK + (size_t)threads * TOP_PIECE;
    return entries * sizeof(top_entry) +
           (blocks + ranges_for(threads) * (2 + TOP_DIGITS)) * sizeof(size_t);
}

void parscan_top_search_memory(top_search *search, size_t n, size_t k, unsigned threads,
                               void *memory)
{
    const size_t room = entry_room(n, k), blocks = blocks_for(room, threads);
    search->threads = threads;
    search->entry_room = room;
    search->entries = memory;
    search->spare = search->entries + room;
    search->staging = search->spare + blocks * BLOCK;
    search->next = (size_t *)(search->staging + (size_t)threads * TOP_PIECE);
    search->block_list = search->next + blocks;
    search->range_counts = search->block_list + ranges_for(threads);
    search->digit_counts = search->range_counts + ranges_for(threads);
}

/* ---- by a sample ---- */

/* The positions are random ones of equal parts of the array, so that no pattern of the input is followed. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* For the first sample of an array always the same; then from the time, which no input foresees. */
static uint64_t seed_of(unsigned sample)
{
    struct timespec now = {0, 0};
    if (sample > 0)
        clock_gettime(CLOCK_MONOTONIC, &now);
    return mixed((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

static top_limit limit_by_sample(top_search *s, unsigned sample)
{
    const size_t size = sample_size(s->n), part = s->n / size;
    const size_t place = place_in_sample((double)s->k * (double)size / (double)s->n);
    const uint64_t seed = seed_of(sample);
    for (size_t i = 0; i < size; i++) {
        const size_t at = i * part + (size_t)(mixed(seed + i) % part);
        s->entries[i] = (top_entry){s->kernels->rank(&s->order, s->in, at), at};
    }
    const size_t best = place < size ? place : size;
    parscan_keep_best(s->entries, size, best);
    top_limit limit = {0, 0};
    for (size_t i = 0; i < best; i++)
        if (s->entries[i].rank >= limit.rank)
            limit = (top_limit){s->entries[i].rank, (size_t)s->entries[i].index};
    return limit;
}

/* What passes a limit, in blocks. */
typedef struct listing {
    top_search *search;
    size_t blocks; /* that there are */
    atomic_size_t taken;
    atomic_bool full;
} listing;

/* Appends entries to the blocks of a range, whose last one is *block. Returns false if there is none left. */
static bool append(listing *l, size_t range, size_t *block, const top_entry *from, size_t count)
{
    top_search *const s = l->search;
    while (count > 0) {
        const size_t used = s->range_counts[range] % BLOCK;
        if (used == 0) {
            const size_t fresh = atomic_fetch_add(&l->taken, 1);
            if (fresh >= l->blocks)
                return false;
            if (s->range_counts[range] == 0)
                s->block_list[range] = fresh;
            else
                s->next[*block] = fresh;
            *block = fresh;
        }
        const size_t fits = count < BLOCK - used ? count : BLOCK - used;
        memcpy(s->spare + *block * BLOCK + used, from, fits * sizeof *from);
        s->range_counts[range] += fits;
        from += fits;
        count -= fits;
    }
    return true;
}

static void list_range(void *state, size_t range, unsigned worker)
{
    listing *const l = state;
    top_search *const s = l->search;
    top_entry *const staging = s->staging + (size_t)worker * TOP_PIECE;
    const size_t end = range_begin(s, range + 1);
    size_t block = 0;
    s->range_counts[range] = 0;
    for (size_t begin = range_begin(s, range); begin < end;) {
        const filtered_piece piece = piece_from(&s->limit, begin, end, TOP_PIECE);
        const size_t found = filter_piece(s, piece, staging);
        if (found > 0 && !append(l, range, &block, staging, found))
            atomic_store_explicit(&l->full, true, memory_order_relaxed);
        if (atomic_load_explicit(&l->full, memory_order_relaxed))
            return;
        begin = piece.end;
    }
}

/* Copies the blocks to entries, in the order of the ranges. */
static void gather_blocks(top_search *s)
{
    top_entry *to = s->entries;
    for (size_t range = 0; range < ranges_for(s->threads); range++) {
        size_t block = s->block_list[range];
        for (size_t left = s->range_counts[range]; left > 0; block = s->next[block]) {
            const size_t count = left < BLOCK ? left : BLOCK;
            memcpy(to, s->spare + block * BLOCK, count * sizeof *to);
            to += count;
            left -= count;
        }
    }
}

/* Lists what passes the limit. Returns the number; 0 if there is no room for them. */
static size_t list_passing(top_search *s)
{
    listing l = {.search = s, .blocks = blocks_for(s->entry_room, s->threads)};
    atomic_init(&l.taken, 0);
    atomic_init(&l.full, false);
    each_range(s, list_range, &l);
    size_t found = 0;
    for (size_t range = 0; range < ranges_for(s->threads); range++)
        found += s->range_counts[range];
    if (atomic_load(&l.full) || found > s->entry_room)
        return 0;
    gather_blocks(s);
    return found;
}

static bool search_by_samples(top_search *s)
{
    for (unsigned sample = 0; sample < SAMPLES; sample++) {
        s->limit = limit_by_sample(s, sample);
        const size_t found = list_passing(s);
        if (found >= s->k) {
            parscan_keep_best(s->entries, found, s->k);
            return true;
        }
    }
    return false;
}

/* ---- by counting ---- */

typedef struct counting {
    top_search *search;
    uint64_t above;
    unsigned shift;
} counting;

enum { COUNTED = 1 << 30 }; /* elements whose counts have 32 bits */

static void count_range(void *state, size_t range, unsigned worker)
{
    const counting *const c = state;
    const top_search *const s = c->search;
    size_t *const counts = s->digit_counts + range * TOP_DIGITS;
    const size_t end = range_begin(s, range + 1);
    (void)worker;
    memset(counts, 0, TOP_DIGITS * sizeof *counts);
    for (size_t begin = range_begin(s, range); begin < end; begin += COUNTED)
        s->kernels->count_digits(&s->order, s->in, begin,
                                 end - begin < COUNTED ? end : begin + COUNTED, c->above, c->shift,
                                 counts);
}

/* The digit of the k-th of those that are counted; *k becomes its place among those of the digit. Another thread may
   change elements between two reads: then it is the last digit. */
static size_t digit_of_kth(const top_search *s, size_t *k)
{
    for (size_t digit = 0;; digit++) {
        size_t count = 0;
        for (size_t range = 0; range < ranges_for(s->threads); range++)
            count += s->digit_counts[range * TOP_DIGITS + digit];
        if (count >= *k || digit + 1 == TOP_DIGITS)
            return digit;
        *k -= count;
    }
}

/* The index of the k-th element of the rank `rank` in a range. */
static size_t index_of_kth(const top_search *s, uint64_t rank, size_t range, size_t k)
{
    const size_t end = range_begin(s, range + 1);
    for (size_t begin = range_begin(s, range); begin < end; begin += TOP_PIECE) {
        const size_t piece_end = end - begin < TOP_PIECE ? end : begin + TOP_PIECE;
        const size_t found =
            s->kernels->filter(&s->order, s->in, begin, piece_end, rank, s->staging);
        for (size_t i = 0; i < found; i++)
            if (s->staging[i].rank == rank && --k == 0)
                return (size_t)s->staging[i].index;
    }
    return s->n - 1;
}

static void limit_by_counting(top_search *s)
{
    s->limit = (top_limit){UINT64_MAX >> (64 - s->key_bits), s->n - 1};
    if (s->k == s->n)
        return;
    counting c = {.search = s, .shift = s->key_bits - TOP_DIGIT_BITS};
    size_t k = s->k, digit;
    for (;; c.shift -= TOP_DIGIT_BITS) {
        each_range(s, count_range, &c);
        digit = digit_of_kth(s, &k);
        c.above = c.above << TOP_DIGIT_BITS | digit;
        if (c.shift == 0)
            break;
    }
    s->limit.rank = c.above;
    size_t range = 0;
    for (; range + 1 < ranges_for(s->threads) && s->digit_counts[range * TOP_DIGITS + digit] < k;
         range++)
        k -= s->digit_counts[range * TOP_DIGITS + digit];
    s->limit.index = index_of_kth(s, c.above, range, k);
}

bool parscan_top_search(top_search *s)
{
    if (s->n <= FEW) {
        const size_t found = s->kernels->filter(&s->order, s->in, 0, s->n, UINT64_MAX, s->entries);
        parscan_keep_best(s->entries, found, s->k);
        return true;
    }
    if (is_small(s->n, s->k) && search_by_samples(s))
        return true;
    limit_by_counting(s);
    return false;
}
