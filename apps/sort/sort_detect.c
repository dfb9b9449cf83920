/*
 * Input that is in order already, or in the reverse order: found in one read, which is abandoned at
 * the first tile that is not. Out of place, tiles are copied while they are in the cache.
 */
#include <stdatomic.h>

#include "apps/sort/sort_job.h"

enum { TILE_BYTES = 32768, PROBE = 32, STREAM_BYTES = 4 << 20 };

typedef struct detection {
    const sort_job *job;
    sort_range range;
    size_t tile, tiles;
    bool descending, copies, stream;
    atomic_bool failed;
} detection;

static const char *keys_at(const sort_job *job, elements e, size_t i)
{
    return e.keys + i * job->kernels->key_size;
}

/* Elements begin to end - 1 of a range, to where they belong. */
static void move(const sort_job *job, elements from, size_t begin, size_t end, bool stream)
{
    const sort_kernels *const k = job->kernels;
    const size_t n = end - begin;
    if (from.keys != job->out.keys)
        k->copy(job->out.keys + begin * k->key_size, from.keys + begin * k->key_size,
                n * k->key_size, stream);
    if (job->value_size == 0 || from.values == job->out.values)
        return;
    const size_t size = job->value_size;
    if (from.values != NULL)
        k->copy(job->out.values + begin * size, from.values + begin * size, n * size, stream);
    else
        k->number(job->out.values + begin * size, begin, n);
}

void parscan_sort_move(const sort_job *job, sort_range range, unsigned threads)
{
    const bool stream = range.n * job->kernels->key_size >= STREAM_BYTES;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (unsigned t = 0; t < threads; t++)
        move(job, range.from, range.begin + range.n / threads * t,
             t + 1 == threads ? range.begin + range.n : range.begin + range.n / threads * (t + 1),
             stream);
}

static void check_tile(detection *d, size_t tile)
{
    const sort_job *const job = d->job;
    const size_t begin = d->range.begin + tile * d->tile;
    const size_t left = d->range.n - tile * d->tile, n = left < d->tile ? left : d->tile;
    const size_t joint = tile > 0; /* a tile begins with the last key of the one before */
    const char *const keys = keys_at(job, d->range.from, begin - joint);
    const bool right = d->descending ? job->kernels->descends(&job->order, keys, n + joint)
                                     : job->kernels->ascends(&job->order, keys, n + joint);
    if (!right)
        atomic_store_explicit(&d->failed, true, memory_order_relaxed);
    else if (d->copies)
        move(job, d->range.from, begin, begin + n, d->stream);
}

static void check_tiles(detection *d, size_t begin, size_t end)
{
    for (; begin < end && !atomic_load_explicit(&d->failed, memory_order_relaxed); begin++)
        check_tile(d, begin);
}

static void reverse_array(const sort_job *job, char *to, char *from, size_t begin, size_t n,
                          size_t size, unsigned threads)
{
    const size_t count = to == from ? n / 2 : n, share = count / threads;
    from += begin * size;
    to += begin * size;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (unsigned t = 0; t < threads; t++) {
        const size_t first = share * t, length = t + 1 == threads ? count - first : share;
        char *const mirrored = to + (n - first - length) * size;
        if (to == from)
            job->kernels->exchange(from + first * size, mirrored, length, size);
        else
            job->kernels->reverse(mirrored, from + first * size, length, size);
    }
}

static void reverse(const sort_job *job, sort_range range, unsigned threads)
{
    reverse_array(job, job->out.keys, range.from.keys, range.begin, range.n, job->kernels->key_size,
                  threads);
    if (job->value_size == 0)
        return;
    char *values = range.from.values;
    if (values == NULL) {
        job->kernels->number(job->out.values + range.begin * job->value_size, range.begin, range.n);
        values = job->out.values;
    }
    reverse_array(job, job->out.values, values, range.begin, range.n, job->value_size, threads);
}

bool parscan_sort_ordered(const sort_job *job, sort_range range, unsigned threads)
{
    const sort_kernels *const k = job->kernels;
    const char *const keys = keys_at(job, range.from, range.begin);
    const size_t probe = range.n < PROBE ? range.n : PROBE;
    detection d = {.job = job, .range = range, .tile = TILE_BYTES / k->key_size};
    if (!k->ascends(&job->order, keys, probe)) {
        d.descending = true;
        if (!k->descends(&job->order, keys, probe))
            return false;
    }
    d.tiles = range.n / d.tile + (range.n % d.tile != 0);
    d.copies = !d.descending;
    d.stream = range.n * k->key_size >= STREAM_BYTES;
    atomic_init(&d.failed, false);
    check_tiles(&d, 0, 1); /* most end here */
    if (!d.failed && d.tiles > 1) {
        const size_t share = (d.tiles - 1) / threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (unsigned t = 0; t < threads; t++)
            check_tiles(&d, 1 + share * t, t + 1 == threads ? d.tiles : 1 + share * (t + 1));
    }
    if (d.failed)
        return false;
    if (d.descending)
        reverse(job, range, threads);
    return true;
}
