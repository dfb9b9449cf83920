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

typedef struct text_writer {
    byte_sink *sink;
    const array *array;
    const element_traits *traits;
    progress *progress;
    failure *failure;
    char *buffers; /* one per thread */
    pthread_mutex_t lock;
    pthread_cond_t turned;
    size_t turn;       /* the block to be written next */
    atomic_bool wrong; /* a write failed, and nothing more is written */
} text_writer;

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
    write_in_turn(writer, block, text, (size_t)(end - text));
}

bool output_text(byte_sink *sink, const array *elements, unsigned threads, progress *bar,
                 failure *why)
{
    if (elements->n == 0)
        return true;
    const size_t blocks = (elements->n + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    text_writer writer = {.sink = sink,
                          .array = elements,
                          .traits = element_traits_of(elements->type),
                          .progress = bar,
                          .failure = why,
                          .buffers =
                              malloc((size_t)parallel_threads(threads, blocks) * BLOCK_BYTES),
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .turned = PTHREAD_COND_INITIALIZER};
    if (writer.buffers == NULL)
        return fail_out_of_memory(why);
    progress_begin(bar, "writing", elements->n);
    if (writer.traits->format_float != NULL)
        shortest_decimal_prepare();
    parallel_for(threads, blocks, format_block, &writer);
    free(writer.buffers);
    return !writer.wrong;
}
