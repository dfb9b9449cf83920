/* The launches of a search for bounds, compiled once for each class of keys. */
#include "apps/search/bounds_stream.cuh"

typedef PARSCAN_PASTE(PARSCAN_ELEMENT_NAME, _keys) keys;

/* As many blocks as the device holds, but no more than have a byte for what they leave. */
template <typename RANKS>
static cudaError_t launch_stream(parscan_cuda *cuda, const bounds_at_length *params)
{
    typedef stream_shape<RANKS> S;
    const size_t tiles = (params->n - 1) / params->plan.stream_needles + 1;
    return launch_dependent_persistent(stream_bounds<RANKS>, cuda,
                                       tiles < BOUNDS_STREAM_BLOCKS ? tiles : BOUNDS_STREAM_BLOCKS,
                                       S::ALL_THREADS, S::SHARED_BYTES, *params);
}

template <typename RANKS, bool RANGES>
static cudaError_t launch(parscan_cuda *cuda, const bounds_at_length *params)
{
    const bounds_plan *const plan = &params->plan;
    if constexpr (!RANGES) {
        const cudaError_t error =
            plan->stream_needles > 0 ? launch_stream<RANKS>(cuda, params) : cudaSuccess;
        if (error != cudaSuccess)
            return error;
    }
    if (plan->variant == BOUNDS_TREE) {
        const size_t blocks =
            (params->count - 1) / (BOUNDS_BLOCK_BYTES / sizeof(typename RANKS::key)) + 1;
        const cudaError_t error = launch_dependent_persistent(
            build_tree<RANKS>, cuda, (blocks - 1) / BOUNDS_BUILD_THREADS + 1, BOUNDS_BUILD_THREADS,
            0, *params);
        if (error != cudaSuccess)
            return error;
    }
    return launch_dependent_persistent(find_bounds<RANKS, RANGES>, cuda, plan->blocks,
                                       BOUNDS_THREADS, plan->shared_bytes, *params);
}

cudaError_t NAMED(parscan_bounds_launch)(parscan_context *context, const bounds_params *params)
{
    bounds_at_length made;
    (bounds_params &)made = *params;
    made.sorted_length = length_at(context, params->count_at);
    made.values_length = length_at(context, params->n_at);
    return params->counted == BOUNDS_COUNT_NONE
               ? launch<keys, false>(context->cuda, &made)
               : launch<by_value<keys>, true>(context->cuda, &made);
}
