/*
 * One sort, as the public functions hand it to an engine.
 */
#ifndef PARSCAN_APPS_SORT_SORT_CALL_H
#define PARSCAN_APPS_SORT_SORT_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/segments.h"
#include "scan/context/context_state.h"

/* The order of keys: of (key ^ flip) & keep for integers; for floats see rank() in
   key_kernels_template.h. */
typedef struct key_order {
    uint64_t flip, keep;
} key_order;

/* The elements of an array of any alignment. No values: keys alone, or, where elements are read, the
   values are the elements' own indices. */
typedef struct elements {
    char *keys, *values;
} elements;

/* The CPU engine's (sort_kernels.h). */
typedef struct sort_kernels sort_kernels;

/* What a core needs of its own. */
typedef struct sort_worker {
    elements spare[2];
    uint32_t *counts;
    size_t *at, *line_begin;
    char *lines;
} sort_worker;

typedef struct sort_call {
    parscan_context *context;
    const sort_kernels *kernels;
    key_order order;
    /* The values of `in` are NULL where they are the elements' indices: argsort. It has no keys to
       write either: those of `out` are NULL until there is scratch for them. */
    elements in, out;
    size_t key_size, value_size, n;
    bool float_keys, whole_keys; /* whole: all bits are compared */

    /* From here on what parscan_sort_prepare() works out. */
    unsigned threads;      /* cores that take part */
    unsigned scatter_bits; /* of a digit that goes through memory, at most */
    size_t bucket_limit;   /* elements that a core sorts within its caches, at most */
    elements scratch;      /* n elements, if n > bucket_limit */
    size_t *counts;        /* of digits: two tables of threads times 2^scatter_bits */
    char *workers;         /* the memory of all */
    size_t worker_bytes;
} sort_call;

/* Elements begin to begin + n - 1, which now lie in `from` and belong in call->out. */
typedef struct sort_range {
    elements from;
    size_t begin, n;
} sort_range;

/* Scratch for all that follows, `extra` bytes of it for the caller. Nothing has been written yet.
   Errors: OUT_OF_MEMORY. */
parscan_status parscan_sort_prepare(sort_call *call, size_t extra_bytes, char **extra);

sort_worker parscan_sort_worker(const sort_call *call, unsigned worker);

/* Sorts a range on `threads` cores, of which `worker` is the first: with 1, on the calling one. */
void parscan_sort_range(const sort_call *call, sort_range range, unsigned threads, unsigned worker);

/* Sorts the ranges begin[k] to end[k] - 1, all in `from`. */
void parscan_sort_ranges(const sort_call *call, elements from, const size_t *begin,
                         const size_t *end, size_t count, unsigned threads, unsigned worker);

/* Moves a range to call->out in the order in which it is. */
void parscan_sort_move(const sort_call *call, sort_range range, unsigned threads);

/* Whether the input was in order, or strictly in the reverse order: then call->out is complete. */
bool parscan_sort_ordered(const sort_call *call, sort_range range, unsigned threads);

/* Where keys alone can be counted, and are not moved. `sampled`: the bits that a sample varies in. */
bool parscan_sort_by_counting(const sort_call *call, sort_range range, uint64_t sampled,
                              unsigned threads, unsigned worker);

/* The engines of a sort, n > 0. Errors: OUT_OF_MEMORY; of CUDA, DEVICE too. */
parscan_status parscan_sort_cpu(sort_call *call);
parscan_status parscan_sort_cuda(sort_call *call);

/* And of a sort of segments, n >= 0. Errors: INVALID_ARGUMENT (offsets) too. */
parscan_status parscan_sort_segments_cpu(sort_call *call, const parscan_segments *segments);
parscan_status parscan_sort_segments_cuda(sort_call *call, const parscan_segments *segments);

#endif
