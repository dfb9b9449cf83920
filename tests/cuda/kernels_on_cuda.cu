#include "tests/cuda/kernels_on_cuda.h"

static __global__ void hog(unsigned microseconds)
{
    extern __shared__ unsigned char whole[];
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    if (threadIdx.x == 0)
        ((volatile unsigned char *)whole)[0] = 1;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < 1000ull * microseconds);
}

cudaError_t hog_on_cuda(unsigned blocks, unsigned microseconds, cudaStream_t stream)
{
    int device = 0, shared_bytes = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error =
            cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)hog, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared_bytes);
    if (error != cudaSuccess)
        return error;
    hog<<<blocks, 256, (size_t)shared_bytes, stream>>>(microseconds);
    return cudaGetLastError();
}

const void *hog_kernel(void)
{
    return (const void *)hog;
}

static __global__ void fault()
{
    *(volatile int *)16 = 1;
}

cudaError_t fault_on_cuda(cudaStream_t stream)
{
    fault<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

cudaError_t bad_launch_on_cuda(cudaStream_t stream)
{
    unsigned microseconds = 0;
    void *arguments[] = {&microseconds};
    return cudaLaunchKernel((const void *)hog, dim3(1), dim3(4096), arguments, 0, stream);
}

static __global__ void odd_numbers(uint32_t *out, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        out[i] = (uint32_t)(2 * i + 1);
}

cudaError_t odd_numbers_on_cuda(uint32_t *out, size_t n, cudaStream_t stream)
{
    odd_numbers<<<1024, 256, 0, stream>>>(out, n);
    return cudaGetLastError();
}

static __global__ void count_no_squares(const uint32_t *array, size_t n, uint32_t sign,
                                        size_t shift, uint32_t plus, unsigned long long *wrong)
{
    unsigned long long mine = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t root = (uint32_t)(i + shift);
        mine += array[i] != sign * root * root + plus;
    }
    if (mine != 0)
        atomicAdd(wrong, mine);
}

cudaError_t count_no_squares_on_cuda(const uint32_t *array, size_t n, uint32_t sign, size_t shift,
                                     uint32_t plus, unsigned long long *wrong, cudaStream_t stream)
{
    count_no_squares<<<1024, 256, 0, stream>>>(array, n, sign, shift, plus, wrong);
    return cudaGetLastError();
}
