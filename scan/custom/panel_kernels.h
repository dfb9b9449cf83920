/* What is done to panels (panel.h) beside the caller's functions, compiled once for each SIMD set. */
#ifndef PARSCAN_SCAN_CUSTOM_PANEL_KERNELS_H
#define PARSCAN_SCAN_CUSTOM_PANEL_KERNELS_H

#include "scan/cpu/isa.h"
#include "scan/custom/panel.h"

typedef struct panel_kernels {
    /* n consecutive elements, at any alignment, to the columns of a panel, below the row above. */
    void (*to_columns)(const panel_shape *shape, const char *from, size_t n, char *panel);
    /* The columns to n consecutive elements, at any alignment. rows: where the first row is. */
    void (*from_columns)(const panel_shape *shape, const char *rows, size_t n, char *to);
    /* n elements of `size` bytes, the last one first. `to` does not overlap them. */
    void (*reverse)(const char *from, size_t n, size_t size, char *to);
    traffic_store_lines *store_lines;
} panel_kernels;

extern const panel_kernels parscan_panel_kernels_portable, parscan_panel_kernels_avx2,
    parscan_panel_kernels_avx512;

#endif
