/*
 * A call of every primitive, with results that are the same to the bit for every number of threads.
 * So a context with one thread tells what another context must write. Integers are random; the
 * floats of recurrences are small whole numbers, whose sums and products are exact.
 *
 * This file uses neither Criterion nor parscan_test_support: a test that is linked with the static
 * library uses it too.
 */
#ifndef PARSCAN_TESTS_EVERY_PRIMITIVE_H
#define PARSCAN_TESTS_EVERY_PRIMITIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/context.h"

typedef struct primitive_inputs primitive_inputs;

/* Inputs of n elements. NULL if there is no memory. */
primitive_inputs *primitive_inputs_begin(size_t n);
void primitive_inputs_end(primitive_inputs *in);

size_t primitive_count(void);
const char *primitive_name(size_t k);

/* Bytes that primitive k writes at most. */
size_t primitive_bytes(size_t k, const primitive_inputs *in);

/* Clears primitive_bytes() of out, and calls primitive k. */
parscan_status primitive_run(size_t k, parscan_context *context, const primitive_inputs *in,
                             void *out);

/* A context on the CPU. NULL if there is none. */
parscan_context *cpu_context(unsigned threads);

/* Calls every primitive on the context, and compares its results with those of one thread, which the inputs keep. Returns
   the name of the first that differs or fails; NULL: all are right. */
const char *first_wrong_primitive(parscan_context *context, const primitive_inputs *in);

/* The same for a few primitives, which take little time. */
const char *first_wrong_of_few(parscan_context *context, const primitive_inputs *in);

#endif
