/* The launches of top-k. Compiled once for each size of an element, with PARSCAN_ELEMENT. */
#include "apps/select/top_k_kernels.cuh"
#include "apps/select/top_k_segments.cuh"
#include "apps/select/top_k_warps.cuh"
#include "scan/cuda/cuda_element.cuh"
#include "scan/cuda/launch_chain.cuh"

static_assert(TOP_K_MOST_CHOSEN <= code_of<wide_code>::ROOM / 2, "a block has room for its choice");
static_assert(TOP_K_MOST_CHOSEN <= code_of<uint64_t>::ROOM / 2, "a block has room for its choice");

template <typename CODE>
static top_params<Stored, CODE> params_of(const top_k_cuda_call *call)
{
    typedef typename code_of<CODE>::PART PART;
    top_params<Stored, CODE> params;
    params.elements.in = (const Stored *)call->in;
    params.elements.ranks.set(call->order);
    params.length = length_at(call->context, call->n_at);
    params.set_length(call->n);
    params.samples = call->plan.samples;
    params.room = call->plan.room;
    params.shortest = call->plan.variant == TOP_K_SEGMENT_BOTH ? TOP_K_WARP_ELEMENTS + 1 : 0;
    params.to = {(const Stored *)call->in,
                 (Stored *)call->values,
                 call->indices,
                 call->wide,
                 call->k,
                 call->counts,
                 call->count,
                 call->segments};
    params.offsets = call->offsets;
    params.sampled = (CODE *)call->sampled;
    params.state = call->state;
    params.ranks = (PART *)call->ranks;
    params.places = (PART *)call->places;
    params.sorted = (const PART *)call->sorted;
    params.segment_of = call->segment_of;
    params.chain = chain_of(call->chain);
    return params;
}

/* A thread for each of n. */
template <typename CODE>
static cudaError_t launch_flat(const top_k_cuda_call *call,
                               void (*kernel)(const top_params<Stored, CODE>), size_t n)
{
    return launch_dependent_persistent(kernel, call->context->cuda, n / TOP_FLAT_THREADS + 1,
                                       TOP_FLAT_THREADS, 0, params_of<CODE>(call));
}

template <typename CODE>
static cudaError_t launch_step(const top_k_cuda_call *call, top_k_step step)
{
    parscan_cuda *const cuda = call->context->cuda;
    const top_params<Stored, CODE> params = params_of<CODE>(call);
    const bool whole = call->offsets.data == NULL;
    switch (step) {
    case TOP_K_CHOOSE:
        return launch_dependent_persistent(top_k_choose<Stored, CODE>, cuda,
                                           whole ? 1 : call->offsets.count + 1, CHOOSE_THREADS, 0,
                                           params);
    case TOP_K_WARPS:
        return launch_dependent_persistent(top_k_choose_by_warps<Stored, CODE>, cuda,
                                           call->offsets.count / (WARPS_THREADS / 32 * 2) + 1,
                                           WARPS_THREADS, 0, params);
    case TOP_K_SAMPLE:
        return launch_dependent(top_k_sample<Stored, CODE>, cuda,
                                params.samples / TOP_K_SAMPLES_OF_BLOCK, TOP_THREADS, 0, params);
    case TOP_K_FILTER:
        return launch_dependent_persistent(
            top_k_filter<Stored, CODE>, cuda,
            select_chunks<Stored>{params.elements.in, params.n}.count(), CHUNK_THREADS, 0, params);
    case TOP_K_FINISH:
        return launch_dependent(top_k_finish<Stored, CODE>, cuda, 1, TOP_THREADS, 0, params);
    case TOP_K_REPAIR:
        return launch_dependent(top_k_repair<Stored, CODE>, cuda, 1, TOP_THREADS, 0, params);
    case TOP_K_DIVIDE:
        return launch_flat(call, top_k_divide<Stored, CODE>, call->n);
    case TOP_K_WRITE:
        return whole ? launch_flat(call, top_k_write<Stored, CODE>, call->k)
                     : launch_flat(call, top_k_write_segments<Stored, CODE>,
                                   32 * call->offsets.count);
    }
    return cudaErrorInvalidValue;
}

cudaError_t NAMED(parscan_top_k_launch)(const top_k_cuda_call *call, top_k_step step)
{
    if constexpr (sizeof(Stored) < sizeof(uint64_t))
        if (!call->plan.wide)
            return launch_step<uint64_t>(call, step);
    return launch_step<wide_code>(call, step);
}
