/*
 * Blocks are deflated in rounds, in the background: meanwhile the caller fills the input of the next
 * round, and one of the threads writes what the round before has come to.
 */
#define _POSIX_C_SOURCE 200809L
#include "apps/cli/gzip_writer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "apps/cli/parallel.h"
#include "parscan/allocate.h"

enum {
    BLOCK = 128 * 1024,
    WINDOW = 32 * 1024, /* how far back deflate looks */
    LEAST_ROUND = 64,   /* blocks: so many that threads which end early hardly wait */
    ROUND_OF_THREAD = 8,
    HEAD = 10,
    TAIL = 8
};

/* The input of a round. */
typedef struct round_input {
    unsigned char *bytes; /* the window, then the blocks */
    size_t window;        /* bytes of it that there are, up to the blocks */
    size_t filled;        /* bytes of the blocks */
    bool last;            /* the round ends the data */
} round_input;

struct gzip_writer {
    gzip_write_function *write;
    void *user;
    parscan_context *context;
    z_stream *streams; /* one a thread */
    unsigned threads;
    size_t round; /* blocks */

    round_input inputs[2];
    round_input *filling, *deflating; /* NULL: no round is under way */
    pthread_t thread;                 /* that it began on */

    unsigned char *deflated; /* `room` bytes a block */
    size_t room;
    uint64_t *places, *sizes, *offsets; /* of blocks: in deflated; their size; in packed */
    uLong *sums;                        /* their check sums */
    atomic_bool wrong;

    unsigned char *packed; /* what is to be written next */
    size_t packed_size;
    bool written;
    failure failure;

    uLong sum;     /* of all blocks that are packed */
    uint64_t size; /* likewise */
};

static size_t block_size(const round_input *input, size_t block)
{
    const size_t left = input->filled - block * BLOCK;
    return left < BLOCK ? left : BLOCK;
}

/* The last one ends the data, though it may be empty. */
static size_t block_count(const round_input *input)
{
    const size_t blocks = (input->filled + BLOCK - 1) / BLOCK;
    return input->last && blocks == 0 ? 1 : blocks;
}

static bool open_streams(gzip_writer *writer, int level)
{
    const int raw = -MAX_WBITS, memory_level = 8;
    writer->streams = calloc(writer->threads, sizeof *writer->streams);
    if (writer->streams == NULL)
        return false;
    for (unsigned k = 0; k < writer->threads; k++)
        if (deflateInit2(&writer->streams[k], level, Z_DEFLATED, raw, memory_level,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            return false;
    /* And the empty block that ends one at a whole byte. */
    writer->room = deflateBound(&writer->streams[0], BLOCK) + 16;
    return true;
}

static bool open_arrays(gzip_writer *writer)
{
    const size_t round = writer->round;
    writer->inputs[0].bytes = malloc(WINDOW + round * BLOCK);
    writer->inputs[1].bytes = malloc(WINDOW + round * BLOCK);
    writer->deflated = malloc(round * writer->room);
    writer->packed = malloc(HEAD + round * writer->room + TAIL);
    writer->places = calloc(round, sizeof *writer->places);
    writer->sizes = calloc(round, sizeof *writer->sizes);
    writer->offsets = calloc(round, sizeof *writer->offsets);
    writer->sums = calloc(round, sizeof *writer->sums);
    if (writer->inputs[0].bytes == NULL || writer->inputs[1].bytes == NULL ||
        writer->deflated == NULL || writer->packed == NULL || writer->places == NULL ||
        writer->sizes == NULL || writer->offsets == NULL || writer->sums == NULL)
        return false;
    for (size_t block = 0; block < round; block++)
        writer->places[block] = block * writer->room;
    return true;
}

gzip_writer *gzip_open(gzip_write_function *write, void *user, int level, unsigned threads)
{
    gzip_writer *const writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    writer->write = write;
    writer->user = user;
    writer->filling = &writer->inputs[0];
    writer->threads = parallel_threads(threads, SIZE_MAX);
    writer->round = ROUND_OF_THREAD * (size_t)writer->threads;
    if (writer->round < LEAST_ROUND)
        writer->round = LEAST_ROUND;
    writer->sum = crc32(0, NULL, 0);
    /* One thread is enough for what it places; more would spin while the blocks are deflated. */
    if (parscan_context_create(&writer->context, &PARSCAN_CONTEXT_OPTIONS(.threads = 1)) !=
            PARSCAN_OK ||
        !open_streams(writer, level) || !open_arrays(writer)) {
        gzip_close(writer);
        return NULL;
    }
    const unsigned char effort = level == GZIP_MOST_LEVEL ? 2 : level == 1 ? 4 : 0, unix_made = 3;
    const unsigned char head[HEAD] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, effort, unix_made};
    memcpy(writer->packed, head, HEAD);
    writer->packed_size = HEAD;
    return writer;
}

void gzip_close(gzip_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->deflating != NULL)
        pthread_join(writer->thread, NULL);
    for (unsigned k = 0; writer->streams != NULL && k < writer->threads; k++)
        deflateEnd(&writer->streams[k]);
    parscan_context_destroy(writer->context);
    free(writer->streams);
    free(writer->inputs[0].bytes);
    free(writer->inputs[1].bytes);
    free(writer->deflated);
    free(writer->packed);
    free(writer->places);
    free(writer->sizes);
    free(writer->offsets);
    free(writer->sums);
    free(writer);
}

static void deflate_block(gzip_writer *writer, size_t block, z_stream *stream)
{
    const round_input *const input = writer->deflating;
    unsigned char *const bytes = input->bytes + WINDOW + block * BLOCK;
    const size_t size = block_size(input, block);
    const size_t window = block > 0 ? WINDOW : input->window;
    const bool ends = input->last && block + 1 == block_count(input);
    writer->sums[block] = crc32(crc32(0, NULL, 0), bytes, (uInt)size);
    bool right = deflateReset(stream) == Z_OK;
    if (window > 0)
        right = right && deflateSetDictionary(stream, bytes - window, (uInt)window) == Z_OK;
    stream->next_in = bytes;
    stream->avail_in = (uInt)size;
    stream->next_out = writer->deflated + writer->places[block];
    stream->avail_out = (uInt)writer->room;
    right =
        right && deflate(stream, ends ? Z_FINISH : Z_SYNC_FLUSH) == (ends ? Z_STREAM_END : Z_OK);
    writer->sizes[block] = writer->room - stream->avail_out;
    if (!right || stream->avail_in > 0 || (!ends && stream->avail_out == 0))
        writer->wrong = true;
}

/* Turn 0 writes, the others deflate. */
static void take_turn(size_t turn, unsigned thread, void *user)
{
    gzip_writer *const writer = user;
    if (turn == 0)
        writer->written =
            writer->write(writer->user, writer->packed, writer->packed_size, &writer->failure);
    else
        deflate_block(writer, turn - 1, &writer->streams[thread]);
}

/* The deflated blocks, one after another, to be written next. */
static bool place_blocks(gzip_writer *writer, size_t blocks, failure *why)
{
    uint64_t total;
    parscan_status status = parscan_allocate(writer->context, PARSCAN_U64, writer->sizes, blocks,
                                             PARSCAN_U64, writer->offsets, &total, NULL);
    if (status == PARSCAN_OK)
        status = parscan_pack(writer->context, writer->deflated, PARSCAN_U64, writer->places,
                              PARSCAN_U64, writer->sizes, writer->packed, writer->offsets, blocks);
    if (status != PARSCAN_OK)
        return fail(why, "%s", parscan_context_error(writer->context));
    writer->packed_size = total;
    return true;
}

static void *deflate_round(void *user)
{
    gzip_writer *const writer = user;
    parallel_for(writer->threads, 1 + block_count(writer->deflating), take_turn, writer);
    return NULL;
}

/* Takes in what a round has come to. */
static bool end_round(gzip_writer *writer, failure *why)
{
    const round_input *const input = writer->deflating;
    writer->deflating = NULL;
    if (!writer->written) {
        *why = writer->failure;
        return false;
    }
    if (writer->wrong)
        return fail(why, "zlib cannot go on");
    const size_t blocks = block_count(input);
    for (size_t block = 0; block < blocks; block++)
        writer->sum =
            crc32_combine(writer->sum, writer->sums[block], (z_off_t)block_size(input, block));
    writer->size += input->filled;
    return place_blocks(writer, blocks, why);
}

/* Waits for the round that is under way, if one is. */
static bool wait_for_round(gzip_writer *writer, failure *why)
{
    if (writer->deflating == NULL)
        return true;
    pthread_join(writer->thread, NULL);
    return end_round(writer, why);
}

/* Begins a round with what was filled. The end of its input is the window of the next one. */
static bool begin_round(gzip_writer *writer, failure *why)
{
    if (!wait_for_round(writer, why))
        return false;
    round_input *const input = writer->filling;
    writer->filling = &writer->inputs[input == &writer->inputs[0]];
    memcpy(writer->filling->bytes, input->bytes + input->filled, WINDOW);
    writer->filling->window = WINDOW;
    writer->filling->filled = 0;
    writer->deflating = input;
    if (pthread_create(&writer->thread, NULL, deflate_round, writer) == 0)
        return true;
    deflate_round(writer);
    return end_round(writer, why);
}

bool gzip_add(gzip_writer *writer, const void *bytes, size_t size, failure *why)
{
    for (size_t done = 0; done < size;) {
        round_input *const input = writer->filling;
        const size_t left = size - done, free_room = writer->round * BLOCK - input->filled;
        const size_t part = left < free_room ? left : free_room;
        memcpy(input->bytes + WINDOW + input->filled, (const char *)bytes + done, part);
        input->filled += part;
        done += part;
        if (part == free_room && !begin_round(writer, why))
            return false;
    }
    return true;
}

bool gzip_finish(gzip_writer *writer, failure *why)
{
    if (!wait_for_round(writer, why))
        return false;
    writer->filling->last = true;
    writer->deflating = writer->filling;
    deflate_round(writer);
    if (!end_round(writer, why))
        return false;
    const uint64_t tail = (uint64_t)(writer->sum & UINT32_MAX) | writer->size << 32;
    for (int k = 0; k < TAIL; k++)
        writer->packed[writer->packed_size++] = (unsigned char)(tail >> 8 * k);
    return writer->write(writer->user, writer->packed, writer->packed_size, why);
}
