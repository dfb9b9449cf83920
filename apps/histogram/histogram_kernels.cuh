/*
 * The histogram on CUDA. It reads the input once, 16 bytes a load; the next loads are in flight
 * while the last elements are counted in the block's table (histogram_tables.cuh).
 *
 * Equal bins that follow each other in a thread's elements are counted at once, so that an array of
 * one value takes no longer than others. Elements of one byte are counted by value and not by bin,
 * in a table with a word for each byte value and lane. Lane l uses bank l, so lanes never conflict,
 * whatever the input is.
 *
 * Lower bound: the bytes of the input. At full bandwidth a multiprocessor of an H200 takes 15 bytes
 * a cycle: 4 elements of 32 bits. Counters of 32 uniform elements have on average 3.5 in the
 * fullest of 32 banks.
 *
 * Source: V. Podlozhnyuk, Histogram calculation in CUDA, NVIDIA, 2007; J. Gomez-Luna et al., An
 * optimized approach to histogram computation on GPU, Machine Vision and Applications 24, 2013
 * (copies).
 */
#ifndef PARSCAN_APPS_HISTOGRAM_KERNELS_CUH
#define PARSCAN_APPS_HISTOGRAM_KERNELS_CUH

#include <string.h>

#include "apps/histogram/float_bins.h"
#include "apps/histogram/histogram_tables.cuh"
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/pipeline.cuh"

#define NO_BIN 0xffffffffu

enum : unsigned { BYTES_BLOCKS = 3, BYTE_VALUES = 256, CLEAR_THREADS = 256 };

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
   multiprocessor starts few a cycle. Infinities and NaNs become numbers beyond the greatest, so they are
   outside. */
template <unsigned COUNT>
static __device__ __forceinline__ void
bins_of_halves(const count_params &params, const uint16_t (&raw)[COUNT], uint32_t (&bins)[COUNT])
{
    const unsigned AT_ONCE = COUNT < 4 ? COUNT : 4; /* doubles that are held in registers */
#pragma unroll
    for (unsigned part = 0; part < COUNT; part += AT_ONCE) {
        double wide[AT_ONCE];
        uint32_t some[AT_ONCE];
#pragma unroll
        for (unsigned e = 0; e < AT_ONCE; e++) {
            const uint32_t sign = (uint32_t)(raw[part + e] & 0x8000u) << 16;
            const uint32_t magnitude = (uint32_t)(raw[part + e] & 0x7fffu) << params.half_shift;
            wide[e] = __hiloint2double((int)(sign | magnitude), 0) * params.half_factor;
        }
        bins_of_floats(params, wide, some);
#pragma unroll
        for (unsigned e = 0; e < AT_ONCE; e++)
            bins[part + e] = some[e];
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

/* The pieces of 16 bytes of an array, and the elements before and after them. */
struct whole_pieces {
    const uint4 *from;
    size_t count;
    unsigned before, after; /* in elements, fewer than 16 each */
};

template <typename Raw>
static __device__ __forceinline__ whole_pieces pieces_of(const void *in, size_t n)
{
    whole_pieces pieces;
    const size_t misaligned = (uintptr_t)in % 16 / sizeof(Raw), lane = 16 / sizeof(Raw);
    const size_t before = misaligned == 0 ? 0 : lane - misaligned;
    pieces.before = (unsigned)(before < n ? before : n);
    pieces.from = (const uint4 *)((const Raw *)in + pieces.before);
    pieces.count = (n - pieces.before) / lane;
    pieces.after = (unsigned)((n - pieces.before) % lane);
    return pieces;
}

/* Loads the pieces of a batch that belong to this thread, if they exist. They stay in L2, as in
   reduce_strided(). */
template <unsigned THREADS>
static __device__ __forceinline__ void load_batch(const whole_pieces &pieces, size_t batch,
                                                  uint4 (&raw)[VECTORS])
{
    const size_t first = batch * (THREADS * VECTORS) + threadIdx.x;
#pragma unroll
    for (unsigned v = 0; v < VECTORS; v++)
        if (first + v * THREADS < pieces.count)
            raw[v] = pieces.from[first + v * THREADS];
}

/* Counts runs of equal bins in the elements of a thread. */
template <typename TABLE>
struct run_counter {
    TABLE &table;
    uint32_t bin;
    unsigned count;
    __device__ __forceinline__ run_counter(TABLE &counted) : table(counted), bin(NO_BIN), count(0)
    {
    }
    __device__ __forceinline__ void flush()
    {
        if (bin != NO_BIN)
            table.add(bin, count);
    }
    __device__ __forceinline__ void next(uint32_t next_bin)
    {
        if (next_bin == bin) {
            count++;
            return;
        }
        flush();
        bin = next_bin;
        count = 1;
    }
};

template <typename E, typename TABLE>
static __device__ __forceinline__ void count_batch(const count_params &params, TABLE &table,
                                                   const whole_pieces &pieces, size_t batch,
                                                   const uint4 (&raw)[VECTORS])
{
    typedef typename E::Raw Raw;
    const unsigned LANE = 16 / sizeof(Raw);
    const size_t first = batch * (TABLE::THREADS * VECTORS) + threadIdx.x;
    run_counter<TABLE> run(table);
#pragma unroll
    for (unsigned v = 0; v < VECTORS; v++) {
        if (first + v * TABLE::THREADS >= pieces.count)
            continue;
        Raw elements[LANE];
        uint32_t bins[LANE];
        memcpy(elements, &raw[v], sizeof elements);
        bins_of<E, LANE>(params, elements, bins);
#pragma unroll
        for (unsigned e = 0; e < LANE; e++)
            run.next(bins[e]);
    }
    run.flush();
}

/* Counts the element at the array's edges that belongs to a thread of the first block. */
template <typename E, typename TABLE>
static __device__ __forceinline__ void count_edges(const count_params &params, TABLE &table,
                                                   const whole_pieces &pieces)
{
    typedef typename E::Raw Raw;
    if (blockIdx.x != 0 || threadIdx.x >= pieces.before + pieces.after)
        return;
    const size_t at = threadIdx.x < pieces.before
                          ? threadIdx.x
                          : params.n - pieces.after + threadIdx.x - pieces.before;
    const Raw element[1] = {((const Raw *)params.in)[at]};
    uint32_t bin[1];
    bins_of<E, 1>(params, element, bin);
    if (bin[0] != NO_BIN)
        table.add(bin[0], 1);
}

static __host__ __device__ size_t words_of_counts(const count_params &params)
{
    return (size_t)params.map.bins * (params.wide ? 2 : 1);
}

/* Clears the counts. It starts when all earlier work in the stream has ended. So the kernel after it, which
   starts at once, may read its input; it waits before it adds to the counts. */
static __global__ void clear_counts(const __grid_constant__ count_params params)
{
    const size_t words = words_of_counts(params);
    allow_next_kernel();
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < words;
         k += (size_t)gridDim.x * blockDim.x)
        ((uint32_t *)params.counts)[k] = 0;
}

template <typename E, typename TABLE>
static __global__ void __launch_bounds__(TABLE::THREADS, TABLE::BLOCKS)
    count_elements(const __grid_constant__ count_params params)
{
    extern __shared__ __align__(16) unsigned char shared_table[];
    const unsigned BATCH = TABLE::THREADS * VECTORS;
    const whole_pieces pieces = pieces_of<typename E::Raw>(params.in, params.n);
    const size_t batches = (pieces.count + BATCH - 1) / BATCH;
    uint4 raw[VECTORS];
    TABLE table(params, shared_table);
    load_batch<TABLE::THREADS>(pieces, blockIdx.x, raw);
    table.clear();
    if (TABLE::ADDS_MEANWHILE)
        wait_for_previous_kernel();
    __syncthreads();
    count_edges<E>(params, table, pieces);
#pragma unroll 1
    for (size_t batch = blockIdx.x; batch < batches; batch += gridDim.x) {
        uint4 now[VECTORS];
#pragma unroll
        for (unsigned v = 0; v < VECTORS; v++)
            now[v] = raw[v];
        load_batch<TABLE::THREADS>(pieces, batch + gridDim.x, raw);
        count_batch<E>(params, table, pieces, batch, now);
        table.after_batch(BATCH * (16 / sizeof(typename E::Raw)));
    }
    __syncthreads();
    wait_for_previous_kernel();
    table.finish();
}

/* Counts the four bytes of a word. A row of the table has 128 bytes. */
static __device__ __forceinline__ void count_word(unsigned char *table, uint32_t word,
                                                  unsigned lane_bytes)
{
    const unsigned row = 0xffu << 7;
    atomicAdd((uint32_t *)(table + ((word << 7 & row) | lane_bytes)), 1u);
    atomicAdd((uint32_t *)(table + ((word >> 1 & row) | lane_bytes)), 1u);
    atomicAdd((uint32_t *)(table + ((word >> 9 & row) | lane_bytes)), 1u);
    atomicAdd((uint32_t *)(table + ((word >> 17 & row) | lane_bytes)), 1u);
}

/* Adds the lanes' counts of a byte value to its bin. */
static __device__ __forceinline__ void finish_byte(const count_params &params,
                                                   const uint32_t *table, unsigned byte)
{
    uint64_t sum = 0;
#pragma unroll
    for (unsigned lane = 0; lane < 32; lane++)
        sum += table[byte * 32 + (byte + lane) % 32];
    const uint32_t element[1] = {params.is_signed ? (uint32_t)(int32_t)(int8_t)byte : byte};
    uint32_t bin[1];
    bins_of<elements_32, 1>(params, element, bin);
    if (sum != 0 && bin[0] != NO_BIN)
        add_to_counts(params, bin[0], sum);
}

static __global__ void __launch_bounds__(BYTES_THREADS, BLOCKS_HELD(BYTES_THREADS, BYTES_BLOCKS))
    count_byte_elements(const __grid_constant__ count_params params)
{
    __shared__ __align__(16) unsigned char table[BYTE_VALUES * 128];
    const unsigned BATCH = BYTES_THREADS * VECTORS, lane_bytes = threadIdx.x % 32 * 4;
    const whole_pieces pieces = pieces_of<uint8_t>(params.in, params.n);
    const size_t batches = (pieces.count + BATCH - 1) / BATCH;
    const uint4 zero = {};
    for (unsigned k = threadIdx.x; k < sizeof table / 16; k += BYTES_THREADS)
        ((uint4 *)table)[k] = zero;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < pieces.before + pieces.after) {
        const size_t at = threadIdx.x < pieces.before
                              ? threadIdx.x
                              : params.n - pieces.after + threadIdx.x - pieces.before;
        atomicAdd((uint32_t *)(table + (((const uint8_t *)params.in)[at] * 128u | lane_bytes)), 1u);
    }
#pragma unroll 1
    for (size_t batch = blockIdx.x; batch < batches; batch += gridDim.x) {
        uint4 raw[VECTORS];
        load_batch<BYTES_THREADS>(pieces, batch, raw);
#pragma unroll
        for (unsigned v = 0; v < VECTORS; v++) {
            if (batch * BATCH + v * BYTES_THREADS + threadIdx.x >= pieces.count)
                continue;
            count_word(table, raw[v].x, lane_bytes);
            count_word(table, raw[v].y, lane_bytes);
            count_word(table, raw[v].z, lane_bytes);
            count_word(table, raw[v].w, lane_bytes);
        }
    }
    __syncthreads();
    wait_for_previous_kernel();
    if (threadIdx.x < BYTE_VALUES)
        finish_byte(params, (const uint32_t *)table, threadIdx.x);
}

static __global__ void narrow_counts(const __grid_constant__ narrow_counts_params params)
{
    const size_t bin = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (bin >= params.bins)
        return;
    const uint64_t count = params.from[bin];
    params.to[bin] = (uint32_t)count;
    if (count > UINT32_MAX)
        leave_error(params.error, PARSCAN_ERROR_OVERFLOW, count);
}

#endif
