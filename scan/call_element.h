/* Helpers for the per-type files of the CPU engine: the views, init and result of a call. */
#ifndef PARSCAN_SCAN_CALL_ELEMENT_H
#define PARSCAN_SCAN_CALL_ELEMENT_H

#include "scan/cpu/element.h"
#include "scan/scan_call.h"

static inline VIEW input_of(const parscan_scan_call *call)
{
    /* The cast drops const: a view of an input is only loaded from. */
    return (VIEW){(void *)call->in, call->in_type, call->n, call->reverse};
}

static inline VIEW output_of(const parscan_scan_call *call)
{
    return (VIEW){call->out, call->out_type, call->n, call->reverse};
}

/* The init of a call, or NULL if it has none. It is copied to *value, since the caller's pointer
   may have any alignment, and its type may be a float of 16 bits. */
static inline const T *init_of(const parscan_scan_call *call, T *value)
{
    if (call->init == NULL)
        return NULL;
    const VIEW one = {(void *)call->init, parscan_init_type(call), 1, false};
    *value = load(&one, 0);
    return value;
}

/* The first element of an exclusive scan and the reduction of no elements: init, or else the
   identity. The exact identity of a float sum is -0, but users expect 0: that is returned then. */
static inline T start_value(OPERATOR op, const T *init)
{
    if (init != NULL)
        return *init;
    const T neutral = identity(op);
    return neutral == 0 ? 0 : neutral;
}

static inline void store_result(const parscan_scan_call *call, T value)
{
    const VIEW one = {call->out, call->out_type, 1, false};
    store(&one, 0, value);
}

/* through: init and all elements, combined. */
static inline void store_carry(const parscan_scan_call *call, T through)
{
    if (call->carry != NULL)
        memcpy(call->carry, &through, sizeof through);
}

#endif
