/* A reader for each format, for input.c. The array is empty and has its type. input.c frees it if
   the reader fails. */
#ifndef PARSCAN_CLI_INPUT_FORMATS_H
#define PARSCAN_CLI_INPUT_FORMATS_H

#include "apps/cli/array.h"
#include "apps/cli/byte_source.h"
#include "apps/cli/failure.h"
#include "apps/cli/input.h"

/* Numbers, or words that are keys. */
bool input_text(byte_source *source, text_words words, unsigned threads, array *elements,
                failure *why);

/* Elements to the end of the data. */
bool input_raw(byte_source *source, array *elements, failure *why);

/* Reads the header of an npy file: sets the array's type, or checks it if it is set. *n elements
   follow. */
bool input_npy_header(byte_source *source, array *elements, size_t *n, failure *why);
bool input_npy(byte_source *source, size_t n, array *elements, failure *why);

/* Reads at most `most` elements, fewer only if the data end. *loose is then the number of bytes
   after the last whole element. */
bool input_elements(byte_source *source, size_t most, array *elements, size_t *loose, failure *why);

#endif
