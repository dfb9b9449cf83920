/* Writes bytes to an open file, compressed to gzip data or as they are. Every write is checked. */
#ifndef PARSCAN_CLI_BYTE_SINK_H
#define PARSCAN_CLI_BYTE_SINK_H

#include <stddef.h>

#include "apps/cli/failure.h"
#include "parscan/context.h"

typedef struct byte_sink byte_sink;

typedef struct sink_compression {
    bool blocks; /* those of BGZF, not one gzip member */
    int level;   /* 0 to 9 */
    unsigned threads;
    parscan_context *placer; /* the context that places the deflated blocks; NULL: one on the CPU */
} sink_compression;

/* compression: NULL for none. Returns NULL if memory runs out. */
byte_sink *sink_open(int fd, const sink_compression *compression);
bool sink_write(byte_sink *sink, const void *bytes, size_t size, failure *why);

/* Writes the rest of the compressed data. */
bool sink_finish(byte_sink *sink, failure *why);

/* Frees the sink. The file stays open. */
void sink_close(byte_sink *sink);

#endif
