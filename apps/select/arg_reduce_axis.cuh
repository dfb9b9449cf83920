/*
 * Extremes with their index along an axis on CUDA, in the kernel of reductions (scan/axis/axis_reduce.cuh). A sum is
 * the least rank so far and its row. A thread reads rows in their order, so only a lesser rank is taken; what has found
 * none below the last rank of all has the first row.
 */
#ifndef PARSCAN_APPS_ARG_REDUCE_AXIS_CUH
#define PARSCAN_APPS_ARG_REDUCE_AXIS_CUH

#include "apps/select/select_ranks.cuh"
#include "scan/axis/axis_params.cuh"

/* A result of line o, i of the caller's. */
struct arg_axis_output {
    char *data; /* NULL: not wanted */
    int64_t outer, inner;

    __device__ __forceinline__ char *at(size_t o, size_t i) const
    {
        return data + (int64_t)o * outer + (int64_t)i * inner;
    }
};

template <typename BITS>
struct arg_axis_scalars {
    key_ranks<BITS> ranks;
    BITS empty; /* the value of no elements */
    arg_axis_output values, indices;
    size_t inner; /* of the caller's: params.out counts lines in their order */
    bool wide;    /* indices have 8 bytes, else 4 */
};

template <typename BITS>
struct arg_axis_types : axis_types<BITS, located<typename rank_type<BITS>::RANK>, BITS> {
    typedef arg_axis_scalars<BITS> Scalars;
};

template <unsigned ROWS, typename S>
static __device__ __forceinline__ typename S::T
add_rows(parscan_operator_FIRST, const axis_params<S> &params, const typename S::In (&x)[ROWS],
         size_t row, unsigned step, size_t end, typename S::T least)
{
    auto rank = least.rank;
    unsigned first = ROWS;
#pragma unroll
    for (unsigned j = 0; j < ROWS; j++) {
        const auto own = params.scalars.ranks.rank(x[j]);
        if (row + j * step < end && own < rank) {
            rank = own;
            first = j;
        }
    }
    return first == ROWS ? least : typename S::T{row + first * step, rank};
}

template <typename S>
static __device__ __forceinline__ void store_sum(parscan_operator_FIRST,
                                                 const axis_params<S> &params, const char *in,
                                                 char *line, typename S::T least)
{
    typedef typename S::In In;
    const typename S::Scalars &to = params.scalars;
    const size_t q = (size_t)line, o = to.inner == 1 ? q : q / to.inner, i = q - o * to.inner;
    const size_t index = least.at == UINT64_MAX ? 0 : least.at;
    if (to.values.data != NULL)
        *(In *)to.values.at(o, i) =
            params.n == 0 ? to.empty : load_at<In>(in + (int64_t)index * params.in.n);
    if (to.indices.data != NULL)
        store_index(to.indices.at(o, i), to.wide, 0, index);
}

#endif
