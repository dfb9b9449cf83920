/*
 * What the launches of the CUDA engine share for one output type, Stored, whose sums are of type T
 * (scan/cuda/cuda_element.cuh).
 */
#ifndef PARSCAN_SCAN_LAUNCH_ELEMENT_CUH
#define PARSCAN_SCAN_LAUNCH_ELEMENT_CUH

#include <math.h>

#include "scan/cuda/cuda_element.cuh"
#include "scan/cuda/half.cuh"
#include "scan/scan_cuda.h"

/* Returns the init of a call that has one. */
static T init_of(const parscan_scan_call *call)
{
    T init;
    switch ((int)parscan_init_type(call)) {
#define X(ctx, NAME, number, name, type, ...)         \
    case PARSCAN_##NAME: {                            \
        type narrow;                                  \
        memcpy(&narrow, call->init, sizeof narrow);   \
        return (T)parscan_widen_##NAME##_F32(narrow); \
    }
        PARSCAN_STORED_TYPES(X, )
#undef X
    default:
        memcpy(&init, call->init, sizeof init);
        return init;
    }
}

/* An element in host memory, at any alignment. */
template <typename OF = Stored>
static T host_element(const void *at)
{
    OF x;
    memcpy(&x, at, sizeof x);
    if constexpr (is_stored<OF>::value)
        return (T)widen_by_bits(x);
    else
        return (T)x;
}

static inline void round_to(T x, T *rounded)
{
    *rounded = x;
}
#define X(ctx, NAME, number, name, type, ...)                     \
    static inline void round_to(float x, parscan_##name *rounded) \
    {                                                             \
        round_by_bits(x, rounded);                                \
    }
PARSCAN_STORED_TYPES(X, )
#undef X

/* Returns init, or else the identity. */
template <typename OPERATOR>
static T start_of(const parscan_cuda_call *call)
{
    T start;
    identity_of(OPERATOR(), &start);
    return call->call->init == NULL ? start : init_of(call->call);
}

/* Returns what an exclusive scan begins with, and what a reduction of nothing is: what start_of() has
   returned, but 0 where the identity is -0. */
static inline T first_of(const parscan_cuda_call *call, T start)
{
    return call->call->init == NULL && start == 0 ? 0 : start;
}

/* Signed types use the kernels of unsigned types for these operators. */
#define X(ctx, NAME) || op == PARSCAN_##NAME
static constexpr bool is_signless(parscan_op op)
{
    return false PARSCAN_SIGNLESS_OPS(X, );
}
#undef X

/* Returns where an init in device memory is. */
static inline device_scalar init_on_device(const parscan_scan_call *call)
{
    return device_scalar{call->init_at, (int)parscan_init_type(call)};
}

/* A build that only checks that kernels compile makes those of two operators, a sum and an extreme; the others
   are the same templates. */
static constexpr bool is_made(parscan_op op)
{
#ifdef PARSCAN_CUDA_CHECKED_ONLY
    return op == PARSCAN_SUM || op == PARSCAN_MIN;
#else
    return (void)op, true;
#endif
}

/* Calls launch(In(), OPERATOR()) for the input type `in` and the operator `op`. The call must have
   gone through parscan_cuda_signless(). Other combinations are cudaErrorInvalidValue. EVERY: of operators
   that is_made() leaves out, too. */
template <bool EVERY = false, typename Launch>
static cudaError_t dispatch(parscan_type in, parscan_op op, Launch launch)
{
    if (in == ELEMENT_TYPE) {
        switch (op) {
#define X(ctx, NAME, ...)                                               \
    case PARSCAN_##NAME:                                                \
        if constexpr ((EVERY || is_made(PARSCAN_##NAME)) &&             \
                      (!is_signless(PARSCAN_##NAME) ||                  \
                       parscan_signless(ELEMENT_TYPE) == ELEMENT_TYPE)) \
            return launch(Stored(), parscan_operator_##NAME());         \
        break;
            ELEMENT_OPS(X, )
#undef X
        default:
            break;
        }
        return cudaErrorInvalidValue;
    }
#define X(ctx, FROM, TO)                                          \
    if constexpr (parscan_signless(PARSCAN_##TO) == ELEMENT_TYPE) \
        if (in == PARSCAN_##FROM && op == PARSCAN_SUM)            \
            return launch(parscan_type_numbered<PARSCAN_##FROM>::T(), parscan_operator_SUM());
    PARSCAN_WIDENINGS(X, )
#undef X
    return cudaErrorInvalidValue;
}

#endif
