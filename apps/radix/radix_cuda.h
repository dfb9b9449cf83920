/*
 * A radix sort, or a counting sort by bins, on CUDA: what the host code (sort_cuda.c, bin_cuda.c)
 * passes to the launches of one class of keys (sort_launches.cu, bin_launches.cu). Both use the
 * types and functions here, also those whose names start with sort_ or parscan_sort_.
 */
#ifndef PARSCAN_APPS_RADIX_RADIX_CUDA_H
#define PARSCAN_APPS_RADIX_RADIX_CUDA_H

#include <cuda_runtime_api.h>
#include <stdalign.h>

#include "apps/radix/radix_sort_plan.h"
#include "scan/cuda/cuda_context.h"
#include "scan/type_traits.h"

/* So many digits cover 64-bit keys. */
#define SORT_PASSES 8u

/* The low 40 bits of a word hold an element count; the high bits hold another number. */
#define SORT_COUNT_BITS 40u

/* The arrays between which passes move elements: the input, the output, the scratch; what follows the head of
   the input. */
enum { SORT_IN, SORT_OUT, SORT_SPARE, SORT_TAIL, SORT_PLACES };

/* What the device decides after it has counted the digits. */
typedef struct sort_pass {
    uint64_t begin[SORT_DIGITS]; /* the index at which the output of each digit starts */
    uint64_t n;                  /* elements that the pass reads */
    uint32_t active;             /* 0: all keys have the same digit, and the pass moves nothing */
    uint32_t from, to;           /* places: SORT_IN, ... */
    uint32_t first, last;        /* whether it is the first, the last active pass */
    uint32_t copies; /* bins only: all elements have one bin, so values are only copied */
} sort_pass;

/* The status words of the tiles' digits (tile_prefix.cuh). A row has 2 digits in a word. */
#define SORT_ROWS 1024u
#define SORT_ROW_WORDS (SORT_DIGITS / 2)

/* The least number of elements in a tile. There are fewer rows than twice the tiles. */
#define SORT_LEAST_TILE 3072u

typedef struct sort_state {
    sort_pass passes[SORT_PASSES];
    /* All from here on must be 0 before the sort. */
    uint64_t counts[SORT_PASSES * SORT_DIGITS]; /* those of pass p start at p * SORT_DIGITS */
    uint64_t blocks_done;
    uint64_t listed; /* segment_list.taken */
    uint64_t nans;   /* not 0: there are NaNs */
    uint64_t kept;   /* elements that have a bin */
    /* Of keys that may be in order already (ordered_kernels.cuh): not 0 where some key is below an earlier
       one, above an earlier one, and if the keys are neither sorted nor reversed; blocks that have looked. */
    uint64_t falls, rises, disordered, looked;
    uint64_t head, tail;               /* elements of both, if they are sorted apart; or 0 */
    uint32_t tiles_taken[SORT_PASSES]; /* first tiles that blocks of a pass have taken */
    /* Only as many as are used. Each warp reads 256 bytes of a row: two lines of the cache, if rows are
       aligned to lines; otherwise three, and a pass takes 5% more (bench/notes/sort-cuda.md). */
    alignas(128) uint64_t rows[SORT_ROWS * SORT_ROW_WORDS];
} sort_state;

typedef struct sort_digit {
    unsigned low, mask; /* digit = (rank >> low) & mask; mask 0: an unused digit, equal in all
                           keys */
} sort_digit;

/* Where the offsets of bins come from. OF_DIGITS: there are no more bins than digits. OF_RANGES: few
   elements, and ranges; blocks of the first kernel count them. OF_TILES: the last pass stores offsets[b] where bin
   b starts. The offset of an empty bin stays UINT64_MAX, or UINT32_MAX. */
enum bin_offsets { OFFSETS_OF_DIGITS, OFFSETS_OF_RANGES, OFFSETS_OF_TILES };

/* A counting sort by bins. The keys, of any width in the input, are bins; an element whose key
   is no bin is left out. The output offsets[b], 0 <= b <= bins, is the number of elements in the
   bins below b. */
typedef struct sort_bins {
    uint64_t count; /* bins that the input's type can express */
    size_t size;    /* bytes of a bin in the input */
    uint64_t bins;
    void *offsets;
    bool wide; /* offsets are u64, else u32 */
    enum bin_offsets from;
} sort_bins;

/* Elements of a bucket that lie one after another. */
typedef struct sort_piece {
    uint64_t keys_at, values_at; /* the first one, from keys[pass.from] and values[pass.from] on.
                                    Modulo 2^64: arrays before those are reached, too */
    uint64_t n;                  /* 1 or more */
    uint64_t bucket;
    uint64_t first_tile; /* set by the launch */
} sort_piece;

typedef struct parscan_sort_cuda_call {
    parscan_context *context;
    sort_state *plan;        /* in device memory, like all arrays */
    bool cleared;            /* parscan_sort_clear_plans() was called */
    void *keys[SORT_PLACES]; /* equal pointers: the sort is in place */
    void *values[SORT_PLACES];
    size_t n;
    const uint64_t *n_at;  /* NULL, or the length in device memory: n is the most that it can be */
    const uint64_t *count; /* NULL, or in device memory: its low SORT_COUNT_BITS bits tell how
                              many of the n elements exist; for pairs only */
    size_t value_size;     /* 0, 4 or 8 bytes */
    uint64_t flip;         /* inverts the bits of ranks, for descending order */
    unsigned passes;
    sort_digit digits[SORT_PASSES];
    bool whole_keys; /* the order takes all bits of a key */
    /* Not 0: if so many elements at the start are in order, and not all, the passes sort the tail into SORT_SPARE, and
       plan->head and plan->tail are set. Only a plan that notices order looks. n_at is NULL; not in place. */
    size_t head;
    bool indices;    /* the values are the elements' indices; those of SORT_IN are not read */
    bool drops_keys; /* only the values are wanted */
    sort_bins bins;
    bool in_block;  /* by bins: one block sorts all elements, in one launch */
    bool only_nans; /* of floats of 2 bytes: the passes run only if plan->nans is set before them */
} parscan_sort_cuda_call;

/*
 * A sort of buckets, each for itself, in launches that all of them share. The first pass takes a
 * bucket's elements from its pieces, one after another; it leaves buckets one after another, in their
 * order. `sort` has the arrays, n of all buckets together, and digits below the bits in which the
 * keys of a bucket agree; SORT_IN is an array that the pieces are counted from, and no other place.
 * Its `count`, `bins`, `indices` and `drops_keys` are not used.
 */
typedef struct sort_pieces_call {
    parscan_sort_cuda_call sort;
    /* The pieces in the order of buckets, a place after them, a piece for each bucket as it lies after
       the first pass, a place after them. In host memory, and room for as much in device memory. */
    sort_piece *pieces, *on_device;
    size_t piece_count, bucket_count;
    /* Device memory: for each bucket, SORT_PASSES * SORT_DIGITS words. counts: of the digits. begins:
       where digits go, less what the tiles of the buckets before have of the same digit: a pass
       counts digits over all tiles, and a tile adds its bucket's begins. */
    uint64_t *counts, *begins;
    /* Called before the last of several passes is put on the stream; NULL: nothing is. The context may
       have more blocks on the device from then on. */
    void (*before_last)(void *state);
    void *state;
} sort_pieces_call;

/* Gathers n values of any size, at any address: out[i] = in[index[i]], or in[i] if index is NULL. */
typedef struct parscan_gather_call {
    const void *in, *index;
    void *out;
    size_t size, n, index_size;
    const uint64_t *n_at, *count; /* as in parscan_sort_cuda_call */
} parscan_gather_call;

/* A piece of scratch: `*to` is set when all pieces are known and taken together. */
typedef struct scratch_piece {
    size_t size;
    void **to;
} scratch_piece;

/* Launches a sort for one class of keys. Errors: OUT_OF_MEMORY, DEVICE. */
typedef parscan_status parscan_sort_launch(const parscan_sort_cuda_call *call);

#ifdef __cplusplus
extern "C" {
#endif
/* Clears what must be 0 in `count` plans before sorts of at most n elements. Errors: DEVICE. */
parscan_status parscan_sort_clear_plans(parscan_context *context, sort_state *plans, unsigned count,
                                        size_t n);

/* Launches the sort for the class of keys. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_sort_launches(key_class key, const parscan_sort_cuda_call *on_device);

/* Takes all pieces from the context's scratch and sets their pointers. Errors: OUT_OF_MEMORY. */
parscan_status parscan_sort_take_scratch(parscan_context *context, const scratch_piece *pieces,
                                         unsigned count);

/* Sets the passes that sort by the bits of `keep`. aliased: if in and out are the same memory, add a
   pass to make the number even. */
void parscan_sort_choose_digits(parscan_sort_cuda_call *call, uint64_t keep, bool aliased);

/* Launches a gather. All pointers are to device memory. Errors: DEVICE. */
parscan_status parscan_gather_cuda(parscan_context *context, const parscan_gather_call *call);
#ifdef __cplusplus
}
#endif
#endif
