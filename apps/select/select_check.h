/* The argument checks that selections share. Each returns OK, or stores a message and returns the error. */
#ifndef PARSCAN_APPS_SELECT_CHECK_H
#define PARSCAN_APPS_SELECT_CHECK_H

#include "apps/segments/check_segments.h"
#include "scan/context/call_lengths.h"

/* The arrays of a selection. */
typedef struct select_outputs {
    parscan_type type;
    const void *in;
    size_t n;
    const parscan_segments *segments; /* checked; NULL: all elements are one */
    const uint64_t *count;
    size_t slots; /* of the outputs, for each segment */
    void *values, *indices;
    parscan_type index_type;
    uint64_t *counts; /* one for each segment; NULL: not wanted */
} select_outputs;

/* Reads the segments of the options into *local, and checks them; *segments becomes local, or NULL where none
   are given. */
parscan_status parscan_check_selected_segments(parscan_context *context,
                                               const parscan_segments *given, size_t n,
                                               parscan_segments *local,
                                               const parscan_segments **segments);

/* Checks types and arrays: that they are there, and that no output overlaps another array. */
parscan_status parscan_check_selection(parscan_context *context, const select_outputs *outputs);

/* Until there is an engine for it: UNSUPPORTED for a context of CUDA. */
parscan_status parscan_need_cpu(parscan_context *context, const char *function);

/* Sets *n, and the segments' count, to the lengths of the call. */
parscan_status parscan_selection_lengths(parscan_context *context, call_lengths *lengths, size_t *n,
                                         const parscan_segments *segments, parscan_segments *local);

#endif
