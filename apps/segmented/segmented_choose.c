/* Compiled once an element type (see scan/element.h). */
#include "apps/segmented/segmented_kernels.h"

const segmented_kernels *NAMED(parscan_segmented_kernels)(parscan_isa isa)
{
#define KERNELS(set) &NAMED(parscan_segmented_kernels_##set)
    return PARSCAN_OF_ISA(isa, KERNELS);
}
