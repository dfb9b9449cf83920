/* A text that grows. */
#ifndef PARSCAN_SCAN_RUNTIME_TEXT_BUFFER_H
#define PARSCAN_SCAN_RUNTIME_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "parscan/context.h"

typedef struct text_buffer {
    const parscan_allocator *allocator;
    char *data; /* ended by a zero; NULL: nothing has been added */
    size_t length, room;
    bool failed; /* there was no memory: what came after is not there */
} text_buffer;

void parscan_text_add(text_buffer *text, const char *words);
void parscan_text_add_bytes(text_buffer *text, const void *bytes, size_t size);

/* A short one; words of any length are added by parscan_text_add(). */
void parscan_text_add_format(text_buffer *text, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Returns the data, which is the caller's then; NULL: no memory. */
char *parscan_text_take(text_buffer *text);

#endif
