#include "apps/merge/merge_runs.h"

#include <string.h>

#include "apps/merge/merge_split.h"
#include "apps/merge/merge_tile.h"
#include "scan/context/size_math.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/stream_fence.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    TILE_FREEDOM = 8,       /* a tile may be shorter by that part */
    SHARES = 4,             /* ranges of tiles for each thread */
    PARALLEL_FROM = 1 << 14 /* elements from which on waking a second thread pays */
};

static size_t worker_bytes(size_t count)
{
    return 2 * MERGE_TILE_BYTES +
           whole_lines(count * (4 * sizeof(size_t) + 2 * sizeof(merge_part)));
}

size_t parscan_merge_memory(unsigned threads, size_t count)
{
    return threads * worker_bytes(count);
}

static merge_worker worker_of(const merge_call *call, unsigned number)
{
    char *const memory = call->memory + number * worker_bytes(call->count);
    merge_worker w = {.buffers = {memory, memory + MERGE_TILE_BYTES}};
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

/* The run that all elements between begin and end belong to; count if there are several. */
static size_t only_run(const merge_call *call, const merge_worker *w)
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

/* The tiles of one share, one after another: each starts where the one before it ends. */
static void merge_share(void *state, size_t share, unsigned number)
{
    const merge_tiles *const m = state;
    const merge_call *const call = m->call;
    merge_worker w = worker_of(call, number);
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
            parscan_merge_copy(m, call->runs[run], w.begin[run], n, at);
        else
            parscan_merge_tile(m, &w, at, n);
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

static merge_tiles merge_of(const merge_call *call)
{
    const size_t payload_size = payload_size_of(call->value_size);
    const unsigned bits = call->kernels->key_bits;
    merge_tiles m = {.call = call,
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
    const merge_tiles places = merge_of(&places_call);
    merge_tiles m = merge_of(call);
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
