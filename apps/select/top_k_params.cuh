/* What all kernels of top-k have: their parameters, where results go, the range of a segment. */
#ifndef PARSCAN_APPS_TOP_K_PARAMS_CUH
#define PARSCAN_APPS_TOP_K_PARAMS_CUH

#include "apps/segments/segment_search.cuh"
#include "apps/select/select_chunks.cuh"
#include "apps/select/top_k_choose.cuh"
#include "apps/select/top_k_cuda.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

enum { TOP_FLAT_THREADS = 256 };

/* Where results go. */
template <typename BITS>
struct top_results {
    const BITS *in;
    BITS *values;
    void *indices;
    bool wide;
    size_t k;
    uint64_t *counts, *count;
    uint64_t segments; /* what *count becomes without offsets */

    /* Result j of a segment that starts with element `begin`, and has `length`. */
    __device__ __forceinline__ void store(size_t segment, size_t j, size_t begin, size_t length,
                                          size_t place) const
    {
        /* An array that another kernel changes meanwhile may have left places that are none. */
        const size_t at = place < length ? place : 0;
        store_index(indices, wide, segment * k + j, at);
        if (values != NULL)
            values[segment * k + j] = in[begin + at];
    }

    /* The element of a rank, which is at a place of the array. */
    template <typename RANK>
    __device__ __forceinline__ BITS value_of(RANK rank, const key_ranks<BITS> &ranks,
                                             size_t place) const
    {
        return ranks.is_nan(rank) ? in[place] : ranks.key(rank);
    }

    /* As store(), of a result with its rank: the array is not read again. */
    template <typename CODE>
    __device__ __forceinline__ void store_code(size_t segment, size_t j, size_t begin,
                                               size_t length, CODE code,
                                               const key_ranks<BITS> &ranks) const
    {
        typedef typename rank_type<BITS>::RANK RANK;
        const size_t place = (size_t)code_of<CODE>::place(code), at = place < length ? place : 0;
        store_index(indices, wide, segment * k + j, at);
        if (values != NULL)
            values[segment * k + j] = value_of((RANK)code_of<CODE>::rank(code), ranks, begin + at);
    }
};

template <typename BITS, typename CODE>
struct top_params {
    typedef typename code_of<CODE>::PART PART;
    element_source<BITS, CODE> elements;
    size_t n, samples, room;
    size_t shortest; /* warps take segments of fewer elements */
    size_t row;      /* the length of rows, if the kernel takes rows */
    top_results<BITS> to;
    segment_offsets offsets;
    CODE *sampled;
    top_k_state *state;
    PART *ranks, *places;
    const PART *sorted;
    uint32_t *segment_of;
    tile_chain chain;
    device_length length;

    __host__ __device__ void set_length(size_t elements) { n = elements; }
    /* The results of the array. */
    __device__ __forceinline__ size_t results() const { return to.k < n ? to.k : n; }
    __device__ __forceinline__ code_bits bits() const
    {
        return code_bits::of(8 * (unsigned)sizeof(BITS), n);
    }
};

struct segment_range {
    size_t begin, length;
    bool right; /* its offsets are */
};

/* Reads the offsets of a segment. tells: leaves an error if they are wrong. */
static __device__ __forceinline__ segment_range range_of(const segment_offsets &offsets,
                                                         size_t segment, bool tells)
{
    const auto at = [&](size_t k) -> size_t {
        return offsets.wide ? ((const uint64_t *)offsets.data)[k]
                            : ((const uint32_t *)offsets.data)[k];
    };
    const size_t begin = at(segment), end = at(segment + 1);
    const bool wrong_first = segment == 0 && offset_is_wrong(offsets, 0, begin, 0);
    const bool wrong = wrong_first || offset_is_wrong(offsets, segment + 1, end, begin);
    if (wrong && tells)
        leave_error(offsets, wrong_first ? 0 : segment + 1);
    return {begin, end - begin, !wrong};
}

/* Stores the number of segments. Without segments nobody has read the only offset. By one thread. */
template <typename BITS>
static __device__ __forceinline__ void end_segments(const segment_offsets &offsets,
                                                    const top_results<BITS> &to)
{
    if (offsets.data != NULL && offsets.count == 0) {
        const size_t first =
            offsets.wide ? *(const uint64_t *)offsets.data : *(const uint32_t *)offsets.data;
        if (offset_is_wrong(offsets, 0, first, 0))
            leave_error(offsets, 0);
    }
    if (to.count != NULL)
        *to.count = offsets.data != NULL ? offsets.count : to.segments;
}
#endif
