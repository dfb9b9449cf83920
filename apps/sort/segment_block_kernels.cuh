/*
 * Sorts one long segment by one block: a segment that does not fit a tile, in an array that is too
 * short for more launches. For each digit the block reads the segment twice: it counts the digits,
 * then ranks the elements by votes and moves them between spare arrays.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_BLOCK_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_BLOCK_KERNELS_CUH

#include "apps/sort/segment_tile_kernels.cuh"
#include "scan/cuda/launch.cuh"

/* Where the segment's elements are before a pass. */
template <typename S>
struct long_segment {
    typedef typename S::Bits Bits;
    const segment_tile_params<S> &params;
    segment_tile_shared<S> &shared;
    uint64_t begin;
    unsigned length, pass;

    __device__ Bits *keys(unsigned turn) const { return params.spare_keys[turn % 2] + begin; }
    __device__ uint32_t *indices(unsigned turn) const
    {
        return params.spare_indices[turn % 2] + begin;
    }
    __device__ __forceinline__ Bits key(unsigned at) const
    {
        return pass == 0 ? S::Key::encode(params.keys_in[begin + at], params.flip) : keys(pass)[at];
    }
    __device__ __forceinline__ uint32_t index(unsigned at) const
    {
        return pass == 0 ? at : indices(pass)[at];
    }
    __device__ uint32_t *row() const { return shared.rows[threadIdx.x / 32]; }
    __device__ uint32_t *starts() const { return shared.digit_starts; }
};

/* Returns where the elements of this thread's digit begin. */
template <typename S>
static __device__ __forceinline__ uint32_t begin_of_digit(const long_segment<S> &segment)
{
    const unsigned AT_ONCE = 8;
    clear_row(segment.row(), threadIdx.x % 32);
    __syncwarp();
    for (unsigned at = threadIdx.x; at < segment.length; at += AT_ONCE * S::THREADS) {
        typename S::Bits keys[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            keys[k] = at + k * S::THREADS < segment.length ? segment.key(at + k * S::THREADS) : 0;
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (at + k * S::THREADS < segment.length)
                atomicAdd(segment.row() + segment.params.digit[segment.pass](keys[k]), 1u);
    }
    __syncthreads();
    place_digits<S>(segment.shared);
    __syncthreads();
    const uint32_t begin = threadIdx.x < SORT_DIGITS ? segment.shared.rows[0][threadIdx.x] : 0;
    __syncthreads();
    return begin;
}

/* Moves the elements from `chunk` on, ITEMS a lane. Returns where the next elements of this
   thread's digit go. */
template <unsigned ITEMS, typename S>
static __device__ __forceinline__ uint32_t move_chunk(const long_segment<S> &segment,
                                                      unsigned chunk, uint32_t begin)
{
    const unsigned lane = threadIdx.x % 32, digit = threadIdx.x;
    const unsigned first = chunk + threadIdx.x / 32 * 32 * ITEMS + lane;
    uint32_t *const starts = segment.starts();
    typename S::Bits keys[ITEMS];
    uint32_t indices[ITEMS];
    unsigned digits[ITEMS], ranks[ITEMS];
    clear_row(segment.row(), lane);
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned at = first + i * 32;
        keys[i] = at < segment.length ? segment.key(at) : 0;
        indices[i] = at < segment.length ? segment.index(at) : 0;
        digits[i] =
            at < segment.length ? segment.params.digit[segment.pass](keys[i]) : SORT_DIGITS - 1;
    }
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i += S::MATCHED) {
        unsigned four[S::MATCHED], places[S::MATCHED];
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            four[k] = digits[i + k];
        rank_by_votes<S>(segment.row(), NULL, lane, four, places);
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            ranks[i + k] = places[k];
    }
    __syncthreads();
    place_digits<S>(segment.shared);
    __syncthreads();
    if (digit < SORT_DIGITS) {
        const uint32_t here = segment.shared.rows[0][digit];
        const uint32_t next =
            digit + 1 < SORT_DIGITS ? segment.shared.rows[0][digit + 1] : ITEMS * S::THREADS;
        starts[digit] = begin - here;
        begin += next - here;
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned at = first + i * 32;
        if (at < segment.length) {
            const uint32_t to = starts[digits[i]] + segment.row()[digits[i]] + ranks[i];
            if (to >= segment.length) /* segments overlap: their offsets are wrong */
                continue;
            segment.keys(segment.pass + 1)[to] = keys[i];
            segment.indices(segment.pass + 1)[to] = indices[i];
        }
    }
    __syncthreads();
    return begin;
}

template <typename VALUE, typename S>
static __device__ __forceinline__ void return_values(const long_segment<S> &segment)
{
    const segment_tile_params<S> &params = segment.params;
    const VALUE *from = (const VALUE *)params.values_in + segment.begin;
    VALUE *const out = (VALUE *)params.values_out + segment.begin;
    if (params.values_in == params.values_out) {
        VALUE *const copies = (VALUE *)params.spare_values + segment.begin;
        for (unsigned at = threadIdx.x; at < segment.length; at += S::THREADS)
            copies[at] = from[at];
        from = copies;
        __syncthreads();
    }
    for (unsigned at = threadIdx.x; at < segment.length; at += S::THREADS) {
        const uint32_t found = segment.index(at);
        const uint32_t index = found < segment.length ? found : 0; /* again for wrong offsets */
        out[at] = params.values_in == NULL ? (VALUE)(segment.begin + index) : from[index];
    }
}

template <typename S>
static __device__ __noinline__ void sort_long_segment(const segment_tile_params<S> &params,
                                                      segment_tile_shared<S> &shared)
{
    const unsigned ITEMS = 8;
    long_segment<S> segment = {params, shared, shared.long_begin, (unsigned)shared.long_length, 0};
    for (; segment.pass < params.passes; segment.pass++) {
        uint32_t begin = begin_of_digit(segment);
        for (unsigned chunk = 0; chunk < segment.length; chunk += ITEMS * S::THREADS)
            begin = move_chunk<ITEMS>(segment, chunk, begin);
    }
    for (unsigned at = threadIdx.x; at < segment.length; at += S::THREADS)
        params.keys_out[segment.begin + at] = S::Key::decode(segment.key(at), params.flip);
    if (params.value_size == 4)
        return_values<uint32_t>(segment);
    else if (params.value_size == 8)
        return_values<uint64_t>(segment);
}

/* Lists the long segment that begins in the block's window, or sorts it in the block if nothing
   is listed. */
template <typename S>
static __device__ __forceinline__ void leave_long_segment(const segment_tile_params<S> &params,
                                                          segment_tile_shared<S> &shared)
{
    if (params.list.taken == NULL) {
        sort_long_segment(params, shared);
    } else if (threadIdx.x == 0) {
        const unsigned long long one = (1ull << SORT_COUNT_BITS) | shared.long_length;
        const uint64_t taken = atomicAdd((unsigned long long *)params.list.taken, one);
        const size_t number = (size_t)(taken >> SORT_COUNT_BITS);
        if (number >= params.list.room)
            return; /* wrong offsets: segments overlap, and the sum of lengths overflowed */
        params.list.begins[number] = shared.long_begin;
        params.list.starts[number] = taken & (((uint64_t)1 << SORT_COUNT_BITS) - 1);
    }
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, BLOCKS_HELD(S::THREADS, S::BLOCKS))
    sort_segments(const __grid_constant__ segment_tile_params<S> params)
{
    extern __shared__ __align__(16) unsigned char stage[];
    segment_tile_shared<S> &shared = *(segment_tile_shared<S> *)stage;
    const size_t segments = params.count_at == NULL || *params.count_at > params.count
                                ? params.count
                                : *params.count_at;
    const uint64_t window = (uint64_t)blockIdx.x * params.window;
    for (unsigned k = threadIdx.x; k < S::WORDS; k += S::THREADS)
        shared.heads[k] = 0;
    if (threadIdx.x == 0) {
        shared.first = S::TILE;
        shared.last = shared.comparisons = shared.closed = 0;
        shared.long_length = 0;
    }
    if (params.deferred != NULL)
        check_offsets(params);
    if (window >= params.n)
        return;
    find_segments(params, shared, segments, first_segment(params, segments, window), window);
    __syncthreads();
    if (shared.first < shared.last)
        sort_tile(params, shared, window);
    if (shared.long_length == 0)
        return;
    __syncthreads();
    leave_long_segment(params, shared);
}

#endif
