/* The bits of rows on the CPU (column_bits.h). Compiled once for each instruction set. */
#ifndef PARSCAN_APPS_SORT_COLUMN_BITS_KERNELS_H
#define PARSCAN_APPS_SORT_COLUMN_BITS_KERNELS_H

#include <stddef.h>

#include "apps/sort/column_bits.h"

/* So many rows are taken at once. */
enum { ROW_TILE = 1024 };

/* Those of one class of keys, or of strings. Rows are begin to begin + n - 1, or rows[0..n). */
typedef struct column_kernels {
    uint64_t (*rank)(const sorted_column *column, unsigned word, size_t row);
    /* The bits in which a word of any row differs from `first`. */
    uint64_t (*varying)(const sorted_column *column, unsigned word, size_t begin, size_t n,
                        uint64_t first);
    uint64_t (*varying_of)(const sorted_column *column, unsigned word, const uint64_t *rows,
                           size_t n, uint64_t first);
    /* Adds a run to keys[0..n), whose bits there are 0. */
    void (*add)(const sorted_column *column, const column_run *run, unsigned shift, size_t begin,
                size_t n, uint64_t *keys);
    void (*add_of)(const sorted_column *column, const column_run *run, unsigned shift,
                   const uint64_t *rows, size_t n, uint64_t *keys);
} column_kernels;

typedef const column_kernels column_kernels_table[KEY_CLASSES + 1];
extern column_kernels_table parscan_column_kernels_portable;
extern column_kernels_table parscan_column_kernels_avx2;
extern column_kernels_table parscan_column_kernels_avx512;

#endif
