/* Merges of two sorted halves compared with CUB's, and set operations on them, which CUB does not have. */
#include "cuda_bench.h"

/* Both halves in order. */
static void fill_halves(group &g, parscan_type type, void *in, const key_input &input,
                        uint64_t mask = ~(uint64_t)0)
{
    const size_t size = parscan_type_size(type), half = g.n / 2;
    void *const keys = g.b.bytes("unsorted", g.n * size);
    fill_keys(g.b, type, keys, g.n, input, mask);
    must(g.b, parscan_sort_keys(g.b.context, type, keys, in, half, NULL));
    must(g.b, parscan_sort_keys(g.b.context, type, (char *)keys + half * size,
                                (char *)in + half * size, g.n - half, NULL));
}

/* value_size 0: keys alone. */
static void merge_row(bench &b, parscan_type type, size_t value_size, const key_input &input)
{
    const size_t size = parscan_type_size(type);
    const std::string name = std::string(parscan_type_name(type)) + (value_size > 0 ? "+u32" : "");
    each_size(b, "merge", name, input.name, [=, &b, &input](group &g) {
        const size_t n = g.n, half = n / 2;
        char *const in = (char *)g.read(n * size);
        const double bytes = 2.0 * (double)(n * (size + value_size));
        void *const out = g.write(n * size);
        char *values = NULL, *values_out = NULL;
        if (value_size > 0) {
            values = (char *)b.bytes("values", n * value_size);
            values_out = (char *)g.writes("values-out", n * value_size);
            fill_keys(b, PARSCAN_U32, values, n, uniform);
        }
        fill_halves(g, type, in, input);
        g.copy(out, in, n * size);
        g.cub(value_size > 0 ? CUB_merge_pairs : CUB_merge_keys, bytes,
              {.type = type, .beside = values, .beside_out = values_out});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_merge(b.context, type, from, half, (const char *)from + half * size,
                                 n - half, to, value_size, values,
                                 values != NULL ? values + half * value_size : NULL, values_out);
        });
    });
}

static void set_row(bench &b, const char *work, bool unites, uint64_t mask, const char *input)
{
    const key_input keys = {input, 1};
    each_size(b, work, "u32", input, [=, &b](group &g) {
        const size_t n = g.n, half = n / 2;
        uint32_t *const in = (uint32_t *)g.read(n * 4), *const out = (uint32_t *)g.write(n * 4);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const auto call = unites ? parscan_set_union : parscan_set_intersection;
        fill_halves(g, PARSCAN_U32, in, keys, mask);
        g.copy(out, in, n * 4);
        g.reference = [=, &b] {
            uint32_t *const merged = b.array<uint32_t>("merged", n);
            uint8_t *const flags = b.array<uint8_t>("in-flags", n);
            must(b, parscan_merge(b.context, PARSCAN_U32, in, half, in + half, n - half, merged, 0,
                                  NULL, NULL, NULL));
            /* Of k and k2 equal ones, max(k, k2) are of the union, min of the intersection. */
            on_device(b, n, [=] __device__(size_t i) {
                const uint32_t key = merged[i], *const right = in + half;
                const size_t first = bound_of(in, half, key),
                             first2 = bound_of(right, n - half, key);
                const size_t k = bound_of(in, half, key, true) - first,
                             k2 = bound_of(right, n - half, key, true) - first2;
                flags[i] = i - (first + first2) < (unites == (k > k2) ? k : k2);
            });
            must(b, parscan_compact(b.context, 4, merged, flags, out, n, count));
        };
        g.parscan("parscan", 8.0 * (double)n, [=, &b](const void *from, void *to) {
            const uint32_t *const first = (const uint32_t *)from;
            return call(b.context, PARSCAN_U32, first, half, first + half, n - half, to, n, count);
        });
    });
}

void merge_rows(bench &b)
{
    for (const key_input &input : {uniform, entropy_20, one_value})
        merge_row(b, PARSCAN_U32, 0, input);
    for (parscan_type type : {PARSCAN_U64, PARSCAN_F32})
        merge_row(b, type, 0, uniform);
    merge_row(b, PARSCAN_U32, 4, uniform);
    set_row(b, "set-union", true, ~(uint64_t)0, "uniform");
    set_row(b, "set-union", true, 0xffff, "2^16-values");
    set_row(b, "set-intersection", false, 0xffff, "2^16-values");
}
