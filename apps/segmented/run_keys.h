/*
 * The keys of a reduction by keys: the first key of each segment, which a pass over tiles writes beside its
 * sums, in the order of combination. In reverse that order is turned at the end.
 */
#ifndef PARSCAN_APPS_SEGMENTED_RUN_KEYS_H
#define PARSCAN_APPS_SEGMENTED_RUN_KEYS_H

#include "apps/segmented/segmented_call.h"

typedef struct run_keys {
    const char *keys; /* n of `size` bytes */
    char *out;        /* NULL: not wanted */
    size_t size, n, room;
    bool reverse;
} run_keys;

/* Those of a call that has room for so many segments. */
static inline run_keys run_keys_of(const segmented_call *call, size_t room)
{
    return (run_keys){
        .keys = call->segments->data,
        .out = call->keys_out,
        .size = call->keys_out == NULL ? 0 : parscan_type_size(call->segments->type),
        .n = call->scan.n,
        .room = room,
        .reverse = call->scan.reverse,
    };
}

/* Writes the keys that a tile's heads (apps/segments/heads.h) tell. It starts with element `begin`, in the
   order of combination, after `segments` heads. */
void parscan_write_run_keys(const run_keys *keys, const uint64_t *heads, size_t begin, size_t n,
                            size_t segments);

/* Writes what is left when all tiles are done, and turns the order. */
void parscan_end_run_keys(const run_keys *keys, size_t segments);

/* Turns the order of elements. */
void parscan_reverse_elements(char *elements, size_t size, size_t count);

#endif
