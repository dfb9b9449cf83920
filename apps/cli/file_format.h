/* The file formats of arrays, and their names. */
#ifndef PARSCAN_CLI_FILE_FORMAT_H
#define PARSCAN_CLI_FILE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum file_format {
    FORMAT_UNKNOWN = 0, /* not chosen */
    FORMAT_TEXT,
    FORMAT_RAW,
    FORMAT_NPY
} file_format;

/* "text", "raw", "npy"; NULL for another value. */
const char *file_format_name(file_format format);

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "raw and npy files are little-endian, and so must the machine be"
#endif

/* Whether the first length characters of a name end in `ending`, and have more before it. */
bool name_ends_in(const char *name, size_t length, const char *ending);

#endif
