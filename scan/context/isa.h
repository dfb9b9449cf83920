/*
 * The SIMD instruction sets of the CPU engine, each built into the library where the compiler's
 * target has it.
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

/* The best instruction set of this machine, or the one that the environment's PARSCAN_SIMD names.
 */
parscan_status parscan_choose_isa(parscan_context *context, parscan_isa *isa);

#endif
