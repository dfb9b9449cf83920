/* Two sorted arrays whose lengths may be in device memory, as kernels see them. */
#ifndef PARSCAN_APPS_JOIN_PAIR_LENGTHS_CUH
#define PARSCAN_APPS_JOIN_PAIR_LENGTHS_CUH

#include "apps/join/pair_params.h"
#include "apps/merge/merge_path.cuh"
#include "scan/cuda/length.cuh"

/* PARAMS: what the host gives, with `keys`, the pair_params. */
template <typename PARAMS>
struct pair_at_lengths : PARAMS {
    device_length length, length2;

    /* For a launch. */
    void set(parscan_context *context, const PARAMS &given)
    {
        (PARAMS &)*this = given;
        length = length_at(context, given.keys.n_at);
        length2 = length_at(context, given.keys.n2_at);
    }
    template <typename KEY>
    __device__ __forceinline__ merge_keys<KEY> keys_there() const
    {
        typedef typename KEY::Bits Bits;
        const pair_params &keys = this->keys;
        return {(const Bits *)keys.a, (const Bits *)keys.b, length_of(length, keys.n),
                length_of(length2, keys.n2), (Bits)keys.flip};
    }
};

#endif
