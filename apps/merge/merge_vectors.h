/*
 * Two-way merges of keys alone, by SIMD vectors.
 *
 * Without values two elements of equal bits cannot be told apart, so the merge need not be stable.
 *
 * Sources: K. E. Batcher, Sorting Networks and Their Applications, 1968; H. Inoue et al., AA-Sort, 2007
 * (a vector of each run's next elements, merged with those that were greatest so far); J. Chhugani et
 * al., Efficient Implementation of Sorting on Multi-Core SIMD CPU Architecture, 2008.
 */
#ifndef PARSCAN_APPS_MERGE_MERGE_VECTORS_H
#define PARSCAN_APPS_MERGE_MERGE_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys as signed integers of the same width: floats with the magnitude of negative ones inverted,
   then all keys ^ flip. No NaN is among the keys, since all of them are equal in the order. */
typedef struct merge_vector_order {
    uint64_t flip;
    bool is_float;
} merge_vector_order;

/* out, which overlaps neither run, gets all elements in order. If the runs are not in order, it gets
   anything. stream: they are stored past the caches; out must be aligned to keys, and a stream_fence()
   follows. */
typedef void merge_of_vectors(const merge_vector_order *order, const char *a, size_t of_a,
                              const char *b, size_t of_b, char *out, bool stream);

/* NULL where the SIMD set is no faster than merges of single keys. */
extern merge_of_vectors *const parscan_merge_vectors_portable_i32;
extern merge_of_vectors *const parscan_merge_vectors_portable_i64;
extern merge_of_vectors *const parscan_merge_vectors_avx2_i32;
extern merge_of_vectors *const parscan_merge_vectors_avx2_i64;
extern merge_of_vectors *const parscan_merge_vectors_avx512_i32;
extern merge_of_vectors *const parscan_merge_vectors_avx512_i64;

/* Sorts n keys of `from` to `to`, by way of `work`, which has room for them, aligned to keys. Any two of the three may be
   the same array. If another thread changes `work`, `to` gets anything. Returns false, and has changed nothing, if a
   key is a NaN. */
typedef bool sort_of_vectors(const merge_vector_order *order, const char *from, size_t n,
                             char *work, char *to);

/* NULL where the SIMD set has no quicksort. */
extern sort_of_vectors *const parscan_sort_vectors_portable_i32;
extern sort_of_vectors *const parscan_sort_vectors_portable_i64;
extern sort_of_vectors *const parscan_sort_vectors_avx2_i32;
extern sort_of_vectors *const parscan_sort_vectors_avx2_i64;
extern sort_of_vectors *const parscan_sort_vectors_avx512_i32;
extern sort_of_vectors *const parscan_sort_vectors_avx512_i64;

#endif
