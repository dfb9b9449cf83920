/* The engines of parscan_reduce_by_key(): a checked reduction by keys, with keys_out, that may write so many
   segments. Errors: CAPACITY, OUT_OF_MEMORY; on CUDA also DEVICE. */
#ifndef PARSCAN_APPS_SEGMENTED_REDUCE_BY_KEY_H
#define PARSCAN_APPS_SEGMENTED_REDUCE_BY_KEY_H

#include "apps/segmented/segmented_call.h"

parscan_status parscan_reduce_by_key_cpu(const segmented_call *call, size_t capacity);
parscan_status parscan_reduce_by_key_cuda(const segmented_call *call, size_t capacity);

#endif
