/*
 * A sorter, elements pushed and pulled in pieces, compared with the oracle; folders of the test's own.
 */
#ifndef PARSCAN_TESTS_SORTER_CASE_H
#define PARSCAN_TESTS_SORTER_CASE_H

#include <stdbool.h>

#include "parscan/sorter.h"
#include "tests/support/key_patterns.h"
#include "tests/support/scan_case.h" /* COUNT_OF */

#define MOST_FOLDERS 3u

/* New, empty folders. */
typedef struct sorter_folders {
    char names[MOST_FOLDERS][128];
    const char *list[MOST_FOLDERS];
    unsigned count;
} sorter_folders;

void folders_create(sorter_folders *folders, unsigned count);
bool folders_are_empty(const sorter_folders *folders);

/* The test fails if one is not empty. */
void folders_remove(sorter_folders *folders);

typedef struct sorter_case {
    parscan_sorter_options
        options; /* struct_size and, unless they are set, folders are filled in */
    key_pattern pattern;
    size_t n;
    unsigned folder_count;
    unsigned threads;
    bool drops_keys; /* with argsort */
} sorter_case;

/* What was counted. */
typedef struct sorter_seen {
    uint64_t elements, runs, levels, bytes_spilled;
} sorter_seen;

/* The test fails unless what is pulled is the stable sort of what is pushed, and the folders are
   empty. */
sorter_seen expect_sorter(sorter_case c);

/* The same in a context and with keys of the caller's. */
sorter_seen expect_sorter_in(parscan_context *context, sorter_case c, const void *keys,
                             const size_t *order);

#endif
