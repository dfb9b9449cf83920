/* The textbook's counts of operations, and the shapes of blocks in its figures. */
#include <stdio.h>

#include "apps/cli/trace_scan.h"

static size_t log2_up(size_t n)
{
    size_t log = 0;
    while (((size_t)1 << log) < n)
        log++;
    return log;
}

/* Numbers are checked before they are multiplied: the user may have given them. */
static bool fits(parscan_block_shape shape, size_t element_size)
{
    return (size_t)shape.threads * shape.items <= BLOCK_MAX_BYTES &&
           block_shared_size(shape) * element_size <= BLOCK_MAX_BYTES;
}

static unsigned clamp(size_t value, unsigned low, unsigned high)
{
    return value < low ? low : value > high ? high : (unsigned)value;
}

/* About as many threads as items per thread, so that all three phases have steps. */
static void three_phase_shape(parscan_block_shape *shape, size_t n, size_t element_size)
{
    const bool threads_free = shape->threads == 0, items_free = shape->items == 0;
    if (threads_free && items_free)
        shape->threads = clamp((size_t)1 << (log2_up(n) + 1) / 2, 1, BLOCK_MAX_THREADS);
    if (items_free)
        shape->items = clamp((n + shape->threads - 1) / shape->threads, shape->threads == 1 ? 2 : 1,
                             BLOCK_MAX_BYTES);
    else if (threads_free)
        shape->threads = clamp((n + shape->items - 1) / shape->items, shape->items == 1 ? 2 : 1,
                               BLOCK_MAX_THREADS);
    while (items_free && shape->items > 1 && !fits(*shape, element_size))
        shape->items--;
    while (threads_free && shape->threads > 1 && !fits(*shape, element_size))
        shape->threads--;
}

const char *trace_shape_complete(parscan_block_shape *shape, size_t n, size_t element_size,
                                 bool *threads_wrong)
{
    if (shape->threads == 0 && shape->algorithm == PARSCAN_KOGGE_STONE)
        shape->threads = clamp(n, 2, BLOCK_MAX_THREADS);
    if (shape->threads == 0 && shape->algorithm == PARSCAN_BRENT_KUNG)
        shape->threads = clamp((n + 1) / 2, 1, BLOCK_MAX_THREADS);
    if (shape->algorithm == PARSCAN_THREE_PHASE)
        three_phase_shape(shape, n, element_size);
    const char *const wrong = parscan_block_shape_complete(shape, element_size, threads_wrong);
    if (wrong == NULL && shape->algorithm == PARSCAN_SEQUENTIAL) {
        shape->threads = 1;
        shape->items = (unsigned)n;
    }
    return wrong;
}

/* The formulas are for powers of two. For the next power of two they are an upper bound. */
void trace_textbook(const trace_record *record, char *text, size_t size)
{
    const size_t n = record->n, log = log2_up(n), round = (size_t)1 << log;
    const size_t items = record->shape.items, t = (n + items - 1) / items;
    const char *const most = round == n ? "" : "at most ";
    char where[48] = "";
    if (round != n)
        snprintf(where, sizeof where, " for N = %zu", round);
    if (record->blocks && record->shape.algorithm == PARSCAN_BRENT_KUNG) {
        snprintf(text, size, "at most %zu, 4N - 3", 4 * n - 3);
        return;
    }
    if (record->blocks) {
        snprintf(text, size, "no formula for more than one block");
        return;
    }
    switch (record->shape.algorithm) {
    case PARSCAN_KOGGE_STONE:
    case PARSCAN_WARP:
        snprintf(text, size, "%s%zu, N log2 N - (N - 1)%s", most, round * log - (round - 1), where);
        break;
    case PARSCAN_WARP_PADDED:
        snprintf(text, size, "%zu, 32 log2 N%s", WARP_SIZE * log, where);
        break;
    case PARSCAN_BRENT_KUNG:
        snprintf(text, size, "%s%zu, 2N - 2 - log2 N%s", most, 2 * round - 2 - log, where);
        break;
    case PARSCAN_THREE_PHASE:
        /* T: the threads that have elements. log2 T is rounded up. */
        snprintf(text, size, "at most %zu, N - 1 + T log2 T + N - T for T = %zu",
                 n - 1 + t * log2_up(t) + n - t, t);
        break;
    default:
        snprintf(text, size, "%zu, N - 1", n - 1);
        break;
    }
}
