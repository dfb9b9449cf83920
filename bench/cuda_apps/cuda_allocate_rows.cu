/* Allocation compared with CUB's exclusive scan, expansion with the copy, packing with CUB's
   batched copy. */
#include <cuda/std/functional>

#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "cuda_rows.h"

/* The sum of 2^30 of these stays below 2^32. */
template <typename S>
struct small_size_filler {
    S *sizes;
    uint64_t seed;

    __device__ void operator()(size_t i) const { sizes[i] = (S)(mix(mix(seed) + i) >> 62); }
};

template <typename O>
struct rounded_up {
    O alignment;

    __host__ __device__ O operator()(O size) const
    {
        return (size + alignment - 1) / alignment * alignment;
    }
};

/* CUB returns no total. */
template <typename S, typename O>
static void allocate_row(bench &b, unsigned alignment)
{
    const std::string input = "align-" + std::to_string(alignment);
    each_size(b, "allocate", name_of<S>() + "-" + name_of<O>(), input, [=, &b](group &g) {
        const size_t n = g.n;
        S *const sizes = b.array<S>("in", n);
        O *const offsets = g.written<O>("out", n);
        uint64_t *const total = b.array<uint64_t>("total", 1);
        const double bytes = (double)(n * (sizeof(S) + sizeof(O)));
        on_device(b, n, small_size_filler<S>{sizes, b.options.seed});
        g.add_copy(offsets, sizes, n * sizeof(S));
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceScan::ExclusiveScan(
                work, room, thrust::make_transform_iterator(sizes, rounded_up<O>{(O)alignment}),
                offsets, cuda::std::plus<>{}, (O)0, (int)n, b.stream);
        });
        g.add("parscan", bytes, [=, &b] {
            parscan_allocate_options options = {};
            options.struct_size = sizeof options;
            options.alignment = alignment;
            return parscan_allocate(b.context, type_of<S>::value, sizes, n, type_of<O>::value,
                                    offsets, total, &options);
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

struct item_filler {
    uint32_t *sizes;
    size_t n, slots;
    item_shape shape;
    uint64_t seed;

    __device__ void operator()(size_t i) const
    {
        const uint64_t random = mix(mix(seed) + i);
        if (shape == ONES)
            sizes[i] = 1;
        else if (shape == SMALL)
            sizes[i] = (uint32_t)(random % 9);
        else if (shape == ZIPF)
            sizes[i] = (uint32_t)(65536 / (1 + random % 65536));
        else
            sizes[i] = i == n / 3 ? (uint32_t)slots : 0;
    }
};

/* Finds the owner of each slot by a search in the offsets. */
struct slot_filler {
    const uint64_t *offsets;
    size_t n;
    uint32_t *owner, *rank;

    __device__ void operator()(size_t slot) const
    {
        size_t begin = 0, end = n; /* the last item that begins at the slot or before it */
        while (end - begin > 1) {
            const size_t middle = (begin + end) / 2;
            if (offsets[middle] <= slot)
                begin = middle;
            else
                end = middle;
        }
        owner[slot] = (uint32_t)begin;
        rank[slot] = (uint32_t)(slot - offsets[begin]);
    }
};

/* Computes the offsets of the sizes, and their sum. */
template <typename O>
static uint64_t offsets_of(bench &b, const uint32_t *sizes, size_t n, O *offsets)
{
    parscan_scan_options widening = {};
    widening.struct_size = sizeof widening;
    widening.out_type = type_of<O>::value;
    must(b, parscan_exclusive_scan(b.context, PARSCAN_U32, sizes, offsets, n, &widening));
    return fetched(b, offsets + n - 1) + fetched(b, sizes + n - 1);
}

static void expand_row(bench &b, const item_input &input)
{
    each_size(b, "expand", "u32", input.name, [&b, &input](group &g) {
        const size_t n = std::max(g.n / input.slots, (size_t)1);
        uint32_t *const sizes = b.array<uint32_t>("in", n);
        uint64_t *const offsets = b.array<uint64_t>("item-offsets", n);
        on_device(b, n, item_filler{sizes, n, g.n, input.shape, b.options.seed});
        const uint64_t slots = offsets_of(b, sizes, n, offsets);
        uint32_t *const owner = g.written<uint32_t>("owner", slots);
        uint32_t *const rank = g.written<uint32_t>("rank", slots);
        uint64_t *const total = b.array<uint64_t>("total", 1);
        const double bytes = 8.0 * (double)(n + slots);
        g.reference = [=, &b] { on_device(b, slots, slot_filler{offsets, n, owner, rank}); };
        g.add_copy(owner, rank, slots * sizeof *owner);
        g.add("parscan", bytes, [=, &b] {
            return parscan_expand(b.context, PARSCAN_U32, sizes, n, PARSCAN_U32, owner, rank, slots,
                                  total);
        });
    });
}

/* Records of one size, or, for 0, of 0 to 199 bytes with every 64th record up to 50000. */
struct record_filler {
    uint32_t *sizes;
    uint32_t size;
    uint64_t seed;

    __device__ void operator()(size_t i) const
    {
        const uint64_t random = mix(mix(seed) + i);
        sizes[i] = size != 0 ? size : (uint32_t)(random % (i % 64 == 0 ? 50000 : 200));
    }
};

struct pointer_filler {
    const uint32_t *offsets;
    char *in, *out;
    void **from, **to;

    __device__ void operator()(size_t i) const
    {
        from[i] = in + offsets[i];
        to[i] = out + offsets[i];
    }
};

/* Records that lie close together, about 4 * 2^log2n bytes in all. CUB takes pointers. */
static void pack_row(bench &b, const char *input, uint32_t size)
{
    enum { MEAN_OF_MIXED = 488, ROOM = 1 << 20 };
    each_size(b, "pack", "u32", input, [=, &b](group &g) {
        const size_t wanted = 4 * g.n, mean = size != 0 ? size : MEAN_OF_MIXED;
        const size_t n = std::max(wanted / mean, (size_t)1);
        uint32_t *const sizes = b.array<uint32_t>("sizes", n);
        uint32_t *const offsets = b.array<uint32_t>("offsets", n);
        on_device(b, n, record_filler{sizes, size, b.options.seed});
        const size_t total = offsets_of(b, sizes, n, offsets);
        char *const in = b.array<char>("in", total), *const out = g.written<char>("out", total);
        void **const from = b.array<void *>("from", n), **const to = b.array<void *>("to", n);
        const double bytes = 2.0 * (double)total + 12.0 * (double)n;
        fill_random<<<2048, 256, 0, b.stream>>>((uint8_t *)in, total, 1, b.options.seed);
        on_device(b, n, pointer_filler{offsets, in, out, from, to});
        g.add_copy(out, in, total);
        g.add_cub("cub", bytes, [=, &b](void *work, size_t &room) {
            return cub::DeviceMemcpy::Batched(work, room, from, to, sizes, (uint32_t)n, b.stream);
        });
        g.reference = g.all[0].run;
        g.add("parscan", bytes, [=, &b] {
            return parscan_pack(b.context, in, PARSCAN_U32, offsets, PARSCAN_U32, sizes, out,
                                offsets, n);
        });
    });
}

void allocate_rows(bench &b)
{
    allocate_row<uint32_t, uint64_t>(b, 1);
    allocate_row<uint32_t, uint64_t>(b, 16);
    allocate_row<uint32_t, uint32_t>(b, 1);
    allocate_row<uint8_t, uint64_t>(b, 1);
    for (const item_input &input :
         {item_input{"ones", ONES, 1}, item_input{"small", SMALL, 4}, item_input{"zipf", ZIPF, 12},
          item_input{"one-huge", ONE_HUGE, 1}})
        expand_row(b, input);
    pack_row(b, "4-bytes", 4);
    pack_row(b, "16-bytes", 16);
    pack_row(b, "64-bytes", 64);
    pack_row(b, "1-KiB", 1 << 10);
    pack_row(b, "1-MiB", 1 << 20);
    pack_row(b, "mixed", 0);
}
