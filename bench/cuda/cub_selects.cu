/* CUB's selections and histograms. */
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cub_calls.h"

#if CUB_VERSION >= 300300
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#endif

namespace BENCH_CUB_CALLS
{
template <typename T>
struct below {
    T limit;

    __host__ __device__ bool operator()(T x) const { return x < limit; }
};

template <typename Function>
static cudaError_t by_width(parscan_type type, Function f)
{
    return by_type<uint8_t, uint16_t, uint32_t, uint64_t>(type, f);
}

cudaError_t select_below(void *work, size_t &room, const cub_call &c)
{
    return by_width(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceSelect::If(work, room, (const T *)c.in, (T *)c.out, c.count, (int)c.n,
                                     below<T>{(T)c.limit}, c.stream);
    });
}

cudaError_t select_flagged(void *work, size_t &room, const cub_call &c)
{
    return by_width(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceSelect::Flagged(work, room, (const T *)c.in, (const uint8_t *)c.beside,
                                          (T *)c.out, c.count, (int)c.n, c.stream);
    });
}

cudaError_t select_by(void *work, size_t &room, const cub_call &c)
{
    return lib::DeviceSelect::FlaggedIf(work, room, (const uint32_t *)c.in,
                                        (const uint32_t *)c.beside, (uint32_t *)c.out, c.count,
                                        (int)c.n, below<uint32_t>{(uint32_t)c.limit}, c.stream);
}

cudaError_t difference(void *work, size_t &room, const cub_call &c)
{
    return lib::DeviceAdjacentDifference::SubtractLeftCopy(work, room, (const uint32_t *)c.in,
                                                           (uint32_t *)c.out, (int)c.n,
                                                           cuda::std::minus<>{}, c.stream);
}

cudaError_t select_indices(void *work, size_t &room, const cub_call &c)
{
    return lib::DeviceSelect::Flagged(
        work, room, THRUST_NS_QUALIFIER::counting_iterator<uint32_t>(0), (const uint8_t *)c.beside,
        (uint32_t *)c.out, c.count, (int)c.n, c.stream);
}

/* Reverses the rest. */
cudaError_t partition(void *work, size_t &room, const cub_call &c)
{
    return by_width(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DevicePartition::If(work, room, (const T *)c.in, (T *)c.out, c.count, (int)c.n,
                                        below<T>{(T)c.limit}, c.stream);
    });
}

cudaError_t unique(void *work, size_t &room, const cub_call &c)
{
    return by_width(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceSelect::Unique(work, room, (const T *)c.in, (T *)c.out, c.count, (int)c.n,
                                         c.stream);
    });
}

cudaError_t unique_pairs(void *work, size_t &room, const cub_call &c)
{
    return lib::DeviceSelect::UniqueByKey(
        work, room, (const uint32_t *)c.in, (const uint32_t *)c.beside, (uint32_t *)c.out,
        (uint32_t *)c.beside_out, c.count, (int)c.n, cuda::std::equal_to<>{}, c.stream);
}

cudaError_t run_lengths(void *work, size_t &room, const cub_call &c)
{
    return by_width(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceRunLengthEncode::Encode(work, room, (const T *)c.in, (T *)c.out,
                                                  (uint32_t *)c.beside_out, c.count, (int)c.n,
                                                  c.stream);
    });
}

cudaError_t histogram(void *work, size_t &room, const cub_call &c)
{
    return by_type<uint8_t, uint32_t>(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceHistogram::HistogramEven(work, room, (const T *)c.in, (uint32_t *)c.out,
                                                   (int)c.bins + 1, 0, (int)c.bins, (int)c.n,
                                                   c.stream);
    });
}

cudaError_t arg_min(void *work, size_t &room, const cub_call &c)
{
    return by_type<uint32_t, float>(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceReduce::ArgMin(work, room, (const T *)c.in, (T *)c.out,
                                         (uint32_t *)c.beside_out, (int64_t)c.n, c.stream);
    });
}

/* In any order, and of equal ones any. */
cudaError_t top_k(void *work, size_t &room, const cub_call &c)
{
#if CUB_VERSION >= 300300
    const auto how = cuda::std::execution::env{
        cuda::stream_ref{c.stream},
        cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                 cuda::execution::output_ordering::unsorted)};
    return by_type<uint32_t, float>(c.type, [&](auto zero) {
        typedef decltype(zero) T;
        return lib::DeviceTopK::MaxPairs(work, room, (const T *)c.in, (T *)c.out,
                                         THRUST_NS_QUALIFIER::counting_iterator<uint32_t>(0),
                                         (uint32_t *)c.beside_out, (uint32_t)c.n, (uint32_t)c.limit,
                                         how);
    });
#else
    return cudaErrorNotSupported;
#endif
}
} // namespace BENCH_CUB_CALLS
