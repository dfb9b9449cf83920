#include "apps/merge/merge_runs.h"

#include <string.h>

#include "apps/merge/merge_kernels.h"
#include "apps/merge/merge_split.h"
#include "apps/merge/merge_vectors.h"
#include "scan/context/size_math.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/stream_fence.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    MERGE_TILE_BYTES = 256 << 10, /* of keys and payload; a worker has twice that */
    TILE_FREEDOM = 8,             /* a tile may be shorter by that part */
    SHARES = 4,                   /* ranges of tiles for each thread */
    PARALLEL_FROM = 1 << 14       /* elements from which on waking a second thread pays */
};

/* One thread's memory. */
typedef struct worker {
    char *buffers[2];
    size_t *begin, *end, *room; /* of each run; room has twice as many */
    merge_part *parts;          /* two for each run */
} worker;

typedef struct merge {
    const merge_call *call;
    const struct merge *by_places; /* a merge of places, which values do not move in; NULL: none */
    merge_payload payload;
    size_t payload_size; /* 0, 4 or 8 */
    size_t tile;         /* the most elements of a tile */
    size_t shares;
    merge_of_vectors *vectors; /* NULL: values move too, or there are no vectors of such keys */
    merge_vector_order vector_order;
    bool stream; /* vectors store keys_out past the caches */
} merge;

static size_t worker_bytes(size_t count)
{
    return 2 * MERGE_TILE_BYTES +
           whole_lines(count * (4 * sizeof(size_t) + 2 * sizeof(merge_part)));
}

size_t parscan_merge_memory(unsigned threads, size_t count)
{
    return threads * worker_bytes(count);
}

static worker worker_of(const merge_call *call, unsigned number)
{
    char *const memory = call->memory + number * worker_bytes(call->count);
    worker w = {.buffers = {memory, memory + MERGE_TILE_BYTES}};
    w.parts = (merge_part *)(memory + 2 * MERGE_TILE_BYTES);
    w.begin = (size_t *)(w.parts + 2 * call->count);
    w.end = w.begin + call->count;
    w.room = w.end + call->count;
    return w;
}

const merge_kernels *parscan_merge_kernels(key_class kind)
{
    static const merge_kernels *const kernels[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = &MERGE_KERNELS_OF(name),
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return kernels[kind];
}

/* Whether values move with the keys from merge to merge. Others are moved once, at the end: what
   moves with the keys is where they are. */
static bool moves_values(const merge *m)
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

static size_t count_parts(const merge *m, const worker *w)
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
static char *place_for(const worker *w, size_t count, size_t k, size_t at, size_t size)
{
    return w->buffers[k < 2 * first_pairs(count) ? 0 : 1] + at * size;
}

/* The parts of the runs that a tile consists of. */
static void find_parts(const merge *m, const worker *w)
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

static void replace_values(const merge *m, const worker *w, size_t count)
{
    const size_t keys = m->tile * m->call->key_size;
    for (size_t k = 0, at = 0; k < count; at += w->parts[k].n, k++) {
        char *const addresses = place_for(w, count, k, at, m->payload_size) + keys;
        put_addresses(w->parts[k].payload, m->call->value_size, w->parts[k].n, addresses);
        w->parts[k].payload = addresses;
    }
}

static uint64_t low_bits(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Whether the keys of a part have one order only. All NaNs are equal and keep theirs; they are all
   first or all last. */
static bool is_total(const merge *m, const merge_part *part)
{
    const merge_call *const call = m->call;
    const uint64_t nan = call->order.flip ^ low_bits(call->kernels->key_bits);
    return !call->kernels->is_float ||
           (call->kernels->rank(&call->order, part->keys, 0) != nan &&
            call->kernels->rank(&call->order, part->keys, part->n - 1) != nan);
}

/* last: to the output. */
static void merge_two(const merge *m, const merge_part *a, const merge_part *b, target to,
                      bool last)
{
    if (m->vectors != NULL && is_total(m, a) && is_total(m, b))
        m->vectors(&m->vector_order, a->keys, a->n, b->keys, b->n, to.keys, last && m->stream);
    else
        m->call->kernels->merge[m->payload](&m->call->order, *a, *b, to.keys, to.payload);
}

/* One round, which merges the first parts, two and two. */
static void merge_round(const merge *m, merge_part *parts, size_t pairs, target to, bool last)
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
static merge_part merge_parts(const merge *m, const worker *w, merge_part *parts, size_t count,
                              target last)
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
static bool merge_places(const merge *m, const worker *w, size_t count, size_t at, size_t n)
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

/* Merges the elements between begin and end of the runs into a tile of the output. */
static void merge_tile(const merge *m, const worker *w, size_t at, size_t n)
{
    const merge_call *const call = m->call;
    const size_t count = count_parts(m, w);
    find_parts(m, w);
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

/* The run that all elements between begin and end belong to; count if there are several. */
static size_t only_run(const merge_call *call, const worker *w)
{
    size_t found = call->count;
    for (size_t run = 0; run < call->count; run++) {
        if (w->begin[run] == w->end[run])
            continue;
        if (found < call->count)
            return call->count;
        found = run;
    }
    return found;
}

/* Elements of one run alone. The vectors store them past the caches. */
static void copy_run(const merge *m, merge_run run, size_t begin, size_t n, size_t at)
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

/* The tiles of one share, one after another: each starts where the one before it ends. */
static void merge_share(void *state, size_t share, unsigned number)
{
    const merge *const m = state;
    const merge_call *const call = m->call;
    worker w = worker_of(call, number);
    size_t at = call->n / m->shares * share;
    const size_t end = share + 1 < m->shares ? at + call->n / m->shares : call->n;
    memset(w.end, 0, call->count * sizeof *w.end);
    parscan_merge_split(call, w.end, at, at, w.begin, w.room);
    while (at < end) {
        const size_t most = end - at < m->tile ? end - at : m->tile;
        const size_t least = most < m->tile ? most : most - most / TILE_FREEDOM;
        const size_t n = parscan_merge_split(call, w.begin, least, most, w.end, w.room);
        const size_t run = only_run(call, &w);
        if (run < call->count)
            copy_run(m, call->runs[run], w.begin[run], n, at);
        else
            merge_tile(m, &w, at, n);
        size_t *const next = w.begin;
        w.begin = w.end;
        w.end = next;
        at += n;
    }
    if (m->stream)
        stream_fence();
    if (at == call->n)
        memcpy(call->taken, w.begin, call->count * sizeof *w.begin);
}

/* The SIMD kernel for keys of so many bits, NULL if there is none. */
static merge_of_vectors *vectors_for(unsigned bits, parscan_isa isa)
{
#define VECTORS_OF(name)                                                                          \
    PARSCAN_BY_ISA(isa, parscan_merge_vectors_portable_##name, parscan_merge_vectors_avx2_##name, \
                   parscan_merge_vectors_avx512_##name)
    return bits == 32 ? VECTORS_OF(i32) : bits == 64 ? VECTORS_OF(i64) : NULL;
}

static size_t payload_size_of(size_t value_size)
{
    return value_size == 0 ? 0 : value_size == 4 ? 4 : 8;
}

static merge merge_of(const merge_call *call)
{
    const size_t payload_size = payload_size_of(call->value_size);
    const unsigned bits = call->kernels->key_bits;
    merge m = {.call = call,
               .payload_size = payload_size,
               .payload = payload_size == 0   ? PAYLOAD_NONE
                          : payload_size == 4 ? PAYLOAD_4
                                              : PAYLOAD_8,
               .tile = MERGE_TILE_BYTES / (call->key_size + payload_size)};
    if (payload_size == 0 && call->order.keep == low_bits(bits)) {
        m.vectors = vectors_for(bits, call->context->isa);
        m.vector_order = (merge_vector_order){
            .flip = call->order.flip ^ (call->kernels->is_float ? 0 : (uint64_t)1 << (bits - 1)),
            .is_float = call->kernels->is_float};
    }
    m.stream = m.vectors != NULL && call->stream && call->n >= STREAM_FROM_BYTES / call->key_size &&
               (uintptr_t)call->keys_out % call->key_size == 0;
    return m;
}

void parscan_merge_runs(const merge_call *call)
{
    if (call->n == 0) {
        memset(call->taken, 0, call->count * sizeof *call->taken);
        return;
    }
    const merge_call places_call = {.context = call->context,
                                    .threads = call->threads,
                                    .kernels = parscan_merge_kernels(KEY_U64),
                                    .order = {.keep = UINT64_MAX},
                                    .key_size = sizeof(uint64_t)};
    const merge places = merge_of(&places_call);
    merge m = merge_of(call);
    if (call->value_size > 0 && places.vectors != NULL) {
        m.by_places = &places;
        m.tile = size_min(m.tile, places.tile);
    }
    const size_t tiles = (call->n - 1) / m.tile + 1;
    const unsigned threads = call->n < PARALLEL_FROM ? 1 : call->threads;
    m.shares = size_min(tiles, (size_t)threads * SHARES);
    parscan_team_for(call->context, threads, m.shares, 1, merge_share, &m);
}

size_t parscan_merge_below(const merge_call *call, size_t run, size_t other, size_t last)
{
    const uint64_t rank = call->kernels->rank(&call->order, call->runs[other].keys, last);
    if (run > other && rank == 0)
        return 0;
    return call->kernels->up_to(&call->order, call->runs[run].keys, 0, call->runs[run].n,
                                run > other ? rank - 1 : rank);
}
