/* Selects the tile kernels for a SIMD set. Compiled once for each element type
   (scan/cpu/element.h). */
#include "scan/cpu/isa.h"
#include "scan/cpu/tile_kernels.h"

const tile_kernels *NAMED(parscan_tile_kernels)(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &NAMED(parscan_tile_kernels_portable),
                          &NAMED(parscan_tile_kernels_avx2), &NAMED(parscan_tile_kernels_avx512));
}
