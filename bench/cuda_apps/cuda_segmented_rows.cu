/* Segmented scans and reductions compared with CUB's by key and by offsets; recurrences compared
   with a copy. */
#include <cuda/std/functional>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>) /* CUB 3.3 and newer */
#include <cub/device/device_segmented_scan.cuh>
#define HAS_SCAN_BY_OFFSETS
#endif
#include <thrust/scan.h>

#include "cuda_rows.h"

/* Small integers of both signs, so that every sum of floats is exact. */
template <typename T>
struct value_filler {
    T *values;

    __device__ void operator()(size_t i) const
    {
        const int size = (int)(mix(i / 2) >> 60);
        values[i] = (T)(i % 2 == 0 ? size : -size);
    }
};

template <typename T>
static T *filled_values(bench &b, size_t n)
{
    T *const values = b.array<T>("in", n);
    on_device(b, n, value_filler<T>{values});
    return values;
}

/* Segments given by flags, offsets and keys. CUB scans by key; newer ones by offsets, too. */
template <typename T>
static void scan_row(bench &b, const segment_input &input)
{
    each_size(b, "segmented-scan", name_of<T>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        const T *const in = filled_values<T>(b, n);
        T *const out = g.written<T>("out", n);
        const segments s = cut(b, n, input);
        const double moved = 2.0 * (double)(n * sizeof(T));
        const auto by = [=, &b](const parscan_segments &segments) {
            return [=, &b] {
                return parscan_segmented_inclusive_scan(b.context, type_of<T>::value, in, out, n,
                                                        &segments, NULL);
            };
        };
        g.add_copy(out, in, n * sizeof(T));
        g.add_cub("cub", moved + 4.0 * (double)n, [=, &b](void *work, size_t &room) {
            return cub::DeviceScan::InclusiveSumByKey(work, room, s.keys, in, out, (int)n,
                                                      cuda::std::equal_to<>{}, b.stream);
        });
#ifdef HAS_SCAN_BY_OFFSETS
        g.add_cub("cub-offsets", moved + 4.0 * (double)s.count, [=, &b](void *work, size_t &room) {
            return cub::DeviceSegmentedScan::InclusiveSegmentedSum(
                work, room, in, out, s.offsets, s.offsets + 1, (int64_t)s.count, b.stream);
        });
#endif
        if constexpr (std::is_same_v<T, uint32_t>)
            g.add_thrust(moved + 4.0 * (double)n, [=](auto policy) {
                thrust::inclusive_scan_by_key(policy, s.keys, s.keys + n, in, out);
            });
        g.add("keys", moved + 4.0 * (double)n, by(by_keys(s)));
        g.add("flags", moved + (double)n, by(by_flags(s)));
        g.add("offsets", moved + 4.0 * (double)s.count, by(by_offsets(s)));
    });
}

static void reduce_offsets_row(bench &b, const segment_input &input)
{
    each_size(b, "segmented-reduce-offsets", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        const uint32_t *const in = filled_values<uint32_t>(b, n);
        const segments s = cut(b, n, input);
        uint32_t *const sums = g.written<uint32_t>("sums", s.count);
        const double bytes = 4.0 * (double)(n + 2 * s.count);
        g.add_copy(b.array<uint32_t>("out", n), in, n * sizeof *in);
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceSegmentedReduce::Sum(work, room, in, sums, (int)s.count, s.offsets,
                                                   s.offsets + 1, b.stream);
        });
        g.add("parscan", bytes, [=, &b] {
            const parscan_segments segments = by_offsets(s);
            return parscan_segmented_reduce(b.context, PARSCAN_U32, in, sums, n, &segments, NULL,
                                            NULL);
        });
    });
}

/* CUB's reduction by key writes the keys too. */
static void reduce_keys_row(bench &b, const segment_input &input)
{
    each_size(b, "segmented-reduce-keys", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        const uint32_t *const in = filled_values<uint32_t>(b, n);
        const segments s = cut(b, n, input);
        uint32_t *const sums = g.written<uint32_t>("sums", s.count);
        uint32_t *const keys_out = b.array<uint32_t>("keys-out", s.count);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        const double read = 4.0 * (double)n, written = 4.0 * (double)s.count;
        const auto by = [=, &b](const parscan_segments &segments) {
            return [=, &b] {
                return parscan_segmented_reduce(b.context, PARSCAN_U32, in, sums, n, &segments,
                                                count, NULL);
            };
        };
        g.add_copy(b.array<uint32_t>("out", n), in, n * sizeof *in);
        g.add_cub("cub", 2 * (read + written), [=, &b](void *work, size_t &room) {
            return cub::DeviceReduce::ReduceByKey(work, room, s.keys, keys_out, in, sums, count,
                                                  cuda::std::plus<>{}, (int)n, b.stream);
        });
        g.add("keys", 2 * read + written, by(by_keys(s)));
        g.add("flags", read + (double)n + written, by(by_flags(s)));
    });
}

/* Factors of -1, 0, 1, and odd numbers, so that results are exact. */
template <typename T>
struct recurrence_filler {
    T *a, *values;

    __device__ void operator()(size_t i) const
    {
        const unsigned random = (unsigned)(mix(i) >> 32);
        a[i] = (T)(random % 8 == 0 ? 0 : random % 16 < 8 ? 1 : -1);
        values[i] = (T)(2 * (int)(random >> 28) - 15);
    }
};

template <typename T>
static void recurrence_row(bench &b)
{
    enum { MOST_ON_THE_HOST = 1 << 20 };
    each_size(b, "recurrence", name_of<T>(), "exact", [&b](group &g) {
        const size_t n = g.n;
        T *const a = b.array<T>("factors", n), *const in = b.array<T>("in", n);
        T *const out = g.written<T>("out", n);
        const double bytes = 3.0 * (double)(n * sizeof(T));
        on_device(b, n, recurrence_filler<T>{a, in});
        g.has_reference = n <= MOST_ON_THE_HOST;
        g.reference = [=] {
            std::vector<T> factors(n), x(n);
            MUST(cudaMemcpy(factors.data(), a, n * sizeof(T), cudaMemcpyDeviceToHost));
            MUST(cudaMemcpy(x.data(), in, n * sizeof(T), cudaMemcpyDeviceToHost));
            for (size_t i = 1; i < n; i++)
                x[i] += factors[i] * x[i - 1];
            MUST(cudaMemcpy(out, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
        };
        g.add_copy(out, in, n * sizeof(T));
        g.add("parscan", bytes, [=, &b] {
            return parscan_recurrence(b.context, type_of<T>::value, a, in, NULL, out, n);
        });
    });
}

void segmented_rows(bench &b)
{
    static const segment_input each = {"each", 1}, short_ones = {"mean-3", 3},
                               hundred = {"mean-100", 100}, long_ones = {"mean-10000", 10000},
                               mixed = {"all-orders", MEAN_OF_ALL_ORDERS}, one = {"one", 1e30};
    for (const segment_input &input : {each, short_ones, hundred, long_ones, mixed, one}) {
        scan_row<uint32_t>(b, input);
        reduce_offsets_row(b, input);
        reduce_keys_row(b, input);
    }
    for (const segment_input &input : {short_ones, hundred}) {
        scan_row<float>(b, input);
        scan_row<uint64_t>(b, input);
    }
    recurrence_row<float>(b);
    recurrence_row<double>(b);
}
