/* The launches of merges of one class of keys. Compiled once a class, with PARSCAN_ELEMENT_NAME (u8, f16). */
#include "apps/join/merge_network.cuh"
#include "apps/join/merge_spans.cuh"

template <bool VALUES, typename KEY>
static cudaError_t launch_spans(parscan_cuda *cuda, const merge_at_lengths &params)
{
    typedef merge_shape<KEY> S;
    const size_t spans = (params.keys.n + params.keys.n2 - 1) / params.least_span + 1;
    return launch_dependent_persistent(merge_spans<VALUES, KEY>, cuda, spans, S::ALL_THREADS,
                                       S::CODE_BYTES + (VALUES ? S::PLACE_BYTES : 0), params);
}

template <typename KEY>
static cudaError_t launch_network(parscan_cuda *cuda, const merge_at_lengths &params)
{
    typedef network_shape<KEY> S;
    const size_t tiles = (params.keys.n + params.keys.n2 - 1) / S::TILE + 1;
    return launch_dependent_persistent(merge_network<KEY>, cuda, tiles, S::ALL_THREADS,
                                       S::SHARED_BYTES, params);
}

cudaError_t NAMED(parscan_merge_launch)(parscan_context *context, const merge_params *params)
{
    typedef NAMED(key) KEY;
    merge_at_lengths made;
    made.set(context, *params);
    switch (params->variant) {
    case MERGE_NETWORK:
        return launch_network<KEY>(context->cuda, made);
    case MERGE_PAIRS:
        return launch_spans<true, KEY>(context->cuda, made);
    default:
        return launch_spans<false, KEY>(context->cuda, made);
    }
}
