/* Turns a checked call of compaction into a pass over tiles on the CPU (compact_cpu.c). */
#include <string.h>

#include "apps/compact/compact_call.h"
#include "apps/compact/compact_cpu.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"

/* Returns the type whose kernels move records of this size, or 0. */
static parscan_type type_of_size(size_t size)
{
    switch (size) {
    case 1:
        return PARSCAN_U8;
    case 2:
        return PARSCAN_U16;
    case 4:
        return PARSCAN_U32;
    case 8:
        return PARSCAN_U64;
    default:
        return (parscan_type)0;
    }
}

/* The kernels that move records of this size. NULL: none do. */
static const keep_kernels *movers_of(const compact_call *call, size_t size)
{
    const parscan_type type = type_of_size(size);
    return type != 0 ? parscan_compact_element(type)->kernels_of(call->context->isa) : NULL;
}

/* Moves records, as an array of this type tells. */
static void move_by(const compact_call *call, parscan_type tested, const void *by,
                    compact_pass *pass)
{
    parscan_compact_elements(pass, tested, by);
    pass->move = movers_of(call, call->size);
    pass->in = call->in;
    pass->size = call->size;
}

/* Moves records, as a function of the caller's tells, whose flags are tested as elements are. */
static void move_custom(const compact_call *call, compact_pass *pass)
{
    move_by(call, PARSCAN_U8, call->by != NULL ? call->by : call->in, pass);
    pass->custom = call->custom;
    pass->tested_size = call->custom->size;
}

/* Sets the second array. */
static void move_beside(const compact_call *call, compact_pass *pass)
{
    pass->beside = (compact_moved){
        .in = call->beside_in,
        .out = call->beside,
        .size = call->beside_size,
        .move = movers_of(call, call->beside_size),
    };
}

/* Sets what is written beside the elements. */
static void place(const compact_call *call, compact_pass *pass)
{
    pass->index_type = call->index_type;
    pass->given_type = call->given_type;
    if (call->row_offsets != NULL) {
        pass->place = parscan_place_columns;
        pass->placed = call->indices;
        pass->row_offsets = call->row_offsets;
        pass->columns = call->columns;
        memset(call->row_offsets, 0,
               (call->n == 0 ? call->rows + 1 : 1) * parscan_type_size(call->index_type));
    } else if (call->indices != NULL) {
        pass->place = parscan_place_indices;
        pass->placed = call->indices;
    } else if (call->lengths != NULL) {
        pass->place = parscan_place_lengths;
        pass->placed = call->lengths;
    }
}

static bool only_counts(const compact_call *call)
{
    return call->values == NULL && call->indices == NULL && call->lengths == NULL &&
           call->row_offsets == NULL && !call->continues;
}

parscan_status parscan_compact_cpu(const compact_call *call)
{
    compact_pass pass = {.context = call->context,
                         .n = call->n,
                         .range = call->range,
                         .runs = call->runs,
                         .continues = call->continues,
                         .first_index = call->first_index,
                         .room = call->capacity > 0 ? call->capacity : SIZE_MAX,
                         .values = call->values};
    if (call->custom != NULL)
        move_custom(call, &pass);
    else if (call->by != NULL)
        move_by(call, call->type, call->by, &pass);
    else if (call->flags != NULL || call->type == 0)
        move_by(call, PARSCAN_U8, call->flags, &pass);
    else
        parscan_compact_elements(&pass, call->type, call->in);
    if (call->beside != NULL)
        move_beside(call, &pass);
    if (call->context->measures) {
        if (!only_counts(call))
            parscan_compact_measure(&pass);
        *call->count = call->n;
        return PARSCAN_OK;
    }
    if (only_counts(call)) {
        *call->count = parscan_compact_count(&pass);
        return parscan_check_capacity(call->context, *call->count, pass.room);
    }
    place(call, &pass);
    if (call->partition && call->n > 0) {
        pass.partition = true;
        pass.rest_at = (size_t)parscan_compact_count(&pass);
    }
    compact_before end;
    parscan_compact_run(&pass, &end);
    *call->count = end.kept;
    if (call->lengths != NULL && call->n > 0) {
        const parscan_status status = parscan_close_last_run(&pass, &end);
        if (status != PARSCAN_OK)
            return status;
    }
    if (call->row_offsets != NULL && end.kept > parscan_most_index(call->given_type))
        return parscan_fail(call->context, PARSCAN_ERROR_OVERFLOW,
                            "%llu entries do not fit index_type = %s", (unsigned long long)end.kept,
                            parscan_type_name(call->given_type));
    return parscan_check_capacity(call->context, end.kept, pass.room);
}
