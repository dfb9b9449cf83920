#include "tests/support/key_patterns.h"

#include <stdlib.h>
#include <string.h>

#include "scan/type_traits.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"

#define DISTINCT 6u

const char *key_pattern_name(key_pattern pattern)
{
    static const char *const names[KEY_PATTERNS] = {
        "random",       "equal",         "sorted",      "reversed",   "sorted few", "reversed few",
        "first astray", "middle astray", "last astray", "organ pipe", "few",        "one stranger",
        "top byte",     "lowest bit",    "zipf",        "sparse",     "clustered",  "special"};
    return names[pattern];
}

/* The bits of the fraction of a float. */
static unsigned fraction_bits(parscan_type type)
{
    return type == PARSCAN_F16 ? 10 : type == PARSCAN_BF16 ? 7 : type == PARSCAN_F32 ? 23 : 52;
}

uint64_t special_float(parscan_type type, size_t which)
{
    const unsigned sign_bit = 8 * (unsigned)parscan_type_size(type) - 1;
    const unsigned fraction = fraction_bits(type);
    const uint64_t sign = UINT64_C(1) << sign_bit, least = UINT64_C(1) << fraction;
    const uint64_t infinity = sign - least;
    const uint64_t one = infinity / 2 & ~(least - 1);
    /* One and what is next to it, the least and the greatest of each kind, infinities. */
    const uint64_t others[] = {one,      one + 1,        one - 1,      one | sign,
                               1,        1 | sign,       least - 1,    (least - 1) | sign,
                               least,    least | sign,   infinity - 1, (infinity - 1) | sign,
                               infinity, infinity | sign};
    const uint64_t any_sign = random_bits() % 2 << sign_bit;
    if (which == 0)
        return any_sign;
    if (which == 1)
        return any_sign | infinity | (1 + random_below(least - 1));
    return others[which - 2];
}

static uint64_t special_key(parscan_type type)
{
    const size_t size = parscan_type_size(type);
    if (parscan_is_float(type))
        return special_float(type, random_below(SPECIAL_FLOATS));
    const uint64_t top = UINT64_C(1) << (8 * size - 1);
    const uint64_t keys[] = {0, 1, top - 1, top, top + 1, ~UINT64_C(0), ~UINT64_C(1)};
    return keys[random_below(sizeof keys / sizeof *keys)];
}

static uint64_t random_key(parscan_type type)
{
    const uint64_t choice = random_bits() % 4;
    if (!parscan_is_float(type) || parscan_type_size(type) == 2 || choice < 2)
        return random_bits();
    const double real = ((double)random_below(2000001) - 1000000) / (choice == 2 ? 1 : 1000000);
    const float narrow = (float)real;
    uint64_t bits = 0;
    if (parscan_type_size(type) == sizeof narrow)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &real, sizeof real);
    return bits;
}

/* The keys of patterns that have few: random ones; of floats, pairs that are equal or nearly so. */
static void choose_base(parscan_type type, key_pattern pattern, uint64_t base[DISTINCT])
{
    const bool all_equal = pattern == KEYS_ONE_STRANGER && random_below(2) == 0;
    for (size_t k = 0; k < DISTINCT; k++) {
        base[k] = random_key(type);
        if (parscan_is_float(type) && k < 4)
            base[k] = special_float(type, k / 2);
    }
    for (size_t k = 0; all_equal && k < DISTINCT; k++)
        base[k] = base[DISTINCT - 1];
}

/* A key of a pattern that has no order; base are random bits that are the same for all keys. */
static uint64_t key_of(parscan_type type, key_pattern pattern, const uint64_t base[DISTINCT])
{
    const unsigned half = (unsigned)(4 * parscan_type_size(type)), top_byte = 2 * half - 8;
    switch (pattern) {
    case KEYS_EQUAL:
        return base[DISTINCT - 1];
    case KEYS_SORTED_FEW:
    case KEYS_REVERSED_FEW:
    case KEYS_FEW:
    case KEYS_ONE_STRANGER:
        return base[random_below(DISTINCT)];
    case KEYS_TOP_BYTE:
        return (base[DISTINCT - 1] & ~(UINT64_C(0xff) << top_byte)) | random_below(256) << top_byte;
    case KEYS_LOWEST_BIT:
        return base[DISTINCT - 1] ^ random_below(2);
    case KEYS_ZIPF:
        return (UINT64_C(1) << 24) / (1 + random_below(1u << 24));
    case KEYS_SPARSE:
        return random_bits() & random_bits() & random_bits();
    case KEYS_CLUSTERED:
        return (base[random_below(DISTINCT)] >> half << half) |
               (random_bits() & ((UINT64_C(1) << half) - 1));
    case KEYS_SPECIAL:
        return special_key(type);
    default:
        return random_key(type);
    }
}

static void move_key(char *to, size_t i, const char *from, size_t j, size_t size)
{
    memcpy(to + i * size, from + j * size, size);
}

/* Which key of n sorted ones is key i of KEYS_APPENDED: those at the end are every 20th of all. */
static size_t appended_from(size_t i, size_t n)
{
    const size_t tail = n / 20, head = n - tail;
    if (i >= head)
        return 20 * ((i - head + tail / 2) % tail) + 19;
    return i / 19 < tail ? i / 19 * 20 + i % 19 : i + tail;
}

/* Makes the pattern of the sorted array: keys is written. */
static void arrange(key_pattern pattern, const char *sorted, char *keys, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        size_t from = i;
        if (pattern == KEYS_REVERSED || pattern == KEYS_REVERSED_FEW)
            from = n - 1 - i;
        if (pattern == KEYS_ORGAN_PIPE)
            from = 2 * i < n ? 2 * i : 2 * (n - i) - 1;
        if (pattern == KEYS_APPENDED)
            from = appended_from(i, n);
        move_key(keys, i, sorted, from, size);
    }
    if (pattern == KEYS_FIRST_ASTRAY)
        move_key(keys, 0, sorted, n - 1, size);
    if (pattern == KEYS_MIDDLE_ASTRAY)
        move_key(keys, n / 2, sorted, 0, size);
    if (pattern == KEYS_LAST_ASTRAY)
        move_key(keys, n - 1, sorted, 0, size);
}

void *patterned_keys(parscan_type type, key_pattern pattern, size_t n)
{
    const size_t size = parscan_type_size(type);
    char *const keys = malloc(n * size + 1), *const sorted = malloc(n * size + 1);
    size_t *const order = malloc(n * sizeof *order + 1);
    if (keys == NULL || sorted == NULL || order == NULL)
        abort();
    uint64_t base[DISTINCT];
    choose_base(type, pattern, base);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_of(type, pattern, base);
        memcpy(keys + i * size, &bits, size);
    }
    if (n > 0 && pattern == KEYS_ONE_STRANGER) {
        const uint64_t stranger = random_key(type);
        memcpy(keys + random_below(n) * size, &stranger, size);
    }
    if (n > 0 && pattern >= KEYS_SORTED && pattern <= KEYS_ORGAN_PIPE) {
        const oracle_sort ascending = {.type = type, .keys = keys, .n = n};
        oracle_sort_order(&ascending, order);
        oracle_gather(keys, size, order, n, sorted);
        arrange(pattern, sorted, keys, n, size);
    }
    free(sorted);
    free(order);
    return keys;
}

uint16_t *every_code(size_t copies)
{
    uint16_t *const codes = calloc(copies * CODES + 1, sizeof *codes);
    if (codes == NULL)
        abort();
    for (size_t i = 0; i < copies * CODES; i++) {
        const size_t other = random_below(i + 1);
        codes[i] = codes[other];
        codes[other] = (uint16_t)i;
    }
    return codes;
}
