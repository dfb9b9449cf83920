/*
 * Flags of elements by a predicate, whose values may be in device memory, where a call before has left them:
 * the kernels of compaction have the range of a predicate (compact_range.h) as constants.
 */
#include "apps/compact/compact_cuda.h"
#include "apps/compact/predicate_kernels.cuh"
#include "scan/cuda/launch.cuh"

template <typename T>
static cudaError_t launch(parscan_context *context, const predicate_params *given,
                          const uint64_t *n_at)
{
    predicate_at_length params;
    (predicate_params &)params = *given;
    params.length = length_at(context, n_at);
    return launch_dependent_persistent(
        set_flags<T>, context->cuda,
        params.n / (PREDICATE_THREADS * PREDICATE_GROUP * PREDICATE_EACH) + 1, PREDICATE_THREADS, 0,
        params);
}

cudaError_t parscan_predicate_launch(parscan_context *context, parscan_type element,
                                     const predicate_params *params, const uint64_t *n_at)
{
    switch ((int)element) {
#define X(ctx, NAME, number, name, type, ...) \
    case PARSCAN_##NAME:                      \
        return launch<type>(context, params, n_at);
        PARSCAN_TYPES(X, )
#undef X
    }
    return cudaErrorInvalidValue;
}
