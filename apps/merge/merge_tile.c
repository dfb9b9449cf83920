#include "apps/merge/merge_tile.h"

#include <string.h>

/* A part is short if it has less than such a part of the other one's elements: each of its elements takes some
   50 ns to place, and vectors merge keys alone as fast as this. */
enum { UNEVEN = 32, UNEVEN_KEYS_8 = 64, UNEVEN_KEYS_4 = 128 };

/* Whether values move with the keys from merge to merge. Others are moved once, at the end: what
   moves with the keys is where they are. */
static bool moves_values(const merge_tiles *m)
{
    return m->call->value_size == m->payload_size;
}

/* Writes where n values are. */
static void put_addresses(const char *values, size_t size, size_t n, char *payload)
{
    for (size_t i = 0; i < n; i++) {
        const char *const address = values + i * size;
        memcpy(payload + i * sizeof address, &address, sizeof address);
    }
}

static void gather_values(const merge_call *call, const char *payload, size_t at, size_t n)
{
    char *to = call->values_out + at * call->value_size;
    for (size_t i = 0; i < n; i++, to += call->value_size) {
        const char *address;
        memcpy(&address, payload + i * sizeof address, sizeof address);
        memcpy(to, address, call->value_size);
    }
}

static size_t count_parts(const merge_tiles *m, const merge_worker *w)
{
    size_t count = 0;
    for (size_t run = 0; run < m->call->count; run++)
        count += w->begin[run] < w->end[run];
    return count;
}

/* The first round merges so many pairs, the first ones, that a power of two of parts is left. So no
   part is without another in any later round. */
static size_t first_pairs(size_t count)
{
    size_t left = 1;
    while (2 * left < count)
        left *= 2;
    return count - left;
}

/* Where a round of merges writes. */
typedef struct target {
    char *keys, *payload;
} target;

/* Where what is made for part k of a tile is written, which starts with element `at` of the tile: where
   the round that merges it does not write. That is buffer 0, if it is the first round. */
static char *place_for(const merge_worker *w, size_t count, size_t k, size_t at, size_t size)
{
    return w->buffers[k < 2 * first_pairs(count) ? 0 : 1] + at * size;
}

/* The parts of the runs that a tile consists of. */
static void find_parts(const merge_tiles *m, const merge_worker *w)
{
    const merge_call *const call = m->call;
    merge_part *part = w->parts;
    for (size_t run = 0; run < call->count; run++) {
        const size_t begin = w->begin[run], n = w->end[run] - begin;
        if (n == 0)
            continue;
        *part++ = (merge_part){.keys = call->runs[run].keys + begin * call->key_size,
                               .payload = call->value_size > 0
                                              ? call->runs[run].values + begin * call->value_size
                                              : NULL,
                               .n = n};
    }
}

static void replace_values(const merge_tiles *m, const merge_worker *w, size_t count)
{
    const size_t keys = m->tile * m->call->key_size;
    for (size_t k = 0, at = 0; k < count; at += w->parts[k].n, k++) {
        char *const addresses = place_for(w, count, k, at, m->payload_size) + keys;
        put_addresses(w->parts[k].payload, m->call->value_size, w->parts[k].n, addresses);
        w->parts[k].payload = addresses;
    }
}

/* Whether the keys of a part have one order only. All NaNs are equal and keep theirs; they are all
   first or all last. */
static bool is_total(const merge_tiles *m, const merge_part *part)
{
    const merge_call *const call = m->call;
    const uint64_t nan = call->order.flip ^ low_bits(call->kernels->key_bits);
    return !call->kernels->is_float ||
           (call->kernels->rank(&call->order, part->keys, 0) != nan &&
            call->kernels->rank(&call->order, part->keys, part->n - 1) != nan);
}

/* last: to the output. */
static void merge_two(const merge_tiles *m, const merge_part *a, const merge_part *b, target to,
                      bool last)
{
    if (m->vectors != NULL && is_total(m, a) && is_total(m, b))
        m->vectors(&m->vector_order, a->keys, a->n, b->keys, b->n, to.keys, last && m->stream);
    else
        m->call->kernels->merge[m->payload](&m->call->order, *a, *b, to.keys, to.payload);
}

/* One round, which merges the first parts, two and two. */
static void merge_round(const merge_tiles *m, merge_part *parts, size_t pairs, target to, bool last)
{
    for (size_t k = 0; k < pairs; k++) {
        const merge_part a = parts[2 * k], b = parts[2 * k + 1];
        merge_two(m, &a, &b, to, last);
        parts[k] = (merge_part){to.keys, to.payload, a.n + b.n};
        to.keys += (a.n + b.n) * m->call->key_size;
        if (m->payload_size > 0)
            to.payload += (a.n + b.n) * m->payload_size;
    }
}

/* Merges `count` parts. Rounds write to the second buffer and to the first one in turn, and the last
   round to `last`, where that is not NULL. Returns where the keys are. */
static merge_part merge_parts(const merge_tiles *m, const merge_worker *w, merge_part *parts,
                              size_t count, target last)
{
    const size_t keys = m->tile * m->call->key_size;
    for (unsigned round = 1; count > 1; round++) {
        char *const buffer = w->buffers[round % 2];
        const size_t pairs = round == 1 ? first_pairs(count) : count / 2;
        target to = {buffer, m->payload_size > 0 ? buffer + keys : NULL};
        if (count == 2 && last.keys != NULL)
            to.keys = last.keys;
        if (count == 2 && last.payload != NULL)
            to.payload = last.payload;
        merge_round(m, parts, pairs, to, count == 2);
        memmove(parts + pairs, parts + 2 * pairs, (count - 2 * pairs) * sizeof *parts);
        count -= pairs;
    }
    return parts[0];
}

static char *keys_at(const merge_call *call, size_t at)
{
    return call->keys_out != NULL ? call->keys_out + at * call->key_size : NULL;
}

/* Moves values of a size that the compiler knows, or of any. */
static inline __attribute__((always_inline)) void
take_values_of(const merge_part *parts, const char *places, size_t n, char *to, size_t size)
{
    for (size_t i = 0; i < n; i++, to += size) {
        const place_at from = place_of(places, i);
        memcpy(to, parts[from.part].payload + from.index * size, size);
    }
}

static void take_values(const merge_part *parts, const char *places, size_t n, char *to,
                        size_t size)
{
    if (size == 4)
        take_values_of(parts, places, n, to, 4);
    else if (size == 8)
        take_values_of(parts, places, n, to, 8);
    else
        take_values_of(parts, places, n, to, size);
}

/* The 32 bits in which the ranks of a tile differ most. */
static place_prefix prefix_of(const merge_call *call, const merge_part *parts, size_t count)
{
    place_prefix prefix = {.base = UINT64_MAX};
    uint64_t greatest = 0;
    for (size_t k = 0; k < count; k++) {
        const uint64_t first = call->kernels->rank(&call->order, parts[k].keys, 0);
        const uint64_t last = call->kernels->rank(&call->order, parts[k].keys, parts[k].n - 1);
        prefix.base = first < prefix.base ? first : prefix.base;
        greatest = last > greatest ? last : greatest;
    }
    while ((greatest - prefix.base) >> prefix.shift > UINT32_MAX)
        prefix.shift++;
    return prefix;
}

/*
 * Merges a tile by what SIMD vectors can hold: 32 bits of each rank, and where the element is. Places
 * are in the order of the input, so this is stable. Then keys and values are fetched from there.
 * Returns false if 32 bits do not tell the ranks of the tile apart: then nothing is in order.
 */
static bool merge_places(const merge_tiles *m, const merge_worker *w, size_t count, size_t at,
                         size_t n)
{
    const merge_call *const call = m->call;
    const place_prefix prefix = prefix_of(call, w->parts, count);
    merge_part *const parts = w->parts + count;
    for (size_t k = 0, begin = 0; k < count; begin += parts[k].n, k++) {
        char *const places = place_for(w, count, k, begin, sizeof(uint64_t));
        call->kernels->put_places(&call->order, w->parts[k].keys, w->parts[k].n, prefix, k, places);
        parts[k] = (merge_part){.keys = places, .n = w->parts[k].n};
    }
    const char *const places =
        merge_parts(m->by_places, w, parts, count, (target){NULL, NULL}).keys;
    if (!call->kernels->take_places(&call->order, w->parts, count, places, n, keys_at(call, at)))
        return false;
    take_values(w->parts, places, n, call->values_out + at * call->value_size, call->value_size);
    return true;
}

/* Copies n elements of a part from `begin` on. Returns where the next ones go. */
static size_t put_elements(const merge_call *call, const merge_part *part, size_t begin, size_t n,
                           size_t at)
{
    const size_t key = call->key_size, value = call->value_size;
    if (call->keys_out != NULL)
        memcpy(call->keys_out + at * key, part->keys + begin * key, n * key);
    if (value > 0)
        memcpy(call->values_out + at * value, part->payload + begin * value, n * value);
    return at + n;
}

/* Merges two parts of which one is short: its elements go between stretches of the other one, which are copied. */
static void merge_few(const merge_call *call, const merge_part parts[2], size_t at)
{
    const bool first_is_short = parts[0].n < parts[1].n;
    const merge_part *const few = &parts[!first_is_short], *const many = &parts[first_is_short];
    size_t done = 0;
    for (size_t i = 0; i < few->n; i++) {
        const uint64_t rank = call->kernels->rank(&call->order, few->keys, i);
        size_t end = done;
        if (rank >= first_is_short) /* of equal keys those of the first part come first */
            end = call->kernels->up_to(&call->order, many->keys, done, many->n,
                                       rank - first_is_short);
        at = put_elements(call, many, done, end - done, at);
        at = put_elements(call, few, i, 1, at);
        done = end;
    }
    put_elements(call, many, done, many->n - done, at);
}

static bool is_uneven(const merge_tiles *m, const merge_part parts[2])
{
    const size_t uneven = m->vectors == NULL       ? UNEVEN
                          : m->call->key_size == 4 ? UNEVEN_KEYS_4
                                                   : UNEVEN_KEYS_8;
    return parts[0].n / uneven > parts[1].n || parts[1].n / uneven > parts[0].n;
}

void parscan_merge_tile(const merge_tiles *m, const merge_worker *w, size_t at, size_t n)
{
    const merge_call *const call = m->call;
    const size_t count = count_parts(m, w);
    find_parts(m, w);
    if (count == 2 && is_uneven(m, w->parts)) {
        merge_few(call, w->parts, at);
        return;
    }
    if (m->by_places != NULL && count < (size_t)1 << PLACE_PART_BITS &&
        merge_places(m, w, count, at, n))
        return;
    target last = {.keys = keys_at(call, at)};
    if (call->value_size > 0 && moves_values(m))
        last.payload = call->values_out + at * call->value_size;
    else if (call->value_size > 0)
        replace_values(m, w, count);
    const merge_part merged = merge_parts(m, w, w->parts, count, last);
    if (!moves_values(m))
        gather_values(call, merged.payload, at, n);
}

/* The vectors store elements past the caches. */
void parscan_merge_copy(const merge_tiles *m, merge_run run, size_t begin, size_t n, size_t at)
{
    const merge_call *const call = m->call;
    const merge_part part = {.keys = run.keys + begin * call->key_size, .n = n};
    if (m->stream && is_total(m, &part))
        m->vectors(&m->vector_order, part.keys, n, part.keys, 0, keys_at(call, at), true);
    else if (call->keys_out != NULL)
        memcpy(keys_at(call, at), part.keys, n * call->key_size);
    if (call->value_size > 0)
        memcpy(call->values_out + at * call->value_size, run.values + begin * call->value_size,
               n * call->value_size);
}
