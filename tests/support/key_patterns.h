/*
 * Arrays of keys that a sort may stumble over.
 */
#ifndef PARSCAN_TESTS_KEY_PATTERNS_H
#define PARSCAN_TESTS_KEY_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

#include "parscan/types.h"

typedef enum key_pattern {
    KEYS_RANDOM, /* any bits; of floats, numbers of a middling size too */
    KEYS_EQUAL,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_SORTED_FEW, /* few distinct ones */
    KEYS_REVERSED_FEW,
    KEYS_FIRST_ASTRAY, /* sorted but for one */
    KEYS_MIDDLE_ASTRAY,
    KEYS_LAST_ASTRAY,
    KEYS_APPENDED, /* sorted but for a 20th at the end */
    KEYS_ORGAN_PIPE,
    KEYS_FEW,          /* of floats, two are NaNs and two are zeros */
    KEYS_ONE_STRANGER, /* few distinct ones, or all equal, but for one somewhere */
    KEYS_TOP_BYTE,     /* only that differs */
    KEYS_LOWEST_BIT,
    KEYS_ZIPF,
    KEYS_SPARSE,    /* most bits are 0 */
    KEYS_CLUSTERED, /* few distinct upper halves, any lower ones */
    KEYS_SPECIAL,   /* extremes; NaNs of both signs, zeros, denormals, infinities */
    KEY_PATTERNS
} key_pattern;

const char *key_pattern_name(key_pattern pattern);

/* n keys of type, for free(). */
void *patterned_keys(parscan_type type, key_pattern pattern, size_t n);

/* All 65,536 keys of 16 bits, each `copies` times, in any order, for free(). */
#define CODES 65536u
uint16_t *every_code(size_t copies);

/* The bits of a float that is unlike all others, which < SPECIAL_FLOATS: a zero of
   either sign for 0, any NaN for 1, one and the same number for each of the rest. */
#define SPECIAL_FLOATS 16u
uint64_t special_float(parscan_type type, size_t which);

#endif
