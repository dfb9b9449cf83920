/* What a tile contributes to a compaction, and what it makes of the prefix before it. */
#include "apps/compact/compact_summary.h"

#include <string.h>

/* The second head in a tile's bits; what is not there lies after the array. */
static size_t second_head(const compact_pass *pass, const compact_tile *tile)
{
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    uint64_t bits = tile->keep[0] & (tile->keep[0] - 1);
    for (size_t word = 0; word < words; bits = ++word < words ? tile->keep[word] : 0)
        if (bits != 0)
            return tile->begin + word * KEEP_BITS + (size_t)__builtin_ctzll(bits);
    return pass->n;
}

static size_t last_head(const compact_tile *tile)
{
    size_t word = (tile->n - 1) / KEEP_BITS;
    while (tile->keep[word] == 0)
        word--;
    return tile->begin + word * KEEP_BITS + KEEP_BITS - 1 -
           (size_t)__builtin_clzll(tile->keep[word]);
}

compact_summary parscan_compact_summary(const compact_pass *pass, const compact_tile *tile)
{
    compact_summary summary = {.kept = tile->kept, .begin = tile->begin};
    if (!pass->runs)
        return summary;
    const char *const tested = pass->tested + tile->begin * pass->tested_size;
    summary.second = second_head(pass, tile);
    summary.head = last_head(tile);
    memcpy(summary.first, tested, pass->tested_size);
    memcpy(summary.last, tested + (tile->n - 1) * pass->tested_size, pass->tested_size);
    return summary;
}

bool parscan_run_goes_on(const compact_pass *pass, const compact_before *before,
                         const compact_summary *tile)
{
    if (!pass->runs || tile->begin == 0)
        return pass->continues;
    return pass->test->same(before->last, tile->first);
}

compact_before parscan_compact_add(const void *state, const compact_before *before,
                                   const compact_summary *tile)
{
    const compact_pass *const pass = state;
    const bool joined = parscan_run_goes_on(pass, before, tile);
    compact_before through = *before;
    through.kept += tile->kept - joined;
    if (!pass->runs)
        return through;
    memcpy(through.last, tile->last, sizeof through.last);
    if (tile->kept == joined)
        return through;
    const size_t begun = (joined ? tile->second : tile->begin) - before->head;
    if (begun > through.longest)
        through.longest = begun;
    through.head = tile->head;
    return through;
}
