/*
 * Compresses bytes to gzip data with several threads: to one member, or to the blocks of BGZF (gzip_block.h).
 *
 * The bytes are cut into blocks. Each block is deflated on its own. parscan_allocate() places the results, and
 * parscan_pack() moves them there. Blocks of one member end at a whole byte, and the 32 KiB before each serve as its
 * dictionary, so that cutting costs little compression. Source: M. Adler, pigz.
 */
#ifndef PARSCAN_CLI_GZIP_WRITER_H
#define PARSCAN_CLI_GZIP_WRITER_H

#include <stddef.h>

#include "apps/cli/failure.h"
#include "parscan/context.h"

/* Writes size bytes. It is called in the thread that calls gzip_add() and gzip_finish(). */
typedef bool gzip_write_function(void *user, const void *bytes, size_t size, failure *why);

enum { GZIP_DEFAULT_LEVEL = 6, GZIP_MOST_LEVEL = 9 };

typedef struct gzip_writer gzip_writer;

/* blocks: those of BGZF, not one member. level: 0 (no compression) to 9. placer: the context that allocates and moves, which nobody else
   may use until the writer is closed; NULL: a new one on the CPU. Returns NULL if memory or threads
   run out. */
gzip_writer *gzip_open(gzip_write_function *write, void *user, bool blocks, int level,
                       unsigned threads, parscan_context *placer);
void gzip_close(gzip_writer *writer);

/* Compresses size more bytes. */
bool gzip_add(gzip_writer *writer, const void *bytes, size_t size, failure *why);

/* Writes all bytes that are still in the writer, and the end of the gzip data. */
bool gzip_finish(gzip_writer *writer, failure *why);

#endif
