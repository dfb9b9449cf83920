/* Extremes with their index, and top-k, compared with CUB's, which is unsorted and not deterministic. */
#include "cuda_bench.h"

static void argmin_row(bench &b, parscan_type type)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "argmin", parscan_type_name(type), "uniform", [=, &b](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size);
        g.write(size);
        uint32_t *const index = g.writes<uint32_t>("index", (size_t)1);
        fill_keys(b, type, in, n, uniform);
        g.copy(b.bytes("copy", n * size), in, n * size / 2);
        g.cub(CUB_arg_min, (double)(n * size), {.type = type, .beside_out = index});
        g.parscan("parscan", (double)(n * size), [=, &b](const void *from, void *to) {
            return parscan_arg_reduce(b.context, type, from, n, PARSCAN_MIN, to, PARSCAN_U32, index,
                                      NULL);
        });
    });
}

/* The k largest of each row; row = 0: of all elements. By a stable sort of them, or of the rows, where that is the
   reference. */
struct top_row {
    const char *work;
    size_t k, row;
};

static parscan_segments rows_of(const top_row &t)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = t.row);
}

static parscan_status run_top(const bench &b, const top_row &t, parscan_type type, const void *in,
                              size_t n, void *values, uint32_t *indices)
{
    const parscan_segments rows = rows_of(t);
    const parscan_top_k_options options =
        PARSCAN_TOP_K_OPTIONS(.segments = t.row != 0 ? &rows : NULL);
    return parscan_top_k(b.context, type, in, n, t.k, values, PARSCAN_U32, indices, &options);
}

/* The first of each row of `in`, which is sorted with its places. */
template <typename T>
struct first_filler {
    const T *keys;
    const uint32_t *places;
    size_t k, row;
    T *values;
    uint32_t *indices;

    __device__ void operator()(size_t i) const
    {
        const size_t from = i / k * row + i % k;
        values[i] = keys[from];
        indices[i] = (uint32_t)(places[from] % row);
    }
};

static void sort_for(bench &b, const top_row &t, parscan_type type, const void *in, size_t n,
                     void *values, uint32_t *indices)
{
    const size_t size = parscan_type_size(type), row = t.row != 0 ? t.row : n;
    void *const keys = b.bytes("sorted-keys", n * size);
    uint32_t *const places = b.array<uint32_t>("sorted-places", n);
    uint32_t *const sorted = b.array<uint32_t>("places", n);
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = 1);
    const top_row all = {t.work, t.k, row};
    const parscan_segments rows = rows_of(all);
    MUST(write_indices(b, places, n));
    must(b, parscan_sort_segments(b.context, type, in, keys, sizeof(uint32_t), places, sorted, n,
                                  &rows, &options));
    MUST((by_type<uint32_t, float>(type, [&](auto zero) {
        typedef decltype(zero) T;
        return launch(b, n / row * t.k,
                      first_filler<T>{(const T *)keys, sorted, t.k, row, (T *)values, indices});
    })));
}

/* A short array has fewer results, or one row. */
static top_row fitted(const top_row &t, size_t n)
{
    const size_t row = std::min(t.row, n);
    return {t.work, std::min(t.k, row != 0 ? row : n), row};
}

static void top_k_row(bench &b, const top_row &named, parscan_type type, const key_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, named.work, parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const top_row t = fitted(named, g.n);
        const size_t rows = t.row != 0 ? g.n / t.row : 1, n = t.row != 0 ? rows * t.row : g.n;
        void *const in = g.read(n * size), *const out = g.write(rows * t.k * size);
        uint32_t *const indices = g.writes<uint32_t>("indices", rows * t.k);
        fill_keys(b, type, in, n, input);
        g.copy(b.bytes("copy", n * size), in, n * size / 2);
        g.reference = [=, &b] { sort_for(b, t, type, in, n, out, indices); };
        if (t.row == 0)
            g.cub(CUB_top_k, (double)(n * size),
                  {.type = type, .beside_out = indices, .limit = t.k}, false);
        g.parscan("parscan", (double)(n * size), [=, &b](const void *from, void *to) {
            return run_top(b, t, type, from, n, to, indices);
        });
    });
}

void select_rows(bench &b)
{
    static const top_row whole[] = {{"top-16", 16, 0}, {"top-65536", 65536, 0}};
    static const top_row of_rows[] = {
        {"top-8-of-64", 8, 64}, {"top-16-of-1024", 16, 1024}, {"top-1024-of-131072", 1024, 131072}};
    static const key_input *const inputs[] = {&uniform, &entropy_20, &one_value, &sorted};
    argmin_row(b, PARSCAN_U32);
    argmin_row(b, PARSCAN_F32);
    for (const top_row &t : whole)
        for (const key_input *input : inputs)
            top_k_row(b, t, PARSCAN_U32, *input);
    top_k_row(b, whole[0], PARSCAN_F32, uniform);
    for (const top_row &t : of_rows)
        top_k_row(b, t, PARSCAN_F32, uniform);
    top_k_row(b, of_rows[1], PARSCAN_F32, one_value);
}
