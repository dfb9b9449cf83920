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

/* A call in a context of its own, of which an allocation fails: failing_begin(), the call, failing_check(),
   failing_end(). */
typedef struct failing_run {
    counting counted;
    parscan_context *context;
    bool failed; /* the allocation */
} failing_run;

/* The k-th allocation will fail. *run stays where it is. */
void failing_begin(failing_run *run, size_t k);

/* The call is over: it was done, or memory ran out, and there are words of it. No allocation fails from now on. Returns
   whether memory ran out. */
bool failing_check(failing_run *run, parscan_status status);

/* All is given back. Returns whether the allocation failed. */
bool failing_end(failing_run *run);

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
