/* Decompresses the blocks of BGZF (gzip_block.h) with several threads, in rounds of some blocks each: their sizes are
   known before they are inflated, and so are their places. */
#ifndef PARSCAN_CLI_GUNZIP_BLOCKS_H
#define PARSCAN_CLI_GUNZIP_BLOCKS_H

#include "apps/cli/gunzip.h"

typedef struct gunzip_blocks gunzip_blocks;

/* Returns NULL if memory runs out. */
gunzip_blocks *blocks_open(gunzip_reader *read, gunzip_ready *ready, void *user, unsigned threads);
void blocks_close(gunzip_blocks *blocks);

/* As gunzip_read() and gunzip_is_ready(), up to the first byte that belongs to no block, or to a wrong one, or the end. */
bool blocks_read(gunzip_blocks *blocks, void *to, size_t size, bool whole, size_t *got,
                 failure *why);
bool blocks_are_ready(gunzip_blocks *blocks);

/* Whether the last block that has been read has data: then it is not the one that ends a file. */
bool blocks_end_in_data(const gunzip_blocks *blocks);

/* Whether that byte has been reached: then, what has been read of it and what follows. It stays in memory. */
bool blocks_are_over(const gunzip_blocks *blocks, unsigned char **rest, size_t *size);

#endif
