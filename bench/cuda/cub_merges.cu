/* CUB's merges of both halves of an array, and its searches. */
#include <cub/device/device_merge.cuh>

#include "cub_calls.h"

#if CUB_VERSION >= 300400
#include <cub/device/device_find.cuh>
#define FIND(...) __VA_ARGS__
#else
#define FIND(...) cudaErrorNotSupported
#endif

namespace BENCH_CUB_CALLS
{
CUB_CALL_OF((uint32_t, uint64_t, float), merge_keys,
            lib::DeviceMerge::MergeKeys(work, room, (const T *)c.in, (int64_t)(c.n / 2),
                                        (const T *)c.in + c.n / 2, (int64_t)(c.n - c.n / 2),
                                        (T *)c.out, ::cuda::std::less<>(), c.stream))

cudaError_t merge_pairs(void *work, size_t &room, const cub_call &c)
{
    const size_t half = c.n / 2;
    const uint32_t *const keys = (const uint32_t *)c.in;
    const uint32_t *const values = (const uint32_t *)c.beside;
    return lib::DeviceMerge::MergePairs(work, room, keys, values, (int64_t)half, keys + half,
                                        values + half, (int64_t)(c.n - half), (uint32_t *)c.out,
                                        (uint32_t *)c.beside_out, ::cuda::std::less<>(), c.stream);
}

CUB_CALL_OF((uint32_t, uint64_t, float), lower_bound,
            FIND(lib::DeviceFind::LowerBound(
                work, room, (const T *)c.beside, c.n, (const T *)c.in, c.n, (uint32_t *)c.out,
                cuda::std::less<T>(), cuda::std::execution::env{cuda::stream_ref{c.stream}})))

CUB_CALL_OF((uint32_t, uint64_t), lower_bound_in_order,
            FIND(lib::DeviceFind::LowerBoundSortedValues(work, room, (const T *)c.beside, c.n,
                                                         (const T *)c.in, c.n, (uint32_t *)c.out,
                                                         cuda::std::less<T>(), c.stream)))
} // namespace BENCH_CUB_CALLS
