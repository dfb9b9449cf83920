/* std::sort, for C. */
#ifndef PARSCAN_BENCH_STD_SORTS_H
#define PARSCAN_BENCH_STD_SORTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void std_sort_u32(uint32_t *keys, size_t n);
void std_sort_u64(uint64_t *keys, size_t n);

/* std::stable_sort of indices, by the keys that they stand for. */
void std_sort_indices(const uint32_t *keys, uint32_t *indices, size_t n);

#ifdef __cplusplus
}
#endif
#endif
