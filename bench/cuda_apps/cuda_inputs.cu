/* Inputs that are divided into segments or runs. */
#include "cuda_rows.h"

namespace
{
/* Segment heads: each element is one with probability 1 / mean. For MEAN_OF_ALL_ORDERS, each
   group of 2^16 neighbours has its own mean, a power of two up to 2^16. */
struct head_filler {
    uint8_t *flags;
    double mean;
    uint64_t seed;

    __device__ void operator()(size_t i) const
    {
        const double here =
            mean == MEAN_OF_ALL_ORDERS ? (double)(1 << mix(seed + (i >> 16)) % 17) : mean;
        flags[i] = i == 0 || (double)mix(mix(seed) + i) * 0x1p-64 * here < 1;
    }
};

struct offset_filler {
    const uint8_t *flags;
    const uint32_t *keys;
    uint32_t *offsets;
    size_t n;

    __device__ void operator()(size_t i) const
    {
        if (flags[i])
            offsets[keys[i] - 1] = (uint32_t)i;
        if (i == n - 1)
            offsets[keys[i]] = (uint32_t)n;
    }
};

template <typename T>
struct run_filler {
    const uint32_t *keys;
    T *values;

    __device__ void operator()(size_t i) const { values[i] = (T)(keys[i] * 2654435761u); }
};
} // namespace

void must(const bench &b, parscan_status status)
{
    if (status == PARSCAN_OK)
        return;
    fprintf(stderr, "bench_cuda_apps: inputs: %s\n", parscan_context_error(b.context));
    exit(EXIT_FAILURE);
}

segments cut(bench &b, size_t n, const segment_input &input)
{
    segments s = {0, b.array<uint8_t>("flags", n), b.array<uint32_t>("offsets", n + 1),
                  b.array<uint32_t>("segment-keys", n)};
    on_device(b, n, head_filler{s.flags, input.mean, b.options.seed});
    parscan_scan_options widening = {};
    widening.struct_size = sizeof widening;
    widening.out_type = PARSCAN_U32;
    must(b, parscan_inclusive_scan(b.context, PARSCAN_U8, s.flags, s.keys, n, &widening));
    on_device(b, n, offset_filler{s.flags, s.keys, s.offsets, n});
    s.count = fetched(b, s.keys + n - 1);
    return s;
}

template <typename T>
void fill_runs(bench &b, T *values, size_t n, const segment_input &input, size_t *count)
{
    const segments s = cut(b, n, input);
    on_device(b, n, run_filler<T>{s.keys, values});
    *count = s.count;
}
template void fill_runs(bench &, uint8_t *, size_t, const segment_input &, size_t *);
template void fill_runs(bench &, uint16_t *, size_t, const segment_input &, size_t *);
template void fill_runs(bench &, uint32_t *, size_t, const segment_input &, size_t *);
template void fill_runs(bench &, uint64_t *, size_t, const segment_input &, size_t *);

static parscan_segments segments_of(parscan_segment_kind kind, const void *data, size_t count)
{
    parscan_segments s = {};
    s.struct_size = sizeof s;
    s.kind = kind;
    s.type = kind == PARSCAN_SEGMENTS_FLAGS ? PARSCAN_U8 : PARSCAN_U32;
    s.data = data;
    s.count = count;
    return s;
}

parscan_segments by_flags(const segments &s)
{
    return segments_of(PARSCAN_SEGMENTS_FLAGS, s.flags, 0);
}

parscan_segments by_offsets(const segments &s)
{
    return segments_of(PARSCAN_SEGMENTS_OFFSETS, s.offsets, s.count);
}

parscan_segments by_keys(const segments &s)
{
    return segments_of(PARSCAN_SEGMENTS_KEYS, s.keys, 0);
}
