#include "std_sorts.h"

#include <algorithm>

void std_sort_u32(uint32_t *keys, size_t n)
{
    std::sort(keys, keys + n);
}

void std_sort_u64(uint64_t *keys, size_t n)
{
    std::sort(keys, keys + n);
}

void std_sort_indices(const uint32_t *keys, uint32_t *indices, size_t n)
{
    std::stable_sort(indices, indices + n,
                     [keys](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
}
