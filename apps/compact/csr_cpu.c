/*
 * Rows and columns of a sparse matrix (CSR). Tiles are cut without regard to rows, so rows of any
 * length, even a single huge one, are shared evenly among the cores. The tile in which a row ends
 * writes the row's end.
 */
#include <stdalign.h>

#include "apps/compact/compact_cpu.h"

enum { CHUNK = 2048 }; /* elements at a time */

void parscan_place_columns(const compact_pass *pass, const compact_tile *tile)
{
    alignas(64) uint32_t positions[CHUNK + COMPACT_SLACK / sizeof(uint32_t)];
    alignas(64) uint64_t buffer[CHUNK];
    const place_kernels *const kernels = pass->kernels;
    const bool narrow = pass->index_type == PARSCAN_U32;
    const size_t size = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    compact_rows rows = {
        .columns = pass->columns,
        .row = tile->begin / pass->columns,
        .column = tile->begin % pass->columns,
        .entries = (size_t)tile->before.kept,
        .row_offsets = pass->row_offsets,
    };
    for (size_t at = 0; at < tile->n; at += CHUNK) {
        const size_t n = tile->n - at < CHUNK ? tile->n - at : CHUNK;
        const uint64_t *const keep = tile->keep + at / KEEP_BITS;
        const size_t entry = rows.entries;
        if (pass->placed != NULL)
            kernels->positions_u32(keep, (n + KEEP_BITS - 1) / KEEP_BITS, 0, positions,
                                   parscan_ahead_from(tile, at / KEEP_BITS));
        void *const columns = pass->placed != NULL ? buffer : NULL;
        const size_t entries = narrow ? kernels->columns_u32(&rows, keep, n, positions, columns)
                                      : kernels->columns_u64(&rows, keep, n, positions, columns);
        if (pass->placed != NULL)
            parscan_compact_write(pass, pass->placed + entry * size, buffer,
                                  parscan_compact_fit(pass, entry, entries) * size);
    }
}
