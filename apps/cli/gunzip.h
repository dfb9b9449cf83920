/* Decompresses gzip data: one member, or several one after another. */
#ifndef PARSCAN_CLI_GUNZIP_H
#define PARSCAN_CLI_GUNZIP_H

#include <stddef.h>

#include "apps/cli/failure.h"

/* Reads size compressed bytes, fewer only at the end of the data. */
typedef bool gunzip_reader(void *user, void *to, size_t size, size_t *got, failure *why);

typedef struct gunzipper gunzipper;

bool gunzip_recognises(const unsigned char *bytes, size_t size);

/* Returns NULL if memory runs out. */
gunzipper *gunzip_open(gunzip_reader *read, void *user);
void gunzip_close(gunzipper *gunzip);

/* Reads size decompressed bytes, fewer only at their end. Data that end too early, or do not match
   their checksum, are a failure. */
bool gunzip_read(gunzipper *gunzip, void *to, size_t size, size_t *got, failure *why);

#endif
