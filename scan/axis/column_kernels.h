/*
 * Scans and reductions down neighbouring columns on the CPU: each row is combined with the sums of the
 * rows before it, one for each column. Compiled once for each element type and instruction set.
 */
#ifndef PARSCAN_SCAN_AXIS_COLUMN_KERNELS_H
#define PARSCAN_SCAN_AXIS_COLUMN_KERNELS_H

#include <stdint.h>

#include "scan/cpu/element.h"
#include "scan/cpu/isa.h"

/* The most columns of a block: their sums take a quarter of a first-level cache. Wide rows are read in
   long runs, which the processor's prefetcher needs. */
#define COLUMNS_MOST (8192 / sizeof(T))

typedef struct column_block {
    parscan_type type;       /* of in and out: T's, or one that T computes (kernels_take()) */
    const char *in;          /* the first row, in the order of combination */
    char *out;               /* may equal in; of a reduction not used */
    int64_t in_row, out_row; /* bytes from a row to the next one */
    size_t rows;
    size_t width; /* at most COLUMNS_MOST; the elements of a row lie next to each other */
    T *sums;      /* of each column: of everything before the block, then through it */
    bool exclusive;
    bool
        stream; /* store past the caches where rows allow it; out must be aligned to its elements */
} column_block;

typedef struct column_kernels {
    void (*scan)(OPERATOR op, const column_block *block);
    void (*reduce)(OPERATOR op, const column_block *block);
} column_kernels;

extern const column_kernels NAMED(parscan_column_kernels_portable);
extern const column_kernels NAMED(parscan_column_kernels_avx2);
extern const column_kernels NAMED(parscan_column_kernels_avx512);

#endif
