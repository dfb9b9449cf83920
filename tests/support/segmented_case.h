/*
 * One call of a segmented scan or reduction, run and compared with the oracle.
 */
#ifndef PARSCAN_TESTS_SEGMENTED_CASE_H
#define PARSCAN_TESTS_SEGMENTED_CASE_H

#include "parscan/segmented.h"
#include "tests/support/oracle.h"
#include "tests/support/segment_shapes.h"

typedef struct segmented_case {
    scan_kind kind;
    parscan_type type;
    parscan_scan_options options;   /* struct_size is filled in */
    const cut_array *cut;           /* of n elements */
    unsigned in_offset, out_offset; /* bytes that the arrays start past an aligned address */
    bool in_place;
    bool count_missing; /* offsets: the count is not asked for */
} segmented_case;

#define SEGMENTED_WORDS 640

/* Makes the call that kind names; count is for a reduction. */
parscan_status call_segmented(parscan_context *context, scan_kind kind, parscan_type type,
                              const void *in, void *out, size_t n, const parscan_segments *segments,
                              uint64_t *count, const parscan_scan_options *options);

/* Compares an answer with the oracle's, given the input as it was. Words tell what is wrong. */
bool segmented_is_right(const segmented_case *scan, const void *in, const void *out,
                        char words[SEGMENTED_WORDS]);

/* A case in words, and what is said of it. */
void describe_segmented(const segmented_case *scan, const char *what, char words[SEGMENTED_WORDS]);

/* Runs a case on elements at `in` in arrays of the test's own; the test fails unless answer and count
   are right, and the input, the segments and the bytes around the output are what they were. On an engine
   with memory of its own also in that memory, at offsets of 8 bytes each. */
void expect_segmented(parscan_context *context, segmented_case scan, const void *in);

#endif
