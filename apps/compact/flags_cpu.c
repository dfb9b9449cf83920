/* Flags on the CPU: the bits of a tile, which compaction's kernels find, become bytes. */
#include <string.h>

#include "apps/compact/compact_call.h"
#include "apps/compact/compact_cpu.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum { FLAG_TILES = 4 /* that a thread takes at once */ };

typedef struct flags_pass {
    const flags_call *call;
    compact_range range;
    const keep_kernels *test;
    size_t size, tile; /* bytes of an element; elements of a tile, a multiple of KEEP_BITS */
} flags_pass;

/* Eight bits, as bytes of 0 and 1: bit k is byte k of a little-endian word. */
static inline uint64_t bytes_of(uint64_t bits)
{
    const uint64_t ones = 0x0101010101010101, each = 0x8040201008040201;
    const uint64_t chosen = (bits & 0xff) * ones & each;
    return (chosen + 0x7f * ones) >> 7 & ones;
}

static void put_flags(const uint64_t *keep, size_t n, uint8_t *flags)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const uint64_t eight = bytes_of(keep[i / KEEP_BITS] >> i % KEEP_BITS);
        memcpy(flags + i, &eight, sizeof eight);
    }
    for (; i < n; i++)
        flags[i] = keep[i / KEEP_BITS] >> i % KEEP_BITS & 1;
}

static void flag_tile(void *state, size_t number, unsigned worker)
{
    const flags_pass *const pass = state;
    const flags_call *const call = pass->call;
    uint64_t keep[COMPACT_TILE_BYTES / KEEP_BITS];
    const size_t begin = number * pass->tile, left = call->n - begin;
    const size_t n = left < pass->tile ? left : pass->tile;
    (void)worker;
    const char *const in = (const char *)call->in + begin * pass->size;
    const compact_ahead none = {NULL, 0};
    if (call->custom != NULL)
        parscan_keep_custom(call->custom, pass->test, &pass->range, in, n, keep, none);
    else
        pass->test->in_range(&pass->range, in, n, keep, none);
    put_flags(keep, n, call->flags + begin);
}

parscan_status parscan_flags_if_cpu(const flags_call *call)
{
    const parscan_operator *const custom = call->custom;
    const compact_element *const element =
        parscan_compact_element(custom != NULL ? PARSCAN_U8 : call->type);
    flags_pass pass = {.call = call,
                       .range = custom != NULL ? parscan_compact_range_of_flags()
                                               : parscan_compact_range_of(call->type, &call->keep),
                       .test = element->kernels_of(call->context->isa),
                       .size = custom != NULL ? custom->size : element->size};
    if (call->context->measures)
        return PARSCAN_OK;
    pass.tile = COMPACT_TILE_BYTES / pass.size / KEEP_BITS * KEEP_BITS;
    parscan_team_for(call->context, parscan_threads_for(call->context, call->n * pass.size),
                     call->n / pass.tile + (call->n % pass.tile != 0), FLAG_TILES, flag_tile,
                     &pass);
    return PARSCAN_OK;
}
