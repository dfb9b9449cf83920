#include "apps/cli/line_store.h"

#include <stdint.h>
#include <string.h>

#include "apps/cli/text_lines.h"

#define MOST_TEXT ((uint64_t)1 << (64 - PLACE_SIZE_BITS))

void line_store_clear(line_store *lines)
{
    lines->text.n = lines->head = 0;
    for (int i = 0; i < 2; i++)
        lines->places[i].n = 0;
}

void line_store_release(line_store *lines)
{
    array_release(&lines->text);
    for (int i = 0; i < 2; i++)
        array_release(&lines->places[i]);
    lines->head = 0;
}

bool line_store_add_text(line_store *lines, const char *text, size_t size)
{
    if (size == 0)
        return true;
    if (size >= MOST_TEXT - lines->text.n || !array_reserve(&lines->text, lines->text.n + size))
        return false;
    memcpy(array_end(&lines->text), text, size);
    lines->text.n += size;
    return true;
}

uint64_t line_store_line(const line_store *lines, size_t element)
{
    const char *const begin = (const char *)lines->text.data + lines->head;
    const char *const end = line_store_part(lines, element).begin;
    return lines->first_line + (end > begin ? text_count_newlines(begin, end) : 0);
}

size_t line_store_bytes(const line_store *lines)
{
    size_t bytes = lines->text.n;
    for (int i = 0; i < 2; i++)
        bytes += lines->places[i].n * sizeof(uint64_t);
    return bytes;
}
