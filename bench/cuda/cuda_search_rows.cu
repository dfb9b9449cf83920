/* Lower bounds of n needles in n keys, compared with CUB's; joins of two halves, which CUB does not have. */
#include "cuda_bench.h"

template <typename T>
static cudaError_t fill_bounds(const bench &b, const T *keys, const T *needles, size_t n,
                               uint32_t *out)
{
    return launch(b, n,
                  [=] __device__(size_t i) { out[i] = (uint32_t)bound_of(keys, n, needles[i]); });
}

static void bounds_row(bench &b, parscan_type type, const key_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "lower-bound", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const needles = g.read(n * size), *const keys = b.bytes("keys", n * size);
        uint32_t *const out = (uint32_t *)g.write(n * sizeof *out);
        const double bytes = (double)(n * (2 * size + sizeof *out));
        fill_keys(b, type, needles, n, uniform, ~(uint64_t)0, 1);
        must(b, parscan_sort_keys(b.context, type, needles, keys, n, NULL));
        fill_keys(b, type, needles, n, input, ~(uint64_t)0, 2);
        g.copy(out, keys, n * sizeof *out);
        g.reference = [=, &b] {
            MUST((by_type<uint32_t, uint64_t, float>(type, [&](auto zero) {
                typedef decltype(zero) T;
                return fill_bounds(b, (const T *)keys, (const T *)needles, n, out);
            })));
        };
        const cub_call call = {.type = type, .beside = keys};
        g.cub(CUB_lower_bound, bytes, call);
        if (input.words == SORTED)
            g.cub(CUB_lower_bound_in_order, bytes, call, true, " in order");
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_lower_bound(b.context, type, keys, n, from, n, PARSCAN_U32, to);
        });
    });
}

/* Two halves of n random numbers below a power of two from n on: n / 4 pairs or fewer. */
static void join_row(bench &b)
{
    each_size(b, "join", "u64", "uniform", [&b](group &g) {
        const size_t n = g.n, half = n / 2;
        uint64_t *const in = (uint64_t *)g.read(n * sizeof *in);
        uint64_t *const keys = b.array<uint64_t>("unsorted", n);
        uint32_t *const out = (uint32_t *)g.write(n * sizeof *out);
        uint32_t *const right_out = g.writes<uint32_t>("right-out", n);
        uint64_t *const total = g.writes<uint64_t>("total", (size_t)1);
        uint64_t mask = 1;
        while (mask < n)
            mask = 2 * mask + 1;
        fill_keys(b, PARSCAN_U64, keys, n, uniform, mask);
        must(b, parscan_sort_keys(b.context, PARSCAN_U64, keys, in, half, NULL));
        must(b, parscan_sort_keys(b.context, PARSCAN_U64, keys + half, in + half, n - half, NULL));
        g.copy(out, in, n * sizeof *out);
        g.reference = [=, &b] {
            uint32_t *const counts = b.array<uint32_t>("counts", half);
            uint32_t *const offsets = b.array<uint32_t>("offsets-of-pairs", half);
            const uint64_t *const right = in + half;
            on_device(b, half, [=] __device__(size_t i) {
                counts[i] = (uint32_t)(bound_of(right, n - half, in[i], true) -
                                       bound_of(right, n - half, in[i]));
            });
            must(b, parscan_allocate(b.context, PARSCAN_U32, counts, half, PARSCAN_U32, offsets,
                                     total, NULL));
            on_device(b, half, [=] __device__(size_t i) {
                const size_t first = bound_of(right, n - half, in[i]);
                for (uint32_t k = 0; k < counts[i]; k++) {
                    out[offsets[i] + k] = (uint32_t)i;
                    right_out[offsets[i] + k] = (uint32_t)(first + k);
                }
            });
        };
        g.parscan("parscan", 10.0 * (double)n, [=, &b](const void *from, void *to) {
            const uint64_t *const left = (const uint64_t *)from;
            return parscan_join(b.context, PARSCAN_JOIN_INNER, PARSCAN_U64, left, half, left + half,
                                n - half, PARSCAN_U32, to, right_out, n, total);
        });
    });
}

void search_rows(bench &b)
{
    for (const key_input &input : {uniform, sorted})
        for (parscan_type type : {PARSCAN_U32, PARSCAN_U64})
            bounds_row(b, type, input);
    bounds_row(b, PARSCAN_F32, uniform);
    join_row(b);
}
