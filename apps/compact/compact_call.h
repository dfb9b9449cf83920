/* A checked call of compaction: what compact.c and compact_runs.c pass to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_COMPACT_CALL_H
#define PARSCAN_APPS_COMPACT_CALL_H

#include <stdbool.h>

#include "apps/compact/compact_range.h"
#include "scan/context/context_state.h"
#include "scan/custom/operator_state.h"

typedef struct compact_call {
    parscan_context *context;
    const char *name; /* the name of the public function */
    const void *in;
    size_t size, n; /* bytes of an element; number of elements */
    /* The length, the elements or the rows, and the columns, in device memory. NULL: they are n, rows,
       columns, which else are the most. */
    const uint64_t *n_at, *columns_at;
    parscan_type type; /* the type of an element; unused with flags */
    /* Which elements are kept: with flags, those whose flag is not zero; with runs, those that
       start a run; otherwise those in the range. */
    const uint8_t *flags;
    const void *by; /* what is tested, of `type`, in place of `in`. NULL: `in` itself */
    bool runs;
    compact_range range;
    /* A predicate of the caller's, or with runs a relation that tells which neighbours are equal: it makes flags; the
       range is theirs. NULL: there is none. The CPU has such runs as flags. */
    const parscan_operator *custom;
    /* On CUDA: a predicate whose values are in device memory. The kernels of compaction then test flags,
       which it has made; range is theirs. NONZERO: there is none. */
    parscan_predicate on_device;
    /* What is written for the kept elements; NULL: not written. */
    void *values;
    bool partition; /* values are followed by the elements that are not kept */
    void *indices;  /* of index_type, like lengths and row_offsets; or columns */
    void *lengths;  /* of the runs */
    void *row_offsets;
    size_t rows, columns;
    parscan_type index_type; /* u32 or u64 */
    parscan_type
        given_type; /* the caller's: its largest number is the most, and its name is told */
    /* A second array, of which the records of the kept elements are written too, on the CPU. beside ==
       NULL: there is none. */
    const void *beside_in;
    void *beside;
    size_t beside_size; /* bytes of a record */
    uint64_t *count;
    size_t capacity; /* so many results are written at most; 0: no limit */
    /* For a chunk of an array: */
    bool
        continues; /* with runs, without lengths: element 0 goes on with a run, so it is not kept */
    uint64_t first_index; /* the index of element 0 in the array, for indices */
} compact_call;

/* Checks the type of the elements that a call tests, and whose predicate it is: *custom is the caller's own,
   or NULL, and there is a comparison, which is not checked yet. *size: the bytes of an element. Errors:
   INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_tested(parscan_context *context, parscan_type type,
                                    const parscan_predicate *given, const parscan_operator **custom,
                                    size_t *size);

/* Reads a comparison with elements of a checked type into *keep and checks it. NULL stands for
   nonzero. The host can read its values then. Errors: INVALID_ARGUMENT, UNSUPPORTED; on CUDA also
   DEVICE. */
parscan_status parscan_check_predicate(parscan_context *context, parscan_type type,
                                       const parscan_predicate *given, parscan_predicate *keep);

/* The same. If its values are all in device memory, they stay there, and *on_device is set. */
parscan_status parscan_find_predicate(parscan_context *context, parscan_type type,
                                      const parscan_predicate *given, parscan_predicate *keep,
                                      bool *on_device);

/* Fetches the values of call->on_device, and makes the range of them. Errors: UNSUPPORTED, DEVICE. */
parscan_status parscan_fetch_predicate(compact_call *call);

/* The range of a checked predicate. It may point to the predicate's values. */
compact_range parscan_compact_range_of(parscan_type type, const parscan_predicate *keep);

/* The range of an element that is not zero, and of a flag that is set. */
compact_range parscan_compact_range_of_nonzero(parscan_type type);
compact_range parscan_compact_range_of_flags(void);

/* A checked call of parscan_flags_if(). */
typedef struct flags_call {
    parscan_context *context;
    const parscan_operator
        *custom; /* a predicate of the caller's, in place of type and keep, or NULL */
    parscan_type type;
    parscan_predicate keep; /* checked; on CUDA its values may be in device memory, all of them */
    bool on_device;         /* they are */
    const void *in;
    uint8_t *flags;
    size_t n;
    const uint64_t *n_at; /* as in compact_call */
} flags_call;

/* Runs a checked call on the engine of its context. */
parscan_status parscan_run_flags_if(const flags_call *call);

/* The engines. Errors: on CUDA OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_flags_if_cpu(const flags_call *call);
parscan_status parscan_flags_if_cuda(const flags_call *call);

/* Runs a checked call on the engine of its context. */
parscan_status parscan_run_compact(const compact_call *call);

/* The engines. Errors: OVERFLOW, OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_compact_cpu(const compact_call *call);
parscan_status parscan_compact_cuda(const compact_call *call);

#endif
