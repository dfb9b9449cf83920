/* The launches of allocation, expansion and packing on CUDA. */
#include "apps/allocate/slots_kernels.cuh"
#include "apps/allocate/units_kernels.cuh"
#include "scan/context/launch.cuh"
#include "scan/single_pass/launch_chain.cuh"

static size_t tiles_of(size_t n)
{
    return n / UNITS_TILE + (n % UNITS_TILE != 0);
}

size_t parscan_units_chain_words(size_t n)
{
    return tiles_of(n) * tile_words<units_sum>::count;
}

template <typename SOURCE, typename Out>
static cudaError_t launch_units(parscan_cuda *cuda, const parscan_chain_memory *chain,
                                const units_call *units)
{
    units_on_device made;
    (units_call &)made = *units;
    made.tiles = tiles_of(units->n);
    const uintptr_t in_vector = UNITS_LANE * sizeof(typename SOURCE::Unit);
    made.vectors_in = (uintptr_t)units->sizes % (in_vector < 16 ? in_vector : 16) == 0;
    made.vectors_out = (uintptr_t)units->offsets % 16 == 0;
    made.chain = chain_of(*chain);
    return launch_chain(allocate_units<SOURCE, Out>, cuda, made, made.tiles, UNITS_THREADS, 0);
}

template <typename Out>
static cudaError_t launch_sizes(parscan_cuda *cuda, const parscan_chain_memory *chain,
                                const units_call *units)
{
    switch (units->size_type) {
    case PARSCAN_U8:
        return launch_units<sizes_source<uint8_t>, Out>(cuda, chain, units);
    case PARSCAN_U16:
        return launch_units<sizes_source<uint16_t>, Out>(cuda, chain, units);
    case PARSCAN_U32:
        return launch_units<sizes_source<uint32_t>, Out>(cuda, chain, units);
    default:
        return launch_units<sizes_source<uint64_t>, Out>(cuda, chain, units);
    }
}

cudaError_t parscan_units_launch(parscan_context *context, const parscan_chain_memory *chain,
                                 const units_call *units)
{
    parscan_cuda *const cuda = context->cuda;
    if (units->out_offsets != NULL)
        return launch_units<records_source, uint64_t>(cuda, chain, units);
    return units->offset_type == PARSCAN_U32 ? launch_sizes<uint32_t>(cuda, chain, units)
                                             : launch_sizes<uint64_t>(cuda, chain, units);
}

template <typename Kernel>
static cudaError_t launch_slots(Kernel *kernel, parscan_cuda *cuda, const slots_call *call)
{
    return launch_resident(kernel, cuda, call->most_work / SLOTS_WORK + 1, SLOTS_THREADS, 0, *call);
}

cudaError_t parscan_expand_launch(parscan_cuda *cuda, const slots_call *call)
{
    return call->index_type == PARSCAN_U32 ? launch_slots(expand_items<uint32_t>, cuda, call)
                                           : launch_slots(expand_items<uint64_t>, cuda, call);
}

cudaError_t parscan_pack_launch(parscan_cuda *cuda, const slots_call *call)
{
    return launch_slots(pack_items, cuda, call);
}

cudaError_t parscan_extent_launch(parscan_cuda *cuda, const extent_call *call)
{
    const unsigned threads = 256;
    return launch_resident(find_extent, cuda, call->n / threads + 1, threads, 0, *call);
}
