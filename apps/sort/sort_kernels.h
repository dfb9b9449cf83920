/*
 * What a radix sort does to keys: compiled once an instruction set (sort_kernels.c) for each width of
 * key, integer or float, and for each class of value.
 *
 * Elements are named by their index in the whole array, and keys are moved as they are: what orders
 * them is worked out from the bits wherever a digit is taken
 * (key_kernels_template.h).
 */
#ifndef PARSCAN_APPS_SORT_SORT_KERNELS_H
#define PARSCAN_APPS_SORT_SORT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/sort/sort_call.h"
#include "scan/cpu/isa.h"

/* A digit: bits low to low + bits - 1. */
typedef struct key_digit {
    unsigned low, bits;
} key_digit;

/* Elements begin to end - 1 of `from` go to `to`, stably: each to at[its digit]++. */
typedef struct digit_scatter {
    key_order order;
    key_digit digit;
    elements from, to;
    size_t value_size, begin, end;
    size_t *at;         /* 2^bits; used up */
    size_t *line_begin; /* 2^bits, for the scatter's own use */
    char *lines;        /* 2^bits times line_bytes: what write-combining works in */
    bool stream;        /* past the caches */
} digit_scatter;

/* What a core sorts within its caches: elements begin to begin + n - 1. */
typedef struct bucket_sort {
    key_order order;
    elements from, to; /* arrays may be the same */
    elements spare[2]; /* n elements each */
    uint32_t *counts;  /* BUCKET_COUNTS */
    size_t value_size, begin, n;
} bucket_sort;

enum {
    SCATTER_DIGIT_BITS = 10, /* at most, of a digit that is scattered through memory */
    BUCKET_DIGIT_BITS = 11,  /* and within the caches */
    BUCKET_MAX_DIGITS = 16,  /* of a bucket, the narrower the smaller it is: */
    BUCKET_COUNTS = 8 << BUCKET_DIGIT_BITS /* hold the counts of all, 6 << 11 the most */
};

struct sort_kernels {
    size_t key_size;
    /* Whether keys[0] <= keys[1] <= ...; whether keys[0] > keys[1] > ... */
    bool (*ascends)(const key_order *order, const char *keys, size_t n);
    bool (*descends)(const key_order *order, const char *keys, size_t n);
    /* The bits of the order in which keys[0], keys[stride], ... differ from keys[0]. */
    uint64_t (*varying)(const key_order *order, const char *keys, size_t n, size_t stride);
    /* Counts the digits of keys[0..n) into counts[0..2^bits); returns the bits in which ranks differ
       from that of `first`. */
    uint64_t (*count)(const key_order *order, key_digit digit, const char *keys, size_t n,
                      const char *first, size_t *counts);
    /* The same for any digit, added to counts; n < 2^32. */
    uint64_t (*count_wide)(const key_order *order, key_digit digit, const char *keys, size_t n,
                           const char *first, uint32_t *counts);
    /* counts[h]++ for h = key * multiplier >> shift; false, if a key is not table[h]. */
    bool (*count_known)(const char *keys, size_t n, uint64_t multiplier, unsigned shift,
                        const uint64_t *table, size_t *counts);
    /* keys[begin..end) = key; the bits of *key, and what they are worth. */
    void (*fill)(char *keys, size_t begin, size_t end, uint64_t key);
    uint64_t (*raw)(const char *key);
    uint64_t (*rank)(const key_order *order, const char *key);
    void (*scatter)(const digit_scatter *scatter);
    void (*sort)(const bucket_sort *bucket);
    /* The bytes of a digit in digit_scatter's lines. */
    size_t line_bytes;

    /* The same for all classes. Copies, past the caches if `stream`. */
    void (*copy)(char *to, const char *from, size_t bytes, bool stream);
    /* Elements of `size` bytes: to[n-1-i] = from[i]; a[i] and b[n-1-i] change places. */
    void (*reverse)(char *to, const char *from, size_t n, size_t size);
    void (*exchange)(char *a, char *b, size_t n, size_t size);
    /* Values of an element's size: first, first + 1, ... */
    void (*indices)(char *values, size_t first, size_t n);
};

typedef enum key_class {
    KEY_U8,
    KEY_U16,
    KEY_U32,
    KEY_U64,
    KEY_F32,
    KEY_F64,
    KEY_CLASSES
} key_class;

/* No value, values of 4 and of 8 bytes, of any other size. */
typedef enum value_class { VALUE_NONE, VALUE_4, VALUE_8, VALUE_ANY, VALUE_CLASSES } value_class;

typedef const sort_kernels sort_kernels_table[KEY_CLASSES][VALUE_CLASSES];
extern sort_kernels_table parscan_sort_kernels_portable;
extern sort_kernels_table parscan_sort_kernels_avx2;
extern sort_kernels_table parscan_sort_kernels_avx512;

#endif
