/* Writes the indices of the kept elements of a tile from its bits, after the look-back. */
#include <stdalign.h>

#include "apps/compact/compact_cpu.h"

void parscan_place_indices(const compact_pass *pass, const compact_tile *tile)
{
    enum { CHUNK = 2048 / KEEP_BITS }; /* words at a time: the buffer has at most 16 KiB */
    alignas(64) char buffer[CHUNK * KEEP_BITS * sizeof(uint64_t) + COMPACT_SLACK];
    const bool narrow = pass->index_type == PARSCAN_U32;
    const size_t size = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    size_t first = (size_t)tile->before.kept;
    for (size_t w = 0; w < words; w += CHUNK) {
        const size_t some = words - w < CHUNK ? words - w : CHUNK;
        const uint64_t base = pass->first_index + tile->begin + w * KEEP_BITS;
        const compact_ahead ahead = parscan_ahead_from(tile, w);
        const size_t kept = narrow
                                ? pass->kernels->positions_u32(tile->keep + w, some, (uint32_t)base,
                                                               (uint32_t *)(void *)buffer, ahead)
                                : pass->kernels->positions_u64(tile->keep + w, some, base,
                                                               (uint64_t *)(void *)buffer, ahead);
        parscan_compact_write(pass, pass->placed + first * size, buffer,
                              parscan_compact_fit(pass, first, kept) * size);
        first += kept;
    }
}
