/*
 * What parscan_allocate(), parscan_expand() and parscan_pack() must answer, by plain loops. Arrays
 * have any alignment.
 */
#ifndef PARSCAN_TESTS_ORACLE_ALLOCATE_H
#define PARSCAN_TESTS_ORACLE_ALLOCATE_H

#include <stdbool.h>

#include "parscan/allocate.h"

/* Element i of an array of unsigned integers of type; the same to be written. */
uint64_t oracle_get(parscan_type type, const void *array, size_t i);
void oracle_set(parscan_type type, void *array, size_t i, uint64_t value);

/* Sizes to be allocated, and what must come of it. */
typedef struct oracle_allocation {
    parscan_type size_type, offset_type;
    const void *sizes;
    size_t n;
    uint64_t alignment, capacity; /* 0: as in parscan_allocate_options */
    bool close;                   /* there are n + 1 offsets */
} oracle_allocation;

/* n or n + 1. */
size_t oracle_offsets_count(const oracle_allocation *allocation);

/* The status; *total as parscan_allocate() must write it. */
parscan_status oracle_allocate_total(const oracle_allocation *allocation, uint64_t *total);

/* The first offset that is wrong; n, with close n + 1, if there is none. */
size_t oracle_offset_wrong_at(const oracle_allocation *allocation, const void *offsets);

/* The first slot whose owner or rank (NULL: not looked at) is wrong; the total if there is none. */
uint64_t oracle_slot_wrong_at(parscan_type size_type, const void *sizes, size_t n,
                              parscan_type index_type, const void *owner, const void *rank);

/* The first record that is not in `out` where it should be; n if there is none. */
size_t oracle_record_wrong_at(const void *in, parscan_type offset_type, const void *in_offsets,
                              parscan_type size_type, const void *sizes, const void *out,
                              const void *out_offsets, size_t n);

#endif
