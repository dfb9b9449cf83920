/* The launches of allocation, expansion and packing on CUDA. */
#include "apps/allocate/allocate_plan.h"
#include "apps/allocate/allocate_scan.cuh"
#include "apps/allocate/expand_kernels.cuh"
#include "apps/allocate/pack_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/launch_chain.cuh"

static size_t tiles_of(size_t n, size_t tile)
{
    return n / tile + (n % tile != 0);
}

/* As many as with the shortest tiles, and one more tile for the edges. */
size_t parscan_units_chain_words(size_t n)
{
    typedef unspecialised_shape<uint64_t, uint64_t>::shape shortest;
    return (tiles_of(n, shortest::TILE) + 1) * tile_words<units_sum>::count;
}

template <typename S>
static cudaError_t scan_shaped(parscan_context *context, const parscan_chain_memory *chain,
                               const allocate_sum_params *units)
{
    typedef typename S::In In;
    typedef typename S::T Out;
    allocate_scan_params<S> made;
    made.units = *units;
    made.in = (const In *)units->sizes;
    made.out = (Out *)units->offsets;
    made.head_padding = (unsigned)((uintptr_t)units->offsets % 128 / sizeof(Out));
    made.misalignment =
        (unsigned)(((uintptr_t)units->sizes - made.head_padding * sizeof(In)) % 128);
    made.length = length_at(context, units->n_at);
    made.set_length(units->n);
    made.start = made.first = 0;
    made.exclusive = true;
    made.keeps = false;
    made.chain = chain_of(*chain);
    return launch_chain(scan_units<S>, context->cuda, made, made.tiles, S::THREADS,
                        S::SHARED_BYTES);
}

template <typename In, typename Out>
static cudaError_t scan_sizes(parscan_context *context, const parscan_chain_memory *chain,
                              const allocate_sum_params *units)
{
    typedef typename allocate_scan_shape<In, Out>::warp_specialised warp_specialised;
    typedef typename unspecialised_shape<In, Out>::shape unspecialised;
    const allocate_variant variant = parscan_allocate_plan(&context->cuda->plan_device);
    if (context->cuda->prints_plans)
        parscan_plan_print(&parscan_allocate_plans, variant, "%zu sizes", units->n);
    return variant == ALLOCATE_UNSPECIALISED ? scan_shaped<unspecialised>(context, chain, units)
                                             : scan_shaped<warp_specialised>(context, chain, units);
}

template <typename Out>
static cudaError_t scan_to(parscan_context *context, const parscan_chain_memory *chain,
                           const allocate_sum_params *units)
{
    switch (units->size_type) {
    case PARSCAN_U8:
        return scan_sizes<uint8_t, Out>(context, chain, units);
    case PARSCAN_U16:
        return scan_sizes<uint16_t, Out>(context, chain, units);
    case PARSCAN_U32:
        return scan_sizes<uint32_t, Out>(context, chain, units);
    default:
        return scan_sizes<uint64_t, Out>(context, chain, units);
    }
}

cudaError_t parscan_units_launch(parscan_context *context, const parscan_chain_memory *chain,
                                 const allocate_sum_params *units)
{
    return units->offset_type == PARSCAN_U32 ? scan_to<uint32_t>(context, chain, units)
                                             : scan_to<uint64_t>(context, chain, units);
}

template <typename Index, typename Offset, bool BEGINS>
static cudaError_t expand_as(parscan_cuda *cuda, const slots_params *params)
{
    const size_t tiles =
        params->most_work / slots_work<expand_use<Index, Offset, BEGINS>>::count + 1;
    return launch_dependent_persistent(expand_items<Index, Offset, BEGINS>, cuda, tiles,
                                       SLOTS_THREADS, 0, *params);
}

template <typename Index, typename Offset>
static cudaError_t expand_from(parscan_cuda *cuda, const slots_params *params)
{
    return params->begins != NULL ? expand_as<Index, Offset, true>(cuda, params)
                                  : expand_as<Index, Offset, false>(cuda, params);
}

template <typename Index>
static cudaError_t expand(parscan_cuda *cuda, const slots_params *params)
{
    return params->wide ? expand_from<Index, uint64_t>(cuda, params)
                        : expand_from<Index, uint32_t>(cuda, params);
}

cudaError_t parscan_expand_launch(parscan_cuda *cuda, const slots_params *params)
{
    return params->index_type == PARSCAN_U32 ? expand<uint32_t>(cuda, params)
                                             : expand<uint64_t>(cuda, params);
}

cudaError_t parscan_pack_launch(parscan_context *context, const pack_params *params)
{
    parscan_cuda *const cuda = context->cuda;
    pack_small_params made;
    (pack_params &)made = *params;
    made.length = length_at(context, params->n_at);
    made.batch = parscan_pack_plan(&cuda->plan_device, params->n);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_pack_plans, PACK_IN_BATCHES, "%zu records, %u in a batch",
                           params->n, made.batch);
    const size_t batches = tiles_of(params->n, made.batch);
    const cudaError_t error =
        launch_persistent(pack_small, cuda, tiles_of(batches, PACK_WARPS), PACK_THREADS, 0, made);
    return error != cudaSuccess
               ? error
               : launch_dependent_persistent(pack_large, cuda, SIZE_MAX, PACK_THREADS, 0, *params);
}

cudaError_t parscan_extent_launch(parscan_cuda *cuda, const extent_params *params)
{
    const unsigned threads = 256;
    return launch_persistent(find_extent, cuda, params->n / threads + 1, threads, 0, *params);
}
