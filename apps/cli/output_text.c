#define _POSIX_C_SOURCE 200809L
#include "apps/cli/output_text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "apps/cli/number_text.h"
#include "apps/cli/parallel.h"
#include "apps/cli/shortest_float.h"

/* Threads format blocks of elements; the blocks are written in order, one while the next ones are
   formatted. */
enum { BLOCK_ELEMENTS = 16 * 1024, BLOCK_BYTES = BLOCK_ELEMENTS * (NUMBER_MAX_LENGTH + 1) };

struct text_writer {
    byte_sink *sink;
    const array *array; /* what is being written */
    const element_traits *traits;
    char point;
    progress *progress;
    failure *failure;
    unsigned threads;
    char *buffers; /* one per thread */
    unsigned room; /* the number of buffers */
    pthread_mutex_t lock;
    pthread_cond_t turned;
    size_t turn;       /* the block to be written next */
    atomic_bool wrong; /* a write failed, and nothing more is written */
};

/* Writes a formatted block after all blocks before it. */
static void write_in_turn(text_writer *writer, size_t block, const char *text, size_t size)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->turn != block)
        pthread_cond_wait(&writer->turned, &writer->lock);
    pthread_mutex_unlock(&writer->lock);

    if (!writer->wrong && !sink_write(writer->sink, text, size, writer->failure))
        writer->wrong = true;
    progress_update(writer->progress, (block + 1) * BLOCK_ELEMENTS);

    pthread_mutex_lock(&writer->lock);
    writer->turn++;
    pthread_cond_broadcast(&writer->turned);
    pthread_mutex_unlock(&writer->lock);
}

static void format_block(size_t block, unsigned thread, void *user)
{
    text_writer *const writer = user;
    const size_t first = block * BLOCK_ELEMENTS;
    const size_t left = writer->array->n - first;
    const size_t count = left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS;
    const char *const from = (const char *)writer->array->data + first * writer->traits->size;
    char *const text = writer->buffers + (size_t)thread * BLOCK_BYTES;
    const char *end = text;
    if (!writer->wrong)
        end = numbers_format(writer->traits, from, count, text);
    numbers_set_point(text, end, writer->point);
    write_in_turn(writer, block, text, (size_t)(end - text));
}

text_writer *text_writer_open(byte_sink *sink, parscan_type type, char point, unsigned threads,
                              progress *bar)
{
    text_writer *const writer = malloc(sizeof *writer);
    if (writer == NULL)
        return NULL;
    *writer = (text_writer){.sink = sink,
                            .traits = element_traits_of(type),
                            .point = point,
                            .progress = bar,
                            .threads = threads,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .turned = PTHREAD_COND_INITIALIZER};
    if (writer->traits->format_float != NULL)
        shortest_decimal_prepare();
    return writer;
}

void text_writer_close(text_writer *writer)
{
    if (writer == NULL)
        return;
    free(writer->buffers);
    free(writer);
}

/* A few elements need fewer buffers. */
static bool make_buffers(text_writer *writer, unsigned count)
{
    if (count <= writer->room)
        return true;
    free(writer->buffers);
    writer->buffers = malloc((size_t)count * BLOCK_BYTES);
    writer->room = writer->buffers != NULL ? count : 0;
    return writer->buffers != NULL;
}

bool text_writer_add(text_writer *writer, const array *elements, failure *why)
{
    const size_t blocks = (elements->n + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    if (!make_buffers(writer, parallel_threads(writer->threads, blocks)))
        return fail_out_of_memory(why);
    writer->array = elements;
    writer->failure = why;
    writer->turn = 0;
    progress_begin(writer->progress, "writing", elements->n);
    parallel_for(writer->threads, blocks, format_block, writer);
    return !writer->wrong;
}
