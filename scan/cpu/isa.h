/*
 * The SIMD instruction sets of the CPU engine, each built into the library where the compiler's
 * target has it.
 */
#ifndef PARSCAN_SCAN_CPU_ISA_H
#define PARSCAN_SCAN_CPU_ISA_H

#include "scan/context/context_state.h"

/* What was built for the set: one of a function's or a table's three variants. A set that was not
   built is not named. */
#if defined __x86_64__
#define PARSCAN_BY_ISA(isa, portable, avx2, avx512) \
    ((isa) == PARSCAN_ISA_AVX512 ? (avx512) : (isa) == PARSCAN_ISA_AVX2 ? (avx2) : (portable))
#else
#define PARSCAN_BY_ISA(isa, portable, avx2, avx512) ((void)(isa), (portable))
#endif

/* The best instruction set of this machine, or the one that the environment's PARSCAN_SIMD names. */
parscan_status parscan_choose_isa(parscan_context *context, parscan_isa *isa);

#endif
