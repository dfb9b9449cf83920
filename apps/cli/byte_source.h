/* The bytes of a file or of standard input, gunzipped where they are gzip data. */
#ifndef PARSCAN_CLI_BYTE_SOURCE_H
#define PARSCAN_CLI_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "apps/cli/progress.h"

/* As long as the longest magic number that callers ask for. */
#define SOURCE_HEAD_SIZE 8

typedef struct byte_source byte_source;

/* Opens path, "-" or NULL for standard input; NULL when that fails. */
byte_source *source_open(const char *path, progress *bar, failure *why);

/* The same, of bytes that are not gunzipped. */
byte_source *source_open_as_is(const char *path, progress *bar, failure *why);
void source_close(byte_source *source);

/* Reads size bytes, fewer at the end of the data only; *got is their number. */
bool source_read(byte_source *source, void *to, size_t size, size_t *got, failure *why);

/* The first bytes of the data, which source_read() will still deliver: at most SOURCE_HEAD_SIZE of
   them, fewer when there are no more. Valid before the first source_read(). */
size_t source_head(const byte_source *source, const unsigned char **head);

/* How many bytes are still to come; 0 when that is not known. */
uint64_t source_remaining(const byte_source *source);

#endif
