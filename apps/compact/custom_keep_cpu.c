/* The elements that a function of the caller's keeps: its flags, some at a time, become bits. */
#include "apps/compact/compact_cpu.h"

enum { PIECE_BYTES = 8192 }; /* tested at once */

_Static_assert(KEEP_BITS *CUSTOM_MOST <= PIECE_BYTES &&
                   KEEP_BITS * CUSTOM_MOST <= COMPACT_TILE_BYTES,
               "pieces and tiles have a word of bits of the largest elements");

size_t parscan_keep_custom(const parscan_operator *op, const keep_kernels *flags,
                           const compact_range *range, const char *in, size_t n, uint64_t *keep,
                           compact_ahead ahead)
{
    alignas(CUSTOM_MOST) char copies[PIECE_BYTES];
    uint8_t kept[PIECE_BYTES];
    const size_t most = PIECE_BYTES / op->size / KEEP_BITS * KEEP_BITS;
    size_t sum = 0;
    for (size_t begin = 0; begin < n; begin += most) {
        const size_t some = n - begin < most ? n - begin : most;
        const char *piece = in + begin * op->size;
        if (!custom_is_aligned(op, in))
            piece = memcpy(copies, piece, some * op->size);
        op->test(piece, kept, some, op->state);
        sum += flags->in_range(range, kept, some, keep + begin / KEEP_BITS, ahead);
        if (ahead.from != NULL)
            ahead.from += some / KEEP_BITS * ahead.bytes_a_word;
    }
    return sum;
}
