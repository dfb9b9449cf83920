/* Arrays of several dimensions, outer x n x inner, in any layout, and their lines. */
#ifndef PARSCAN_TESTS_LINES_H
#define PARSCAN_TESTS_LINES_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

#endif
