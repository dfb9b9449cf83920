/* The heads of runs by an equality of the caller's: each element is compared with the one before it. */
#include "apps/compact/compact_cpu.h"
#include "scan/context/float_mode.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum { PIECE_BYTES = 8192 }; /* compared at once */

typedef struct run_flags {
    const parscan_operator *equal;
    const char *in;
    size_t n, piece; /* elements */
    uint8_t *flags;
} run_flags;

static void flag_piece(void *state, size_t index, unsigned worker)
{
    const run_flags *const r = state;
    const parscan_operator *const op = r->equal;
    const size_t begin = index * r->piece + 1, left = r->n - begin;
    const size_t n = left < r->piece ? left : r->piece;
    alignas(64) char copies[PIECE_BYTES + CUSTOM_MOST], later[PIECE_BYTES];
    const char *before = r->in + (begin - 1) * op->size, *elements = before + op->size;
    (void)worker;
    if (!custom_is_aligned(op, r->in)) {
        before = memcpy(copies, before, n * op->size);
        elements = memcpy(later, elements, n * op->size);
    }
    op->relate(before, elements, r->flags + begin, n, op->state);
    for (size_t k = begin; k < begin + n; k++)
        r->flags[k] = r->flags[k] == 0;
}

parscan_status parscan_run_flags_cpu(parscan_context *context, const parscan_operator *equal,
                                     const void *in, size_t n, uint8_t *flags)
{
    run_flags r = {equal, in, n, PIECE_BYTES / equal->size, flags};
    const size_t pieces = (n - 1) / r.piece + ((n - 1) % r.piece != 0);
    flags[0] = 1;
    const parscan_float_state before = parscan_float_begin(FLOAT_CALLERS);
    parscan_team_for(context, parscan_threads_for(context, n * equal->size), pieces, 8, flag_piece,
                     &r);
    parscan_float_end(before);
    return PARSCAN_OK;
}
