/*
 * The histogram of elements of two bytes on CUDA, if there are many: they are counted by value and
 * not by bin, as bytes are, so the loop is the same for all types and maps and computes no bin. A block
 * has a 16-bit counter for each of the 65536 values, two in a word, in the order of halves_table. Once
 * a batch, counters that have reached 2^14 are added to the counts and cleared, so none reaches 2^16.
 *
 * At the end each value that was counted goes to its bin: to a table of bins in shared memory, if it has
 * room for one, else to the counts.
 *
 * Lower bound: the bytes of the input. A multiprocessor of an H200 gets 15 bytes a cycle, so 32 elements
 * take 4.3 cycles; 32 random increments of halves take 2.7 (bench/notes/histogram.md).
 */
#ifndef PARSCAN_APPS_HISTOGRAM_CODES_CUH
#define PARSCAN_APPS_HISTOGRAM_CODES_CUH

#include "apps/histogram/histogram_kernels.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/warp_scan.cuh"

enum : unsigned {
    CODE_WORDS = CODES_TABLE_BYTES / sizeof(uint32_t),
    CODES_BATCH = CODES_THREADS * CODES_VECTORS, /* in vectors of 8 elements */
    CODES_LARGE = 1u << 14,
    CODES_FREQUENT = 6 /* lanes with one value */
};
static_assert(CODES_LARGE - 1 + CODES_BATCH * 8 <= 0xffffu, "a counter overflows");
/* Before the first batch the edges of the array are counted. */
static_assert(14 + CODES_BATCH * 8 <= 0xffffu, "a counter overflows");

template <typename E>
struct codes_table {
    const count_params &params;
    uint32_t *const words, *const binned; /* binned: params.table_words bins */

    __device__ __forceinline__ codes_table(const count_params &made, unsigned char *shared)
        : params(made), words((uint32_t *)shared), binned(words + CODE_WORDS)
    {
    }
    __device__ __forceinline__ void clear()
    {
        const uint4 zero = {};
#pragma unroll
        for (unsigned k = threadIdx.x; k < CODE_WORDS / 4; k += CODES_THREADS)
            ((uint4 *)words)[k] = zero;
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < params.table_words; k += CODES_THREADS)
            binned[k] = 0;
    }
    /* Counts the elements of a word that are not `except`, both if that is ANY. Returns how many are. Bit 0 of
       each tells which half of a word it is counted in. Their words are those of halves_table::place_of(). */
    template <bool ANY>
    __device__ __forceinline__ unsigned add_two(uint32_t two, uint32_t except)
    {
        const uint32_t placed = two ^ ((two >> 5 ^ two >> 10) & 0x3e003eu), place = 0x1fffcu;
        const bool low = ANY || (two & 0xffffu) != except, high = ANY || two >> 16 != except;
        unsigned char *const bytes = (unsigned char *)words;
        uint32_t *const low_word = (uint32_t *)(bytes + (placed << 1 & place));
        uint32_t *const high_word = (uint32_t *)(bytes + (placed >> 15 & place));
        add_if(low, low_word, (two & 1) * 0xffffu + 1);
        add_if(high, high_word, (two & 0x10000u) != 0 ? 0x10000u : 1u);
        return 2u - low - high;
    }
    template <bool ANY>
    __device__ __forceinline__ unsigned add(const uint4 &eight, uint32_t except)
    {
        return add_two<ANY>(eight.x, except) + add_two<ANY>(eight.y, except) +
               add_two<ANY>(eight.z, except) + add_two<ANY>(eight.w, except);
    }
    __device__ __forceinline__ void add_many(uint16_t code, uint32_t count)
    {
        atomicAdd(words + halves_table::place_of(code / 2), count << 16 * (code & 1));
    }
    __device__ __forceinline__ void add_one(uint16_t code)
    {
        add_many(code, 1);
    }
    static __device__ __forceinline__ uint32_t bin_of(const count_params &params, unsigned code)
    {
        const uint16_t element[1] = {(uint16_t)code};
        uint32_t bin[1];
        bins_of<E, 1>(params, element, bin);
        return bin[0];
    }
    /* Adds counters that have reached 2^14 to the counts and clears them. */
    __device__ __forceinline__ void take()
    {
        const uint32_t large = 0xffffu & ~(CODES_LARGE - 1), any = large << 16 | large;
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < CODE_WORDS / 4; k += CODES_THREADS) {
            const uint4 four = ((const uint4 *)words)[k];
            if (((four.x | four.y | four.z | four.w) & any) == 0)
                continue;
#pragma unroll 1
            for (unsigned half = 0; half < 8; half++) {
                uint16_t *const counter = (uint16_t *)words + 8 * k + half;
                const unsigned code = 2 * halves_table::place_of(4 * k + half / 2) + half % 2;
                if ((*counter & large) == 0)
                    continue;
                const uint32_t bin = bin_of(params, code);
                if (bin != NO_BIN)
                    add_to_counts(params, bin, *counter);
                *counter = 0;
            }
        }
    }
    /* Adds the counts of neighbouring values to their bins. */
    __device__ __forceinline__ void give(uint32_t even_bin, uint32_t even, uint32_t odd_bin,
                                         uint32_t odd)
    {
        if (odd_bin == even_bin) {
            even += odd;
            odd = 0;
        }
        if (params.table_words == 0 && even_bin % 2 == 0 && odd_bin == even_bin + 1) {
            add_pair_to_counts(params, even_bin, even, odd);
            return;
        }
        const uint32_t bins[2] = {even_bin, odd_bin}, counts[2] = {even, odd};
#pragma unroll
        for (unsigned k = 0; k < 2; k++) {
            if (counts[k] == 0 || bins[k] == NO_BIN)
                continue;
            if (params.table_words != 0)
                atomicAdd(binned + bins[k], counts[k]);
            else
                add_to_counts(params, bins[k], counts[k]);
        }
    }
    /* Called by all threads, after a barrier. */
    __device__ __forceinline__ void finish()
    {
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < CODE_WORDS; k += CODES_THREADS) {
            const uint32_t both = words[k];
            if (both == 0)
                continue;
            const unsigned code = 2 * halves_table::place_of(k);
            give(bin_of(params, code), both & 0xffffu, bin_of(params, code + 1), both >> 16);
        }
        __syncthreads();
#pragma unroll 1
        for (unsigned bin = 2 * threadIdx.x; bin < params.table_words; bin += 2 * CODES_THREADS)
            add_pair_to_counts(params, bin, binned[bin],
                               bin + 1 < params.table_words ? binned[bin + 1] : 0);
    }
};

/* How many vectors of a batch the array has. */
static __device__ __forceinline__ unsigned vectors_in(const whole_pieces &pieces, size_t batch)
{
    const size_t first = batch * CODES_BATCH;
    return first >= pieces.count                ? 0
           : pieces.count - first < CODES_BATCH ? (unsigned)(pieces.count - first)
                                                : (unsigned)CODES_BATCH;
}

/* Many lanes that increment one counter at once would wait for each other. So where many lanes of a warp begin a
   batch with one value, the warp counts that value in registers. */
static __device__ __forceinline__ bool has_frequent(const uint4 &eight, uint32_t *frequent)
{
    const uint32_t most = most_frequent_of_lanes(eight.x & 0xffffu);
    *frequent = most & 0xffffu;
    return most >> 16 >= CODES_FREQUENT;
}

template <typename E>
static __device__ __forceinline__ void run_codes(const count_params &params, unsigned char *shared)
{
    const size_t n = elements_to_count(params);
    const whole_pieces pieces = pieces_of<uint16_t>(params.in, n);
    if (has_nothing(params, pieces, CODES_BATCH))
        return;
    const size_t batches = (pieces.count + CODES_BATCH - 1) / CODES_BATCH;
    codes_table<E> table(params, shared);
    uint4 raw[CODES_VECTORS];
    unsigned left = vectors_in(pieces, blockIdx.x);
#pragma unroll
    for (unsigned v = 0; v < CODES_VECTORS; v++)
        if (v * CODES_THREADS + threadIdx.x < left)
            raw[v] =
                pieces.from[(size_t)blockIdx.x * CODES_BATCH + v * CODES_THREADS + threadIdx.x];
    table.clear();
    wait_for_previous_kernel();
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < pieces.before + pieces.after)
        table.add_one(((const uint16_t *)params.in)[edge_at(pieces, n, threadIdx.x)]);
    if (blockIdx.x >= batches)
        __syncthreads();
#pragma unroll 1
    for (size_t batch = blockIdx.x; batch < batches; batch += gridDim.x) {
        const size_t next = batch + gridDim.x;
        const unsigned next_left = vectors_in(pieces, next);
        const uint4 *const from = pieces.from + next * CODES_BATCH + threadIdx.x;
        uint32_t frequent = 0;
        const bool skewed = left == CODES_BATCH && has_frequent(raw[0], &frequent);
        unsigned skipped = 0;
#pragma unroll
        for (unsigned v = 0; v < CODES_VECTORS; v++) {
            const uint4 now = raw[v];
            if (v * CODES_THREADS + threadIdx.x < next_left)
                raw[v] = from[v * CODES_THREADS];
            if (skewed)
                skipped += table.template add<false>(now, frequent);
            else if (v * CODES_THREADS + threadIdx.x < left)
                table.template add<true>(now, 0);
        }
        if (skewed) {
            skipped = warp_reduce(parscan_operator_SUM(), skipped);
            if (threadIdx.x % 32 == 0)
                table.add_many((uint16_t)frequent, skipped);
        }
        left = next_left;
        __syncthreads();
        if (left != 0) {
            table.take();
            __syncthreads();
        }
    }
    table.finish();
}

template <typename E>
static __global__ void __launch_bounds__(CODES_THREADS, 1)
    count_codes(const __grid_constant__ count_params params)
{
    extern __shared__ __align__(16) unsigned char shared_table[];
    wait_for_input(params);
    run_codes<E>(params, shared_table);
}

#endif
