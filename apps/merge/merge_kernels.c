/* Two-way merges of one class of keys. Compiled once for each. */
#include "apps/merge/merge_kernels.h"

#include <string.h>

#include "scan/tables.h"

#define KERNEL static inline __attribute__((always_inline, unused))
#define OF_KEY(function) function
#define KEY_BITS PARSCAN_ELEMENT_BITS
#define KEY_FLOAT_INTEGER 0
#define KEY_FLOAT_FLOAT 1
#define KEY_FLOAT PARSCAN_PASTE(KEY_FLOAT_, PARSCAN_ELEMENT_CLASS)
#include "apps/merge/key_rank.h"

/* Where the payload of element i is; NULL if there is none. */
#define PAYLOAD_AT(payload, i, size) ((size) > 0 ? (payload) + (i) * (size) : NULL)

KERNEL void copy_payload(char *to, size_t at, const char *from, size_t i, size_t size)
{
    if (size > 0)
        memcpy(to + at * size, from + i * size, size);
}

/*
 * 2 * steps elements of the merge of a and b: the first `steps` ones go to the beginning of the
 * output, the last `steps` ones to its end, which is before index `end`. No run has less than `steps`
 * elements, so none of the two ends of the merge reads past a run. The two do not wait for each
 * other. *front and *back receive how many of them are a's.
 */
KERNEL void merge_ends(const key_order *order, merge_part a, merge_part b, char *keys,
                       char *payload, size_t end, size_t steps, size_t size, size_t *front,
                       size_t *back)
{
    const key_order by = *order;
    size_t i = 0, i_end = a.n;
    for (size_t k = 0; k < steps; k++) {
        const size_t j = k - i, j_end = b.n - (k - (a.n - i_end));
        const KEY a_first = key(a.keys, i), b_first = key(b.keys, j);
        const KEY a_last = key(a.keys, i_end - 1), b_last = key(b.keys, j_end - 1);
        const bool first_is_b = rank(&by, b_first) < rank(&by, a_first);
        const bool last_is_a = rank(&by, a_last) > rank(&by, b_last);
        put_key(keys, k, first_is_b ? b_first : a_first);
        put_key(keys, end - 1 - k, last_is_a ? a_last : b_last);
        copy_payload(payload, k, first_is_b ? b.payload : a.payload, first_is_b ? j : i, size);
        copy_payload(payload, end - 1 - k, last_is_a ? a.payload : b.payload,
                     last_is_a ? i_end - 1 : j_end - 1, size);
        i += !first_is_b;
        i_end -= last_is_a;
    }
    *front = i;
    *back = a.n - i_end;
}

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

KERNEL void merge_two(const key_order *order, merge_part a, merge_part b, char *keys, char *payload,
                      size_t size)
{
    while (a.n > 0 && b.n > 0 && rank(order, key(a.keys, a.n - 1)) > rank(order, key(b.keys, 0))) {
        const size_t n = a.n + b.n, least = a.n < b.n ? a.n : b.n;
        const size_t steps = least < n / 2 ? least : n / 2;
        size_t front, back;
        merge_ends(order, a, b, keys, payload, n, steps, size, &front, &back);
        a = part_of(a, front, a.n - back, size);
        b = part_of(b, steps - front, b.n - (steps - back), size);
        keys += steps * sizeof(KEY);
        payload = PAYLOAD_AT(payload, steps, size);
    }
    copy_part(a, keys, payload, size);
    copy_part(b, keys + a.n * sizeof(KEY), PAYLOAD_AT(payload, a.n, size), size);
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

static size_t up_to(const key_order *order, const char *keys, size_t begin, size_t end,
                    uint64_t limit)
{
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (rank(order, key(keys, middle)) <= limit)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static uint64_t rank_at(const key_order *order, const char *keys, size_t i)
{
    return rank(order, key(keys, i));
}

const struct merge_kernels NAMED(parscan_merge_kernels) = {
    .merge = {merge_none, merge_4, merge_8}, .up_to = up_to, .rank = rank_at};
