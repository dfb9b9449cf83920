/*
 * The kernels that find the kept elements of a tile, as bits, and those that compress the elements
 * by the bits. Compiled once for each element type and instruction set.
 */
#include "apps/compact/compact_simd.h"

#define VECTORS_A_WORD (KEEP_BITS / LANES)

VECTOR_FUNCTION void prefetch_for_word(compact_ahead ahead, size_t word)
{
    if (ahead.from != NULL)
        prefetch(ahead.from + word * ahead.bytes_a_word, ahead.bytes_a_word);
}

/* Tests up to 64 elements one by one: the remainder of a tile. */
static uint64_t in_range_singly(const compact_range *range, const void *in, size_t n)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < n; k++)
        bits |= (uint64_t)holds(range, element_at(in, k)) << k;
    return bits;
}

/* Bit k: in[k + 1] does not continue the run of in[k]. */
static uint64_t changes_singly(const void *in, size_t n)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < n; k++)
        bits |= (uint64_t)!same_run(element_at(in, k), element_at(in, k + 1)) << k;
    return bits;
}

static size_t in_range(const compact_range *range, const void *in, size_t n, uint64_t *keep,
                       compact_ahead ahead)
{
    const T *const elements = in;
    size_t kept = 0, i = 0;
#if PARSCAN_ELEMENT_BITS != 0
    const VU first = vector_splat_key((U)range->first), width = vector_splat_key((U)range->width);
    const uint64_t outside = range->outside ? UINT64_MAX : 0;
    for (; i + KEEP_BITS <= n; i += KEEP_BITS) {
        prefetch_for_word(ahead, i / KEEP_BITS);
        uint64_t bits = outside;
        for (int u = 0; u < VECTORS_A_WORD; u++) {
            const VU key = vector_key(vector_load(elements + i + u * LANES));
            bits ^= vector_at_most(key - first, width) << u * LANES;
        }
        keep[i / KEEP_BITS] = bits;
        kept += (size_t)__builtin_popcountll(bits);
    }
#endif
    for (; i < n; i += KEEP_BITS) {
        prefetch_for_word(ahead, i / KEEP_BITS);
        const size_t left = n - i < KEEP_BITS ? n - i : KEEP_BITS;
        keep[i / KEEP_BITS] = in_range_singly(range, elements + i, left);
        kept += (size_t)__builtin_popcountll(keep[i / KEEP_BITS]);
    }
    return kept;
}

static size_t heads(const void *in, size_t n, uint64_t *keep, compact_ahead ahead)
{
    const T *const elements = in;
    /* The first element has no predecessor here, so the first word is tested one by one. */
    const size_t first = n < KEEP_BITS ? n : KEEP_BITS;
    keep[0] = changes_singly(in, first - 1) << 1 | 1;
    size_t kept = (size_t)__builtin_popcountll(keep[0]), i = first;
    prefetch_for_word(ahead, 0);
#if PARSCAN_ELEMENT_BITS != 0
    for (; i + KEEP_BITS <= n; i += KEEP_BITS) {
        prefetch_for_word(ahead, i / KEEP_BITS);
        uint64_t bits = 0;
        for (int u = 0; u < VECTORS_A_WORD; u++) {
            const T *const at = elements + i + u * LANES;
            bits |= vector_head(vector_load(at - 1), vector_load(at)) << u * LANES;
        }
        keep[i / KEEP_BITS] = bits;
        kept += (size_t)__builtin_popcountll(bits);
    }
#endif
    for (; i < n; i += KEEP_BITS) {
        const size_t left = n - i < KEEP_BITS ? n - i : KEEP_BITS;
        keep[i / KEEP_BITS] = changes_singly(elements + i - 1, left);
        kept += (size_t)__builtin_popcountll(keep[i / KEEP_BITS]);
    }
    return kept;
}

VECTOR_FUNCTION T *compress_singly(const T *in, uint64_t bits, T *to)
{
    for (; bits != 0; bits &= bits - 1)
        memcpy(to++, in + __builtin_ctzll(bits), sizeof(T));
    return to;
}

/* Compresses 64 elements. */
VECTOR_FUNCTION T *compress_word(const T *in, uint64_t bits, T *to)
{
#if HAVE_COMPRESS
    const uint64_t lanes = UINT64_MAX >> (KEEP_BITS - LANES);
    for (int u = 0; u < VECTORS_A_WORD; u++)
        to = vector_compress(to, vector_load(in + u * LANES), bits >> u * LANES & lanes);
#else
    /* Without branches, which would be mispredicted: each element is written, and the next one
       overwrites it if it is not kept. */
    for (int k = 0; k < KEEP_BITS; k++) {
        memcpy(to, in + k, sizeof(T));
        to += bits >> k & 1;
    }
#endif
    return to;
}

static size_t compress(const void *in, size_t n, const uint64_t *keep, void *buffer,
                       compact_ahead ahead)
{
    const T *const elements = in;
    T *to = buffer;
    size_t i = 0;
    for (; i + KEEP_BITS <= n; i += KEEP_BITS) {
        prefetch_for_word(ahead, i / KEEP_BITS);
        to = compress_word(elements + i, keep[i / KEEP_BITS], to);
    }
    if (i < n)
        to = compress_singly(elements + i, keep[i / KEEP_BITS], to);
    return (size_t)(to - (T *)buffer);
}

static bool same(const void *a, const void *b)
{
    return same_run(element_at(a, 0), element_at(b, 0));
}

extern const keep_kernels NAMED(PARSCAN_PASTE(parscan_keep_kernels_, PARSCAN_ISA));
const keep_kernels NAMED(PARSCAN_PASTE(parscan_keep_kernels_, PARSCAN_ISA)) = {
    .in_range = in_range,
    .heads = heads,
    .compress = compress,
    .same = same,
};
