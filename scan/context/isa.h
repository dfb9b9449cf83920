/*
 * The SIMD instruction sets of the CPU engine. The library has those of CMake's PARSCAN_SIMD_SETS:
 * by default all that the compiler's target has. The portable one is always built.
 */
#ifndef PARSCAN_SCAN_CONTEXT_ISA_H
#define PARSCAN_SCAN_CONTEXT_ISA_H

#include "parscan/context.h"

typedef enum parscan_isa {
    PARSCAN_ISA_PORTABLE, /* 16-byte vectors of what every machine of the target has */
    PARSCAN_ISA_AVX2,     /* and BMI1, BMI2, POPCNT: Haswell, Zen and later */
    PARSCAN_ISA_AVX512    /* F, BW, DQ, VL, CD, VBMI, VBMI2: Ice Lake, Zen 4 and later */
} parscan_isa;

const char *parscan_isa_name(parscan_isa isa);

/* The best instruction set that was built and that this machine has, or the one that the
   environment's PARSCAN_SIMD names. */
parscan_status parscan_choose_isa(parscan_context *context, parscan_isa *isa);

/*
 * PARSCAN_OF_ISA(isa, X) is X(portable), X(avx2) or X(avx512), whichever isa is. X is a macro that
 * makes the name of one set's table or function. CMake defines PARSCAN_HAVE_AVX2 and
 * PARSCAN_HAVE_AVX512 for the sets of PARSCAN_SIMD_SETS; a set that was not built is never chosen.
 */
#ifdef PARSCAN_HAVE_AVX2
#define PARSCAN_IF_AVX2(isa, X, other) ((isa) == PARSCAN_ISA_AVX2 ? X(avx2) : (other))
#else
#define PARSCAN_IF_AVX2(isa, X, other) (other)
#endif
#ifdef PARSCAN_HAVE_AVX512
#define PARSCAN_IF_AVX512(isa, X, other) ((isa) == PARSCAN_ISA_AVX512 ? X(avx512) : (other))
#else
#define PARSCAN_IF_AVX512(isa, X, other) (other)
#endif
#define PARSCAN_OF_ISA(isa, X) \
    ((void)(isa), PARSCAN_IF_AVX512(isa, X, PARSCAN_IF_AVX2(isa, X, X(portable))))

#endif
