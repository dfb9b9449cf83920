#include "scan/cpu/half_kernels.h"

#include "scan/cpu/half_simd.h"
#include "scan/tables.h"

static void widen(parscan_type type, float *to, const void *from, size_t n)
{
    if (type == PARSCAN_F16)
        halves_widen(PARSCAN_F16, false, to, from, n);
    else
        halves_widen(PARSCAN_BF16, false, to, from, n);
}

static void narrow(parscan_type type, void *to, const float *from, size_t n)
{
    if (type == PARSCAN_F16)
        halves_narrow(PARSCAN_F16, false, false, to, from, n);
    else
        halves_narrow(PARSCAN_BF16, false, false, to, from, n);
}

const half_kernels PARSCAN_PASTE(parscan_half_kernels_, PARSCAN_ISA) = {
    .widen = widen,
    .narrow = narrow,
};
