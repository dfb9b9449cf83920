/*
 * The plan of a sort on CUDA, of keys, pairs and indices: whether keys are counted, whether values move with
 * their keys, and how long the chunks of host arrays are that the device has no room for. What a radix sort on
 * the device runs: radix_sort_plan.h.
 */
#ifndef PARSCAN_APPS_SORT_SORT_PLAN_H
#define PARSCAN_APPS_SORT_SORT_PLAN_H

#include "scan/cuda/plan.h"

/* The most splitters, which are between buckets. A bucket may have two. */
#define MOST_SPLITTERS 1023u

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sort_variant {
    SORT_WITH_VALUES,
    SORT_APPENDED,
    SORT_BY_INDICES,
    SORT_BY_COUNTING,
    SORT_IN_BUCKETS,
    SORT_VARIANTS
} sort_variant;

typedef struct sort_facts {
    size_t n, key_size;
    bool length_on_device; /* n is the most that it can be */
    bool keys_alone;       /* there are neither values nor indices */
    bool whole_keys;       /* the order takes all bits of a key */
    bool in_chunks;        /* host arrays, for which the device has no room */
    bool
        moves; /* there are no values, or the values are indices or aligned words of 4 or 8 bytes */
    bool
        apart; /* inputs stay as they are, values are no indices, and a merge knows the order of keys */
} sort_facts;

sort_variant parscan_sort_plan(const parscan_plan_device *device, const sort_facts *facts);

typedef struct sort_chunk_facts {
    size_t n, bytes;    /* bytes: of an element, key and value */
    size_t room;        /* of device memory, in bytes */
    size_t fixed_bytes; /* of a chunk's scratch, whatever its length, */
    size_t each_bytes;  /* and the device memory that an element takes */
} sort_chunk_facts;

/* The elements of a chunk. 0: there is too little room. */
size_t parscan_sort_plan_chunk(const parscan_plan_device *device, const sort_chunk_facts *facts);

/* How the elements are divided into buckets. */
typedef struct sort_bucket_plan {
    size_t buckets, sample;
    size_t run; /* keys of an array in device memory are sampled in runs of so many */
} sort_bucket_plan;

/* most: the elements of a chunk. */
sort_bucket_plan parscan_sort_plan_buckets(const parscan_plan_device *device, size_t n,
                                           size_t most);

extern const parscan_plan_table parscan_sort_plans;

#ifdef __cplusplus
}
#endif
#endif
