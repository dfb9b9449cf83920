/*
 * Sorts the open files of a session in pieces, through a parscan_sorter: pieces are read and parsed
 * while those before are sorted to runs; then the runs are merged while what has been merged is written.
 */
#ifndef PARSCAN_CLI_SORT_PIECES_H
#define PARSCAN_CLI_SORT_PIECES_H

#include "apps/cli/session.h"

typedef struct sort_request {
    bool descending, argsort;
    bool unique;                /* only the first of equal elements is written */
    struct held_keys *keys;     /* of sort_lines(): what is compared of lines; NULL: elements */
    const second_input *values; /* NULL: there are none */
    const char *values_output;
    uint64_t memory; /* the most bytes of memory for elements */
    const char *const *folders;
    unsigned folder_count;
} sort_request;

/* What a sort has done. */
typedef struct sort_totals {
    uint64_t elements, runs, levels, bytes_spilled;
    double seconds; /* of sorting and merging */
} sort_totals;

/* Reads the files to their ends, and writes the outputs. Returns an exit status. */
int sort_pieces(session *job, const sort_request *request, sort_totals *totals, failure *why);

#endif
