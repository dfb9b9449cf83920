#include "apps/sort/number_rows.h"
#include "apps/sort/number_rows_kernels.cuh"
#include "scan/cuda/launch.cuh"

static cudaError_t launch(parscan_cuda *cuda, void (*kernel)(number_params),
                          const number_params &params)
{
    return launch_dependent_persistent(kernel, cuda, (params.all - 1) / NUMBER_THREADS + 1,
                                       NUMBER_THREADS, 0, params);
}

cudaError_t parscan_places_launch(parscan_cuda *cuda, void *places, size_t size, size_t all,
                                  size_t n)
{
    return launch(cuda,
                  size == 4 ? number_elements<uint32_t, true> : number_elements<uint64_t, true>,
                  {NULL, places, all, n});
}

cudaError_t parscan_number_rows_launch(parscan_cuda *cuda, uint32_t *rows, size_t all, size_t n)
{
    return launch(cuda, number_elements<uint32_t, false>, {NULL, rows, all, n});
}

cudaError_t parscan_rows_of_indices_launch(parscan_cuda *cuda, const uint32_t *indices,
                                           uint32_t *rows, size_t all, size_t n)
{
    return launch(cuda, divide_indices<uint32_t, false>, {indices, rows, all, n});
}

cudaError_t parscan_places_in_rows_launch(parscan_cuda *cuda, const uint32_t *indices, void *places,
                                          size_t size, size_t all, size_t n)
{
    return launch(cuda, size == 4 ? divide_indices<uint32_t, true> : divide_indices<uint64_t, true>,
                  {indices, places, all, n});
}

cudaError_t parscan_widen_launch(parscan_cuda *cuda, const void *narrow, size_t size,
                                 uint32_t *wide, size_t all)
{
    return launch(cuda,
                  size == 1 ? change_width<uint8_t, uint32_t> : change_width<uint16_t, uint32_t>,
                  {narrow, wide, all, 1});
}

cudaError_t parscan_narrow_launch(parscan_cuda *cuda, const uint32_t *wide, void *narrow,
                                  size_t size, size_t all)
{
    return launch(cuda,
                  size == 1 ? change_width<uint32_t, uint8_t> : change_width<uint32_t, uint16_t>,
                  {wide, narrow, all, 1});
}
