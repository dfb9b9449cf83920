/*
 * A sort of keys of 1 or 2 bytes without values, by counting, on CUDA. Equal keys cannot be told apart, so no
 * key is moved:
 *
 *     count    parscan_histogram() counts each key
 *     order    the counts are put in the order of the keys
 *     scan     parscan_exclusive_scan() tells where the run of each key starts
 *     write    each warp finds the keys of a tile of the output, and writes it
 *
 * The keys are read once, and written once when all have been read. So the sort may be in place.
 *
 * NaNs are equal to each other, and keep their order. If they have several bit patterns, which the second
 * kernel finds out, nothing is written, and digit passes follow, which otherwise end at once.
 */
#ifndef PARSCAN_APPS_SORT_COUNTING_CUDA_H
#define PARSCAN_APPS_SORT_COUNTING_CUDA_H

#include "apps/radix/radix_cuda.h"
#include "apps/sort/sort_call.h"

/* Scratch, at most: two counters of 8 bytes for each key of 2 bytes. */
#define COUNTING_SCRATCH ((size_t)2 * sizeof(uint64_t) << 16)

#ifdef __cplusplus
extern "C" {
#endif

/* All pointers are to device memory. A code is the place of a key in the order of all keys of its
   class: 0 to 255, or 0 to 65535. */
typedef struct counting_on_device {
    const void *counts; /* of keys, as bits */
    void *starts;       /* of codes: their counts, and after a scan where their runs start */
    bool wide;          /* both are u64, else u32 */
    uint64_t flip;      /* the bits in which codes differ from keys */
    uint64_t *nans;     /* of floats: set to whether NaNs have several bit patterns; else NULL */
    void *out;
    size_t n; /* at most, if the length is in device memory */
    const uint64_t *n_at;
    parscan_deferred deferred;
} counting_on_device;

typedef cudaError_t counting_launch(parscan_cuda *cuda, const counting_on_device *params);
counting_launch parscan_order_counts_u8, parscan_order_counts_u16;
counting_launch parscan_write_runs_u8, parscan_write_runs_u16;
#define X(ctx, NAME, bits, name, ...) \
    counting_launch parscan_order_counts_##name, parscan_write_runs_##name;
PARSCAN_STORED_KEY_CLASSES(X, )
#undef X

/* Sorts keys by counting. The plan of the sort has chosen it. on_device: the keys, n, flip and whole_keys are
   set. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_sort_by_counting_cuda(const sort_call *call,
                                             parscan_sort_cuda_call *on_device);

#ifdef __cplusplus
}
#endif
#endif
