/* Sorts along an axis (parscan/shape.h): as segments, after lines with gaps have been copied to rows. */
#ifndef PARSCAN_APPS_SORT_SORT_AXIS_H
#define PARSCAN_APPS_SORT_SORT_AXIS_H

#include "apps/sort/sort_call.h"
#include "parscan/sort.h"
#include "scan/axis/axis_rows.h"

typedef struct axis_sort {
    const sort_call *call;
    parscan_sort_options options; /* without the shape */
    parscan_type key_type;
    const parscan_shape *shape;
    axis_side in, out; /* keys, and keys or indices; their length is the most that n can be */
    axis_side values_in, values_out; /* of pairs; otherwise without a name */
    size_t n;                        /* the length of a line, */
    const uint64_t *n_at;            /* or, on CUDA, where it is in device memory */
} axis_sort;

/* Checks the arrays and sorts them. Errors: INVALID_ARGUMENT; OUT_OF_MEMORY; on CUDA also DEVICE, and UNSUPPORTED, a length
   in device memory while the stream is captured. */
parscan_status parscan_sort_axis(axis_sort *sort);
parscan_status parscan_argsort_axis(axis_sort *sort);

/* What engines do of it: rows are sorted (axis_rows.run), with so many bytes of scratch a line. */
parscan_status parscan_sort_rows_cpu(const axis_rows *rows, const axis_batch *batch);
parscan_status parscan_sort_rows_cuda(const axis_rows *rows, const axis_batch *batch);
size_t parscan_sort_rows_own_cpu(const axis_sort *sort, size_t lines);
size_t parscan_sort_rows_own_cuda(const axis_sort *sort, size_t lines);
parscan_status parscan_argsort_rows_cpu(const axis_rows *rows, const axis_batch *batch);
parscan_status parscan_argsort_rows_cuda(const axis_rows *rows, const axis_batch *batch);
size_t parscan_argsort_rows_own_cpu(const axis_sort *sort, size_t lines);
size_t parscan_argsort_rows_own_cuda(const axis_sort *sort, size_t lines);

/* Whether rows of keys, without values, are sorted in another way than as segments. */
bool parscan_sort_rows_apart_cpu(const sort_call *call, size_t lines, size_t n);
bool parscan_sort_rows_apart_cuda(const sort_call *call, size_t lines, size_t n);

/* Sorts the rows of a batch as segments. */
parscan_status parscan_sort_rows_together(const axis_rows *rows, const axis_batch *batch,
                                          void *keys_out, size_t value_size, const void *values_in,
                                          void *values_out);

#endif
