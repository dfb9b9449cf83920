/* Gzip data, one member or several in a row, back to the bytes that they hold. */
#ifndef PARSCAN_CLI_GUNZIP_H
#define PARSCAN_CLI_GUNZIP_H

#include <stddef.h>

#include "apps/cli/failure.h"

/* Reads size compressed bytes, fewer only at their end. */
typedef bool gunzip_reader(void *user, void *to, size_t size, size_t *got, failure *why);

typedef struct gunzipper gunzipper;

bool gunzip_recognises(const unsigned char *bytes, size_t size);

/* NULL: out of memory. */
gunzipper *gunzip_open(gunzip_reader *read, void *user);
void gunzip_close(gunzipper *gunzip);

/* Delivers size bytes, fewer only at their end. Data that break off, or do not match their check
   sum, are an error. */
bool gunzip_read(gunzipper *gunzip, void *to, size_t size, size_t *got, failure *why);

#endif
