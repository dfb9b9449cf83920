/* Allocation, expansion and packing as the CUDA engine's host code (allocate_cuda.c, slots_cuda.c) hands
   them to the launches (allocate_launches.cu). */
#ifndef PARSCAN_APPS_ALLOCATE_CUDA_H
#define PARSCAN_APPS_ALLOCATE_CUDA_H

#include <stdbool.h>

#include "scan/context/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scan of sizes leaves on the device: words of 64 bits. */
enum {
    UNITS_STATUS, /* a parscan_status */
    UNITS_TOTAL,
    UNITS_LARGE,                /* not 0: a size is beyond `largest` */
    UNITS_STATE,                /* how many words these are */
    UNITS_EXTENT = UNITS_STATE, /* of records: two words */
    UNITS_ROOM = 16             /* words for all of it: what is behind is aligned */
};

/* offsets[i] = the sum of the units before i, times 1 << shift. A unit of a size is 1 << shift of it, what is
   begun counted; of a record, 16 aligned bytes of the output that it touches. */
typedef struct units_call {
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
    /* Of records, units are of these; offset_type is theirs then, and `offsets` are of 64 bits. */
    const void *out_offsets;
    uintptr_t out;
} units_call;

/* Words of chain memory that a scan of so many sizes takes. */
size_t parscan_units_chain_words(size_t n);
cudaError_t parscan_units_launch(parscan_context *context, const parscan_chain_memory *chain,
                                 const units_call *call);

/* Slots (of an expansion: indices; of records: units) and whose they are. */
typedef struct slots_call {
    const uint64_t *offsets; /* n + 1 */
    size_t n;                /* not 0 */
    const uint64_t *state;   /* nothing is done where there is an error */
    uint64_t *deferred;      /* or NULL: where the error goes */
    size_t most_work;        /* the slots and n, at most; SIZE_MAX: not known */
    /* Expansion: */
    parscan_type index_type;
    void *owner, *rank; /* or NULL */
    bool limited;       /* UNITS_LARGE is an error */
    /* Records: */
    parscan_type size_type, offset_type;
    const void *sizes, *in_offsets, *out_offsets;
    const char *in;
    char *out;
} slots_call;

cudaError_t parscan_expand_launch(parscan_cuda *cuda, const slots_call *call);
cudaError_t parscan_pack_launch(parscan_cuda *cuda, const slots_call *call);

/* extent[0], extent[1] = the first byte and the end of all records at `offsets`. */
typedef struct extent_call {
    parscan_type size_type, offset_type;
    const void *sizes, *offsets;
    size_t n;
    uint64_t *extent; /* UINT64_MAX and 0 before */
} extent_call;
cudaError_t parscan_extent_launch(parscan_cuda *cuda, const extent_call *call);

#ifdef __cplusplus
}
#endif
#endif
