/* Reads one member of a zip file, as npz files are, from the file's start on. */
#ifndef PARSCAN_CLI_UNZIP_H
#define PARSCAN_CLI_UNZIP_H

#include "apps/cli/gunzip.h"

typedef struct unzipper unzipper;

bool unzip_recognises(const unsigned char *bytes, size_t size);

/* Whether a file that ends in these bytes says that it has several members. */
bool unzip_has_several(const unsigned char *end, size_t size);

/* So many bytes of the end of a file tell that. */
enum { UNZIP_END_SIZE = 22 + 65535 };

/* Finds the member of that name, or of that name and .npy; NULL: the only one, which is a failure where `several` are
   there, or are found behind it. Returns NULL if that fails. */
unzipper *unzip_open(gunzip_reader *read, gunzip_ready *ready, void *user, const char *member,
                     bool several, failure *why);
void unzip_close(unzipper *unzip);

/* As gunzip_read() and gunzip_is_ready(). */
bool unzip_read(unzipper *unzip, void *to, size_t size, bool whole, size_t *got, failure *why);
bool unzip_is_ready(unzipper *unzip);

#endif
