/* What the reproducible scan on the CPU does to the rows of a tile, for floats (row_kernels.c). The
   caller owns all memory. */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H
#define PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H

#include "scan/cpu/element.h"

typedef struct row_kernels {
    /* Scans each row of in[0..n), n > 0, to `local`, which has room for whole rows, and then the
       sums of the rows. `work` has ROW_WORK elements. Returns a pointer into work: its element
       [PADDED_INDEX(r)] is the sum of the rows up to r. Prefetches n elements of `next`; NULL:
       none. */
    const T *(*scan_rows)(OPERATOR op, const T *in, size_t n, T *local, T *work, const void *next);
    /* Adds their prefixes to the rows that scan_rows() left in local[0..n). The prefix of row r is
       `before`, the tile's prefix, combined with rows[PADDED_INDEX(r - 1)]; of row 0 it is
       `before`. */
    void (*add_rows)(OPERATOR op, T *local, size_t n, const T *rows, T before, bool exclusive);
} row_kernels;

extern const row_kernels NAMED(parscan_row_kernels_portable);
extern const row_kernels NAMED(parscan_row_kernels_avx2);
extern const row_kernels NAMED(parscan_row_kernels_avx512);

#endif
