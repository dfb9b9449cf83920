/* The launches of run lengths decoded. */
#include "apps/allocate/decode_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/of_size.cuh"

template <typename Unit, typename Offset>
static cudaError_t launch(parscan_cuda *cuda, const slots_params *params)
{
    const size_t tiles = params->most_work / slots_work<decode_use<Unit, Offset>>::count + 1;
    return launch_dependent_persistent(params->value_size == sizeof(Unit)
                                           ? decode_items<Unit, Offset>
                                           : decode_several<Unit, Offset>,
                                       cuda, tiles, SLOTS_THREADS, 0, *params);
}

template <typename Unit>
static cudaError_t launch_units(parscan_cuda *cuda, const slots_params *params)
{
    return params->wide ? launch<Unit, uint64_t>(cuda, params)
                        : launch<Unit, uint32_t>(cuda, params);
}

/* The unit is the largest, up to 16 bytes, that divides the values and to which both arrays are aligned. */
cudaError_t parscan_decode_launch(parscan_cuda *cuda, const slots_params *params)
{
    const uintptr_t all =
        (uintptr_t)params->values | (uintptr_t)params->owner | params->value_size | 16;
    return launch_of_unit(all & (0 - all),
                          [&](auto unit) { return launch_units<decltype(unit)>(cuda, params); });
}
