/*
 * Stream compaction on the CPU: one pass over memory; a look-back tells each tile what comes before
 * it.
 *
 * Compaction is flags -> exclusive scan -> scatter. A thread takes a tile, finds which elements are
 * kept (the flags, as bits) and packs them into a buffer. The scan is over the numbers of kept
 * elements: the look-back (scan/cpu/look_back.h) tells where the tile's elements go. The thread
 * writes its buffer there in whole lines. So every element is read once, and every kept element is
 * written once.
 *
 * This is safe in place. A tile's elements are written at or before the tile's own place, and a
 * thread publishes a tile only after it has read and packed all of it. So when a tile is written,
 * all elements that it overwrites have been read. A tile of another thread can no longer be read
 * then; so in place, nobody reduces a late tile of another thread.
 *
 * A second array (compact_pass.beside) is packed by the same bits to a buffer of its own, at the same time.
 *
 * For runs, the element before a tile tells whether a run continues in the tile. It may have been
 * overwritten by then, so the prefix carries it.
 *
 * Source: M. Billeter, O. Olsson, U. Assarsson, Efficient Stream Compaction on Wide SIMD Many-core
 * Architectures, HPG 2009; D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled
 * Look-back, NVIDIA, 2016, for the single pass.
 */
#include "apps/compact/compact_summary.h"

#include <string.h>

#include "scan/tables.h"

#define SUMMARY compact_summary
#define PREFIX compact_before
#include "scan/cpu/look_back.h"

/* Bytes of input from which on results bypass the caches, since they would not fit. */
#define COMPACT_STREAM_FROM_BYTES (4u << 20)

/* Bytes written at once from which on streaming stores pay. */
#define STREAM_TILE_FROM_BYTES 256u

enum { LINE = 64, PIECE = 8 * LINE, COUNT_TILES = 16 /* that a thread takes at once */ };

const compact_element *parscan_compact_element(parscan_type type)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...)                              \
    case PARSCAN_##NAME: {                                           \
        extern const compact_element parscan_compact_element_##name; \
        return &parscan_compact_element_##name;                      \
    }
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

extern const place_kernels parscan_place_kernels_portable, parscan_place_kernels_avx2,
    parscan_place_kernels_avx512;

const place_kernels *parscan_place_kernels(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_place_kernels_portable, &parscan_place_kernels_avx2,
                          &parscan_place_kernels_avx512);
}

void parscan_compact_elements(compact_pass *pass, parscan_type type, const void *in)
{
    const compact_element *const element = parscan_compact_element(type);
    pass->in = pass->tested = in;
    pass->size = pass->tested_size = element->size;
    pass->test = pass->move = element->kernels_of(pass->context->isa);
}

/* The bytes of an element of the widest array. */
static size_t widest(const compact_pass *pass)
{
    const size_t size = pass->size > pass->tested_size ? pass->size : pass->tested_size;
    return pass->beside.size > size ? pass->beside.size : size;
}

/* The number of elements in a tile: whole words of bits, as many as fit, but at least one word. */
static size_t tile_elements(const compact_pass *pass)
{
    const size_t words = pass->tile_bytes / widest(pass) / KEEP_BITS;
    return words > 0 ? words * KEEP_BITS : KEEP_BITS;
}

static size_t tile_count(const compact_pass *pass)
{
    return pass->n / pass->tile + (pass->n % pass->tile != 0);
}

static compact_tile tile_at(const compact_pass *pass, size_t number, const uint64_t *keep)
{
    const size_t begin = number * pass->tile, left = pass->n - begin;
    return (compact_tile){.begin = begin, .n = left < pass->tile ? left : pass->tile, .keep = keep};
}

void parscan_compact_write(const compact_pass *pass, char *to, const void *from, size_t size)
{
    if (pass->stream && size >= STREAM_TILE_FROM_BYTES)
        pass->kernels->stream(to, from, size);
    else
        memcpy(to, from, size);
}

/* The parts of the next tile that are prefetched while this tile is tested, packed and written.
   Spread like this, a core always has reads of main memory in flight, but never so many that its
   own loads wait for them. */
typedef struct read_ahead {
    compact_ahead test, pack, place;
    const char *write;
    size_t write_bytes;
} read_ahead;

static read_ahead ahead_of(const compact_pass *pass, size_t number)
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
    if (pass->values == NULL)
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

static size_t find(const compact_pass *pass, const compact_tile *tile, uint64_t *keep,
                   compact_ahead ahead)
{
    const char *const tested = pass->tested + tile->begin * pass->tested_size;
    return pass->runs ? pass->test->heads(tested, tile->n, keep, ahead)
                      : pass->test->in_range(&pass->range, tested, tile->n, keep, ahead);
}

/* Packs the kept elements of a tile into a buffer. For a partition, the other elements follow
   them. */
static void pack(const compact_pass *pass, const compact_tile *tile, uint64_t *keep, char *buffer,
                 compact_ahead ahead)
{
    const char *const in = pass->in + tile->begin * pass->size;
    if (pass->move == NULL) {
        parscan_compact_records(in, pass->size, tile->n, keep, buffer);
        return;
    }
    pass->move->compress(in, tile->n, keep, buffer, ahead);
    if (!pass->partition)
        return;
    const size_t words = (tile->n + KEEP_BITS - 1) / KEEP_BITS;
    for (size_t w = 0; w < words; w++)
        keep[w] = ~keep[w];
    if (tile->n % KEEP_BITS != 0)
        keep[words - 1] &= UINT64_MAX >> (KEEP_BITS - tile->n % KEEP_BITS);
    ahead.from = NULL;
    pass->move->compress(in, tile->n, keep, buffer + tile->kept * pass->size, ahead);
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

/* The pass on several threads. */
typedef struct compact_team {
    const compact_pass *pass;
    tile_plan plan;
    /* A thread has a buffer and twice the bits of a tile, and then the buffer of the second array. */
    size_t buffer_bytes, keep_bytes;
    look_back look_back;
} compact_team;

static compact_summary summarise_tile(const void *state, void *work, size_t number)
{
    const compact_pass *const pass = state;
    uint64_t *const keep = work;
    compact_tile tile = tile_at(pass, number, keep);
    tile.kept = find(pass, &tile, keep, (compact_ahead){NULL, 0});
    return parscan_compact_summary(pass, &tile);
}

static const tile_functions counts = {.add = parscan_compact_add, .summarise = summarise_tile};
static const tile_functions counts_in_place = {.add = parscan_compact_add, .summarise = NULL};

/* Records too large for a buffer are written directly to their place. */
static bool is_large(const compact_pass *pass, size_t size)
{
    return pass->tile * size > pass->tile_bytes;
}

static bool is_straight(const compact_pass *pass)
{
    return pass->values != NULL && is_large(pass, pass->size);
}

static bool is_in_place(const compact_pass *pass)
{
    return pass->values == pass->in ||
           (pass->beside.out != NULL && pass->beside.out == pass->beside.in);
}

/* Packs the second array, unless its records are large. */
static void pack_beside(const compact_pass *pass, const compact_tile *tile, const uint64_t *keep,
                        char *buffer)
{
    const compact_moved *const beside = &pass->beside;
    if (beside->out == NULL || is_large(pass, beside->size))
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
    if (is_large(pass, beside->size))
        move_records(pass, tile, beside->in, beside->size, beside->out);
    else
        parscan_compact_write(pass, beside->out + kept * beside->size, buffer,
                              parscan_compact_fit(pass, kept, tile->kept) * beside->size);
}

static void write_results(const compact_pass *pass, const compact_tile *tile, const char *buffer,
                          const read_ahead *ahead)
{
    if (is_straight(pass))
        move_records(pass, tile, pass->in, pass->size, pass->values);
    else if (pass->values != NULL)
        write_tile(pass, tile, buffer, ahead);
    if (pass->place != NULL)
        pass->place(pass, tile);
}

/* The buffers of a tile. */
typedef struct tile_buffers {
    char *elements, *beside;
} tile_buffers;

/* Tests a tile and packs it. Returns what it contributes. */
static compact_summary take_tile(const compact_pass *pass, compact_tile *tile, uint64_t *keep,
                                 const tile_buffers *buffers, const read_ahead *ahead)
{
    tile->ahead = ahead->place;
    tile->kept = find(pass, tile, keep, ahead->test);
    const compact_summary summary = parscan_compact_summary(pass, tile);
    pack_beside(pass, tile, keep, buffers->beside);
    if (pass->values != NULL && !is_straight(pass))
        pack(pass, tile, keep, buffers->elements, ahead->pack);
    return summary;
}

/* Tells a tile its prefix, and writes its results. */
static void put_tile(const compact_pass *pass, compact_tile *tile, const compact_summary *summary,
                     const compact_before *before, uint64_t *keep, const tile_buffers *buffers,
                     const read_ahead *ahead)
{
    const bool joined = parscan_run_goes_on(pass, before, summary);
    tile->before = *before;
    keep[0] -= joined;
    tile->kept -= joined;
    write_results(pass, tile, buffers->elements + joined * pass->size, ahead);
    write_beside(pass, tile, buffers->beside + joined * pass->beside.size);
}

/* The work of one thread. */
static void compact_tiles(void *state, size_t part)
{
    compact_team *const team = state;
    const compact_pass *const pass = team->pass;
    look_back *const l = &team->look_back;
    char *const buffer = team->plan.work + part * team->plan.work_bytes;
    uint64_t *const keep = (uint64_t *)(buffer + team->buffer_bytes);
    char *const second = buffer + team->buffer_bytes + team->keep_bytes;
    const tile_buffers buffers = {buffer, second + team->keep_bytes};
    const tile_functions *const functions = is_in_place(pass) ? &counts_in_place : &counts;
    size_t number = look_back_claim(l);
    while (number < l->tiles) {
        const size_t next = look_back_early(l);
        compact_tile tile = tile_at(pass, number, keep);
        const read_ahead ahead = ahead_of(pass, next);
        const compact_summary summary = take_tile(pass, &tile, keep, &buffers, &ahead);
        look_back_publish(l, number, &summary);
        const compact_before before = look_back_prefix(l, number, functions, pass, second);
        const compact_before through = parscan_compact_add(pass, &before, &summary);
        look_back_pass(l, number, &through);
        put_tile(pass, &tile, &summary, &before, keep, &buffers, &ahead);
        number = look_back_next(l, next);
    }
    if (pass->stream)
        pass->kernels->fence();
}

/* The same on one thread. beside: room for a tile of the second array. */
static compact_before compact_tiles_in(const compact_pass *pass, char *beside)
{
    alignas(64) char buffer[COMPACT_TILE_BYTES + COMPACT_SLACK];
    const tile_buffers buffers = {buffer, beside};
    uint64_t keep[COMPACT_TILE_BYTES / KEEP_BITS];
    compact_before before = {0};
    for (size_t number = 0; number < tile_count(pass); number++) {
        compact_tile tile = tile_at(pass, number, keep);
        const read_ahead ahead = ahead_of(pass, number + 1);
        const compact_summary summary = take_tile(pass, &tile, keep, &buffers, &ahead);
        put_tile(pass, &tile, &summary, &before, keep, &buffers, &ahead);
        before = parscan_compact_add(pass, &before, &summary);
    }
    if (pass->stream)
        pass->kernels->fence();
    return before;
}

static __attribute__((noinline)) compact_before compact_two_alone(const compact_pass *pass)
{
    alignas(64) char beside[COMPACT_TILE_BYTES + COMPACT_SLACK];
    return compact_tiles_in(pass, beside);
}

static compact_before compact_tiles_alone(const compact_pass *pass)
{
    char none;
    return pass->beside.out != NULL ? compact_two_alone(pass) : compact_tiles_in(pass, &none);
}

static size_t round_up(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static compact_before compact_in_parallel(const compact_pass *pass, const tile_plan *plan)
{
    compact_team team = {.pass = pass, .plan = *plan};
    team.buffer_bytes = round_up(pass->tile_bytes + COMPACT_SLACK);
    team.keep_bytes = round_up(pass->tile / KEEP_BITS * sizeof(uint64_t));
    look_back_begin(&team.look_back, plan, tile_count(pass), pass->tile_bytes, (compact_before){0},
                    is_in_place(pass));
    parscan_team_run(pass->context, plan->threads, compact_tiles, &team);
    return look_back_end(&team.look_back);
}

/* Sets the tiles of the pass. A tile and its buffer share the caches, so a tile is half as large as
   those of other passes; whole words of bits may make it half of that. */
static tile_plan plan_compact_tiles(compact_pass *pass)
{
    const bool two = pass->beside.out != NULL;
    const tile_demand demand = {
        .bytes = pass->n * widest(pass),
        .slot_bytes = 4 * sizeof(tile_slot),
        .work_eighths = two ? 9 : 5,
        .work_bytes = (two ? 2 : 1) * (COMPACT_SLACK + 4 * LINE),
    };
    tile_plan plan = parscan_plan_tiles(pass->context, &demand);
    pass->tile_bytes = plan.tile_bytes / 2;
    pass->tile = tile_elements(pass);
    /* In place, a record that does not go through a buffer must not be overwritten before it is
       moved: one thread moves all in order. */
    if ((is_straight(pass) || is_large(pass, pass->beside.size)) && is_in_place(pass))
        plan.threads = 1;
    return plan;
}

void parscan_compact_run(compact_pass *pass, compact_before *end)
{
    const tile_plan divided = plan_compact_tiles(pass);
    pass->kernels = parscan_place_kernels(pass->context->isa);
    pass->stream = pass->n >= COMPACT_STREAM_FROM_BYTES / pass->size;
    if (divided.threads == 1) {
        pass->tile_bytes = COMPACT_TILE_BYTES;
        pass->tile = tile_elements(pass);
        *end = compact_tiles_alone(pass);
    } else {
        *end = compact_in_parallel(pass, &divided);
    }
}

void parscan_compact_measure(compact_pass *pass)
{
    plan_compact_tiles(pass);
}

/* ---- only counting ---- */

typedef struct count_pass {
    const compact_pass *pass;
    atomic_uint_least64_t kept;
} count_pass;

static void count_tile(void *state, size_t number, unsigned worker)
{
    count_pass *const c = state;
    uint64_t keep[COMPACT_TILE_BYTES / KEEP_BITS];
    (void)worker;
    const compact_tile tile = tile_at(c->pass, number, keep);
    size_t kept = find(c->pass, &tile, keep, (compact_ahead){NULL, 0});
    if (c->pass->runs && tile.begin > 0) { /* the first element may go on with a run */
        const char *const first = c->pass->tested + tile.begin * c->pass->tested_size;
        kept -= c->pass->test->same(first - c->pass->tested_size, first);
    }
    atomic_fetch_add_explicit(&c->kept, kept, memory_order_relaxed);
}

uint64_t parscan_compact_count(compact_pass *pass)
{
    count_pass c = {.pass = pass};
    atomic_init(&c.kept, 0);
    pass->tile_bytes = COMPACT_TILE_BYTES;
    pass->tile = tile_elements(pass);
    parscan_team_for(pass->context, parscan_threads_for(pass->context, pass->n * pass->size),
                     tile_count(pass), COUNT_TILES, count_tile, &c);
    return atomic_load_explicit(&c.kept, memory_order_relaxed);
}
