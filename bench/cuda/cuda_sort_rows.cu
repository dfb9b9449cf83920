/* Sorts compared with CUB's radix sort, out of place as parscan's are, and with its sorts of
   segments. */
#include <cstring>

#include "cuda_bench.h"

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

static unsigned bits_of(parscan_type type)
{
    return 8 * (unsigned)parscan_type_size(type);
}

static void keys_row(bench &b, parscan_type type, const key_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "sort-keys", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const keys = g.read(n * size), *const out = g.write(n * size);
        const double bytes = sort_bytes(n, size, 0);
        fill_keys(b, type, keys, n, input);
        g.chain(true);
        g.copy(out, keys, n * size);
        g.cub(CUB_sort_keys, bytes, {.type = type, .bits = bits_of(type)});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_sort_keys(b.context, type, from, to, n, NULL);
        });
    });
}

static void pairs_row(bench &b, parscan_type type, parscan_type value_type, const key_input &input)
{
    const size_t size = parscan_type_size(type), value_size = parscan_type_size(value_type);
    const std::string types =
        std::string(parscan_type_name(type)) + "+" + parscan_type_name(value_type);
    each_size(b, "sort-pairs", types, input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const keys = g.read(n * size), *const out = g.write(n * size);
        void *const values = b.bytes("values", n * value_size);
        void *const values_out = g.writes("values-out", n * value_size);
        const double bytes = sort_bytes(n, size, value_size);
        fill_keys(b, type, keys, n, input);
        fill_keys(b, value_type, values, n, uniform, ~(uint64_t)0, 100);
        g.chain(true);
        g.copy(out, keys, n * size);
        g.cub(CUB_sort_pairs, bytes,
              {.type = type,
               .other_type = value_type,
               .beside = values,
               .beside_out = values_out,
               .bits = bits_of(type)});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_sort_pairs(b.context, type, from, to, value_size, values, values_out, n,
                                      NULL);
        });
    });
}

/* CUB sorts pairs whose values are indices. "cub-filled": the array of them is there. "cub" fills it
   within its time. */
static void argsort_row(bench &b, parscan_type type, const key_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "argsort", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const keys = g.read(n * size), *const keys_out = b.bytes("keys-out", n * size);
        uint32_t *const indices = b.array<uint32_t>("values", n);
        g.write(n * sizeof *indices);
        const double bytes = argsort_bytes(n, size);
        fill_keys(b, type, keys, n, input);
        MUST(write_indices(b, indices, n));
        g.copy(keys_out, keys, n * size);
        const cub_call call = {.type = type,
                               .other_type = PARSCAN_U32,
                               .out = keys_out,
                               .beside = indices,
                               .beside_out = g.out,
                               .bits = bits_of(type)};
        const size_t first = g.all.size();
        g.cub(CUB_sort_pairs, bytes, call, true, "-filled");
        for (size_t k = first, end = g.all.size(); k < end; k++) {
            contestant filling = g.all[k];
            filling.name.resize(filling.name.size() - strlen("-filled"));
            filling.run = [=, &b, sort = g.all[k].run](const void *in, void *out) {
                b.attempt(write_indices(b, indices, n));
                sort(in, out);
            };
            g.all.push_back(filling);
        }
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_argsort(b.context, type, from, PARSCAN_U32, to, n, NULL);
        });
    });
}

/* CUB's sort of more than 500 segments copies counts to the host, so no graph is made. Its radix sort of segments needs
   the time of a pass for each segment, so it is left out for many short segments. */
static void segments_row(bench &b, const segment_input &input)
{
    enum { LEAST_MEAN_BY_RADIX = 500 };
    each_size(b, "sort-segments", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const keys = g.read(n * size), *const out = g.write(n * size);
        const segment_input few = {input.name, (double)n / 16};
        const segments s = cut(b, n, input.mean < 0 ? few : input);
        const double bytes = sort_bytes(n, size, 0);
        fill_keys(b, PARSCAN_U32, keys, n, uniform);
        g.in_stream = true;
        g.copy(out, keys, n * size);
        const cub_call call = {.type = PARSCAN_U32, .offsets = s.offsets, .segments = s.count};
        g.cub(CUB_sort_segments, bytes, call);
        if (s.count <= n / LEAST_MEAN_BY_RADIX)
            g.cub(CUB_sort_segments_radix, bytes, call, true, "-radix");
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            const parscan_segments segments = segments_by(PARSCAN_SEGMENTS_OFFSETS, s);
            return parscan_sort_segments(b.context, PARSCAN_U32, from, to, 0, NULL, NULL, n,
                                         &segments, NULL);
        });
    });
}

/* Rows of three columns, one after another in memory, and the columns in their order. CUB sorts rows whose columns
   lie together. */
enum { COLUMNS = 3 };
struct rows {
    parscan_context *context;
    size_t n;
    uint32_t *order, *keys;

    parscan_status gather(const void *from, const uint32_t *by, void *to) const
    {
        return parscan_gather(context, sizeof *order, from, n, PARSCAN_U32, by, to, n);
    }
    parscan_status gather_all(const uint32_t *from, uint32_t *to) const
    {
        parscan_status status = PARSCAN_OK;
        for (unsigned k = 0; k < COLUMNS && status == PARSCAN_OK; k++)
            status = gather(from + k * n, order, to + k * n);
        return status;
    }
    parscan_status sort(const uint32_t *from, uint32_t *to) const
    {
        parscan_column columns[COLUMNS];
        for (unsigned k = 0; k < COLUMNS; k++)
            columns[k] = PARSCAN_COLUMN(.type = PARSCAN_U32, .data = from + k * n);
        const parscan_status status =
            parscan_sort_columns(context, columns, COLUMNS, PARSCAN_U32, order, n);
        return status == PARSCAN_OK ? gather_all(from, to) : status;
    }
    /* By the last column, then by the one before. */
    parscan_status sort_by_each(const uint32_t *from, uint32_t *to) const
    {
        parscan_status status = parscan_argsort(context, PARSCAN_U32, from + (COLUMNS - 1) * n,
                                                PARSCAN_U32, order, n, NULL);
        for (unsigned k = COLUMNS - 1; k-- > 0 && status == PARSCAN_OK;) {
            status = gather(from + k * n, order, keys);
            if (status == PARSCAN_OK)
                status = parscan_sort_pairs(context, PARSCAN_U32, keys, keys, sizeof *order, order,
                                            order, n, NULL);
        }
        return status == PARSCAN_OK ? gather_all(from, to) : status;
    }
};

static void columns_row(bench &b, const key_input &input)
{
    each_size(b, "sort-columns", "u32x3", input.name, [=, &b, &input](group &g) {
        const size_t n = g.n, bytes = COLUMNS * n * sizeof(uint32_t);
        uint32_t *const in = (uint32_t *)g.read(bytes), *const out = (uint32_t *)g.write(bytes);
        const rows r = {b.context, n, b.array<uint32_t>("order", n), b.array<uint32_t>("keys", n)};
        fill_keys(b, PARSCAN_U32, in, COLUMNS * n, input);
        g.copy(out, in, bytes);
        g.reference = [=, &b] { must(b, r.sort_by_each(in, out)); };
        uint32_t *const together = b.array<uint32_t>("rows", COLUMNS * n);
        on_device(b, n, [=] __device__(size_t i) {
            for (unsigned k = 0; k < COLUMNS; k++)
                together[COLUMNS * i + k] = in[k * n + i];
        });
        g.cub(CUB_sort_rows, 2.0 * bytes,
              {.beside = together, .beside_out = b.array<uint32_t>("sorted-rows", COLUMNS * n)},
              false);
        g.parscan("parscan", 2.0 * bytes, [=](const void *from, void *to) {
            return r.sort((const uint32_t *)from, (uint32_t *)to);
        });
        g.parscan("by-each", 2.0 * bytes, [=](const void *from, void *to) {
            return r.sort_by_each((const uint32_t *)from, (uint32_t *)to);
        });
    });
}

void sort_rows(bench &b)
{
    for (const key_input &input : {uniform, entropy_54, entropy_20, one_value, sorted, appended})
        keys_row(b, PARSCAN_U32, input);
    for (const key_input &input : {sorted, appended})
        pairs_row(b, PARSCAN_U32, PARSCAN_U32, input);
    for (const key_input &input : {uniform, entropy_54, entropy_20})
        keys_row(b, PARSCAN_U64, input);
    for (parscan_type type : {PARSCAN_U8, PARSCAN_U16, PARSCAN_F16})
        for (const key_input &input : {uniform, entropy_54, entropy_20, one_value, sorted})
            keys_row(b, type, input);
    for (parscan_type type : {PARSCAN_I16, PARSCAN_BF16, PARSCAN_F32, PARSCAN_F64})
        keys_row(b, type, uniform);
    for (const key_input &input : {uniform, entropy_54, entropy_20}) {
        pairs_row(b, PARSCAN_U32, PARSCAN_U32, input);
        pairs_row(b, PARSCAN_U64, PARSCAN_U32, input);
        argsort_row(b, PARSCAN_U32, input);
    }
    for (const key_input &input : {uniform, entropy_20, one_value})
        columns_row(b, input);
    pairs_row(b, PARSCAN_F32, PARSCAN_U32, uniform);
    pairs_row(b, PARSCAN_U64, PARSCAN_U64, uniform);
    argsort_row(b, PARSCAN_U64, uniform);
    for (const segment_input &input :
         {segment_input{"mean-8", 8}, segment_input{"mean-1000", 1000},
          segment_input{"few-long", -1}, segment_input{"all-orders", MEAN_OF_ALL_ORDERS}})
        segments_row(b, input);
}
