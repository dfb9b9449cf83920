/*
 * An allocator on an arena of its own, so that its memory can be told from malloc's. It counts, and
 * fails when it is told to; a test fails that calls it in a worker, releases twice or leaks.
 */
#ifndef PARSCAN_TESTS_COUNTING_H
#define PARSCAN_TESTS_COUNTING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "parscan/context.h"

#define NEVER SIZE_MAX

typedef struct counting {
    char *arena; /* memory that was given back is not given out again */
    size_t used;
    size_t calls, live, live_bytes, most_bytes;
    size_t fails_at; /* this call, counted from 0, gives NULL */
    bool fails_from_then_on;
    pthread_t owner;
} counting;

counting counting_begin(size_t fails_at);

/* All was given back. */
void counting_end(counting *c);

/* Whether the allocator gave the memory that pointer points to. */
bool counting_owns(const counting *c, const void *pointer);

/* A context with two threads and this allocator. */
parscan_context_options counting_options(counting *c);

/* Creates it, if necessary after the allocation that fails. A creation that fails leaves nothing. */
parscan_context *counting_context(counting *c);

/* A test's calls, in a context whose allocator fails once; `state` is the test's. */
typedef struct failing_test {
    parscan_status (*attempt)(parscan_context *context, void *state); /* may be OUT_OF_MEMORY */
    void (*expect)(parscan_context *context, void *state); /* the same is right afterwards */
    void *state;
} failing_test;

/* Runs both with an allocation that fails, the first, the second and so on, until all are done. Returns how many
   there were. */
size_t fail_every_allocation(const failing_test *test);

#endif
