/*
 * Bytes to one member of gzip data, deflated by several threads.
 *
 * The bytes are cut into blocks. Each is deflated on its own, with the 32 KiB before it as a
 * dictionary, so that little is lost by cutting, and ends at a whole byte. parscan_allocate() places
 * the results, parscan_pack() moves them there. Source: M. Adler, pigz.
 */
#ifndef PARSCAN_CLI_GZIP_WRITER_H
#define PARSCAN_CLI_GZIP_WRITER_H

#include <stddef.h>

#include "apps/cli/failure.h"
#include "parscan/context.h"

/* Writes size bytes. Called by the thread that calls gzip_add() and gzip_finish(). */
typedef bool gzip_write_function(void *user, const void *bytes, size_t size, failure *why);

enum { GZIP_DEFAULT_LEVEL = 6, GZIP_MOST_LEVEL = 9 };

typedef struct gzip_writer gzip_writer;

/* level: 0 (no compression) to 9. placer: the context of the allocation and the moving, which the
   writer has for itself until it is closed; NULL: one on the CPU. Returns NULL when out of memory, or
   of threads. */
gzip_writer *gzip_open(gzip_write_function *write, void *user, int level, unsigned threads,
                       parscan_context *placer);
void gzip_close(gzip_writer *writer);

/* Takes size bytes in. */
bool gzip_add(gzip_writer *writer, const void *bytes, size_t size, failure *why);

/* Writes all that is still held back, and the end of the data. */
bool gzip_finish(gzip_writer *writer, failure *why);

#endif
