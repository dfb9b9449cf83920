/*
 * Bytes that are read again later, in any order: in memory while there are few, then in a file without
 * a name in the folder TMPDIR, else /tmp. The file is gone when the program ends, however it ends.
 */
#ifndef PARSCAN_CLI_SPOOL_H
#define PARSCAN_CLI_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"

/* Start with (spool){.fd = -1}. */
typedef struct spool {
    int fd; /* -1: all is in memory */
    char *memory;
    uint64_t size; /* bytes that have been added */
} spool;

/* The folder for files that are needed for a time. */
const char *temporary_folder(void);

/* A new file without a name in that folder. -1: it cannot be created. */
int temporary_file(const char *folder, failure *why);

/* Adds bytes at the end. */
bool spool_add(spool *bytes, const void *from, size_t size, failure *why);

/* Reads bytes that have been added. */
bool spool_read(const spool *bytes, uint64_t at, void *to, size_t size, failure *why);

void spool_close(spool *bytes);

/* Reads size bytes of an open file; fewer are a failure. */
bool file_read_at(int fd, uint64_t at, void *to, size_t size, failure *why);

#endif
