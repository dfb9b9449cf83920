/*
 * Files without a name, for runs that do not fit memory.
 *
 * A run is a sequence of blocks: a head, the keys of the block, its values. All blocks of a sorter have
 * the same number of elements, but for the last one of a run. So block b of a run starts at
 * b * (size of a block), and a read of several blocks puts their keys, and their values, one after
 * another.
 *
 * The head has a sum over the block, seeded with its place in the file: a block that was not written, or
 * lies elsewhere, or has other bits, is found. The sum is made of multiplications of 64-bit words, as
 * in xxHash, since libparscan does not link zlib, and its CRC-32 reads about 1 GB/s, slower than
 * the page cache.
 */
#ifndef PARSCAN_APPS_SORTER_SPILL_FILE_H
#define PARSCAN_APPS_SORTER_SPILL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/types.h"

/* The most blocks that are written or read at once. */
#define SPILL_BLOCKS 64u

/* The first error of a sorter's files. */
typedef struct spill_failure {
    parscan_status status;
    char words[224];
} spill_failure;

typedef struct spill_folder {
    const char *path;
    int file;     /* -1: none yet */
    uint64_t end; /* bytes of the file that are taken by runs */
} spill_folder;

/* The elements of one sorter. */
typedef struct spill_shape {
    size_t key_size, value_size, block_elements;
} spill_shape;

/* Consecutive blocks in a file, and n elements in memory. values is NULL if there are none. */
typedef struct spill_blocks {
    spill_folder *folder;
    uint64_t offset;
    char *keys, *values;
    size_t n; /* at most SPILL_BLOCKS blocks; the last one may have fewer elements */
} spill_blocks;

/* The bytes that n elements take in a file, from the start of a block on. */
uint64_t parscan_spill_bytes(const spill_shape *shape, size_t n);

/* Each returns false and tells the failure; reads and writes are complete otherwise. */
bool parscan_spill_open(spill_folder *folder, spill_failure *failure);
bool parscan_spill_write(const spill_shape *shape, const spill_blocks *blocks,
                         spill_failure *failure);
bool parscan_spill_read(const spill_shape *shape, const spill_blocks *blocks,
                        spill_failure *failure);

/* Gives the space of blocks that are not needed any more back to the file system, where it can. */
void parscan_spill_forget(const spill_shape *shape, const spill_blocks *blocks);

void parscan_spill_close(spill_folder *folder);

/* Stores a message of the system's error: folder, what could not be done, the reason. */
void parscan_spill_fail(spill_failure *failure, const spill_folder *folder, const char *what,
                        int error);

#endif
