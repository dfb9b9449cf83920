/* Sorts of rows of one length on CUDA, in registers: what the host code hands to the launches of a class of keys. */
#ifndef PARSCAN_APPS_SORT_SORT_ROWS_CUDA_H
#define PARSCAN_APPS_SORT_SORT_ROWS_CUDA_H

#include "scan/context/context_state.h"

/* The longest rows. Codes of 8 bytes of more of them do not fit a block's shared memory. */
#define ROWS_MOST 16384u

typedef struct parscan_sort_rows_call {
    parscan_context *context;
    const void *keys;
    void *keys_out,
        *indices; /* one of both; indices of elements in their rows, of index_size bytes */
    size_t index_size, rows, n;
    uint64_t flip, keep; /* see key_order */
} parscan_sort_rows_call;

typedef cudaError_t parscan_sort_rows_launch(const parscan_sort_rows_call *call);

#ifdef __cplusplus
extern "C" {
#endif
/* Of the classes with keys of 4 and 8 bytes: integers alone, and indices by keys of 4 bytes. */
parscan_sort_rows_launch parscan_sort_rows_launch_u32, parscan_sort_rows_launch_u64,
    parscan_sort_rows_launch_f32;
#ifdef __cplusplus
}
#endif
#endif
