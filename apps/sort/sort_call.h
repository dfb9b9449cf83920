/*
 * One call of a sort, as the public functions pass it to an engine. The caller owns the arrays;
 * scratch belongs to the context.
 */
#ifndef PARSCAN_APPS_SORT_SORT_CALL_H
#define PARSCAN_APPS_SORT_SORT_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/merge/key_order.h"
#include "parscan/segments.h"
#include "parscan/sort.h"
#include "scan/context/context_state.h"

/* The elements of an array, with any alignment. values NULL: there are only keys, or, where
   elements are read, the values are the elements' own indices. */
typedef struct elements {
    char *keys, *values;
} elements;

/* A digit: the bits low to low + bits - 1. */
typedef struct key_digit {
    unsigned low, bits;
} key_digit;

/* Buckets that spread keys which a digit would leave together. Of integers most of which are near one place: by their
   distance from `base`, below it if `down`, else above it. A bucket is one of 2^fine parts of an octave of distances;
   those on the other side are in the bucket of base. Of floats, whose top bits are the exponent: 2^fine equal parts of
   the numbers from rank `base` to rank `top`; what is outside is in the first or the last one. fine = 0: there are none. */
typedef struct key_octaves {
    uint64_t base, top;
    double scale; /* parts in a number of 1; negative if descending */
    unsigned fine;
    bool down;
} key_octaves;

/* The kernels of the CPU engine (sort_kernels.h). */
typedef struct sort_kernels sort_kernels;

/* The memory of one thread, a part of sort_call.workers. */
typedef struct sort_worker {
    elements spare[2];
    uint32_t *counts;
    size_t *at, *line_begin;
    size_t *bounds; /* how many of the entries after it are used */
    char *lines;
} sort_worker;

typedef struct sort_call {
    parscan_context *context;
    const sort_kernels *kernels;
    key_order order;
    /* For argsort, in.values is NULL: the values are the elements' indices. out.keys is NULL
       until there is scratch for it, since argsort writes no keys. */
    elements in, out;
    key_class key;
    size_t key_size, value_size, n;
    const uint64_t *n_at; /* CUDA: the length in device memory, at most n; NULL: it is n */
    const uint64_t *segment_count_at; /* CUDA: as many segments by offsets; NULL: segments->count */
    bool float_keys, whole_keys;      /* whole_keys: all bits of a key are compared */
    /* The sort is in parts (sort_parts_call.h): parscan_sort_prepare() takes no arrays. n only tells
       how many threads pay. */
    bool in_parts;
    size_t first_index; /* where a partition makes indices: that of element 0 */
    size_t
        extra_bytes; /* of scratch for each element, which an extra_need() of the caller's reads */

    /* parscan_sort_prepare() sets all from here on. */
    unsigned threads;      /* the number of threads that take part */
    unsigned scatter_bits; /* the most bits of a digit that is scattered through memory */
    size_t bucket_limit;   /* the most elements that a core sorts within its caches */
    elements scratch;      /* n elements, or none if one thread sorts all within its caches */
    size_t *counts;        /* threads * 2^scatter_bits counts of digits */
    char *workers;         /* the memory of all threads, worker_bytes each */
    size_t worker_bytes;
} sort_call;

/* The elements from `begin` on. */
static inline elements elements_from(const sort_call *call, elements e, size_t begin)
{
    return (elements){e.keys == NULL ? NULL : e.keys + begin * call->key_size,
                      e.values == NULL ? NULL : e.values + begin * call->value_size};
}

/* The elements begin to begin + n - 1. They are now in `from`, and their sorted order belongs in
   call->out at the same indices. */
typedef struct sort_range {
    elements from;
    size_t begin, n;
    /* So many top bits were equal in all keys when the range was cut from a larger one, and it is not
       cut by them again, whatever the keys are now. So no range is cut more than 64 times, and once by octaves:
       `spread` then. */
    unsigned known;
    bool spread;
} sort_range;

/* Checks the type and the options, and initialises a call without its arrays. Errors:
   INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_sort_begin(sort_call *call, parscan_context *context, parscan_type type,
                                  size_t value_size, size_t n, const parscan_sort_options *options);

/* The digit at the top of the bits that vary, wide enough to cut `bytes` bytes into buckets of
   `target` bytes; at most `most_bits` wide. varying is not 0. */
key_digit parscan_sort_choose_digit(uint64_t varying, size_t bytes, size_t target,
                                    unsigned most_bits);

/* Takes the scratch of the sort, and *extra for the caller, of the size that extra_need(call, threads)
   tells; NULL: none. Sets call->threads. Nothing has been written when it fails. Errors:
   OUT_OF_MEMORY. */
parscan_status parscan_sort_prepare(sort_call *call, parscan_scratch_need *extra_need,
                                    char **extra);

/* Returns the memory of core `worker`. It is valid after parscan_sort_prepare(). */
sort_worker parscan_sort_worker(const sort_call *call, unsigned worker);

/* No worker has cut a range. Called before the first range, and where the workers' memory has been used as a whole. */
void parscan_sort_forget_bounds(const sort_call *call);

/* Sorts a range on `threads` cores, of which `worker` is the first. With threads = 1 the calling
   thread does the work. */
void parscan_sort_range(const sort_call *call, sort_range range, unsigned threads, unsigned worker);

/* Sorts the ranges begin[k] to end[k] - 1, as `cut` says what is known of them; its begin and n are not read. */
void parscan_sort_ranges(const sort_call *call, sort_range cut, const size_t *begin,
                         const size_t *end, size_t count, unsigned threads, unsigned worker);

/* Moves a range to call->out without changing its order. */
void parscan_sort_move(const sort_call *call, sort_range range, unsigned threads);

/* Whether the input was in order, or strictly in reverse order. If so, call->out is complete. */
bool parscan_sort_ordered(const sort_call *call, sort_range range, unsigned threads);

/* Sorts keys without values by counting them, where that is possible. `sampled`: the bits that
   vary in a sample. Returns false, and has written nothing, where it is not possible. */
bool parscan_sort_by_counting(const sort_call *call, sort_range range, uint64_t sampled,
                              unsigned threads, unsigned worker);

/* The engines of a sort, n > 0. Errors: OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_sort_cpu(sort_call *call);
parscan_status parscan_sort_cuda(sort_call *call);

/* The engines of a sort of segments, n >= 0. Errors: also INVALID_ARGUMENT, for wrong offsets. */
parscan_status parscan_sort_segments_cpu(sort_call *call, const parscan_segments *segments);
parscan_status parscan_sort_segments_cuda(sort_call *call, const parscan_segments *segments);

#endif
