/* Compiled once an element type (see scan/element.h). */
#include "apps/segmented/segmented_kernels.h"

const segmented_kernels *NAMED(parscan_segmented_kernels)(parscan_isa isa)
{
    switch (isa) {
#if defined __x86_64__
    case PARSCAN_ISA_AVX512:
        return &NAMED(parscan_segmented_kernels_avx512);
    case PARSCAN_ISA_AVX2:
        return &NAMED(parscan_segmented_kernels_avx2);
#endif
    default:
        return &NAMED(parscan_segmented_kernels_portable);
    }
}
