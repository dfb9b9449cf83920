/*
 * The SIMD instruction sets of the CPU engine. The library has code for each set that the
 * compiler's target has.
 */
#ifndef PARSCAN_SCAN_CPU_ISA_H
#define PARSCAN_SCAN_CPU_ISA_H

#include "scan/context/context.h"

/* Selects what was built for the set: one of three variants of a function or a table. The names of
   sets that were not built are not used. */
#if defined __x86_64__
#define PARSCAN_BY_ISA(isa, portable, avx2, avx512) \
    ((isa) == PARSCAN_ISA_AVX512 ? (avx512) : (isa) == PARSCAN_ISA_AVX2 ? (avx2) : (portable))
#else
#define PARSCAN_BY_ISA(isa, portable, avx2, avx512) ((void)(isa), (portable))
#endif

/* *isa becomes the best set of this machine, or the set that PARSCAN_SIMD in the environment names.
   Errors: INVALID_ARGUMENT, no such set; BACKEND, this machine does not have it. */
parscan_status parscan_choose_isa(parscan_context *context, parscan_isa *isa);

#endif
