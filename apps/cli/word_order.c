#include "apps/cli/word_order.h"

#include <stdlib.h>
#include <string.h>

#include "parscan/sort.h"

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

int word_compare(text_span a, text_span b)
{
    const size_t size_a = (size_t)(a.end - a.begin), size_b = (size_t)(b.end - b.begin);
    if (size_a == size_b && memcmp(a.begin, b.begin, size_a) == 0)
        return 0;
    const ordered_key first = describe(a.begin, size_a, 0), second = describe(b.begin, size_b, 0);
    return compare_keys(&first, &second);
}

/* The begin of a key as an integer: where two keys differ in it, it tells their order. Two bits are the kind. Then
   come the first bytes of a word, or an integer's number of digits and the first of these. */
static uint64_t head_of(const ordered_key *key)
{
    enum { KIND_AT = 62, COUNT_AT = 54, DIGITS = 16, MOST_COUNTED = 255, BYTES = 7 };
    const uint64_t below_kind = ((uint64_t)1 << KIND_AT) - 1;
    uint64_t head = 0;
    if (key->kind == WORD_KEY) {
        for (size_t i = 0; i < BYTES; i++)
            head = head << 8 | (i < key->size ? (unsigned char)key->begin[i] : 0);
    } else if (key->digit_count >= MOST_COUNTED) {
        head = (uint64_t)MOST_COUNTED << COUNT_AT;
    } else {
        for (uint32_t i = 0; i < key->digit_count && i < DIGITS; i++)
            head = 10 * head + (uint64_t)(key->digits[i] - '0');
        head |= (uint64_t)key->digit_count << COUNT_AT;
    }
    if (key->kind == NEGATIVE_KEY)
        head ^= below_kind;
    return (uint64_t)key->kind << KIND_AT | head;
}

static ordered_key key_of(const key_table *table, uint32_t number)
{
    size_t size;
    const char *const begin = key_table_key(table, number, &size);
    return describe(begin, size, number);
}

/* Sorts keys whose heads are equal. */
static bool order_run(const key_table *table, uint32_t *numbers, size_t n)
{
    ordered_key *const keys = malloc(n * sizeof *keys);
    if (keys == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(table, numbers[i]);
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++)
        numbers[i] = keys[i].number;
    free(keys);
    return true;
}

parscan_status word_order(parscan_context *context, const key_table *table, uint32_t *numbers)
{
    const size_t n = key_table_count(table);
    if (n == 0)
        return PARSCAN_OK;
    uint64_t *const heads = malloc(n * sizeof *heads);
    if (heads == NULL)
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const ordered_key key = key_of(table, (uint32_t)i);
        heads[i] = head_of(&key);
    }
    parscan_status status =
        parscan_argsort(context, PARSCAN_U64, heads, PARSCAN_U32, numbers, n, NULL);
    for (size_t begin = 0, end; begin < n && status == PARSCAN_OK; begin = end) {
        for (end = begin + 1; end < n && heads[numbers[end]] == heads[numbers[begin]]; end++)
            ;
        if (end - begin > 1 && !order_run(table, numbers + begin, end - begin))
            status = PARSCAN_ERROR_OUT_OF_MEMORY;
    }
    free(heads);
    return status;
}
