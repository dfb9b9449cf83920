/* A call along an axis as the CPU engine works on it. For files that are compiled once for each
   element type (scan/cpu/element.h). */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PASS_H
#define PARSCAN_SCAN_AXIS_AXIS_PASS_H

#include <stdalign.h>

#include "scan/axis/axis.h"
#include "scan/axis/column_kernels.h"
#include "scan/axis/copy_strided.h"
#include "scan/call_element.h"
#include "scan/cpu/tile_kernels.h"

typedef struct axis_pass {
    const parscan_scan_call *call;
    OPERATOR op;
    const tile_kernels *kernels;
    const column_kernels *columns;
    bool reduces;
    /* Strides in bytes, and the first element in the order of combination: `reverse` is a negative
       stride. outer and inner are exchanged where that brings neighbours together. */
    const char *in;
    char *out;
    int64_t in_stride[AXES], out_stride[AXES];
    size_t outer, n, inner, in_size, out_size;
    T first; /* before the first element: init, or the identity */
    T shown; /* the same as an exclusive scan, or the reduction of nothing, shows it */
} axis_pass;

/* The first element of a line in an array of the pass. */
static inline int64_t line_place(const int64_t strides[AXES], size_t outer, size_t inner)
{
    return (int64_t)outer * strides[AXIS_OUTER] + (int64_t)inner * strides[AXIS_INNER];
}

/* Whether the elements of a line lie next to each other. */
static inline bool has_whole_lines(const axis_pass *pass)
{
    const int64_t sign = pass->call->reverse ? -1 : 1;
    return pass->in_stride[AXIS_N] == sign * (int64_t)pass->in_size &&
           (pass->reduces || pass->out_stride[AXIS_N] == sign * (int64_t)pass->out_size);
}

/* One element of each of `width` neighbouring lines, at most COLUMNS_MOST, to T. */
static inline void read_columns(const axis_pass *pass, const char *from, size_t width, T *row)
{
    alignas(64) char packed[COLUMNS_MOST * sizeof(T)];
    const int64_t stride = pass->in_stride[AXIS_INNER];
    if (stride != (int64_t)pass->in_size) {
        copy_strided(packed, (int64_t)pass->in_size, from, stride, width, pass->in_size);
        from = packed;
    }
    const VIEW view = {(void *)(uintptr_t)from, pass->call->in_type, width, false};
    pass->kernels->gather(&view, 0, width, row);
}

static inline void write_columns(const axis_pass *pass, char *to, size_t width, const T *row)
{
    alignas(64) char packed[COLUMNS_MOST * sizeof(T)];
    const int64_t stride = pass->out_stride[AXIS_INNER], size = (int64_t)pass->out_size;
    const VIEW view = {stride == size ? to : packed, pass->call->out_type, width, false};
    pass->kernels->scatter(&view, 0, width, row, false);
    if (stride != size)
        copy_strided(to, stride, packed, size, width, pass->out_size);
}

/* The pass line by line: each is a call of the engine. For lines without gaps, and for trees. */
parscan_status NAMED(parscan_axis_lines)(const axis_pass *pass);

/* A reproducible pass by neighbouring lines; line by line, where that is faster. */
parscan_status NAMED(parscan_axis_tree)(const axis_pass *pass);

/* A reproducible pass, if it is sums of rows of memory that are no longer than a tile of the tree; it takes no scratch.
   Returns false, and has done nothing, if it is not. */
struct row_kernels;
bool NAMED(parscan_axis_tree_rows)(const axis_pass *pass, const struct row_kernels *kernels,
                                   unsigned threads);

#endif
