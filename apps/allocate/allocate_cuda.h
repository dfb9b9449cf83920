/* Allocation, expansion and packing on CUDA: what the host code (allocate_cuda.c, expand_cuda.c,
   pack_cuda.c) passes to the launches (allocate_launches.cu). All pointers are to device memory. */
#ifndef PARSCAN_APPS_ALLOCATE_CUDA_H
#define PARSCAN_APPS_ALLOCATE_CUDA_H

#include <stdbool.h>

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scan of sizes leaves in device memory: words of 64 bits, with these indices. */
enum {
    UNITS_STATUS, /* a parscan_status */
    UNITS_TOTAL,
    UNITS_LARGE,                     /* not 0: a size exceeds `largest` */
    UNITS_STATE,                     /* the number of words so far */
    UNITS_EXTENT = UNITS_STATE,      /* the extent of records: two words */
    UNITS_LISTED = UNITS_EXTENT + 2, /* large records: one word, see PACK_PIECES_BITS */
    UNITS_COUNT,                     /* the number of sizes, which the scan has read */
    UNITS_ROOM = 16                  /* words for all of these; what follows is aligned */
};

/* Computes offsets[i] = the sum of the units of the sizes before i, times 1 << shift. A size is
   rounded up to units of 1 << shift. */
typedef struct allocate_sum_params {
    parscan_type size_type, offset_type;
    const void *sizes;
    void *offsets;        /* NULL: only the total is wanted */
    size_t n;             /* not 0 */
    const uint64_t *n_at; /* the number of sizes in device memory, which may be 0; NULL: it is n */
    unsigned shift;
    uint64_t before;         /* units before the first size */
    uint64_t most, capacity; /* OVERFLOW, CAPACITY if the total exceeds them */
    uint64_t largest;        /* UNITS_LARGE is set if a size of 64 bits exceeds this */
    bool ends;               /* the total is also stored in offsets[n] */
    /* Where the last tile stores its results. Each may be NULL. */
    uint64_t *state, *total;
    parscan_deferred deferred;
} allocate_sum_params;

/* The words of chain memory for a scan of n sizes. */
size_t parscan_units_chain_words(size_t n);

/* Computes the offsets. chain: parscan_units_chain_words(n) words. */
cudaError_t parscan_units_launch(parscan_context *context, const parscan_chain_memory *chain,
                                 const allocate_sum_params *params);

/* The slots of an expansion and the items that own them. */
typedef struct slots_params {
    const void *offsets; /* UNITS_COUNT + 1 offsets */
    bool wide;           /* offsets are u64, else u32 */
    const uint64_t
        *state; /* of the scan of the sizes; after an error of it there is nothing to do */
    parscan_deferred deferred; /* where an error is stored, if anywhere */
    size_t most_work;          /* a bound on the number of slots and items; SIZE_MAX: not known */
    parscan_type index_type;
    void *owner, *rank; /* NULL: not wanted */
    bool limited;       /* UNITS_LARGE is an error */
    /* The rank of each item's first slot, if it is not 0; NULL: it is. */
    const void *begins;
    bool wide_begins; /* they have 8 bytes, else 4 */
    /* Of run lengths decoded: `owner` receives the values of items, of value_size bytes. */
    const void *values;
    size_t value_size;
} slots_params;

/* Writes owner and rank of all slots. */
cudaError_t parscan_expand_launch(parscan_cuda *cuda, const slots_params *params);

/* Writes the values of all slots. */
cudaError_t parscan_decode_launch(parscan_cuda *cuda, const slots_params *params);

/* One word counts the listed records and, in its low PACK_PIECES_BITS bits, all their pieces.
   The memory of no device can hold so many of either. */
#define PACK_PIECES_BITS 37
#define PACK_MOST_PIECES ((uint64_t)1 << PACK_PIECES_BITS)
#define PACK_MOST_LISTED ((size_t)1 << (64 - PACK_PIECES_BITS))

/* Records to be moved. */
typedef struct pack_params {
    parscan_type size_type, offset_type;
    const void *sizes, *in_offsets, *out_offsets;
    const char *in;
    char *out;
    size_t n;             /* not 0 */
    const uint64_t *n_at; /* as above */
    unsigned batch;       /* set by the launch: the records that a warp handles at once, 1 to 32 */
    uint64_t *state;      /* UNITS_STATUS and `listed` must be zero before */
    parscan_deferred deferred; /* where an error is stored, if anywhere */
    /* The large records: */
    uint64_t *listed; /* the word with their number and their pieces */
    uint64_t *items;  /* their indices */
    uint64_t *ends;   /* for each, the number of pieces up to and including it */
    size_t room;      /* the length of items and ends */
} pack_params;

/* Moves the records. An error is left in `state` and `deferred`. */
cudaError_t parscan_pack_launch(parscan_context *context, const pack_params *params);

/* Sets extent[0] to the first byte and extent[1] to the end of all records at `offsets`. */
typedef struct extent_params {
    parscan_type size_type, offset_type;
    const void *sizes, *offsets;
    size_t n;
    uint64_t *extent; /* must be UINT64_MAX and 0 before */
} extent_params;
cudaError_t parscan_extent_launch(parscan_cuda *cuda, const extent_params *params);

#ifdef __cplusplus
}
#endif
#endif
