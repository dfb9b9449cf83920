/* Writes arrays to files: text, raw or npy, compressed by gzip or not; whole or not at all. */
#ifndef PARSCAN_CLI_OUTPUT_H
#define PARSCAN_CLI_OUTPUT_H

#include "apps/cli/array.h"
#include "apps/cli/failure.h"
#include "apps/cli/file_format.h"
#include "apps/cli/progress.h"

typedef struct output_request {
    const char *path;         /* NULL or "-": standard output; ".gz" at its end compresses */
    file_format format;       /* FORMAT_UNKNOWN: by the end of the path, else input_format */
    file_format input_format; /* the format of the input; FORMAT_UNKNOWN: text */
    unsigned threads;
    progress *progress;
} output_request;

/* Writes a whole file. If that fails, an old file is unchanged, and the words begin with the file's
   name. */
bool output_write(const output_request *request, const array *elements, failure *why);

/* Writes count files, at most MOST_DRAFTS. All of them are complete before the first one takes its
   place. It fails if two have the same place. */
bool output_write_all(const output_request *requests, const array *const *elements, size_t count,
                      failure *why);

#endif
