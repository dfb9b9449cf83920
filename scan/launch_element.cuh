/*
 * What the launches of the CUDA engine share for one accumulated type, T. CMake must define
 * PARSCAN_ELEMENT (U8), PARSCAN_ELEMENT_NAME (u8) and PARSCAN_ELEMENT_CLASS (INTEGER), as for the
 * CPU engine.
 */
#ifndef PARSCAN_SCAN_LAUNCH_ELEMENT_CUH
#define PARSCAN_SCAN_LAUNCH_ELEMENT_CUH

#include <math.h>

#include "scan/cuda/cuda_element.cuh"
#include "scan/scan_cuda.h"

/* Returns init, or else the identity. *first gets what an exclusive scan starts with: the same, but
   0 where the identity is -0. */
template <typename OPERATOR>
static T start_of(const parscan_cuda_call *call, T *first)
{
    T start;
    identity_of(OPERATOR(), &start);
    *first = start == 0 ? 0 : start;
    if (call->call->init != NULL) {
        memcpy(&start, call->call->init, sizeof start);
        *first = start;
    }
    return start;
}

/* Signed types use the kernels of unsigned types for these operators. */
#define X(ctx, NAME) || op == PARSCAN_##NAME
static constexpr bool is_signless(parscan_op op)
{
    return false PARSCAN_SIGNLESS_OPS(X, );
}
#undef X

/* Calls launch(In(), OPERATOR()) for the input type `in` and the operator `op`. The call must have
   gone through parscan_cuda_signless(). Other combinations are cudaErrorInvalidValue. */
template <typename Launch>
static cudaError_t dispatch(parscan_type in, parscan_op op, Launch launch)
{
    if (in == ELEMENT_TYPE) {
        switch (op) {
#define X(ctx, NAME, ...)                                             \
    case PARSCAN_##NAME:                                              \
        if constexpr (!is_signless(PARSCAN_##NAME) ||                 \
                      parscan_signless(ELEMENT_TYPE) == ELEMENT_TYPE) \
            return launch(T(), parscan_operator_##NAME());            \
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
        if (in == PARSCAN_##FROM)                                 \
            return launch(parscan_type_numbered<PARSCAN_##FROM>::T(), parscan_operator_SUM());
    PARSCAN_ARITHMETIC_WIDENINGS(X, )
#undef X
    return cudaErrorInvalidValue;
}

#endif
