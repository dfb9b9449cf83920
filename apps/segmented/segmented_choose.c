/* Chooses the kernels for an instruction set. Compiled once for each element type
   (scan/cpu/element.h). */
#include "apps/segmented/segmented_kernels.h"

const segmented_kernels *NAMED(parscan_segmented_kernels)(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &NAMED(parscan_segmented_kernels_portable),
                          &NAMED(parscan_segmented_kernels_avx2),
                          &NAMED(parscan_segmented_kernels_avx512));
}
