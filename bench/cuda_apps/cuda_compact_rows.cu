/* Compaction compared with CUB's select, partition and run lengths. */
#include <cmath>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>

#include "cuda_rows.h"

/* What is kept: the elements below a limit, of a random or of a sorted array. */
struct share {
    const char *name;
    double kept;
    bool sorted; /* the elements that are kept come first */
};

static const share one_percent = {"1%", 0.01, false}, fifty_percent = {"50%", 0.5, false},
                   ninety_percent = {"90%", 0.9, false}, first_half = {"50%-first", 0.5, true};

template <typename T>
struct below {
    T limit;
    bool wanted;

    __host__ __device__ bool operator()(T x) const { return (x < limit) == wanted; }
};

template <typename T>
static below<T> below_share(const share &input)
{
    const double values = (double)((uint64_t)1 << 63) * 2 / exp2(64 - 8.0 * sizeof(T));
    return {(T)(input.kept * values), true};
}

template <typename T>
static void fill(const bench &b, T *in, size_t n, const share &input)
{
    fill_keys(b, in, n, input.sorted ? sorted : uniform);
}

template <typename T>
struct flag_filler {
    const T *in;
    uint8_t *flags;
    below<T> keep;

    __device__ void operator()(size_t i) const { flags[i] = keep(in[i]); }
};

template <typename T>
static parscan_predicate predicate_of(const below<T> &keep)
{
    parscan_predicate predicate = {};
    predicate.struct_size = sizeof predicate;
    predicate.comparison = PARSCAN_LESS;
    predicate.value = &keep.limit;
    return predicate;
}

/* The bytes of the elements that are read, and of those that are kept. */
static double moved(size_t n, size_t size, double kept)
{
    return (double)(n * size) * (1 + kept);
}

template <typename T>
static void compact_if_row(bench &b, const share &input)
{
    each_size(b, "compact-if", name_of<T>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        T *const in = b.array<T>("in", n), *const out = g.written<T>("out", n);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        const below<T> keep = below_share<T>(input);
        const double bytes = moved(n, sizeof(T), input.kept);
        fill(b, in, n, input);
        g.add_copy(out, in, (size_t)(bytes / 2));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceSelect::If(work, room, in, out, count, (int)n, keep, b.stream);
        });
        if constexpr (std::is_same_v<T, uint32_t>)
            g.add_thrust(
                bytes,
                [=, &b](auto policy) { /* waits for its result, which is the end of the output */
                                       const uint64_t kept =
                                           thrust::copy_if(policy, in, in + n, out, keep) - out;
                                       MUST(cudaMemcpyAsync(count, &kept, sizeof kept,
                                                            cudaMemcpyHostToDevice, b.stream));
                });
        g.add("parscan", bytes, [=, &b] {
            const parscan_predicate predicate = predicate_of(keep);
            return parscan_compact_if(b.context, type_of<T>::value, in, &predicate, out, n, count);
        });
    });
}

template <typename T>
static uint8_t *flags_of(bench &b, const T *in, size_t n, const share &input)
{
    uint8_t *const flags = b.array<uint8_t>("in-flags", n);
    on_device(b, n, flag_filler<T>{in, flags, below_share<T>(input)});
    return flags;
}

template <typename T>
static void compact_row(bench &b, const share &input)
{
    each_size(b, "compact", name_of<T>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        T *const in = b.array<T>("in", n), *const out = g.written<T>("out", n);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        const double bytes = moved(n, sizeof *in, input.kept) + (double)n;
        fill(b, in, n, input);
        const uint8_t *const flags = flags_of(b, in, n, input);
        g.add_copy(out, in, n * sizeof *in);
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceSelect::Flagged(work, room, in, flags, out, count, (int)n, b.stream);
        });
        g.add("parscan", bytes,
              [=, &b] { return parscan_compact(b.context, sizeof *in, in, flags, out, n, count); });
    });
}

/* The indices of the flags that are set. */
static void indices_row(bench &b, const share &input)
{
    each_size(b, "compact-indices", "u8", input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        uint32_t *const in = b.array<uint32_t>("in", n), *const out = g.written<uint32_t>("out", n);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        const double bytes = (double)n + 4.0 * (double)n * input.kept;
        fill(b, in, n, input);
        const uint8_t *const flags = flags_of(b, in, n, input);
        g.add_copy(out, in, (size_t)(bytes / 2));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceSelect::Flagged(work, room, thrust::counting_iterator<uint32_t>(0),
                                              flags, out, count, (int)n, b.stream);
        });
        g.add("parscan", bytes, [=, &b] {
            return parscan_compact_indices(b.context, PARSCAN_U8, flags, NULL, PARSCAN_U32, out, n,
                                           count);
        });
    });
}

/* CUB's partition reverses the rest, so its outputs are not compared. */
template <typename T>
static void partition_row(bench &b, const share &input)
{
    each_size(b, "partition", name_of<T>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        T *const in = b.array<T>("in", n), *const out = g.written<T>("out", n);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        const below<T> keep = below_share<T>(input);
        const double bytes = moved(n, sizeof *in, 1);
        fill(b, in, n, input);
        g.add_copy(out, in, n * sizeof *in);
        g.add_cub(
            "cub", bytes,
            [=, &b](void *work, size_t &room) {
                return cub::DevicePartition::If(work, room, in, out, count, (int)n, keep, b.stream);
            },
            false);
        g.reference = [=, &b] {
            const auto select = [&](T *to, uint64_t *how_many, bool wanted) {
                size_t room = 0;
                const below<T> side = {keep.limit, wanted};
                MUST(cub::DeviceSelect::If(NULL, room, in, to, how_many, (int)n, side, b.stream));
                void *const work = b.array<char>("select-work", room);
                MUST(cub::DeviceSelect::If(work, room, in, to, how_many, (int)n, side, b.stream));
            };
            select(out, count, true);
            select(out + fetched(b, count), b.array<uint64_t>("rest-count", 1), false);
        };
        g.add("parscan", bytes, [=, &b] {
            const parscan_predicate predicate = predicate_of(keep);
            return parscan_partition(b.context, type_of<T>::value, in, &predicate, out, n, count);
        });
    });
}

template <typename T>
static void unique_row(bench &b, const segment_input &input)
{
    each_size(b, "unique", name_of<T>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        size_t runs;
        T *const in = b.array<T>("in", n), *const out = g.written<T>("out", n);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        fill_runs(b, in, n, input, &runs);
        const double bytes = (double)sizeof(T) * (double)(n + runs);
        g.add_copy(out, in, (size_t)(bytes / 2));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceSelect::Unique(work, room, in, out, count, (int)n, b.stream);
        });
        g.add("parscan", bytes,
              [=, &b] { return parscan_unique(b.context, type_of<T>::value, in, out, n, count); });
    });
}

template <typename T>
static void run_lengths_row(bench &b, const segment_input &input)
{
    each_size(b, "run-lengths", name_of<T>(), input.name, [&b, &input](group &g) {
        const size_t n = g.n;
        size_t runs;
        T *const in = b.array<T>("in", n), *const out = g.written<T>("out", n);
        uint32_t *const lengths = g.written<uint32_t>("values-out", n);
        uint64_t *const count = g.written<uint64_t>("count", 1);
        fill_runs(b, in, n, input, &runs);
        const double bytes = (double)sizeof(T) * (double)(n + runs) + 4.0 * (double)runs;
        g.add_copy(out, in, std::min(n * sizeof *in, (size_t)(bytes / 2)));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceRunLengthEncode::Encode(work, room, in, out, lengths, count, (int)n,
                                                      b.stream);
        });
        g.add("parscan", bytes, [=, &b] {
            return parscan_run_length_encode(b.context, type_of<T>::value, in, out, PARSCAN_U32,
                                             lengths, n, count);
        });
    });
}

/* The element widths that the rows above leave out, with one input. */
template <typename T>
static void rows_of_width(bench &b)
{
    const segment_input runs = {"runs-of-4", 4};
    compact_if_row<T>(b, fifty_percent);
    compact_row<T>(b, fifty_percent);
    partition_row<T>(b, fifty_percent);
    unique_row<T>(b, runs);
    run_lengths_row<T>(b, runs);
}

void compact_rows(bench &b)
{
    for (const share &input : {one_percent, fifty_percent, ninety_percent, first_half})
        compact_if_row<uint32_t>(b, input);
    for (const share &input : {one_percent, ninety_percent})
        partition_row<uint64_t>(b, input);
    for (const share &input : {one_percent, fifty_percent, ninety_percent}) {
        compact_row<uint32_t>(b, input);
        indices_row(b, input);
        partition_row<uint32_t>(b, input);
    }
    for (const segment_input &input :
         {segment_input{"runs-of-1.3", 1.3}, segment_input{"runs-of-4", 4},
          segment_input{"runs-of-100", 100}, segment_input{"all-orders", MEAN_OF_ALL_ORDERS}}) {
        unique_row<uint32_t>(b, input);
        run_lengths_row<uint32_t>(b, input);
    }
    rows_of_width<uint8_t>(b);
    rows_of_width<uint16_t>(b);
    rows_of_width<uint64_t>(b);
}
