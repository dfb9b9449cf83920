#include "scan/block/block_shape.h"

typedef struct limits {
    unsigned min_threads, max_threads, default_threads;
    unsigned min_items, max_items, default_items;
    const char *threads_words, *items_words;
} limits;

static limits limits_of(parscan_algorithm algorithm)
{
    switch (algorithm) {
    case PARSCAN_KOGGE_STONE:
        return (limits){2,
                        BLOCK_MAX_THREADS,
                        256,
                        1,
                        1,
                        1,
                        "kogge-stone takes 2 to 1024 threads",
                        "kogge-stone takes one element a thread"};
    case PARSCAN_BRENT_KUNG:
        return (limits){1,
                        BLOCK_MAX_THREADS,
                        256,
                        2,
                        2,
                        2,
                        "brent-kung takes 1 to 1024 threads",
                        "brent-kung takes two elements a thread"};
    case PARSCAN_THREE_PHASE:
        return (limits){1,
                        BLOCK_MAX_THREADS,
                        256,
                        1,
                        BLOCK_MAX_BYTES,
                        8,
                        "three-phase takes 1 to 1024 threads",
                        "a block holds at least 2 elements and at most 48 KiB, padding included"};
    case PARSCAN_WARP:
    case PARSCAN_WARP_PADDED:
        return (limits){WARP_SIZE,
                        WARP_SIZE,
                        WARP_SIZE,
                        1,
                        1,
                        1,
                        "a warp scan takes 32 threads",
                        "a warp scan takes one element a thread"};
    default:
        return (limits){0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        "it must be 0 unless algorithm is a block algorithm",
                        "it must be 0 unless algorithm is a block algorithm"};
    }
}

static bool fits(parscan_block_shape shape, size_t element_size)
{
    return block_shared_size(shape) * element_size <= BLOCK_MAX_BYTES;
}

void parscan_block_shape_for_cuda(parscan_block_shape *shape)
{
    if (shape->threads != 0 || shape->items != 0)
        return;
    switch (shape->algorithm) {
#define X(ctx, NAME, ...)                                            \
    case PARSCAN_##NAME:                                             \
        *shape = (parscan_block_shape){PARSCAN_##NAME, __VA_ARGS__}; \
        break;
        CUDA_SHAPES(X, )
#undef X
    default:
        break;
    }
}

const char *parscan_block_shape_complete(parscan_block_shape *shape, size_t element_size,
                                         bool *threads_wrong)
{
    const limits limit = limits_of(shape->algorithm);
    const bool items_given = shape->items != 0, threads_given = shape->threads != 0;
    if (!threads_given)
        shape->threads = limit.default_threads;
    if (!items_given)
        shape->items = limit.default_items;
    *threads_wrong = true;
    if (shape->threads < limit.min_threads || shape->threads > limit.max_threads)
        return limit.threads_words;
    *threads_wrong = false;
    if (shape->items < limit.min_items || shape->items > limit.max_items)
        return limit.items_words;
    if (limit.max_threads == 0)
        return NULL;
    /* Defaults are reduced until what the caller asked for fits. */
    while (!items_given && shape->items > limit.min_items && !fits(*shape, element_size))
        shape->items--;
    while (!threads_given && shape->threads > limit.min_threads && !fits(*shape, element_size))
        shape->threads--;
    *threads_wrong = !items_given;
    if (shape->threads * shape->items < 2 || !fits(*shape, element_size))
        return "a block holds at least 2 elements and at most 48 KiB, padding included";
    return NULL;
}
