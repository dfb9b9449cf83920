/*
 * Bounds of a tile of needles. Compiled once for each class of keys.
 *
 * A tile is read once, as ranks, which compare as the keys do. If they are not in order, the tile is searched
 * in groups: all needles of a group halve their ranges in lockstep, without a branch, so that they wait for memory
 * together. If they are, the bounds of one group cut the tile and the keys in parts. Parts of few keys are
 * merged, some at once, without a branch; in parts of many keys the needles are searched as before.
 *
 * Whatever the keys are, each bound stays between 0 and count: a range is only ever halved, a merge ends
 * with its part.
 */
#include "apps/search/bounds_kernels.h"

#include <string.h>

#include "apps/merge/class_rank.h"
#include "scan/cpu/read_once.h"

enum {
    PARTS = BOUNDS_GROUP - 1, /* of a tile in order */
    MERGED_PARTS = 3,         /* at once */
    MERGED_KEYS = 8           /* a needle: a part with more keys is searched */
};

/* The needles of a tile. */
typedef struct needle_tile {
    KEY ranks[BOUNDS_TILE];
    size_t begin, n, groups; /* the last group repeats its last needle */
    size_t bounds[BOUNDS_TILE];
} needle_tile;

/* The order of a search by all bits, as the compiler is to know it. */
KERNEL key_order order_of(const bounds_search *s)
{
    return (key_order){.flip = s->order.flip, .keep = UINT64_MAX};
}

KERNEL KEY rank_at(const bounds_search *s, size_t i)
{
    const key_order order = order_of(s);
    return rank(&order, key(s->sorted, i));
}

/* Whether a key comes before the bound of a needle. */
KERNEL bool is_before(KEY of_key, KEY needle, bool upper)
{
    return upper ? of_key <= needle : of_key < needle;
}

/* n or, if not `is`, 0, without a branch. */
KERNEL size_t only_if(bool is, size_t n)
{
    return n & (0 - (size_t)is);
}

static void read_tile(const bounds_search *s, size_t number, needle_tile *tile)
{
    const key_order order = order_of(s);
    const size_t begin = number * BOUNDS_TILE, left = s->n - begin;
    const size_t n = left < BOUNDS_TILE ? left : BOUNDS_TILE;
    tile->begin = begin;
    tile->n = n;
    tile->groups = (n + BOUNDS_GROUP - 1) / BOUNDS_GROUP;
    if (s->values == NULL)
        for (size_t i = 0; i < n; i++)
            tile->ranks[i] = (KEY)(begin + i);
    else
        read_once(tile->ranks, s->values + begin * sizeof(KEY), n * sizeof(KEY));
    if (s->values != NULL)
        for (size_t i = 0; i < n; i++)
            tile->ranks[i] = rank(&order, tile->ranks[i]);
    for (size_t i = n; i < tile->groups * BOUNDS_GROUP; i++)
        tile->ranks[i] = tile->ranks[n - 1];
}

static bool is_in_order(const needle_tile *tile)
{
    KEY descents = 0;
    for (size_t i = 1; i < tile->n; i++)
        descents |= tile->ranks[i] < tile->ranks[i - 1];
    return descents == 0;
}

/* ---- one group ---- */

/* The bounds of a group lie in the `length` keys from at[i] on: finds them. */
KERNEL void halve(const bounds_search *s, const KEY *needles, size_t *at, size_t length, bool upper)
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

/* The block of each needle, by the sample. */
KERNEL void find_blocks(const bounds_search *s, const KEY *needles, size_t *at, bool upper)
{
    for (size_t half = (s->samples + 1) / 2; half > 0; half /= 2)
        for (size_t i = 0; i < BOUNDS_GROUP; i++)
            at[i] += only_if(is_before(key(s->sample, at[i] + half - 1), needles[i], upper), half);
}

KERNEL void search(const bounds_search *s, const KEY *needles, size_t *at, bool upper)
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

/* ---- a tile in order ---- */

/* Needles and the keys among which their bounds are. */
typedef struct part {
    size_t needle, needle_end, key, key_end;
} part;

/* The bound of needle p->needle is p->key, or later. */
KERNEL void merge_step(const bounds_search *s, needle_tile *tile, part *p, bool upper)
{
    const size_t before = is_before(rank_at(s, p->key), tile->ranks[p->needle], upper);
    tile->bounds[p->needle] = p->key;
    p->key += before;
    p->needle += 1 - before;
}

/* So many steps reach the end of neither the needles nor the keys. */
KERNEL size_t steps_of(const part *p)
{
    const size_t needles = p->needle_end - p->needle, keys = p->key_end - p->key;
    return needles < keys ? needles : keys;
}

KERNEL void merge_rest(const bounds_search *s, needle_tile *tile, part p, bool upper)
{
    for (size_t steps = steps_of(&p); steps > 0; steps = steps_of(&p))
        for (size_t k = 0; k < steps; k++)
            merge_step(s, tile, &p, upper);
    for (; p.needle < p.needle_end; p.needle++)
        tile->bounds[p.needle] = p.key_end;
}

/* Each step waits for the one before it in its part, so several parts take turns. */
KERNEL void merge_parts(const bounds_search *s, needle_tile *tile, const part *parts, bool upper)
{
    part a = parts[0], b = parts[1], c = parts[2];
    for (;;) {
        const size_t of_a = steps_of(&a), of_b = steps_of(&b), of_c = steps_of(&c);
        size_t steps = of_a < of_b ? of_a : of_b;
        steps = steps < of_c ? steps : of_c;
        if (steps == 0)
            break;
        for (size_t k = 0; k < steps; k++) {
            merge_step(s, tile, &a, upper);
            merge_step(s, tile, &b, upper);
            merge_step(s, tile, &c, upper);
        }
    }
    merge_rest(s, tile, a, upper);
    merge_rest(s, tile, b, upper);
    merge_rest(s, tile, c, upper);
}

/* The needles of a part, in groups. The last one repeats its last needle. */
KERNEL void search_part(const bounds_search *s, needle_tile *tile, const part *p, bool upper)
{
    for (size_t first = p->needle; first < p->needle_end; first += BOUNDS_GROUP) {
        size_t at[BOUNDS_GROUP];
        KEY needles[BOUNDS_GROUP];
        for (size_t i = 0; i < BOUNDS_GROUP; i++) {
            const size_t last = p->needle_end - 1;
            needles[i] = tile->ranks[first + i < last ? first + i : last];
            at[i] = p->key;
        }
        halve(s, needles, at, p->key_end - p->key, upper);
        for (size_t i = 0; i < BOUNDS_GROUP && first + i < p->needle_end; i++)
            tile->bounds[first + i] = at[i];
    }
}

/* Cuts a tile at the bounds of needles that are as far apart as can be. Returns whether all parts have few
   keys. */
KERNEL bool cut_tile(const bounds_search *s, const needle_tile *tile, part *parts, bool upper)
{
    KEY needles[BOUNDS_GROUP];
    size_t at[BOUNDS_GROUP], most = 0;
    for (size_t i = 0; i <= PARTS; i++)
        needles[i] = tile->ranks[(tile->n - 1) * i / PARTS];
    search(s, needles, at, upper);
    for (size_t k = 0; k < PARTS; k++) {
        /* Keys that are not sorted have bounds that are not. */
        const size_t end = at[k] < at[k + 1] ? at[k + 1] : at[k];
        parts[k] = (part){.needle = (tile->n - 1) * k / PARTS,
                          .needle_end = (tile->n - 1) * (k + 1) / PARTS + (k + 1 == PARTS),
                          .key = at[k],
                          .key_end = end};
        most = end - at[k] > most ? end - at[k] : most;
    }
    return most <= tile->n / PARTS * MERGED_KEYS;
}

KERNEL void walk_tile(const bounds_search *s, needle_tile *tile, bool upper)
{
    part parts[PARTS];
    if (cut_tile(s, tile, parts, upper))
        for (size_t k = 0; k < PARTS; k += MERGED_PARTS)
            merge_parts(s, tile, parts + k, upper);
    else
        for (size_t k = 0; k < PARTS; k++)
            search_part(s, tile, parts + k, upper);
}

/* ---- a tile ---- */

KERNEL void search_tile(const bounds_search *s, needle_tile *tile, bool upper)
{
    for (size_t group = 0; group < tile->groups; group++)
        search(s, tile->ranks + group * BOUNDS_GROUP, tile->bounds + group * BOUNDS_GROUP, upper);
}

static void look_up_tile(const bounds_search *s, needle_tile *tile)
{
#if KEY_BITS <= 16
    for (size_t i = 0; i < tile->n; i++)
        tile->bounds[i] = (size_t)s->table[tile->ranks[i]];
#else
    (void)s, (void)tile;
#endif
}

static void put_tile(const bounds_search *s, const needle_tile *tile)
{
    const size_t n = tile->n;
    if (s->wide)
        for (size_t i = 0; i < n; i++) {
            const uint64_t bound = tile->bounds[i];
            memcpy(s->out + (tile->begin + i) * sizeof bound, &bound, sizeof bound);
        }
    else
        for (size_t i = 0; i < n; i++) {
            const uint32_t bound = (uint32_t)tile->bounds[i];
            memcpy(s->out + (tile->begin + i) * sizeof bound, &bound, sizeof bound);
        }
}

static void lower_tile(const bounds_search *s, needle_tile *tile, bool ordered)
{
    if (ordered)
        walk_tile(s, tile, false);
    else
        search_tile(s, tile, false);
}

static void upper_tile(const bounds_search *s, needle_tile *tile, bool ordered)
{
    if (ordered)
        walk_tile(s, tile, true);
    else
        search_tile(s, tile, true);
}

static void bounds_of_tile(const bounds_search *s, size_t number)
{
    needle_tile tile;
    read_tile(s, number, &tile);
    if (s->table != NULL)
        look_up_tile(s, &tile);
    else if (s->upper)
        upper_tile(s, &tile, is_in_order(&tile));
    else
        lower_tile(s, &tile, is_in_order(&tile));
    put_tile(s, &tile);
}

static bool tile_in_order(const bounds_search *s, size_t number)
{
    needle_tile tile;
    read_tile(s, number, &tile);
    return is_in_order(&tile);
}

static void take_sample(const bounds_search *s, char *sample)
{
    const size_t blocks = (s->count + s->stride - 1) / s->stride;
    for (size_t k = 0; k < s->samples; k++)
        put_key(sample, k, k + 1 < blocks ? rank_at(s, (k + 1) * s->stride - 1) : (KEY) ~(KEY)0);
}

const bounds_kernels NAMED(parscan_bounds_kernels) = {
    .key_size = sizeof(KEY),
    .take_sample = take_sample,
    .in_order = tile_in_order,
    .tile = bounds_of_tile,
};
