/* Checked calls of merges, as the public functions pass them to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_JOIN_JOIN_CALL_H
#define PARSCAN_APPS_JOIN_JOIN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/merge.h"
#include "scan/context/call_lengths.h"

/* Sorted elements. values NULL: there are keys alone. */
typedef struct sorted_array {
    const char *keys, *values;
    size_t n;
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
} sorted_array;

/* Puts the lengths given for the call in the place of the arguments. */
void parscan_set_pair_lengths(call_lengths *lengths, sorted_array *a, sorted_array *b);

typedef struct merge_arrays {
    parscan_context *context;
    parscan_type type;
    size_t key_size, value_size; /* value_size 0: keys alone */
    sorted_array a, b;
    bool lent; /* a and b may be memory that other ranks have lent */
    char *keys_out, *values_out;
} merge_arrays;

typedef struct join_call {
    parscan_context *context;
    parscan_join_kind kind;
    parscan_type type, index_type;
    size_t size; /* of an element */
    sorted_array left, right;
    void *left_out, *right_out; /* NULL: not wanted */
    uint64_t capacity;
    bool of_lengths; /* that is lengths->out_capacity */
} join_call;

typedef enum set_operation {
    SET_UNION,
    SET_INTERSECTION,
    SET_DIFFERENCE,
    SET_SYMMETRIC_DIFFERENCE,
    SET_OPERATIONS
} set_operation;

/* Whether an element belongs to the result: a's or b's, which the other array has not, or a's of two
   that both have. */
typedef struct set_rule {
    bool of_a, of_b, of_both;
} set_rule;

static inline set_rule set_rule_of(set_operation operation)
{
    const set_rule rule = {operation != SET_INTERSECTION,
                           operation == SET_UNION || operation == SET_SYMMETRIC_DIFFERENCE,
                           operation == SET_UNION || operation == SET_INTERSECTION};
    return rule;
}

typedef struct set_call {
    parscan_context *context;
    const char *name; /* of the public function */
    set_operation operation;
    parscan_type type;
    size_t size; /* of an element */
    sorted_array a, b;
    char *out; /* NULL: not wanted */
    uint64_t capacity;
    bool of_lengths; /* that is lengths->out_capacity */
} set_call;

/* Fails with CAPACITY: there are so many pairs. */
parscan_status parscan_fail_pairs(const join_call *call, uint64_t pairs);

/* The most elements that are written; of a call without `out`, that are counted. */
uint64_t parscan_most_of_set(const set_call *call);

/* Fails with CAPACITY if there are more elements than there is room for. */
parscan_status parscan_check_set_capacity(const set_call *call, uint64_t count);

/* Errors: OUT_OF_MEMORY, CAPACITY; on CUDA also DEVICE. */
parscan_status parscan_set_cpu(const set_call *call, uint64_t *count);
parscan_status parscan_set_cuda(const set_call *call, uint64_t *count);

/* Errors: OUT_OF_MEMORY; of a join also OVERFLOW and CAPACITY. */
parscan_status parscan_join_cpu(const join_call *call, uint64_t *total);
parscan_status parscan_join_cuda(const join_call *call, uint64_t *total);
parscan_status parscan_merge_cpu(const merge_arrays *call);
parscan_status parscan_merge_cuda(const merge_arrays *call);

/* By the context's engine. */
parscan_status parscan_merge_arrays(const merge_arrays *call);

#endif
