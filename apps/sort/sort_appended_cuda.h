/*
 * Many elements on CUDA, of which all but the last part may be in order: such as those that were sorted before,
 * with others appended. The sort looks whether the head is in order; if it is, its passes sort the tail alone
 * (apps/radix/ordered_kernels.cuh), and both are merged. The host launches all of it; the device sets the lengths of
 * head and tail to 0 where the passes have sorted everything.
 */
#ifndef PARSCAN_APPS_SORT_SORT_APPENDED_CUDA_H
#define PARSCAN_APPS_SORT_SORT_APPENDED_CUDA_H

#include "apps/radix/radix_cuda.h"
#include "apps/sort/sort_call.h"

/* Before the sort, which is not in place: what the head and the tail are. */
void parscan_sort_set_head(const sort_call *call, parscan_sort_cuda_call *on_device);

/* After it. Errors: DEVICE. */
parscan_status parscan_sort_merge_tail(const sort_call *call,
                                       const parscan_sort_cuda_call *on_device);

#endif
