/* Compiled once an element type (see scan/element.h). */
#include "scan/single_pass/tile_kernels.h"

const tile_kernels *NAMED(parscan_tile_kernels)(parscan_isa isa)
{
#define KERNELS(set) &NAMED(parscan_tile_kernels_##set)
    return PARSCAN_OF_ISA(isa, KERNELS);
}
