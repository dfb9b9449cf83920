/*
 * Bounds of needles, tile by tile. Compiled once for each class of keys.
 *
 * A tile is read once, as ranks, signed integers which compare as the keys do. If they are not in order, the tile is
 * searched in groups: all needles of a group halve their ranges in lockstep, without a branch, so that they wait for
 * memory together. If they are, the keys after the bound of the tile before are read, as ranks too, and compared
 * with the needles by vectors (apps/merge/places.h). Needles that are too far apart for that are searched as before.
 *
 * Whatever the keys are, each bound stays between 0 and count: a range is only ever halved, and a place is at
 * most the number of keys that were read.
 */
#include "apps/search/bounds_kernels.h"

#include <string.h>

#include "apps/merge/place_ranks.h"

enum {
    KEYS_ROOM = 2048,                   /* keys that are compared with needles in order, */
    KEYS_AT_ONCE = 128,                 /* and are read so many at a time; */
    LEAST_NEEDLES = 16,                 /* with so many needles at least, */
    SEARCHED_NEEDLES = 4 * BOUNDS_GROUP /* or so many are searched before keys are read again */
};

/* The needles of a tile. */
typedef struct needle_tile {
    place_rank ranks[BOUNDS_TILE + BOUNDS_GROUP]; /* the last one is repeated */
    size_t begin, n;
} needle_tile;

/* The order of a search by all bits, as the compiler is to know it. */
KERNEL key_order order_of(const bounds_search *s)
{
    return (key_order){.flip = s->order.flip, .keep = UINT64_MAX};
}

KERNEL place_rank rank_at(const bounds_search *s, size_t i)
{
    const key_order order = order_of(s);
    return place_rank_of(rank(&order, key(s->sorted, i)));
}

/* Whether a key comes before the bound of a needle. */
KERNEL bool is_before(place_rank of_key, place_rank needle, bool upper)
{
    return upper ? of_key <= needle : of_key < needle;
}

/* n or, if not `is`, 0, without a branch. */
KERNEL size_t only_if(bool is, size_t n)
{
    return n & (0 - (size_t)is);
}

/* Without an array of needles, needle i has the i-th rank. */
static void read_tile(const bounds_search *s, size_t number, needle_tile *tile)
{
    const key_order order = order_of(s);
    const size_t begin = number * BOUNDS_TILE, left = s->n - begin;
    const size_t n = left < BOUNDS_TILE ? left : BOUNDS_TILE;
    tile->begin = begin;
    tile->n = n;
    if (s->values != NULL)
        read_ranks(s->places, &order, false, s->values + begin * sizeof(KEY), n, tile->ranks);
    else
        for (size_t i = 0; i < n; i++)
            tile->ranks[i] = place_rank_of((KEY)(begin + i));
    for (size_t i = n; i < n + BOUNDS_GROUP; i++)
        tile->ranks[i] = tile->ranks[n - 1];
}

static bool is_in_order(const bounds_search *s, const needle_tile *tile)
{
    return s->places->in_order(tile->ranks, tile->n);
}

/* ---- one group ---- */

/* The bounds of a group lie in the `length` keys from at[i] on: finds them. */
KERNEL void halve(const bounds_search *s, const place_rank *needles, size_t *at, size_t length,
                  bool upper)
{
    for (; length > 1; length -= length / 2) {
        const size_t half = length / 2;
        for (size_t i = 0; i < BOUNDS_GROUP; i++)
            at[i] += only_if(is_before(rank_at(s, at[i] + half - 1), needles[i], upper), half);
    }
    if (length == 1)
        for (size_t i = 0; i < BOUNDS_GROUP; i++)
            at[i] += is_before(rank_at(s, at[i]), needles[i], upper);
}

KERNEL place_rank sample_at(const bounds_search *s, size_t i)
{
    return (signed_key)key(s->sample, i);
}

/* The block of each needle, by the sample. */
KERNEL void find_blocks(const bounds_search *s, const place_rank *needles, size_t *at, bool upper)
{
    for (size_t half = (s->samples + 1) / 2; half > 0; half /= 2)
        for (size_t i = 0; i < BOUNDS_GROUP; i++)
            at[i] += only_if(is_before(sample_at(s, at[i] + half - 1), needles[i], upper), half);
}

KERNEL void search(const bounds_search *s, const place_rank *needles, size_t *at, bool upper)
{
    memset(at, 0, BOUNDS_GROUP * sizeof *at);
    if (s->sample == NULL) {
        halve(s, needles, at, s->count, upper);
        return;
    }
    find_blocks(s, needles, at, upper);
    /* The last block may reach beyond the keys: then it starts earlier. */
    const size_t last = s->count - s->stride;
    for (size_t i = 0; i < BOUNDS_GROUP; i++)
        at[i] = at[i] * s->stride < last ? at[i] * s->stride : last;
    halve(s, needles, at, s->stride, upper);
}

/* ---- bounds are written ---- */

KERNEL void put_bound(char *out, size_t i, uint64_t bound, const bool wide)
{
    const uint32_t narrow = (uint32_t)bound;
    if (wide)
        memcpy(out + i * sizeof bound, &bound, sizeof bound);
    else
        memcpy(out + i * sizeof narrow, &narrow, sizeof narrow);
}

/* Of n needles: places from key `at` on. */
KERNEL void put_places(const bounds_search *s, size_t begin, size_t n, size_t at,
                       const uint16_t *places)
{
    char *const out = s->out;
    if (s->wide)
        for (size_t i = 0; i < n; i++)
            put_bound(out, begin + i, at + places[i], true);
    else
        for (size_t i = 0; i < n; i++)
            put_bound(out, begin + i, (uint32_t)at + places[i], false);
}

/* Searches n needles. Returns the bound of the last one. */
KERNEL size_t search_needles(const bounds_search *s, const needle_tile *tile, size_t from, size_t n,
                             bool upper)
{
    size_t at[BOUNDS_GROUP], last = 0;
    for (size_t i = 0; i < n; i += BOUNDS_GROUP) {
        search(s, tile->ranks + from + i, at, upper);
        for (size_t k = 0; k < BOUNDS_GROUP && i + k < n; k++) {
            last = at[k];
            put_bound(s->out, tile->begin + from + i + k, last, s->wide);
        }
    }
    return last;
}

/* ---- tiles in order ---- */

/* Where a walk through needles and keys is, from tile to tile. */
typedef struct bounds_walk {
    bool begun;
    place_rank last; /* needle */
    size_t at;       /* its bound */
} bounds_walk;

/* Reads keys from key `at` on, up to one that is not before a needle, or to all that there is room for. */
KERNEL size_t read_keys(const bounds_search *s, size_t at, place_rank needle, place_rank *keys,
                        bool upper)
{
    const key_order order = order_of(s);
    size_t m = 0;
    while (m < KEYS_ROOM && at + m < s->count) {
        const size_t left = s->count - at - m, more = left < KEYS_AT_ONCE ? left : KEYS_AT_ONCE;
        read_ranks(s->places, &order, false, s->sorted + (at + m) * sizeof(KEY), more, keys + m);
        m += more;
        if (!is_before(keys[m - 1], needle, upper))
            break;
    }
    for (size_t i = 0; i < PLACES_KEYS; i++)
        keys[m + i] = LAST_RANK;
    return m;
}

/* How many of n needles a key is not before: their bounds are known when it has been passed. */
KERNEL size_t needles_up_to(const place_rank *needles, size_t n, place_rank last_key, bool upper)
{
    size_t told = 0, beyond = n;
    while (told < beyond) {
        const size_t middle = told + (beyond - told) / 2;
        if (is_before(last_key, needles[middle], upper))
            beyond = middle;
        else
            told = middle + 1;
    }
    return told;
}

KERNEL void walk_tile(const bounds_search *s, const needle_tile *tile, bounds_walk *walk,
                      bool upper)
{
    place_rank keys[KEYS_ROOM + PLACES_KEYS];
    uint16_t places[BOUNDS_TILE];
    const place_rank last = tile->ranks[tile->n - 1];
    size_t first[BOUNDS_GROUP];
    if (!walk->begun || tile->ranks[0] < walk->last) {
        search(s, tile->ranks, first, upper);
        walk->at = first[0];
    }
    for (size_t i = 0; i < tile->n;) {
        const size_t left = tile->n - i, m = read_keys(s, walk->at, last, keys, upper);
        size_t n = walk->at + m == s->count
                       ? left
                       : needles_up_to(tile->ranks + i, left, keys[m - 1], upper);
        if (n >= LEAST_NEEDLES || n == left) {
            s->places->places(tile->ranks + i, n, keys, m, upper, places);
            put_places(s, tile->begin + i, n, walk->at, places);
            walk->at += places[n - 1];
        } else {
            n = left < SEARCHED_NEEDLES ? left : SEARCHED_NEEDLES;
            walk->at = search_needles(s, tile, i, n, upper);
        }
        i += n;
    }
    walk->begun = true;
    walk->last = last;
}

/* ---- tiles ---- */

static void look_up_tile(const bounds_search *s, const needle_tile *tile)
{
#if KEY_BITS <= 16
    for (size_t i = 0; i < tile->n; i++)
        put_bound(s->out, tile->begin + i, s->table[(KEY)((KEY)tile->ranks[i] ^ KEY_TOP)], s->wide);
#else
    (void)s, (void)tile;
#endif
}

KERNEL void search_tile(const bounds_search *s, const needle_tile *tile, bounds_walk *walk,
                        bool upper)
{
    if (is_in_order(s, tile)) {
        walk_tile(s, tile, walk, upper);
    } else {
        search_needles(s, tile, 0, tile->n, upper);
        walk->begun = false;
    }
}

static void lower_tile(const bounds_search *s, const needle_tile *tile, bounds_walk *walk)
{
    search_tile(s, tile, walk, false);
}

static void upper_tile(const bounds_search *s, const needle_tile *tile, bounds_walk *walk)
{
    search_tile(s, tile, walk, true);
}

static void bounds_of_tiles(const bounds_search *s, size_t first, size_t end)
{
    needle_tile tile;
    bounds_walk walk = {.begun = false};
    for (size_t number = first; number < end; number++) {
        read_tile(s, number, &tile);
        if (s->table != NULL)
            look_up_tile(s, &tile);
        else if (s->upper)
            upper_tile(s, &tile, &walk);
        else
            lower_tile(s, &tile, &walk);
    }
}

static bool tile_in_order(const bounds_search *s, size_t number)
{
    needle_tile tile;
    read_tile(s, number, &tile);
    return is_in_order(s, &tile);
}

static void take_sample(const bounds_search *s, char *sample)
{
    const size_t blocks = (s->count + s->stride - 1) / s->stride;
    for (size_t k = 0; k < s->samples; k++)
        put_key(sample, k,
                k + 1 < blocks ? (KEY)rank_at(s, (k + 1) * s->stride - 1) : (KEY)(KEY_TOP - 1));
}

const bounds_kernels NAMED(parscan_bounds_kernels) = {
    .take_sample = take_sample,
    .in_order = tile_in_order,
    .tiles = bounds_of_tiles,
};
