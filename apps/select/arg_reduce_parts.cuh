/* Reductions of segments to an extreme and its index on CUDA: what is made of elements and of results, in a
   reduction by offsets in equal parts (apps/segments/segmented_reduce_merge_path.cuh). */
#ifndef PARSCAN_APPS_ARG_REDUCE_PARTS_CUH
#define PARSCAN_APPS_ARG_REDUCE_PARTS_CUH

#include "apps/segments/segmented_reduce_merge_path.cuh"
#include "apps/select/select_ranks.cuh"

template <typename BITS>
struct arg_results {
    typedef located<typename rank_type<BITS>::RANK> found;
    key_ranks<BITS> ranks;
    BITS *values; /* NULL: not wanted */
    void *indices;
    BITS empty;
    bool wide;

    __device__ __forceinline__ found element(const BITS *x, size_t first, unsigned i) const
    {
        return found{first + i, ranks.rank(x[i])};
    }

    static __device__ __forceinline__ found of_empty_segment()
    {
        return identity(parscan_operator_FIRST());
    }

    /* Where offsets are wrong, a segment may have found nothing. */
    __device__ __forceinline__ void store(parscan_operator_FIRST, const BITS *in, size_t segment,
                                          size_t from, found best, bool any) const
    {
        const bool there = any && best.at != UINT64_MAX;
        store_index(indices, wide, segment, there ? best.at - from : 0);
        if (values != NULL)
            values[segment] = there ? in[best.at] : empty;
    }
};

#endif
