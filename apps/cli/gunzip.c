#include "apps/cli/gunzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "apps/cli/gunzip_blocks.h"
#include "apps/cli/gzip_block.h"

enum { BUFFER_SIZE = 256 * 1024 };

struct gunzipper {
    gunzip_reader *read;
    gunzip_ready *ready;
    void *user;
    gunzip_blocks *blocks; /* NULL: what is left is read member after member */
    gunzip_blocks *done;   /* the same, when they are over: the buffer may be theirs */
    z_stream stream;
    gz_header head;           /* of the current member */
    unsigned char extra[256]; /* its extra fields */
    bool in_data;             /* the last member is a block of BGZF that has data */
    bool between_members;
    bool finished;
    bool holds_output; /* perhaps: the last call of inflate() has used all of the room */
    unsigned char buffer[BUFFER_SIZE];
};

bool gunzip_recognises(const unsigned char *bytes, size_t size)
{
    /* The two magic bytes, the method deflate, no reserved flag. */
    return size >= 4 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8 && bytes[3] < 0x20;
}

/* Has the extra fields of the next member kept. */
static bool expect_head(gunzipper *gunzip)
{
    gunzip->head = (gz_header){.extra = gunzip->extra, .extra_max = sizeof gunzip->extra};
    return inflateGetHeader(&gunzip->stream, &gunzip->head) == Z_OK;
}

/* Whether the member that has ended is a block of BGZF that has data. */
static bool was_in_data(const gunzipper *gunzip)
{
    return gunzip->stream.total_out > 0 && gunzip->head.extra != NULL &&
           gunzip->head.extra_len <= sizeof gunzip->extra &&
           gzip_block_size(gunzip->extra, gunzip->head.extra_len) > 0;
}

gunzipper *gunzip_open(gunzip_reader *read, gunzip_ready *ready, void *user, unsigned threads)
{
    struct gunzipper *const gunzip = calloc(1, sizeof *gunzip);
    if (gunzip == NULL)
        return NULL;
    gunzip->read = read;
    gunzip->ready = ready;
    gunzip->user = user;
    const int gzip_only = 16;
    bool opened =
        inflateInit2(&gunzip->stream, MAX_WBITS + gzip_only) == Z_OK && expect_head(gunzip);
    if (opened && threads > 1) {
        gunzip->blocks = blocks_open(read, ready, user, threads);
        opened = gunzip->blocks != NULL;
    }
    if (opened)
        return gunzip;
    gunzip_close(gunzip);
    return NULL;
}

void gunzip_close(gunzipper *gunzip)
{
    if (gunzip == NULL)
        return;
    inflateEnd(&gunzip->stream);
    blocks_close(gunzip->blocks);
    blocks_close(gunzip->done);
    free(gunzip);
}

static bool refill(gunzipper *gunzip, failure *why)
{
    size_t got;
    if (!gunzip->read(gunzip->user, gunzip->buffer, sizeof gunzip->buffer, false, &got, why))
        return false;
    gunzip->stream.next_in = gunzip->buffer;
    gunzip->stream.avail_in = (uInt)got;
    if (got > 0)
        return true;
    gunzip->finished = true;
    return gunzip->between_members || fail(why, "the gzip data are cut short");
}

/* Tapes and disks pad with zeros after the last member. gzip ignores them, too. */
static void skip_padding(z_stream *stream)
{
    while (stream->avail_in > 0 && *stream->next_in == 0) {
        stream->next_in++;
        stream->avail_in--;
    }
}

/* One call of inflate(). */
static bool step(gunzipper *gunzip, failure *why)
{
    z_stream *const stream = &gunzip->stream;
    if (gunzip->between_members) {
        if (inflateReset(stream) != Z_OK || !expect_head(gunzip))
            return fail(why, "zlib cannot go on");
        gunzip->between_members = false;
    }
    const int status = inflate(stream, Z_NO_FLUSH);
    gunzip->between_members = status == Z_STREAM_END;
    gunzip->in_data = status == Z_STREAM_END && was_in_data(gunzip);
    gunzip->holds_output = stream->avail_out == 0 && status == Z_OK;
    /* Z_BUF_ERROR: it held nothing, and has had nothing to read. */
    if (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR)
        return true;
    if (status == Z_MEM_ERROR)
        return fail_out_of_memory(why);
    return fail(why, "corrupt gzip data (%s)",
                stream->msg != NULL ? stream->msg : "zlib cannot go on");
}

bool gunzip_is_cut(const gunzipper *gunzip)
{
    return gunzip->finished && gunzip->in_data;
}

bool gunzip_is_ready(gunzipper *gunzip)
{
    if (gunzip->blocks != NULL)
        return blocks_are_ready(gunzip->blocks);
    return gunzip->stream.avail_in > 0 || gunzip->holds_output || gunzip->finished ||
           gunzip->ready(gunzip->user);
}

/* If the blocks are over, goes on with what follows them, as with any member. */
static bool leave_blocks(gunzipper *gunzip)
{
    unsigned char *rest;
    size_t size;
    if (!blocks_are_over(gunzip->blocks, &rest, &size))
        return false;
    gunzip->stream.next_in = rest;
    gunzip->stream.avail_in = (uInt)size;
    gunzip->between_members = true;
    gunzip->in_data = blocks_end_in_data(gunzip->blocks);
    gunzip->done = gunzip->blocks;
    gunzip->blocks = NULL;
    return true;
}

bool gunzip_read(gunzipper *gunzip, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    z_stream *const stream = &gunzip->stream;
    *got = 0;
    if (gunzip->blocks != NULL && !blocks_read(gunzip->blocks, to, size, whole, got, why))
        return false;
    if (gunzip->blocks != NULL && !leave_blocks(gunzip))
        return true;
    while (*got < size && !gunzip->finished && (whole || *got == 0 || gunzip_is_ready(gunzip))) {
        if (gunzip->between_members)
            skip_padding(stream);
        if (stream->avail_in == 0 && !gunzip->holds_output) {
            if (!refill(gunzip, why))
                return false;
            continue;
        }
        const size_t room = size - *got < INT_MAX ? size - *got : INT_MAX;
        stream->next_out = (Bytef *)to + *got;
        stream->avail_out = (uInt)room;
        if (!step(gunzip, why))
            return false;
        *got += room - stream->avail_out;
    }
    return true;
}
