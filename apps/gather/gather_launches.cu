/* Launches of gather and scatter. */
#include "apps/gather/gather_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/of_size.cuh"

static cudaError_t launch(parscan_cuda *cuda, void (*kernel)(gather_at_length), size_t each,
                          const gather_at_length *params)
{
    return launch_dependent_persistent(kernel, cuda, (params->n - 1) / each + 1, GATHER_THREADS, 0,
                                       *params);
}

static cudaError_t launch_winners(parscan_cuda *cuda, const gather_at_length *params)
{
    if (params->wide_winners)
        return launch(cuda,
                      params->wide ? find_winners<unsigned long long, true>
                                   : find_winners<unsigned long long, false>,
                      GATHER_THREADS, params);
    return launch(cuda, params->wide ? find_winners<unsigned, true> : find_winners<unsigned, false>,
                  GATHER_THREADS, params);
}

template <typename UNIT>
static cudaError_t launch_units(parscan_cuda *cuda, gather_variant variant,
                                const gather_at_length *params)
{
    switch (variant) {
    case GATHER_ELEMENTS:
        return launch(cuda,
                      params->wide ? gather_elements<UNIT, true> : gather_elements<UNIT, false>,
                      GATHER_THREADS * GATHER_EACH, params);
    case GATHER_SCATTER:
        return launch(cuda,
                      params->wide ? scatter_elements<UNIT, true> : scatter_elements<UNIT, false>,
                      GATHER_THREADS, params);
    case GATHER_WINNERS: {
        const cudaError_t error = launch_winners(cuda, params);
        if (error != cudaSuccess)
            return error;
        return launch(
            cuda, params->wide ? move_by_warps<UNIT, true, true> : move_by_warps<UNIT, false, true>,
            GATHER_THREADS, params);
    }
    default:
        return launch(cuda,
                      params->wide ? move_by_warps<UNIT, true, false>
                                   : move_by_warps<UNIT, false, false>,
                      GATHER_THREADS, params);
    }
}

cudaError_t parscan_gather_launch(parscan_context *context, const gather_plan *plan,
                                  const gather_params *params)
{
    parscan_cuda *const cuda = context->cuda;
    gather_at_length made;
    (gather_params &)made = *params;
    made.length = length_at(context, params->n_at);
    return launch_of_unit(plan->unit, [&](auto unit) {
        return launch_units<decltype(unit)>(cuda, plan->variant, &made);
    });
}
