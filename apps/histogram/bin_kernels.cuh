/*
 * A stable counting sort on CUDA, by a digit of up to 8 bits a pass, the least first: the tiles' counts of
 * digits, their exclusive scan (the core's), and the entries ranked among those of their digit, gathered
 * in shared memory in the order of digits, and written, so that what goes side by side is stored side by
 * side. With up to 2^8 bins one pass is all; with more, the bins go through the passes with their entries.
 *
 * An entry is a word of 4 or 8 bytes: its value, or its index, by which the last pass fetches values of
 * any other size. The first pass leaves out what has no bin.
 *
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
    BIN_AT_ONCE = 4,                   /* of them are ranked, */
    BIN_LOADS = 8,                     /* loaded */
    MOST_DIGITS = 1u << BIN_DIGIT_BITS,
    ALL_LANES = 0xffffffffu
};

static __device__ __forceinline__ size_t entries_of(const bin_pass &pass)
{
    if (pass.kept == NULL)
        return pass.n;
    return pass.kept_wide ? *(const uint64_t *)pass.kept : *(const uint32_t *)pass.kept;
}

/* The bins of a lane's entries, of a row of 32 each; bit r of `there`: entry r has one. */
struct bin_rows {
    uint32_t bin[BIN_ROWS];
    unsigned there;
};

/* The lane's first entry; its others are 32 apart. */
static __device__ __forceinline__ size_t first_entry(size_t tile)
{
    return tile * BIN_TILE + threadIdx.x / 32 * 32 * BIN_ROWS + threadIdx.x % 32;
}

template <typename Key>
static __device__ __forceinline__ bin_rows load_bins(const bin_pass &pass, size_t first, size_t n)
{
    const Key *const from = (const Key *)pass.bin_of + first;
    bin_rows rows;
    Key key[BIN_ROWS];
    rows.there = 0;
#pragma unroll
    for (unsigned r = 0; r < BIN_ROWS; r++)
        key[r] = first + r * 32 < n ? __ldcs(from + r * 32) : (Key)0;
#pragma unroll
    for (unsigned r = 0; r < BIN_ROWS; r++) {
        rows.bin[r] = (uint32_t)key[r];
        if (first + r * 32 < n && key[r] < pass.bins)
            rows.there |= 1u << r;
    }
    return rows;
}

static __device__ __forceinline__ unsigned digit_of(const bin_pass &pass, uint32_t bin)
{
    return bin >> pass.shift & (pass.digits - 1);
}

template <typename Key>
static __global__ void __launch_bounds__(BIN_THREADS)
    count_digits(const __grid_constant__ bin_pass pass)
{
    __shared__ uint32_t counts[MOST_DIGITS];
    const size_t tile = blockIdx.x, n = entries_of(pass);
    const bin_rows rows = load_bins<Key>(pass, first_entry(tile), n);
    counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < BIN_ROWS; r++)
        if (rows.there >> r & 1)
            atomicAdd(&counts[digit_of(pass, rows.bin[r])], 1u);
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

static __device__ __forceinline__ void fetch_value(const bin_pass &pass, size_t to, size_t from)
{
    char *const out = (char *)pass.entries_out + to * pass.value_size;
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

template <typename Entry>
struct bin_shared {
    Entry entries[BIN_TILE];
    uint32_t bins[BIN_TILE];
    uint64_t
        to[MOST_DIGITS]; /* where a digit's entries of the tile go, less their first place in it */
    uint32_t counts[BIN_WARPS]
                   [MOST_DIGITS]; /* then, where the digit's of the warp begin in the tile */
    uint32_t sums[BIN_WARPS];
};

/* The lanes whose entries of the row are in a bin of the same digit; of a lane with none, any. */
static __device__ __forceinline__ unsigned lanes_alike(const bin_pass &pass, unsigned digit,
                                                       bool there)
{
    unsigned same = __ballot_sync(ALL_LANES, there);
#pragma unroll
    for (unsigned b = 0; b < BIN_DIGIT_BITS; b++) {
        if (1u << b >= pass.digits)
            break;
        const unsigned set = __ballot_sync(ALL_LANES, (digit >> b & 1) != 0);
        same &= digit >> b & 1 ? set : ~set;
    }
    return same;
}

/* 16 bits of a row, two of them in a register. */
struct bin_ranks {
    uint32_t two[BIN_ROWS / 2];
    __device__ __forceinline__ void set(unsigned row, unsigned rank)
    {
        two[row / 2] = row % 2 == 0 ? rank : two[row / 2] | rank << 16;
    }
    __device__ __forceinline__ unsigned get(unsigned row) const
    {
        return row % 2 == 0 ? two[row / 2] & 0xffffu : two[row / 2] >> 16;
    }
};

/* How many of the warp's entries before each of a lane's have its digit; all counted in `counts`. */
static __device__ __forceinline__ void rank_rows(const bin_pass &pass, uint32_t *counts,
                                                 const bin_rows &rows, unsigned lane,
                                                 bin_ranks &ranks)
{
#pragma unroll
    for (unsigned r = 0; r < BIN_ROWS; r += BIN_AT_ONCE) {
        unsigned same[BIN_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < BIN_AT_ONCE; k++)
            same[k] = lanes_alike(pass, digit_of(pass, rows.bin[r + k]), rows.there >> (r + k) & 1);
#pragma unroll
        for (unsigned k = 0; k < BIN_AT_ONCE; k++) {
            const unsigned before = same[k] & ((1u << lane) - 1);
            unsigned counted = 0;
            if ((rows.there >> (r + k) & 1) != 0 && before == 0)
                counted =
                    atomicAdd(&counts[digit_of(pass, rows.bin[r + k])], (unsigned)__popc(same[k]));
            __syncwarp(); /* the digit's next entries may be another lane's to count */
            const unsigned first = __shfl_sync(ALL_LANES, counted, __ffs((int)same[k]) - 1);
            ranks.set(r + k, first + __popc(before));
        }
    }
}

/* Thread d: where the entries of digit d begin in the tile, of the whole tile and of each warp. */
template <typename Entry>
static __device__ __forceinline__ void find_places(const bin_pass &pass, bin_shared<Entry> &shared,
                                                   size_t tile)
{
    const unsigned digit = threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t count = 0;
#pragma unroll
    for (unsigned w = 0; w < BIN_WARPS; w++)
        count += shared.counts[w][digit];
    uint32_t through = count;
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const uint32_t up = __shfl_up_sync(ALL_LANES, through, delta);
        if (lane >= delta)
            through += up;
    }
    if (lane == 31)
        shared.sums[warp] = through;
    __syncthreads();
    uint32_t place = through - count;
    for (unsigned w = 0; w < warp; w++)
        place += shared.sums[w];
    const size_t at = digit * pass.tiles + tile;
    if (digit < pass.digits)
        shared.to[digit] = (pass.wide ? ((const uint64_t *)pass.counts)[at]
                                      : ((const uint32_t *)pass.counts)[at]) -
                           place;
#pragma unroll
    for (unsigned w = 0; w < BIN_WARPS; w++) {
        const uint32_t of_warp = shared.counts[w][digit];
        shared.counts[w][digit] = place;
        place += of_warp;
    }
}

/* To their places in the tile. */
template <typename Entry>
static __device__ __forceinline__ void gather_rows(const bin_pass &pass, bin_shared<Entry> &shared,
                                                   size_t first, const bin_rows &rows,
                                                   const bin_ranks &ranks)
{
    const uint32_t *const counts = shared.counts[threadIdx.x / 32];
    const Entry *const entries = (const Entry *)pass.entries + first;
#pragma unroll
    for (unsigned r = 0; r < BIN_ROWS; r += BIN_LOADS) {
        Entry entry[BIN_LOADS];
#pragma unroll
        for (unsigned k = 0; k < BIN_LOADS; k++)
            entry[k] = pass.entries == NULL               ? (Entry)(first + (r + k) * 32)
                       : (rows.there >> (r + k) & 1) != 0 ? __ldcs(entries + (r + k) * 32)
                                                          : 0;
#pragma unroll
        for (unsigned k = 0; k < BIN_LOADS; k++) {
            if ((rows.there >> (r + k) & 1) == 0)
                continue;
            const unsigned place = counts[digit_of(pass, rows.bin[r + k])] + ranks.get(r + k);
            shared.entries[place] = entry[k];
            shared.bins[place] = rows.bin[r + k];
        }
    }
}

template <typename Entry>
static __device__ __forceinline__ void write_tile(const bin_pass &pass,
                                                  const bin_shared<Entry> &shared)
{
    uint32_t count = 0;
#pragma unroll
    for (unsigned w = 0; w < BIN_WARPS; w++)
        count += shared.sums[w];
#pragma unroll 4
    for (unsigned place = threadIdx.x; place < count; place += BIN_THREADS) {
        const uint32_t bin = shared.bins[place];
        const uint64_t to = shared.to[digit_of(pass, bin)] + place;
        if (pass.fetches)
            fetch_value(pass, to, shared.entries[place]);
        else
            ((Entry *)pass.entries_out)[to] = shared.entries[place];
        if (pass.bins_out != NULL)
            pass.bins_out[to] = bin;
    }
}

template <typename Key, typename Entry>
static __global__ void __launch_bounds__(BIN_THREADS, sizeof(Entry) == 4 ? 4 : 3)
    place_entries(const __grid_constant__ bin_pass pass)
{
    extern __shared__ __align__(16) unsigned char memory[];
    bin_shared<Entry> &shared = *(bin_shared<Entry> *)memory;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t tile = blockIdx.x, first = first_entry(tile), n = entries_of(pass);
    if (tile * BIN_TILE >= n)
        return;
    const bin_rows rows = load_bins<Key>(pass, first, n);
    bin_ranks ranks;
#pragma unroll
    for (unsigned k = lane; k < MOST_DIGITS; k += 32)
        shared.counts[warp][k] = 0;
    __syncwarp();
    rank_rows(pass, shared.counts[warp], rows, lane, ranks);
    __syncthreads();
    find_places(pass, shared, tile);
    __syncthreads();
    gather_rows(pass, shared, first, rows, ranks);
    __syncthreads();
    write_tile(pass, shared);
}

struct offsets_call {
    bin_pass pass;
    void *offsets;
    bool wide;
};

/* What the scanned counts of a pass that is the only one say of the bins, which are its digits. */
static __global__ void take_offsets(const __grid_constant__ offsets_call call)
{
    const bin_pass &pass = call.pass;
    const size_t bin = threadIdx.x, at = bin * pass.tiles;
    if (bin > pass.bins)
        return;
    const uint64_t offset =
        pass.wide ? ((const uint64_t *)pass.counts)[at] : ((const uint32_t *)pass.counts)[at];
    if (call.wide)
        ((uint64_t *)call.offsets)[bin] = offset;
    else
        ((uint32_t *)call.offsets)[bin] = (uint32_t)offset;
}

/* offsets[b]++ for each entry's bin. */
static __global__ void count_all_bins(const __grid_constant__ offsets_call call)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < call.pass.n; i += step) {
        const uint64_t bin = call.pass.bin_type == PARSCAN_U32
                                 ? ((const uint32_t *)call.pass.bin_of)[i]
                                 : ((const uint64_t *)call.pass.bin_of)[i];
        if (bin >= call.pass.bins)
            continue;
        if (call.wide)
            atomicAdd((unsigned long long *)call.offsets + bin, 1ull);
        else
            atomicAdd((uint32_t *)call.offsets + bin, 1u);
    }
}

#endif
