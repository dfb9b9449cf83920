/* The file formats of arrays, and their names. */
#ifndef PARSCAN_CLI_FILE_FORMAT_H
#define PARSCAN_CLI_FILE_FORMAT_H

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

#endif
