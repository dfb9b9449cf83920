/* Writes the offsets of rows on CUDA. */
#include "apps/radix/launch_radix.cuh"
#include "apps/segments/row_offsets_cuda.h"
#include "scan/cuda/length.cuh"

template <typename OFFSET>
struct row_offsets_params {
    OFFSET *offsets;
    size_t count; /* of offsets */
    OFFSET row;
    device_length length;
    uint64_t *rows; /* receives their number, if the length is in device memory */
};

template <typename OFFSET>
static __global__ void __launch_bounds__(FLAT_THREADS)
    write_row_offsets(const __grid_constant__ row_offsets_params<OFFSET> params)
{
    wait_for_previous_kernel(); /* which may read what a call before has in this scratch */
    size_t count = params.count;
    if (params.length.at != NULL) {
        const size_t rows = read_length(params.length, (count - 1) * params.row) / params.row;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            *params.rows = rows;
        count = rows + 1;
    }
    const size_t threads = (size_t)gridDim.x * FLAT_THREADS;
    for (size_t k = (size_t)blockIdx.x * FLAT_THREADS + threadIdx.x; k < count; k += threads)
        params.offsets[k] = (OFFSET)k * params.row;
}

template <typename OFFSET>
static cudaError_t write_offsets(parscan_context *context, size_t count, size_t row, void *memory,
                                 const uint64_t *length, uint64_t *rows)
{
    row_offsets_params<OFFSET> params = {(OFFSET *)memory, count, (OFFSET)row,
                                         length_at(context, length), rows};
    return launch_flat(context, write_row_offsets<OFFSET>, params, count);
}

cudaError_t parscan_row_offsets_cuda(parscan_context *context, const parscan_segments *offsets,
                                     size_t row, void *memory, const uint64_t *length,
                                     uint64_t *count)
{
    return offsets->type == PARSCAN_U32
               ? write_offsets<uint32_t>(context, offsets->count + 1, row, memory, length, count)
               : write_offsets<uint64_t>(context, offsets->count + 1, row, memory, length, count);
}
