/*
 * Joins on the CPU, in two passes:
 *
 *     match   The merge path of left and right is cut into tiles. For each element of left a tile notes
 *             where its equal elements begin in right, and how many there are, and counts its pairs. Few
 *             bytes are noted, so that the second pass does not read left and right again.
 *     write   The pairs are written from the notes. A tile with many pairs is written in pieces, by several
 *             threads.
 *
 * Elements are read once, and what is written follows the notes alone, so elements that change during the
 * call move no write.
 */
#include <inttypes.h>
#include <string.h>

#include "apps/join/join_call.h"
#include "apps/join/join_kernels.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    SHARES = 4,             /* ranges of tiles for each thread */
    FEW_BYTES = 16,         /* of pairs that are written without a branch, in each output */
    STAGED_PAIRS = 1024,    /* that are in order before they are stored */
    PIECE_PAIRS = 64 << 10, /* of a tile, that one thread writes at once */
    NOTE_BYTES = sizeof(uint16_t) + sizeof(uint8_t)
};

/* What is noted of a tile. */
typedef struct tile_notes {
    size_t left, right;    /* its first elements */
    uint64_t pairs, piece; /* pairs and pieces before it; in the first pass its own pairs */
    uint64_t many[JOIN_MANY_ROOM];
} tile_notes;

typedef struct join_pass {
    const join_call *call;
    const join_kernels *kernels;
    const place_kernels *places;
    key_order order;
    size_t tiles, shares;
    tile_notes *notes; /* tiles + 1 of them; of the last one only what is before it */
    uint16_t *first;   /* of each element of left */
    uint8_t *equal;
} join_pass;

static const join_kernels *kernels_of(key_class kind)
{
    static const join_kernels *const kernels[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = &JOIN_KERNELS_OF(name),
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return kernels[kind];
}

static size_t elements_of(const join_call *call)
{
    return call->left.n + call->right.n;
}

/* The elements before a tile. */
static size_t tile_begin(const join_pass *p, size_t tile)
{
    return size_min(tile * JOIN_TILE, elements_of(p->call));
}

static size_t share_begin(const join_pass *p, size_t share)
{
    return p->tiles / p->shares * share + size_min(share, p->tiles % p->shares);
}

/* ---- match ---- */

/* The elements of left among the next `size` ones after i of left and j of right, before the ends. */
static size_t cross_after(const join_pass *p, size_t i, size_t i_end, size_t j, size_t j_end,
                          size_t size)
{
    const size_t bytes = p->call->size;
    return p->kernels->cross(&p->order, p->call->left.keys + i * bytes, i_end - i,
                             p->call->right.keys + j * bytes, j_end - j, size);
}

/* Notes where each share begins, after the one before it: then shares never meet, also in arrays that
   are not in order. */
static void cut_shares(const join_pass *p)
{
    size_t i = 0, j = 0;
    for (size_t share = 0; share <= p->shares; share++) {
        const size_t tile = share_begin(p, share), size = tile_begin(p, tile) - (i + j);
        const size_t of_left = cross_after(p, i, p->call->left.n, j, p->call->right.n, size);
        i += of_left;
        j += size - of_left;
        p->notes[tile].left = i;
        p->notes[tile].right = j;
    }
}

/* The pairs of n elements of left. */
static uint64_t pairs_of(const join_call *call, join_counts counts, size_t n)
{
    switch (call->kind) {
    case PARSCAN_JOIN_SEMI:
        return counts.matched;
    case PARSCAN_JOIN_ANTI:
        return n - counts.matched;
    case PARSCAN_JOIN_LEFT:
        return counts.pairs > UINT64_MAX - n ? UINT64_MAX : counts.pairs + (n - counts.matched);
    default:
        return counts.pairs;
    }
}

static uint64_t match_tile(const join_pass *p, size_t tile, size_t n, size_t n2)
{
    const join_call *const call = p->call;
    tile_notes *const notes = &p->notes[tile];
    const join_tile t = {.places = p->places,
                         .left = call->left.keys + notes->left * call->size,
                         .right = call->right.keys + notes->right * call->size,
                         .n = n,
                         .n2 = n2,
                         .beyond = call->right.n - notes->right,
                         .first = p->first + notes->left,
                         .equal = p->equal + notes->left,
                         .many = notes->many};
    const bool once = call->kind == PARSCAN_JOIN_SEMI || call->kind == PARSCAN_JOIN_ANTI;
    return pairs_of(call, p->kernels->match(&p->order, &t, once), n);
}

static void match_share(void *state, size_t share, unsigned worker)
{
    const join_pass *const p = state;
    const size_t begin = share_begin(p, share), end = share_begin(p, share + 1);
    const size_t i_end = p->notes[end].left, j_end = p->notes[end].right;
    size_t i = p->notes[begin].left, j = p->notes[begin].right;
    (void)worker;
    for (size_t tile = begin; tile < end; tile++) {
        const size_t size = tile_begin(p, tile + 1) - tile_begin(p, tile);
        const size_t of_left = cross_after(p, i, i_end, j, j_end, size);
        if (tile > begin) {
            p->notes[tile].left = i;
            p->notes[tile].right = j;
        }
        p->notes[tile].pairs = match_tile(p, tile, of_left, size - of_left);
        i += of_left;
        j += size - of_left;
    }
}

/* Makes sums of the pairs of the tiles. */
static parscan_status sum_pairs(const join_pass *p, uint64_t *total)
{
    uint64_t pairs = 0, piece = 0;
    for (size_t tile = 0; tile <= p->tiles; tile++) {
        const uint64_t own = tile < p->tiles ? p->notes[tile].pairs : 0;
        p->notes[tile].pairs = pairs;
        p->notes[tile].piece = piece;
        piece += (own + PIECE_PAIRS - 1) / PIECE_PAIRS;
        if (own == UINT64_MAX || __builtin_add_overflow(pairs, own, &pairs)) {
            *total = UINT64_MAX;
            return parscan_fail(p->call->context, PARSCAN_ERROR_OVERFLOW,
                                "total does not fit 64 bits");
        }
    }
    *total = pairs;
    return pairs <= p->call->capacity ? PARSCAN_OK : parscan_fail_pairs(p->call, pairs);
}

/* ---- write ---- */

#define JOIN_FUNCTION static inline __attribute__((always_inline))

JOIN_FUNCTION void put_index(const size_t size, char *out, uint64_t at, uint64_t index)
{
    if (size == 4) {
        const uint32_t narrow = (uint32_t)index;
        memcpy(out + at * 4, &narrow, 4);
    } else {
        memcpy(out + at * 8, &index, 8);
    }
}

/* A number of pairs of one element of left. */
typedef struct pair_run {
    uint64_t count, left, right;
} pair_run;

/* Where a thread writes. */
typedef struct pair_writer {
    char *left, *right; /* the outputs; NULL: not wanted */
    uint64_t to;
    /* The last pairs: stores that overlap are in the cache, where they wait for no memory. */
    size_t staged;
    char left_stage[STAGED_PAIRS * 8], right_stage[STAGED_PAIRS * 8];
} pair_writer;

JOIN_FUNCTION void put_run(const size_t size, char *left, char *right, pair_run run)
{
    if (left != NULL)
        for (uint64_t k = 0; k < run.count; k++)
            put_index(size, left, k, run.left);
    if (right != NULL)
        for (uint64_t k = 0; k < run.count; k++)
            put_index(size, right, k, run.right + k);
}

static char *place_in(char *out, uint64_t bytes)
{
    return out == NULL ? NULL : out + bytes;
}

static void flush(pair_writer *w, size_t size)
{
    if (w->left != NULL)
        memcpy(w->left + w->to * size, w->left_stage, w->staged * size);
    if (w->right != NULL)
        memcpy(w->right + w->to * size, w->right_stage, w->staged * size);
    w->to += w->staged;
    w->staged = 0;
}

/* A few pairs are written without a branch: the next ones overwrite those that there are not. */
JOIN_FUNCTION void write_run(const size_t size, pair_writer *w, pair_run run)
{
    const uint64_t few = FEW_BYTES / size, count = run.count;
    if (count <= few) {
        char *const left = w->left_stage + w->staged * size;
        char *const right = w->right_stage + w->staged * size;
        run.count = few;
        put_run(size, left, right, run);
        w->staged += count;
        if (w->staged > STAGED_PAIRS - few)
            flush(w, size);
        return;
    }
    flush(w, size);
    put_run(size, place_in(w->left, w->to * size), place_in(w->right, w->to * size), run);
    w->to += count;
}

/* Where a thread is in the notes of a tile. */
typedef struct note_cursor {
    size_t many, many_at; /* the number in `many` of the element that is equal to `many_at` */
} note_cursor;

/* The equal elements of element i of left. */
JOIN_FUNCTION uint64_t equal_of(const join_pass *p, const tile_notes *notes, note_cursor *at,
                                size_t i)
{
    if (p->equal[i] < JOIN_MANY)
        return p->equal[i];
    if (p->first[i] != at->many_at) {
        at->many += at->many_at != SIZE_MAX;
        at->many_at = p->first[i];
    }
    return notes->many[at->many];
}

JOIN_FUNCTION uint64_t count_of(const parscan_join_kind kind, uint64_t equal)
{
    return kind == PARSCAN_JOIN_ANTI                 ? equal == 0
           : kind == PARSCAN_JOIN_LEFT && equal == 0 ? 1
                                                     : equal;
}

/* Writes the pairs from number `skipped` of the tile on, at [to, end) of the outputs. */
JOIN_FUNCTION void write_pairs(const size_t size, const parscan_join_kind kind, const join_pass *p,
                               size_t tile, uint64_t skipped, uint64_t to, uint64_t end)
{
    const join_call *const call = p->call;
    const tile_notes *const notes = &p->notes[tile];
    const size_t i_end = notes[1].left;
    pair_writer w = {.left = call->left_out, .right = call->right_out, .to = to};
    note_cursor at = {.many_at = SIZE_MAX};
    size_t i = notes[0].left;
    uint64_t equal = 0;
    for (; i < i_end; i++) {
        equal = equal_of(p, notes, &at, i);
        if (skipped < count_of(kind, equal))
            break;
        skipped -= count_of(kind, equal);
    }
    while (i < i_end) {
        const uint64_t left = end - w.to - w.staged, count = count_of(kind, equal) - skipped;
        const uint64_t first =
            kind == PARSCAN_JOIN_LEFT && equal == 0 ? call->right.n : notes->right + p->first[i];
        if (left == 0)
            break;
        write_run(
            size, &w,
            (pair_run){.count = count < left ? count : left, .left = i, .right = first + skipped});
        skipped = 0;
        if (++i < i_end)
            equal = equal_of(p, notes, &at, i);
    }
    flush(&w, size);
}

typedef void tile_writer(const join_pass *p, size_t tile, uint64_t skipped, uint64_t to,
                         uint64_t end);

#define WRITER(name, kind, size)                                                                   \
    static void name(const join_pass *p, size_t tile, uint64_t skipped, uint64_t to, uint64_t end) \
    {                                                                                              \
        write_pairs(size, kind, p, tile, skipped, to, end);                                        \
    }
#define WRITERS(name, kind)   \
    WRITER(name##_4, kind, 4) \
    WRITER(name##_8, kind, 8)
WRITERS(write_inner, PARSCAN_JOIN_INNER)
WRITERS(write_left, PARSCAN_JOIN_LEFT)
WRITERS(write_anti, PARSCAN_JOIN_ANTI)

static tile_writer *writer_of(const join_call *call)
{
    const bool narrow = parscan_type_size(call->index_type) == 4;
    switch (call->kind) {
    case PARSCAN_JOIN_LEFT:
        return narrow ? write_left_4 : write_left_8;
    case PARSCAN_JOIN_ANTI:
        return narrow ? write_anti_4 : write_anti_8;
    default:
        return narrow ? write_inner_4 : write_inner_8;
    }
}

/* The tile of a piece: the last one with at most so many pieces before it. */
static size_t tile_of(const join_pass *p, uint64_t piece)
{
    size_t low = 0, high = p->tiles - 1;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (p->notes[middle].piece <= piece)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void write_piece(void *state, size_t piece, unsigned worker)
{
    const join_pass *const p = state;
    const size_t tile = tile_of(p, piece);
    const uint64_t skipped = (piece - p->notes[tile].piece) * PIECE_PAIRS;
    const uint64_t to = p->notes[tile].pairs + skipped, after = p->notes[tile + 1].pairs;
    (void)worker;
    writer_of(p->call)(p, tile, skipped, to, after - to < PIECE_PAIRS ? after : to + PIECE_PAIRS);
}

/* ---- all ---- */

static size_t scratch_bytes(const join_call *call, size_t tiles)
{
    return (tiles + 1) * sizeof(tile_notes) + call->left.n * NOTE_BYTES;
}

parscan_status parscan_join_cpu(const join_call *call, uint64_t *total)
{
    parscan_context *const context = call->context;
    const size_t elements = elements_of(call), tiles = (elements + JOIN_TILE - 1) / JOIN_TILE;
    void *memory;
    *total = 0;
    if (call->left.n == 0)
        return PARSCAN_OK;
    const parscan_status status = parscan_scratch(context, scratch_bytes(call, tiles), &memory);
    if (status != PARSCAN_OK)
        return status;
    if (context->measures) {
        *total = call->capacity;
        return PARSCAN_OK;
    }
    join_call joined = *call;
    if (joined.right.n == 0) /* its place may be NULL, which nothing is added to */
        joined.right.keys = joined.left.keys;
    const unsigned threads = parscan_threads_for(context, elements * call->size);
    join_pass p = {.call = &joined,
                   .kernels = kernels_of(parscan_type_traits_of(call->type).key),
                   .places = parscan_place_kernels(call->size, context->isa),
                   .order = parscan_key_order(call->type, false, 0, 8 * (unsigned)call->size),
                   .tiles = tiles,
                   .shares = size_min(tiles, threads == 1 ? 1 : (size_t)threads * SHARES),
                   .notes = memory};
    p.first = (uint16_t *)(p.notes + tiles + 1);
    p.equal = (uint8_t *)(p.first + call->left.n);
    cut_shares(&p);
    parscan_team_for(context, threads, p.shares, 1, match_share, &p);
    const parscan_status summed = sum_pairs(&p, total);
    if (summed != PARSCAN_OK || (call->left_out == NULL && call->right_out == NULL))
        return summed;
    const size_t pieces = (size_t)p.notes[tiles].piece;
    const size_t written = size_min(*total, SIZE_MAX / 16) * 16;
    parscan_team_for(context, parscan_threads_for(context, written), pieces, 1, write_piece, &p);
    return PARSCAN_OK;
}
