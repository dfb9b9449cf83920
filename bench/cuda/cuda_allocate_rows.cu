/* Allocation compared with CUB's exclusive scan, expansion with the copy, packing with CUB's
   batched copy. */
#include "cuda_bench.h"

/* Sizes below 4, whose sum stays below 2^32. CUB returns no total. */
template <typename S>
static void allocate_row(bench &b, parscan_type offset_type, unsigned alignment)
{
    const parscan_type type = type_of<S>::value;
    const size_t offset_size = parscan_type_size(offset_type);
    const std::string input = "align-" + std::to_string(alignment);
    const std::string types =
        std::string(parscan_type_name(type)) + "-" + parscan_type_name(offset_type);
    each_size(b, "allocate", types, input, [=, &b](group &g) {
        const size_t n = g.n;
        S *const sizes = (S *)g.read(n * sizeof(S));
        void *const offsets = g.write(n * offset_size);
        uint64_t *const total = b.array<uint64_t>("total", 1);
        const double bytes = (double)(n * (sizeof(S) + offset_size));
        const uint64_t seed = b.options.seed;
        on_device(b, n, [=] __device__(size_t i) { sizes[i] = (S)(mix(mix(seed) + i) >> 62); });
        g.copy(offsets, sizes, n * sizeof(S));
        g.cub(CUB_allocate, bytes,
              {.type = type, .other_type = offset_type, .alignment = alignment});
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            const parscan_allocate_options options =
                PARSCAN_ALLOCATE_OPTIONS(.alignment = alignment);
            return parscan_allocate(b.context, type, from, n, offset_type, to, total, &options);
        });
    });
}

/* The sizes of the items whose slots an expansion fills. */
enum item_shape { ONES, SMALL, ZIPF, ONE_HUGE };
struct item_input {
    const char *name;
    item_shape shape;
    size_t slots; /* the mean number of slots of an item */
};

static void fill_items(const bench &b, uint32_t *sizes, size_t n, size_t slots, item_shape shape)
{
    const uint64_t seed = b.options.seed;
    on_device(b, n, [=] __device__(size_t i) {
        const uint64_t random = mix(mix(seed) + i);
        sizes[i] = shape == ONES    ? 1
                   : shape == SMALL ? (uint32_t)(random % 9)
                   : shape == ZIPF  ? (uint32_t)(65536 / (1 + random % 65536))
                   : i == n / 3     ? (uint32_t)slots
                                    : 0;
    });
}

/* Finds the owner of each slot by a search in the offsets: the last item that starts there or before. */
static void fill_slots(const bench &b, const uint64_t *offsets, size_t n, size_t slots,
                       uint32_t *owner, uint32_t *rank)
{
    on_device(b, slots, [=] __device__(size_t slot) {
        const size_t item = bound_of(offsets, n, (uint64_t)slot, true) - 1;
        owner[slot] = (uint32_t)item;
        rank[slot] = (uint32_t)(slot - offsets[item]);
    });
}

/* Computes the offsets of the sizes, and their sum. */
template <typename O>
static uint64_t offsets_of(bench &b, const uint32_t *sizes, size_t n, O *offsets)
{
    const parscan_scan_options widening = PARSCAN_SCAN_OPTIONS(.out_type = type_of<O>::value);
    must(b, parscan_exclusive_scan(b.context, PARSCAN_U32, sizes, offsets, n, &widening));
    return (uint64_t)fetched(b, offsets + n - 1) + fetched(b, sizes + n - 1);
}

static void expand_row(bench &b, const item_input &input)
{
    each_size(b, "expand", "u32", input.name, [&b, &input](group &g) {
        const size_t n = std::max(g.n / input.slots, (size_t)1);
        uint32_t *const sizes = (uint32_t *)g.read(n * sizeof *sizes);
        uint64_t *const offsets = b.array<uint64_t>("item-offsets", n);
        fill_items(b, sizes, n, g.n, input.shape);
        const uint64_t slots = offsets_of(b, sizes, n, offsets);
        uint32_t *const owner = (uint32_t *)g.write(slots * sizeof *owner);
        uint32_t *const rank = g.writes<uint32_t>("rank", slots);
        uint64_t *const total = b.array<uint64_t>("total", 1);
        const double bytes = 8.0 * (double)(n + slots);
        g.reference = [=, &b] { fill_slots(b, offsets, n, slots, owner, rank); };
        g.copy(owner, rank, slots * sizeof *owner);
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            return parscan_expand(b.context, PARSCAN_U32, from, n, PARSCAN_U32, to, rank, slots,
                                  total);
        });
    });
}

/* The values are the items, so that a slot receives its owner. */
static void decode_row(bench &b, const item_input &input)
{
    each_size(b, "run-lengths-decode", "u32", input.name, [&b, &input](group &g) {
        const size_t n = std::max(g.n / input.slots, (size_t)1);
        uint32_t *const sizes = (uint32_t *)g.read(n * sizeof *sizes);
        uint32_t *const values = b.array<uint32_t>("values-in", n);
        uint64_t *const offsets = b.array<uint64_t>("item-offsets", n);
        fill_items(b, sizes, n, g.n, input.shape);
        MUST(write_indices(b, values, n));
        const uint64_t slots = offsets_of(b, sizes, n, offsets);
        uint32_t *const out = (uint32_t *)g.write(slots * sizeof *out);
        uint32_t *const rank = b.array<uint32_t>("rank", slots);
        uint64_t *const total = b.array<uint64_t>("total", 1);
        g.reference = [=, &b] { fill_slots(b, offsets, n, slots, out, rank); };
        g.copy(out, rank, slots * sizeof *out);
        g.parscan("parscan", 4.0 * (double)(3 * n + slots), [=, &b](const void *from, void *to) {
            return parscan_run_length_decode(b.context, 4, values, PARSCAN_U32, from, n, to, slots,
                                             total);
        });
    });
}

/* Records of one size, or, for 0, of 0 to 199 bytes with every 64th record up to 50000. They lie close together, about
   4 * 2^log2n bytes in all: 2^30 would be too many for offsets in u32. CUB takes pointers. */
static void pack_row(bench &b, const char *input, uint32_t size)
{
    enum { MEAN_OF_MIXED = 488 };
    const auto make = [=, &b](group &g) {
        const size_t wanted = 4 * g.n, mean = size != 0 ? size : MEAN_OF_MIXED;
        const size_t n = std::max(wanted / mean, (size_t)1);
        uint32_t *const sizes = b.array<uint32_t>("sizes", n);
        uint32_t *const offsets = b.array<uint32_t>("offsets", n);
        const uint64_t seed = b.options.seed;
        on_device(b, n, [=] __device__(size_t i) {
            const uint64_t random = mix(mix(seed) + i);
            sizes[i] = size != 0 ? size : (uint32_t)(random % (i % 64 == 0 ? 50000 : 200));
        });
        const size_t total = offsets_of(b, sizes, n, offsets);
        char *const in = (char *)g.read(total), *const out = (char *)g.write(total);
        void **const from = b.array<void *>("from", n), **const to = b.array<void *>("to", n);
        const double bytes = 2.0 * (double)total + 12.0 * (double)n;
        fill_keys(b, PARSCAN_U8, in, total, uniform);
        on_device(b, n, [=] __device__(size_t i) {
            from[i] = in + offsets[i];
            to[i] = out + offsets[i];
        });
        g.copy(out, in, total);
        g.cub(CUB_copy_batch, bytes, {.in = sizes, .beside = from, .beside_out = to, .n = n});
        g.reference = [=, &b] {
            MUST(cudaMemcpyAsync(out, in, total, cudaMemcpyDeviceToDevice, b.stream));
        };
        g.parscan("parscan", bytes, [=, &b](const void *records, void *packed) {
            return parscan_pack(b.context, records, PARSCAN_U32, offsets, PARSCAN_U32, sizes,
                                packed, offsets, n);
        });
    };
    each_size(b, "pack", "u32", input, make, 29);
}

void allocate_rows(bench &b)
{
    allocate_row<uint32_t>(b, PARSCAN_U64, 1);
    allocate_row<uint32_t>(b, PARSCAN_U64, 16);
    allocate_row<uint32_t>(b, PARSCAN_U32, 1);
    allocate_row<uint8_t>(b, PARSCAN_U64, 1);
    for (const item_input &input :
         {item_input{"ones", ONES, 1}, item_input{"small", SMALL, 4}, item_input{"zipf", ZIPF, 12},
          item_input{"one-huge", ONE_HUGE, 1}})
        expand_row(b, input);
    decode_row(b, item_input{"small", SMALL, 4});
    for (const auto &[input, size] : {std::pair<const char *, uint32_t>{"4-bytes", 4},
                                      {"16-bytes", 16},
                                      {"64-bytes", 64},
                                      {"1-KiB", 1 << 10},
                                      {"1-MiB", 1 << 20},
                                      {"mixed", 0}})
        pack_row(b, input, size);
}
