/*
 * A radix sort, or a sort by bins, as the CUDA engine's host code (sort_cuda.c, bin_cuda.c) hands it to
 * the launches of one class of keys (sort_launches.cu, bin_launches.cu).
 */
#ifndef PARSCAN_APPS_RADIX_RADIX_CUDA_H
#define PARSCAN_APPS_RADIX_RADIX_CUDA_H

#include <cuda_runtime_api.h>

#include "scan/cuda/cuda_context.h"

/* Digits of 8 bits at most, passes at most: of 64 bits. */
#define SORT_DIGIT_BITS 8u
#define SORT_DIGITS (1u << SORT_DIGIT_BITS)
#define SORT_PASSES 8u

/* The low bits of a word that have a number of elements; others may have another. */
#define SORT_COUNT_BITS 40u

/* Where elements are on their way: in the input, the output, the scratch. */
enum { SORT_IN, SORT_OUT, SORT_SPARE, SORT_PLACES };

/* What the device decides when it has counted the digits, and what the digits begin at. */
typedef struct sort_pass {
    uint64_t begin[SORT_DIGITS]; /* where the elements of a digit go to */
    uint32_t active;             /* 0: the digit is the same in all keys: nothing is moved */
    uint32_t from, to;           /* places */
    uint32_t first, last;        /* of the active ones */
    uint32_t copies; /* of bins: no pass is needed, as all elements have one bin, but values move */
} sort_pass;

/* The words of the tiles' digits (tile_prefix.cuh): a row has 2 digits a word. */
#define SORT_ROWS 1024u
#define SORT_ROW_WORDS (SORT_DIGITS / 2)

/* Elements of a tile, at least: rows are fewer than twice the tiles. */
#define SORT_LEAST_TILE 3072u

typedef struct sort_plan {
    sort_pass passes[SORT_PASSES];
    /* From here on all is 0 before the sort. */
    uint64_t counts[SORT_PASSES * SORT_DIGITS]; /* of pass p from p * SORT_DIGITS on */
    uint64_t blocks_done;
    uint64_t listed;                           /* segment_list.taken */
    uint64_t nans;                             /* whether there are any */
    uint64_t kept;                             /* elements that have a bin */
    uint32_t tiles_taken[SORT_PASSES];         /* by the blocks of a pass */
    uint64_t rows[SORT_ROWS * SORT_ROW_WORDS]; /* as many as are used */
} sort_plan;

typedef struct sort_digit {
    unsigned low, mask; /* (rank >> low) & mask; 0 & 0: of all keys the same */
} sort_digit;

/* A counting sort by bins: the keys, of any width in the input, are bins, and what is none is left
   out. offsets[b], for b up to bins: how many elements have lower bins. */
typedef struct sort_bins {
    uint64_t count; /* of those that the input's type holds */
    size_t size;    /* of a bin in the input */
    uint64_t bins;
    void *offsets;
    bool wide; /* offsets are u64, else u32 */
    bool
        emits; /* more bins than digits: the last pass leaves offsets[b] where bin b begins, if that
                   has elements; of one that has none it is UINT64_MAX, or UINT32_MAX */
} sort_bins;

typedef struct parscan_sort_cuda_call {
    parscan_context *context;
    sort_plan *plan;         /* on the device, like all arrays */
    bool cleared;            /* by parscan_sort_clear_plans() */
    void *keys[SORT_PLACES]; /* in == out: in place */
    void *values[SORT_PLACES];
    size_t n;
    const uint64_t *count; /* NULL, or on the device in its low bits: so many of the n are there; of
                              pairs alone */
    size_t value_size;     /* 0, 4, 8 */
    uint64_t flip;         /* of the ranks */
    unsigned passes;
    sort_digit digits[SORT_PASSES];
    bool whole_keys; /* all bits of keys are sorted by */
    bool indices;    /* the values are the elements' indices, and those of SORT_IN are not read */
    bool drops_keys; /* only the values are wanted */
    sort_bins bins;
} parscan_sort_cuda_call;

/* All bytes of the call's n values of any size, at any address: out[i] = in[index[i]]. */
typedef struct parscan_gather_call {
    const void *in, *index;
    void *out;
    size_t size, n, index_size;
    const uint64_t *count; /* NULL, or as of a sort */
} parscan_gather_call;

/* A piece of scratch that is taken when all pieces are known. */
typedef struct scratch_piece {
    size_t size;
    void **to;
} scratch_piece;
typedef parscan_status parscan_sort_launch(const parscan_sort_cuda_call *call);

#ifdef __cplusplus
extern "C" {
#endif
/* What must be 0 before sorts of n elements or fewer. */
parscan_status parscan_sort_clear_plans(parscan_context *context, sort_plan *plans, unsigned count,
                                        size_t n);
parscan_status parscan_sort_take_scratch(parscan_context *context, const scratch_piece *pieces,
                                         unsigned count);

/* The passes over the bits begin to end - 1 of `keep`. aliased: one more, if their number is odd. */
void parscan_sort_choose_digits(parscan_sort_cuda_call *call, uint64_t keep, bool aliased);
parscan_status parscan_gather_cuda(parscan_context *context, const parscan_gather_call *call);
#ifdef __cplusplus
}
#endif
#endif
