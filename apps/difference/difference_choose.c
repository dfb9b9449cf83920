/* Chooses the kernel for a SIMD set. Compiled once for each element type (scan/cpu/element.h). */
#include "apps/difference/difference_kernels.h"
#include "scan/cpu/element.h"

difference_kernel NAMED(parscan_difference_portable), NAMED(parscan_difference_avx2),
    NAMED(parscan_difference_avx512);

difference_kernel *NAMED(parscan_difference_kernel)(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, NAMED(parscan_difference_portable), NAMED(parscan_difference_avx2),
                          NAMED(parscan_difference_avx512));
}
