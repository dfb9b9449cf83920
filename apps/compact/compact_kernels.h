/*
 * The kernels of compaction for one tile.
 *
 * The kept elements of a tile are a set of bits: one for each element, 64 in a word. The keep
 * kernels compute the bits, the others only read them. Bits of the last word beyond the tile are
 * zero.
 */
#ifndef PARSCAN_APPS_COMPACT_KERNELS_H
#define PARSCAN_APPS_COMPACT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/compact/compact_range.h"
#include "scan/cpu/isa.h"

enum { KEEP_BITS = 64 };

/* The bytes of slack after a buffer that kernels write to, since they store whole vectors. */
enum { COMPACT_SLACK = 64 };

/* What is prefetched while a kernel works: bytes_a_word bytes for each word of bits. from ==
   NULL: nothing. */
typedef struct compact_ahead {
    const char *from;
    size_t bytes_a_word;
} compact_ahead;

/* The kernels of one element type and one instruction set. Arrays may have any alignment. */
typedef struct keep_kernels {
    /* Sets the bits of the elements in a range. Returns their number. */
    size_t (*in_range)(const compact_range *range, const void *in, size_t n, uint64_t *keep,
                       compact_ahead ahead);
    /* Sets the bits of the first element and of those that differ from the one before. Returns
       their number. */
    size_t (*heads)(const void *in, size_t n, uint64_t *keep, compact_ahead ahead);
    /* Writes the elements whose bits are set, one after another. Returns their number. */
    size_t (*compress)(const void *in, size_t n, const uint64_t *keep, void *buffer,
                       compact_ahead ahead);
    /* Whether two elements belong to the same run. */
    bool (*same)(const void *a, const void *b);
} keep_kernels;

/* The functions and kernels of one element type. */
typedef struct compact_element {
    size_t size;
    compact_range (*range_of)(const parscan_predicate *predicate);
    const keep_kernels *(*kernels_of)(parscan_isa isa);
} compact_element;

/* Returns the functions of an element type. The struct is static. */
const compact_element *parscan_compact_element(parscan_type type);

/* The state of a pass through the rows of a matrix. */
typedef struct compact_rows {
    size_t columns;
    size_t row, column; /* of the next element */
    size_t entries;     /* the number of entries before it */
    void *row_offsets;  /* of the kernel's index type */
} compact_rows;

/* The kernels of one instruction set that work on bits and bytes only. */
typedef struct place_kernels {
    /* Writes base + k for each bit k that is set. Returns their number. */
    size_t (*positions_u32)(const uint64_t *keep, size_t words, uint32_t base, uint32_t *buffer,
                            compact_ahead ahead);
    size_t (*positions_u64)(const uint64_t *keep, size_t words, uint64_t base, uint64_t *buffer,
                            compact_ahead ahead);
    /* Writes the distance of each position from the one before. The first is measured from
       `open`; positions count from `base`. */
    void (*lengths_u32)(size_t open, size_t base, const uint32_t *positions, size_t n,
                        uint32_t *buffer);
    void (*lengths_u64)(size_t open, size_t base, const uint32_t *positions, size_t n,
                        uint64_t *buffer);
    /* Goes through n elements, row after row; writes the columns of those whose bits are set,
       and the ends of rows. Returns the number of columns written. */
    size_t (*columns_u32)(compact_rows *rows, const uint64_t *keep, size_t n,
                          const uint32_t *positions, uint32_t *buffer);
    size_t (*columns_u64)(compact_rows *rows, const uint64_t *keep, size_t n,
                          const uint32_t *positions, uint64_t *buffer);
    /* stream copies past the caches. A core calls fence last, so that other cores see what it
       has streamed. */
    void (*stream)(void *to, const void *from, size_t bytes);
    void (*fence)(void);
} place_kernels;

const place_kernels *parscan_place_kernels(parscan_isa isa);

extern const place_kernels parscan_place_kernels_portable, parscan_place_kernels_avx2,
    parscan_place_kernels_avx512;

#endif
