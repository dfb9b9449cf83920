/*
 * The SIMD instruction sets of the CPU engine. CMake's PARSCAN_SIMD_SETS chooses the sets that the
 * library has, by default all that the compiler's target has. The portable set is always built.
 */
#ifndef PARSCAN_SCAN_CPU_ISA_H
#define PARSCAN_SCAN_CPU_ISA_H

#include "scan/context/context_state.h"

/*
 * PARSCAN_BY_ISA(isa, portable, avx2, avx512) selects one of three functions or tables: the one
 * that was built for isa. CMake defines PARSCAN_HAVE_AVX2 and PARSCAN_HAVE_AVX512 for the sets that
 * are built. The name of a set that is not built is not used, and no context has that set.
 */
#ifdef PARSCAN_HAVE_AVX2
#define PARSCAN_IF_AVX2(isa, avx2, other) ((isa) == PARSCAN_ISA_AVX2 ? (avx2) : (other))
#else
#define PARSCAN_IF_AVX2(isa, avx2, other) (other)
#endif
#ifdef PARSCAN_HAVE_AVX512
#define PARSCAN_IF_AVX512(isa, avx512, other) ((isa) == PARSCAN_ISA_AVX512 ? (avx512) : (other))
#else
#define PARSCAN_IF_AVX512(isa, avx512, other) (other)
#endif
#define PARSCAN_BY_ISA(isa, portable, avx2, avx512) \
    ((void)(isa), PARSCAN_IF_AVX512(isa, avx512, PARSCAN_IF_AVX2(isa, avx2, portable)))

/* *isa becomes the best set that was built and that this machine has, or the set that PARSCAN_SIMD
   in the environment names. Errors: INVALID_ARGUMENT, no such set; BACKEND, the machine or this
   build does not have it. */
parscan_status parscan_choose_isa(parscan_context *context, parscan_isa *isa);

#ifdef PARSCAN_ONLY_ISA
/* CMake's PARSCAN_SIMD_TURN: this file's type has the kernels of one set, which all contexts use. */
#undef PARSCAN_BY_ISA
#define PARSCAN_ONLY_portable(portable, avx2, avx512) (portable)
#define PARSCAN_ONLY_avx2(portable, avx2, avx512) (avx2)
#define PARSCAN_ONLY_avx512(portable, avx2, avx512) (avx512)
#define PARSCAN_BY_ISA(isa, portable, avx2, avx512) \
    ((void)(isa), PARSCAN_PASTE(PARSCAN_ONLY_, PARSCAN_ONLY_ISA)(portable, avx2, avx512))
#endif

#endif
