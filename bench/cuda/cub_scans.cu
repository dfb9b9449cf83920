/* CUB's scans and reductions, and the table of all its calls. */
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>) /* CUB 3.3 and newer */
#include <cub/device/device_segmented_scan.cuh>
#define SCAN_BY_OFFSETS(...) __VA_ARGS__
#else
#define SCAN_BY_OFFSETS(...) cudaErrorNotSupported
#endif
#include <thrust/iterator/transform_iterator.h>

#include "cub_calls.h"

namespace BENCH_CUB_CALLS
{
template <typename T, typename Operator>
static cudaError_t scan_by(Operator op, void *work, size_t &room, const cub_call &c)
{
    return lib::DeviceScan::InclusiveScan(work, room, (const T *)c.in, (T *)c.out, op, c.n,
                                          c.stream);
}

cudaError_t scan(void *work, size_t &room, const cub_call &c)
{
    if (c.op == PARSCAN_SUM)
        return by_type<uint8_t, uint16_t, uint32_t, uint64_t, float, double>(
            c.type, [&](auto zero) {
                typedef decltype(zero) T;
                return lib::DeviceScan::InclusiveSum(work, room, (const T *)c.in, (T *)c.out, c.n,
                                                     c.stream);
            });
    if (c.op == PARSCAN_MAX && c.type == PARSCAN_F32)
        return scan_by<float>(cuda::maximum<>(), work, room, c);
    if (c.op == PARSCAN_MAX && c.type == PARSCAN_U32)
        return scan_by<uint32_t>(cuda::maximum<>(), work, room, c);
    if (c.op == PARSCAN_PRODUCT && c.type == PARSCAN_U32)
        return scan_by<uint32_t>(cuda::std::multiplies<>(), work, room, c);
    if (c.op == PARSCAN_XOR && c.type == PARSCAN_U32)
        return scan_by<uint32_t>(cuda::std::bit_xor<>(), work, room, c);
    return cudaErrorNotSupported;
}

/* The operators of cuda_operator_rows.cu. */
struct range {
    int low, high;

    friend __host__ __device__ range operator+(range a, range b)
    {
        return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    }
};
struct affine {
    double a, b;

    friend __host__ __device__ affine operator+(affine f, affine g)
    {
        return {g.a * f.a, g.a * f.b + g.b};
    }
};
struct square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

CUB_CALL(scan_pairs, scan_by<range>(cuda::std::plus<range>(), work, room, c))
CUB_CALL(scan_affine, scan_by<affine>(cuda::std::plus<affine>(), work, room, c))
CUB_CALL(scan_squares, lib::DeviceScan::InclusiveSum(work, room,
                                                     THRUST_NS_QUALIFIER::make_transform_iterator(
                                                         (const float *)c.in, square()),
                                                     (float *)c.out, c.n, c.stream))

CUB_CALL_OF((uint8_t, uint16_t, uint32_t, uint64_t, float, double), reduce,
            lib::DeviceReduce::Sum(work, room, (const T *)c.in, (T *)c.out, c.n, c.stream))

CUB_CALL_OF((uint8_t, uint32_t, uint64_t, float), scan_by_key,
            lib::DeviceScan::InclusiveSumByKey(work, room, (const uint32_t *)c.beside,
                                               (const T *)c.in, (T *)c.out, (int)c.n,
                                               cuda::std::equal_to<>{}, c.stream))

CUB_CALL_OF((uint32_t), scan_by_offsets,
            SCAN_BY_OFFSETS(lib::DeviceSegmentedScan::InclusiveSegmentedSum(
                work, room, (const T *)c.in, (T *)c.out, c.offsets, c.offsets + 1,
                (int64_t)c.segments, c.stream)))

CUB_CALL(reduce_by_key,
         lib::DeviceReduce::ReduceByKey(work, room, (const uint32_t *)c.beside,
                                        (uint32_t *)c.beside_out, (const uint32_t *)c.in,
                                        (uint32_t *)c.out, c.count, cuda::std::plus<>{}, (int)c.n,
                                        c.stream))

CUB_CALL(reduce_by_offsets,
         lib::DeviceSegmentedReduce::Sum(work, room, (const uint32_t *)c.in, (uint32_t *)c.out,
                                         (int)c.segments, c.offsets, c.offsets + 1, c.stream))

template <typename O>
struct rounded_up {
    O alignment;

    __host__ __device__ O operator()(O size) const
    {
        return (size + alignment - 1) / alignment * alignment;
    }
};

/* Without the total. */
cudaError_t allocate(void *work, size_t &room, const cub_call &c)
{
    return by_type<uint8_t, uint32_t>(c.type, [&](auto size) {
        typedef decltype(size) S;
        return by_type<uint32_t, uint64_t>(c.other_type, [&](auto offset) {
            typedef decltype(offset) O;
            const auto sizes = THRUST_NS_QUALIFIER::make_transform_iterator(
                (const S *)c.in, rounded_up<O>{(O)c.alignment});
            return lib::DeviceScan::ExclusiveScan(work, room, sizes, (O *)c.out,
                                                  cuda::std::plus<>{}, (O)0, (int)c.n, c.stream);
        });
    });
}

CUB_CALL(copy_batch,
         lib::DeviceMemcpy::Batched(work, room, (void *const *)c.beside, (void **)c.beside_out,
                                    (const uint32_t *)c.in, (uint32_t)c.n, c.stream))
} // namespace BENCH_CUB_CALLS

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define CALL_OF(name) BENCH_CUB_CALLS::name,
const cub_peer PASTE(peer_, BENCH_CUB) = {TEXT(BENCH_CUB), CUB_VERSION, {CUB_WORKS(CALL_OF)}};
