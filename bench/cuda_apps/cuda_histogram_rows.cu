/* Histograms compared with CUB's, binning compared with CUB's sort of pairs by the bits of the
   bin. */
#include <cub/device/device_histogram.cuh>

#include "cuda_rows.h"

template <typename T>
static void histogram_row(bench &b, uint32_t bins, const key_input &input)
{
    each_size(b, "histogram-" + std::to_string(bins), name_of<T>(), input.name, [=, &b](group &g) {
        const size_t n = g.n;
        T *const in = b.array<T>("in", n), *const copied = b.array<T>("out", n);
        uint32_t *const counts = g.written<uint32_t>("counts", bins);
        const double bytes = (double)(n * sizeof(T)) + 4.0 * bins;
        fill_keys(b, in, n, input, bins - 1);
        g.add_copy(copied, in, n * sizeof(T));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceHistogram::HistogramEven(work, room, in, counts, (int)bins + 1, 0,
                                                       (int)bins, (int)n, b.stream);
        });
        g.add("parscan", bytes, [=, &b] {
            return parscan_histogram(b.context, type_of<T>::value, in, n, bins, PARSCAN_U32, counts,
                                     NULL);
        });
    });
}

/* offsets[b] = the number of sorted bins below b. */
struct offset_finder {
    const uint32_t *sorted;
    uint32_t *offsets;
    size_t n;

    __device__ void operator()(size_t bin) const
    {
        size_t begin = 0, end = n;
        while (begin < end) {
            const size_t middle = (begin + end) / 2;
            if (sorted[middle] < bin)
                begin = middle + 1;
            else
                end = middle;
        }
        offsets[bin] = (uint32_t)begin;
    }
};

/* CUB's sort gives sorted bins, but no offsets. "cub" is the sort alone, so its outputs are not compared;
   "cub-offsets" finds the offsets, too. */
static void bin_row(bench &b, unsigned log2bins, const key_input &input)
{
    const size_t bins = (size_t)1 << log2bins;
    each_size(b, "bin-" + std::to_string(bins), "u32+u32", input.name, [=, &b](group &g) {
        const size_t n = g.n;
        uint32_t *const bin_of = b.array<uint32_t>("in", n);
        uint32_t *const sorted = b.array<uint32_t>("out", n);
        uint32_t *const values = b.array<uint32_t>("values", n);
        uint32_t *const values_out = g.written<uint32_t>("values-out", n);
        uint32_t *const offsets = g.written<uint32_t>("offsets-out", bins + 1);
        const double bytes = 4.0 * (double)(4 * n + bins + 1);
        fill_keys(b, bin_of, n, input, bins - 1);
        fill_random<<<2048, 256, 0, b.stream>>>(values, n, 1, b.options.seed + 100);
        g.add_copy(sorted, bin_of, n * sizeof *bin_of);
        const auto sort = [=, &b](void *work, size_t &room) {
            return cub_sort_pairs(work, room, bin_of, sorted, values, values_out, n, (int)log2bins,
                                  b.stream);
        };
        g.add_cub("cub", bytes, sort, false);
        g.add_cub("cub-offsets", bytes, [=, &b](void *work, size_t &room) {
            const cudaError_t error = sort(work, room);
            const unsigned blocks = (unsigned)std::min<size_t>(2048, bins / 256 + 1);
            if (work != NULL && error == cudaSuccess)
                for_each<<<blocks, 256, 0, b.stream>>>(bins + 1, offset_finder{sorted, offsets, n});
            return error;
        });
        g.reference = g.all.back().run;
        g.add("parscan", bytes, [=, &b] {
            return parscan_bin(b.context, PARSCAN_U32, bin_of, sizeof *values, values, n, bins,
                               PARSCAN_U32, offsets, values_out);
        });
    });
}

void histogram_rows(bench &b)
{
    for (const key_input &input : {uniform, entropy_54, entropy_20, one_value, sorted}) {
        histogram_row<uint8_t>(b, 256, input);
        for (uint32_t bins : {256u, 4096u, 65536u, 1u << 20})
            histogram_row<uint32_t>(b, bins, input);
    }
    for (const key_input &input : {uniform, entropy_20, one_value})
        for (unsigned log2bins : {8u, 12u, 16u, 20u})
            bin_row(b, log2bins, input);
}
