/*
 * A sort in parts on the cores of a CPU. A split is the pass of the local sort through main memory.
 * Its buckets then come from every source; a core puts the pieces of a bucket one after another
 * where the bucket belongs, and sorts it there within its caches. So the local sort is not done
 * twice.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "apps/sort/sort_kernels.h"
#include "apps/sort/sort_partition_cpu.h"
#include "apps/sort/sort_parts_call.h"
#include "scan/cpu/team.h"

enum {
    SAMPLES = 1024,
    BUCKET_BYTES = 64 << 10,
    ROUND_BYTES = 4 << 20, /* of a thread's elements in a round, which then stay in caches */
    SMALL_BUCKET = 1024,   /* elements */
    PARALLEL_FROM = 1 << 15,
    MERGED_MOST = 1 << 14, /* elements of a rank: messages cost more than a merge */
    MERGED_PIECE = 1 << 13
};

static parscan_status prepare_parts(sort_parts *parts)
{
    sort_call *const call = &parts->call;
    call->in_parts = true;
    const parscan_status status = parscan_sort_prepare(call, NULL, NULL);
    if (status != PARSCAN_OK)
        return status;
    parts->digit_bits = call->scatter_bits;
    parts->bucket_bytes = BUCKET_BYTES;
    parts->small = SMALL_BUCKET;
    parts->limit = call->bucket_limit;
    parts->least_round = ROUND_BYTES / (call->key_size + call->value_size);
    parts->round = call->threads * parts->least_round;
    parts->piece = MERGED_PIECE;
    parts->merges = parts->n_in <= MERGED_MOST && parts->n_out <= MERGED_MOST;
    return PARSCAN_OK;
}

static unsigned parts_threads_for(const sort_call *call, size_t n)
{
    return n < PARALLEL_FROM ? 1 : call->threads;
}

typedef struct bits_search {
    const sort_call *call;
    const char *keys;
    size_t n;
    unsigned shares;
    atomic_uint_least64_t varying;
} bits_search;

static void search_share(void *state, size_t share)
{
    bits_search *const s = state;
    const size_t size = s->call->key_size, each = s->n / s->shares;
    const size_t begin = each * share, end = share + 1 == s->shares ? s->n : begin + each;
    const sort_kernels *const kernels = s->call->kernels;
    uint64_t varying = kernels->varying(&s->call->order, s->keys + begin * size, end - begin, 1);
    varying |= kernels->rank(&s->call->order, s->keys) ^
               kernels->rank(&s->call->order, s->keys + begin * size);
    atomic_fetch_or(&s->varying, varying);
}

static parscan_status show_windows(sort_parts *parts, const char *keys, const sort_window *windows,
                                   size_t count, char *to)
{
    const size_t size = parts->call.key_size;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < windows[k].count; i++, to += size)
            memcpy(to, keys + (windows[k].first + i * windows[k].step) * size, size);
    return PARSCAN_OK;
}

static parscan_status find_bits(sort_parts *parts, const char *keys, size_t n, bool all,
                                sort_bits *bits)
{
    const sort_call *const call = &parts->call;
    *bits = (sort_bits){0, 0};
    if (n == 0)
        return PARSCAN_OK;
    bits_search s = {.call = call, .keys = keys, .n = n, .shares = parts_threads_for(call, n)};
    if (all)
        parscan_team_run(call->context, s.shares, search_share, &s);
    else
        s.varying = call->kernels->varying(&call->order, keys, n, n / SAMPLES + 1);
    const uint64_t varying = atomic_load(&s.varying);
    const uint64_t rank = call->kernels->rank(&call->order, keys);
    *bits = (sort_bits){rank | varying, ~rank | varying};
    return PARSCAN_OK;
}

static parscan_status split_by_digit(sort_parts *parts, elements from, elements to, size_t n,
                                     key_digit digit, uint64_t *counts)
{
    sort_call call = parts->call;
    const unsigned threads = parts_threads_for(&call, n);
    const bool in_place = from.keys == to.keys;
    const size_t digits = (size_t)1 << digit.bits;
    sort_partition p = parscan_sort_partition(&call, (sort_range){.from = from, .n = n},
                                              in_place ? parts->aside : to, threads, 0);
    p.digit = digit;
    p.bounds = parscan_sort_worker(&call, 0).bounds + 1;
    parscan_sort_partition_count(&p);
    parscan_sort_partition_scatter(&p);
    for (size_t d = 0; d < digits; d++)
        counts[d] = p.bounds[d + 1] - p.bounds[d];
    if (in_place) {
        call.out = to;
        parscan_sort_move(&call, (sort_range){.from = parts->aside, .n = n}, threads);
    }
    return PARSCAN_OK;
}

/* A round whose buckets the threads sort. */
typedef struct round_sort {
    const sort_call *call;
    const sort_round *round;
    atomic_size_t next; /* the next bucket that no thread has taken */
    pthread_t caller;
    sort_meanwhile *meanwhile; /* NULL: it was called */
    void *state;
} round_sort;

static void sort_bucket(const round_sort *s, size_t bucket, unsigned worker)
{
    const sort_round *const r = s->round;
    const sort_call *const call = s->call;
    size_t begin = r->begin, n = 0;
    for (size_t k = 0; k < r->sources; k++) {
        const uint64_t *const ends = r->ends + k * r->stride;
        begin += ends[bucket] - ends[0];
    }
    for (size_t k = 0; k < r->sources; k++) {
        const uint64_t *const ends = r->ends + k * r->stride;
        const size_t count = ends[bucket + 1] - ends[bucket];
        const elements from = elements_from(call, r->pieces[k], ends[bucket] - ends[0]);
        const elements to = elements_from(call, call->out, begin + n);
        if (count > 0)
            memcpy(to.keys, from.keys, count * call->key_size);
        if (count > 0 && call->value_size > 0)
            memcpy(to.values, from.values, count * call->value_size);
        n += count;
    }
    if (n > 0)
        parscan_sort_range(call, (sort_range){.from = call->out, .begin = begin, .n = n}, 1,
                           worker);
}

/* The calling thread waits first: then others wait for nothing. */
static void sort_share(void *state, size_t share)
{
    round_sort *const s = state;
    if (pthread_equal(pthread_self(), s->caller) && s->meanwhile != NULL) {
        s->meanwhile(s->state);
        s->meanwhile = NULL;
    }
    for (;;) {
        const size_t bucket = atomic_fetch_add(&s->next, 1);
        if (bucket >= s->round->buckets)
            break;
        sort_bucket(s, bucket, (unsigned)share);
    }
}

static void sort_joined(sort_parts *parts, const sort_round *round)
{
    sort_call call = parts->call;
    call.out = elements_from(&call, parts->call.out, round->begin);
    call.scratch = parts->aside;
    parscan_sort_range(&call, (sort_range){.from = call.out, .n = round->n}, call.threads, 0);
}

static parscan_status sort_round_of_parts(sort_parts *parts, const sort_round *round,
                                          sort_meanwhile *meanwhile, void *state)
{
    if (round->joined) {
        meanwhile(state);
        sort_joined(parts, round);
        return PARSCAN_OK;
    }
    round_sort s = {.call = &parts->call,
                    .round = round,
                    .caller = pthread_self(),
                    .meanwhile = meanwhile,
                    .state = state};
    parscan_team_run(parts->call.context, parts_threads_for(&parts->call, round->n), sort_share,
                     &s);
    if (s.meanwhile != NULL)
        meanwhile(state);
    return PARSCAN_OK;
}

const sort_parts_engine parscan_sort_parts_cpu = {.prepare = prepare_parts,
                                                  .find_bits = find_bits,
                                                  .show = show_windows,
                                                  .split = split_by_digit,
                                                  .sort = sort_round_of_parts};
