/* Helpers for the host side of the CUDA sorts (sort_cuda.c, sort_segments_cuda.c). */
#ifndef PARSCAN_APPS_SORT_SORT_PLACE_H
#define PARSCAN_APPS_SORT_SORT_PLACE_H

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_cuda.h"
#include "scan/cuda/cuda_arrays.h"

enum { KEYS_IN, KEYS_OUT, VALUES_IN, VALUES_OUT, PLACED_ARRAYS };

/* Describes the call's arrays of keys and values (host or device memory), so that
   the driver can place them. */
void parscan_sort_name_arrays(const sort_call *call, parscan_cuda_array *arrays);

/* Whether values are moved as words of 4 or 8 bytes. */
bool parscan_sort_values_are_words(const sort_call *call, const parscan_cuda_array *arrays);

/* Gathers the values of a call, in device memory, by indices that a sort has made. copies: room for
   them where the output is the input, else not used. Errors: DEVICE. */
parscan_status parscan_sort_move_values(const sort_call *call, const parscan_cuda_array *arrays,
                                        const void *indices, size_t index_size, void *copies);

#endif
