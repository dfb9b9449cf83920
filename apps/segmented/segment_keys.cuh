/* The keys of a reduction by keys for one part of a tile, on CUDA: each head stores the key of its segment. */
#ifndef PARSCAN_APPS_SEGMENT_KEYS_CUH
#define PARSCAN_APPS_SEGMENT_KEYS_CUH

#include "apps/segmented/segmented_tile.cuh"

/* Stores the keys of the heads among a lane's positions, of which `bits` has one each: keys[k] is that of bit k.
   number: of the first head. */
template <typename K>
static __device__ __forceinline__ void store_keys_of(const void *keys, void *out, uint32_t bits,
                                                     uint64_t number, uint64_t capacity)
{
#pragma unroll 1
    for (; bits != 0 && number < capacity; bits &= bits - 1, number++)
        ((K *)out)[number] = ((const K *)keys)[__ffs((int)bits) - 1];
}

/* keys: those of the tile's positions, as marks in its stage or in memory. `end` positions are the array's. number:
   of the part's first head. Called by a warp. */
template <typename S>
static __device__ __forceinline__ void
store_keys(const segmented_pass_params<S> &params, const char *keys,
           const typename head_bits<S::LANE>::type *heads, unsigned part, unsigned end,
           uint64_t number, unsigned lane)
{
    const unsigned EACH = S::VECTORS * S::LANE, first = (part * 32 + lane) * EACH;
    uint32_t bits = 0;
#pragma unroll
    for (unsigned v = 0; v < S::VECTORS; v++)
        bits |= (uint32_t)heads[(part * 32 + lane) * S::VECTORS + v] << v * S::LANE;
    if (first + EACH > end) /* the head behind the last element has no key */
        bits &= first < end ? (1u << (end - first)) - 1 : 0;
    const uint32_t count = (uint32_t)__popc(bits);
    number += warp_scan(parscan_operator_SUM(), count, lane) - count;
    const void *const own = keys + (size_t)first * params.key_bytes;
    switch (params.key_bytes) {
    case 1:
        return store_keys_of<uint8_t>(own, params.keys_out, bits, number, params.capacity);
    case 2:
        return store_keys_of<uint16_t>(own, params.keys_out, bits, number, params.capacity);
    case 4:
        return store_keys_of<uint32_t>(own, params.keys_out, bits, number, params.capacity);
    default:
        return store_keys_of<uint64_t>(own, params.keys_out, bits, number, params.capacity);
    }
}

#endif
