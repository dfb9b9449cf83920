#define _POSIX_C_SOURCE 200809L
#include "apps/cli/byte_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/gzip_writer.h"

struct byte_sink {
    int fd;
    gzip_writer *gzip; /* NULL: the bytes are written as they are */
};

static bool write_file(void *user, const void *bytes, size_t size, failure *why)
{
    const byte_sink *const sink = user;
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

byte_sink *sink_open(int fd, const sink_compression *compression)
{
    byte_sink *const sink = calloc(1, sizeof *sink);
    if (sink == NULL)
        return NULL;
    sink->fd = fd;
    if (compression == NULL)
        return sink;
    sink->gzip = gzip_open(write_file, sink, compression->blocks, compression->level,
                           compression->threads, compression->placer);
    if (sink->gzip != NULL)
        return sink;
    free(sink);
    return NULL;
}

bool sink_write(byte_sink *sink, const void *bytes, size_t size, failure *why)
{
    return sink->gzip != NULL ? gzip_add(sink->gzip, bytes, size, why)
                              : write_file(sink, bytes, size, why);
}

bool sink_finish(byte_sink *sink, failure *why)
{
    return sink->gzip == NULL || gzip_finish(sink->gzip, why);
}

void sink_close(byte_sink *sink)
{
    if (sink == NULL)
        return;
    gzip_close(sink->gzip);
    free(sink);
}
