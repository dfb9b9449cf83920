/* Compaction compared with CUB's select, partition and run lengths. */
#include <cmath>

#include "cuda_bench.h"

/* What is kept: the elements below a limit, of a random or of a sorted array. */
struct share {
    const char *name;
    double kept;
    bool sorted; /* the elements that are kept come first */
};

static const share one_percent = {"1%", 0.01, false}, fifty_percent = {"50%", 0.5, false},
                   ninety_percent = {"90%", 0.9, false}, first_half = {"50%-first", 0.5, true};

static uint64_t limit_of(parscan_type type, const share &input)
{
    return (uint64_t)(input.kept * exp2(8.0 * (double)parscan_type_size(type)));
}

/* The memory of the limit is the caller's. The machine is little-endian. */
static parscan_predicate below(const uint64_t *limit)
{
    return PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = limit);
}

static void fill(const group &g, parscan_type type, void *in, const share &input)
{
    fill_keys(g.b, type, in, g.n, input.sorted ? sorted : uniform);
}

template <typename T>
static cudaError_t fill_flags(const group &g, const T *in, T limit, uint8_t *flags)
{
    return launch(g.b, g.n, [=] __device__(size_t i) { flags[i] = in[i] < limit; });
}

static uint8_t *flags_of(const group &g, parscan_type type, const void *in, const share &input)
{
    uint8_t *const flags = g.b.array<uint8_t>("in-flags", g.n);
    MUST((by_type<uint8_t, uint16_t, uint32_t, uint64_t>(type, [&](auto zero) {
        typedef decltype(zero) T;
        return fill_flags(g, (const T *)in, (T)limit_of(type, input), flags);
    })));
    return flags;
}

/* The bytes of the elements that are read, and of those that are kept. */
static double moved(size_t n, size_t size, double kept)
{
    return (double)(n * size) * (1 + kept);
}

/* CUB's predicates and ours would need limits of different kinds: rows of floats of 16 bits have no CUB. Their
   limits are bits: half of them, 0x8000, is -0, below which half of the numbers are. */
static bool has_cub(parscan_type type)
{
    return type != PARSCAN_F16 && type != PARSCAN_BF16;
}

static void compact_if_row(bench &b, parscan_type type, const share &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "compact-if", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = moved(n, size, input.kept);
        const uint64_t limit = limit_of(type, input);
        fill(g, type, in, input);
        g.copy(out, in, (size_t)(bytes / 2));
        if (has_cub(type))
            g.cub(CUB_select_below, bytes, {.type = type, .count = count, .limit = limit});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            const parscan_predicate keep = below(&limit);
            return parscan_compact_if(b.context, type, from, &keep, to, n, count);
        });
    });
}

static void compact_row(bench &b, parscan_type type, const share &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "compact", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = moved(n, size, input.kept) + (double)n;
        fill(g, type, in, input);
        const uint8_t *const flags = flags_of(g, type, in, input);
        g.copy(out, in, n * size);
        g.cub(CUB_select_flagged, bytes, {.type = type, .beside = flags, .count = count});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_compact(b.context, size, from, flags, to, n, count);
        });
    });
}

/* Values by another array, and its flags alone. */
static void compact_by_row(bench &b, const share &input)
{
    each_size(b, "compact-by", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint32_t *const by = b.array<uint32_t>("keys-in", n);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = moved(n, size, input.kept) + 4.0 * (double)n;
        const uint64_t limit = limit_of(PARSCAN_U32, input);
        fill_values(b, PARSCAN_U32, in, n);
        fill(g, PARSCAN_U32, by, input);
        g.copy(out, in, n * size);
        g.cub(CUB_select_by, bytes, {.beside = by, .count = count, .limit = limit});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            const parscan_predicate keep = below(&limit);
            return parscan_compact_by(b.context, size, from, PARSCAN_U32, by, &keep, to, n, count);
        });
    });
}

/* Work on each element: differences, beside CUB's, and flags, of which there is no reference. */
static void element_rows(bench &b)
{
    each_size(b, "difference", "u32", "uniform", [&b](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const in = g.read(n * size), *const out = g.write(n * size);
        fill(g, PARSCAN_U32, in, fifty_percent);
        g.copy(out, in, n * size);
        g.cub(CUB_difference, 2.0 * (double)(n * size), {});
        g.parscan("parscan", 2.0 * (double)(n * size), [=, &b](const void *from, void *to) {
            return parscan_difference(b.context, PARSCAN_U32, from, to, n, NULL);
        });
    });
    each_size(b, "flags-if", "u32", "50%", [&b](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const in = g.read(n * size), *const out = g.write(n);
        const uint64_t limit = limit_of(PARSCAN_U32, fifty_percent);
        fill(g, PARSCAN_U32, in, fifty_percent);
        g.copy(out, in, n);
        g.reference = [&g, out] {
            MUST(cudaMemcpyAsync(out, flags_of(g, PARSCAN_U32, g.in, fifty_percent), g.n,
                                 cudaMemcpyDeviceToDevice, g.b.stream));
        };
        g.parscan("parscan", 5.0 * (double)n, [=, &b](const void *from, void *to) {
            const parscan_predicate keep = below(&limit);
            return parscan_flags_if(b.context, PARSCAN_U32, from, &keep, (uint8_t *)to, n);
        });
    });
}

/* The indices of the flags that are set. */
static void indices_row(bench &b, const share &input)
{
    each_size(b, "compact-indices", "u8", input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * sizeof(uint32_t)), *const out = g.write(n * sizeof(uint32_t));
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = (double)n + 4.0 * (double)n * input.kept;
        fill(g, PARSCAN_U32, in, input);
        const uint8_t *const flags = flags_of(g, PARSCAN_U32, in, input);
        g.copy(out, in, (size_t)(bytes / 2));
        g.cub(CUB_select_indices, bytes, {.beside = flags, .count = count});
        g.parscan("parscan", bytes, [=, &b](const void *, void *to) {
            return parscan_compact_indices(b.context, PARSCAN_U8, flags, NULL, PARSCAN_U32, to, n,
                                           count);
        });
    });
}

template <typename T>
static cudaError_t reverse(const bench &b, T *data, size_t n)
{
    return launch(b, n / 2, [=] __device__(size_t i) {
        const T first = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = first;
    });
}

static void reverse_rest(const group &g, parscan_type type, const uint64_t *count)
{
    const size_t kept = fetched(g.b, count), rest = g.n - kept;
    MUST((by_type<uint8_t, uint16_t, uint32_t, uint64_t>(type, [&](auto zero) {
        typedef decltype(zero) T;
        return reverse(g.b, (T *)g.out + kept, rest);
    })));
}

/* CUB's partition reverses the rest, so its outputs are not compared. */
static void partition_row(bench &b, parscan_type type, const share &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "partition", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = moved(n, size, 1);
        const uint64_t limit = limit_of(type, input);
        fill(g, type, in, input);
        g.copy(out, in, n * size);
        g.cub(CUB_partition, bytes, {.type = type, .count = count, .limit = limit}, false);
        g.reference = [&g, type, count] {
            g.all[1].run(g.in, g.out);
            reverse_rest(g, type, count);
        };
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            const parscan_predicate keep = below(&limit);
            return parscan_partition(b.context, type, from, &keep, to, n, count);
        });
    });
}

template <typename T>
static cudaError_t mix_runs(const group &g, const uint32_t *keys, T *values)
{
    return launch(g.b, g.n, [=] __device__(size_t i) { values[i] = (T)(keys[i] * 2654435761u); });
}

/* Fills the input with the mixed indices of its runs, and returns their number. */
static size_t fill_runs(const group &g, parscan_type type, void *in, const segment_input &input)
{
    const segments s = cut(g.b, g.n, input);
    if (!has_cub(type)) /* by bits; 3% of the runs are of NaNs, which join */
        type = PARSCAN_U16;
    MUST((by_type<uint8_t, uint16_t, uint32_t, uint64_t>(type, [&](auto zero) {
        typedef decltype(zero) T;
        return mix_runs(g, s.keys, (T *)in);
    })));
    return s.count;
}

static void unique_row(bench &b, parscan_type type, const segment_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "unique", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = (double)(size * (n + fill_runs(g, type, in, input)));
        g.copy(out, in, (size_t)(bytes / 2));
        if (has_cub(type))
            g.cub(CUB_unique, bytes, {.type = type, .count = count});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_unique(b.context, type, from, to, n, count);
        });
    });
}

/* Of values that are not first ones nothing is needed. */
static void unique_pairs_row(bench &b, const segment_input &input)
{
    each_size(b, "unique-pairs", "u32-u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint32_t *const values = b.array<uint32_t>("values-in", n);
        uint32_t *const moved_values = g.writes<uint32_t>("values-out", n);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = (double)(size * (n + 3 * fill_runs(g, PARSCAN_U32, in, input)));
        fill_values(b, PARSCAN_U32, values, n);
        g.copy(out, in, std::min(n * size, (size_t)(bytes / 2)));
        g.cub(CUB_unique_pairs, bytes,
              {.beside = values, .beside_out = moved_values, .count = count});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_unique_pairs(b.context, PARSCAN_U32, from, to, size, values,
                                        moved_values, n, count);
        });
    });
}

static void run_lengths_row(bench &b, parscan_type type, const segment_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "run-lengths", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const out = g.write(n * size);
        uint32_t *const lengths = g.writes<uint32_t>("values-out", n);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const size_t runs = fill_runs(g, type, in, input);
        const double bytes = (double)(size * (n + runs)) + 4.0 * (double)runs;
        g.copy(out, in, std::min(n * size, (size_t)(bytes / 2)));
        g.cub(CUB_run_lengths, bytes, {.type = type, .beside_out = lengths, .count = count});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_run_length_encode(b.context, type, from, to, PARSCAN_U32, lengths, n,
                                             count);
        });
    });
}

void compact_rows(bench &b)
{
    static const segment_input runs = {"runs-of-4", 4};
    for (const share &input : {one_percent, fifty_percent, ninety_percent, first_half})
        compact_if_row(b, PARSCAN_U32, input);
    for (const share &input : {one_percent, ninety_percent})
        partition_row(b, PARSCAN_U64, input);
    for (const share &input : {one_percent, fifty_percent, ninety_percent}) {
        compact_row(b, PARSCAN_U32, input);
        compact_by_row(b, input);
        indices_row(b, input);
        partition_row(b, PARSCAN_U32, input);
    }
    for (const segment_input &input :
         {segment_input{"runs-of-1.3", 1.3}, runs, segment_input{"runs-of-100", 100},
          segment_input{"all-orders", MEAN_OF_ALL_ORDERS}}) {
        unique_row(b, PARSCAN_U32, input);
        unique_pairs_row(b, input);
        run_lengths_row(b, PARSCAN_U32, input);
    }
    element_rows(b);
    for (parscan_type type : {PARSCAN_U8, PARSCAN_U16, PARSCAN_U64}) {
        compact_if_row(b, type, fifty_percent);
        compact_row(b, type, fifty_percent);
        partition_row(b, type, fifty_percent);
        unique_row(b, type, runs);
        run_lengths_row(b, type, runs);
    }
    for (parscan_type type : {PARSCAN_F16, PARSCAN_BF16}) {
        compact_if_row(b, type, fifty_percent);
        unique_row(b, type, runs);
    }
}
