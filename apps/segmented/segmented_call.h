/*
 * A checked call of a segmented scan or reduction, or of a recurrence: what segmented.c passes to
 * an engine. The caller owns all arrays.
 */
#ifndef PARSCAN_APPS_SEGMENTED_CALL_H
#define PARSCAN_APPS_SEGMENTED_CALL_H

#include "parscan/segmented.h"
#include "scan/scan_call.h"

typedef struct segmented_call {
    parscan_scan_call scan; /* shape.algorithm is AUTO, SEQUENTIAL or SINGLE_PASS */
    const parscan_segments *segments;
    /* The number of segments by offsets, in device memory, at most segments->count; NULL: it is that. */
    const uint64_t *segment_count_at;
    uint64_t *count; /* for a reduction: receives the number of segments; may be NULL */
    /* For a reduction by keys: receives the first key of each segment. NULL: not wanted. */
    void *keys_out;
    /* For a reduction by flags or keys: so many segments are written at most, in reverse the last ones, but on
       CUDA the first ones. 0: no limit. *count is the number of all. */
    size_t capacity;
    /* A scan or reduction of a chunk of an array, by flags or keys, not in reverse. scan.carry receives the
       sum of the segment that is open at the end: of its elements, and of init if it is a new segment. In a
       reduction the segments are numbered from the one that is open at the beginning, whose key is not
       written; the sum of the last one is unspecified, and needs no room. */
    const void
        *open; /* element 0 goes on with a segment of which this is the sum, in host memory, one
                         element of parscan_sum_type() of any alignment. NULL: it starts a segment */
} segmented_call;

typedef struct recurrence_call {
    parscan_context *context;
    parscan_type type; /* a float */
    const void *a, *b, *x0;
    void *out;
    size_t n;             /* 0 only on CUDA, if the length was in device memory */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    bool constant_a;      /* a is one element, in host memory */
    const void *a_at;     /* the same in device memory, aligned; then a is NULL. On CUDA */
    const void *x0_at;    /* the same in device memory, aligned; then x0 is NULL. On CUDA */
    bool carried;         /* x0 is a carry */
    /* Receives out[n-1], the x0 of the next chunk of an array, in host memory; may be the same
       memory as x0. It is of parscan_compute_type(type), and not rounded. NULL: not wanted. */
    void *carry;
} recurrence_call;

/* The CPU engine of calls with an operator of the caller's. Errors: INVALID_ARGUMENT, offsets that decrease;
   OUT_OF_MEMORY. */
parscan_status parscan_custom_segmented_cpu(const segmented_call *call);

/* Checks that out, of which `out_bytes` are written for certain, overlaps neither the segments' data
   nor, in a reduction, in. The arrays are checked. */
parscan_status parscan_check_segmented_places(const segmented_call *call, size_t out_bytes);

/* Checks the output of a reduction, which has `least` segments at least. */
parscan_status parscan_check_sums(const segmented_call *call, size_t least);

/* Checks the options of a segmented call, which must be those of a scan and more, and fills
   call->scan with them. Errors: INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_segmented_options(parscan_context *context, parscan_type type,
                                               const parscan_scan_options *options,
                                               segmented_call *call);

/* The same, but an init in device memory stays there. */
parscan_status parscan_read_segmented_options(parscan_context *context, parscan_type type,
                                              const parscan_scan_options *options,
                                              segmented_call *call);

/* Checks the type of a recurrence. Errors: INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_recurrence_type(parscan_context *context, parscan_type type);

/* Runs a checked reduction that may write `capacity` segments; SIZE_MAX: no limit. Errors: as below;
   CAPACITY; UNSUPPORTED, a limit without flags or keys. */
parscan_status parscan_reduce_within(const segmented_call *call, size_t capacity);

/* Checks the one `a` of a recurrence with constant_a. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_one_a(const recurrence_call *call);

/* Run a checked call on the engine of its context; a recurrence has n > 0. */
parscan_status parscan_run_segmented(const segmented_call *call);
parscan_status parscan_run_recurrence(const recurrence_call *call);

/* The engines. Errors: INVALID_ARGUMENT for wrong offsets, OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_segmented_cpu(const segmented_call *call);
parscan_status parscan_segmented_cuda(const segmented_call *call);
parscan_status parscan_recurrence_cpu(const recurrence_call *call);
parscan_status parscan_recurrence_cuda(const recurrence_call *call);

/* The CPU engine for one element type. */
typedef struct parscan_cpu_segmented {
    parscan_status (*scan)(const segmented_call *call);
    parscan_status (*reduce)(const segmented_call *call);
} parscan_cpu_segmented;

#define X(ctx, NAME, number, name, ...) \
    extern const parscan_cpu_segmented parscan_cpu_segmented_##name;
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X

parscan_status parscan_recurrence_cpu_f32(const recurrence_call *call);
parscan_status parscan_recurrence_cpu_f64(const recurrence_call *call);

#endif
