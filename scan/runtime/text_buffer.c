#include "scan/runtime/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scan/context/context_state.h"

static bool make_room(text_buffer *text, size_t size)
{
    const size_t least = 4096;
    if (size > SIZE_MAX / 4 || text->length > SIZE_MAX / 4)
        return false;
    const size_t needed = text->length + size + 1;
    if (needed <= text->room)
        return true;
    const size_t room = needed < least ? least : 2 * needed;
    char *const data = parscan_host_allocate(text->allocator, room);
    if (data == NULL)
        return false;
    if (text->data != NULL)
        memcpy(data, text->data, text->length + 1);
    parscan_host_release(text->allocator, text->data);
    text->data = data;
    text->room = room;
    return true;
}

void parscan_text_add_bytes(text_buffer *text, const void *bytes, size_t size)
{
    text->failed = text->failed || !make_room(text, size);
    if (text->failed)
        return;
    if (size > 0)
        memcpy(text->data + text->length, bytes, size);
    text->length += size;
    text->data[text->length] = '\0';
}

void parscan_text_add(text_buffer *text, const char *words)
{
    parscan_text_add_bytes(text, words, strlen(words));
}

void parscan_text_add_format(text_buffer *text, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    parscan_text_add(text, words);
}

char *parscan_text_take(text_buffer *text)
{
    char *const data = text->data;
    text->data = NULL;
    text->length = text->room = 0;
    if (!text->failed)
        return data;
    parscan_host_release(text->allocator, data);
    return NULL;
}
