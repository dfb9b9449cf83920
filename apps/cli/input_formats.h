/* A reader for each format, for input.c. Elements are put after those that the array holds. */
#ifndef PARSCAN_CLI_INPUT_FORMATS_H
#define PARSCAN_CLI_INPUT_FORMATS_H

#include "apps/cli/array.h"
#include "apps/cli/byte_source.h"
#include "apps/cli/failure.h"
#include "apps/cli/input.h"
#include "apps/cli/matrix_market.h"
#include "apps/cli/npy_header.h"

/* source_read(), or source_read_some() to pass on what comes from a pipe. */
typedef bool source_reader(byte_source *source, void *to, size_t size, size_t *got, failure *why);

/* Numbers, or words that are keys. */
typedef struct text_reader text_reader;

/* type: of the elements; u8 where words are keys. Returns NULL if memory runs out. */
text_reader *text_reader_open(byte_source *source, parscan_type type, const input_request *request);

/* Adds up to `most` elements, none only at the end; and what is kept of their lines, which must have fields,
   unless lines is NULL. */
bool text_reader_next(text_reader *reader, size_t most, source_reader *read, array *elements,
                      line_store *lines, failure *why);
/* Whether it is known that nothing is left. */
bool text_reader_at_end(const text_reader *reader);
/* Whether a line has several words, and others have some too. */
bool text_reader_has_lists(const text_reader *reader);
/* The number of the line with fields that comes next, counted from 1. */
uint64_t text_reader_line(const text_reader *reader);
/* The header with its newline, as a string; NULL: none has been read. */
const char *text_reader_head(const text_reader *reader);
/* What the head of a Matrix Market file says; NULL: it is another text, or has no fields. */
const matrix_market *text_reader_matrix(const text_reader *reader);
void text_reader_close(text_reader *reader);

/* Adds up to `most` elements, none only at the end. `before` have been read. */
bool input_raw(byte_source *source, size_t before, size_t most, source_reader *read,
               array *elements, failure *why);

/* Reads the header of an npy file, which must have that type unless it is 0. */
bool input_npy_header(byte_source *source, parscan_type type, shape_rule shapes, npy_array *found,
                      failure *why);

/* Adds up to `most` of the file's elements, of which `before` have been read; none only at the end.
   *ended, at first false, is for its use. */
bool input_npy(byte_source *source, const npy_array *file, size_t before, size_t most,
               source_reader *read, array *elements, bool *ended, failure *why);

/* Makes elements of this machine of what was read, from `first` on: 1 of every byte of a mask that is not 0;
   swaps the bytes of big-endian elements. */
void input_npy_convert(const npy_array *file, array *elements, size_t first);

/* Adds up to `most` elements, none only at the end of the data. *loose is then the number of bytes
   after the last whole element. */
bool input_elements(byte_source *source, size_t most, source_reader *read, array *elements,
                    size_t *loose, failure *why);

#endif
