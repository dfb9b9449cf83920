/* Sorts compared with CUB's radix sort, out of place as parscan's are, and with its sorts of
   segments. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/copy.h>
#include <thrust/sort.h>

#include "cuda_rows.h"

/* The bytes that a sort by one byte at a time moves: one read of the keys to count, then a read
   and a write in each pass. */
static double sort_bytes(size_t n, size_t key, size_t value)
{
    return (double)(n * (key + key * 2 * (key + value)));
}

/* The last pass writes no keys, and the first reads no indices. */
static double argsort_bytes(size_t n, size_t key)
{
    return sort_bytes(n, key, sizeof(uint32_t)) - (double)(n * (key + sizeof(uint32_t)));
}

/* N: the type of CUB's count, which chooses its tuning. On one H200, u32 2^28 takes 5.42 ms with
   a size_t (19 keys a thread) and 6.32 ms with an int (20). */
template <typename K, typename N = int>
static void keys_row(bench &b, const key_input &input)
{
    each_size(b, "sort-keys", name_of<K>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        K *const keys = b.array<K>("in", n), *const out = g.written<K>("out", n);
        const double bytes = sort_bytes(n, sizeof(K), 0);
        fill_keys(b, keys, n, input);
        g.add_copy(out, keys, n * sizeof(K));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceRadixSort::SortKeys(work, room, keys, out, (N)n, 0, 8 * sizeof(K),
                                                  b.stream);
        });
        if constexpr (std::is_same_v<K, uint32_t>)
            g.add_thrust(bytes, [=](auto policy) { /* in place, so it is preceded by a copy */
                                                   thrust::copy(policy, keys, keys + n, out);
                                                   thrust::sort(policy, out, out + n);
            });
        g.add("parscan", bytes, [=, &b] {
            return parscan_sort_keys(b.context, type_of<K>::value, keys, out, n, NULL);
        });
    });
}

template <typename K, typename V>
static cudaError_t sort_pairs(void *work, size_t &room, const K *keys, K *keys_out, const V *values,
                              V *values_out, size_t n, int bits, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(work, room, keys, keys_out, values, values_out, (int)n,
                                           0, bits, stream);
}

cudaError_t cub_sort_pairs(void *work, size_t &bytes, const uint32_t *keys, uint32_t *keys_out,
                           const uint32_t *values, uint32_t *values_out, size_t n, int bits,
                           cudaStream_t stream)
{
    return sort_pairs(work, bytes, keys, keys_out, values, values_out, n, bits, stream);
}

template <typename K, typename V = uint32_t>
static void pairs_row(bench &b, const key_input &input)
{
    each_size(b, "sort-pairs", name_of<K>() + "+" + name_of<V>(), input.name,
              [&b, &input](group &g) {
                  const size_t n = g.n;
                  K *const keys = b.array<K>("in", n), *const out = g.written<K>("out", n);
                  V *const values = b.array<V>("values", n), *const values_out =
                                                                 g.written<V>("values-out", n);
                  const double bytes = sort_bytes(n, sizeof(K), sizeof *values);
                  fill_keys(b, keys, n, input);
                  fill_random<<<2048, 256, 0, b.stream>>>(values, n, 1, b.options.seed + 100);
                  g.add_copy(out, keys, n * sizeof(K));
                  g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
                      return sort_pairs(work, room, keys, out, values, values_out, n, 8 * sizeof(K),
                                        b.stream);
                  });
                  g.add("parscan", bytes, [=, &b] {
                      return parscan_sort_pairs(b.context, type_of<K>::value, keys, out,
                                                sizeof *values, values, values_out, n, NULL);
                  });
              });
}

struct index_filler {
    uint32_t *indices;

    __device__ void operator()(size_t i) const { indices[i] = (uint32_t)i; }
};

/* CUB sorts pairs whose values are an array of indices. "cub" fills this array within its time,
   "cub-filled" before. */
template <typename K>
static void argsort_row(bench &b, const key_input &input)
{
    each_size(b, "argsort", name_of<K>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        K *const keys = b.array<K>("in", n), *const keys_out = b.array<K>("keys-out", n);
        uint32_t *const indices = b.array<uint32_t>("values", n);
        uint32_t *const out = g.written<uint32_t>("indices-out", n);
        const double bytes = argsort_bytes(n, sizeof(K));
        fill_keys(b, keys, n, input);
        g.add_copy(keys_out, keys, n * sizeof(K));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            if (work != NULL)
                on_device(b, n, index_filler{indices});
            return sort_pairs(work, room, keys, keys_out, indices, out, n, 8 * sizeof(K), b.stream);
        });
        g.add_cub("cub-filled", bytes, [=, &b](void *work, size_t &room) {
            return sort_pairs(work, room, keys, keys_out, indices, out, n, 8 * sizeof(K), b.stream);
        });
        g.add("parscan", bytes, [=, &b] {
            return parscan_argsort(b.context, type_of<K>::value, keys, PARSCAN_U32, out, n, NULL);
        });
    });
}

/* CUB's radix sort of segments needs the time of a pass for each segment, so it is left out for
   many short segments. */
static void segments_row(bench &b, const segment_input &input)
{
    enum { LEAST_MEAN_BY_RADIX = 500 };
    each_size(b, "sort-segments", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        uint32_t *const keys = b.array<uint32_t>("in", n), *const out =
                                                               g.written<uint32_t>("out", n);
        const segment_input few = {input.name, (double)n / 16};
        const segments s = cut(b, n, input.mean < 0 ? few : input);
        const double bytes = sort_bytes(n, sizeof *keys, 0);
        const int count = (int)s.count;
        fill_keys(b, keys, n, uniform);
        g.add_copy(out, keys, n * sizeof *keys);
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceSegmentedSort::SortKeys(work, room, keys, out, (int)n, count,
                                                      s.offsets, s.offsets + 1, b.stream);
        });
        if (s.count <= n / LEAST_MEAN_BY_RADIX)
            g.add_cub("cub-radix", bytes, [=, &b](void *work, size_t &room) {
                return cub::DeviceSegmentedRadixSort::SortKeys(work, room, keys, out, (int)n, count,
                                                               s.offsets, s.offsets + 1, 0, 32,
                                                               b.stream);
            });
        g.add("parscan", bytes, [=, &b] {
            const parscan_segments segments = by_offsets(s);
            return parscan_sort_segments(b.context, PARSCAN_U32, keys, out, 0, NULL, NULL, n,
                                         &segments, NULL);
        });
    });
}

void sort_rows(bench &b)
{
    for (const key_input &input : {uniform, entropy_54, entropy_20, one_value, sorted})
        keys_row<uint32_t, size_t>(b, input);
    for (const key_input &input : {uniform, entropy_54, entropy_20})
        keys_row<uint64_t>(b, input);
    keys_row<uint8_t>(b, uniform);
    keys_row<uint16_t>(b, uniform);
    keys_row<float>(b, uniform);
    keys_row<double>(b, uniform);
    for (const key_input &input : {uniform, entropy_54, entropy_20}) {
        pairs_row<uint32_t>(b, input);
        pairs_row<uint64_t>(b, input);
        argsort_row<uint32_t>(b, input);
    }
    pairs_row<uint64_t, uint64_t>(b, uniform);
    argsort_row<uint64_t>(b, uniform);
    for (const segment_input &input :
         {segment_input{"mean-8", 8}, segment_input{"mean-1000", 1000},
          segment_input{"few-long", -1}, segment_input{"all-orders", MEAN_OF_ALL_ORDERS}})
        segments_row(b, input);
}
