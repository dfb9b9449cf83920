/*
 * An operator of the caller's (parscan/operator.h), and an element of it as the CPU engine passes one
 * around: with a flag that tells whether there is one, since an operator need not have an identity.
 */
#ifndef PARSCAN_SCAN_CUSTOM_OPERATOR_STATE_H
#define PARSCAN_SCAN_CUSTOM_OPERATOR_STATE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "parscan/operator.h"

/* The most bytes of an element, and its largest alignment. */
#define CUSTOM_MOST 64u

/* The most bytes of a state. */
#define CUSTOM_STATE_MOST 4096u

struct parscan_operator {
    alignas(CUSTOM_MOST) unsigned char identity[CUSTOM_MOST]; /* if there is one */
    parscan_allocator allocator;
    parscan_operator_kind kind;
    size_t size; /* of an element */
    size_t alignment;
    bool has_identity, commutes;
    parscan_combine_function combine; /* of its kind; the others are NULL */
    parscan_relate_function relate;
    parscan_test_function test;
    parscan_load_function load; /* NULL: elements are in the array */
    parscan_store_function store;
    bool loads, stores; /* whether there are maps, of either engine */
    size_t in_size,
        out_size;      /* of an element of the call's arrays; in_size 0: `load` alone knows */
    const void *state; /* behind the struct; NULL: none */
    struct custom_code
        *code; /* what CUDA has of it (scan/runtime/custom_code.h); NULL without CUDA */
};

/* What an operator has for CUDA (scan/runtime/operator_code.c): nothing in a build without it. Errors:
   OUT_OF_MEMORY. */
parscan_status parscan_operator_take_text(parscan_operator *op,
                                          const parscan_operator_options *options);
void parscan_operator_leave_text(parscan_operator *op);

/* An element that need not be there. */
typedef struct custom_value {
    alignas(CUSTOM_MOST) unsigned char bytes[CUSTOM_MOST];
    bool present;
} custom_value;

static inline custom_value custom_value_of(const parscan_operator *op, const void *from)
{
    custom_value value = {.present = from != NULL};
    if (from != NULL)
        memcpy(value.bytes, from, op->size);
    return value;
}

/* earlier and later, combined; what is not there is left out. */
static inline custom_value custom_add(const parscan_operator *op, const custom_value *earlier,
                                      const custom_value *later)
{
    if (!earlier->present)
        return *later;
    custom_value sum = *earlier;
    if (later->present)
        op->combine(earlier->bytes, later->bytes, sum.bytes, 1, op->state);
    return sum;
}

/* Whether the caller's functions can have this memory as elements. */
static inline bool custom_is_aligned(const parscan_operator *op, const void *memory)
{
    return (uintptr_t)memory % op->alignment == 0;
}

#endif
