/* The launches of a radix sort on CUDA, one for each class of keys (sort_launches.cu). */
#ifndef PARSCAN_APPS_SORT_SORT_CUDA_H
#define PARSCAN_APPS_SORT_SORT_CUDA_H

#include "apps/radix/radix_cuda.h"
#include "scan/tables.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Launches a sort of buckets. Blocks need SORT_LARGE_BYTES of shared memory. Errors: DEVICE. */
typedef parscan_status parscan_sort_pieces_launch(const sort_pieces_call *call);

#define X(ctx, NAME, bits, name, ...)                    \
    extern parscan_sort_launch parscan_sort_cuda_##name; \
    extern parscan_sort_pieces_launch parscan_sort_pieces_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X
#ifdef __cplusplus
}
#endif
#endif
