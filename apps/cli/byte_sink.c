#define _POSIX_C_SOURCE 200809L
#include "apps/cli/byte_sink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_SIZE = 256 * 1024 };

struct byte_sink {
    int fd;
    bool compress;
    z_stream stream;
    unsigned char buffer[BUFFER_SIZE];
};

byte_sink *sink_open(int fd, bool compress)
{
    byte_sink *const sink = calloc(1, sizeof *sink);
    if (sink == NULL)
        return NULL;
    sink->fd = fd;
    sink->compress = compress;
    const int gzip = 16, memory_level = 8;
    if (compress && deflateInit2(&sink->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip,
                                 memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(sink);
        return NULL;
    }
    return sink;
}

static bool write_file(const byte_sink *sink, const void *bytes, size_t size, failure *why)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = write(sink->fd, (const char *)bytes + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(why, "%s", strerror(errno));
        done += (size_t)count;
    }
    return true;
}

/* Compresses what the stream was given, and writes what comes out. */
static bool deflate_all(byte_sink *sink, int flush, failure *why)
{
    z_stream *const stream = &sink->stream;
    do {
        stream->next_out = sink->buffer;
        stream->avail_out = BUFFER_SIZE;
        if (deflate(stream, flush) == Z_STREAM_ERROR)
            return fail(why, "zlib cannot go on");
        if (!write_file(sink, sink->buffer, BUFFER_SIZE - stream->avail_out, why))
            return false;
    } while (stream->avail_out == 0);
    return true;
}

bool sink_write(byte_sink *sink, const void *bytes, size_t size, failure *why)
{
    if (!sink->compress)
        return write_file(sink, bytes, size, why);
    for (size_t done = 0; done < size;) {
        const size_t part = size - done < INT_MAX ? size - done : INT_MAX;
        /* zlib without const; it does not write there. */
        sink->stream.next_in = (Bytef *)bytes + done;
        sink->stream.avail_in = (uInt)part;
        if (!deflate_all(sink, Z_NO_FLUSH, why))
            return false;
        done += part;
    }
    return true;
}

bool sink_finish(byte_sink *sink, failure *why)
{
    return !sink->compress || deflate_all(sink, Z_FINISH, why);
}

void sink_close(byte_sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->compress)
        deflateEnd(&sink->stream);
    free(sink);
}
