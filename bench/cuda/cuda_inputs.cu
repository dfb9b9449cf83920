/* Inputs that are made on the device. */
#include <new>
#include <type_traits>

#include "cuda_bench.h"

namespace
{
template <typename T>
constexpr bool is_half = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/* Any number but -0, which CUB takes for 0. */
template <typename T>
static __device__ T half_of(uint16_t bits)
{
    const uint16_t sign = 0x8000, infinity = std::is_same_v<T, __half> ? 0x7c00 : 0x7f80;
    T half;
    if ((bits & ~sign) > infinity)
        bits &= sign | infinity;
    if (bits == sign)
        bits = 0;
    memcpy(&half, &bits, sizeof half);
    return half;
}

template <typename T>
struct key_filler {
    T *keys;
    size_t n;
    int words;
    uint64_t mask, seed;

    __device__ void operator()(size_t i) const
    {
        const unsigned unused = 64 - 8 * sizeof(T);
        uint64_t key = mask / 3;
        const bool appended = words == APPENDED && i >= n - n / 100;
        if (words > 0 || appended) {
            key = ~(uint64_t)0;
            for (int k = 0; k < (appended ? 1 : words); k++)
                key &= mix(mix(seed + (unsigned)k) + i);
            key >>= unused;
        } else if (words == SORTED || words == APPENDED) {
            key = (uint64_t)((double)i / (double)n * ((double)mask + 1));
        }
        key &= mask;
        if constexpr (is_half<T>)
            keys[i] = half_of<T>((uint16_t)key);
        else if constexpr (std::is_floating_point_v<T>)
            keys[i] = sizeof(T) == 4 ? (T)(int32_t)key : (T)(int64_t)key;
        else
            keys[i] = (T)key;
    }
};

template <typename T>
cudaError_t fill_small(const bench &b, T *values, size_t n)
{
    return launch(b, n, [=] __device__(size_t i) {
        const int size = (int)(mix(i / 2) >> 60);
        values[i] = (T)(i % 2 == 0 ? size : -size);
    });
}

} // namespace

void must(const bench &b, parscan_status status)
{
    if (status == PARSCAN_OK)
        return;
    if (status == PARSCAN_ERROR_OUT_OF_MEMORY)
        throw std::bad_alloc();
    fprintf(stderr, "bench_cuda: inputs: %s\n", parscan_context_error(b.context));
    exit(EXIT_FAILURE);
}

template <typename... More, typename Function>
static void of_any_type(parscan_type type, Function f)
{
    MUST((by_type<uint8_t, uint16_t, uint32_t, uint64_t, float, double, More...>(type, f)));
}

void fill_keys(const bench &b, parscan_type type, void *keys, size_t n, const key_input &input,
               uint64_t mask, uint64_t seed)
{
    of_any_type<int16_t, __half, __nv_bfloat16>(type, [&](auto zero) {
        typedef decltype(zero) T;
        const uint64_t all = ~(uint64_t)0 >> (64 - 8 * sizeof(T));
        return launch(b, n,
                      key_filler<T>{(T *)keys, n, input.words, mask & all, b.options.seed + seed});
    });
}

void fill_values(const bench &b, parscan_type type, void *values, size_t n)
{
    of_any_type<__half, __nv_bfloat16>(
        type, [&](auto zero) { return fill_small(b, (decltype(zero) *)values, n); });
}

cudaError_t write_indices(const bench &b, uint32_t *to, size_t n)
{
    return launch(b, n, [=] __device__(size_t i) { to[i] = (uint32_t)i; });
}

/* Each element is a head with probability 1 / mean. For MEAN_OF_ALL_ORDERS, each group of 2^16 neighbours has
   its own mean, a power of two up to 2^16. */
segments cut(bench &b, size_t n, const segment_input &input)
{
    segments s = {0, b.array<uint8_t>("flags", n), b.array<uint32_t>("offsets", n + 1),
                  b.array<uint32_t>("segment-keys", n)};
    const parscan_scan_options widening = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U32);
    const double mean = input.mean;
    const uint64_t seed = b.options.seed;
    on_device(b, n, [=] __device__(size_t i) {
        const double here =
            mean == MEAN_OF_ALL_ORDERS ? (double)(1 << mix(seed + (i >> 16)) % 17) : mean;
        s.flags[i] = i == 0 || (double)mix(mix(seed) + i) * 0x1p-64 * here < 1;
    });
    must(b, parscan_inclusive_scan(b.context, PARSCAN_U8, s.flags, s.keys, n, &widening));
    on_device(b, n, [=] __device__(size_t i) {
        if (s.flags[i])
            s.offsets[s.keys[i] - 1] = (uint32_t)i;
        if (i == n - 1)
            s.offsets[s.keys[i]] = (uint32_t)n;
    });
    s.count = fetched(b, s.keys + n - 1);
    return s;
}

parscan_segments segments_by(parscan_segment_kind kind, const segments &s)
{
    const bool offsets = kind == PARSCAN_SEGMENTS_OFFSETS, flags = kind == PARSCAN_SEGMENTS_FLAGS;
    return PARSCAN_SEGMENTS(.kind = kind, .type = flags ? PARSCAN_U8 : PARSCAN_U32,
                            .data = flags     ? (const void *)s.flags
                                    : offsets ? s.offsets
                                              : s.keys,
                            .count = offsets ? s.count : 0);
}
