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

#include "apps/histogram/histogram_bins.cuh"
#include "apps/histogram/histogram_bounds.cuh"
#include "apps/histogram/histogram_tables.cuh"
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

enum : unsigned {
    BYTES_BLOCKS = 3,
    BYTE_VALUES = 256,
    BYTES_TABLE = BYTE_VALUES * 128,
    CLEAR_THREADS = 256
};

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
    pieces.from =
        (const uint4 *)((const Raw *)in + before); /* not of n, which only the device may know */
    pieces.count = (n - pieces.before) / lane;
    pieces.after = (unsigned)((n - pieces.before) % lane);
    return pieces;
}

/* Waits for the kernel before, unless that is clear_counts(). By all threads, before they read anything. */
static __device__ __forceinline__ void wait_for_input(const count_params &params)
{
    if (!params.cleared)
        wait_for_previous_kernel();
}

/* The number of elements, after wait_for_input(). */
static __device__ __forceinline__ size_t elements_to_count(const count_params &params)
{
    return params.n_at == NULL ? params.n
                               : read_length(device_length{params.n_at, params.deferred}, params.n);
}

/* Whether a length in device memory leaves the block nothing to count. The first one has the edges. */
static __device__ __forceinline__ bool has_nothing(const count_params &params,
                                                   const whole_pieces &pieces, unsigned batch)
{
    return params.n_at != NULL && blockIdx.x > 0 && (size_t)blockIdx.x * batch >= pieces.count;
}

/* Loads the pieces of a batch, of `count`, that belong to this thread. Returns their number. They stay in L2,
   as in reduce_strided(). */
template <unsigned THREADS>
static __device__ __forceinline__ unsigned load_batch(const uint4 *from, size_t count, size_t batch,
                                                      uint4 (&raw)[VECTORS],
                                                      unsigned vectors = VECTORS)
{
    const size_t first = batch * (THREADS * vectors) + threadIdx.x;
    unsigned loaded = 0;
#pragma unroll
    for (unsigned v = 0; v < VECTORS; v++)
        if (v < vectors && first + v * THREADS < count) {
            raw[v] = from[first + v * THREADS];
            loaded = v + 1;
        }
    return loaded;
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
                                                   unsigned loaded, const uint4 (&raw)[VECTORS])
{
    typedef typename E::Raw Raw;
    const unsigned LANE = 16 / sizeof(Raw);
    run_counter<TABLE> run(table);
#pragma unroll
    for (unsigned v = 0; v < VECTORS; v++) {
        if (v >= loaded)
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

/* The index of element k of those before and after the pieces. */
static __device__ __forceinline__ size_t edge_at(const whole_pieces &pieces, size_t n, unsigned k)
{
    return k < pieces.before ? k : n - pieces.after + k - pieces.before;
}

/* Counts the element at the array's edges that belongs to a thread of the first block. */
template <typename E, typename TABLE>
static __device__ __forceinline__ void count_edges(const count_params &params, TABLE &table,
                                                   const whole_pieces &pieces, size_t n)
{
    typedef typename E::Raw Raw;
    if (blockIdx.x != 0 || threadIdx.x >= pieces.before + pieces.after)
        return;
    const size_t at = edge_at(pieces, n, threadIdx.x);
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

static __device__ __forceinline__ void clear_words(const count_params &params, size_t thread,
                                                   size_t threads)
{
    const size_t words = words_of_counts(params);
    for (size_t k = thread; k < words; k += threads)
        ((uint32_t *)params.counts)[k] = 0;
}

/* Clears the counts, when all earlier work in the stream has ended. The kernel after it starts only then. So
   that one may read its input at once; it waits before it adds to the counts. */
static __global__ void clear_counts(const __grid_constant__ count_params params)
{
    wait_for_previous_kernel();
    clear_words(params, (size_t)blockIdx.x * blockDim.x + threadIdx.x,
                (size_t)gridDim.x * blockDim.x);
}

template <typename E, typename TABLE>
static __device__ __forceinline__ void run_count(const count_params &params,
                                                 unsigned char *shared_table)
{
    typedef typename E::Raw Raw;
    const unsigned BATCH = TABLE::THREADS * VECTORS;
    const size_t n = elements_to_count(params);
    const whole_pieces pieces = pieces_of<Raw>(params.in, n);
    if (has_nothing(params, pieces, BATCH))
        return;
    const size_t count = uniform(pieces.count);
    uint4 raw[VECTORS];
    TABLE table(params, shared_table);
    unsigned loaded = load_batch<TABLE::THREADS>(pieces.from, count, blockIdx.x, raw);
    table.clear();
    if (TABLE::ADDS_MEANWHILE)
        wait_for_previous_kernel();
    __syncthreads();
    count_edges<E>(params, table, pieces, n);
#pragma unroll 1
    for (size_t batch = blockIdx.x; batch * BATCH < count; batch += gridDim.x) {
        const unsigned loaded_now = loaded;
        uint4 now[VECTORS];
#pragma unroll
        for (unsigned v = 0; v < VECTORS; v++)
            now[v] = raw[v];
        loaded = load_batch<TABLE::THREADS>(pieces.from, count, batch + gridDim.x, raw);
        count_batch<E>(params, table, loaded_now, now);
        table.after_batch(BATCH * (16 / sizeof(typename E::Raw)));
    }
    __syncthreads();
    wait_for_previous_kernel();
    table.finish();
}

template <typename E, typename TABLE>
static __global__ void __launch_bounds__(TABLE::THREADS, TABLE::BLOCKS)
    count_elements(const __grid_constant__ count_params params)
{
    extern __shared__ __align__(16) unsigned char shared_table[];
    wait_for_input(params);
    run_count<E, TABLE>(params, shared_table);
}

/* Bounds are in device memory. */
template <typename E, typename TABLE>
static __global__ void __launch_bounds__(TABLE::THREADS, TABLE::BLOCKS)
    count_elements_within(const __grid_constant__ count_params given)
{
    extern __shared__ __align__(16) unsigned char shared_table[];
    wait_for_input(given);
    const count_params params = at_its_bounds(given);
    run_count<E, TABLE>(params, shared_table);
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

static __device__ __forceinline__ void run_bytes(const count_params &params, unsigned char *table)
{
    const unsigned batch_size = BYTES_THREADS * params.vectors, lane_bytes = threadIdx.x % 32 * 4;
    const size_t n = elements_to_count(params);
    const whole_pieces pieces = pieces_of<uint8_t>(params.in, n);
    if (has_nothing(params, pieces, batch_size))
        return;
    const uint4 zero = {};
    if (params.alone)
        clear_words(params, threadIdx.x, BYTES_THREADS);
    for (unsigned k = threadIdx.x; k < BYTES_TABLE / 16; k += BYTES_THREADS)
        ((uint4 *)table)[k] = zero;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < pieces.before + pieces.after) {
        const size_t at = edge_at(pieces, n, threadIdx.x);
        atomicAdd((uint32_t *)(table + (((const uint8_t *)params.in)[at] * 128u | lane_bytes)), 1u);
    }
#pragma unroll 1
    for (size_t batch = blockIdx.x; batch * batch_size < pieces.count; batch += gridDim.x) {
        uint4 raw[VECTORS];
        const unsigned loaded =
            load_batch<BYTES_THREADS>(pieces.from, pieces.count, batch, raw, params.vectors);
#pragma unroll
        for (unsigned v = 0; v < VECTORS; v++) {
            if (v >= loaded)
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

static __global__ void __launch_bounds__(BYTES_THREADS, BLOCKS_HELD(BYTES_THREADS, BYTES_BLOCKS))
    count_byte_elements(const __grid_constant__ count_params params)
{
    __shared__ __align__(16) unsigned char table[BYTES_TABLE];
    wait_for_input(params);
    run_bytes(params, table);
}

static __global__ void __launch_bounds__(BYTES_THREADS, BLOCKS_HELD(BYTES_THREADS, BYTES_BLOCKS))
    count_byte_elements_within(const __grid_constant__ count_params given)
{
    __shared__ __align__(16) unsigned char table[BYTES_TABLE];
    wait_for_input(given);
    const count_params params = at_its_bounds(given);
    run_bytes(params, table);
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
