/* Selects the kernels of floats of 16 bits for a SIMD set. */
#include "scan/cpu/half_kernels.h"

const half_kernels *parscan_half_kernels(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_half_kernels_portable, &parscan_half_kernels_avx2,
                          &parscan_half_kernels_avx512);
}
