/* The header of an npy file. It reads NumPy's formats 1.0, 2.0 and 3.0, and writes 1.0. */
#ifndef PARSCAN_CLI_NPY_HEADER_H
#define PARSCAN_CLI_NPY_HEADER_H

#include <stddef.h>

#include "apps/cli/failure.h"
#include "parscan/types.h"

/* An npy file starts with "\x93NUMPY", two bytes of version, and two or four bytes that hold the
   length of the dictionary after them. */
#define NPY_MAGIC "\x93NUMPY"
enum { NPY_MAGIC_SIZE = 6, NPY_PREFIX_SIZE = 12, NPY_WRITTEN_SIZE = 128 };

/* What a header says of the elements after it. */
typedef struct npy_array {
    parscan_type type;
    bool is_mask; /* NumPy's booleans, as u8: a byte that is not 0 counts as 1 */
    size_t n;
} npy_array;

/*
 * Reads the text of a header, a Python dictionary: length bytes and a terminating zero. asked: the type that
 * the user has named, or 0. It tells only what bytes of any meaning (NumPy's V) are: of other types the
 * header does.
 */
bool npy_header_parse(const char *text, size_t length, parscan_type asked, npy_array *array,
                      failure *why);

/* Writes a header for n elements to header. */
void npy_header_write(parscan_type type, size_t n, char header[NPY_WRITTEN_SIZE]);

#endif
