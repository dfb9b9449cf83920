#include "apps/cli/gunzip_blocks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "apps/cli/gzip_block.h"
#include "apps/cli/parallel.h"

enum { ROUND_OF_THREAD = 16, MOST_ROUND = 256 }; /* blocks: 32 MiB at most */

/* A block of a round. */
typedef struct round_block {
    gzip_block form;
    const unsigned char *bytes;
    unsigned char *to;
    bool wrong;
} round_block;

struct gunzip_blocks {
    gunzip_reader *read;
    gunzip_ready *ready;
    void *user;
    unsigned threads;
    z_stream *streams; /* one a thread */
    unsigned opened;
    round_block *round;
    size_t most, count;       /* blocks of a round: room, and how many there are */
    unsigned char *in;        /* GZIP_BLOCK_MOST bytes a block: what has been read */
    size_t used, held;        /* bytes of it: taken by this round, and there */
    unsigned char *out;       /* as many: what this round has come to */
    size_t given, ready_size; /* bytes of it: passed on, and there */
    bool more;                /* the next round has a block without reading */
    bool ended;               /* of the file */
    bool last;                /* there is no further round */
    bool in_data;             /* the last block has data */
};

gunzip_blocks *blocks_open(gunzip_reader *read, gunzip_ready *ready, void *user, unsigned threads)
{
    gunzip_blocks *const blocks = calloc(1, sizeof *blocks);
    if (blocks == NULL)
        return NULL;
    threads = parallel_threads(threads, SIZE_MAX);
    blocks->read = read;
    blocks->ready = ready;
    blocks->user = user;
    blocks->threads = threads;
    const size_t share = (size_t)threads * ROUND_OF_THREAD;
    blocks->most = share < MOST_ROUND ? share : MOST_ROUND;
    blocks->streams = calloc(threads, sizeof *blocks->streams);
    blocks->round = calloc(blocks->most, sizeof *blocks->round);
    blocks->in = malloc(blocks->most * GZIP_BLOCK_MOST);
    blocks->out = malloc(blocks->most * GZIP_BLOCK_MOST);
    bool opened = blocks->streams != NULL && blocks->round != NULL && blocks->in != NULL &&
                  blocks->out != NULL;
    while (opened && blocks->opened < threads) {
        opened = inflateInit2(&blocks->streams[blocks->opened], -MAX_WBITS) == Z_OK;
        blocks->opened += opened;
    }
    if (opened)
        return blocks;
    blocks_close(blocks);
    return NULL;
}

void blocks_close(gunzip_blocks *blocks)
{
    if (blocks == NULL)
        return;
    while (blocks->opened > 0)
        inflateEnd(&blocks->streams[--blocks->opened]);
    free(blocks->streams);
    free(blocks->round);
    free(blocks->in);
    free(blocks->out);
    free(blocks);
}

static void inflate_block(size_t index, unsigned thread, void *user)
{
    const gunzip_blocks *const blocks = user;
    round_block *const block = &blocks->round[index];
    z_stream *const stream = &blocks->streams[thread];
    const size_t size = block->form.data;
    unsigned char none;
    stream->next_in = (Bytef *)(uintptr_t)(block->bytes + block->form.head);
    stream->avail_in = (uInt)block->form.deflated;
    stream->next_out = size > 0 ? block->to : &none;
    stream->avail_out = (uInt)size;
    block->wrong = inflateReset(stream) != Z_OK || inflate(stream, Z_FINISH) != Z_STREAM_END ||
                   stream->avail_out > 0 || stream->avail_in > 0 ||
                   crc32(crc32(0, NULL, 0), block->to, (uInt)size) != block->form.crc;
}

/* Takes the blocks that are whole, as many as there is room for. Returns what stands behind them. */
static gzip_block_state take_blocks(gunzip_blocks *blocks)
{
    gzip_block_state state;
    gzip_block found;
    blocks->more = false;
    for (;;) {
        const unsigned char *const at = blocks->in + blocks->used;
        state = gzip_block_find(at, blocks->held - blocks->used, &found);
        if (state != BLOCK_IS_WHOLE)
            return state;
        blocks->more = blocks->count == blocks->most ||
                       found.data > blocks->most * GZIP_BLOCK_MOST - blocks->ready_size;
        if (blocks->more)
            return state;
        blocks->round[blocks->count++] =
            (round_block){.form = found, .bytes = at, .to = blocks->out + blocks->ready_size};
        blocks->used += found.size;
        blocks->ready_size += found.data;
    }
}

/* Reads on until there is no more room or, where there is a block, more would have to be waited for. */
static bool read_blocks(gunzip_blocks *blocks, failure *why)
{
    const size_t room = blocks->most * GZIP_BLOCK_MOST;
    while (take_blocks(blocks) == BLOCK_IS_CUT && !blocks->ended) {
        size_t got;
        if (blocks->count > 0 && (blocks->held == room || !blocks->ready(blocks->user)))
            return true;
        if (!blocks->read(blocks->user, blocks->in + blocks->held, room - blocks->held, false, &got,
                          why))
            return false;
        blocks->held += got;
        blocks->ended = got == 0;
    }
    blocks->last = blocks->count == 0;
    return true;
}

/* A block that is wrong is left to the reader of members, which says what is wrong. */
static void stop_at(gunzip_blocks *blocks, const round_block *wrong)
{
    blocks->used = (size_t)(wrong->bytes - blocks->in);
    blocks->ready_size = (size_t)(wrong->to - blocks->out);
    blocks->last = true;
}

static bool next_round(gunzip_blocks *blocks, failure *why)
{
    blocks->held -= blocks->used;
    memmove(blocks->in, blocks->in + blocks->used, blocks->held);
    blocks->used = blocks->given = blocks->ready_size = blocks->count = 0;
    if (!read_blocks(blocks, why))
        return false;
    parallel_for(blocks->threads, blocks->count, inflate_block, blocks);
    for (size_t i = 0; i < blocks->count && !blocks->last; i++)
        if (blocks->round[i].wrong)
            stop_at(blocks, &blocks->round[i]);
    if (blocks->count > 0)
        blocks->in_data = blocks->round[blocks->count - 1].form.data > 0;
    return true;
}

bool blocks_end_in_data(const gunzip_blocks *blocks)
{
    return blocks->in_data;
}

bool blocks_read(gunzip_blocks *blocks, void *to, size_t size, bool whole, size_t *got,
                 failure *why)
{
    *got = 0;
    for (;;) {
        const size_t left = blocks->ready_size - blocks->given, wanted = size - *got;
        const size_t part = left < wanted ? left : wanted;
        memcpy((char *)to + *got, blocks->out + blocks->given, part);
        *got += part;
        blocks->given += part;
        if (*got == size || blocks->last || (*got > 0 && !whole && !blocks_are_ready(blocks)))
            return true;
        if (!next_round(blocks, why))
            return false;
    }
}

bool blocks_are_ready(gunzip_blocks *blocks)
{
    return blocks->given < blocks->ready_size || blocks->more || blocks->ended ||
           (blocks->last && blocks->used < blocks->held) || blocks->ready(blocks->user);
}

bool blocks_are_over(const gunzip_blocks *blocks, unsigned char **rest, size_t *size)
{
    *rest = blocks->in + blocks->used;
    *size = blocks->held - blocks->used;
    return blocks->last && blocks->given == blocks->ready_size;
}
