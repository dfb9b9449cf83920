/* One tile of compaction on the CPU: its elements are tested and packed, and when its prefix is known, its
   results are written. */
#include "apps/compact/compact_tile_cpu.h"

#include <string.h>

/* Bytes written at once from which on streaming stores pay. */
#define STREAM_TILE_FROM_BYTES 256u

enum {
    LINE = 64,
    PIECE = 8 * LINE,
    RECORD = 48, /* elements of so many bytes have lines of their own */
    SPARSE_PART =
        4 /* if less than such a part is kept, all of a tile takes longer to read than what is kept */
};

void parscan_compact_write(const compact_pass *pass, char *to, const void *from, size_t size)
{
    if (pass->stream && size >= STREAM_TILE_FROM_BYTES)
        pass->kernels->stream(to, from, size);
    else
        memcpy(to, from, size);
}

/* Whether the elements of a tile are not worth reading whole: they have lines of their own, and few of the tile
   before were kept. At first none is known to be. */
static bool is_sparse(const compact_pass *pass, const compact_tile *last)
{
    return pass->size >= RECORD && pass->tested != pass->in &&
           (last == NULL || last->kept < last->n / SPARSE_PART);
}

read_ahead parscan_compact_ahead_of(const compact_pass *pass, size_t number,
                                    const compact_tile *last)
{
    read_ahead ahead = {.write = NULL};
    const size_t tile = pass->tile, begin = number * tile;
    if (number >= pass->n / tile) /* only full tiles are prefetched */
        return ahead;
    const char *const next = pass->in + begin * pass->size;
    const size_t bytes = tile * pass->size, word_bytes = KEEP_BITS * pass->size;
    ahead.test =
        (compact_ahead){pass->tested + begin * pass->tested_size, KEEP_BITS * pass->tested_size};
    if (pass->values == NULL && pass->placed != NULL) {
        ahead.test.bytes_a_word = word_bytes / 2;
        ahead.place = (compact_ahead){next + bytes / 2, word_bytes / 2};
    }
    if (pass->values == NULL || is_sparse(pass, last))
        return ahead;
    size_t tested = 0; /* eighths of the bytes that are moved */
    if (pass->tested == pass->in) {
        tested = 2;
        ahead.test.bytes_a_word = word_bytes / 8 * tested;
    }
    const size_t packed = (8 - tested) / 2, written = 8 - tested - packed;
    ahead.pack = (compact_ahead){next + bytes / 8 * tested, word_bytes / 8 * packed};
    ahead.write = next + bytes / 8 * (tested + packed);
    ahead.write_bytes = bytes / 8 * written;
    return ahead;
}

compact_ahead parscan_ahead_from(const compact_tile *tile, size_t word)
{
    compact_ahead ahead = tile->ahead;
    if (ahead.from != NULL)
        ahead.from += word * ahead.bytes_a_word;
    return ahead;
}

size_t parscan_compact_find(const compact_pass *pass, const compact_tile *tile, uint64_t *keep,
                            compact_ahead ahead)
{
    const char *const tested = pass->tested + tile->begin * pass->tested_size;
    if (pass->custom != NULL)
        return parscan_keep_custom(pass->custom, pass->test, &pass->range, tested, tile->n, keep,
                                   ahead);
    return pass->runs ? pass->test->heads(tested, tile->n, keep, ahead)
                      : pass->test->in_range(&pass->range, tested, tile->n, keep, ahead);
}

static void compress(const compact_pass *pass, const char *in, size_t n, const uint64_t *keep,
                     char *to, compact_ahead ahead)
{
    if (pass->move == NULL)
        parscan_compact_records(in, pass->size, n, keep, to);
    else
        pass->move->compress(in, n, keep, to, ahead);
}

/* Packs the kept elements of a tile into a buffer. For a partition, the other elements follow
   them. */
static void pack(const compact_pass *pass, const compact_tile *tile, uint64_t *keep, char *buffer,
                 compact_ahead ahead)
{
    const char *const in = pass->in + tile->begin * pass->size;
    compress(pass, in, tile->n, keep, buffer, ahead);
    if (!pass->partition)
        return;
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    for (size_t w = 0; w < words; w++)
        keep[w] = ~keep[w];
    if (tile->n % KEEP_BITS != 0)
        keep[words - 1] &= UINT64_MAX >> (KEEP_BITS - tile->n % KEEP_BITS);
    ahead.from = NULL;
    compress(pass, in, tile->n, keep, buffer + tile->kept * pass->size, ahead);
}

static void fetch(const char *from, size_t begin, size_t end)
{
    for (; begin < end; begin += LINE)
        __builtin_prefetch(from + begin, 0, 2);
}

/* Alternates between writing and prefetching. */
static void write_and_fetch(const compact_pass *pass, char *to, const char *from, size_t size,
                            const read_ahead *ahead)
{
    const bool stream = pass->stream && size >= STREAM_TILE_FROM_BYTES;
    const size_t share = ahead->write_bytes / (size / PIECE + 1) / LINE * LINE;
    size_t done = 0, fetched = 0;
    while (stream && size - done > PIECE) {
        /* A piece ends where a line ends, so that each line is streamed whole. */
        const size_t some = PIECE - (uintptr_t)(to + done) % LINE;
        fetch(ahead->write, fetched, fetched + share);
        pass->kernels->stream(to + done, from + done, some);
        done += some;
        fetched += share;
    }
    fetch(ahead->write, fetched, ahead->write_bytes);
    parscan_compact_write(pass, to + done, from + done, size - done);
}

static void write_tile(const compact_pass *pass, const compact_tile *tile, const char *buffer,
                       const read_ahead *ahead)
{
    const size_t kept = (size_t)tile->before.kept;
    const size_t bytes = tile->kept * pass->size;
    if (!pass->partition) {
        write_and_fetch(pass, pass->values + kept * pass->size, buffer,
                        parscan_compact_fit(pass, kept, tile->kept) * pass->size, ahead);
        return;
    }
    read_ahead first = *ahead, second = *ahead;
    first.write_bytes = ahead->write_bytes / 2 / LINE * LINE;
    second.write_bytes -= first.write_bytes;
    if (second.write != NULL)
        second.write += first.write_bytes;
    write_and_fetch(pass, pass->values + kept * pass->size, buffer, bytes, &first);
    /* The elements may have changed since those of the first part were counted. */
    const size_t rest = tile->n - tile->kept, place = pass->rest_at + tile->begin - kept;
    const size_t last = pass->n - rest;
    write_and_fetch(pass, pass->values + (place < last ? place : last) * pass->size, buffer + bytes,
                    rest * pass->size, &second);
}

/* Clears all bits of a tile but the first `kept`. */
static void keep_first(const uint64_t *keep, size_t words, size_t kept, uint64_t *first)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t bits = keep[w], left = keep[w];
        for (; left != 0 && kept > 0; kept--)
            left &= left - 1;
        first[w] = bits ^ left;
    }
}

static void move_records(const compact_pass *pass, const compact_tile *tile, const char *in,
                         size_t size, char *out)
{
    uint64_t first[COMPACT_TILE_BYTES / KEEP_BITS];
    const size_t kept = (size_t)tile->before.kept;
    const size_t fit = parscan_compact_fit(pass, kept, tile->kept);
    if (fit < tile->kept)
        keep_first(tile->keep, (tile->n + KEEP_BITS - 1) / KEEP_BITS, fit, first);
    parscan_compact_records(in + tile->begin * size, size, tile->n,
                            fit < tile->kept ? first : tile->keep, out + kept * size);
}

/* Packs the second array, unless its records are large. */
static void pack_beside(const compact_pass *pass, const compact_tile *tile, const uint64_t *keep,
                        char *buffer)
{
    const compact_moved *const beside = &pass->beside;
    if (beside->out == NULL || parscan_compact_is_large(pass, beside->size))
        return;
    const char *const in = beside->in + tile->begin * beside->size;
    if (beside->move == NULL)
        parscan_compact_records(in, beside->size, tile->n, keep, buffer);
    else
        beside->move->compress(in, tile->n, keep, buffer, (compact_ahead){NULL, 0});
}

static void write_beside(const compact_pass *pass, const compact_tile *tile, const char *buffer)
{
    const compact_moved *const beside = &pass->beside;
    const size_t kept = (size_t)tile->before.kept;
    if (beside->out == NULL)
        return;
    if (parscan_compact_is_large(pass, beside->size))
        move_records(pass, tile, beside->in, beside->size, beside->out);
    else
        parscan_compact_write(pass, beside->out + kept * beside->size, buffer,
                              parscan_compact_fit(pass, kept, tile->kept) * beside->size);
}

static void write_results(const compact_pass *pass, const compact_tile *tile, const char *buffer,
                          const read_ahead *ahead)
{
    if (parscan_compact_is_straight(pass))
        move_records(pass, tile, pass->in, pass->size, pass->values);
    else if (pass->values != NULL)
        write_tile(pass, tile, buffer, ahead);
    if (pass->place != NULL)
        pass->place(pass, tile);
}

compact_summary parscan_compact_take_tile(const compact_pass *pass, compact_tile *tile,
                                          uint64_t *keep, const tile_buffers *buffers,
                                          const read_ahead *ahead)
{
    tile->ahead = ahead->place;
    tile->kept = parscan_compact_find(pass, tile, keep, ahead->test);
    const compact_summary summary = parscan_compact_summary(pass, tile);
    pack_beside(pass, tile, keep, buffers->beside);
    if (pass->values != NULL && !parscan_compact_is_straight(pass))
        pack(pass, tile, keep, buffers->elements, ahead->pack);
    return summary;
}

void parscan_compact_put_tile(const compact_pass *pass, compact_tile *tile,
                              const compact_summary *summary, const compact_before *before,
                              uint64_t *keep, const tile_buffers *buffers, const read_ahead *ahead)
{
    const bool joined = parscan_run_goes_on(pass, before, summary);
    tile->before = *before;
    keep[0] -= joined;
    tile->kept -= joined;
    write_results(pass, tile, buffers->elements + joined * pass->size, ahead);
    write_beside(pass, tile, buffers->beside + joined * pass->beside.size);
}
