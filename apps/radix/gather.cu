/* Values of any size, gathered by their indices on CUDA. */
#include "apps/radix/launch_radix.cuh"
#include "scan/cuda/length.cuh"

template <typename UNIT>
struct gather_units_params {
    const UNIT *in;
    UNIT *out;
    const void *index;
    size_t n;
    const uint64_t *count; /* see parscan_sort_cuda_call */
    device_length length;
    unsigned units; /* words of type UNIT in a value */
    bool wide;      /* indices have 8 bytes, else 4 */
};

/* A warp copies 32 values at a time; lane l copies their units l, 32 + l, ..., so whole lines
   are written. Indices are checked: after a sort with wrong offsets they may be anything. */
template <typename UNIT>
static __global__ void __launch_bounds__(FLAT_THREADS)
    gather_units(const __grid_constant__ gather_units_params<UNIT> params)
{
    wait_for_previous_kernel();
    const unsigned lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * FLAT_THREADS / 32;
    size_t warp = ((size_t)blockIdx.x * FLAT_THREADS + threadIdx.x) / 32;
    const size_t n = length_of(params.length, elements_there(params.n, params.count));
    for (; warp < (n + 31) / 32; warp += warps) {
        const size_t base = warp * 32;
        const unsigned values = n - base < 32 ? (unsigned)(n - base) : 32;
        for (unsigned unit = lane; unit < values * params.units; unit += 32) {
            const unsigned value = unit / params.units, part = unit % params.units;
            const size_t from = params.index == NULL ? base + value
                                : params.wide ? ((const uint64_t *)params.index)[base + value]
                                              : ((const uint32_t *)params.index)[base + value];
            if (from < params.n)
                params.out[base * params.units + unit] = params.in[from * params.units + part];
        }
    }
}

template <typename UNIT>
static cudaError_t gather(parscan_context *context, const parscan_gather_call *call)
{
    gather_units_params<UNIT> params = {(const UNIT *)call->in,
                                        (UNIT *)call->out,
                                        call->index,
                                        call->n,
                                        call->count,
                                        length_at(context, call->n_at),
                                        (unsigned)(call->size / sizeof(UNIT)),
                                        call->index_size == 8};
    return launch_flat(context, gather_units<UNIT>, params, call->n);
}

parscan_status parscan_gather_cuda(parscan_context *context, const parscan_gather_call *call)
{
    const uintptr_t all = (uintptr_t)call->in | (uintptr_t)call->out | call->size;
    return PARSCAN_CUDA_QUEUE(context, all % 16 == 0  ? gather<uint4>(context, call)
                                       : all % 8 == 0 ? gather<uint64_t>(context, call)
                                       : all % 4 == 0 ? gather<uint32_t>(context, call)
                                       : all % 2 == 0 ? gather<uint16_t>(context, call)
                                                      : gather<uint8_t>(context, call));
}

parscan_status parscan_sort_clear_plans(parscan_context *context, sort_state *plans, unsigned count,
                                        size_t n)
{
    size_t rows = 1;
    while (rows < SORT_ROWS && rows <= n / SORT_LEAST_TILE)
        rows *= 2;
    return PARSCAN_CUDA_QUEUE(context, clear_plans(context->cuda, plans, count, rows));
}
