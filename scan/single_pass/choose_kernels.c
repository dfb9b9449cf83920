/* Compiled once an element type (see scan/element.h). */
#include "scan/single_pass/tile_kernels.h"

const tile_kernels *NAMED(parscan_tile_kernels)(parscan_isa isa)
{
    switch (isa) {
#if defined __x86_64__
    case PARSCAN_ISA_AVX512:
        return &NAMED(parscan_tile_kernels_avx512);
    case PARSCAN_ISA_AVX2:
        return &NAMED(parscan_tile_kernels_avx2);
#endif
    default:
        return &NAMED(parscan_tile_kernels_portable);
    }
}
