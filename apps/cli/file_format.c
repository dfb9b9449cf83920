#include "apps/cli/file_format.h"

#include <string.h>

const char *file_format_name(file_format format)
{
    static const char *const names[] = {NULL, "text", "raw", "npy"};
    return (unsigned)format < sizeof names / sizeof names[0] ? names[format] : NULL;
}

bool name_ends_in(const char *name, size_t length, const char *ending)
{
    const size_t size = strlen(ending);
    return length > size && memcmp(name + length - size, ending, size) == 0;
}
