/* What is between the bytes of a file and its data: decompression, or the other members of an archive. */
#ifndef PARSCAN_CLI_DATA_LAYER_H
#define PARSCAN_CLI_DATA_LAYER_H

#include "apps/cli/gunzip.h"

/* kind NULL: there is nothing between. */
typedef struct data_layer {
    const struct layer_kind *kind;
    void *state;
} data_layer;

/* The file. */
typedef struct layer_file {
    const unsigned char *start; /* its first bytes */
    size_t start_size;
    const char *member; /* of an archive, that is asked for; NULL: the only one */
    unsigned threads;   /* that decompress, at most */
    int fd;             /* of a regular file; -1: it is another one */
    gunzip_reader *read;
    gunzip_ready *ready;
    void *user;
} layer_file;

/* Opens what the first bytes tell. */
bool layer_open(data_layer *layer, const layer_file *file, failure *why);
void layer_close(data_layer *layer);

/* As gunzip_read() and gunzip_is_ready(). */
bool layer_read(const data_layer *layer, void *to, size_t size, bool whole, size_t *got,
                failure *why);
bool layer_is_ready(const data_layer *layer);

/* As gunzip_is_cut(). */
bool layer_is_cut(const data_layer *layer);

/* Whether a file that begins with that byte may have more than one before what it is can be told. */
bool layer_may_begin(unsigned char first);

#endif
