/*
 * The histogram of floats of 16 bits on the CPU: they are widened to float, exactly, and binned as floats
 * (bin_map.c, bin_map_kernels.c), as their bounds are.
 */
#include "apps/histogram/bin_map.h"
#include "apps/histogram/half_bins_kernels.h"
#include "scan/cpu/isa.h"
#include "scan/half.h"

#define X(ctx, NAME, number, name, type, ...)                                                      \
    static parscan_status prepare_##name(parscan_context *context, size_t bins,                    \
                                         const parscan_histogram_options *given, bin_map *map)     \
    {                                                                                              \
        parscan_histogram_options options = *given;                                                \
        float lower, upper;                                                                        \
        type bound;                                                                                \
        if (given->lower != NULL) {                                                                \
            memcpy(&bound, given->lower, sizeof bound);                                            \
            lower = parscan_widen_##NAME##_F32(bound);                                             \
            options.lower = &lower;                                                                \
        }                                                                                          \
        if (given->upper != NULL) {                                                                \
            memcpy(&bound, given->upper, sizeof bound);                                            \
            upper = parscan_widen_##NAME##_F32(bound);                                             \
            options.upper = &upper;                                                                \
        }                                                                                          \
        return parscan_bin_map_f32.prepare(context, bins, &options, map);                          \
    }                                                                                              \
    static bin_map_kernel *kernel_##name(parscan_isa isa)                                          \
    {                                                                                              \
        return PARSCAN_BY_ISA(isa, parscan_half_bins_##name##_portable,                            \
                              parscan_half_bins_##name##_avx2, parscan_half_bins_##name##_avx512); \
    }                                                                                              \
    const bin_map_type parscan_bin_map_##name = {prepare_##name, kernel_##name};
PARSCAN_STORED_TYPES(X, )
#undef X
