/* Decompresses gzip data: one member, or several one after another. */
#ifndef PARSCAN_CLI_GUNZIP_H
#define PARSCAN_CLI_GUNZIP_H

#include <stddef.h>

#include "apps/cli/failure.h"

/* Reads size compressed bytes: fewer only at the end of the data or, unless `whole`, where more would
   have to be waited for; at least one, but at the end. */
typedef bool gunzip_reader(void *user, void *to, size_t size, bool whole, size_t *got,
                           failure *why);

/* Whether the next read does not have to wait. */
typedef bool gunzip_ready(void *user);

typedef struct gunzipper gunzipper;

bool gunzip_recognises(const unsigned char *bytes, size_t size);

/* threads: the most that decompress the blocks of BGZF; other data take one. Returns NULL if memory runs out. */
gunzipper *gunzip_open(gunzip_reader *read, gunzip_ready *ready, void *user, unsigned threads);
void gunzip_close(gunzipper *gunzip);

/* Reads size decompressed bytes, as a gunzip_reader does. Data that end too early, or do not match
   their checksum, are a failure. */
bool gunzip_read(gunzipper *gunzip, void *to, size_t size, bool whole, size_t *got, failure *why);

/* Whether the data have ended after a block of BGZF that has data: one without data should end them. */
bool gunzip_is_cut(const gunzipper *gunzip);

/* Whether the next read of a byte does not have to wait. */
bool gunzip_is_ready(gunzipper *gunzip);

#endif
