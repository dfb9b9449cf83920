/* The bits of rows on the CPU (column_bits.h). Compiled once for each instruction set. */
#ifndef PARSCAN_APPS_SORT_COLUMN_BITS_KERNELS_H
#define PARSCAN_APPS_SORT_COLUMN_BITS_KERNELS_H

#include <stddef.h>

#include "apps/sort/column_bits.h"

/* So many rows are taken at once. */
enum { ROW_TILE = 512 };

/* Those of one class of keys, or of strings: a word of the rows begin to begin + n - 1, or of rows[0..n). */
typedef struct column_kernels {
    void (*words)(const sorted_column *column, unsigned word, size_t begin, size_t n,
                  uint64_t *words);
    void (*words_of)(const sorted_column *column, unsigned word, const uint64_t *rows, size_t n,
                     uint64_t *words);
} column_kernels;

typedef struct bit_kernels {
    column_kernels of[KEY_CLASSES + 1];
    /* The bits in which any word differs from `first`. */
    uint64_t (*varying)(const uint64_t *words, size_t n, uint64_t first);
    /* Adds a run of words to keys[0..n), whose bits there are 0. */
    void (*add)(const uint64_t *words, const column_run *run, unsigned shift, size_t n,
                uint64_t *keys);
} bit_kernels;

extern const bit_kernels parscan_bit_kernels_portable;
extern const bit_kernels parscan_bit_kernels_avx2;
extern const bit_kernels parscan_bit_kernels_avx512;

#endif
