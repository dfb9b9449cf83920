/* sort_cuts_cuda.c for the engine of sort_parts_cuda.c. */
#ifndef PARSCAN_APPS_SORT_SORT_CUTS_CUDA_H
#define PARSCAN_APPS_SORT_SORT_CUTS_CUDA_H

#include "apps/sort/sort_parts_call.h"

/* sort_parts_engine's show and cut. */
parscan_status parscan_sort_parts_show(sort_parts *parts, const char *keys,
                                       const sort_window *windows, size_t count, char *to);
parscan_status parscan_sort_parts_cut(sort_parts *parts, const sort_cuts *of, uint64_t *cuts);

#endif
