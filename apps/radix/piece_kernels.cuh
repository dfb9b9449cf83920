/*
 * The first kernel of a sort of buckets (sort_pieces_call): it counts the digits of each bucket. Each
 * block takes tiles one after another, and adds its counters to a bucket's counts where the bucket
 * ends. The last block turns the counts into where the digits of each bucket go.
 */
#ifndef PARSCAN_APPS_RADIX_PIECE_KERNELS_CUH
#define PARSCAN_APPS_RADIX_PIECE_KERNELS_CUH

#include "apps/radix/digit_histogram_kernels.cuh"
#include "apps/radix/digit_tile_kernels.cuh"

template <typename KEY>
struct piece_histogram_params {
    digit_histogram_params<KEY> sort;
    const sort_piece *pieces; /* the last one starts with tile `tiles` */
    size_t tiles, tile;       /* their number, and the elements of one */
    const sort_piece *after;  /* the buckets, as they lie after the first pass */
    size_t buckets;
    uint64_t *counts, *begins;
};

/* Counts the digits of a piece's tiles begin to end - 1. Called by the whole block. */
template <typename KEY>
static __device__ __forceinline__ void count_tiles(const piece_histogram_params<KEY> &params,
                                                   const sort_piece &piece, size_t begin,
                                                   size_t end, uint32_t *mine)
{
    const uint64_t first = (begin - piece.first_tile) * params.tile;
    const uint64_t behind = (end - piece.first_tile) * params.tile;
    keys_seen<KEY> seen = {};
    count_keys<KEY, true>(params.sort, params.sort.keys + piece.keys_at + first,
                          (behind < piece.n ? behind : piece.n) - first, threadIdx.x, blockDim.x,
                          mine, &seen);
}

/* Adds the counters to the bucket's counts, and clears them. Called by the whole block. */
template <typename KEY>
static __device__ __forceinline__ void add_counts(const piece_histogram_params<KEY> &params,
                                                  uint64_t bucket, uint32_t *counters)
{
    typedef digit_histogram_shape<KEY, true> shape;
    const unsigned lane = threadIdx.x % 32;
    unsigned long long *const counts =
        (unsigned long long *)params.counts + bucket * SORT_PASSES * SORT_DIGITS;
    __syncthreads();
    for (unsigned k = threadIdx.x; k < params.sort.digits * SORT_DIGITS; k += shape::THREADS) {
        uint32_t sum = 0;
#pragma unroll
        for (unsigned r = 0; r < shape::REPLICAS; r++) {
            uint32_t *const counter = counters + k * shape::REPLICAS + (r + lane) % shape::REPLICAS;
            sum += *counter;
            *counter = 0;
        }
        if (sum != 0)
            atomicAdd(counts + k, (unsigned long long)sum);
    }
    __syncthreads();
}

/* Where the digits of one bucket start in one pass. Called by a warp, a lane has eight digits. */
template <typename KEY>
static __device__ __forceinline__ void begin_bucket(const piece_histogram_params<KEY> &params,
                                                    const sort_piece &bucket, unsigned pass,
                                                    unsigned lane)
{
    const unsigned EACH = SORT_DIGITS / 32;
    const size_t at = (bucket.bucket * SORT_PASSES + pass) * SORT_DIGITS + lane * EACH;
    uint64_t counts[EACH], sum = 0;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        counts[k] = __ldcg((const unsigned long long *)params.counts + at + k);
        sum += counts[k];
    }
    uint64_t before = bucket.keys_at + warp_scan(parscan_operator_SUM(), sum, lane) - sum;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        params.begins[at + k] = before;
        before += counts[k];
    }
}

template <typename KEY>
static __device__ __forceinline__ void begin_buckets(const piece_histogram_params<KEY> &params)
{
    const unsigned passes = params.sort.digits, lane = threadIdx.x % 32;
    for (size_t k = threadIdx.x / 32; k < params.buckets * passes; k += blockDim.x / 32)
        begin_bucket(params, params.after[k / passes], (unsigned)(k % passes), lane);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < passes * SORT_DIGITS; k += blockDim.x) {
        uint64_t before = 0;
#pragma unroll 4
        for (size_t b = 0; b < params.buckets; b++) {
            const size_t at = b * SORT_PASSES * SORT_DIGITS + k;
            const uint64_t count = __ldcg((const unsigned long long *)params.counts + at);
            params.begins[at] -= before;
            before += count;
        }
    }
    if (threadIdx.x >= passes)
        return;
    sort_pass *const pass = &params.sort.plan->passes[threadIdx.x];
    pass->n = params.sort.n;
    pass->active = 1;
    pass->copies = 0;
    pass->first = threadIdx.x == 0;
    pass->last = threadIdx.x + 1 == passes;
    pass->to = (passes - threadIdx.x) % 2 == 1 ? SORT_OUT : SORT_SPARE;
    pass->from = pass->first ? SORT_IN : pass->to == SORT_OUT ? SORT_SPARE : SORT_OUT;
}

template <typename KEY>
static __global__ void __launch_bounds__(digit_histogram_shape<KEY, true>::THREADS)
    piece_histogram(const __grid_constant__ piece_histogram_params<KEY> params)
{
    typedef digit_histogram_shape<KEY, true> shape;
    extern __shared__ __align__(16) uint32_t counters[];
    const unsigned used = params.sort.digits * SORT_DIGITS;
    for (unsigned k = threadIdx.x; k < used * shape::REPLICAS / 4; k += shape::THREADS)
        ((uint4 *)counters)[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    wait_for_previous_kernel();
    const size_t begin = params.tiles * blockIdx.x / gridDim.x;
    const size_t end = params.tiles * (blockIdx.x + 1) / gridDim.x;
    const sort_piece *piece = params.pieces;
#pragma unroll 1
    for (size_t tile = begin; tile < end; tile = piece[1].first_tile) {
        piece = piece_of(piece, tile);
        const size_t last = piece[1].first_tile < end ? piece[1].first_tile : end;
        count_tiles(params, *piece, tile, last, counters + threadIdx.x % shape::REPLICAS);
        if (last == end || piece[1].bucket != piece->bucket)
            add_counts(params, piece->bucket, counters);
    }
    __threadfence();
    __syncthreads();
    const bool is_last = __syncthreads_or(
        threadIdx.x == 0 &&
        atomicAdd((unsigned long long *)&params.sort.plan->blocks_done, 1ull) + 1 == gridDim.x);
    if (!is_last)
        return;
    __threadfence();
    begin_buckets(params);
}

#endif
