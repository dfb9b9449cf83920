/*
 * Sorts an array that one block can hold in registers: all digits in one launch.
 *
 * For each digit, every warp counts and ranks its own keys by votes, the block scans the counts of
 * all warps, and keys and values are exchanged through shared memory.
 */
#ifndef PARSCAN_APPS_RADIX_BLOCK_SORT_KERNELS_CUH
#define PARSCAN_APPS_RADIX_BLOCK_SORT_KERNELS_CUH

#include "apps/radix/digit_rank_kernels.cuh"
#include "apps/radix/digit_tile_kernels.cuh"

template <typename KEY, unsigned VALUE_BYTES>
struct block_sort_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    typedef typename value_type<VALUE_BYTES>::Value Value;
    static const bool HAS_VALUES = VALUE_BYTES != 0, READS_AGAIN = false;
    static const unsigned WARPS = 16, THREADS = 32 * WARPS, MATCHED = 4, MASKED = 0;
    static const unsigned WIDEST = sizeof(Bits) > VALUE_BYTES ? sizeof(Bits) : VALUE_BYTES;
    static const unsigned ITEMS = 8, MOST = THREADS * ITEMS;
};

template <typename S>
struct block_sort_shared {
    alignas(16) unsigned char stage[(size_t)S::MOST * S::WIDEST];
    alignas(16) uint32_t rows[S::WARPS][SORT_DIGITS];
    uint32_t warp_sums[SORT_DIGITS / 32];
    uint32_t present; /* elements, less those that are absent */
};

template <typename S>
struct block_sort_params {
    typedef typename S::Bits Bits;
    const Bits *keys_in;
    Bits *keys_out;                     /* NULL: the keys are not wanted */
    const typename S::Value *values_in; /* NULL: the values are the elements' indices */
    typename S::Value *values_out;
    unsigned n, items; /* items: in use in each lane, a multiple of MATCHED */
    unsigned passes;
    bool whole_keys; /* the order takes all bits of a key */
    digit_of<typename S::Key> digit[sizeof(Bits)];
    Bits flip, beyond;
};

/* Finds each key's rank among the keys of its warp that have the same digit, and counts the
   warp's digits. Only for warps that have elements. */
template <typename S>
static __device__ __forceinline__ void
rank_by_votes_in_warp(const block_sort_params<S> &params, uint32_t *row, unsigned pass,
                      const typename S::Bits (&keys)[S::ITEMS], unsigned (&ranks)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i += S::MATCHED) {
        unsigned digits[S::MATCHED], places[S::MATCHED];
        if (i >= params.items)
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
template <typename S>
static __device__ __forceinline__ void
rank_by_counts_in_warp(const block_sort_params<S> &params, uint32_t *row, unsigned pass,
                       const typename S::Bits (&keys)[S::ITEMS], unsigned (&ranks)[S::ITEMS])
{
    const digit_of<typename S::Key> &digit = params.digit[pass];
    const unsigned MANY = 6, lane = threadIdx.x % 32, four = digit.template times<2>(keys[0]);
    const unsigned first = __shfl_sync(0xffffffffu, four, 0);
    const bool many = __popc(__ballot_sync(0xffffffffu, four == first)) >= (int)MANY;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if (i >= params.items)
            break;
        const unsigned here = digit.template times<2>(keys[i]);
        ranks[i] = many ? count_beside(row, lane, here, first, true)
                        : atomicAdd(counter_of(row, here), 1u);
    }
}

#define NO_PLACE 0xffffffffu

/* Writes each element to its place in shared memory; then each lane reads the elements that
   belong to it. */
template <typename S, typename T>
static __device__ __forceinline__ void exchange(const block_sort_params<S> &params, T *stage,
                                                unsigned first, const unsigned (&places)[S::ITEMS],
                                                T (&elements)[S::ITEMS])
{
    const bool has_any = first - threadIdx.x % 32 < params.n;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (has_any && i < params.items && !(S::Key::HAS_ABSENT && places[i] == NO_PLACE))
            stage[places[i]] = elements[i];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (has_any && i < params.items)
            elements[i] = stage[first + i * 32];
}

template <typename S>
static __device__ __forceinline__ void
sort_by_digit(const block_sort_params<S> &params, block_sort_shared<S> &shared, unsigned pass,
              bool by_counts, unsigned first, typename S::Bits (&keys)[S::ITEMS],
              typename S::Value (&values)[S::ITEMS])
{
    uint32_t *const row = shared.rows[threadIdx.x / 32];
    const bool has_any = first - threadIdx.x % 32 < params.n;
    unsigned places[S::ITEMS];
    clear_row(row, threadIdx.x % 32);
    __syncwarp();
    if (has_any && by_counts)
        rank_by_counts_in_warp(params, row, pass, keys, places);
    else if (has_any)
        rank_by_votes_in_warp(params, row, pass, keys, places);
    __syncthreads();
    place_digits<S>(shared);
    __syncthreads();
    if (has_any) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            if (is_absent<typename S::Key>(keys[i]))
                places[i] = NO_PLACE;
            else if (i < params.items)
                places[i] += row[params.digit[pass](keys[i])];
    }
    exchange(params, (typename S::Bits *)shared.stage, first, places, keys);
    if constexpr (S::Key::HAS_ABSENT)
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = first + i * 32 < shared.present ? keys[i] : S::Key::ABSENT;
    if (S::HAS_VALUES)
        exchange(params, (typename S::Value *)shared.stage, first, places, values);
}

template <typename S>
static __device__ __forceinline__ void load_values(const block_sort_params<S> &params,
                                                   unsigned first,
                                                   typename S::Value (&values)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const unsigned at = first + i * 32;
        values[i] = params.values_in == NULL            ? (typename S::Value)at
                    : i < params.items && at < params.n ? params.values_in[at]
                                                        : (typename S::Value)0;
    }
}

template <typename S>
static __device__ __forceinline__ void
load_elements(const block_sort_params<S> &params, unsigned first,
              typename S::Bits (&keys)[S::ITEMS], typename S::Value (&values)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const unsigned at = first + i * 32;
        const bool here = i < params.items && at < params.n;
        keys[i] = here ? S::Key::encode(params.keys_in[at], params.flip) : params.beyond;
    }
    if (S::HAS_VALUES)
        load_values(params, first, values);
}

template <typename S>
static __device__ __forceinline__ void store_elements(const block_sort_params<S> &params,
                                                      unsigned first,
                                                      const typename S::Bits (&keys)[S::ITEMS],
                                                      const typename S::Value (&values)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const unsigned at = first + i * 32;
        if (i >= params.items || at >= params.n)
            break;
        if (params.keys_out != NULL)
            params.keys_out[at] = S::Key::decode(keys[i], params.flip);
        if (S::HAS_VALUES)
            params.values_out[at] = values[i];
    }
}

/* Whether some key is less than the one before it. The keys must be in shared memory as well. */
template <typename S>
static __device__ __forceinline__ bool is_disordered(const block_sort_params<S> &params,
                                                     const typename S::Bits *stage, unsigned first,
                                                     const typename S::Bits (&keys)[S::ITEMS])
{
    bool disordered = false;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (i < params.items && first - threadIdx.x % 32 < params.n && first + i > 0)
            disordered =
                disordered ||
                S::Key::rank(stage[first + i * 32 - 1], S::Key::IS_FLOAT ? params.flip : 0) >
                    S::Key::rank(keys[i], S::Key::IS_FLOAT ? params.flip : 0);
    return disordered;
}

template <typename S>
static __device__ __forceinline__ bool has_nans(const typename S::Bits (&keys)[S::ITEMS],
                                                typename S::Bits beyond)
{
    bool nan = false;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        nan = nan || (keys[i] != beyond && S::Key::is_nan(keys[i]));
    return nan;
}

/* Keys without values are first ranked by counts, as in digit_pass_kernels.cuh. If the hardware
   did not serve the lanes in their order, the result is out of order; the keys are then sorted
   again, by votes. */
template <typename S>
static __global__ void __launch_bounds__(S::THREADS, 1)
    block_sort(const __grid_constant__ block_sort_params<S> params)
{
    extern __shared__ __align__(16) unsigned char stage[];
    block_sort_shared<S> &shared = *(block_sort_shared<S> *)stage;
    const unsigned first = threadIdx.x / 32 * 32 * params.items + threadIdx.x % 32;
    typename S::Bits keys[S::ITEMS];
    typename S::Value values[S::ITEMS];
    bool by_counts = !S::HAS_VALUES && params.whole_keys, again = true;
    load_elements(params, first, keys, values);
    if (S::Key::IS_FLOAT && by_counts)
        by_counts = !__syncthreads_or(has_nans<S>(keys, params.beyond));
#pragma unroll 1
    while (again) {
#pragma unroll 1
        for (unsigned p = 0; p < params.passes; p++)
            sort_by_digit(params, shared, p, by_counts, first, keys, values);
        again = by_counts && __syncthreads_or(is_disordered(
                                 params, (const typename S::Bits *)shared.stage, first, keys));
        by_counts = false;
        if (again)
            load_elements(params, first, keys, values);
    }
    store_elements(params, first, keys, values);
}

#endif
