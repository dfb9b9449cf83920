/* Launches of a sort by columns. */
#include "apps/sort/sort_columns_kernels.cuh"
#include "scan/cuda/launch.cuh"

typedef void columns_kernel(columns_at_length);

static columns_at_length with_length(parscan_context *context, const columns_params *params)
{
    columns_at_length made;
    (columns_params &)made = *params;
    made.length = length_at(context, params->n_at);
    return made;
}

/* So many rows a thread, but at most as many blocks as the device holds. */
static cudaError_t launch_rows(parscan_cuda *cuda, columns_kernel *kernel, unsigned each,
                               const columns_at_length &params)
{
    return launch_dependent_persistent(kernel, cuda, (params.n - 1) / (COLUMN_THREADS * each) + 1,
                                       COLUMN_THREADS, 0, params);
}

static cudaError_t launch_listers(parscan_cuda *cuda, columns_kernel *kernel,
                                  const columns_at_length &params)
{
    const unsigned warps = COLUMN_THREADS / 32;
    return launch_dependent(kernel, cuda, (params.listers + warps - 1) / warps, COLUMN_THREADS, 0,
                            params);
}

cudaError_t parscan_columns_first(parscan_context *context, const columns_params *params)
{
    parscan_cuda *const cuda = context->cuda;
    const columns_at_length made = with_length(context, params);
    cudaError_t error =
        cudaMemsetAsync(params->state->varying, 0, sizeof params->state->varying, cuda->stream);
    if (error == cudaSuccess)
        error = launch_rows(cuda, find_varying, ROWS_AT_ONCE, made);
    if (error == cudaSuccess)
        error = launch_dependent(begin_rounds, cuda, 1, COLUMN_SAMPLE, 0, made);
    if (error == cudaSuccess)
        error = launch_rows(cuda, params->narrow ? make_keys<uint32_t> : make_keys<uint64_t>,
                            ROWS_AT_ONCE, made);
    return error;
}

static columns_kernel *lister_of(const columns_params *params)
{
    if (params->narrow)
        return params->wide ? list_ties<uint32_t, uint64_t> : list_ties<uint32_t, uint32_t>;
    return params->wide ? list_ties<uint64_t, uint64_t> : list_ties<uint64_t, uint32_t>;
}

cudaError_t parscan_columns_list(parscan_context *context, const columns_params *params)
{
    parscan_cuda *const cuda = context->cuda;
    const columns_at_length made = with_length(context, params);
    cudaError_t error =
        launch_listers(cuda, params->narrow ? count_ties<uint32_t> : count_ties<uint64_t>, made);
    if (error == cudaSuccess)
        error = launch_dependent(begin_round, cuda, 1, ROUND_THREADS, 0, made);
    if (error == cudaSuccess)
        error = launch_listers(cuda, lister_of(params), made);
    return error;
}

cudaError_t parscan_columns_mark(parscan_context *context, const columns_params *params)
{
    columns_kernel *const kernel = params->narrow ? mark_heads<uint32_t, uint32_t>
                                   : params->wide ? mark_heads<uint64_t, uint64_t>
                                                  : mark_heads<uint64_t, uint32_t>;
    return launch_rows(context->cuda, kernel, 1, with_length(context, params));
}

cudaError_t parscan_columns_return(parscan_context *context, const columns_params *params)
{
    return launch_rows(context->cuda, params->wide ? return_rows<uint64_t> : return_rows<uint32_t>,
                       1, with_length(context, params));
}
