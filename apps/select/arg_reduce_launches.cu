/* The launches of reductions to an index. Compiled once for each size of an element, with PARSCAN_ELEMENT. */
#include "apps/segments/launch_parts.cuh"
#include "apps/select/arg_reduce_cuda.h"
#include "apps/select/arg_reduce_kernels.cuh"
#include "apps/select/arg_reduce_parts.cuh"
#include "apps/select/arg_reduce_tiles.cuh"
#include "scan/cuda/cuda_element.cuh"
#include "scan/cuda/launch_chain.cuh"

static_assert(tile_words<segment_sum<arg_results<Stored>::found>>::count * PARTS_MOST_TILES <=
                  ARG_REDUCE_WORDS,
              "room for status words");

static cudaError_t launch_parts(const arg_reduce_cuda_call *call)
{
    merge_path_params<Stored, arg_results<Stored>::found, Stored, arg_results<Stored>> params;
    params.in = (const Stored *)call->in;
    params.offsets = call->offsets;
    params.ranks.set(call->order);
    params.values = (Stored *)call->values;
    params.indices = call->indices;
    params.empty = (Stored)call->empty;
    params.wide = call->wide;
    params.chain = chain_of(call->chain);
    return launch_reduce_parts<parscan_operator_FIRST>(call->context->cuda, params);
}

cudaError_t NAMED(parscan_arg_reduce_launch)(const arg_reduce_cuda_call *call)
{
    if (call->offsets.data != NULL)
        return launch_parts(call);
    arg_params<Stored> params;
    params.in = (const Stored *)call->in;
    params.length = length_at(call->context, call->n_at);
    params.set_length(call->n);
    params.ranks.set(call->order);
    params.empty = (Stored)call->empty;
    params.value = (Stored *)call->values;
    params.index = call->indices;
    params.wide = call->wide;
    params.count = call->count;
    params.chain = chain_of(call->chain);
    parscan_cuda *const cuda = call->context->cuda;
    if (call->plan.variant == ARG_REDUCE_TILES) {
        const size_t tiles = arg_tile<Stored>::tiles{params.in, params.n}.count();
        return launch_dependent(arg_reduce_tiles<Stored>, cuda, tiles == 0 ? 1 : tiles,
                                CHUNK_THREADS, 0, params);
    }
    return launch_dependent_persistent(arg_reduce_blocks<Stored>, cuda, params.chunks().count(),
                                       CHUNK_THREADS, 0, params);
}
