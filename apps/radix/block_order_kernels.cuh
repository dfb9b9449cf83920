/*
 * How a block puts elements in order that it holds in registers (block_sort_kernels.cuh,
 * apps/sort/segment_block_kernels.cuh): by buckets (block_bucket_kernels.cuh), or by digits
 * (block_digit_kernels.cuh) where many elements share a few buckets. Values stay where they are. Where
 * they are wanted, the indices of the elements, 16 bits each, are put in order beside the keys, and
 * the values follow.
 */
#ifndef PARSCAN_APPS_RADIX_BLOCK_ORDER_KERNELS_CUH
#define PARSCAN_APPS_RADIX_BLOCK_ORDER_KERNELS_CUH

#include "apps/radix/block_digit_kernels.cuh"

template <typename S>
static __device__ __forceinline__ bool has_nans(const block_elements<S> &here,
                                                const typename S::Bits (&keys)[S::ITEMS])
{
    bool nan = false;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        nan = nan || (here.has(i) && S::Key::is_nan(keys[i]));
    return nan;
}

/* Orders the elements. load(keys) fills the registers, params.beyond for what is not there. Calls
   emit(place, code, index) for all that are not absent. Without DIGITS it returns false, and emits
   nothing, where digits are faster. */
template <bool DIGITS, typename S, typename PARAMS, typename Load, typename Emit>
static __device__ __forceinline__ bool
order_elements(const PARAMS &params, block_sort_shared<S> &shared, const block_elements<S> &here,
               Load load, Emit emit)
{
    typedef typename S::Bits Bits;
    Bits keys[S::ITEMS];
    bool alike = params.keep == (Bits) ~(Bits)0; /* equal keys have the same bits */
    load(keys);
    if (S::Key::IS_FLOAT && !S::HAS_INDICES && alike)
        alike = !__syncthreads_or(has_nans(here, keys));
    /* Elements may be in any order at first: their indices, or equal bits, make it right. */
    key_extent<Bits> extent = {0, (Bits) ~(Bits)0};
    if ((S::HAS_INDICES || alike) && params.passes > 1 &&
        order_by_buckets(params, shared, here, keys, &extent, emit))
        return true;
    if (DIGITS)
        order_by_digits(
            params, shared, here, !S::HAS_INDICES && alike, extent, keys, [&] { load(keys); },
            emit);
    return DIGITS;
}

/* Moves the values where their keys go: place p gets the value of element order[p]. All values are read
   before the first is written. Called by the whole block, after a barrier. */
template <typename VALUE, typename S, typename PARAMS>
static __device__ __forceinline__ void move_block_values(const PARAMS &params,
                                                         const block_sort_shared<S> &shared,
                                                         size_t begin, unsigned count)
{
    VALUE values[S::ITEMS];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (i * S::THREADS + threadIdx.x < count) {
            const size_t from = begin + shared.order[i * S::THREADS + threadIdx.x];
            values[i] =
                params.values_in == NULL ? (VALUE)from : ((const VALUE *)params.values_in)[from];
        }
    __syncthreads();
    VALUE *const out = (VALUE *)params.values_out + begin;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (i * S::THREADS + threadIdx.x < count)
            out[i * S::THREADS + threadIdx.x] = values[i];
}

/* Sorts the n elements of the arrays from `begin` on. Without DIGITS it returns false, and writes nothing,
   where digits are faster. */
template <bool DIGITS, typename S, typename PARAMS>
static __device__ __forceinline__ bool
sort_in_block(const PARAMS &params, block_sort_shared<S> &shared, size_t begin, unsigned n)
{
    typedef typename S::Bits Bits;
    const block_elements<S> here(n);
    const Bits *const in = params.keys_in + begin + here.first();
    const auto load = [&](Bits(&keys)[S::ITEMS]) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = here.has(i) ? S::Key::encode(in[i * 32], params.flip) : params.beyond;
    };
    const auto emit = [&](unsigned place, Bits code, unsigned index) {
        if (!S::HAS_INDICES || params.keys_out != NULL)
            params.keys_out[begin + place] = S::Key::decode(code, params.flip);
        if (S::HAS_INDICES)
            shared.order[place] = (uint16_t)index;
    };
    if (!order_elements<DIGITS>(params, shared, here, load, emit))
        return false;
    if constexpr (S::HAS_INDICES) {
        __syncthreads();
        if (params.value_size == 4)
            move_block_values<uint32_t>(params, shared, begin, n);
        else
            move_block_values<uint64_t>(params, shared, begin, n);
    }
    return true;
}

#endif
