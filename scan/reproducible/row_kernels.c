/*
 * The rows of the reproducible tree in SIMD vectors, for floats. Compiled once for each element
 * type and instruction set.
 *
 * A row takes ROW / LANES vectors. Each vector is scanned on its own: these are the network's steps
 * below LANES. The steps from LANES on combine vectors with each other.
 */
#include "scan/reproducible/row_kernels.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "scan/cpu/simd.h"
#include "scan/reproducible/tree.h"

#include "scan/block/kogge_stone.h"

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

/* Loads a row of n elements; if n < ROW, fills it up with identities. */
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
        work[PADDED_INDEX(rows)] = vector_last(row[ROW_VECTORS - 1]);
        rows++;
    }
    /* Both calls do the same, but in the first one the compiler knows the length: a whole tile. */
    if (rows == TILE_ROWS)
        return kogge_stone(op, TILE_ROWS, work, work + PADDED_SIZE(TILE_ROWS), TILE_ROWS);
    return kogge_stone(op, TILE_ROWS, work, work + PADDED_SIZE(TILE_ROWS), rows);
}

VECTOR_FUNCTION void add_rows(const OPERATOR op, T *local, size_t n, const T *rows, T before,
                              const bool exclusive)
{
    for (size_t i = 0; i < n; i += ROW) {
        const unsigned r = (unsigned)(i / ROW);
        const V start =
            vector_splat(r == 0 ? before : combine(op, before, rows[PADDED_INDEX(r - 1)]));
        V previous = start;
        for (int k = 0; k < ROW_VECTORS; k++) {
            T *const at = local + i + k * LANES;
            const V through = vector_combine(op, start, vector_load(at));
            vector_store(at, exclusive ? vector_after(previous, through) : through);
            previous = through;
        }
    }
}

static const T *scan_rows_specialised(OPERATOR op, const T *in, size_t n, T *local, T *work,
                                      const void *next)
{
    return BY_OPERATOR(op, scan_rows, in, n, local, work, next);
}

static void add_rows_specialised(OPERATOR op, T *local, size_t n, const T *rows, T before,
                                 bool exclusive)
{
    if (exclusive)
        BY_OPERATOR(op, add_rows, local, n, rows, before, true);
    else
        BY_OPERATOR(op, add_rows, local, n, rows, before, false);
}

const row_kernels NAMED(PARSCAN_PASTE(parscan_row_kernels_, PARSCAN_ISA)) = {
    .scan_rows = scan_rows_specialised,
    .add_rows = add_rows_specialised,
};

#endif
