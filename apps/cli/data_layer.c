#define _POSIX_C_SOURCE 200809L
#include "apps/cli/data_layer.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/foreign_codec.h"
#include "apps/cli/gzip_block.h"
#include "apps/cli/unzip.h"

struct layer_kind {
    bool (*read)(void *state, void *to, size_t size, bool whole, size_t *got, failure *why);
    bool (*is_ready)(void *state);
    void (*close)(void *state);
};

static bool read_gzip(void *state, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    return gunzip_read(state, to, size, whole, got, why);
}

static bool gzip_is_ready(void *state)
{
    return gunzip_is_ready(state);
}

static void close_gzip(void *state)
{
    gunzip_close(state);
}

static bool read_foreign(void *state, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    return codec_read(state, to, size, whole, got, why);
}

static bool foreign_is_ready(void *state)
{
    return codec_is_ready(state);
}

static void close_foreign(void *state)
{
    codec_close(state);
}

static bool read_zip(void *state, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    return unzip_read(state, to, size, whole, got, why);
}

static bool zip_is_ready(void *state)
{
    return unzip_is_ready(state);
}

static void close_zip(void *state)
{
    unzip_close(state);
}

static const struct layer_kind gzip_kind = {read_gzip, gzip_is_ready, close_gzip},
                               foreign_kind = {read_foreign, foreign_is_ready, close_foreign},
                               zip_kind = {read_zip, zip_is_ready, close_zip};

/* Whether a regular file says at its end that it has several members. */
static bool has_several(const layer_file *file)
{
    struct stat status;
    unsigned char *const end = malloc(UNZIP_END_SIZE);
    bool several = false;
    if (end != NULL && file->fd >= 0 && fstat(file->fd, &status) == 0) {
        const size_t size =
            status.st_size < UNZIP_END_SIZE ? (size_t)status.st_size : (size_t)UNZIP_END_SIZE;
        const ssize_t got = pread(file->fd, end, size, status.st_size - (off_t)size);
        several = got == (ssize_t)size && unzip_has_several(end, size);
    }
    free(end);
    return several;
}

bool layer_open(data_layer *layer, const layer_file *file, failure *why)
{
    *layer = (data_layer){0};
    const bool zip = unzip_recognises(file->start, file->start_size);
    if (file->member != NULL && !zip)
        return fail(why, "--member: this is not a zip file, as npz files are");
    if (zip) {
        layer->kind = &zip_kind;
        layer->state = unzip_open(file->read, file->ready, file->user, file->member,
                                  file->member == NULL && has_several(file), why);
    } else if (gunzip_recognises(file->start, file->start_size)) {
        layer->kind = &gzip_kind;
        layer->state = gunzip_open(file->read, file->ready, file->user,
                                   gzip_block_may_begin(file->start) ? file->threads : 1);
        if (layer->state == NULL)
            fail_out_of_memory(why);
    } else if (codec_recognises(file->start, file->start_size)) {
        layer->kind = &foreign_kind;
        layer->state =
            codec_open(file->start, file->start_size, file->read, file->ready, file->user, why);
    }
    return layer->kind == NULL || layer->state != NULL;
}

void layer_close(data_layer *layer)
{
    if (layer->kind != NULL && layer->state != NULL)
        layer->kind->close(layer->state);
    *layer = (data_layer){0};
}

bool layer_read(const data_layer *layer, void *to, size_t size, bool whole, size_t *got,
                failure *why)
{
    return layer->kind->read(layer->state, to, size, whole, got, why);
}

bool layer_is_ready(const data_layer *layer)
{
    return layer->kind->is_ready(layer->state);
}

bool layer_is_cut(const data_layer *layer)
{
    return layer->kind == &gzip_kind && gunzip_is_cut(layer->state);
}

bool layer_may_begin(unsigned char first)
{
    return first == 0x1f || first == 'P' || first == 0x28 || first == 0xfd;
}
