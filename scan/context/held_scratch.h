/*
 * Scratch of a function that calls public functions, which take scratch too: it has the second piece of the
 * context's memory (parscan_tile_memory()), and puts it out of their reach meanwhile.
 *
 *     held_scratch held;
 *     parscan_status status = parscan_hold_scratch(context, &threads, need, call, beside, &held);
 *     if (status != PARSCAN_OK)
 *         return status;
 *     ...held.memory.data, public functions...
 *     parscan_let_scratch(context, &held);
 */
#ifndef PARSCAN_SCAN_CONTEXT_HELD_SCRATCH_H
#define PARSCAN_SCAN_CONTEXT_HELD_SCRATCH_H

#include "scan/context/context_state.h"

typedef struct held_scratch {
    parscan_memory memory;
    size_t limit; /* the context's scratch_limit, which the others share with it */
} held_scratch;

/* As parscan_scratch_of_threads(): of as many of *threads as there is memory for. beside: what the public
   functions may take, so that scratch of more than one thread leaves them that. Errors: OUT_OF_MEMORY. */
parscan_status parscan_hold_scratch(parscan_context *context, unsigned *threads,
                                    parscan_scratch_need *need, const void *call, size_t beside,
                                    held_scratch *held);

/* Gives it back to the context, which keeps it for the next call. */
void parscan_let_scratch(parscan_context *context, const held_scratch *held);

#endif
