/*
 * The rows of the reproducible tree in SIMD vectors: included by tile_kernels.c for floats.
 *
 * A row takes ROW / LANES vectors. Each is scanned on its own, which is the network's steps below
 * LANES; the steps above link vectors.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H
#define PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H

#include "scan/single_pass/simd.h"

#define ROW_VECTORS ((int)ROW / LANES)

VECTOR_FUNCTION void scan_row(const OPERATOR op, V row[ROW_VECTORS])
{
    for (int k = 0; k < ROW_VECTORS; k++)
        row[k] = vector_scan(op, row[k]);
    for (int s = 1; s < ROW_VECTORS; s *= 2)
        for (int k = s; k < ROW_VECTORS; k++)
            if (k & s)
                row[k] = vector_combine(op, vector_broadcast_last(row[k / s * s - 1]), row[k]);
}

/* A row of n <= ROW elements, filled up with identities. */
VECTOR_FUNCTION void load_row(const OPERATOR op, const T *in, size_t n, V row[ROW_VECTORS])
{
    if (n >= ROW) {
        for (int k = 0; k < ROW_VECTORS; k++)
            row[k] = vector_load(in + k * LANES);
        return;
    }
    T padded[ROW];
    for (size_t i = 0; i < ROW; i++)
        padded[i] = identity(op);
    memcpy(padded, in, n * sizeof(T));
    for (int k = 0; k < ROW_VECTORS; k++)
        row[k] = vector_load(padded + k * LANES);
}

/* sums[r] = the sum of row r of in[0..n). */
VECTOR_FUNCTION void row_sums(const OPERATOR op, const T *in, size_t n, T *sums)
{
    for (size_t i = 0; i < n; i += ROW) {
        V row[ROW_VECTORS];
        load_row(op, in + i, n - i, row);
        scan_row(op, row);
        sums[i / ROW] = vector_last(row[ROW_VECTORS - 1]);
    }
}

/* The scan of the rows of in[0..n), before[r] combined before row r. out is a buffer of whole rows:
   it is written up to the end of the last row. */
VECTOR_FUNCTION void scan_rows(const OPERATOR op, const T *in, size_t n, const T *before, T *out,
                               const bool exclusive)
{
    for (size_t i = 0; i < n; i += ROW) {
        V row[ROW_VECTORS];
        load_row(op, in + i, n - i, row);
        scan_row(op, row);
        const V start = vector_splat(before[i / ROW]);
        V previous = start;
        for (int k = 0; k < ROW_VECTORS; k++) {
            const V through = vector_combine(op, start, row[k]);
            vector_store(out + i + k * LANES,
                         exclusive ? vector_after(previous, through) : through);
            previous = through;
        }
    }
}

#endif
