/*
 * The plan of a histogram on CUDA: in which table a block counts (histogram_tables.cuh), and how many
 * blocks there are. The sizes here are those that kernels are compiled with.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_HISTOGRAM_PLAN_H
#define PARSCAN_APPS_HISTOGRAM_HISTOGRAM_PLAN_H

#include "scan/cuda/plan.h"

/* Threads of a block. */
#define BYTES_THREADS 512u
#define WORDS_THREADS 512u
#define HALVES_THREADS 1024u
#define CACHED_THREADS 1024u
#define FEW_THREADS 256u
#define CODES_THREADS 1024u

/* Blocks on a multiprocessor, at least. */
#define WORDS_BLOCKS 2u

/* The words of a table of words, as many as every device has room for. */
#define WORDS_TABLE 16384u

/* The words of a table of halves lie in rows of so many. */
#define HALVES_ROW 32u

/* Vectors of 16 bytes that a thread loads at once. */
#define LOADED_VECTORS 4u
#define CODES_VECTORS 6u /* where elements are counted by value */

/* The 16-bit counters of all values of two bytes. */
#define CODES_TABLE_BYTES (65536u * 2)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum histogram_variant {
    HISTOGRAM_ONLY_CLEARED,
    HISTOGRAM_IN_BYTES,
    HISTOGRAM_IN_CODES,
    HISTOGRAM_IN_WORDS,
    HISTOGRAM_IN_HALVES,
    HISTOGRAM_CACHED_FEW,
    HISTOGRAM_CACHED,
    HISTOGRAM_VARIANTS
} histogram_variant;

typedef struct histogram_facts {
    size_t n, bins, element_size;
    bool adds;             /* to the counts that there are */
    bool length_on_device; /* n is the most that it can be */
    bool bounds_on_device;
} histogram_facts;

typedef struct histogram_plan {
    histogram_variant variant;
    bool clears;         /* a kernel before clears the counts */
    size_t blocks;       /* at most; of these, as many as the device holds */
    unsigned vectors;    /* of bytes: that a thread loads at once, at most LOADED_VECTORS */
    size_t shared_bytes; /* of the table */
    unsigned copies_log2, table_words, slots_log2; /* of words; halves and codes; cached */
    bool alone;                                    /* there is one block, and it sets the counts */
} histogram_plan;

histogram_plan parscan_histogram_plan(const parscan_plan_device *device,
                                      const histogram_facts *facts);

extern const parscan_plan_table parscan_histogram_plans;

#ifdef __cplusplus
}
#endif
#endif
