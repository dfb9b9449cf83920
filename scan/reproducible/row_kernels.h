/* What the reproducible scan does to the rows of a tile on the CPU (row_kernels.c), for floats. */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H
#define PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H

#include "scan/cpu/element.h"

typedef struct row_kernels {
    /* Scans each row of in[0..n), n > 0, to local, a buffer of whole rows, and then the sums of the
       rows. Returns where these lie in work, ROW_WORK elements: [PADDED_INDEX(r)] is the sum of the rows up to
       r. Prefetches as much of next. */
    const T *(*scan_rows)(OPERATOR op, const T *in, size_t n, T *local, T *work, const void *next);
    /* Adds what comes before to the rows that scan_rows left in local[0..n): `before` the tile, and
       in the tile rows[PADDED_INDEX(r - 1)] before row r. */
    void (*add_rows)(OPERATOR op, T *local, size_t n, const T *rows, T before, bool exclusive);
} row_kernels;

extern const row_kernels NAMED(parscan_row_kernels_portable);
extern const row_kernels NAMED(parscan_row_kernels_avx2);
extern const row_kernels NAMED(parscan_row_kernels_avx512);

#endif
