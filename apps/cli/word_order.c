#include "apps/cli/word_order.h"

#include <stdlib.h>
#include <string.h>

/* What is compared of a key, so that qsort() needs nothing else. */
typedef struct ordered_key {
    const char *begin;
    size_t size;
    const char *digits;   /* of an integer, without zeros before them */
    uint32_t digit_count; /* 0: it is not an integer, or 0 */
    uint32_t number;      /* of the key in the table */
    enum { NEGATIVE_KEY, NOT_NEGATIVE_KEY, WORD_KEY } kind;
} ordered_key;

static ordered_key describe(const char *begin, size_t size, uint32_t number)
{
    ordered_key key = {.begin = begin, .size = size, .number = number, .kind = WORD_KEY};
    const char *const end = begin + size;
    const char *p = begin + (size > 0 && (*begin == '-' || *begin == '+'));
    if (p == end)
        return key;
    while (p < end - 1 && *p == '0')
        p++;
    key.digits = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    if (p < end || p == key.digits)
        return key;
    key.digit_count = (uint32_t)(p - key.digits);
    key.kind = *begin == '-' && *key.digits != '0' ? NEGATIVE_KEY : NOT_NEGATIVE_KEY;
    return key;
}

static int compare_bytes(const ordered_key *a, const ordered_key *b)
{
    const int found = memcmp(a->begin, b->begin, a->size < b->size ? a->size : b->size);
    return found != 0 ? found : (a->size > b->size) - (a->size < b->size);
}

static int compare_magnitudes(const ordered_key *a, const ordered_key *b)
{
    if (a->digit_count != b->digit_count)
        return a->digit_count < b->digit_count ? -1 : 1;
    return memcmp(a->digits, b->digits, a->digit_count);
}

static int compare_keys(const void *first, const void *second)
{
    const ordered_key *const a = first, *const b = second;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int found = 0;
    if (a->kind != WORD_KEY)
        found = compare_magnitudes(a, b) * (a->kind == NEGATIVE_KEY ? -1 : 1);
    return found != 0 ? found : compare_bytes(a, b);
}

bool word_order(const key_table *table, uint32_t *numbers)
{
    const size_t n = key_table_count(table);
    if (n == 0)
        return true;
    ordered_key *const keys = malloc(n * sizeof *keys);
    if (keys == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t size;
        const char *const begin = key_table_key(table, (uint32_t)i, &size);
        keys[i] = describe(begin, size, (uint32_t)i);
    }
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++)
        numbers[i] = keys[i].number;
    free(keys);
    return true;
}
