/*
 * What the host hands to the kernels that are compiled at run time (custom_*.cuh). Both know these
 * structs: the host as C, and NVRTC. The host knows an element by its size alone, so that one that is
 * passed by value is CUSTOM_MOST_BYTES bytes here.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_PARAMS_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include "scan/cuda/deferred.h"

#define CUSTOM_MOST_BYTES 64u

#define CUSTOM_REDUCE_THREADS 512u
#define CUSTOM_TEST_THREADS 256u /* of a block that tests elements */
#define CUSTOM_TREE_THREADS \
    128u /* of a block that has a tile of the tree, TILE_ROWS of tree_carry.h */
#define CUSTOM_SORT_THREADS 256u  /* of a block that sorts or merges a tile */
#define CUSTOM_TILES_THREADS 256u /* of a block that reduces a tile of the hierarchical scan */

/* The elements of a thread that sorts or merges, by their size: some 128 bytes, at most 15 elements. An odd number, so
   that the threads of a warp begin in different banks of shared memory. */
#define CUSTOM_SORT_MOST(size) (128u / (unsigned)(size) < 15u ? 128u / (unsigned)(size) : 15u)
#define CUSTOM_SORT_ITEMS(size) \
    (CUSTOM_SORT_MOST(size) > 2u ? (CUSTOM_SORT_MOST(size) - 1u) | 1u : CUSTOM_SORT_MOST(size))

/* The blocks of a multiprocessor: with more, elements do not fit the registers (u64: 40 bytes a thread of 4 blocks). */
#define CUSTOM_SORT_BLOCKS(size) ((size) <= 4 ? 4 : (size) <= 16 ? 3 : 2)

/* What every kernel takes. init: one element, if has_init and init_at is NULL. */
typedef struct custom_call {
    uint64_t init[CUSTOM_MOST_BYTES / sizeof(uint64_t)];
    const void *init_at; /* the same in device memory */
    const void *in;
    void *out;
    size_t n; /* the most that it can be, if length_at is not NULL */
    const uint64_t *length_at;
    parscan_deferred deferred;
    uint32_t has_init, exclusive, reverse;
    uint32_t reserved;
} custom_call;

/* The words of tile_chain (tile_prefix.cuh). */
typedef struct custom_chain {
    void *control;
    uint64_t *status;
    size_t words;
} custom_chain;

/* The single pass, and the reduction, which has no padding. */
typedef struct custom_pass {
    custom_call call;
    custom_chain chain;
    uint32_t head_padding, misalignment;
} custom_pass;

/* A segmented scan or reduction: a single pass without padding. Heads are bytes or bits, one for each element. */
typedef struct custom_segments {
    custom_pass pass;
    const uint8_t *heads; /* not 0: a segment starts. The first one does anyway. NULL: bits */
    const uint8_t *bits;  /* bit i % 8 of byte i / 8 */
    const void *offsets;  /* of a reduction by offsets, u32, or u64 if `wide`; NULL: it is none */
    size_t count;         /* of segments by offsets, the most if count_at is not NULL */
    const uint64_t *count_at; /* in device memory */
    uint64_t *number;         /* of a reduction by flags or keys: receives the number of segments */
    size_t capacity;          /* of which so many are written */
    const void
        *keys; /* of key_bytes each; keys_out receives the first of each segment, or is NULL */
    void *keys_out;
    parscan_deferred exceeded; /* where there are more than `capacity` */
    uint32_t wide, key_bytes;
} custom_segments;

/* A reproducible scan or reduction. */
typedef struct custom_tree {
    custom_call call;
    void *nodes;      /* 2 * tiles sums */
    uint32_t *halves; /* `tiles` zeros: how many halves of a node are there */
    size_t tiles;     /* of the tree, the most that there can be */
} custom_tree;

/* A step of a sort, of tiles or of runs. call: in, out and the length. */
typedef struct custom_sort {
    custom_call call;
    size_t run; /* the tiles of a run that is merged: a power of two */
} custom_sort;

/* A level of the hierarchical scan (scan_cuda.h: parscan_cuda_level). */
typedef struct custom_level {
    custom_call call; /* in and out are the level's */
    size_t span;      /* how many elements of the call are one of the level */
    void *sums;       /* one for each tile; NULL: one tile */
    uint32_t threads; /* of a block that scans */
    uint32_t items;   /* a tile has threads * items elements */
    uint32_t starts;  /* the call's init comes before the first element */
    uint32_t reserved;
} custom_level;

#endif
