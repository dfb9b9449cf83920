/* What the host code of calls on two sorted arrays shares on CUDA. */
#ifndef PARSCAN_APPS_JOIN_PAIR_CUDA_H
#define PARSCAN_APPS_JOIN_PAIR_CUDA_H

#include "apps/join/join_call.h"
#include "apps/join/pair_params.h"
#include "scan/cuda/driver.h"

/* The step `lengths` of the driver's operation. */
unsigned parscan_pair_lengths_cuda(sorted_array *a, sorted_array *b, parscan_cuda_length *lengths);

/* arrays: the keys of a and of b, one after the other. */
pair_params parscan_pair_on_device(parscan_type type, const sorted_array *a, const sorted_array *b,
                                   const parscan_cuda_array *arrays, void *out);

#endif
