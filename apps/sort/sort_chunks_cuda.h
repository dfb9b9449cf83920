/* A sort of host arrays that go through the device in chunks (bucket_sort_cuda.c), and what it uses
   of the sort of arrays on the device (sort_cuda.c). */
#ifndef PARSCAN_APPS_SORT_SORT_CHUNKS_CUDA_H
#define PARSCAN_APPS_SORT_SORT_CHUNKS_CUDA_H

#include "apps/sort/sort_place.h"

/* Sorts the arrays in device memory. arrays: only `device` is read. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_sort_placed(const sort_call *call, const parscan_cuda_array *arrays);

/* Whether a sort on the device counts the keys. */
bool parscan_sort_counts_keys(const sort_call *call);

/* The scratch of a sort on the device. */
size_t parscan_sort_chunk_scratch(const sort_call *call);

/* How many elements a chunk or a bucket may have if the call may use `room` bytes of device memory.
   0: too few. */
size_t parscan_sort_chunk_length(const sort_call *call, size_t room);

/* Sorts in chunks of at most `most` elements. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_sort_in_chunks(const sort_call *call, size_t most);

#endif
