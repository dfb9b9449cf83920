/*
 * The rows of the reproducible tree in SIMD vectors: included by tile_kernels.c for floats.
 *
 * A row takes ROW / LANES vectors. Each is scanned on its own, which is the network's steps below
 * LANES; the steps above link vectors.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H
#define PARSCAN_SCAN_REPRODUCIBLE_ROW_KERNELS_H

#include "scan/block/kogge_stone.h"
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

/* Scans each row of in[0..n), n > 0, to local, a buffer of whole rows, and then the sums of the rows.
   Returns where these lie in work, ROW_WORK elements: [AT(r)] is the sum of the rows up to r.
   Prefetches as much of next. */
VECTOR_FUNCTION const T *scan_rows(const OPERATOR op, const T *in, size_t n, T *local, T *work,
                                   const void *next)
{
    unsigned rows = 0;
    for (size_t i = 0; i < n; i += ROW) {
        V row[ROW_VECTORS];
        if (next != NULL)
            prefetch((const char *)next + i * sizeof(T), ROW * sizeof(T));
        load_row(op, in + i, n - i, row);
        scan_row(op, row);
        for (int k = 0; k < ROW_VECTORS; k++)
            vector_store(local + i + k * LANES, row[k]);
        work[AT(rows)] = vector_last(row[ROW_VECTORS - 1]);
        rows++;
    }
    /* The same call, but the compiler knows the length of a whole tile. */
    if (rows == TILE_ROWS)
        return kogge_stone(op, TILE_ROWS, work, work + PADDED(TILE_ROWS), TILE_ROWS);
    return kogge_stone(op, TILE_ROWS, work, work + PADDED(TILE_ROWS), rows);
}

/* Adds what comes before to the rows that scan_rows left in local[0..n): `before` the tile, and in
   the tile rows[AT(r - 1)] before row r. */
VECTOR_FUNCTION void add_rows(const OPERATOR op, T *local, size_t n, const T *rows, T before,
                              const bool exclusive)
{
    for (size_t i = 0; i < n; i += ROW) {
        const unsigned r = (unsigned)(i / ROW);
        const V start = vector_splat(r == 0 ? before : combine(op, before, rows[AT(r - 1)]));
        V previous = start;
        for (int k = 0; k < ROW_VECTORS; k++) {
            T *const at = local + i + k * LANES;
            const V through = vector_combine(op, start, vector_load(at));
            vector_store(at, exclusive ? vector_after(previous, through) : through);
            previous = through;
        }
    }
}

#endif
