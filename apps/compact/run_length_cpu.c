/*
 * The lengths of runs. The length of a run is known where the next run starts. So a tile writes the
 * length of the run that was open before it, and the lengths of its own runs but the last, which
 * stays open.
 */
#include <stdalign.h>
#include <string.h>

#include "apps/compact/compact_cpu.h"
#include "scan/context/check.h"

enum { CHUNK = 2048 / KEEP_BITS };

void parscan_place_lengths(const compact_pass *pass, const compact_tile *tile)
{
    alignas(64) uint32_t heads[CHUNK * KEEP_BITS + COMPACT_SLACK / sizeof(uint32_t)];
    alignas(64) uint64_t lengths[CHUNK * KEEP_BITS];
    const bool narrow = pass->index_type == PARSCAN_U32;
    const size_t size = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    size_t open = tile->before.head;
    size_t run = (size_t)tile->before.kept;
    for (size_t w = 0; w < words; w += CHUNK) {
        const size_t some = words - w < CHUNK ? words - w : CHUNK;
        const size_t count = pass->kernels->positions_u32(tile->keep + w, some, 0, heads,
                                                          parscan_ahead_from(tile, w));
        if (count == 0)
            continue;
        const size_t base = tile->begin + w * KEEP_BITS;
        /* no run is open before the first one */
        const size_t skip = run == 0;
        if (narrow)
            pass->kernels->lengths_u32(open, base, heads, count, (uint32_t *)lengths);
        else
            pass->kernels->lengths_u64(open, base, heads, count, lengths);
        parscan_compact_write(pass, pass->placed + (run + skip - 1) * size,
                              (char *)lengths + skip * size,
                              parscan_compact_fit(pass, run + skip - 1, count - skip) * size);
        open = base + heads[count - 1];
        run += count;
    }
}

parscan_status parscan_close_last_run(const compact_pass *pass, const compact_before *end)
{
    const uint64_t last = pass->n - end->head;
    const uint64_t longest = last > end->longest ? last : end->longest;
    if (longest > parscan_most_index(pass->given_type))
        return parscan_fail(pass->context, PARSCAN_ERROR_OVERFLOW,
                            "a run of %llu elements does not fit count_type = %s",
                            (unsigned long long)longest, parscan_type_name(pass->given_type));
    const uint32_t narrow = (uint32_t)last;
    const size_t run = (size_t)end->kept - 1;
    if (run >= pass->room)
        return PARSCAN_OK;
    if (pass->index_type == PARSCAN_U32)
        memcpy(pass->placed + run * sizeof narrow, &narrow, sizeof narrow);
    else
        memcpy(pass->placed + run * sizeof last, &last, sizeof last);
    return PARSCAN_OK;
}
