/* Writes arrays to files, in pieces or whole: text, raw or npy, compressed by gzip or not. A
   file is complete or does not appear at all. */
#ifndef PARSCAN_CLI_OUTPUT_H
#define PARSCAN_CLI_OUTPUT_H

#include "apps/cli/array.h"
#include "apps/cli/failure.h"
#include "apps/cli/file_format.h"
#include "apps/cli/npy_header.h"
#include "apps/cli/progress.h"

typedef struct output_request {
    const char *path;   /* NULL or "-": standard output; ".gz" or ".bgz" at its end compresses */
    file_format format; /* FORMAT_UNKNOWN: by the end of the path, else input_format */
    file_format input_format; /* the format of the input; FORMAT_UNKNOWN: text */
    char point;               /* the decimal point of text; 0: '.' */
    const npy_shape *shape;   /* of npy, if the number of elements is known; NULL: one dimension */
    unsigned threads;
    progress *progress;
} output_request;

/* Writes a file in pieces. Messages of failures start with the file's name. */
typedef struct output_writer output_writer;

/*
 * Opens the file for elements of that type. *n is their number; n is NULL if it is not known. An npy
 * file starts with it: if it is not known, it is written at the end, and what cannot be written
 * there, such as a pipe, is a failure. Nothing is written before the first output_add(). Returns
 * NULL if it fails.
 */
output_writer *output_open(const output_request *request, parscan_type type, const uint64_t *n,
                           failure *why);

/* Another number of elements than the one that the file was opened with, before the first
   output_add(). */
void output_set_length(output_writer *writer, uint64_t n);

/* Whether what is written goes straight to the file of another descriptor, not to a draft. */
bool output_is_file_of(const output_writer *writer, int fd);

/* The format in which the file would be written. */
file_format output_format(const output_request *request);

/* Whether two files have different places; false with a message. */
bool output_is_elsewhere(const output_writer *writer, const output_writer *other, failure *why);

bool output_add(output_writer *writer, const array *elements, failure *why);

/* Writes what is still to be written. Only taking its place is then left. */
bool output_complete(output_writer *writer, failure *why);

/* The file takes its place. */
bool output_commit(output_writer *writer, failure *why);

/* Frees the writer. What has not been committed is discarded, and an old file is unchanged. */
void output_close(output_writer *writer);

/* Writes a whole file. If that fails, an old file is unchanged, and the message starts with the file's
   name. */
bool output_write(const output_request *request, const array *elements, failure *why);

/* Writes count files, at most MOST_DRAFTS. All of them are complete before the first one takes its
   place. It fails if two have the same place. */
bool output_write_all(const output_request *requests, const array *const *elements, size_t count,
                      failure *why);

#endif
