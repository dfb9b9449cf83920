/* The launch of a sort of rows in registers for one class of keys. Compiled once a class, with PARSCAN_ELEMENT_NAME. */
#include "apps/radix/launch_radix.cuh"
#include "apps/radix/radix_tuning.cuh"
#include "apps/sort/sort_rows_kernels.cuh"

template <typename S>
static cudaError_t launch_shape(const parscan_sort_rows_call *call)
{
    typedef typename S::Bits Bits;
    sort_rows_params<typename S::Key> params = {};
    params.keys = (const Bits *)call->keys;
    params.keys_out = (Bits *)call->keys_out;
    params.indices = call->indices;
    params.index_size = (unsigned)call->index_size;
    params.n = (unsigned)call->n;
    params.rows = call->rows;
    params.flip = (Bits)call->flip;
    params.keep = (Bits)call->keep;
    const uintptr_t ends = (uintptr_t)call->keys | (uintptr_t)call->keys_out |
                           (uintptr_t)call->indices | params.n * sizeof(Bits);
    params.has_vectors = ends % 16 == 0;
    return launch_dependent_persistent(sort_rows<S>, call->context->cuda,
                                       (call->rows + S::ROWS - 1) / S::ROWS, S::THREADS * S::ROWS,
                                       S::SHARED_BYTES, params);
}

/* Rows of up to THREADS * PER elements, of which a warp has one or several. */
template <typename KEY, bool INDEXED, unsigned PER, unsigned THREADS>
static cudaError_t launch_warps(const parscan_sort_rows_call *call)
{
    return launch_shape<sort_rows_shape<KEY, INDEXED, PER, THREADS, 128 / THREADS>>(call);
}

/* Longer ones by THREADS threads. */
template <typename KEY, bool INDEXED, unsigned PER, unsigned THREADS = 64>
static cudaError_t launch_blocks(const parscan_sort_rows_call *call)
{
    if constexpr (THREADS <= 1024 && THREADS * PER <= ROWS_MOST) {
        if (call->n > THREADS * PER)
            return launch_blocks<KEY, INDEXED, PER, 2 * THREADS>(call);
        return launch_shape<sort_rows_shape<KEY, INDEXED, PER, THREADS, 1>>(call);
    } else {
        return cudaErrorInvalidValue;
    }
}

template <typename KEY, bool INDEXED>
static cudaError_t launch_rows(const parscan_sort_rows_call *call)
{
    if (call->n <= 64)
        return launch_warps<KEY, INDEXED, 16, 4>(call);
    if (call->n <= 128)
        return launch_warps<KEY, INDEXED, 16, 8>(call);
    if (call->n <= 256)
        return launch_warps<KEY, INDEXED, 16, 16>(call);
    if (call->n <= 512)
        return launch_warps<KEY, INDEXED, 16, 32>(call);
    return launch_blocks<KEY, INDEXED, 16>(call);
}

cudaError_t NAMED(parscan_sort_rows_launch)(const parscan_sort_rows_call *call)
{
    typedef NAMED(key) KEY;
    if constexpr (sizeof(typename KEY::Bits) <= 4)
        if (call->indices != NULL)
            return launch_rows<KEY, true>(call);
    if constexpr (!KEY::IS_FLOAT)
        if (call->keys_out != NULL)
            return launch_rows<KEY, false>(call);
    return cudaErrorInvalidValue;
}
