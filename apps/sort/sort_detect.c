/*
 * Finds input that is already in order, or in reverse order, in one read, which stops at the first
 * tile that is not. If the sort is not in place, tiles are copied while they are in the cache.
 */
#include <stdatomic.h>

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_kernels.h"
#include "scan/cpu/team.h"

enum { TILE_BYTES = 32768, PROBE = 32, STREAM_BYTES = 4 << 20, TILES_AT_ONCE = 8 };

typedef struct detection {
    const sort_call *call;
    sort_range range;
    size_t tile, tiles;
    bool descending, copies, stream;
    atomic_bool failed;
} detection;

static const char *keys_at(const sort_call *call, elements e, size_t i)
{
    return e.keys + i * call->key_size;
}

/* Moves the elements begin to end - 1 of a range to where they belong. */
static void move_range(const sort_call *call, elements from, size_t begin, size_t end, bool stream)
{
    const sort_kernels *const k = call->kernels;
    const size_t n = end - begin;
    if (from.keys != call->out.keys)
        k->copy(call->out.keys + begin * k->key_size, from.keys + begin * k->key_size,
                n * k->key_size, stream);
    if (call->value_size == 0 || from.values == call->out.values)
        return;
    const size_t size = call->value_size;
    if (from.values != NULL)
        k->copy(call->out.values + begin * size, from.values + begin * size, n * size, stream);
    else
        k->indices(call->out.values + begin * size, begin, n);
}

/* A range that is moved without a change of order, in `shares` shares. */
typedef struct range_move {
    const sort_call *call;
    sort_range range;
    size_t shares;
    bool stream;
} range_move;

static void move_share(void *state, size_t share)
{
    const range_move *const m = state;
    const size_t begin = m->range.begin, end = begin + m->range.n, n = m->range.n / m->shares;
    move_range(m->call, m->range.from, begin + n * share,
               share + 1 == m->shares ? end : begin + n * (share + 1), m->stream);
}

void parscan_sort_move(const sort_call *call, sort_range range, unsigned threads)
{
    range_move m = {call, range, threads, range.n * call->key_size >= STREAM_BYTES};
    if (threads == 1)
        move_share(&m, 0);
    else
        parscan_team_run(call->context, threads, move_share, &m);
}

static void check_tile(detection *d, size_t tile)
{
    const sort_call *const call = d->call;
    const size_t begin = d->range.begin + tile * d->tile;
    const size_t left = d->range.n - tile * d->tile, n = left < d->tile ? left : d->tile;
    const size_t joint = tile > 0; /* each tile starts with the last key of the tile before it */
    const char *const keys = keys_at(call, d->range.from, begin - joint);
    const bool right = d->descending ? call->kernels->descends(&call->order, keys, n + joint)
                                     : call->kernels->ascends(&call->order, keys, n + joint);
    if (!right)
        atomic_store_explicit(&d->failed, true, memory_order_relaxed);
    else if (d->copies)
        move_range(call, d->range.from, begin, begin + n, d->stream);
}

static void check_next_tile(void *state, size_t k, unsigned worker)
{
    detection *const d = state;
    (void)worker;
    if (!atomic_load_explicit(&d->failed, memory_order_relaxed))
        check_tile(d, k + 1);
}

/* An array of n elements of `size` bytes that is reversed, in `shares` shares. */
typedef struct reversal {
    const sort_call *call;
    char *to, *from;
    size_t n, size, shares;
} reversal;

static void reverse_share(void *state, size_t k)
{
    const reversal *const r = state;
    const size_t count = r->to == r->from ? r->n / 2 : r->n, share = count / r->shares;
    const size_t first = share * k, length = k + 1 == r->shares ? count - first : share;
    char *const mirrored = r->to + (r->n - first - length) * r->size;
    if (r->to == r->from)
        r->call->kernels->exchange(r->from + first * r->size, mirrored, length, r->size);
    else
        r->call->kernels->reverse(mirrored, r->from + first * r->size, length, r->size);
}

static void reverse_array(const sort_call *call, char *to, char *from, size_t begin, size_t n,
                          size_t size, unsigned threads)
{
    reversal r = {call, to + begin * size, from + begin * size, n, size, threads};
    if (threads == 1)
        reverse_share(&r, 0);
    else
        parscan_team_run(call->context, threads, reverse_share, &r);
}

static void reverse(const sort_call *call, sort_range range, unsigned threads)
{
    reverse_array(call, call->out.keys, range.from.keys, range.begin, range.n, call->key_size,
                  threads);
    if (call->value_size == 0)
        return;
    char *values = range.from.values;
    if (values == NULL) {
        call->kernels->indices(call->out.values + range.begin * call->value_size, range.begin,
                               range.n);
        values = call->out.values;
    }
    reverse_array(call, call->out.values, values, range.begin, range.n, call->value_size, threads);
}

bool parscan_sort_ordered(const sort_call *call, sort_range range, unsigned threads)
{
    const sort_kernels *const k = call->kernels;
    const char *const keys = keys_at(call, range.from, range.begin);
    const size_t probe = range.n < PROBE ? range.n : PROBE;
    detection d = {.call = call, .range = range, .tile = TILE_BYTES / k->key_size};
    if (!k->ascends(&call->order, keys, probe)) {
        d.descending = true;
        if (!k->descends(&call->order, keys, probe))
            return false;
    }
    d.tiles = range.n / d.tile + (range.n % d.tile != 0);
    d.copies = !d.descending;
    d.stream = range.n * k->key_size >= STREAM_BYTES;
    atomic_init(&d.failed, false);
    check_tile(&d, 0); /* most inputs are rejected here */
    if (!d.failed && d.tiles > 1)
        parscan_team_for(call->context, threads, d.tiles - 1, TILES_AT_ONCE, check_next_tile, &d);
    if (d.failed)
        return false;
    if (d.descending)
        reverse(call, range, threads);
    return true;
}
