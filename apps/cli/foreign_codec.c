#include "apps/cli/foreign_codec.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 256 * 1024, MOST_FUNCTIONS = 5 };

/* What libzstd.so.1 has (zstd.h, stable since 1.0). */
typedef struct zstd_input {
    const void *bytes;
    size_t size, used;
} zstd_input;

typedef struct zstd_output {
    void *bytes;
    size_t size, used;
} zstd_output;

typedef struct zstd_functions {
    void *(*create)(void);
    size_t (*release)(void *stream);
    size_t (*decompress)(void *stream, zstd_output *to, zstd_input *from);
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
} zstd_functions;

/* What liblzma.so.5 has (lzma/base.h and container.h). */
typedef struct xz_stream {
    const uint8_t *next_in;
    size_t avail_in;
    uint64_t total_in;
    uint8_t *next_out;
    size_t avail_out;
    uint64_t total_out;
    const void *allocator;
    void *internal;
    uint64_t reserved[16]; /* as many as it has, or more */
} xz_stream;

enum {
    XZ_RUN = 0,
    XZ_OK = 0,
    XZ_STREAM_END = 1,
    XZ_MEM_ERROR = 5,
    XZ_MEMORY_LIMIT = 6,
    XZ_BUF_ERROR = 10
};

/* What xz -9 needs is 65 MiB; zstd has a limit of its own, 128 MiB. */
#define XZ_MOST_MEMORY ((uint64_t)256 << 20)

typedef struct xz_functions {
    int (*begin)(xz_stream *stream, uint64_t memory_limit, uint32_t flags);
    int (*code)(xz_stream *stream, int action);
    void (*end)(xz_stream *stream);
} xz_functions;

typedef struct codec_kind {
    const char *magic;
    size_t magic_size;
    const char *name, *library;
    const char *functions[MOST_FUNCTIONS + 1]; /* in the order of the struct */
} codec_kind;

enum { KIND_ZSTD, KIND_XZ, KINDS };

static const codec_kind kinds[KINDS] = {
    {"\x28\xb5\x2f\xfd",
     4,
     "zstd",
     "libzstd.so.1",
     {"ZSTD_createDStream", "ZSTD_freeDStream", "ZSTD_decompressStream", "ZSTD_isError",
      "ZSTD_getErrorName", NULL}},
    {"\xfd"
     "7zXZ",
     6, /* with the zero */
     "xz",
     "liblzma.so.5",
     {"lzma_stream_decoder", "lzma_code", "lzma_end", NULL}}};

struct foreign_codec {
    gunzip_reader *read;
    gunzip_ready *ready;
    void *user;
    const codec_kind *kind;
    void *library;
    union {
        void *functions[MOST_FUNCTIONS]; /* as dlsym() gives them */
        zstd_functions zstd;
        xz_functions xz;
    };
    void *zstd_stream;
    xz_stream xz_stream;
    size_t used, held;   /* of the buffer */
    bool between_frames; /* the data may end here */
    bool finished;
    bool holds_output; /* perhaps: the last step has used all of the room */
    unsigned char buffer[BUFFER_SIZE];
};

static const codec_kind *find_kind(const unsigned char *bytes, size_t size)
{
    for (int i = 0; i < KINDS; i++)
        if (size >= kinds[i].magic_size && memcmp(bytes, kinds[i].magic, kinds[i].magic_size) == 0)
            return &kinds[i];
    return NULL;
}

bool codec_recognises(const unsigned char *bytes, size_t size)
{
    return find_kind(bytes, size) != NULL;
}

/* Looks for the library and its functions. */
static bool find_library(foreign_codec *codec, failure *why)
{
    const codec_kind *const kind = codec->kind;
    codec->library = dlopen(kind->library, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; codec->library != NULL && i < MOST_FUNCTIONS && kind->functions[i] != NULL;
         i++) {
        codec->functions[i] = dlsym(codec->library, kind->functions[i]);
        if (codec->functions[i] == NULL)
            return fail(why, "%s has no %s", kind->library, kind->functions[i]);
    }
    return codec->library != NULL ||
           fail(why, "this is %s %s file, and %s is not found: %s -dc FILE | parscan ...",
                kind == &kinds[KIND_XZ] ? "an" : "a", kind->name, kind->library, kind->name);
}

foreign_codec *codec_open(const unsigned char *bytes, size_t size, gunzip_reader *read,
                          gunzip_ready *ready, void *user, failure *why)
{
    foreign_codec *const codec = calloc(1, sizeof *codec);
    if (codec == NULL) {
        fail_out_of_memory(why);
        return NULL;
    }
    codec->read = read;
    codec->ready = ready;
    codec->user = user;
    codec->kind = find_kind(bytes, size);
    codec->between_frames = true;
    if (!find_library(codec, why)) {
        codec_close(codec);
        return NULL;
    }
    if (codec->kind == &kinds[KIND_ZSTD]) {
        codec->zstd_stream = codec->zstd.create();
        if (codec->zstd_stream == NULL) {
            codec_close(codec);
            fail_out_of_memory(why);
            return NULL;
        }
    }
    return codec;
}

void codec_close(foreign_codec *codec)
{
    if (codec == NULL)
        return;
    if (codec->zstd_stream != NULL)
        codec->zstd.release(codec->zstd_stream);
    if (codec->xz_stream.internal != NULL)
        codec->xz.end(&codec->xz_stream);
    if (codec->library != NULL)
        dlclose(codec->library);
    free(codec);
}

static bool refill(foreign_codec *codec, failure *why)
{
    codec->used = codec->held = 0;
    if (!codec->read(codec->user, codec->buffer, sizeof codec->buffer, false, &codec->held, why))
        return false;
    codec->finished = codec->held == 0;
    return !codec->finished || codec->between_frames ||
           fail(why, "the %s data are cut short", codec->kind->name);
}

static bool step_zstd(foreign_codec *codec, void *to, size_t room, size_t *got, failure *why)
{
    zstd_input from = {codec->buffer, codec->held, codec->used};
    zstd_output out = {to, room, 0};
    const size_t code = codec->zstd.decompress(codec->zstd_stream, &out, &from);
    if (codec->zstd.is_error(code) != 0)
        return fail(why, "corrupt zstd data (%s)", codec->zstd.error_name(code));
    codec->used = from.used;
    codec->between_frames = code == 0;
    codec->holds_output = out.used == room && code != 0;
    *got = out.used;
    return true;
}

/* Streams are padded with zeros. */
static bool begin_xz(foreign_codec *codec, failure *why)
{
    while (codec->used < codec->held && codec->buffer[codec->used] == 0)
        codec->used++;
    if (codec->used == codec->held)
        return true;
    codec->between_frames = false;
    return codec->xz.begin(&codec->xz_stream, XZ_MOST_MEMORY, 0) == XZ_OK ||
           fail_out_of_memory(why);
}

static bool step_xz(foreign_codec *codec, void *to, size_t room, size_t *got, failure *why)
{
    xz_stream *const stream = &codec->xz_stream;
    *got = 0;
    if (codec->between_frames && !begin_xz(codec, why))
        return false;
    if (codec->between_frames)
        return true;
    stream->next_in = codec->buffer + codec->used;
    stream->avail_in = codec->held - codec->used;
    stream->next_out = to;
    stream->avail_out = room;
    const int code = codec->xz.code(stream, XZ_RUN);
    codec->used = codec->held - stream->avail_in;
    codec->between_frames = code == XZ_STREAM_END;
    codec->holds_output = stream->avail_out == 0 && code == XZ_OK;
    *got = room - stream->avail_out;
    if (code == XZ_OK || code == XZ_STREAM_END || code == XZ_BUF_ERROR)
        return true;
    if (code == XZ_MEMORY_LIMIT)
        return fail(why, "the xz data need more than 256 MiB: xz -dc FILE | parscan ...");
    return code == XZ_MEM_ERROR ? fail_out_of_memory(why)
                                : fail(why, "corrupt xz data (liblzma's error %d)", code);
}

bool codec_is_ready(foreign_codec *codec)
{
    return codec->used < codec->held || codec->holds_output || codec->finished ||
           codec->ready(codec->user);
}

bool codec_read(foreign_codec *codec, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    *got = 0;
    while (*got < size && !codec->finished && (whole || *got == 0 || codec_is_ready(codec))) {
        if (codec->used == codec->held && !codec->holds_output) {
            if (!refill(codec, why))
                return false;
            continue;
        }
        size_t step;
        char *const out = (char *)to + *got;
        if (!(codec->kind == &kinds[KIND_ZSTD] ? step_zstd : step_xz)(codec, out, size - *got,
                                                                      &step, why))
            return false;
        *got += step;
    }
    return true;
}
