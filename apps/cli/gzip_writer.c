/*
 * Blocks are deflated in rounds, by threads that take one after another. There are two rounds:
 * while the blocks of one are deflated, the caller fills the other, and places and writes what the
 * one before has come to. So threads go from round to round without waiting, and memory is bounded.
 */
#define _POSIX_C_SOURCE 200809L
#include "apps/cli/gzip_writer.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "apps/cli/gzip_block.h"
#include "apps/cli/parallel.h"
#include "parscan/allocate.h"

enum {
    MEMBER_BLOCK = 128 * 1024,
    WINDOW = 32 * 1024, /* how far back deflate looks */
    LEAST_ROUND = 16,   /* blocks */
    ROUND_OF_THREAD = 4,
    HEAD = 10,
    TAIL = 8
};

typedef struct round_of_blocks {
    unsigned char *input; /* the window, then the blocks */
    size_t window;        /* bytes of the window that are filled; they end where the blocks start */
    size_t filled;        /* bytes of the blocks */
    bool last;            /* the round ends the data */
    unsigned char *deflated; /* `room` bytes a block */
    uint64_t *sizes;         /* the sizes of the deflated blocks */
    uLong *sums;             /* the checksums of the blocks */
    size_t blocks, left;     /* the number of blocks, and of those not deflated yet */
} round_of_blocks;

struct gzip_writer {
    gzip_write_function *write;
    void *user;
    parscan_context *placer, *own_placer; /* own_placer: NULL if the caller's is used */
    bool blocks;                          /* of BGZF */
    size_t block;                         /* bytes of a block */
    size_t round;                         /* blocks per round */
    size_t room;                          /* bytes for a deflated block */
    round_of_blocks rounds[2];
    round_of_blocks *filling;
    uint64_t *places, *offsets; /* where each deflated block is, and where it goes */
    unsigned char *packed;

    pthread_t *threads;
    z_stream *streams;        /* one per thread */
    unsigned started, opened; /* started threads, opened streams */
    unsigned streams_taken;   /* the streams that threads have taken */
    int level;
    pthread_mutex_t lock; /* protects all below, and `left` of each round */
    pthread_cond_t work, done;
    size_t taken, ready; /* blocks since the first round: taken by threads; ready to be taken */
    bool closing, wrong;

    uLong sum;     /* the checksum of all blocks that are written */
    uint64_t size; /* their size */
};

static unsigned char *block_bytes(const gzip_writer *writer, const round_of_blocks *round,
                                  size_t block)
{
    return round->input + WINDOW + block * writer->block;
}

static size_t block_size(const gzip_writer *writer, const round_of_blocks *round, size_t block)
{
    const size_t left = round->filled - block * writer->block;
    return left < writer->block ? left : writer->block;
}

/* Deflates to out, as `flush` says. Returns the size, or 0 if zlib fails or there is no room. */
static size_t deflate_bytes(z_stream *stream, unsigned char *bytes, size_t size, int flush,
                            unsigned char *out, size_t room)
{
    stream->next_in = bytes;
    stream->avail_in = (uInt)size;
    stream->next_out = out;
    stream->avail_out = (uInt)room;
    const int said = deflate(stream, flush);
    if (said != (flush == Z_FINISH ? Z_STREAM_END : Z_OK) || stream->avail_in > 0 ||
        stream->avail_out == 0)
        return 0;
    return room - stream->avail_out;
}

/* Makes a block of BGZF. Returns its size. */
static size_t make_block(const gzip_writer *writer, const round_of_blocks *round, size_t block,
                         z_stream *stream, unsigned char *out)
{
    unsigned char *const bytes = block_bytes(writer, round, block);
    const size_t size = block_size(writer, round, block);
    const uint32_t sum = (uint32_t)round->sums[block];
    const size_t deflated = deflate_bytes(stream, bytes, size, Z_FINISH, out + GZIP_BLOCK_HEAD,
                                          GZIP_BLOCK_STORING + size);
    return deflated > 0 ? gzip_block_seal(out, deflated, sum, size)
                        : gzip_block_store(out, bytes, size, sum);
}

/* Deflates a block of one member to out. Returns its size, or 0 if zlib fails. */
static size_t deflate_block(const gzip_writer *writer, const round_of_blocks *round, size_t block,
                            z_stream *stream, unsigned char *out)
{
    unsigned char *const bytes = block_bytes(writer, round, block);
    const size_t window = block > 0 ? WINDOW : round->window;
    const bool ends = round->last && block + 1 == round->blocks;
    if (window > 0 && deflateSetDictionary(stream, bytes - window, (uInt)window) != Z_OK)
        return 0;
    return deflate_bytes(stream, bytes, block_size(writer, round, block),
                         ends ? Z_FINISH : Z_SYNC_FLUSH, out, writer->room);
}

/* Deflates the next block, if there is one. The lock is held before and after. */
static bool take_block(gzip_writer *writer, z_stream *stream)
{
    if (writer->taken == writer->ready)
        return false;
    const size_t block = writer->taken % writer->round;
    round_of_blocks *const round = &writer->rounds[writer->taken / writer->round % 2];
    writer->taken++;
    pthread_mutex_unlock(&writer->lock);
    unsigned char *const out = round->deflated + writer->places[block];
    round->sums[block] = crc32(crc32(0, NULL, 0), block_bytes(writer, round, block),
                               (uInt)block_size(writer, round, block));
    round->sizes[block] = deflateReset(stream) != Z_OK ? 0
                          : writer->blocks ? make_block(writer, round, block, stream, out)
                                           : deflate_block(writer, round, block, stream, out);
    pthread_mutex_lock(&writer->lock);
    writer->wrong |= round->sizes[block] == 0;
    if (--round->left == 0)
        pthread_cond_signal(&writer->done);
    return true;
}

static void *take_blocks(void *user)
{
    gzip_writer *const writer = user;
    pthread_mutex_lock(&writer->lock);
    z_stream *const stream = &writer->streams[writer->streams_taken++];
    while (!writer->closing)
        if (!take_block(writer, stream))
            pthread_cond_wait(&writer->work, &writer->lock);
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

static bool open_round(const gzip_writer *writer, round_of_blocks *round)
{
    round->input = malloc(WINDOW + writer->round * writer->block);
    round->deflated = malloc(writer->round * writer->room);
    round->sizes = calloc(writer->round, sizeof *round->sizes);
    round->sums = calloc(writer->round, sizeof *round->sums);
    return round->input != NULL && round->deflated != NULL && round->sizes != NULL &&
           round->sums != NULL;
}

static bool open_streams(gzip_writer *writer, unsigned threads, int level)
{
    const int raw = -MAX_WBITS, memory_level = 8;
    writer->streams = calloc(threads, sizeof *writer->streams);
    if (writer->streams == NULL)
        return false;
    for (; writer->opened < threads; writer->opened++)
        if (deflateInit2(&writer->streams[writer->opened], level, Z_DEFLATED, raw, memory_level,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            return false;
    /* With room for the empty block that ends it at a whole byte. */
    writer->room = writer->blocks ? (size_t)GZIP_BLOCK_MOST
                                  : deflateBound(&writer->streams[0], (uLong)writer->block) + 16;
    return true;
}

static bool open_arrays(gzip_writer *writer, unsigned threads)
{
    const size_t blocks = ROUND_OF_THREAD * (size_t)threads;
    writer->round = blocks > LEAST_ROUND ? blocks : LEAST_ROUND;
    writer->places = calloc(writer->round, sizeof *writer->places);
    writer->offsets = calloc(writer->round, sizeof *writer->offsets);
    writer->packed = malloc(writer->round * writer->room);
    writer->threads = calloc(threads, sizeof *writer->threads);
    if (writer->places == NULL || writer->offsets == NULL || writer->packed == NULL ||
        writer->threads == NULL || !open_round(writer, &writer->rounds[0]) ||
        !open_round(writer, &writer->rounds[1]))
        return false;
    for (size_t block = 0; block < writer->round; block++)
        writer->places[block] = block * writer->room;
    return true;
}

/* One thread is enough for placing; more would spin while others deflate. */
static bool open_placer(gzip_writer *writer, parscan_context *placer)
{
    if (placer == NULL &&
        parscan_context_create(
            &writer->own_placer,
            &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 1)) != PARSCAN_OK)
        return false;
    writer->placer = placer != NULL ? placer : writer->own_placer;
    return true;
}

gzip_writer *gzip_open(gzip_write_function *write, void *user, bool blocks, int level,
                       unsigned threads, parscan_context *placer)
{
    gzip_writer *const writer = malloc(sizeof *writer);
    if (writer == NULL)
        return NULL;
    *writer = (gzip_writer){.write = write,
                            .user = user,
                            .blocks = blocks,
                            .block = blocks ? GZIP_BLOCK_DATA : MEMBER_BLOCK,
                            .level = level,
                            .filling = &writer->rounds[0],
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .work = PTHREAD_COND_INITIALIZER,
                            .done = PTHREAD_COND_INITIALIZER,
                            .sum = crc32(0, NULL, 0)};
    threads = parallel_threads(threads, SIZE_MAX);
    if (!open_placer(writer, placer) || !open_streams(writer, threads, level) ||
        !open_arrays(writer, threads)) {
        gzip_close(writer);
        return NULL;
    }
    while (writer->started < threads &&
           pthread_create(&writer->threads[writer->started], NULL, take_blocks, writer) == 0)
        writer->started++;
    return writer;
}

void gzip_close(gzip_writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->closing = true;
    pthread_cond_broadcast(&writer->work);
    pthread_mutex_unlock(&writer->lock);
    while (writer->started > 0)
        pthread_join(writer->threads[--writer->started], NULL);
    while (writer->opened > 0)
        deflateEnd(&writer->streams[--writer->opened]);
    for (int k = 0; k < 2; k++) {
        free(writer->rounds[k].input);
        free(writer->rounds[k].deflated);
        free(writer->rounds[k].sizes);
        free(writer->rounds[k].sums);
    }
    parscan_context_destroy(writer->own_placer);
    free(writer->threads);
    free(writer->streams);
    free(writer->places);
    free(writer->offsets);
    free(writer->packed);
    free(writer);
}

/* Hands a round to the threads. The last round of one member has a block that ends the data; it may be empty. */
static void begin_round(gzip_writer *writer, round_of_blocks *round)
{
    round->blocks = (round->filled + writer->block - 1) / writer->block;
    if (round->last && round->blocks == 0 && !writer->blocks)
        round->blocks = 1;
    pthread_mutex_lock(&writer->lock);
    round->left = round->blocks;
    writer->ready += round->blocks;
    pthread_cond_broadcast(&writer->work);
    pthread_mutex_unlock(&writer->lock);
}

/* Waits until a round is deflated. Without threads, the caller deflates it. */
static bool wait_for_round(gzip_writer *writer, const round_of_blocks *round, failure *why)
{
    pthread_mutex_lock(&writer->lock);
    while (round->left > 0)
        if (writer->started > 0 || !take_block(writer, &writer->streams[0]))
            pthread_cond_wait(&writer->done, &writer->lock);
    const bool wrong = writer->wrong;
    pthread_mutex_unlock(&writer->lock);
    return !wrong || fail(why, "zlib cannot go on");
}

static bool write_head(const gzip_writer *writer, failure *why)
{
    const unsigned char effort = writer->level == GZIP_MOST_LEVEL ? 2 : writer->level == 1 ? 4 : 0;
    const unsigned char unix_made = 3;
    const unsigned char head[HEAD] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, effort, unix_made};
    return writer->write(writer->user, head, HEAD, why);
}

static bool write_tail(const gzip_writer *writer, failure *why)
{
    if (writer->blocks)
        return writer->write(writer->user, gzip_block_last, GZIP_BLOCK_LAST, why);
    const uint64_t words = (uint64_t)(writer->sum & UINT32_MAX) | writer->size << 32;
    unsigned char tail[TAIL];
    for (int k = 0; k < TAIL; k++)
        tail[k] = (unsigned char)(words >> 8 * k);
    return writer->write(writer->user, tail, TAIL, why);
}

/* Puts the deflated blocks one after another. */
static bool pack_round(gzip_writer *writer, const round_of_blocks *round, uint64_t *total,
                       failure *why)
{
    parscan_context *const context = writer->placer;
    parscan_status status = parscan_allocate(context, PARSCAN_U64, round->sizes, round->blocks,
                                             PARSCAN_U64, writer->offsets, total, NULL);
    if (status == PARSCAN_OK)
        status = parscan_pack(context, round->deflated, PARSCAN_U64, writer->places, PARSCAN_U64,
                              round->sizes, writer->packed, writer->offsets, round->blocks);
    return status == PARSCAN_OK || fail(why, "%s", parscan_context_error(context));
}

/* Waits for a round, if it was started, and writes it. */
static bool end_round(gzip_writer *writer, round_of_blocks *round, failure *why)
{
    uint64_t total;
    if (round->blocks == 0)
        return true;
    if (!wait_for_round(writer, round, why) || !pack_round(writer, round, &total, why) ||
        (writer->size == 0 && !writer->blocks && !write_head(writer, why)) ||
        !writer->write(writer->user, writer->packed, total, why))
        return false;
    for (size_t block = 0; block < round->blocks && !writer->blocks; block++)
        writer->sum = crc32_combine(writer->sum, round->sums[block],
                                    (z_off_t)block_size(writer, round, block));
    writer->size += round->filled;
    round->blocks = 0;
    return true;
}

/* Hands the filled round to the threads, and makes room for more. */
static bool turn_round(gzip_writer *writer, failure *why)
{
    round_of_blocks *const filled = writer->filling;
    round_of_blocks *const next = &writer->rounds[filled == &writer->rounds[0]];
    begin_round(writer, filled);
    if (!end_round(writer, next, why))
        return false;
    memcpy(next->input, filled->input + filled->filled, WINDOW);
    next->window = WINDOW;
    next->filled = 0;
    writer->filling = next;
    return true;
}

bool gzip_add(gzip_writer *writer, const void *bytes, size_t size, failure *why)
{
    for (size_t done = 0; done < size;) {
        /* Only when there is more: the blocks at the end must not depend on the size of a round. */
        if (writer->filling->filled == writer->round * writer->block && !turn_round(writer, why))
            return false;
        round_of_blocks *const round = writer->filling;
        const size_t left = size - done, free_room = writer->round * writer->block - round->filled;
        const size_t part = left < free_room ? left : free_room;
        memcpy(round->input + WINDOW + round->filled, (const char *)bytes + done, part);
        round->filled += part;
        done += part;
    }
    return true;
}

bool gzip_finish(gzip_writer *writer, failure *why)
{
    round_of_blocks *const last = writer->filling;
    last->last = true;
    begin_round(writer, last);
    return end_round(writer, &writer->rounds[last == &writer->rounds[0]], why) &&
           end_round(writer, last, why) && write_tail(writer, why);
}
