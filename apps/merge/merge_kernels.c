/* Two-way merges of one class of keys. Compiled once for each. */
#include "apps/merge/merge_kernels.h"

#include <string.h>

#include "apps/merge/class_rank.h"

/* Where the payload of element i is; NULL if there is none. */
#define PAYLOAD_AT(payload, i, size) ((size) > 0 ? (payload) + (i) * (size) : NULL)

KERNEL merge_part part_of(merge_part part, size_t begin, size_t end, size_t size)
{
    return (merge_part){part.keys + begin * sizeof(KEY), PAYLOAD_AT(part.payload, begin, size),
                        end - begin};
}

KERNEL void copy_part(merge_part part, char *keys, char *payload, size_t size)
{
    if (part.n == 0)
        return;
    memcpy(keys, part.keys, part.n * sizeof(KEY));
    if (size > 0)
        memcpy(payload, part.payload, part.n * size);
}

/* A merge that proceeds from both ends. Both have taken the same number of elements. */
typedef struct merge_ends {
    merge_part a, b;
    char *keys, *payload; /* of the output */
    size_t front, back;   /* how many elements of a each end has taken */
} merge_ends;

/* Element j of b if takes_b, else element i of a. A branch would be mispredicted half of the time;
   compilers do not make one of this. */
KERNEL void put_either(const merge_ends *m, KEY a, size_t i, KEY b, size_t j, bool takes_b,
                       size_t to, size_t size)
{
    put_key(m->keys, to, (KEY)(a ^ ((a ^ b) & (KEY)(0 - (KEY)takes_b))));
    if (size > 0) {
        const uintptr_t at_a = (uintptr_t)m->a.payload + i * size;
        const uintptr_t at_b = (uintptr_t)m->b.payload + j * size;
        const uintptr_t at = at_a ^ ((at_a ^ at_b) & (0 - (uintptr_t)takes_b));
        memcpy(m->payload + to * size, (const char *)at, size);
    }
}

/* The k-th step: the next element at each end. The ends do not wait for each other. */
KERNEL void take_both(const key_order *order, merge_ends *m, size_t k, size_t size)
{
    const size_t i = m->front, j = k - i;
    const size_t i_last = m->a.n - 1 - m->back, j_last = m->b.n - 1 - (k - m->back);
    const KEY a = key(m->a.keys, i), b = key(m->b.keys, j);
    const KEY a_last = key(m->a.keys, i_last), b_last = key(m->b.keys, j_last);
    const bool takes_b = rank(order, b) < rank(order, a);
    const bool ends_with_a = rank(order, a_last) > rank(order, b_last);
    put_either(m, a, i, b, j, takes_b, k, size);
    put_either(m, a_last, i_last, b_last, j_last, !ends_with_a, m->a.n + m->b.n - 1 - k, size);
    m->front += !takes_b;
    m->back += ends_with_a;
}

/* So many steps read no element that is not there. */
KERNEL size_t steps_of(const merge_ends *m)
{
    const size_t least = m->a.n < m->b.n ? m->a.n : m->b.n, half = (m->a.n + m->b.n) / 2;
    return least < half ? least : half;
}

/* How many elements of a the end at the back has taken after so many steps. In keys that are not in
   order both ends may have taken the same ones: then as many as leave none of both runs. */
KERNEL size_t back_of(const merge_ends *m, size_t steps)
{
    const size_t of_a = m->a.n - m->front, of_b = m->b.n - (steps - m->front);
    const size_t back = m->back < of_a ? m->back : of_a;
    return steps - back < of_b ? back : steps - of_b;
}

/* What is left after so many steps. */
KERNEL merge_ends rest_of(const merge_ends *m, size_t steps, size_t size)
{
    const size_t back = back_of(m, steps);
    return (merge_ends){.a = part_of(m->a, m->front, m->a.n - back, size),
                        .b = part_of(m->b, steps - m->front, m->b.n - (steps - back), size),
                        .keys = m->keys + steps * sizeof(KEY),
                        .payload = PAYLOAD_AT(m->payload, steps, size)};
}

KERNEL void merge_rest(const key_order *order, merge_ends m, size_t size)
{
    const key_order by = *order;
    while (m.a.n > 0 && m.b.n > 0 &&
           rank(&by, key(m.a.keys, m.a.n - 1)) > rank(&by, key(m.b.keys, 0))) {
        const size_t steps = steps_of(&m);
        for (size_t k = 0; k < steps; k++)
            take_both(&by, &m, k, size);
        m = rest_of(&m, steps, size);
    }
    copy_part(m.a, m.keys, m.payload, size);
    copy_part(m.b, m.keys + m.a.n * sizeof(KEY), PAYLOAD_AT(m.payload, m.a.n, size), size);
}

/* Merges the two halves of the output at once, from both ends of each: four elements in a step, none
   of which waits for another. */
KERNEL void merge_two(const key_order *order, merge_part a, merge_part b, char *keys, char *payload,
                      size_t size)
{
    const key_order by = *order;
    const size_t half = (a.n + b.n) / 2, i = merge_cross(&by, rank, a.keys, a.n, b.keys, b.n, half),
                 j = half - i;
    merge_ends left = {
        .a = part_of(a, 0, i, size), .b = part_of(b, 0, j, size), .keys = keys, .payload = payload};
    merge_ends right = {.a = part_of(a, i, a.n, size),
                        .b = part_of(b, j, b.n, size),
                        .keys = keys + half * sizeof(KEY),
                        .payload = PAYLOAD_AT(payload, half, size)};
    const size_t of_left = steps_of(&left), of_right = steps_of(&right);
    const size_t steps = of_left < of_right ? of_left : of_right;
    for (size_t k = 0; k < steps; k++) {
        take_both(&by, &left, k, size);
        take_both(&by, &right, k, size);
    }
    merge_rest(&by, rest_of(&left, steps, size), size);
    merge_rest(&by, rest_of(&right, steps, size), size);
}

static void merge_none(const key_order *order, merge_part a, merge_part b, char *keys,
                       char *payload)
{
    merge_two(order, a, b, keys, payload, 0);
}

static void merge_4(const key_order *order, merge_part a, merge_part b, char *keys, char *payload)
{
    merge_two(order, a, b, keys, payload, 4);
}

static void merge_8(const key_order *order, merge_part a, merge_part b, char *keys, char *payload)
{
    merge_two(order, a, b, keys, payload, 8);
}

/* The strides double as long as they lead to a key that is not beyond the limit: most searches of a
   split end near their start. */
static size_t up_to(const key_order *order, const char *keys, size_t begin, size_t end,
                    uint64_t limit)
{
    for (size_t stride = 1; stride < end - begin; stride *= 2) {
        if (rank(order, key(keys, begin + stride)) > limit) {
            end = begin + stride;
            break;
        }
        begin += stride + 1;
    }
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (rank(order, key(keys, middle)) <= limit)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static size_t cross(const key_order *order, merge_part a, merge_part b, size_t n)
{
    return merge_cross(order, rank, a.keys, a.n, b.keys, b.n, n);
}

static uint64_t rank_at(const key_order *order, const char *keys, size_t i)
{
    return rank(order, key(keys, i));
}

static void put_places(const key_order *order, const char *keys, size_t n, place_prefix prefix,
                       size_t part, char *places)
{
    const key_order by = *order;
    const uint64_t first = (uint64_t)part << PLACE_INDEX_BITS;
    for (size_t i = 0; i < n; i++) {
        const uint64_t rest = rank(&by, key(keys, i)) - prefix.base;
        const uint64_t place = rest >> prefix.shift << 32 | (first + i);
        memcpy(places + i * sizeof place, &place, sizeof place);
    }
}

static bool take_places(const key_order *order, const merge_part *parts, size_t count,
                        const char *places, size_t n, char *to)
{
    const key_order by = *order;
    KEY before = 0;
    bool in_order = true;
    for (size_t i = 0; i < n; i++) {
        const place_at at = place_of(places, i);
        if (at.part >= count || at.index >= parts[at.part].n)
            return false;
        const KEY taken = key(parts[at.part].keys, at.index), of_taken = rank(&by, taken);
        in_order &= before <= of_taken;
        before = of_taken;
        if (to != NULL)
            put_key(to, i, taken);
    }
    return in_order;
}

static size_t set_aside(const key_order *order, const char *keys, size_t n, size_t most, char *to)
{
    const key_order by = *order;
    const KEY nan = (KEY) ~(KEY)0 ^ (KEY)by.flip;
    size_t kept = 0, others = 0;
    KEY last = 0; /* no rank is below that of no key */
    for (size_t i = 0; i < n; i++) {
        const KEY next = key(keys, i), of_next = rank(&by, next);
        if (of_next >= last) {
            put_key(to, kept++, next);
            last = of_next;
            continue;
        }
        others += 2;
        if (others > most || (KEY_FLOAT && (of_next == nan || last == nan)))
            return n + 1;
        const KEY before = key(to, --kept); /* the last key of all may go to its place */
        put_key(to, n - others, next);
        put_key(to, n - others + 1, before);
        last = kept > 0 ? rank(&by, key(to, kept - 1)) : 0;
    }
    return kept;
}

const struct merge_kernels NAMED(parscan_merge_kernels) = {
    .key_bits = KEY_BITS,
    .is_float = KEY_FLOAT,
    .merge = {merge_none, merge_4, merge_8},
    .up_to = up_to,
    .cross = cross,
    .rank = rank_at,
    .put_places = put_places,
    .take_places = take_places,
    .set_aside = set_aside,
};
