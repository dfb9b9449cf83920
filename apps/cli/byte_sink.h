/* Bytes to an open file, compressed to gzip data on the way or not; every write is checked. */
#ifndef PARSCAN_CLI_BYTE_SINK_H
#define PARSCAN_CLI_BYTE_SINK_H

#include <stddef.h>

#include "apps/cli/failure.h"
#include "parscan/context.h"

typedef struct byte_sink byte_sink;

typedef struct sink_compression {
    int level; /* 0 to 9 */
    unsigned threads;
    parscan_context *placer; /* places the deflated blocks; NULL: the CPU does */
} sink_compression;

/* compression: NULL for none. Returns NULL when out of memory. */
byte_sink *sink_open(int fd, const sink_compression *compression);
bool sink_write(byte_sink *sink, const void *bytes, size_t size, failure *why);

/* Writes what compression still holds back. */
bool sink_finish(byte_sink *sink, failure *why);

/* Frees the sink; the file stays open. */
void sink_close(byte_sink *sink);

#endif
