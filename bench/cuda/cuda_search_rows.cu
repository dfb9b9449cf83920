/* Lower bounds of n needles in n keys, compared with CUB's; joins of two halves, which CUB does not have. */
#include "cuda_bench.h"

template <typename T>
static __device__ size_t bound_of(const T *keys, size_t n, T needle, bool upper)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (upper ? keys[middle] <= needle : keys[middle] < needle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

template <typename T>
struct bound_filler {
    const T *keys, *needles;
    size_t n;
    uint32_t *out;

    __device__ void operator()(size_t i) const
    {
        out[i] = (uint32_t)bound_of(keys, n, needles[i], false);
    }
};

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
                return launch(b, n, bound_filler<T>{(const T *)keys, (const T *)needles, n, out});
            })));
        };
        cub_call call = {};
        call.type = type;
        call.beside = keys;
        g.cub(CUB_lower_bound, bytes, call);
        if (input.words == SORTED)
            g.cub(CUB_lower_bound_in_order, bytes, call, true, " in order");
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_lower_bound(b.context, type, keys, n, from, n, PARSCAN_U32, to);
        });
    });
}

struct pair_counter {
    const uint64_t *left, *right;
    size_t n, n2;
    uint32_t *counts;

    __device__ void operator()(size_t i) const
    {
        counts[i] =
            (uint32_t)(bound_of(right, n2, left[i], true) - bound_of(right, n2, left[i], false));
    }
};

/* offsets: of the pairs of each element of left. */
struct pair_filler {
    pair_counter c;
    const uint32_t *offsets;
    uint32_t *left_out, *right_out;

    __device__ void operator()(size_t i) const
    {
        const size_t first = bound_of(c.right, c.n2, c.left[i], false);
        for (uint32_t k = 0; k < c.counts[i]; k++) {
            left_out[offsets[i] + k] = (uint32_t)i;
            right_out[offsets[i] + k] = (uint32_t)(first + k);
        }
    }
};

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
            const pair_counter counter = {in, in + half, half, n - half, counts};
            on_device(b, half, counter);
            must(b, parscan_allocate(b.context, PARSCAN_U32, counts, half, PARSCAN_U32, offsets,
                                     total, NULL));
            on_device(b, half, pair_filler{counter, offsets, out, right_out});
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
