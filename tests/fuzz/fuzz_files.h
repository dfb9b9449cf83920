/*
 * Bytes through the program's own reader and writer. What must hold whatever the bytes are is
 * checked here; when it does not, the process is aborted, which is how libFuzzer learns of it.
 */
#ifndef PARSCAN_TESTS_FUZZ_FILES_H
#define PARSCAN_TESTS_FUZZ_FILES_H

#include "apps/cli/array.h"
#include "apps/cli/failure.h"
#include "apps/cli/file_format.h"

#define MUST(condition)                                 \
    do {                                                \
        if (!(condition))                               \
            fuzz_abort(__FILE__, __LINE__, #condition); \
    } while (0)
__attribute__((noreturn)) void fuzz_abort(const char *file, int line, const char *condition);

/* The bytes as a file: its name, until the next call. */
const char *file_of(const void *bytes, size_t size);

/* input_read() of the bytes as a file. */
bool read_file(const void *bytes, size_t size, file_format format, parscan_type type,
               array *elements, failure *why);

/* The same, and in pieces, from the file and from a pipe, whose length the reader cannot know: all must
   give the same. */
bool read_file_and_pipe(const void *bytes, size_t size, file_format format, parscan_type type,
                        array *elements, failure *why);

/* Writes the array in a format and reads it again: the same elements, to the bit, but that text
   keeps of a NaN only that it is one. */
void expect_round_trip(const array *elements, file_format format);

/* The bytes compressed by the program and read again are the same bytes. */
void expect_gzip_round_trip(const void *bytes, size_t size);

/* Whether two failures say the same, whatever the files were called. */
bool same_words(const failure *a, const failure *b);

#endif
