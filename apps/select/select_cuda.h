/* What the host code of selections on CUDA shares: their arrays, their lengths, their segments as offsets. */
#ifndef PARSCAN_APPS_SELECT_CUDA_H
#define PARSCAN_APPS_SELECT_CUDA_H

#include "apps/segments/check_segments.h"
#include "apps/segments/offsets_cuda.h"
#include "apps/select/select_call.h"
#include "scan/cuda/driver.h"

enum {
    SELECT_IN,
    SELECT_MARKS,
    SELECT_VALUES,
    SELECT_INDICES,
    SELECT_COUNTS,
    SELECT_COUNT,
    SELECT_ARRAYS
};

/* Steps of the operation (scan/cuda/driver.h). The call is the operation's own copy, and so are its
   segments. */
unsigned parscan_describe_selection(const void *call, parscan_cuda_array *arrays);
unsigned parscan_lengths_of_selection(void *call, parscan_cuda_length *lengths);
parscan_status parscan_check_selection_cuda(const void *call, const parscan_cuda_array *arrays);
/* By flags or keys only the device has found out how many results are copied to host memory. */
parscan_status parscan_learn_selection(void *call, parscan_cuda_array *arrays);

/* The bytes of scratch for offsets of segments that have none in memory, and for what they are made of. */
size_t parscan_select_offsets_bytes(const select_call *call);

/* Makes them in that scratch, which is aligned to 256 bytes, and fills *offsets. The call has segments. Kernels
   that write the number of segments find in offsets->number where: NULL: nowhere. */
parscan_status parscan_select_offsets(const select_call *call, const parscan_cuda_array *arrays,
                                      void *scratch, segment_offsets *offsets);

/* Whether there are neither elements nor offsets: only *count = 0 is stored then. */
bool parscan_selects_nothing(const select_call *call);
parscan_status parscan_select_nothing(const select_call *call, const parscan_cuda_array *arrays);

#endif
