/* Arrays to files: text, raw or npy, gzip or not; whole or not at all. */
#ifndef PARSCAN_CLI_OUTPUT_H
#define PARSCAN_CLI_OUTPUT_H

#include "apps/cli/array.h"
#include "apps/cli/failure.h"
#include "apps/cli/file_format.h"
#include "apps/cli/progress.h"

typedef struct output_request {
    const char *path;         /* NULL or "-": standard output; ".gz" at its end compresses */
    file_format format;       /* FORMAT_UNKNOWN: as the path ends, else input_format */
    file_format input_format; /* what the input was, else text */
    unsigned threads;
    progress *progress;
} output_request;

/* Writes a whole file. When it fails, the file that was there before is as it was, and the words
   begin with the file's name. */
bool output_write(const output_request *request, const array *elements, failure *why);

/* Writes count files, at most MOST_DRAFTS: all of them are complete before the first one is put in its
   place. Two in one place are a failure. */
bool output_write_all(const output_request *requests, const array *const *elements, size_t count,
                      failure *why);

#endif
