/* The sizes of a call of compaction on CUDA: of what is tested and moved, and of its scratch. */
#ifndef PARSCAN_APPS_COMPACT_SIZES_CUDA_H
#define PARSCAN_APPS_COMPACT_SIZES_CUDA_H

#include "apps/compact/compact_call.h"
#include "scan/type_traits.h"

/* A matrix's elements follow from its rows and columns. */
static inline size_t elements_of(const compact_call *call)
{
    return call->row_offsets != NULL ? call->rows * call->columns : call->n;
}

/* The bytes of an element of what is tested. */
static inline size_t tested_size(const compact_call *call)
{
    if (call->flags != NULL)
        return 1;
    if (call->by == NULL)
        return call->size;
    return call->custom != NULL ? call->custom->size : parscan_type_size(call->type);
}

/* Whether records are moved as elements and not in pieces: they have the size of an element type
   and are aligned to it. */
static inline bool moves_as_element(const compact_call *call)
{
    const size_t size = call->size;
    return (size == 1 || size == 2 || size == 4 || size == 8) &&
           ((uintptr_t)call->in | (uintptr_t)call->values) % size == 0;
}

/* Bytes of scratch: for an error, and from REST_COUNT on for a count. */
enum { BEFORE_FLAGS = 256, REST_COUNT = 128 };

/* Whether set_flags() makes flags. */
static inline bool makes_flags(const compact_call *call)
{
    return call->on_device.comparison != PARSCAN_NONZERO || call->custom != NULL;
}

/* The bytes of scratch before those of records: flags that set_flags() makes. */
static inline size_t before_records(const compact_call *call)
{
    const size_t all = BEFORE_FLAGS + call->n;
    return makes_flags(call) ? (all + 255) / 256 * 256 : 0;
}

/* The bytes of scratch with flags that set_flags() makes: also of records, where they are gathered. */
static inline size_t scratch_with_flags(const compact_call *call)
{
    const bool moves = call->by != NULL || call->custom != NULL;
    const bool gathers =
        call->partition || (moves && call->in == call->values && !moves_as_element(call));
    return before_records(call) + (gathers ? call->n * call->size : 0);
}

#endif
