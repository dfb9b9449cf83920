/*
 * The two kernels of the hierarchical scan on CUDA, for any block algorithm: reduce, then scan.
 *
 *     reduce_tiles_of   reduces every tile: the array is read once
 *     scan_tiles_of     scans every tile by the block algorithm. The sum of the tiles before it
 *                       is added to its first element. The array is read once more, and
 *                       written once
 *
 * Between the two, the sums are scanned in the same way (hierarchical_cuda.c). Scanning first and
 * then adding the sums would read and write the array once more.
 *
 * To keep memory busy, much must be loaded at once. So a thread block loads a batch of tiles to
 * shared memory, 16 bytes for each thread and load. It scans one tile after another, or each warp
 * scans its own tiles. It stores the tiles as it has loaded them. The usual shapes of the
 * algorithms are constants here (TUNED), so that their loops are unrolled. With any other shape a
 * batch is one tile.
 */
#ifndef PARSCAN_SCAN_HIERARCHICAL_KERNELS_CUH
#define PARSCAN_SCAN_HIERARCHICAL_KERNELS_CUH

#include "scan/cuda/cuda_block.cuh"

#include "scan/block/block_scan.h"
#include "scan/cuda/length.cuh"
#include "scan/scan_plan.h"
#include "scan/single_pass/reduce_kernels.cuh"

#define REDUCE_TILES_THREADS (1u << REDUCE_TILES_SHARING)
#define PIECES_AT_ONCE 4u /* 16-byte pieces that a thread of a reduction loads at once */

#define BATCH_THREADS 256u
#define BATCH 4096u /* elements; a multiple of every tuned tile */
/* The number of blocks that a multiprocessor should hold at once; registers limit it, shared memory
   does not. */
#define BATCH_BLOCKS(T) (sizeof(T) < 8 ? 6u : 5u)

template <typename In, typename T, typename Out = T>
struct level_params {
    INPUT_VIEW in;
    OUTPUT_VIEW out;
    parscan_block_shape shape;
    bool exclusive;
    size_t tiles, batches;
    unsigned tiles_a_batch;
    unsigned sharing; /* 2^sharing threads reduce a tile: some of a warp, or all of a block */
    T *sums;          /* reduce: out, the sum of each tile; scan: in, its prefix; NULL: one tile */
    bool starts;      /* `start` comes before the first element */
    T start, first;   /* first: what an exclusive scan starts with */
    device_scalar init;     /* in place of both */
    size_t n;               /* elements of the call */
    size_t span, tile_span; /* how many of them are one element of the level, and one tile */
    device_length length;

    __device__ __forceinline__ void read_init()
    {
        if (init.at != nullptr)
            start = first = read_scalar<T>(init);
    }

    __host__ __device__ void set_length(size_t elements)
    {
        n = elements;
        in.n = out.n = pieces_of(elements, span);
        tiles = pieces_of(elements, tile_span);
        batches = tiles_a_batch > 1 ? pieces_of(in.n, BATCH) : tiles;
    }

  private:
    static __host__ __device__ size_t pieces_of(size_t elements, size_t piece)
    {
        return elements / piece + (elements % piece != 0);
    }
};

/* Reduces the share of one of `threads` threads of the elements begin to end - 1, in the order of
   combination. */
template <typename OPERATOR, typename In, typename T>
static __device__ __forceinline__ T reduce_share(OPERATOR op, const INPUT_VIEW &in, size_t begin,
                                                 size_t end, unsigned thread, unsigned threads)
{
    if (OPERATOR::commutes)
        return reduce_strided<PIECES_AT_ONCE, OPERATOR, In, T>(
            op, (const In *)in.data, in.reverse ? in.n - end : begin,
            in.reverse ? in.n - begin : end, reduce_sharers{thread, threads});
    const size_t each = (end - begin + threads - 1) / threads, from = begin + thread * each;
    T sum = identity(op);
    for (size_t i = from; i < end && i < from + each; i++)
        sum = combine(op, sum, load(&in, i));
    return sum;
}

/* READS: it reads a length in device memory. In one kernel for both, that takes registers from the others. */
template <typename In, typename T, typename OPERATOR, typename Out, bool READS>
static __global__ void __launch_bounds__(REDUCE_TILES_THREADS)
    reduce_tiles_of(const __grid_constant__ level_params<In, T, Out> given)
{
    const level_params<In, T, Out> params = READS ? at_its_length(given) : given;
    const OPERATOR op = OPERATOR();
    __shared__ T sums[REDUCE_TILES_THREADS / WARP_SIZE];
    const unsigned threads = 1u << params.sharing, thread = threadIdx.x & (threads - 1);
    const unsigned size = params.shape.threads * params.shape.items;
    const size_t tile = (size_t)blockIdx.x * (REDUCE_TILES_THREADS >> params.sharing) +
                        (threadIdx.x >> params.sharing);
    const size_t begin = tile * size;
    T sum = identity(op);
    if (tile < params.tiles) {
        const size_t rest = params.in.n - begin;
        sum = reduce_share(op, params.in, begin, begin + (rest < size ? rest : size), thread,
                           threads);
    }
    for (unsigned delta = 1; delta < threads && delta < WARP_SIZE; delta *= 2)
        sum = combine(op, sum, warp_shuffle_down(sum, delta));
    if (threads > WARP_SIZE) {
        if (thread % WARP_SIZE == 0)
            sums[thread / WARP_SIZE] = sum;
        __syncthreads();
        if (thread == 0)
            for (unsigned warp = 1; warp < threads / WARP_SIZE; warp++)
                sum = combine(op, sum, sums[warp]);
    }
    if (thread == 0 && tile < params.tiles)
        params.sums[tile] = sum;
}

/* Where a batch lies in memory. Each thread has PIECES pieces of 16 bytes, or LANE elements. */
template <typename T, typename In>
struct batch_extent {
    static const unsigned LANE = 16 / sizeof(In), PIECES = BATCH / LANE / BATCH_THREADS;
    In *data;        /* may lie before the array: elements outside the array are not accessed */
    unsigned n;      /* the array has the first n elements, in the order of combination */
    unsigned mirror; /* element i lies at data[i ^ mirror], and data[j] is element j ^ mirror */
    bool whole;      /* the array has all elements of the batch, and data is aligned */

    __device__ batch_extent(const INPUT_VIEW &view, size_t begin, unsigned n_)
        : data((In *)view.data + (ptrdiff_t)(view.reverse ? view.n - begin - BATCH : begin)), n(n_),
          mirror(view.reverse ? BATCH - 1 : 0), whole(n == BATCH && (uintptr_t)data % 16 == 0)
    {
    }
    /* The index, in memory, of the first element of one of this thread's pieces. */
    static __device__ unsigned first(unsigned piece)
    {
        return (piece * BATCH_THREADS + threadIdx.x) * LANE;
    }
};

/* Loads element i of a batch into shared[PADDED_INDEX(shift + i)]. Elements that the array does not
   have become identities. */
template <typename OPERATOR, typename T, typename In>
static __device__ __forceinline__ void load_batch(OPERATOR op, const batch_extent<T, In> &place,
                                                  unsigned shift, T *shared)
{
    typedef batch_extent<T, In> P;
    In x[P::PIECES][P::LANE];
#pragma unroll
    for (unsigned p = 0; p < P::PIECES; p++) {
        if (place.whole) {
            const uint4 raw = __ldcs((const uint4 *)(place.data + P::first(p)));
            memcpy(x[p], &raw, sizeof raw);
            continue;
        }
#pragma unroll
        for (unsigned e = 0; e < P::LANE; e++)
            if (((P::first(p) + e) ^ place.mirror) < place.n)
                x[p][e] = place.data[P::first(p) + e];
    }
#pragma unroll
    for (unsigned p = 0; p < P::PIECES; p++)
#pragma unroll
        for (unsigned e = 0; e < P::LANE; e++) {
            const unsigned i = (P::first(p) + e) ^ place.mirror;
            shared[PADDED_INDEX(i + shift)] = i < place.n ? widened<T>(x[p][e]) : (T)identity(op);
        }
    __syncthreads();
}

template <typename T, typename Out>
static __device__ __forceinline__ void store_batch(const batch_extent<T, Out> &place,
                                                   const T *shared)
{
    typedef batch_extent<T, Out> P;
#pragma unroll
    for (unsigned p = 0; p < P::PIECES; p++) {
        Out y[P::LANE];
#pragma unroll
        for (unsigned e = 0; e < P::LANE; e++)
            y[e] = rounded<Out>(shared[PADDED_INDEX((P::first(p) + e) ^ place.mirror)]);
        if (place.whole) {
            uint4 raw;
            memcpy(&raw, y, sizeof raw);
            __stcs((uint4 *)(place.data + P::first(p)), raw);
            continue;
        }
#pragma unroll
        for (unsigned e = 0; e < P::LANE; e++)
            if (((P::first(p) + e) ^ place.mirror) < place.n)
                place.data[P::first(p) + e] = y[e];
    }
    __syncthreads();
}

/* Scans tiles in shared memory in place. The tiles lie one after another; each has n elements. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_batch(OPERATOR op, parscan_block_shape shape, T *shared,
                                                  unsigned tiles, unsigned n, unsigned batch,
                                                  unsigned all)
{
    const unsigned size = shape.threads * shape.items;
    const unsigned group = all == shape.threads ? 0 : threadIdx.x / shape.threads;
    T *const beyond = shared + PADDED_SIZE(batch) +
                      group * ((unsigned)block_shared_size(shape) - PADDED_SIZE(size));
#pragma unroll 1
    for (unsigned k = group; k < tiles; k += all / shape.threads) {
        T *const tile = shared + PADDED_INDEX(k * size);
        T *const result = block_scan_tile(op, shape, tile, beyond, n);
        if (result != tile)
            EACH_ITEM(i, n, shape.threads) {
                tile[PADDED_INDEX(i)] = result[PADDED_INDEX(i)];
            }
    }
}

template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_tuned(OPERATOR op, parscan_algorithm algorithm,
                                                  T *shared, unsigned n)
{
    switch (algorithm) {
#define X(ctx, NAME, threads, items)                                                      \
    case PARSCAN_##NAME:                                                                  \
        scan_batch(op, parscan_block_shape{PARSCAN_##NAME, threads, items}, shared,       \
                   (n + threads * items - 1) / (threads * items), threads * items, BATCH, \
                   BATCH_THREADS);                                                        \
        break;
        CUDA_SHAPES(X, )
#undef X
    default:
        break;
    }
}

/* Scans a tile of any other shape. Warp algorithms have only the tuned shape. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_any(OPERATOR op, parscan_block_shape shape, T *shared,
                                                unsigned n)
{
    const unsigned threads = shape.threads, size = threads * shape.items;
    switch (shape.algorithm) {
#define X(NAME, items)                                                                          \
    case PARSCAN_##NAME:                                                                        \
        scan_batch(op, parscan_block_shape{PARSCAN_##NAME, threads, items}, shared, 1, n, size, \
                   threads);                                                                    \
        break;
        X(KOGGE_STONE, 1)
        X(BRENT_KUNG, 2)
        X(THREE_PHASE, shape.items)
#undef X
    default:
        break;
    }
}

/* Where an element alone, the first one of an inclusive scan without init, is stored to the bit: before
   its batch is loaded, the input may be the output; after it is stored, its bits may have changed. Only
   for types that are rounded. */
template <typename In, typename T, typename Out>
struct first_element {
    Out value;
    __device__ __forceinline__ explicit first_element(const level_params<In, T, Out> &params)
    {
        if (is_stored<Out>::value && is_here(params))
            value = copied<Out, T>(
                ((const In *)params.in.data)[params.in.reverse ? params.in.n - 1 : 0]);
    }
    __device__ __forceinline__ void store(const level_params<In, T, Out> &params) const
    {
        if (is_stored<Out>::value && is_here(params))
            ((Out *)params.out.data)[params.out.reverse ? params.out.n - 1 : 0] = value;
    }

  private:
    static __device__ __forceinline__ bool is_here(const level_params<In, T, Out> &params)
    {
        return blockIdx.x == 0 && threadIdx.x == 0 && params.in.n > 0 && !params.starts &&
               !params.exclusive;
    }
};

/* READS as above, of an init too; what is not tuned always reads. */
template <typename In, typename T, typename OPERATOR, bool TUNED, typename Out, bool READS>
static __global__ void __launch_bounds__(TUNED ? BATCH_THREADS : BLOCK_MAX_THREADS,
                                         TUNED ? BATCH_BLOCKS(T) : 1)
    scan_tiles_of(const __grid_constant__ level_params<In, T, Out> given)
{
    level_params<In, T, Out> params = READS ? at_its_length(given) : given;
    if (READS)
        params.read_init();
    if (READS && TUNED)
        params.in.n = params.out.n = uniform(params.in.n);
    extern __shared__ __align__(16) unsigned char memory[];
    T *const shared = (T *)memory;
    const OPERATOR op = OPERATOR();
    const unsigned threads = TUNED ? BATCH_THREADS : params.shape.threads;
    const unsigned size = params.shape.threads * params.shape.items;
    const unsigned batch = TUNED ? BATCH : size;
    const first_element<In, T, Out> kept(params);
#pragma unroll 1
    for (size_t k = blockIdx.x; k * batch < params.in.n; k += gridDim.x) {
        const size_t begin = k * batch, rest = params.in.n - begin;
        const unsigned n = rest < batch ? (unsigned)rest : batch;
        const bool alone =
            begin == 0 && !params.starts; /* nothing comes before the first element */
        const bool heads = threadIdx.x < params.tiles_a_batch && threadIdx.x * size < n;
        T before = params.start;
        if (heads && params.sums != NULL)
            before = params.sums[k * params.tiles_a_batch + threadIdx.x];
        if (TUNED)
            load_batch(op, batch_extent<T, In>(params.in, begin, n), params.exclusive, shared);
        else
            block_load(threads, &params.in, begin, n, params.exclusive, before, shared);
        if (heads) {
            T *const head = shared + PADDED_INDEX(threadIdx.x * size);
            if (params.exclusive)
                *head = before;
            else if (!(alone && threadIdx.x == 0))
                *head = combine(op, before, *head);
        }
        __syncthreads();
        if (TUNED)
            scan_tuned(op, params.shape.algorithm, shared, n);
        else
            scan_any(op, params.shape, shared, n);
        if (params.exclusive && alone && threadIdx.x == 0)
            shared[0] = params.first;
        __syncthreads();
        if (TUNED)
            store_batch(batch_extent<T, Out>(params.out, begin, n), shared);
        else
            block_store(threads, &params.out, begin, n, shared);
        if (begin == 0)
            kept.store(params);
    }
}

/* Scans one element after another. Slow; a baseline for the other algorithms. */
template <typename In, typename T, typename OPERATOR, typename Out>
static __global__ void scan_sequentially(const __grid_constant__ level_params<In, T, Out> given)
{
    level_params<In, T, Out> params = at_its_length(given);
    params.read_init();
    const OPERATOR op = OPERATOR();
    T before = params.start;
    const first_element<In, T, Out> kept(params);
#pragma unroll 1
    for (size_t i = 0; i < params.in.n; i++) {
        const T value = load(&params.in, i);
        const T through = i == 0 && !params.starts ? value : combine(op, before, value);
        T result = params.exclusive ? before : through;
        if (params.exclusive && i == 0)
            result = params.first;
        store(&params.out, i, result);
        before = through;
    }
    kept.store(params);
}

#endif
