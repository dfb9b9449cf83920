/*
 * The tables in shared memory in which a block counts. A table has
 *
 *     clear()             called by all threads, before a barrier
 *     add(bin, count)     count is at most the number of elements of a thread's batch
 *     after_batch()       called by all threads, after every batch
 *     finish()            called by all threads, after a barrier: adds the table to the counts
 *     ADDS_MEANWHILE      whether add() or after_batch() adds to the counts, too
 *
 * The tables are
 *
 *   words    32 bits a bin, in up to 32 copies. Each copy serves some of the lanes, so that
 *            lanes that count the same bin seldom use the same word. The copies lie in different
 *            banks.
 *   halves   16 bits a bin, for as many bins as shared memory holds. Between batches, counters
 *            that have reached 2^15 are added to the counts and cleared, often enough that none
 *            reaches 2^16. Words lie in rows of 32, and each row has an order of its own.
 *            Otherwise bins whose indices are similar, as those of frequent bins often are (few
 *            bits set), would lie in the same bank.
 *   cached   For more bins. The first bin that asks for a slot gets it, so a bin that takes much of
 *            the input soon has one. All other bins are counted in global memory, where they seldom
 *            conflict. Each block has a hash function of its own, so that two frequent bins share a
 *            slot in few blocks only. From time to time the slots of infrequent bins are released.
 *   codes    for many elements of two bytes: histogram_codes.cuh.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_TABLES_CUH
#define PARSCAN_APPS_HISTOGRAM_TABLES_CUH

#include "apps/histogram/histogram_cuda.h"
#include "apps/histogram/histogram_plan.h"

/* The shapes that the plan does not need (histogram_plan.h). */
enum : unsigned {
    HALVES_BLOCKS = 1,
    HALVES_BETWEEN = 32768, /* elements between two checks of the counters */
    CACHED_BLOCKS = 1,
    CACHED_BETWEEN = 1u << 18, /* elements between two checks of the slots */
    CACHED_LEAST = 4,          /* elements that a bin must have had in between to keep its slot */
    FEW_BLOCKS = 4,
    VECTORS = LOADED_VECTORS
};

struct count_params : histogram_on_device {
    unsigned copies_log2; /* for words */
    unsigned table_words; /* for halves; for codes the bins in shared memory */
    unsigned slots_log2;  /* for cached */
    unsigned vectors;     /* for bytes: that a thread loads at once */
    bool alone;           /* for words and bytes: there is one block, and it sets the counts */
    bool cleared;         /* by the kernel before, which had waited: the input can be read */
    bool pairs;           /* counts are u32, and two of them are aligned as one word */
    /* For floats of 16 bits: how far their bits are moved for those of a double, and the power of two that it
       then lacks. */
    unsigned half_shift;
    double half_factor;
    double half_scale;  /* half_factor times the scale of map */
    int32_t half_lower; /* the key of the lower bound, and how many keys are inside */
    uint32_t half_width;
};

static __device__ __forceinline__ void add_to_counts(const count_params &params, size_t bin,
                                                     uint64_t amount)
{
    if (params.wide)
        atomicAdd((unsigned long long *)params.counts + bin, (unsigned long long)amount);
    else
        atomicAdd((uint32_t *)params.counts + bin, (uint32_t)amount);
}

/* Adds to the counts of two bins at once: two counts of u32 are one word of 64 bits. The sum of
   the lower half has no carry. */
static __device__ __forceinline__ void
add_pair_to_counts(const count_params &params, size_t even_bin, uint32_t even, uint32_t odd)
{
    if (params.pairs && even_bin + 1 < params.map.bins) {
        if ((even | odd) != 0)
            atomicAdd((unsigned long long *)params.counts + even_bin / 2,
                      (unsigned long long)odd << 32 | even);
        return;
    }
    if (even != 0)
        add_to_counts(params, even_bin, even);
    if (odd != 0)
        add_to_counts(params, even_bin + 1, odd);
}

struct words_table {
    static const bool ADDS_MEANWHILE = false;
    enum : unsigned { THREADS = WORDS_THREADS, BLOCKS = WORDS_BLOCKS };
    const count_params &params;
    uint32_t *const words, *const mine;

    __device__ __forceinline__ words_table(const count_params &made, unsigned char *shared)
        : params(made), words((uint32_t *)shared),
          mine(words + (threadIdx.x & ((1u << made.copies_log2) - 1)))
    {
    }
    __device__ __forceinline__ void clear()
    {
        const unsigned used = params.map.bins << params.copies_log2;
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < used; k += THREADS)
            words[k] = 0;
    }
    __device__ __forceinline__ void add(uint32_t bin, unsigned count)
    {
        atomicAdd(mine + (bin << params.copies_log2), count);
    }
    __device__ __forceinline__ void after_batch(unsigned) {}
    __device__ __forceinline__ uint32_t sum_of(unsigned bin) const
    {
        const unsigned copies = 1u << params.copies_log2;
        uint32_t sum = 0;
#pragma unroll 1
        for (unsigned c = 0; c < copies; c++)
            sum += words[(bin << params.copies_log2) + ((c + bin) & (copies - 1))];
        return sum;
    }
    __device__ __forceinline__ void finish()
    {
#pragma unroll 1
        for (unsigned bin = 2 * threadIdx.x; bin < params.map.bins; bin += 2 * THREADS) {
            const bool two = bin + 1 < params.map.bins;
            const uint32_t even = sum_of(bin), odd = two ? sum_of(bin + 1) : 0;
            if (!params.alone) {
                add_pair_to_counts(params, bin, even, odd);
                continue;
            }
            for (unsigned k = 0; k < 1u + two; k++)
                if (params.wide)
                    ((uint64_t *)params.counts)[bin + k] = k == 0 ? even : odd;
                else
                    ((uint32_t *)params.counts)[bin + k] = k == 0 ? even : odd;
        }
    }
};

struct halves_table {
    static const bool ADDS_MEANWHILE = true;
    enum : unsigned { THREADS = HALVES_THREADS, BLOCKS = HALVES_BLOCKS, ROW = HALVES_ROW };
    const count_params &params;
    uint32_t *const words; /* the lower half counts a bin with an even index */
    unsigned counted;      /* a bound on the block's elements since the last check */

    __device__ __forceinline__ halves_table(const count_params &made, unsigned char *shared)
        : params(made), words((uint32_t *)shared), counted(0)
    {
    }
    /* The word of a pair of bins. It is its own inverse. */
    static __device__ __forceinline__ unsigned place_of(unsigned pair)
    {
        return pair ^ ((pair / ROW ^ pair / (ROW * ROW)) & (ROW - 1));
    }
    __device__ __forceinline__ void clear()
    {
        const uint4 zero = {};
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < params.table_words / 4; k += THREADS)
            ((uint4 *)words)[k] = zero;
    }
    __device__ __forceinline__ void add(uint32_t bin, unsigned count)
    {
        atomicAdd(words + place_of(bin / 2), count << 16 * (bin & 1));
    }
    /* Adds counters that have reached 2^15 to the counts and clears them. */
    __device__ __forceinline__ void take()
    {
        const uint32_t large = 0x8000u, any = large << 16 | large;
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < params.table_words / 4; k += THREADS) {
            const uint4 four = ((const uint4 *)words)[k];
            if (((four.x | four.y | four.z | four.w) & any) == 0)
                continue;
            const uint32_t parts[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (unsigned part = 0; part < 4; part++) {
#pragma unroll
                for (unsigned half = 0; half < 2; half++) {
                    const uint32_t count = parts[part] >> 16 * half & 0xffffu;
                    if ((count & large) == 0)
                        continue;
                    add_to_counts(params, 2 * (size_t)place_of(4 * k + part) + half, count);
                    ((uint16_t *)words)[8 * k + 2 * part + half] = 0;
                }
            }
        }
    }
    __device__ __forceinline__ void after_batch(unsigned elements)
    {
        /* Counters are below 2^15 after a check, and at most 2^15 elements come between two
           checks, so they stay below 2^16. */
        counted += elements;
        if (counted + elements <= HALVES_BETWEEN)
            return;
        counted = 0;
        __syncthreads();
        take();
        __syncthreads();
    }
    __device__ __forceinline__ void finish()
    {
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < (params.map.bins + 1) / 2; k += THREADS) {
            const uint32_t both = words[place_of(k)];
            add_pair_to_counts(params, 2 * (size_t)k, both & 0xffffu, both >> 16);
        }
    }
};

template <unsigned BLOCK_THREADS, unsigned LEAST_BLOCKS>
struct cached_table {
    static const bool ADDS_MEANWHILE = true;
    enum : unsigned { THREADS = BLOCK_THREADS, BLOCKS = LEAST_BLOCKS, NOBODY = 0xffffffffu };
    const count_params &params;
    volatile uint32_t *const owners;
    uint32_t *const words;
    const uint32_t factor;
    unsigned counted; /* a bound on the block's elements since the last check */

    __device__ __forceinline__ cached_table(const count_params &made, unsigned char *shared)
        : params(made), owners((uint32_t *)shared),
          words((uint32_t *)shared + (1u << made.slots_log2)),
          factor((2 * blockIdx.x + 1) * 0x9e3779b1u), counted(0)
    {
    }
    __device__ __forceinline__ void clear()
    {
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < 1u << params.slots_log2; k += THREADS) {
            owners[k] = NOBODY;
            words[k] = 0;
        }
    }
    __device__ __forceinline__ void add(uint32_t bin, unsigned count)
    {
        const unsigned slot = bin * factor >> (32 - params.slots_log2);
        uint32_t owner = owners[slot];
        if (owner == NOBODY) {
            owner = atomicCAS((uint32_t *)owners + slot, (uint32_t)NOBODY, bin);
            owner = owner == NOBODY ? bin : owner;
        }
        if (owner == bin)
            atomicAdd(words + slot, count);
        else
            add_to_counts(params, bin, count);
    }
    /* Adds the table to the counts, and releases the slots of infrequent bins. */
    __device__ __forceinline__ void take()
    {
#pragma unroll 4
        for (unsigned k = threadIdx.x; k < 1u << params.slots_log2; k += THREADS) {
            const uint32_t count = words[k];
            if (count != 0)
                add_to_counts(params, owners[k], count);
            if (count < CACHED_LEAST)
                owners[k] = NOBODY;
            words[k] = 0;
        }
    }
    __device__ __forceinline__ void after_batch(unsigned elements)
    {
        counted += elements;
        if (counted < CACHED_BETWEEN)
            return;
        counted = 0;
        __syncthreads();
        take();
        __syncthreads();
    }
    __device__ __forceinline__ void finish()
    {
        take();
    }
};

#endif
