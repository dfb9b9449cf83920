/* Histograms compared with CUB's, binning compared with CUB's sort of pairs by the bits of the
   bin. */
#include "cuda_bench.h"

static void histogram_row(bench &b, parscan_type type, uint32_t bins, const key_input &input)
{
    const size_t size = parscan_type_size(type);
    const std::string work = "histogram-" + std::to_string(bins);
    each_size(b, work, parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const copied = b.bytes("copied", n * size);
        g.write(bins * sizeof(uint32_t));
        const double bytes = (double)(n * size) + 4.0 * bins;
        fill_keys(b, type, in, n, input, bins - 1);
        g.copy(copied, in, n * size);
        if (type != PARSCAN_U16) /* cub_selects.cu counts others */
            g.cub(CUB_histogram, bytes, {.type = type, .bins = bins});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *counts) {
            return parscan_histogram(b.context, type, from, n, bins, PARSCAN_U32, counts, NULL);
        });
    });
}

/* The same whole numbers as floats of 16 bits, which are exact below 2^11. CUB cannot count them. */
static void half_histogram_row(bench &b, uint32_t bins, const key_input &input)
{
    const std::string work = "histogram-" + std::to_string(bins);
    each_size(b, work, parscan_type_name(PARSCAN_F16), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint16_t);
        uint16_t *const in = (uint16_t *)g.read(n * size);
        void *const copied = b.bytes("copied", n * size);
        g.write(bins * sizeof(uint32_t));
        fill_keys(b, PARSCAN_U16, in, n, input, bins - 1);
        on_device(b, n, [=] __device__(size_t i) {
            const __half half = __ushort2half_rn(in[i]);
            memcpy(in + i, &half, sizeof half);
        });
        g.copy(copied, in, n * size);
        g.parscan("parscan", (double)(n * size) + 4.0 * bins,
                  [=, &b](const void *from, void *counts) {
                      const __half lower = __float2half(0), upper = __float2half((float)bins);
                      const parscan_histogram_options options =
                          PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
                      return parscan_histogram(b.context, PARSCAN_F16, from, n, bins, PARSCAN_U32,
                                               counts, &options);
                  });
    });
}

/* CUB's sort gives sorted bins, but no offsets. "cub" is the sort alone, so its outputs are not compared;
   "cub-offsets" finds the offsets, too. */
static void bin_row(bench &b, unsigned log2bins, const key_input &input)
{
    const size_t bins = (size_t)1 << log2bins;
    each_size(b, "bin-" + std::to_string(bins), "u32+u32", input.name, [=, &b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const bin_of = g.read(n * size), *const values_out = g.write(n * size);
        uint32_t *const sorted_bins = b.array<uint32_t>("copied", n);
        void *const values = b.bytes("values", n * size);
        uint32_t *const offsets = g.writes<uint32_t>("offsets-out", bins + 1);
        const double bytes = 4.0 * (double)(4 * n + bins + 1);
        fill_keys(b, PARSCAN_U32, bin_of, n, input, bins - 1);
        fill_keys(b, PARSCAN_U32, values, n, uniform, ~(uint64_t)0, 100);
        g.copy(sorted_bins, bin_of, n * size);
        const cub_call call = {.type = PARSCAN_U32,
                               .other_type = PARSCAN_U32,
                               .out = sorted_bins,
                               .beside = values,
                               .beside_out = values_out,
                               .bits = log2bins};
        g.cub(CUB_sort_pairs, bytes, call, false);
        for (size_t k = 1, end = g.all.size(); k < end; k++) {
            contestant finding = g.all[k];
            finding.name += "-offsets";
            finding.checked = true;
            finding.run = [=, &b, sort = g.all[k].run](const void *in, void *out) {
                sort(in, out);
                b.attempt(launch(b, bins + 1, [=] __device__(size_t bin) {
                    offsets[bin] = (uint32_t)bound_of(sorted_bins, n, (uint32_t)bin);
                }));
            };
            g.all.push_back(finding);
        }
        g.reference = [find = g.all.back().run, bin_of, values_out] { find(bin_of, values_out); };
        g.parscan("parscan", bytes, [=, &b](const void *in, void *out) {
            return parscan_bin(b.context, PARSCAN_U32, in, size, values, n, bins, PARSCAN_U32,
                               offsets, out);
        });
    });
}

void histogram_rows(bench &b)
{
    for (const key_input &input : {uniform, entropy_54, entropy_20, one_value, sorted}) {
        histogram_row(b, PARSCAN_U8, 256, input);
        for (uint32_t bins : {256u, 4096u, 65536u, 1u << 20})
            histogram_row(b, PARSCAN_U32, bins, input);
    }
    for (const key_input &input : {uniform, one_value})
        for (uint32_t bins : {256u, 2048u}) {
            histogram_row(b, PARSCAN_U16, bins, input);
            half_histogram_row(b, bins, input);
        }
    for (const key_input &input : {uniform, entropy_20, one_value})
        for (unsigned log2bins : {8u, 12u, 16u, 20u})
            bin_row(b, log2bins, input);
}
