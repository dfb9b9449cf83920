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

/* The bytes of a scan's first element, taken before in place it may be overwritten, and stored when the
   others have been. */
typedef struct first_element {
    unsigned char bytes[sizeof(T)];
} first_element;

/* Of an inclusive scan without init they are those of in[0]: computing would quiet a NaN. Of an
   exclusive one they are `start`. */
static inline first_element first_of(const VIEW *in, const VIEW *out, bool exclusive, T start)
{
    first_element first;
    const VIEW one = {first.bytes, out->type, 1, false};
    const size_t size = parscan_type_size(in->type);
    if (!exclusive && in->type == out->type)
        memcpy(first.bytes, (const char *)in->data + (in->reverse ? in->n - 1 : 0) * size, size);
    else
        store(&one, 0, exclusive ? start : load(in, 0));
    return first;
}

static inline void store_first(const VIEW *out, const first_element *first)
{
    const size_t size = parscan_type_size(out->type);
    memcpy((char *)out->data + (out->reverse ? out->n - 1 : 0) * size, first->bytes, size);
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
