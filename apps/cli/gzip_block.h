/*
 * Blocks of BGZF: gzip members of at most 64 KiB, which tell their size in an extra field. So they are found without
 * being inflated, and inflated by several threads. Source: the SAM/BAM format specification, section 4.1.
 */
#ifndef PARSCAN_CLI_GZIP_BLOCK_H
#define PARSCAN_CLI_GZIP_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GZIP_BLOCK_DATA =
        65280, /* the most bytes of data that are put in a block: they fit if they are stored */
    GZIP_BLOCK_MOST = 65536, /* bytes of a block, and of its data in blocks of other writers */
    GZIP_BLOCK_HEAD = 18,    /* bytes before the deflated data */
    GZIP_BLOCK_TAIL = 8,
    GZIP_BLOCK_STORING = 5, /* bytes that storing adds to the data */
    GZIP_BLOCK_LAST = 28
};

/* The block without data that ends a file. */
extern const unsigned char gzip_block_last[GZIP_BLOCK_LAST];

/* Completes a block around its deflated data, which are at block + GZIP_BLOCK_HEAD. crc and size: of the data before.
   Returns the size of the block. */
size_t gzip_block_seal(unsigned char *block, size_t deflated, uint32_t crc, size_t size);

/* Makes a block of data that are stored: at most GZIP_BLOCK_DATA bytes. Returns its size. */
size_t gzip_block_store(unsigned char *block, const void *data, size_t size, uint32_t crc);

typedef struct gzip_block {
    size_t size;           /* of the block */
    size_t head, deflated; /* the deflated data: where they begin, and their size */
    uint32_t crc;
    size_t data; /* the size of the data, at most GZIP_BLOCK_MOST */
} gzip_block;

typedef enum gzip_block_state {
    BLOCK_IS_WHOLE,
    BLOCK_IS_CUT, /* so far it may be one: more bytes are needed to tell, or to inflate it */
    BLOCK_IS_NONE
} gzip_block_state;

/* The size of the block whose extra field is of that length; 0: the member is no block. */
size_t gzip_block_size(const unsigned char *extra, size_t length);

/* Whether gzip data that begin with these 4 bytes may be one. */
bool gzip_block_may_begin(const unsigned char *bytes);

/* Whether a block begins at bytes, of which `held` are there. */
gzip_block_state gzip_block_find(const unsigned char *bytes, size_t held, gzip_block *found);

#endif
