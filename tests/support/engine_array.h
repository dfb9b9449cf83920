/*
 * Arrays in the memory of a context's engine, with known bytes around them. On the CPU engine that is the
 * program's memory; on CUDA, the device's.
 */
#ifndef PARSCAN_TESTS_ENGINE_ARRAY_H
#define PARSCAN_TESTS_ENGINE_ARRAY_H

#include <stdbool.h>

#include "parscan/memory.h"

typedef struct engine_array {
    parscan_context *context;
    void *memory, *array;
    size_t bytes, shift;
} engine_array;

/* Whether that memory is not the program's. */
bool engine_has_memory(const parscan_context *context);

/* A copy of bytes at `from`, or, from NULL, known bytes; `shift` bytes after an aligned address. */
engine_array engine_array_create(parscan_context *context, const void *from, size_t bytes,
                                 size_t shift);

/* What the array holds, for free(); the test fails where bytes around it were written. */
void *engine_array_read(const engine_array *a, const char *words);
void engine_array_destroy(engine_array *a);

#endif
