/* Kernels of the CUDA suites' own. All return CUDA's error of the launch and do not wait. */
#ifndef PARSCAN_TESTS_KERNELS_ON_CUDA_H
#define PARSCAN_TESTS_KERNELS_ON_CUDA_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes `blocks` multiprocessors whole, by their shared memory, for so many microseconds each. */
cudaError_t hog_on_cuda(unsigned blocks, unsigned microseconds, cudaStream_t stream);

/* The kernel of hog_on_cuda(), for those who only ask about it. */
const void *hog_kernel(void);

/* Writes where nothing is: the device is out of order for the rest of the process. */
cudaError_t fault_on_cuda(cudaStream_t stream);

/* Asks for more threads than a block may have. */
cudaError_t bad_launch_on_cuda(cudaStream_t stream);

/* out[i] = 2 i + 1: the sums of what comes before and with i are squares. */
cudaError_t odd_numbers_on_cuda(uint32_t *out, size_t n, cudaStream_t stream);

/* *wrong += how many of array[i] are not sign * (i + shift)^2 + plus, modulo 2^32. */
cudaError_t count_no_squares_on_cuda(const uint32_t *array, size_t n, uint32_t sign, size_t shift,
                                     uint32_t plus, unsigned long long *wrong, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
