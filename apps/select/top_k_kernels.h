/*
 * The loops of a top-k, and of short segments' extremes. Compiled once for each class of keys and each set of SIMD instructions.
 *
 * Elements are compared by ranks: unsigned integers that order as the keys do (apps/merge/key_rank.h), so that
 * the k elements of the lowest ranks are wanted, of equal ranks those of the lowest indices.
 */
#ifndef PARSCAN_APPS_SELECT_TOP_K_KERNELS_H
#define PARSCAN_APPS_SELECT_TOP_K_KERNELS_H

#include "apps/merge/key_order.h"
#include "scan/cpu/isa.h"

/* An element that may be one of the k. */
typedef struct top_entry {
    uint64_t rank, index;
} top_entry;

#define TOP_FEW 24u
#define TOP_DIGIT_BITS 8u
#define TOP_DIGITS ((size_t)1 << TOP_DIGIT_BITS)

typedef struct top_kernels {
    uint64_t (*rank)(const key_order *order, const char *in, size_t i);
    /* Writes the elements in[begin..end) whose ranks are at most `limit`, in order. Returns their number. */
    size_t (*filter)(const key_order *order, const char *in, size_t begin, size_t end,
                     uint64_t limit, top_entry *to);
    /* Their number alone. */
    size_t (*count)(const key_order *order, const char *in, size_t begin, size_t end,
                    uint64_t limit);
    /* Adds to counts[d] the number of ranks in[begin..end) whose digit from bit `shift` on is d, and whose bits
       above are those of `above`. */
    void (*count_digits)(const key_order *order, const char *in, size_t begin, size_t end,
                         uint64_t above, unsigned shift, size_t *counts);
    /* The first k of in[0..n), sorted, for k <= TOP_FEW. Returns k, or less if elements change meanwhile. */
    size_t (*few)(const key_order *order, const char *in, size_t n, size_t k, top_entry *to);
    /* The index of the first element of the lowest rank, n > 0. nan_first: of floats that are ordered
       upwards, a NaN is the lowest all the same. */
    size_t (*first)(const key_order *order, bool nan_first, const char *in, size_t n);
} top_kernels;

#define X(ctx, NAME, bits, name, ...)                             \
    extern const top_kernels parscan_top_kernels_portable_##name; \
    extern const top_kernels parscan_top_kernels_avx2_##name;     \
    extern const top_kernels parscan_top_kernels_avx512_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X

/* The kernels for an instruction set, which this machine must have, and a class of keys. */
const top_kernels *parscan_top_kernels_of(parscan_isa isa, key_class key);

#endif
