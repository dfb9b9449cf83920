/* The launches of merges of one class of keys. Compiled once a class, with PARSCAN_ELEMENT_NAME (u8, f16). */
#include "apps/join/merge_spans.cuh"

template <bool VALUES, typename KEY>
static cudaError_t launch_spans(parscan_cuda *cuda, const merge_at_lengths &params)
{
    typedef merge_shape<KEY> S;
    const size_t spans = (params.keys.n + params.keys.n2 - 1) / params.least_span + 1;
    return launch_dependent_persistent(merge_spans<VALUES, KEY>, cuda, spans, S::ALL_THREADS,
                                       S::CODE_BYTES + (VALUES ? S::PLACE_BYTES : 0), params);
}

cudaError_t NAMED(parscan_merge_launch)(parscan_context *context, const merge_params *params)
{
    typedef NAMED(key) KEY;
    merge_at_lengths made;
    (merge_params &)made = *params;
    made.length = length_at(context, params->keys.n_at);
    made.length2 = length_at(context, params->keys.n2_at);
    return params->values.out != NULL ? launch_spans<true, KEY>(context->cuda, made)
                                      : launch_spans<false, KEY>(context->cuda, made);
}
