#include "apps/cli/line_store.h"

#include <stdint.h>
#include <string.h>

void line_store_clear(line_store *lines)
{
    lines->text.n = lines->begins.n = lines->sizes.n = lines->head = 0;
}

void line_store_release(line_store *lines)
{
    array_release(&lines->text);
    array_release(&lines->begins);
    array_release(&lines->sizes);
    lines->head = 0;
}

bool line_store_add_text(line_store *lines, const char *text, size_t size)
{
    if (size == 0)
        return true;
    if (!array_reserve(&lines->text, lines->text.n + size))
        return false;
    memcpy(array_end(&lines->text), text, size);
    lines->text.n += size;
    return true;
}

size_t line_store_bytes(const line_store *lines)
{
    return lines->text.n + (lines->begins.n + lines->sizes.n) * sizeof(uint64_t);
}
