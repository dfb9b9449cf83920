/* One reader a format, for input.c. The array comes with its type, empty; whatever a reader that
   fails has put in it, input.c frees. */
#ifndef PARSCAN_CLI_INPUT_FORMATS_H
#define PARSCAN_CLI_INPUT_FORMATS_H

#include "apps/cli/array.h"
#include "apps/cli/byte_source.h"
#include "apps/cli/failure.h"
#include "apps/cli/input.h"

bool input_text(byte_source *source, text_words words, unsigned threads, array *elements,
                failure *why);

/* Elements to the end of the data. */
bool input_raw(byte_source *source, array *elements, failure *why);

/* Sets the array's type; one that is there already must be the file's. *n elements follow. */
bool input_npy_header(byte_source *source, array *elements, size_t *n, failure *why);
bool input_npy(byte_source *source, size_t n, array *elements, failure *why);

/* Reads at most the given number of elements: fewer only where the data end, *loose is then the
   number of bytes that make no whole element. */
bool input_elements(byte_source *source, size_t most, array *elements, size_t *loose, failure *why);

#endif
