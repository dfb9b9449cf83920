/* The launches of differences: integers by their size, floats by their type. */
#include "apps/difference/difference_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/of_size.cuh"

template <typename T>
static cudaError_t launch(parscan_context *context, const difference_params *given)
{
    parscan_cuda *const cuda = context->cuda;
    difference_at_length params;
    (difference_params &)params = *given;
    params.length = length_at(context, params.n_at);
    const size_t tiles = params.n / (DIFFERENCE_TILE_BYTES / sizeof(T)) + 1;
    if (params.borders != NULL) {
        const cudaError_t error = launch_dependent_persistent(
            save_borders<T>, cuda, tiles / DIFFERENCE_THREADS + 1, DIFFERENCE_THREADS, 0, params);
        if (error != cudaSuccess)
            return error;
    }
    /* A block a tile: memory is busier than with blocks that loop. But a length in device memory may leave
       most of the blocks nothing. */
    const bool persistent = params.n_at != NULL;
    if (params.borders == NULL && params.n * sizeof(T) <= DIFFERENCE_FEW_BYTES)
        return launch_dependent(subtract_neighbours<T, 1>, cuda, DIFFERENCE_EACH * tiles,
                                DIFFERENCE_THREADS, 0, params, persistent);
    return launch_dependent(subtract_neighbours<T, DIFFERENCE_EACH>, cuda, tiles,
                            DIFFERENCE_THREADS, 0, params, persistent);
}

cudaError_t parscan_difference_launch(parscan_context *context, parscan_type type,
                                      const difference_params *params)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, element, ...) \
    case PARSCAN_##NAME:                         \
        return launch<element>(context, params);
        PARSCAN_STORED_TYPES(X, )
#undef X
    case PARSCAN_F32:
        return launch<float>(context, params);
    case PARSCAN_F64:
        return launch<double>(context, params);
    default:
        break;
    }
    return launch_of_size(parscan_type_size(type),
                          [&](auto element) { return launch<decltype(element)>(context, params); });
}
