/*
 * The kernels of a radix sort on the CPU. sort_kernels.c is compiled once for each instruction set;
 * it defines the kernels for each width of key, integer or float, and for each class of value.
 *
 * Elements are identified by their index in the whole array. Keys are moved unchanged: their rank
 * is computed from the bits wherever a digit is taken (key_kernels_template.h).
 */
#ifndef PARSCAN_APPS_SORT_SORT_KERNELS_H
#define PARSCAN_APPS_SORT_SORT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/sort/sort_call.h"
#include "scan/cpu/isa.h"

/* A stable scatter of the elements begin to end - 1 of `from` to `to`: each goes to index at[its
   digit]++. */
typedef struct digit_scatter {
    key_order order;
    key_digit digit;
    key_octaves octaves; /* in place of the digit, whose bits number them */
    elements from, to;
    size_t value_size, begin, end;
    size_t limit;       /* no element goes to an index of `limit` or more, whatever `at` tells */
    size_t first_index; /* where values are the elements' indices: that of element 0 */
    size_t *at;         /* 2^bits entries, which are modified */
    size_t *line_begin; /* 2^bits entries, for the scatter's own use */
    char *lines;        /* 2^bits * line_bytes bytes, the write-combining buffers */
    bool stream;        /* stores bypass the caches */
    bool prefetch;      /* lines are fetched before they are written */
} digit_scatter;

/* What a core sorts within its caches: the elements begin to begin + n - 1. */
typedef struct bucket_sort {
    key_order order;
    elements from, to; /* may be the same arrays */
    elements spare[2]; /* n elements each */
    uint32_t *counts;  /* BUCKET_COUNTS entries */
    /* Keys that another thread may change meanwhile; NULL: there are none. Where `from` or `to` has
       them, they are sorted from a copy. */
    const char *changing;
    size_t value_size, begin, n;
    bool prefetch; /* lines are fetched before they are written, in a large bucket */
} bucket_sort;

/* What a worker of a call sorts elements of `from` with. begin and n are 0. */
bucket_sort parscan_sort_bucket_of(const sort_call *call, elements from, unsigned worker);

enum {
    SCATTER_DIGIT_BITS = 12, /* the most bits of a digit that is scattered through memory, */
    BUCKET_DIGIT_BITS = 11,  /* and of a digit within the caches */
    BUCKET_MAX_DIGITS = 16,  /* a smaller bucket has narrower digits, so more of them */
    /* The counts of all digits of a bucket, which are 6 << BUCKET_DIGIT_BITS at most. */
    BUCKET_COUNTS = 8 << BUCKET_DIGIT_BITS
};

struct sort_kernels {
    size_t key_size;
    /* Whether keys[0] <= keys[1] <= ...; whether keys[0] > keys[1] > ... */
    bool (*ascends)(const key_order *order, const char *keys, size_t n);
    bool (*descends)(const key_order *order, const char *keys, size_t n);
    /* Returns the bits of the order in which any of keys[0], keys[stride], ... differs from
       keys[0]. */
    uint64_t (*varying)(const key_order *order, const char *keys, size_t n, size_t stride);
    /* Counts the digits of keys[0..n), or their octaves, into counts[0..2^bits). Returns the bits in which any rank
       differs from that of `first`. */
    uint64_t (*count)(const key_order *order, key_digit digit, const key_octaves *octaves,
                      const char *keys, size_t n, const char *first, size_t *counts);
    /* The same for a digit of any width, added to counts. n < 2^32. */
    uint64_t (*count_wide)(const key_order *order, key_digit digit, const char *keys, size_t n,
                           const char *first, uint32_t *counts);
    /* Adds 1 to counts[rank - base] for each key whose rank is base to base + width - 1. Stores all others in
       `outside`, which has room for n, and returns how many they are; counts[width] gets anything. n < 2^32. NULL: of
       such keys there is none. */
    size_t (*count_window)(const key_order *order, uint64_t base, size_t width, const char *keys,
                           size_t n, uint32_t *counts, char *outside);
    /* Adds 1 to counts[h], h = key * multiplier >> shift, for each key. Returns false if some
       key is not table[h]. */
    bool (*count_known)(const char *keys, size_t n, uint64_t multiplier, unsigned shift,
                        const uint64_t *table, size_t *counts);
    /* fill sets keys[begin..end) to `key`. raw returns the bits of *key, rank what they are
       compared by, key_of the bits of a key of that rank, by all bits. */
    void (*fill)(char *keys, size_t begin, size_t end, uint64_t key);
    uint64_t (*raw)(const char *key);
    uint64_t (*rank)(const key_order *order, const char *key);
    uint64_t (*key_of)(const key_order *order, uint64_t rank);
    void (*scatter)(const digit_scatter *scatter);
    void (*sort)(const bucket_sort *bucket);
    /* Sorts keys without values, compared by all bits, by vectors, in `work`, which has room for them and may be
       `from`. Returns false, and has changed nothing, where it does not: there is a NaN, or no such sort. NULL: there
       never is. vectors_sort_buckets: `sort` does so too. */
    bool (*by_vectors)(const key_order *order, const char *from, size_t n, char *work, char *to);
    bool vectors_sort_buckets;
    /* The bytes in digit_scatter.lines for one digit. */
    size_t line_bytes;

    /* The same function for all classes. Copies `bytes` bytes, past the caches if `stream`. */
    void (*copy)(char *to, const char *from, size_t bytes, bool stream);
    /* For elements of `size` bytes. reverse: to[n-1-i] = from[i]. exchange: swaps a[i] and
       b[n-1-i]. */
    void (*reverse)(char *to, const char *from, size_t n, size_t size);
    void (*exchange)(char *a, char *b, size_t n, size_t size);
    /* Writes the values first, first + 1, ... in the size of a value. */
    void (*indices)(char *values, size_t first, size_t n);
};

/* No value, values of 4 bytes, of 8 bytes, of any other size. */
typedef enum value_class { VALUE_NONE, VALUE_4, VALUE_8, VALUE_ANY, VALUE_CLASSES } value_class;

typedef const sort_kernels sort_kernels_table[KEY_CLASSES][VALUE_CLASSES];
extern sort_kernels_table parscan_sort_kernels_portable;
extern sort_kernels_table parscan_sort_kernels_avx2;
extern sort_kernels_table parscan_sort_kernels_avx512;

#endif
