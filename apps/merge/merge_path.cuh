/*
 * The merge path on CUDA: where the first elements of the merge of two sorted arrays end in each of them.
 * Of equal keys a's come first. Keys are compared as codes (apps/radix/digit_keys.cuh), which have the
 * order of every sort.
 *
 * In whatever order elements are, each answer leaves the rest to b, so it is a place in both arrays.
 *
 * Source: O. Green, R. McColl, D. A. Bader, GPU Merge Path, ICS 2012.
 */
#ifndef PARSCAN_APPS_MERGE_MERGE_PATH_CUH
#define PARSCAN_APPS_MERGE_MERGE_PATH_CUH

#include "apps/radix/digit_keys.cuh"
#include "scan/cuda/first_not.cuh"

/* Two sorted arrays of a class of keys in device memory. */
template <typename KEY>
struct merge_keys {
    typedef typename KEY::Bits Bits;
    const Bits *a, *b;
    size_t n, n2;
    Bits flip; /* of integers */

    __device__ __forceinline__ Bits code(Bits key) const { return KEY::encode(key, flip); }
    __device__ __forceinline__ Bits key(Bits code) const { return KEY::decode(code, flip); }
    static __device__ __forceinline__ Bits rank(Bits code) { return KEY::rank(code, 0); }
    __device__ __forceinline__ Bits rank_a(size_t i) const { return rank(code(a[i])); }
    __device__ __forceinline__ Bits rank_b(size_t j) const { return rank(code(b[j])); }
};

/* How many of the next `count` elements from a[i] and b[j] on are a's. By all lanes of a warp. There are
   that many. */
template <typename KEY>
static __device__ __forceinline__ size_t cross_by_warp(const merge_keys<KEY> &keys, size_t i,
                                                       size_t j, size_t count, unsigned lane)
{
    const size_t of_a = keys.n - i, of_b = keys.n2 - j;
    const size_t low = count > of_b ? count - of_b : 0, high = count < of_a ? count : of_a;
    return first_not_by_warp(low, high, lane, [&](size_t k) {
        return keys.rank_a(i + k) <= keys.rank_b(j + count - 1 - k);
    });
}

/* How many elements of sorted[0..end) are below the rank. By all lanes of a warp. */
template <typename KEY>
static __device__ __forceinline__ size_t below_by_warp(const merge_keys<KEY> &keys,
                                                       const typename KEY::Bits *sorted, size_t end,
                                                       typename KEY::Bits rank, unsigned lane)
{
    return first_not_by_warp(0, end, lane,
                             [&](size_t k) { return keys.rank(keys.code(sorted[k])) < rank; });
}

/* A tile of both arrays as codes in shared memory, those of a before those of b. */
template <typename KEY>
struct merge_tile {
    typedef typename KEY::Bits Bits;
    Bits *codes;
    unsigned of_a, count; /* elements of a, of both */

    __device__ __forceinline__ Bits rank(unsigned at) const
    {
        return merge_keys<KEY>::rank(codes[at]);
    }
    /* How many of the first `diagonal` elements are a's. */
    __device__ __forceinline__ unsigned cross(unsigned diagonal) const
    {
        const unsigned of_b = count - of_a;
        return first_not(diagonal > of_b ? diagonal - of_b : 0, diagonal < of_a ? diagonal : of_a,
                         [&](unsigned i) { return rank(i) <= rank(of_a + diagonal - 1 - i); });
    }
};

/* Loads a tile that begins with a[i] and b[j], by THREADS threads. EACH: the most elements of one. */
template <unsigned THREADS, unsigned EACH, typename KEY>
static __device__ __forceinline__ void load_tile(const merge_keys<KEY> &keys, size_t i, size_t j,
                                                 const merge_tile<KEY> &tile)
{
    typename KEY::Bits loaded[EACH];
    const typename KEY::Bits *const a = keys.a + i + threadIdx.x;
    const typename KEY::Bits *const b = keys.b + j + threadIdx.x - tile.of_a;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        const unsigned at = k * THREADS + threadIdx.x;
        loaded[k] = 0;
        if (at < tile.of_a)
            loaded[k] = a[k * THREADS];
        if (at >= tile.of_a && at < tile.count)
            loaded[k] = b[k * THREADS];
    }
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        const unsigned at = k * THREADS + threadIdx.x;
        if (at < tile.count)
            tile.codes[at] = keys.code(loaded[k]);
    }
}

/* A thread's part of a tile's merge. The last step reads one code beyond the part. */
template <typename KEY>
struct merge_steps {
    typedef typename KEY::Bits Bits;
    merge_tile<KEY> tile;
    unsigned i, j; /* the next elements, as places in the tile: b's begin with of_a */
    Bits a, b, a_rank, b_rank;

    __device__ __forceinline__ merge_steps(const merge_tile<KEY> &of, unsigned diagonal) : tile(of)
    {
        i = of.cross(diagonal);
        j = of.of_a + (diagonal - i);
        a = of.codes[i];
        b = of.codes[j];
        a_rank = merge_keys<KEY>::rank(a);
        b_rank = merge_keys<KEY>::rank(b);
    }
    /* Without a branch: lanes of a warp go different ways. */
    __device__ __forceinline__ bool next_is_a() const
    {
        return (j >= tile.count) | ((i < tile.of_a) & (a_rank <= b_rank));
    }
    __device__ __forceinline__ void pass(bool of_a)
    {
        const unsigned next = of_a ? ++i : ++j;
        const Bits code = tile.codes[next], rank = merge_keys<KEY>::rank(code);
        if (of_a)
            a = code, a_rank = rank;
        else
            b = code, b_rank = rank;
    }
};

#endif
