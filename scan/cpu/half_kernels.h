/* Arrays of floats of 16 bits, to float and back. Compiled once for each SIMD set. */
#ifndef PARSCAN_SCAN_CPU_HALF_KERNELS_H
#define PARSCAN_SCAN_CPU_HALF_KERNELS_H

#include "scan/cpu/isa.h"

typedef struct half_kernels {
    /* to[i] = from[i] for n elements. Arrays of any alignment, which do not overlap. Results have the
       same bits on every SIMD set and in every floating-point mode (scan/half.h). */
    void (*widen)(parscan_type type, float *to, const void *from, size_t n);
    void (*narrow)(parscan_type type, void *to, const float *from, size_t n);
} half_kernels;

/* The kernels for an instruction set. This machine must have it. type is one of PARSCAN_STORED_TYPES. */
const half_kernels *parscan_half_kernels(parscan_isa isa);

extern const half_kernels parscan_half_kernels_portable, parscan_half_kernels_avx2,
    parscan_half_kernels_avx512;

#endif
