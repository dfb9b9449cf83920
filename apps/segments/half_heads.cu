/* Marks the heads of segments by keys that are floats of 16 bits. */
#include "apps/merge/key_order.h"
#include "apps/radix/launch_radix.cuh"
#include "apps/segments/half_heads_cuda.h"
#include "scan/cuda/length.cuh"

struct half_heads_params {
    const uint16_t *keys;
    uint8_t *heads;
    size_t n;
    unsigned infinity;
    device_length length;
};

/* Keys differ as by !=, but a NaN equals every NaN. */
static __global__ void __launch_bounds__(FLAT_THREADS)
    mark_half_heads(const __grid_constant__ half_heads_params params)
{
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    const size_t threads = (size_t)gridDim.x * FLAT_THREADS;
    for (size_t i = (size_t)blockIdx.x * FLAT_THREADS + threadIdx.x; i < n; i += threads) {
        const unsigned key = params.keys[i], before = i > 0 ? params.keys[i - 1] : key;
        const unsigned a = before & 0x7fffu, b = key & 0x7fffu;
        const bool differs =
            before != key && (a | b) != 0 && (a <= params.infinity || b <= params.infinity);
        params.heads[i] = i == 0 || differs;
    }
}

cudaError_t parscan_half_heads_cuda(parscan_context *context, parscan_type type, const void *keys,
                                    uint8_t *heads, size_t n, const uint64_t *n_at)
{
    half_heads_params params = {(const uint16_t *)keys, heads, n,
                                (unsigned)key_infinity(parscan_type_traits_of(type).key),
                                length_at(context, n_at)};
    return launch_flat(context, mark_half_heads, params, n);
}
