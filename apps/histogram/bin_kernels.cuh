/*
 * A stable counting sort on CUDA, by a digit of up to 8 bits a pass, the least first: the tiles' counts of
 * digits, their exclusive scan (the core's), and the entries ranked among those of their digit and
 * written. With up to 2^8 bins that is all; with more, (bin, index) pairs go through the passes, and
 * values are fetched by the last.
 *
 * To be replaced by the digit passes of apps/sort (Onesweep: one read of the keys a pass less, and writes
 * that are gathered in shared memory).
 * Source: counting sort, Seward 1954; ranks in a warp: Adinets & Merrill, Onesweep, 2022.
 */
#ifndef PARSCAN_APPS_BIN_KERNELS_CUH
#define PARSCAN_APPS_BIN_KERNELS_CUH

#include <stdint.h>

#include "apps/histogram/bin_cuda.h"

enum : unsigned {
    BIN_THREADS = 256,
    BIN_WARPS = BIN_THREADS / 32,
    BIN_ROWS = BIN_TILE / BIN_THREADS, /* entries of a lane */
    MOST_DIGITS = 1u << BIN_DIGIT_BITS,
    NO_DIGIT = 0xffffffffu
};

static __device__ __forceinline__ uint64_t bin_at(const bin_pass &pass, size_t i)
{
    switch (pass.bin_type) {
    case PARSCAN_U8:
        return ((const uint8_t *)pass.bin_of)[i];
    case PARSCAN_U16:
        return ((const uint16_t *)pass.bin_of)[i];
    case PARSCAN_U32:
        return ((const uint32_t *)pass.bin_of)[i];
    default:
        return ((const uint64_t *)pass.bin_of)[i];
    }
}

static __device__ __forceinline__ size_t entries_of(const bin_pass &pass)
{
    if (pass.kept == NULL)
        return pass.n;
    return pass.kept_wide ? *(const uint64_t *)pass.kept : *(const uint32_t *)pass.kept;
}

static __device__ __forceinline__ unsigned digit_of(const bin_pass &pass, uint64_t bin)
{
    return bin < pass.bins ? (unsigned)(bin >> pass.shift) & (pass.digits - 1) : NO_DIGIT;
}

/* A row of 32 entries is the lanes' of a warp. */
static __device__ __forceinline__ size_t entry_at(size_t tile, unsigned warp, unsigned row,
                                                  unsigned lane)
{
    return tile * BIN_TILE + (warp * BIN_ROWS + row) * 32 + lane;
}

static __global__ void __launch_bounds__(BIN_THREADS)
    count_digits(const __grid_constant__ bin_pass pass)
{
    __shared__ uint32_t counts[MOST_DIGITS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t tile = blockIdx.x, n = entries_of(pass);
    if (threadIdx.x < pass.digits)
        counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (unsigned row = 0; row < BIN_ROWS; row++) {
        const size_t i = entry_at(tile, warp, row, lane);
        const unsigned digit = i < n ? digit_of(pass, bin_at(pass, i)) : NO_DIGIT;
        /* Lanes of one digit count together, so that one bin for all takes no longer than many. */
        const unsigned same = __match_any_sync(0xffffffffu, digit);
        if (digit != NO_DIGIT && (same & ((1u << lane) - 1)) == 0)
            atomicAdd(&counts[digit], (uint32_t)__popc(same));
    }
    __syncthreads();
    if (threadIdx.x >= pass.digits)
        return;
    const size_t at = threadIdx.x * pass.tiles + tile;
    if (pass.wide)
        ((uint64_t *)pass.counts)[at] = counts[threadIdx.x];
    else
        ((uint32_t *)pass.counts)[at] = counts[threadIdx.x];
}

template <typename Unit>
static __device__ __forceinline__ void copy_units(char *to, const char *from, size_t size)
{
#pragma unroll 1
    for (size_t k = 0; k < size / sizeof(Unit); k++)
        ((Unit *)to)[k] = ((const Unit *)from)[k];
}

static __device__ __forceinline__ void copy_value(const bin_pass &pass, size_t to, size_t from)
{
    char *const out = pass.values_out + to * pass.value_size;
    const char *const in = pass.values + from * pass.value_size;
    if (pass.unit == 16)
        copy_units<uint4>(out, in, pass.value_size);
    else if (pass.unit == 8)
        copy_units<uint64_t>(out, in, pass.value_size);
    else if (pass.unit == 4)
        copy_units<uint32_t>(out, in, pass.value_size);
    else if (pass.unit == 2)
        copy_units<uint16_t>(out, in, pass.value_size);
    else
        copy_units<uint8_t>(out, in, pass.value_size);
}

static __device__ __forceinline__ void write_entry(const bin_pass &pass, size_t i, size_t to)
{
    const size_t index = pass.indices == NULL ? i
                         : pass.wide          ? (size_t)((const uint64_t *)pass.indices)[i]
                                              : (size_t)((const uint32_t *)pass.indices)[i];
    if (pass.bins_out != NULL) {
        pass.bins_out[to] = (uint32_t)bin_at(pass, i);
        if (pass.wide)
            ((uint64_t *)pass.indices_out)[to] = index;
        else
            ((uint32_t *)pass.indices_out)[to] = (uint32_t)index;
    } else if (pass.values != NULL) {
        copy_value(pass, to, index);
    } else if (pass.value_size == 8) {
        ((uint64_t *)pass.values_out)[to] = index;
    } else {
        ((uint32_t *)pass.values_out)[to] = (uint32_t)index;
    }
}

/* How many of the warp's entries before it have the entry's digit; counted in `counts`. */
static __device__ __forceinline__ unsigned rank_in_warp(uint32_t *counts, unsigned digit,
                                                        unsigned lane)
{
    const unsigned same = __match_any_sync(0xffffffffu, digit);
    const unsigned before = same & ((1u << lane) - 1);
    const unsigned counted = digit != NO_DIGIT ? counts[digit] : 0;
    __syncwarp();
    if (digit != NO_DIGIT && before == 0)
        counts[digit] = counted + __popc(same);
    __syncwarp();
    return counted + __popc(before);
}

static __global__ void __launch_bounds__(BIN_THREADS)
    place_entries(const __grid_constant__ bin_pass pass)
{
    __shared__ uint32_t counts[BIN_WARPS][MOST_DIGITS];
    __shared__ uint64_t bases[MOST_DIGITS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t tile = blockIdx.x, n = entries_of(pass);
    for (unsigned k = threadIdx.x; k < BIN_WARPS * MOST_DIGITS; k += BIN_THREADS)
        counts[k / MOST_DIGITS][k % MOST_DIGITS] = 0;
    __syncthreads();
    unsigned digits[BIN_ROWS], ranks[BIN_ROWS];
#pragma unroll
    for (unsigned row = 0; row < BIN_ROWS; row++) {
        const size_t i = entry_at(tile, warp, row, lane);
        digits[row] = i < n ? digit_of(pass, bin_at(pass, i)) : NO_DIGIT;
    }
#pragma unroll
    for (unsigned row = 0; row < BIN_ROWS; row++)
        ranks[row] = rank_in_warp(counts[warp], digits[row], lane);
    __syncthreads();
    if (threadIdx.x < pass.digits) {
        const size_t at = threadIdx.x * pass.tiles + tile;
        uint32_t sum = 0;
        for (unsigned w = 0; w < BIN_WARPS; w++) {
            const uint32_t count = counts[w][threadIdx.x];
            counts[w][threadIdx.x] = sum;
            sum += count;
        }
        bases[threadIdx.x] =
            pass.wide ? ((const uint64_t *)pass.counts)[at] : ((const uint32_t *)pass.counts)[at];
    }
    __syncthreads();
#pragma unroll
    for (unsigned row = 0; row < BIN_ROWS; row++)
        if (digits[row] != NO_DIGIT)
            write_entry(pass, entry_at(tile, warp, row, lane),
                        bases[digits[row]] + counts[warp][digits[row]] + ranks[row]);
}

struct count_all_call {
    bin_pass pass;
    void *offsets;
    bool wide;
};

static __global__ void count_all_bins(const __grid_constant__ count_all_call call)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < call.pass.n; i += step) {
        const uint64_t bin = bin_at(call.pass, i);
        if (bin >= call.pass.bins)
            continue;
        if (call.wide)
            atomicAdd((unsigned long long *)call.offsets + bin, 1ull);
        else
            atomicAdd((uint32_t *)call.offsets + bin, 1u);
    }
}

#endif
