/* Allocation, expansion and packing as the CUDA engine's host code (allocate_cuda.c, slots_cuda.c) hands
   them to the launches (allocate_launches.cu). */
#ifndef PARSCAN_APPS_ALLOCATE_CUDA_H
#define PARSCAN_APPS_ALLOCATE_CUDA_H

#include <stdbool.h>

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scan of sizes leaves on the device: words of 64 bits. */
enum {
    UNITS_STATUS, /* a parscan_status */
    UNITS_TOTAL,
    UNITS_LARGE,                     /* not 0: a size is beyond `largest` */
    UNITS_STATE,                     /* how many words these are */
    UNITS_EXTENT = UNITS_STATE,      /* of records: two words */
    UNITS_LISTED = UNITS_EXTENT + 2, /* of large records (PACK_PIECES_BITS) */
    UNITS_ROOM = 16                  /* words for all of it: what is behind is aligned */
};

/* offsets[i] = the sum of the units before i, times 1 << shift. A unit of a size is 1 << shift of it, what is
   begun counted. */
typedef struct allocate_sum_params {
    parscan_type size_type, offset_type;
    const void *sizes;
    void *offsets; /* or NULL */
    size_t n;      /* not 0 */
    unsigned shift;
    uint64_t most, capacity; /* a total beyond them is OVERFLOW, CAPACITY */
    uint64_t largest;        /* of a size of 64 bits */
    bool ends;               /* offsets[n] is the total */
    /* Each of them NULL, or where the last tile writes: */
    uint64_t *state, *total, *deferred;
} allocate_sum_params;

/* Words of chain memory that a scan of so many sizes takes. */
size_t parscan_units_chain_words(size_t n);
cudaError_t parscan_units_launch(parscan_context *context, const parscan_chain_memory *chain,
                                 const allocate_sum_params *params);

/* Slots of an expansion, and whose they are. */
typedef struct slots_params {
    const void *offsets;   /* n + 1 */
    bool wide;             /* they are u64, else u32 */
    size_t n;              /* not 0 */
    const uint64_t *state; /* nothing is done where there is an error */
    uint64_t *deferred;    /* or NULL: where the error goes */
    size_t most_work;      /* the slots and n, at most; SIZE_MAX: not known */
    parscan_type index_type;
    void *owner, *rank; /* or NULL */
    bool limited;       /* UNITS_LARGE is an error */
} slots_params;

cudaError_t parscan_expand_launch(parscan_cuda *cuda, const slots_params *params);

/* A word of how many records are listed and, in the bits below, the pieces that they have in all: more
   than any device's memory holds, of either. */
#define PACK_PIECES_BITS 37
#define PACK_MOST_PIECES ((uint64_t)1 << PACK_PIECES_BITS)
#define PACK_MOST_LISTED ((size_t)1 << (64 - PACK_PIECES_BITS))

/* Pieces of 16 aligned bytes that a record touches which is not listed, at most. */
#define PACK_SMALL_PIECES 96u

/* Records to be moved. */
typedef struct pack_params {
    parscan_type size_type, offset_type;
    const void *sizes, *in_offsets, *out_offsets;
    const char *in;
    char *out;
    size_t n;           /* not 0 */
    unsigned batch;     /* of the launches: records that a warp has at once, 1 to 32 */
    uint64_t *state;    /* UNITS_STATUS and `listed` are zero before */
    uint64_t *deferred; /* or NULL: where an error goes */
    /* The large ones: */
    uint64_t *listed; /* the word */
    uint64_t *items;  /* which they are */
    uint64_t *ends;   /* the pieces up to each, all of it */
    size_t room;      /* for so many */
} pack_params;

cudaError_t parscan_pack_launch(parscan_cuda *cuda, const pack_params *params);

/* extent[0], extent[1] = the first byte and the end of all records at `offsets`. */
typedef struct extent_params {
    parscan_type size_type, offset_type;
    const void *sizes, *offsets;
    size_t n;
    uint64_t *extent; /* UINT64_MAX and 0 before */
} extent_params;
cudaError_t parscan_extent_launch(parscan_cuda *cuda, const extent_params *params);

#ifdef __cplusplus
}
#endif
#endif
