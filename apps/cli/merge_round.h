/* What is merged at once: a part of each file. */
#ifndef PARSCAN_CLI_MERGE_ROUND_H
#define PARSCAN_CLI_MERGE_ROUND_H

#include "apps/cli/session.h"

/* The parts, one after the other, and then their order. Start with MERGE_ROUND. */
typedef struct merge_round {
    array elements;
    line_store lines; /* of the elements, if they have lines */
    array runs;       /* u64: where each part ends */
    array keys[2];    /* u64: what is compared, and room for as many */
    array places[2];  /* u64: of each key, the index of its element, and room for as many */
    unsigned now;     /* the keys and places that are valid */
} merge_round;

#define MERGE_ROUND                                                        \
    ((merge_round){.lines = LINE_STORE,                                    \
                   .runs = {.type = PARSCAN_U64},                          \
                   .keys = {{.type = PARSCAN_U64}, {.type = PARSCAN_U64}}, \
                   .places = {{.type = PARSCAN_U64}, {.type = PARSCAN_U64}}})

void merge_round_clear(merge_round *round);
void merge_round_release(merge_round *round);

/* Adds n elements from number `first` on, whose keys ascend; and their lines, unless lines is NULL. False: memory ran
   out. */
bool merge_round_add(merge_round *round, const array *elements, const line_store *lines,
                     const uint64_t *keys, size_t first, size_t n);

/* Merges the parts, stably: places are then in the order of the keys. */
bool merge_round_order(merge_round *round, session *job, failure *why);

#endif
