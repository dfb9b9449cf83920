/* What a kernel of the reproducible scan is told: the shape of its tiles, by its type, and the call. */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_TREE_PARAMS_CUH
#define PARSCAN_SCAN_REPRODUCIBLE_TREE_PARAMS_CUH

#include "scan/cuda/half.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/tile_prefix.cuh"
#include "scan/reproducible/tree.h"

template <typename In_, typename T_, unsigned LANE_, unsigned WARPS_, unsigned BLOCKS_,
          typename Out_ = T_>
struct tree_shape {
    typedef In_ In;
    typedef T_ T;
    typedef Out_ Out;
    enum : unsigned {
        LANE = LANE_,     /* elements of a vector */
        WARPS = WARPS_,   /* below 32 */
        BLOCKS = BLOCKS_, /* the number of blocks that a multiprocessor should hold */
        THREADS = WARPS * 32,
        TILE = WARPS * TREE_TILE,
        VECTORS = TREE_TILE / 32 / LANE, /* the number of vectors of a lane */
        SPAN = ROW / LANE,               /* the number of lanes that a row takes */
        ROWS_AT_ONCE = 32 / SPAN
    };
};

template <typename S>
struct tree_params {
    const typename S::In *in; /* the first element in the order of combination */
    typename S::Out *out;
    int step; /* from one element to the next: 1, or -1 in reverse, only with LANE = 1 */
    size_t n;
    typename S::T start; /* init, or the identity */
    typename S::T first; /* the first element of an exclusive scan, or the reduction of nothing */
    device_scalar init;  /* in place of both */
    bool exclusive, reduces;
    bool keeps; /* an inclusive scan copies the input's first element */
    tile_chain chain;
    device_length length;

    /* In reverse the first element is the last one in memory. With n = 0 on the host, in and out are
       the arrays. */
    __host__ __device__ void set_length(size_t elements)
    {
        if (S::LANE == 1 && step < 0) {
            const ptrdiff_t further = (ptrdiff_t)(last_of(elements) - last_of(n));
            in += further;
            out += reduces ? 0 : further;
        }
        n = elements;
    }

  private:
    static __host__ __device__ size_t last_of(size_t elements)
    {
        return elements > 0 ? elements - 1 : 0;
    }
};

#endif
