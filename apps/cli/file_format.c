#include "apps/cli/file_format.h"

#include <stddef.h>

const char *file_format_name(file_format format)
{
    static const char *const names[] = {NULL, "text", "raw", "npy"};
    return (unsigned)format < sizeof names / sizeof names[0] ? names[format] : NULL;
}
