/* The launch of recurrences of one float type. Compiled once for each element type; empty for
   the types that are no floats. */
#include "scan/launch_element.cuh"

#if ELEMENT_IS_FLOAT
#include "apps/segmented/recurrence_pass.cuh"
#include "apps/segmented/segmented_cuda.h"
#include "scan/cuda/launch_chain.cuh"

template <typename S, bool CONSTANT>
static cudaError_t recurrence_shaped(const parscan_recurrence_cuda_call *call)
{
    static_assert(S::TILE * sizeof(Stored) >= SEGMENTED_LEAST_TILE_BYTES, "room for status words");
    static_assert(tile_words<recurrence_map<T>>::count == RECURRENCE_WORDS(sizeof(T)),
                  "room for the words of an aggregate");
    recurrence_pass_params<S> params;
    single_pass_params<S> *const plain = &params.plain;
    plain->in = (const Stored *)call->scan.in;
    plain->out = (Stored *)call->scan.out;
    plain->head_padding = (unsigned)((uintptr_t)plain->out % 128 / sizeof(Stored));
    plain->misalignment =
        (unsigned)(((uintptr_t)plain->in - plain->head_padding * sizeof(Stored)) % 128);
    plain->length = length_at(call->scan.call->context, call->scan.call->n_at);
    plain->set_length(call->scan.call->n);
    plain->exclusive = false;
    plain->keeps = true;
    plain->start = 0;
    plain->init_at = (const Stored *)call->scan.call->init_at;
    if (call->scan.call->init != NULL)
        plain->start = init_of(call->scan.call);
    round_to(plain->start, &plain->first);
    plain->chain = chain_of(call->scan.chain);
    params.a = (const Stored *)call->a;
    params.constant_a = 0;
    if (call->constant_a != NULL)
        params.constant_a = host_element(call->constant_a);
    params.a_misalignment =
        (unsigned)(((uintptr_t)call->a - plain->head_padding * sizeof(Stored)) % 128);
    params.through = (T *)call->through;
    return launch_chain(recurrence_pass<S, CONSTANT>, call->scan.call->context->cuda, params,
                        plain->tiles, S::THREADS, S::STAGES * 2 * S::STAGE_BYTES);
}

template <bool CONSTANT>
static cudaError_t recurrence_of(const parscan_recurrence_cuda_call *call)
{
    typedef recurrence_shape<Stored, T>::warp_specialised warp_specialised;
    typedef recurrence_shape<Stored, T>::unspecialised unspecialised;
    return call->variant == RECURRENCE_UNSPECIALISED
               ? recurrence_shaped<unspecialised, CONSTANT>(call)
               : recurrence_shaped<warp_specialised, CONSTANT>(call);
}

cudaError_t NAMED(parscan_recurrence_cuda)(const parscan_recurrence_cuda_call *call)
{
    return call->is_constant ? recurrence_of<true>(call) : recurrence_of<false>(call);
}
#endif
