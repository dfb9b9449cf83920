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

/* A copy of a call and its segments, which the driver may change. */
typedef struct select_copy {
    select_call call;
    parscan_segments segments;
} select_copy;
void parscan_copy_selection(const select_call *call, select_copy *copy);

/* The steps that top-k and reductions to an index share; check and launch are theirs. */
#define SELECT_OPERATION(check_step, launch_step)                                        \
    {                                                                                    \
        .describe = parscan_describe_selection, .lengths = parscan_lengths_of_selection, \
        .check = check_step, .launch = launch_step, .finish = parscan_learn_selection    \
    }

/* The launch for the size of a call's elements. */
#define SELECT_LAUNCH(name, call)                        \
    (parscan_type_size((call)->type) == 1   ? name##_u8  \
     : parscan_type_size((call)->type) == 2 ? name##_u16 \
     : parscan_type_size((call)->type) == 4 ? name##_u32 \
                                            : name##_u64)

/* Whether there are neither elements nor offsets: only *count = 0 is stored then. */
bool parscan_selects_nothing(const select_call *call);
parscan_status parscan_select_nothing(const select_call *call, const parscan_cuda_array *arrays);

#endif
