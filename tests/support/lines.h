/* Arrays of several dimensions, outer x n x inner, in any layout, and their lines. */
#ifndef PARSCAN_TESTS_LINES_H
#define PARSCAN_TESTS_LINES_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/shape.h"

/* How the elements of an array lie. */
typedef enum layout { PACKED, GAPS, TURNED, COLUMNS_FIRST, LAYOUTS } memory_layout;

typedef struct extents {
    size_t outer, n, inner;
} extents;

/* An array with its memory. first: element 0, 0, 0. */
typedef struct placed {
    char *memory, *first;
    size_t bytes;
    int64_t strides[3];
} placed;

static inline placed place(extents s, size_t size, memory_layout layout, size_t offset)
{
    const size_t length[3] = {s.outer, s.n, s.inner};
    int order[3] = {2, 1, 0}; /* from the smallest stride on */
    placed a = {.bytes = size};
    if (layout == COLUMNS_FIRST)
        order[0] = 1, order[1] = 2;
    int64_t before = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t gap = layout == GAPS ? (int64_t)size * (k + 1) : 0;
        a.strides[order[k]] = (int64_t)a.bytes + gap;
        if (length[order[k]] > 0)
            a.bytes += (size_t)(a.strides[order[k]] * ((int64_t)length[order[k]] - 1));
        if (layout == TURNED && length[order[k]] > 0) {
            before += a.strides[order[k]] * ((int64_t)length[order[k]] - 1);
            a.strides[order[k]] = -a.strides[order[k]];
        }
    }
    a.bytes += offset + 64;
    a.memory = malloc(a.bytes);
    cr_assert_not_null(a.memory);
    a.first = a.memory + offset + before;
    return a;
}

static inline char *element(const placed *a, size_t o, size_t i, size_t c)
{
    return a->first + (int64_t)o * a->strides[0] + (int64_t)i * a->strides[1] +
           (int64_t)c * a->strides[2];
}

static inline void copy_line(char *line, const placed *a, size_t o, size_t c, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        memcpy(line + i * size, element(a, o, i, c), size);
}

/* What is beside the elements of an output is as it was. */
static inline bool is_untouched(const placed *out, const char *before, extents s, size_t size)
{
    char *const rest = malloc(out->bytes);
    memcpy(rest, out->memory, out->bytes);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < s.n; i++)
            for (size_t c = 0; c < s.inner; c++) {
                const size_t at = (size_t)(element(out, o, i, c) - out->memory);
                memcpy(rest + at, before + at, size);
            }
    const bool same = memcmp(rest, before, out->bytes) == 0;
    free(rest);
    return same;
}

/* The arrays of a call along an axis, as they are before it. */
typedef struct axis_arrays {
    placed in, was, out, to; /* was: the input; to: in or out */
    char *before;            /* what the memory of `to` was */
    parscan_shape shape;     /* of the call; it points to strides in here */
} axis_arrays;

/* in and out are placed, in is filled, out gets bytes of its own. */
static inline void axis_begin(axis_arrays *a, extents s, memory_layout in, memory_layout out,
                              bool in_place)
{
    a->was = a->in;
    a->was.memory = malloc(a->in.bytes);
    memcpy(a->was.memory, a->in.memory, a->in.bytes);
    a->was.first = a->was.memory + (a->in.first - a->in.memory);
    memset(a->out.memory, 0x5a, a->out.bytes);
    a->to = in_place ? a->in : a->out;
    a->before = malloc(a->to.bytes);
    memcpy(a->before, a->to.memory, a->to.bytes);
    a->shape = PARSCAN_SHAPE(.outer = s.outer, .inner = s.inner,
                             .in_strides = in == PACKED ? NULL : a->in.strides,
                             .out_strides = in_place || out != PACKED ? a->to.strides : NULL);
}

/* After the call: nothing but its results, of that size, was written. */
static inline void axis_end(axis_arrays *a, extents results, size_t size)
{
    cr_assert(is_untouched(&a->to, a->before, results, size), "bytes beside the output");
    cr_assert(a->to.memory == a->in.memory || memcmp(a->in.memory, a->was.memory, a->in.bytes) == 0,
              "the input");
    free(a->before);
    free(a->was.memory);
    free(a->in.memory);
    free(a->out.memory);
}

#endif
