/*
 * Arrays with a page before them and a page after them that nobody may touch: a read or a write
 * next to an array ends the process.
 */
#ifndef PARSCAN_TESTS_GUARDED_H
#define PARSCAN_TESTS_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guarded {
    char *begin, *end; /* whole pages between two guards */
    size_t after;      /* bytes of the guard that follows */
} guarded;

/* Memory for arrays of up to `bytes` bytes, to be filled from begin to end. */
guarded guarded_create(size_t bytes);

/* The same with a guard of at least `beyond` bytes after it, where nothing else lies. */
guarded guarded_create_beyond(size_t bytes, size_t beyond);
void guarded_destroy(guarded memory);

/* From now on a write to it ends the process; or no more. */
void guarded_read_only(guarded memory, bool read_only);

/* An array of bytes that ends just before the guard, or starts just after the one before. */
void *guarded_array(guarded memory, size_t bytes, bool at_end);

/* From now on a process that touches a guard says so, and words, on standard error before it dies;
   words may change from case to case. */
void guarded_watch(const char *words);

#endif
