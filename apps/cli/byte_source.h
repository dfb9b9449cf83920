/* The bytes of a file or of standard input. Compressed data are decompressed. */
#ifndef PARSCAN_CLI_BYTE_SOURCE_H
#define PARSCAN_CLI_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "apps/cli/progress.h"

/* The length of the longest magic number that callers look for. */
#define SOURCE_HEAD_SIZE 8

typedef struct byte_source byte_source;

/* The name of the file at path in messages. */
const char *input_name(const char *path);

/* Opens path, which must stay; "-" or NULL is standard input. member: of a zip file; NULL: its only one, or it is another file. threads:
   the most that decompress. Where the data end without the empty block of BGZF, it says so, unless the bar is quiet. Returns NULL with a message if that fails. */
byte_source *source_open(const char *path, const char *member, unsigned threads, progress *bar,
                         failure *why);

/* The same without decompression. */
byte_source *source_open_as_is(const char *path, progress *bar, failure *why);

/* The same of an open file, from where it is read next: it is closed with the source, or if this fails. */
byte_source *source_open_descriptor(int fd, progress *bar, failure *why);
void source_close(byte_source *source);

/* Reads size bytes, fewer only at the end of the data. *got is their number. */
bool source_read(byte_source *source, void *to, size_t size, size_t *got, failure *why);

/* The same, but fewer bytes, at least one, also where more would have to be waited for: from a pipe,
   what is there. *got is 0 only at the end of the data. */
bool source_read_some(byte_source *source, void *to, size_t size, size_t *got, failure *why);

/* Whether reading on does not wait for another program. */
bool source_is_ready(byte_source *source);

/* Ends a read that waits for another program, and all later ones: they fail. Any thread may call
   it. */
void source_interrupt(byte_source *source);

/* Looks at the first bytes of the data, which source_read() will still read: SOURCE_HEAD_SIZE
   bytes, or fewer if there are no more or if they cannot start a magic number. Only before the first
   source_read(). */
size_t source_head(const byte_source *source, const unsigned char **head);

/* Whether the data are other bytes than the file's: they were compressed, or a member of an archive. */
bool source_is_unpacked(const byte_source *source);

/* Shows on that bar what is read from now on. */
void source_show(byte_source *source, progress *bar);

/* The bytes that are left of a regular file that is not compressed: *size, from byte *at on. */
bool source_place(const byte_source *source, int *fd, uint64_t *at, uint64_t *size);

/* The descriptor of a regular file that was not empty; -1 if it is another file. */
int source_descriptor(const byte_source *source);

/* The number of bytes that are left to read; 0 if it is not known. */
uint64_t source_remaining(const byte_source *source);

#endif
