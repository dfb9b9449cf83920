/*
 * parscan/shape.h: calls along any axis of an array.
 *
 * An array of several dimensions is seen as outer x n x inner elements, the last ones next to each
 * other: n is the length of the axis that a call runs along, outer the product of the lengths before
 * it, inner the product of those after it. There are outer * inner lines of n elements, and each is a
 * call of its own. Its results are those of a call alone, to the bit; but sums and products of floats may
 * be grouped in another way, unless they are reproducible (scan.h).
 *
 *     a[5][1000]          along rows: outer = 5, n = 1000, inner = 1; down the columns: outer = 1,
 *                         n = 5, inner = 1000
 *     b[4][6][8]          along the middle: outer = 4, n = 6, inner = 8
 *
 * Scans, reductions, sorts, selections and recurrences take a shape on both engines (scan.h, sort.h, select.h,
 * segmented.h). The struct and its strides are in host memory, and are read during the call.
 */
#ifndef PARSCAN_SHAPE_H
#define PARSCAN_SHAPE_H

#include <stdint.h>

#include "parscan/options.h"
#include "parscan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make one with PARSCAN_SHAPE(...). Since parscan 0.3. */
typedef struct parscan_shape {
    size_t struct_size;  /* sizeof(parscan_shape), see parscan/options.h */
    size_t outer, inner; /* 0 of either: there are no lines, and nothing is written */
    /* The bytes from an element to the next one along outer, along n and along inner: three numbers
       each, for arrays with gaps, in another order of the axes, or turned round (then negative, and
       the call's pointer is that of element 0, 0, 0). 0 in in_strides repeats an element. No two
       elements of the output may share a byte: the strides are sorted by size, and each must be at
       least as large as what is below it takes, else INVALID_ARGUMENT. Of a reduction out_strides[1] is
       not read. NULL: all elements lie next to each other. Of an axis of length 1 no stride is read.
       Where a call tells whether arrays overlap, each has all bytes from its lowest to its highest one, gaps
       too: an output in the gaps of an input overlaps it. */
    const int64_t *in_strides, *out_strides;
} parscan_shape;

/* A parscan_shape with struct_size set: PARSCAN_SHAPE(.outer = 1, .inner = columns). */
#define PARSCAN_SHAPE(...) PARSCAN_WITH_SIZE(parscan_shape, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
