/* Calls that both engines make on the same arrays: what CUDA writes must be what the CPU writes, and no
   more, to the bit. */
#ifndef PARSCAN_TESTS_BOTH_ENGINES_H
#define PARSCAN_TESTS_BOTH_ENGINES_H

#include "parscan/context.h"

#define CALL_INPUTS 4
#define CALL_OUTPUTS 3

typedef struct call_arrays {
    const void *in[CALL_INPUTS];
    void *out[CALL_OUTPUTS];
} call_arrays;

typedef struct engine_call {
    const char *name;
    parscan_status (*make)(parscan_context *context, const call_arrays *arrays, size_t n);
} engine_call;

/* Inputs for calls of n elements; each has room for MOST_BYTES an element and two more. */
#define MOST_BYTES 12u
typedef void fill_inputs(void *const in[CALL_INPUTS], size_t n);

typedef struct engine_calls {
    const engine_call *calls;
    size_t count;
    fill_inputs *fill;
} engine_calls;

/* Each call of n elements. */
void expect_same(const engine_calls *calls, size_t n);
/* The same in a context of so many resident blocks. */
void expect_same_on_blocks(const engine_calls *calls, size_t n, unsigned blocks);

/* Each call captured in a graph that is replayed on changed input. */
void expect_same_in_graphs(const engine_calls *calls, size_t n);

/* So many short calls of any kind and length without a wait. */
void expect_same_in_a_row(const engine_calls *calls, size_t rounds);

#endif
