/*
 * What the single pass does to one tile on the CPU. Compiled once for each element type and
 * instruction set.
 *
 * reduce and scan take a tile that is contiguous, at any alignment, of the accumulated type or of a stored
 * type that it computes (kernels_take()). Other input goes through a buffer: gather before them, scatter
 * after. The caller owns all memory.
 */
#ifndef PARSCAN_SCAN_TILE_KERNELS_H
#define PARSCAN_SCAN_TILE_KERNELS_H

#include "scan/cpu/element.h"
#include "scan/cpu/isa.h"

/* Whether reduce and scan take elements of a type as they are. */
static inline bool kernels_take(parscan_type type)
{
#define X(ctx, NAME, ...)                                              \
    if (PARSCAN_ELEMENT_TYPE == PARSCAN_F32 && type == PARSCAN_##NAME) \
        return true;
    PARSCAN_STORED_TYPES(X, )
#undef X
    return type == PARSCAN_ELEMENT_TYPE;
}

typedef struct tile_scan {
    const void *in;
    void *out;         /* may equal in */
    parscan_type type; /* of both; 0: that of T */
    size_t n;
    T before; /* the sum of everything before the tile: the identity if there is nothing */
    bool exclusive;
    bool stream;      /* store past the caches; out must be aligned to its elements */
    bool reverse;     /* combine from in[n - 1] down to in[0] */
    const void *next; /* the tile that this core takes next, to be prefetched; NULL: none */
} tile_scan;

typedef struct tile_kernels {
    /* Returns the sum of in[0..n), the identity if n = 0. Prefetches a quarter of next, unless
       it is NULL. */
    T (*reduce)(OPERATOR op, parscan_type type, const void *in, size_t n, const void *next);
    /* The same from in[n - 1] down to in[0]. */
    T (*reduce_reverse)(OPERATOR op, parscan_type type, const void *in, size_t n, const void *next);
    /* Scans a tile. Returns the sum of everything up to its end. */
    T (*scan)(OPERATOR op, const tile_scan *tile);
    /* Copy the elements begin to begin + n - 1 of a view, in the order of combination, to or from a
       buffer. stream: store past the caches; then the view's memory must be aligned to T. */
    void (*gather)(const VIEW *from, size_t begin, size_t n, T *buffer);
    void (*scatter)(const VIEW *to, size_t begin, size_t n, const T *buffer, bool stream);
    /* A core calls it after its last streaming store, so that other cores see what it stored. */
    void (*fence)(void);
} tile_kernels;

/* The kernels for an instruction set. This machine must have it. */
const tile_kernels *NAMED(parscan_tile_kernels)(parscan_isa isa);

extern const tile_kernels NAMED(parscan_tile_kernels_portable);
extern const tile_kernels NAMED(parscan_tile_kernels_avx2);
extern const tile_kernels NAMED(parscan_tile_kernels_avx512);

#endif
