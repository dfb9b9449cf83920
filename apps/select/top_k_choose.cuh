/*
 * What one block does of a top-k on CUDA: it chooses the k first of any number of elements, in its shared
 * memory, and sorts them.
 *
 * An element is a code, its rank and below that its place: so no two codes are equal, and the least k
 * codes are the result, whatever is equal. Codes that do not fit are thinned out: a limit is found that k codes and
 * some more pass. It is taken from a sample, one code of each of equal parts of the array; if that was not
 * good, it is counted: from the top on digits of codes tell in which digit the k-th is (radix select).
 *
 * A source is anything that has get(i), the code of element i.
 */
#ifndef PARSCAN_APPS_TOP_K_CHOOSE_CUH
#define PARSCAN_APPS_TOP_K_CHOOSE_CUH

#include <math.h>

#include "apps/select/select_ranks.cuh"
#include "apps/select/top_k_codes.cuh"
#include "scan/cuda/block_prefix.cuh"

#define TOP_AT_ONCE 8u   /* elements that a thread loads at once */
#define COUNT_AT_ONCE 4u /* the same where it counts digits */

/* Which bits codes have: those of ranks, and those of places of n elements. */
struct code_bits {
    unsigned rank, place;

    static __device__ __forceinline__ code_bits of(unsigned rank, size_t n)
    {
        return code_bits{rank, n <= 1 ? 1 : 64u - (unsigned)__clzll((long long)(n - 1))};
    }
};

template <typename CODE>
struct choose_shared {
    CODE codes[code_of<CODE>::ROOM];
    typedef typename code_of<CODE>::COUNT COUNT;
    uint32_t counts[code_of<CODE>::DIGITS]; /* of fewer than 2^32 codes */
    COUNT sums[32];
    COUNT before, through;
    CODE limit;
    unsigned digit;
    unsigned count; /* of codes */
};

/* The codes of elements of an array. */
template <typename BITS, typename CODE>
struct element_source {
    const BITS *in;
    key_ranks<BITS> ranks;

    __device__ __forceinline__ CODE get(size_t i) const
    {
        typedef typename code_of<CODE>::PART PART;
        return code_of<CODE>::make((PART)ranks.rank(in[i]), (PART)i);
    }
};

/* The place of one element of part `part` of the array's `parts` equal ones: another place in each. parts: a power of 2. */
static __device__ __forceinline__ size_t sample_place(size_t n, size_t parts, size_t part)
{
    const unsigned shift = 63 - (unsigned)__clzll((long long)parts);
    const size_t begin = part * n >> shift, width = ((part + 1) * n >> shift) - begin;
    uint64_t mixed = (part + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return begin + (size_t)((mixed >> 32) * width >> 32);
}

/* The place of the limit in a sorted sample: k of n elements pass it, but in a few of 10^8 cases for
   `sure` = 6. */
static __host__ __device__ inline size_t sample_limit(size_t k, size_t n, size_t samples,
                                                      double sure)
{
    const double mean = (double)k * (double)samples / (double)n;
    const size_t at = (size_t)(mean + sure * sqrt(mean)) + 5;
    return at < samples ? at : samples;
}

template <unsigned THREADS, typename CODE>
struct choose_block {
    typedef code_of<CODE> of;
    typedef typename of::COUNT COUNT;
    choose_shared<CODE> &shared;

    static const unsigned EACH = of::DIGITS / THREADS;

    /* Finds the digit in which the k-th of the counted codes is, with what is below it. mine: the numbers of the
       thread's digits. */
    __device__ __forceinline__ void find_digit(const COUNT (&mine)[EACH], COUNT k) const
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        COUNT sum = 0;
#pragma unroll
        for (const COUNT count : mine)
            sum += count;
        COUNT through = prefix_in_warp(sum, shared.sums, warp, lane);
        __syncthreads();
        through = with_warps_before(through, shared.sums, warp);
        COUNT before = through - sum;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) {
            /* What changes meanwhile may count less: then it is the last digit. */
            const bool is_last = threadIdx.x * EACH + e == of::DIGITS - 1;
            if (before < k && (k <= before + mine[e] || is_last)) {
                shared.digit = threadIdx.x * EACH + e;
                shared.before = before;
                shared.through = before + mine[e];
            }
            before += mine[e];
        }
        __syncthreads();
    }

    /* Counts the digits low to high - 1 of the codes that have the bits of `fixed` above them. */
    template <unsigned AT_ONCE, typename SOURCE>
    __device__ __forceinline__ void count_digits(const SOURCE &source, size_t n, CODE fixed,
                                                 unsigned low, unsigned high,
                                                 COUNT (&mine)[EACH]) const
    {
        const size_t PIECE = (size_t)1 << 31;
        const uint32_t mask = (1u << (high - low)) - 1;
        const CODE above = of::above(fixed, high);
        for (size_t begin = 0; begin < n; begin += PIECE) {
            const size_t end = n - begin < PIECE ? n : begin + PIECE;
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                shared.counts[threadIdx.x * EACH + e] = 0;
            __syncthreads();
#pragma unroll 1
            for (size_t first = begin + threadIdx.x; first < end; first += AT_ONCE * THREADS) {
                CODE codes[AT_ONCE];
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++)
                    if (first + k * THREADS < end)
                        codes[k] = source.get(first + k * THREADS);
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++)
                    if (first + k * THREADS < end && of::above(codes[k], high) == above)
                        atomicAdd(&shared.counts[(uint32_t)(codes[k] >> low) & mask], 1u);
            }
            __syncthreads();
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                mine[e] += shared.counts[threadIdx.x * EACH + e];
        }
    }

    /* A limit that at least k, and at most `most` >= k, of n codes pass. */
    template <unsigned AT_ONCE = COUNT_AT_ONCE, typename SOURCE>
    __device__ __forceinline__ CODE counted_limit(const SOURCE &source, size_t n, size_t k,
                                                  size_t most, code_bits bits) const
    {
        CODE fixed = 0;
        unsigned high = of::PART_BITS + bits.rank;
        for (;;) {
            const unsigned end = high > of::PART_BITS ? of::PART_BITS : 0;
            const unsigned low = high - end > of::DIGIT_BITS ? high - of::DIGIT_BITS : end;
            COUNT mine[EACH] = {};
            count_digits<AT_ONCE>(source, n, fixed, low, high, mine);
            find_digit(mine, (COUNT)k);
            fixed |= (CODE)shared.digit << low;
            const size_t before = shared.before, through = shared.through;
            __syncthreads();
            if (through <= most || low == 0)
                return fixed | (((CODE)1 << low) - 1);
            k -= before < k ? before : k - 1;
            most -= before < most ? before : most;
            high = low == of::PART_BITS ? bits.place : low;
        }
    }

    /* Puts the codes of n that pass the limit into shared memory. Returns their number; those above the room are
       left out. */
    template <typename SOURCE>
    __device__ __forceinline__ unsigned collect(const SOURCE &source, size_t n, CODE limit) const
    {
        if (threadIdx.x == 0)
            shared.count = 0;
        __syncthreads();
#pragma unroll 1
        for (size_t base = threadIdx.x; base < n; base += TOP_AT_ONCE * THREADS) {
            CODE codes[TOP_AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < TOP_AT_ONCE; k++)
                codes[k] = base + k * THREADS < n ? source.get(base + k * THREADS) : of::last();
#pragma unroll
            for (unsigned k = 0; k < TOP_AT_ONCE; k++)
                if (codes[k] <= limit && base + k * THREADS < n) {
                    const unsigned at = atomicAdd(&shared.count, 1u);
                    if (at < of::ROOM)
                        shared.codes[at] = codes[k];
                }
        }
        __syncthreads();
        const unsigned count = shared.count;
        __syncthreads();
        return count;
    }

    struct sampled {
        const CODE *codes;
        __device__ __forceinline__ CODE get(size_t i) const { return codes[i]; }
    };

    /* Puts the k first codes of n >= k into shared memory, with some more, in any order. Returns their
       number. k is at least 1 and at most half of the room. */
    template <typename SOURCE>
    __device__ __forceinline__ unsigned choose(const SOURCE &source, size_t n, size_t k,
                                               code_bits bits) const
    {
        if (n <= of::ROOM / 4)
            return collect(source, n, of::last());
        if (n >= 4 * (size_t)of::ROOM) {
            const size_t samples = of::ROOM, at = sample_limit(k, n, samples, 4);
            for (size_t s = threadIdx.x; s < samples; s += THREADS)
                shared.codes[s] = source.get(sample_place(n, samples, s));
            __syncthreads();
            const CODE limit = counted_limit(sampled{shared.codes}, samples, at, at + at / 8, bits);
            const unsigned count = collect(source, n, limit);
            if (count >= k && count <= of::ROOM)
                return count;
        }
        const size_t most = 2 * k + 64 < of::ROOM ? 2 * k + 64 : (size_t)of::ROOM;
        const unsigned count = collect(source, n, counted_limit(source, n, k, most, bits));
        return count < of::ROOM ? count : of::ROOM;
    }

    /* Sorts the first `count` codes of shared memory, and puts last codes behind them. */
    __device__ __forceinline__ void sort(unsigned count) const
    {
        unsigned size = 32;
        while (size < count)
            size *= 2;
        for (unsigned i = count + threadIdx.x; i < size; i += THREADS)
            shared.codes[i] = of::last();
        __syncthreads();
        for (unsigned run = 2; run <= size; run *= 2)
            for (unsigned step = run / 2; step > 0; step /= 2) {
                for (unsigned t = threadIdx.x; t < size / 2; t += THREADS) {
                    const unsigned i = t / step * 2 * step + t % step, j = i + step;
                    const CODE a = shared.codes[i], b = shared.codes[j];
                    if ((b < a) == ((i & run) == 0)) {
                        shared.codes[i] = b;
                        shared.codes[j] = a;
                    }
                }
                __syncthreads();
            }
    }
};

#endif
