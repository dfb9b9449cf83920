/* Arrays between known bytes, and indices of either type. */
#ifndef PARSCAN_TESTS_PLACED_H
#define PARSCAN_TESTS_PLACED_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/types.h"

/* An array that starts `shift` elements after an aligned address, between bytes that are known. */
static inline char *placed(const void *elements, size_t bytes, size_t shift)
{
    char *const memory = malloc(bytes + shift + 16);
    cr_assert_not_null(memory);
    memset(memory, 0xa5, bytes + shift + 16);
    if (bytes > 0 && elements != NULL)
        memcpy(memory + shift, elements, bytes);
    return memory;
}

static inline void expect_untouched(const char *memory, size_t bytes, size_t shift)
{
    for (size_t i = 0; i < shift; i++)
        cr_assert_eq((unsigned char)memory[i], 0xa5);
    for (size_t i = 0; i < 16; i++)
        cr_assert_eq((unsigned char)memory[shift + bytes + i], 0xa5);
}

/* Types of indices. */
static const parscan_type index_types[] = {PARSCAN_U32, PARSCAN_U64, PARSCAN_I32, PARSCAN_I64};

static inline size_t index_at(parscan_type type, const char *indices, size_t k)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (type == PARSCAN_U64 || type == PARSCAN_I64)
        memcpy(&wide, indices + k * sizeof wide, sizeof wide);
    else
        memcpy(&narrow, indices + k * sizeof narrow, sizeof narrow);
    return (size_t)wide + narrow;
}

#endif
