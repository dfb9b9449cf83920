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
#define TOP_K(...) __VA_ARGS__
#else
#define TOP_K(...) cudaErrorNotSupported
#endif

namespace BENCH_CUB_CALLS
{
template <typename T>
struct below {
    T limit;

    __host__ __device__ bool operator()(T x) const { return x < limit; }
};

CUB_CALL_OF(WIDTHS, select_below,
            lib::DeviceSelect::If(work, room, (const T *)c.in, (T *)c.out, c.count, (int)c.n,
                                  below<T>{(T)c.limit}, c.stream))

CUB_CALL_OF(WIDTHS, select_flagged,
            lib::DeviceSelect::Flagged(work, room, (const T *)c.in, (const uint8_t *)c.beside,
                                       (T *)c.out, c.count, (int)c.n, c.stream))

CUB_CALL(select_by,
         lib::DeviceSelect::FlaggedIf(work, room, (const uint32_t *)c.in,
                                      (const uint32_t *)c.beside, (uint32_t *)c.out, c.count,
                                      (int)c.n, below<uint32_t>{(uint32_t)c.limit}, c.stream))

CUB_CALL(difference,
         lib::DeviceAdjacentDifference::SubtractLeftCopy(work, room, (const uint32_t *)c.in,
                                                         (uint32_t *)c.out, (int)c.n,
                                                         cuda::std::minus<>{}, c.stream))

CUB_CALL(select_indices,
         lib::DeviceSelect::Flagged(work, room, THRUST_NS_QUALIFIER::counting_iterator<uint32_t>(0),
                                    (const uint8_t *)c.beside, (uint32_t *)c.out, c.count, (int)c.n,
                                    c.stream))

/* Reverses the rest. */
CUB_CALL_OF(WIDTHS, partition,
            lib::DevicePartition::If(work, room, (const T *)c.in, (T *)c.out, c.count, (int)c.n,
                                     below<T>{(T)c.limit}, c.stream))

CUB_CALL_OF(WIDTHS, unique,
            lib::DeviceSelect::Unique(work, room, (const T *)c.in, (T *)c.out, c.count, (int)c.n,
                                      c.stream))

CUB_CALL(unique_pairs, lib::DeviceSelect::UniqueByKey(work, room, (const uint32_t *)c.in,
                                                      (const uint32_t *)c.beside, (uint32_t *)c.out,
                                                      (uint32_t *)c.beside_out, c.count, (int)c.n,
                                                      cuda::std::equal_to<>{}, c.stream))

CUB_CALL_OF(WIDTHS, run_lengths,
            lib::DeviceRunLengthEncode::Encode(work, room, (const T *)c.in, (T *)c.out,
                                               (uint32_t *)c.beside_out, c.count, (int)c.n,
                                               c.stream))

CUB_CALL_OF((uint8_t, uint32_t), histogram,
            lib::DeviceHistogram::HistogramEven(work, room, (const T *)c.in, (uint32_t *)c.out,
                                                (int)c.bins + 1, 0, (int)c.bins, (int)c.n,
                                                c.stream))

CUB_CALL_OF((uint32_t, float), arg_min,
            lib::DeviceReduce::ArgMin(work, room, (const T *)c.in, (T *)c.out,
                                      (uint32_t *)c.beside_out, (int64_t)c.n, c.stream))

/* In any order, and of equal ones any. */
CUB_CALL_OF((uint32_t, float), top_k,
            TOP_K(lib::DeviceTopK::MaxPairs(
                work, room, (const T *)c.in, (T *)c.out,
                THRUST_NS_QUALIFIER::counting_iterator<uint32_t>(0), (uint32_t *)c.beside_out,
                (uint32_t)c.n, (uint32_t)c.limit,
                cuda::std::execution::env{
                    cuda::stream_ref{c.stream},
                    cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                             cuda::execution::output_ordering::unsorted)})))
} // namespace BENCH_CUB_CALLS
