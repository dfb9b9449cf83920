/* CUB's sorts. */
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "cub_calls.h"

namespace BENCH_CUB_CALLS
{
/* N: the type of CUB's count, which chooses its tuning. On one H200, u32 2^28 takes 5.42 ms with
   a size_t (19 keys a thread) and 6.32 ms with an int (20). */
template <typename K, typename N>
static CUB_CALL(keys_by, lib::DeviceRadixSort::SortKeys(work, room, (const K *)c.in, (K *)c.out,
                                                        (N)c.n, 0, (int)c.bits, c.stream))

    cudaError_t sort_keys(void *work, size_t &room, const cub_call &c)
{
    if (c.type == PARSCAN_U32)
        return keys_by<uint32_t, size_t>(work, room, c);
    return by_type<uint8_t, uint16_t, int16_t, uint64_t, float, double, __half, __nv_bfloat16>(
        c.type, [&](auto zero) { return keys_by<decltype(zero), int>(work, room, c); });
}

template <typename K, typename V>
static CUB_CALL(pairs_by, lib::DeviceRadixSort::SortPairs(work, room, (const K *)c.in, (K *)c.out,
                                                          (const V *)c.beside, (V *)c.beside_out,
                                                          (int)c.n, 0, (int)c.bits, c.stream))

    cudaError_t sort_pairs(void *work, size_t &room, const cub_call &c)
{
    if (c.type == PARSCAN_U64 && c.other_type == PARSCAN_U64)
        return pairs_by<uint64_t, uint64_t>(work, room, c);
    return by_type<uint32_t, uint64_t, float>(
        c.type, [&](auto zero) { return pairs_by<decltype(zero), uint32_t>(work, room, c); });
}

CUB_CALL(sort_segments,
         lib::DeviceSegmentedSort::SortKeys(work, room, (const uint32_t *)c.in, (uint32_t *)c.out,
                                            (int)c.n, (int)c.segments, c.offsets, c.offsets + 1,
                                            c.stream))

CUB_CALL(sort_pairs_of_segments, lib::DeviceSegmentedSort::StableSortPairs(
                                     work, room, (const uint32_t *)c.in, (uint32_t *)c.out,
                                     (const uint32_t *)c.beside, (uint32_t *)c.beside_out, (int)c.n,
                                     (int)c.segments, c.offsets, c.offsets + 1, c.stream))

CUB_CALL(sort_segments_radix,
         lib::DeviceSegmentedRadixSort::SortKeys(work, room, (const uint32_t *)c.in,
                                                 (uint32_t *)c.out, (int)c.n, (int)c.segments,
                                                 c.offsets, c.offsets + 1, 0, 32, c.stream))

/* Rows of three columns, which lie together. */
struct row {
    uint32_t column[3];
};

struct row_before {
    __device__ bool operator()(const row &a, const row &b) const
    {
        if (a.column[0] != b.column[0])
            return a.column[0] < b.column[0];
        return a.column[1] != b.column[1] ? a.column[1] < b.column[1] : a.column[2] < b.column[2];
    }
};

CUB_CALL(sort_rows, lib::DeviceMergeSort::StableSortKeysCopy(work, room, (const row *)c.beside,
                                                             (row *)c.beside_out, (int)c.n,
                                                             row_before(), c.stream))

/* Records of 16 bytes, by their first eight. */
struct record {
    uint64_t key, value;
};

struct record_before {
    __device__ bool operator()(const record &a, const record &b) const { return a.key < b.key; }
};

CUB_CALL(sort_records,
         lib::DeviceMergeSort::StableSortKeysCopy(work, room, (const record *)c.in, (record *)c.out,
                                                  (int64_t)c.n, record_before(), c.stream))
} // namespace BENCH_CUB_CALLS
