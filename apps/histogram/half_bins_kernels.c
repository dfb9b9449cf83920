#include "apps/histogram/half_bins_kernels.h"

#include "scan/cpu/half_simd.h"

enum { AT_ONCE = 1024 }; /* the widened elements stay in the first-level cache */

#define FLOAT_BINS \
    PARSCAN_PASTE(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA), _f32) /* bin_map_kernels.c */
bin_map_kernel FLOAT_BINS;

#define X(ctx, NAME, number, name, ...)                                                           \
    void PARSCAN_PASTE(parscan_half_bins_##name##_,                                               \
                       PARSCAN_ISA)(const bin_map *map, const void *from, size_t n, uint32_t *to) \
    {                                                                                             \
        float wide[AT_ONCE];                                                                      \
        const char *const in = from;                                                              \
        for (size_t i = 0; i < n; i += AT_ONCE) {                                                 \
            const size_t some = n - i < AT_ONCE ? n - i : AT_ONCE;                                \
            halves_widen(PARSCAN_##NAME, false, wide, in + i * sizeof(uint16_t), some);           \
            FLOAT_BINS(map, wide, some, to + i);                                                  \
        }                                                                                         \
    }
PARSCAN_STORED_TYPES(X, )
#undef X
