/*
 * What compaction does to one tile.
 *
 * What is kept of a tile is a set of bits, one an element, 64 a word: the keep kernels find the
 * bits, the rest only reads them. The last word's bits beyond the tile are zero.
 */
#ifndef PARSCAN_APPS_COMPACT_KERNELS_H
#define PARSCAN_APPS_COMPACT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/compact/compact_range.h"
#include "scan/cpu/isa.h"

enum { KEEP_BITS = 64 };

/* Buffers that kernels write have room for this many bytes more: whole vectors are stored. */
enum { COMPACT_SLACK = 64 };

/* What is prefetched while a kernel works: so many bytes for each word of bits. NULL: nothing. */
typedef struct compact_ahead {
    const char *from;
    size_t bytes_a_word;
} compact_ahead;

/* Kernels of one element type and instruction set. Arrays have any alignment. */
typedef struct keep_kernels {
    /* Finds the elements that a range holds; returns how many they are. */
    size_t (*in_range)(const compact_range *range, const void *in, size_t n, uint64_t *keep,
                       compact_ahead ahead);
    /* The elements that differ from the one before, and the first. */
    size_t (*heads)(const void *in, size_t n, uint64_t *keep, compact_ahead ahead);
    /* Writes the elements whose bits are set, one after another; returns how many they are. */
    size_t (*compress)(const void *in, size_t n, const uint64_t *keep, void *buffer,
                       compact_ahead ahead);
    /* Whether two elements belong to one run. */
    bool (*same)(const void *a, const void *b);
} keep_kernels;

/* One element type, as the drivers see it. */
typedef struct compact_element {
    size_t size;
    compact_range (*range_of)(const parscan_predicate *predicate);
    const keep_kernels *(*kernels_of)(parscan_isa isa);
} compact_element;

const compact_element *parscan_compact_element(parscan_type type);

/* Where a pass through the rows of a matrix is. */
typedef struct compact_rows {
    size_t columns;
    size_t row, column; /* of the next element */
    size_t entries;     /* before it */
    void *row_offsets;  /* of the kernel's index type */
} compact_rows;

/* Kernels of one instruction set that see only bits and bytes. */
typedef struct place_kernels {
    /* base + the number of each bit that is set; returns how many they are. */
    size_t (*positions_u32)(const uint64_t *keep, size_t words, uint32_t base, uint32_t *buffer,
                            compact_ahead ahead);
    size_t (*positions_u64)(const uint64_t *keep, size_t words, uint64_t base, uint64_t *buffer,
                            compact_ahead ahead);
    /* The distances from each position to the one before; the first is from `open`, and positions
       count from `base`. */
    void (*lengths_u32)(size_t open, size_t base, const uint32_t *positions, size_t n,
                        uint32_t *buffer);
    void (*lengths_u64)(size_t open, size_t base, const uint32_t *positions, size_t n,
                        uint64_t *buffer);
    /* Goes through n elements, row after row: the columns of those that are set, and where rows
       end. Returns how many they are. */
    size_t (*columns_u32)(compact_rows *rows, const uint64_t *keep, size_t n,
                          const uint32_t *positions, uint32_t *buffer);
    size_t (*columns_u64)(compact_rows *rows, const uint64_t *keep, size_t n,
                          const uint32_t *positions, uint64_t *buffer);
    /* Past the caches; fence is what a core does last, so that others see what it streamed. */
    void (*stream)(void *to, const void *from, size_t bytes);
    void (*fence)(void);
} place_kernels;

const place_kernels *parscan_place_kernels(parscan_isa isa);

extern const place_kernels parscan_place_kernels_portable, parscan_place_kernels_avx2,
    parscan_place_kernels_avx512;

/* For every byte, the numbers of the bits that are set in it, ascending, one a byte. */
extern const uint64_t parscan_compress_table[256];

#endif
