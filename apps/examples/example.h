/*
 * What the examples share and is not parscan: a file in memory, memory that is there or ends
 * the program, and calls that succeed or end it with parscan's message. A library would return its errors.
 */
#ifndef PARSCAN_EXAMPLE_H
#define PARSCAN_EXAMPLE_H

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"

static inline void example_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* On the GPU if there is one, else on all cores. All arrays of the examples are in host memory. */
static inline parscan_context *example_context(void)
{
    parscan_context *context;
    const parscan_status status = parscan_context_create(&context, NULL);
    if (status != PARSCAN_OK)
        example_fail("no context", parscan_status_string(status));
    return context;
}

static inline void example_check(const parscan_context *context, parscan_status status)
{
    if (status != PARSCAN_OK)
        example_fail(parscan_status_string(status), parscan_context_error(context));
}

/* Room for count elements, of bytes that are 0, until example_end(). */
typedef union example_block {
    union example_block *before;
    max_align_t align;
} example_block;

static example_block *example_rooms;

static inline void *example_room(size_t count, size_t size)
{
    example_block *const block =
        count < SIZE_MAX / 2 / size ? calloc(1, sizeof *block + count * size) : NULL;
    if (block == NULL)
        example_fail("calloc", "out of memory");
    block->before = example_rooms;
    example_rooms = block;
    return block + 1;
}

/* Frees the context and all room. Returns what main() returns. */
static inline int example_end(parscan_context *context)
{
    parscan_context_destroy(context);
    for (example_block *block = example_rooms, *before; block != NULL; block = before) {
        before = block->before;
        free(block);
    }
    example_rooms = NULL;
    return EXIT_SUCCESS;
}

/* The whole file, which a zero ends. *size receives its size without that. */
static inline char *example_read(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    /* A folder can be opened, but nothing can be read of it. */
    if (file == NULL || (fgetc(file) == EOF && ferror(file)) || fseek(file, 0, SEEK_END) != 0)
        example_fail(path, strerror(errno));
    const long end = ftell(file);
    rewind(file);
    if (end < 0)
        example_fail(path, strerror(errno));
    char *const text = example_room((size_t)end + 1, 1);
    *size = fread(text, 1, (size_t)end, file);
    if (ferror(file) || *size != (size_t)end)
        example_fail(path, "cannot be read");
    fclose(file);
    return text;
}

#endif
