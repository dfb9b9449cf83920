/* What the kernels that are compiled at run time read of a call. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_CALL_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_CALL_CUH

#include "scan/cuda/length.cuh"
#include "scan/cuda/tile_prefix.cuh"
#include "scan/runtime/custom_params.h"
#include "scan/runtime/custom_value.cuh"

static __device__ __forceinline__ size_t elements_of(const custom_call &call)
{
    return length_of(device_length{call.length_at, call.deferred}, call.n);
}

/* What comes before the first element: init, or else the identity. The kernel that has made an init in
   device memory has ended. */
template <typename CALLER, typename T>
static __device__ __forceinline__ T start_of(const custom_call &call)
{
    typename CALLER::E init;
    if (call.has_init == 0) {
        const custom_operator<CALLER> op;
        return identity(op);
    }
    if (call.init_at == nullptr) {
        memcpy(&init, call.init, sizeof init);
        return init;
    }
    wait_for_previous_kernel();
    return read_units<unit_of_caller<CALLER>(), typename CALLER::E>(call.init_at);
}

static __device__ __forceinline__ tile_chain chain_of(const custom_chain &chain)
{
    unsigned long long *const control = (unsigned long long *)chain.control;
    return tile_chain{control, (unsigned *)(control + 1), chain.status, chain.words};
}

#endif
