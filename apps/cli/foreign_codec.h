/* Decompresses zstd and xz data by their libraries, libzstd and liblzma, which are looked for when they are needed. */
#ifndef PARSCAN_CLI_FOREIGN_CODEC_H
#define PARSCAN_CLI_FOREIGN_CODEC_H

#include "apps/cli/gunzip.h"

typedef struct foreign_codec foreign_codec;

/* Whether data that begin so are of one of these formats. */
bool codec_recognises(const unsigned char *bytes, size_t size);

/* Opens data that begin so, and whose bytes these functions read. Returns NULL if the library is not there, or memory
   runs out. */
foreign_codec *codec_open(const unsigned char *bytes, size_t size, gunzip_reader *read,
                          gunzip_ready *ready, void *user, failure *why);
void codec_close(foreign_codec *codec);

/* As gunzip_read() and gunzip_is_ready(): of one frame, or several one after another. */
bool codec_read(foreign_codec *codec, void *to, size_t size, bool whole, size_t *got, failure *why);
bool codec_is_ready(foreign_codec *codec);

#endif
