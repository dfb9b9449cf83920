/*
 * An array given to a parscan_chunked in chunks of random or given lengths, each in memory of its own size
 * with guards around it; on CUDA also in device memory. Now and then the work moves by its carry to
 * a new object, in another context. Tests compare with the one call's answer for the whole array.
 */
#ifndef PARSCAN_TESTS_CHUNKED_CASE_H
#define PARSCAN_TESTS_CHUNKED_CASE_H

#include <stdbool.h>

#include "parscan/chunked.h"

/* Creates the object of a test; what: the test's own. */
typedef parscan_status chunked_maker(parscan_chunked **chunked, parscan_context *context,
                                     const void *what);

typedef struct chunked_case {
    chunked_maker *make;
    const void *what;
    const void *in, *in2;     /* n elements each; in2 may be NULL */
    size_t in_size, in2_size; /* bytes of an element */
    void *out, *out2;         /* receive all chunks' results, one after another; may be NULL */
    size_t out_size, out2_size;
    size_t n;
    size_t most;   /* about the largest chunk */
    bool counts;   /* as many results as `written` says; else n */
    bool in_place; /* chunks with out = in too, of pairs also with out2 = in2 */
    bool pairs;    /* out2 goes with out, and the end writes neither */
    /* The chunks are cut behind the elements whose bits are set, and there only. 0: anywhere */
    uint64_t borders;
} chunked_case;

/* The two contexts that the work moves between: one thread and several; the caller destroys
   both. */
typedef struct chunked_contexts {
    parscan_context *of[2];
} chunked_contexts;
chunked_contexts chunked_contexts_make(unsigned threads);
void chunked_contexts_destroy(chunked_contexts *contexts);

/* Gives the array in chunks and ends it. Returns the number of results, all chunks' and the end's.
   The test fails if a call fails, a guard is hit, or `total` is not what it should be:
   expected_total. */
uint64_t chunked_run(const chunked_contexts *contexts, const chunked_case *c,
                     parscan_chunked_end end, uint64_t expected_total);

/* The length of the next chunk: often 0, 1, the rest of a tile; never above `left`. */
size_t chunked_cut(size_t done, size_t left, size_t most);

/* The first of n elements of a type that differs in its bits, where a NaN equals any NaN; n:
   none. */
size_t first_difference(parscan_type type, const void *a, const void *b, size_t n);

/* malloc(), or the test fails. */
void *need_memory(size_t bytes);

#endif
