/*
 * What a tile of a segmented scan contributes to those after it, and how it is read: for segmented_tiles_cpu.c,
 * compiled once for each element type.
 */
#ifndef PARSCAN_APPS_SEGMENTED_SEGMENT_TILE_H
#define PARSCAN_APPS_SEGMENTED_SEGMENT_TILE_H

#include <stdatomic.h>

#include "apps/segmented/run_keys.h"
#include "apps/segmented/segmented_element_cpu.h"
#include "apps/segmented/segmented_kernels.h"
#include "apps/segments/check_segments.h"
#include "apps/segments/heads.h"
#include "scan/call_element.h"

/* What a tile contributes. */
typedef struct segment_summary {
    T sum;           /* of what comes after its last head, or of the whole tile; with init */
    bool begun;      /* a segment started in the tile */
    size_t segments; /* that start in it */
    size_t from, to; /* its offsets: the index of the first, and after the last; in reverse, the
                        other way round */
} segment_summary;

/* What a tile must know of all tiles before it. */
typedef struct segment_carry {
    T sum;           /* of the open segment */
    size_t segments; /* started so far */
    size_t offset;   /* the index of the offset with which the next tile must start */
    bool wrong;      /* some tile did not start with that offset: they decrease */
} segment_carry;
#define SUMMARY segment_summary
#define PREFIX segment_carry
#include "scan/cpu/look_back.h"

#define WORD 64u

typedef struct segmented_pass {
    OPERATOR op;
    const tile_kernels *plain;
    const segmented_kernels *kernels;
    parscan_read_heads *read_heads;
    const parscan_segments *segments;
    VIEW in, out;
    VIEW sums;             /* of a reduction: the output, in the order of combination */
    run_keys keys;         /* of a reduction: its keys, in that order too */
    size_t room;           /* of a reduction: for so many sums */
    size_t n, tile, tiles; /* elements: in all, in a tile; the number of tiles */
    size_t shift; /* tiles start so many elements early, so that streaming stores are aligned */
    const T *init;
    T start;
    bool continues; /* element 0 goes on with a segment of the chunk before */
    bool exclusive, reduction, reverse, staged, stream, singly, prefetches;
    atomic_bool wrong;          /* offsets of one tile decrease */
    atomic_size_t first_offset; /* the offset with which the first tile starts */
    tile_plan plan;
    look_back look_back;
} segmented_pass;

/* A tile and its buffers. */
typedef struct tile_work {
    head_reader reader;
    size_t tile, begin, n;
    const T *in;
    uint64_t *heads;
    T *buffer;
} tile_work;

static size_t tile_begin(const segmented_pass *pass, size_t tile)
{
    const size_t begin = tile * pass->tile;
    return begin < pass->shift ? 0 : begin - pass->shift < pass->n ? begin - pass->shift : pass->n;
}

/* Returns the input of a whole tile, for the kernels to prefetch, or NULL. Where its elements are smaller
   than T, as many of the tile after are fetched too. */
static const void *tile_memory(const segmented_pass *pass, size_t tile)
{
    const size_t begin = tile_begin(pass, tile), end = begin + pass->tile;
    if (end > pass->n)
        return NULL;
    return (const char *)pass->in.data +
           (pass->in.reverse ? pass->n - end : begin) * parscan_type_size(pass->in.type);
}

/* The same for its flags or keys. */
static const void *segments_memory(const segmented_pass *pass, size_t tile, size_t bytes)
{
    const size_t begin = tile_begin(pass, tile), end = begin + pass->tile;
    if (end > pass->n || parscan_by_offsets(pass->segments))
        return NULL;
    return (const char *)pass->segments->data + (pass->reverse ? pass->n - end : begin) * bytes;
}

/* Reads a tile's heads. Also gathers its elements, if the kernels cannot read them in place. */
static void open_tile(const segmented_pass *pass, tile_work *work, size_t tile)
{
    work->tile = tile;
    work->begin = tile_begin(pass, tile);
    work->n = tile_begin(pass, tile + 1) - work->begin;
    pass->read_heads(&work->reader, work->begin, work->n, work->heads);
    work->in = (const T *)pass->in.data + work->begin;
    if (pass->staged) {
        pass->plain->gather(&pass->in, work->begin, work->n, work->buffer);
        work->in = work->buffer;
    }
}

/* Returns the index of the last head, or n if there is none. */
static size_t last_head(const tile_work *work)
{
    for (size_t w = (work->n + WORD - 1) / WORD; w-- > 0;)
        if (work->heads[w] != 0)
            return w * WORD + WORD - 1 - (size_t)__builtin_clzll(work->heads[w]);
    return work->n;
}

/* Returns what the heads of an open tile contribute. */
static segment_summary heads_of(const segmented_pass *pass, const tile_work *work)
{
    const head_reader *const reader = &work->reader;
    segment_summary summary = {.segments = reader->heads};
    if (parscan_by_offsets(pass->segments)) {
        summary.from = pass->reverse ? reader->last : reader->first;
        summary.to = pass->reverse ? reader->first : reader->last;
    }
    return summary;
}

/* Returns what an open tile contributes. next: the tile that this thread takes next, for the kernel
   to prefetch, or NULL. */
static segment_summary summary_of(const segmented_pass *pass, const tile_work *work,
                                  const void *next)
{
    const size_t last = last_head(work);
    segment_summary summary = heads_of(pass, work);
    summary.begun = last < work->n;
    const size_t from = summary.begun ? last : 0;
    const void *const ahead = next != NULL ? (const T *)next + from : NULL;
    summary.sum =
        pass->plain->reduce(pass->op, PARSCAN_ELEMENT_TYPE, work->in + from, work->n - from, ahead);
    if (summary.begun && pass->init != NULL)
        summary.sum = combine(pass->op, *pass->init, summary.sum);
    return summary;
}

/* NO_OFFSET: there is no tile before. */
#define NO_OFFSET SIZE_MAX

static segment_carry add_tile(const void *state, const segment_carry *before,
                              const segment_summary *tile)
{
    const segmented_pass *const pass = state;
    const bool gap = before->offset != NO_OFFSET && before->offset != tile->from;
    return (segment_carry){
        .sum = tile->begun ? tile->sum : combine(pass->op, before->sum, tile->sum),
        .segments = before->segments + tile->segments,
        .offset = tile->to,
        .wrong = before->wrong || gap,
    };
}

#endif
