/*
 * How a block orders the elements in its registers by digits: for each digit, every warp counts and ranks its
 * own keys, the block scans the counts of all warps, and keys and indices are exchanged through shared
 * memory. Keys without values are ranked by the values that atomic additions to the counters return, as in
 * digit_pass_kernels.cuh. If the hardware did not serve the lanes in their order, the result is out of
 * order. Then it is made again, by votes.
 */
#ifndef PARSCAN_APPS_RADIX_BLOCK_DIGIT_KERNELS_CUH
#define PARSCAN_APPS_RADIX_BLOCK_DIGIT_KERNELS_CUH

#include "apps/radix/block_bucket_kernels.cuh"
#include "apps/radix/digit_tile_kernels.cuh"

/* Finds each key's rank among the keys of its warp that have the same digit, and counts the
   warp's digits. Only for warps that have elements. */
template <typename S, typename PARAMS>
static __device__ __forceinline__ void
rank_by_votes_in_warp(const PARAMS &params, const block_elements<S> &here, uint32_t *row,
                      unsigned pass, const typename S::Bits (&keys)[S::ITEMS],
                      unsigned (&ranks)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i += S::MATCHED) {
        unsigned digits[S::MATCHED], places[S::MATCHED];
        if (i >= here.items)
            break;
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            digits[k] = params.digit[pass].unless_absent(keys[i + k]);
        rank_by_votes<S>(row, NULL, threadIdx.x % 32, digits, places);
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            ranks[i + k] = places[k];
    }
}

/* Ranks keys by the values that the atomic additions to the counters return. */
template <typename S, typename PARAMS>
static __device__ __forceinline__ void
rank_by_counts_in_warp(const PARAMS &params, const block_elements<S> &here, uint32_t *row,
                       unsigned pass, const typename S::Bits (&keys)[S::ITEMS],
                       unsigned (&ranks)[S::ITEMS])
{
    const digit_of<typename S::Key> &digit = params.digit[pass];
    const unsigned lane = threadIdx.x % 32;
    const unsigned frequent = frequent_digit(digit.template times<2>(keys[0]));
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if (i >= here.items)
            break;
        const unsigned own = digit.template times<2>(keys[i]);
        ranks[i] = frequent != NO_DIGIT ? count_beside(row, lane, own, frequent, true)
                                        : atomicAdd(counter_of(row, own), 1u);
    }
}

/* Puts all elements in the order of one digit. Every thread has read the stage of the pass before
   when the counts are placed. */
template <typename S, typename PARAMS>
static __device__ __forceinline__ void
order_by_digit(const PARAMS &params, block_sort_shared<S> &shared, const block_elements<S> &here,
               unsigned pass, bool by_counts, typename S::Bits (&keys)[S::ITEMS],
               unsigned (&indices)[S::ITEMS])
{
    uint32_t *const row = shared.rows[threadIdx.x / 32];
    unsigned ranks[S::ITEMS];
    clear_row(row, threadIdx.x % 32);
    __syncwarp();
    if (here.warp_has_any() && by_counts)
        rank_by_counts_in_warp<S>(params, here, row, pass, keys, ranks);
    else if (here.warp_has_any())
        rank_by_votes_in_warp<S>(params, here, row, pass, keys, ranks);
    __syncthreads();
    place_digits<S>(shared);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (here.warp_has_any() && i < here.items && !is_absent<typename S::Key>(keys[i])) {
            const unsigned place = row[params.digit[pass](keys[i])] + ranks[i];
            shared.keys[place] = keys[i];
            if (S::HAS_INDICES)
                shared.indices[place] = (uint16_t)indices[i];
        }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (here.warp_has_any() && i < here.items) {
            keys[i] = shared.keys[here.first() + i * 32];
            if (S::HAS_INDICES)
                indices[i] = shared.indices[here.first() + i * 32];
            if constexpr (S::Key::HAS_ABSENT)
                keys[i] = here.first() + i * 32 < shared.present ? keys[i] : S::Key::ABSENT;
        }
}

/* Whether some key is less than the one before it. The keys are in shared memory, too. */
template <typename S, typename PARAMS>
static __device__ __forceinline__ bool
is_disordered(const PARAMS &params, const block_sort_shared<S> &shared,
              const block_elements<S> &here, const typename S::Bits (&keys)[S::ITEMS])
{
    bool disordered = false;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (here.has(i) && here.first() + i > 0)
            disordered |=
                params.compared(shared.keys[here.first() + i * 32 - 1]) > params.compared(keys[i]);
    return disordered;
}

/* Orders the elements by digits, and calls emit() as order_by_buckets() does. load() fills keys.
   by_counts: elements are ranked by counts at first. Digits above those in which the keys of the extent
   differ are left out. */
template <typename S, typename PARAMS, typename Load, typename Emit>
static __device__ __forceinline__ void
order_by_digits(const PARAMS &params, block_sort_shared<S> &shared, const block_elements<S> &here,
                bool by_counts, const key_extent<typename S::Bits> &extent,
                typename S::Bits (&keys)[S::ITEMS], Load load, Emit emit)
{
    unsigned indices[S::ITEMS];
    bool again = true;
#pragma unroll 1
    while (again) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            indices[i] = here.first() + i * 32;
#pragma unroll 1
        for (unsigned p = 0; p < params.passes; p++)
            if ((S::Key::HAS_ABSENT && p == 0) ||
                (typename S::Bits)(extent.least ^ extent.most) >> params.digit[p].low != 0)
                order_by_digit<S>(params, shared, here, p, by_counts, keys, indices);
        again = by_counts && __syncthreads_or(is_disordered(params, shared, here, keys));
        by_counts = false;
        if (again)
            load();
    }
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (here.has(i) && !is_absent<typename S::Key>(keys[i]))
            emit(here.first() + i * 32, keys[i], indices[i]);
}

#endif
