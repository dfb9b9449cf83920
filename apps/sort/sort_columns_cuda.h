/*
 * Rows in the order of columns on CUDA: what the host code (sort_columns_cuda.c) passes to the launches
 * (sort_columns_launches.cu). All pointers are to device memory.
 */
#ifndef PARSCAN_APPS_SORT_COLUMNS_CUDA_H
#define PARSCAN_APPS_SORT_COLUMNS_CUDA_H

#include "apps/sort/column_bits.h"
#include "scan/cuda/cuda_context.h"

/* Rows that are equal to a neighbour, and their groups: of a warp, and then of all warps before it. */
typedef struct lister_count {
    uint64_t rows, groups;
} lister_count;

/* What the device decides. */
typedef struct columns_state {
    uint64_t varying[COLUMNS_MOST * COLUMN_WORDS]; /* the bits of each word; 0 before the call */
    column_cursor cursor;
    column_key key;  /* of this round */
    bool last_first; /* keys take the last bits first */
    unsigned left;   /* then: the first bits, which are in no key yet */
    uint64_t n;      /* rows of this round: all, or those that are listed */
    uint64_t before; /* those of the round before */
    lister_count counts[COLUMN_LISTERS];
} columns_state;

typedef struct columns_params {
    columns_state *state;
    size_t n;             /* the most rows */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    const void *sorted;   /* keys of the round before, */
    bool narrow;          /* which have 4 bytes, else 8; of make_keys the keys that are made */
    void *keys;           /* keys that are made */
    bool wide;            /* rows and places have 8 bytes, else 4 */
    void *order;          /* the call's indices */
    const void
        *places_in; /* of the listed rows in the order; NULL: all rows are listed, in place */
    void *places_out, *rows;
    uint8_t *heads;         /* flags of the order; NULL: not wanted */
    const void *marked;     /* places in them of the sorted keys; NULL: their own */
    unsigned room;          /* of a key, bits; of later rounds with the number of the group */
    unsigned sampled_equal; /* so many of a sample: the last bits are first; 0: they never are */
    unsigned listers;       /* warps */
    unsigned count;
    sorted_column columns[COLUMNS_MOST];
} columns_params;

#ifdef __cplusplus
extern "C" {
#endif
/* The bits that vary, the choice of the first keys, and the keys. */
cudaError_t parscan_columns_first(parscan_context *context, const columns_params *params);
/* Lists the rows whose keys are equal, chooses bits for new keys, and makes these. */
cudaError_t parscan_columns_list(parscan_context *context, const columns_params *params);
/* Marks the sorted keys that differ from the one before. */
cudaError_t parscan_columns_mark(parscan_context *context, const columns_params *params);
/* Puts rows back: order[places_out[j]] = rows[j]. */
cudaError_t parscan_columns_return(parscan_context *context, const columns_params *params);
#ifdef __cplusplus
}
#endif
#endif
