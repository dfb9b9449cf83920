/*
 * The bin of an element on CUDA, of each kind of element and of map (bin_map.h).
 */
#ifndef PARSCAN_APPS_HISTOGRAM_BINS_CUH
#define PARSCAN_APPS_HISTOGRAM_BINS_CUH

#include "apps/histogram/float_bins.h"
#include "apps/histogram/histogram_tables.cuh"

#define NO_BIN 0xffffffffu

/* The types that elements are read as, and in which the distance from the lower bound is
   computed. */
struct elements_16 {
    typedef uint16_t Raw;
    typedef uint32_t Word;
};
struct elements_32 {
    typedef uint32_t Raw;
    typedef uint32_t Word;
};
struct elements_64 {
    typedef uint64_t Raw;
    typedef uint64_t Word;
};
struct elements_f32 {
    typedef float Raw;
};
struct elements_f64 {
    typedef double Raw;
};
struct elements_halves { /* floats of 16 bits */
    typedef uint16_t Raw;
};

/* Rounds down. `bin` is scale * d with d < width, and the product may be rounded up. */
static __device__ __forceinline__ uint32_t whole(double bin)
{
    return (uint32_t)(int32_t)bin;
}

/* The exact bin: the product is off by at most one, which its remainder in 96 bits corrects. */
static __device__ __forceinline__ uint32_t exact_bin(const bin_map &map, uint64_t d)
{
    uint32_t bin = whole((double)d * map.scale);
    const uint64_t low = d * map.bins, high = __umul64hi(d, map.bins);
    const uint64_t below = bin * map.width, below_high = __umul64hi(bin, map.width);
    if (high < below_high || (high == below_high && low < below))
        return bin - 1;
    const uint64_t rest = low - below;
    const bool far = high - below_high - (low < below) != 0;
    return far || rest >= map.width ? bin + 1 : bin;
}

/* Finds the bins of COUNT elements, NO_BIN for those outside, by the formulas of
   bin_map_kernels.c. */
template <typename E, unsigned COUNT>
static __device__ __forceinline__ void
bins_of(const count_params &params, const typename E::Raw (&raw)[COUNT], uint32_t (&bins)[COUNT])
{
    typedef typename E::Word Word;
    const bin_map &map = params.map;
    const Word sign = sizeof(raw[0]) == 2 && params.is_signed ? 0x8000u : 0;
    const Word lower = (Word)map.lower + sign, last = (Word)(map.width - 1);
    Word d[COUNT];
#pragma unroll
    for (unsigned e = 0; e < COUNT; e++)
        d[e] = ((Word)raw[e] ^ sign) - lower;
    if (map.kind == BIN_MAP_SHIFT) {
#pragma unroll
        for (unsigned e = 0; e < COUNT; e++)
            bins[e] = (uint32_t)(d[e] >> map.shift);
    } else if (map.kind == BIN_MAP_SCALE) {
#pragma unroll
        for (unsigned e = 0; e < COUNT; e++)
            bins[e] = whole((double)(d[e] <= last ? d[e] : 0) * map.scale);
    } else {
#pragma unroll
        for (unsigned e = 0; e < COUNT; e++)
            bins[e] = exact_bin(map, d[e] <= last ? d[e] : 0);
    }
#pragma unroll
    for (unsigned e = 0; e < COUNT; e++)
        bins[e] = d[e] <= last ? bins[e] : NO_BIN;
}

/* The bins of floats. An element's place, in bins from the lower bound, is x * scale + start, with
   24 bits after the point, rounded down: start adds 2^28. Its whole part is the bin, unless it is so near to a
   whole number that its errors count. Then the edges tell (float_bins.h), which most threads never
   ask: on cards with few units for doubles each operation of theirs counts. */
template <typename Float, unsigned COUNT>
static __device__ __forceinline__ void
bins_of_floats(const count_params &params, const Float (&raw)[COUNT], uint32_t (&bins)[COUNT])
{
    const bin_map &map = params.map;
    const Float lower = (Float)map.float_lower, upper = (Float)map.float_upper;
    bool doubtful = false;
#pragma unroll
    for (unsigned e = 0; e < COUNT; e++) {
        const bool inside = raw[e] >= lower && raw[e] < upper;
        const uint64_t place =
            (uint64_t)__double_as_longlong(__fma_rd((double)raw[e], map.scale, map.start));
        const uint32_t fraction = (uint32_t)place << 8;
        bins[e] = inside ? (uint32_t)(place >> 24) & 0xfffffffu : NO_BIN;
        doubtful |= inside && fraction + map.doubt <= map.doubt_span;
    }
    if (!doubtful)
        return;
#pragma unroll
    for (unsigned e = 0; e < COUNT; e++)
        if (bins[e] != NO_BIN)
            bins[e] = float_bin(&map, (double)raw[e]);
}
template <>
__device__ __forceinline__ void bins_of<elements_f32, 4>(const count_params &params,
                                                         const float (&raw)[4], uint32_t (&bins)[4])
{
    bins_of_floats(params, raw, bins);
}
template <>
__device__ __forceinline__ void bins_of<elements_f32, 1>(const count_params &params,
                                                         const float (&raw)[1], uint32_t (&bins)[1])
{
    bins_of_floats(params, raw, bins);
}
template <>
__device__ __forceinline__ void
bins_of<elements_f64, 2>(const count_params &params, const double (&raw)[2], uint32_t (&bins)[2])
{
    bins_of_floats(params, raw, bins);
}
template <>
__device__ __forceinline__ void
bins_of<elements_f64, 1>(const count_params &params, const double (&raw)[1], uint32_t (&bins)[1])
{
    bins_of_floats(params, raw, bins);
}

/* Floats of 16 bits are widened by their bits: those of exponent and fraction, moved to where a double has
   them, are the number but for a power of two, also if it is subnormal. No conversion is needed, of which a
   multiprocessor starts few a cycle. */
static __device__ __forceinline__ double moved_half(const count_params &params, uint32_t raw)
{
    const uint32_t sign = (raw & 0x8000u) << 16, magnitude = (raw & 0x7fffu) << params.half_shift;
    return __hiloint2double((int)(sign | magnitude), 0);
}

/* The same arithmetic as of other floats. But the power of two is in the scale, and bounds are compared as
   integers: keys have the order of the numbers, and NaNs are at their ends. */
template <unsigned COUNT>
static __device__ __forceinline__ void
bins_of_halves(const count_params &params, const uint16_t (&raw)[COUNT], uint32_t (&bins)[COUNT])
{
    const bin_map &map = params.map;
    const unsigned AT_ONCE = COUNT < 4 ? COUNT : 4; /* that may be doubtful together */
#pragma unroll
    for (unsigned part = 0; part < COUNT; part += AT_ONCE) {
        bool doubtful = false;
#pragma unroll
        for (unsigned e = part; e < part + AT_ONCE; e++) {
            const int32_t bits = (int16_t)raw[e], key = bits ^ (bits >> 31 & 0x7fff);
            const bool inside = (uint32_t)(key - params.half_lower) < params.half_width;
            const uint64_t place = (uint64_t)__double_as_longlong(
                __fma_rd(moved_half(params, raw[e]), params.half_scale, map.start));
            const uint32_t fraction = (uint32_t)place << 8;
            bins[e] = inside ? (uint32_t)(place >> 24) & 0xfffffffu : NO_BIN;
            doubtful |= inside && fraction + map.doubt <= map.doubt_span;
        }
        if (!doubtful)
            continue;
#pragma unroll
        for (unsigned e = part; e < part + AT_ONCE; e++)
            if (bins[e] != NO_BIN)
                bins[e] = float_bin(&map, moved_half(params, raw[e]) * params.half_factor);
    }
}
template <>
__device__ __forceinline__ void bins_of<elements_halves, 8>(const count_params &params,
                                                            const uint16_t (&raw)[8],
                                                            uint32_t (&bins)[8])
{
    bins_of_halves(params, raw, bins);
}
template <>
__device__ __forceinline__ void bins_of<elements_halves, 1>(const count_params &params,
                                                            const uint16_t (&raw)[1],
                                                            uint32_t (&bins)[1])
{
    bins_of_halves(params, raw, bins);
}

#endif
