/* Elements as numbers that compare as they do, and with their places, on CUDA. */
#ifndef PARSCAN_APPS_SELECT_RANKS_CUH
#define PARSCAN_APPS_SELECT_RANKS_CUH

#include <stdint.h>

#include "apps/select/select_order.h"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/warp_scan.cuh"

template <typename BITS>
struct rank_type {
    typedef uint32_t RANK;
};
template <>
struct rank_type<uint64_t> {
    typedef uint64_t RANK;
};

/* select_order of elements of one size. */
template <typename BITS>
struct key_ranks {
    typedef typename rank_type<BITS>::RANK RANK;
    BITS signs, flip, infinity, nan;

    __host__ void set(const select_order &order)
    {
        signs = (BITS)order.signs;
        flip = (BITS)order.flip;
        infinity = (BITS)order.infinity;
        nan = (BITS)order.nan;
    }

    __device__ __forceinline__ RANK rank(BITS key) const
    {
        if constexpr (sizeof(BITS) == 1)
            return (BITS)(key ^ flip); /* no floats */
        return exceeds(size(key)) ? nan : number_rank(key);
    }

    /* The rank of what is not a NaN. */
    __device__ __forceinline__ RANK number_rank(BITS key) const
    {
        const BITS negative = (BITS)(0 - (BITS)(key >> (8 * sizeof(BITS) - 1)));
        return (BITS)(key ^ (negative & signs) ^ flip);
    }

    /* Without its sign. Of elements with the greatest size it is enough to know whether it exceeds infinity: then there
       are NaNs among them. */
    __device__ __forceinline__ BITS size(BITS key) const { return (BITS)(key << 1); }
    __device__ __forceinline__ bool exceeds(BITS greatest) const
    {
        return greatest > (BITS)(infinity << 1);
    }

    /* The rank of an element that has this number_rank(). */
    __device__ __forceinline__ RANK with_nan(RANK number) const
    {
        return exceeds(size(key(number))) ? nan : number;
    }

    /* Whether elements of this rank are NaNs, whose bits it does not tell. */
    __device__ __forceinline__ bool is_nan(RANK rank) const
    {
        return (BITS)rank == nan && infinity != (BITS) ~(BITS)0;
    }

    /* The element of a rank, but of a NaN's. */
    __device__ __forceinline__ BITS key(RANK rank) const
    {
        const BITS signed_key = (BITS)((BITS)rank ^ flip);
        const BITS negative = (BITS)(0 - (BITS)(signed_key >> (8 * sizeof(BITS) - 1)));
        return (BITS)(signed_key ^ (negative & signs));
    }
};

/* An element's rank and its place. */
template <typename RANK>
struct located {
    uint64_t at;
    RANK rank;
};

/* The lesser rank, of equal ones the lesser place. */
struct parscan_operator_FIRST {
    static const bool commutes = true;
};

template <typename RANK>
static __device__ __forceinline__ bool comes_before(const located<RANK> &a, const located<RANK> &b)
{
    return a.rank < b.rank || (a.rank == b.rank && a.at < b.at);
}

template <typename RANK>
static __device__ __forceinline__ located<RANK> combine(parscan_operator_FIRST, located<RANK> a,
                                                        located<RANK> b)
{
    return comes_before(b, a) ? b : a;
}

/* Behind all elements. */
template <typename RANK>
static __host__ __device__ void identity_of(parscan_operator_FIRST, located<RANK> *value)
{
    value->at = UINT64_MAX;
    value->rank = (RANK) ~(RANK)0;
}

/* Stores an index of 8 bytes, if `wide`, or 4. NULL: nowhere. */
static __device__ __forceinline__ void store_index(void *indices, bool wide, size_t at,
                                                   uint64_t index)
{
    if (indices == NULL)
        return;
    if (wide)
        ((uint64_t *)indices)[at] = index;
    else
        ((uint32_t *)indices)[at] = (uint32_t)index;
}

#endif
