/*
 * How the warps of a radix sort's pass rank the keys of a tile: each warp counts its keys of each
 * digit, and finds a key's place among those of the same digit; the counts of all warps then tell
 * where the digits start in the tile.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_RANK_KERNELS_CUH
#define PARSCAN_APPS_RADIX_DIGIT_RANK_KERNELS_CUH

#include "apps/radix/digit_pass_shape.cuh"
#include "scan/cuda/pipeline.cuh"

/* The lanes that have the same digit. */
static __device__ __forceinline__ unsigned match_by_votes(unsigned digit)
{
    unsigned same = 0xffffffffu;
#pragma unroll
    for (unsigned b = 0; b < SORT_DIGIT_BITS; b++)
        same = lanes_that_agree(digit, 1u << b, same);
    return same;
}

/* The same, by a word of masks for each digit. The words are zero before and after. */
static __device__ __forceinline__ unsigned match_by_masks(uint32_t *masks, unsigned digit,
                                                          unsigned lane)
{
    atomicOr(masks + digit, 1u << lane);
    __syncwarp();
    const unsigned same = masks[digit];
    __syncwarp();
    if (31 - __clz((int)same) == (int)lane)
        masks[digit] = 0;
    __syncwarp();
    return same;
}

/* Finds the place in the tile of MATCHED keys with these digits, and advances the row to the
   places of the warp's next keys. The first MASKED keys are matched by masks, the others by
   votes: votes take many instructions, masks much traffic in shared memory. The place of an
   absent key means nothing. */
template <typename S>
static __device__ __forceinline__ void rank_by_votes(uint32_t *row, uint32_t *masks, unsigned lane,
                                                     const unsigned (&digits)[S::MATCHED],
                                                     unsigned (&places)[S::MATCHED])
{
    unsigned same[S::MATCHED], old[S::MATCHED];
#pragma unroll
    for (unsigned k = 0; k < S::MATCHED; k++) {
        same[k] = (int)k < (int)S::MASKED
                      ? match_by_masks(masks, digits[k] & (SORT_DIGITS - 1), lane)
                      : match_by_votes(digits[k]);
        if (S::Key::HAS_ABSENT)
            same[k] &= __ballot_sync(0xffffffffu, digits[k] != NO_DIGIT);
    }
#pragma unroll
    for (unsigned k = 0; k < S::MATCHED; k++) {
        old[k] = 0;
        if (31 - __clz((int)same[k]) == (int)lane)
            old[k] = atomicAdd(row + digits[k], (unsigned)__popc(same[k]));
        __syncwarp(); /* the next key's leader may be another lane */
    }
#pragma unroll
    for (unsigned k = 0; k < S::MATCHED; k++)
        places[k] = __shfl_sync(0xffffffffu, old[k], 31 - __clz((int)same[k])) +
                    __popc(same[k] & ((1u << lane) - 1));
}

static __device__ __forceinline__ uint32_t *counter_of(uint32_t *row, unsigned four)
{
    return (uint32_t *)((char *)row + four);
}

/* The digit (times 4) that many lanes have, or NO_DIGIT. Atomic additions of many lanes to one
   counter would be serialised. */
static __device__ __forceinline__ unsigned frequent_digit(unsigned four)
{
    const unsigned MANY = 6, most = most_frequent_of_lanes(four);
    return most >> 16 >= MANY ? most & 0xffff : NO_DIGIT;
}

/* Counts the digit, if the lane has a key, and returns the count before it. Lanes with the
   frequent digit are counted together, in the order of lanes. Called by the whole warp. */
static __device__ __forceinline__ uint32_t count_beside(uint32_t *row, unsigned lane, unsigned four,
                                                        unsigned frequent, bool here)
{
    const bool among = here && four == frequent;
    const unsigned same = __ballot_sync(0xffffffffu, among);
    const unsigned lower = (unsigned)__popc(same & ((1u << lane) - 1));
    uint32_t old = 0;
    if (here && (!among || lower == 0))
        old = atomicAdd(counter_of(row, four), among ? (unsigned)__popc(same) : 1u);
    const uint32_t first = __shfl_sync(0xffffffffu, old, same != 0 ? __ffs((int)same) - 1 : 0);
    return among ? first + lower : old;
}

/* Turns the counts in the rows into the places where each warp's keys of each digit start. A
   thread handles one digit. Called by the whole block. */
template <typename S, typename SHARED>
static __device__ __forceinline__ void place_digits(SHARED &shared)
{
    const unsigned digit = threadIdx.x, lane = threadIdx.x % 32;
    uint32_t before[S::WARPS], sum = 0, through = 0;
    if (digit < SORT_DIGITS) {
#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            before[w] = sum;
            sum += shared.rows[w][digit];
        }
        through = prefix_in_warp(sum, shared.warp_sums, digit / 32, lane);
    }
    __syncthreads();
    if (digit >= SORT_DIGITS)
        return;
    through = with_warps_before<SORT_DIGITS / 32>(through - sum, shared.warp_sums, digit / 32);
#pragma unroll
    for (unsigned w = 0; w < S::WARPS; w++) {
        if (S::READS_AGAIN) { /* registers are short */
            sum = shared.rows[w][digit];
            shared.rows[w][digit] = through;
            through += sum;
        } else {
            shared.rows[w][digit] = through + before[w];
        }
    }
    if constexpr (S::Key::HAS_ABSENT) {
        static_assert(!S::READS_AGAIN, "the counts must be in registers");
        if (digit == SORT_DIGITS - 1)
            shared.present = through + sum;
    }
}

#endif
