/* The flags of elements by a predicate of the caller's, and of runs by an equality: CALLER has E, SIZE, ALIGNMENT,
   LOADS = false, and bool test(E), or bool relate(E, E). Lanes have neighbours, and each several elements in flight. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_TEST_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_TEST_CUH

#include "scan/runtime/custom_call.cuh"

/* call.out: a flag, 0 or 1, for each element; of elements of one byte it may be call.in. */
template <typename CALLER>
static __device__ __forceinline__ void custom_test(const custom_call &call)
{
    typedef typename CALLER::E E;
    const unsigned AT_ONCE = sizeof(E) >= 32 ? 1 : sizeof(E) > 4 ? 32 / sizeof(E) : 8;
    const size_t each = (size_t)CUSTOM_TEST_THREADS * AT_ONCE;
    uint8_t *const flags = (uint8_t *)call.out;
    wait_for_previous_kernel();
    const size_t n = elements_of(call);
#pragma unroll 1
    for (size_t i = blockIdx.x * each + threadIdx.x; i < n; i += gridDim.x * each) {
        E x[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (i + k * CUSTOM_TEST_THREADS < n)
                x[k] = fetch_element<CALLER>(call.in, i + k * CUSTOM_TEST_THREADS);
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (i + k * CUSTOM_TEST_THREADS < n)
                flags[i + k * CUSTOM_TEST_THREADS] = CALLER::test(x[k]);
    }
}

/* call.out: whether each element begins a run: it is the first, or not equal to the one before it, which the lane
   before has read too. */
template <typename CALLER>
static __device__ __forceinline__ void custom_heads(const custom_call &call)
{
    uint8_t *const flags = (uint8_t *)call.out;
    wait_for_previous_kernel();
    const size_t n = elements_of(call);
#pragma unroll 4
    for (size_t i = (size_t)blockIdx.x * CUSTOM_TEST_THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * CUSTOM_TEST_THREADS)
        flags[i] = i == 0 || !CALLER::relate(fetch_element<CALLER>(call.in, i - 1),
                                             fetch_element<CALLER>(call.in, i));
}

#endif
