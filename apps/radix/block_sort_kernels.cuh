/* Sorts an array that one block can hold in registers, in one launch (block_order_kernels.cuh). */
#ifndef PARSCAN_APPS_RADIX_BLOCK_SORT_KERNELS_CUH
#define PARSCAN_APPS_RADIX_BLOCK_SORT_KERNELS_CUH

#include "apps/radix/block_order_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"

template <typename S>
struct block_sort_params {
    typedef typename S::Bits Bits;
    const Bits *keys_in;
    Bits *keys_out;        /* NULL: the keys are not wanted */
    const void *values_in; /* NULL: the values are the elements' indices */
    void *values_out;
    unsigned n, value_size, passes; /* n: at most */
    device_length length;
    digit_of<typename S::Key> digit[sizeof(Bits)];
    Bits flip, keep, beyond;

    /* The bits of a key that are compared. */
    __device__ __forceinline__ Bits compared(Bits code) const
    {
        return S::Key::rank(code, S::Key::IS_FLOAT ? flip : 0) & keep;
    }
};

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, BLOCKS_HELD(S::THREADS, S::BLOCKS))
    block_sort(const __grid_constant__ block_sort_params<S> params)
{
    extern __shared__ __align__(16) unsigned char memory[];
    wait_for_previous_kernel();
    const unsigned n = (unsigned)length_of(params.length, params.n);
    if (n > 0)
        sort_in_block<true>(params, *(block_sort_shared<S> *)memory, 0, n);
}

#endif
