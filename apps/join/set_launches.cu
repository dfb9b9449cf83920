/* The launches of set operations on one class of keys. Compiled once a class, with PARSCAN_ELEMENT_NAME (u8,
   f16). */
#include "apps/join/set_tiles.cuh"
#include "scan/cuda/launch_chain.cuh"

parscan_status NAMED(parscan_set_launch)(parscan_context *context, const set_params *params)
{
    typedef NAMED(key) KEY;
    typedef set_shape<KEY> S;
    const size_t most = params->keys.n + params->keys.n2,
                 tiles = most > 0 ? (most - 1) / S::TILE + 1 : 1;
    set_at_lengths made;
    parscan_chain_memory chain;
    made.set(context, *params);
    const parscan_status status = parscan_cuda_chain_memory(context, tiles, &chain);
    if (status != PARSCAN_OK)
        return status;
    made.chain = chain_of(chain);
    return PARSCAN_CUDA_QUEUE(context, launch_chain(set_tiles<KEY>, context->cuda, made, tiles,
                                                    S::ALL_THREADS, S::CODE_BYTES));
}
