/*
 * A call of a scan or a reduction: what scan.c has checked and passes to an engine.
 */
#ifndef PARSCAN_SCAN_CALL_H
#define PARSCAN_SCAN_CALL_H

#include <stdbool.h>

#include "parscan/scan.h"
#include "scan/block/block_shape.h"
#include "scan/context/context_state.h"
#include "scan/context/float_mode.h"
#include "scan/type_traits.h"

typedef enum parscan_scan_kind {
    PARSCAN_KIND_INCLUSIVE,
    PARSCAN_KIND_EXCLUSIVE,
    PARSCAN_KIND_REDUCE
} parscan_scan_kind;

typedef struct parscan_scan_call {
    parscan_context *context;
    parscan_scan_kind kind;
    parscan_op op;
    /* An operator of the caller's; both types are CUSTOM then. Before the options are checked:
       takes_custom tells whether the call has such an operator at all. */
    const parscan_operator *custom;
    bool takes_custom;
    parscan_type in_type, out_type; /* sums are accumulated in parscan_sum_type() */
    const void *in;
    void *out;
    size_t n; /* 0 only for a reduction, or on CUDA if the length was in device memory */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    const void *init;     /* one element of parscan_init_type(), in host memory, at any alignment */
    const void *init_at;  /* the same in device memory, aligned; then init is NULL. On CUDA */
    bool carried;         /* init is a carry, of parscan_sum_type() */
    bool reverse, reproducible;
    parscan_block_shape shape;       /* for a block algorithm */
    const struct parscan_axis *axis; /* scan/axis/axis.h: many lines of n elements; NULL: one */
    /* What the next chunk of the array needs, in host memory; NULL: there is none.
       carry   receives one element of parscan_sum_type(), of any alignment: init and all elements,
               combined, and not rounded to out_type. It is the init of the next chunk, which is
               `carried`, and may be the same memory as init
       tree    reproducible floats have this in place of carry. It is read and advanced
               (scan/reproducible/tree_carry.h); init is the same for all chunks */
    void *carry;
    struct parscan_tree_carry *tree;
} parscan_scan_call;

/* The type of sums: out_type, or F32 for the floats of 16 bits, to which only results are rounded. */
static inline parscan_type parscan_sum_type(const parscan_scan_call *call)
{
    return parscan_compute_type(call->out_type);
}

static inline parscan_type parscan_init_type(const parscan_scan_call *call)
{
    return call->carried ? parscan_sum_type(call) : call->out_type;
}

static inline bool parscan_has_init(const parscan_scan_call *call)
{
    return call->init != NULL || call->init_at != NULL;
}

/* The bytes of an element of in, of out, and of a sum. 0: `in` need not be an array of elements, an
   operator's map knows what it is. */
size_t parscan_in_size(const parscan_scan_call *call);
size_t parscan_out_size(const parscan_scan_call *call);
size_t parscan_sum_size(const parscan_scan_call *call);

/* Whether results of floats depend on how they are grouped. */
bool parscan_op_rounds(parscan_op op);
bool parscan_op_commutes(parscan_op op);

/* The same call of the unsigned types, where the operator's results have the same bits for signed integers
   (PARSCAN_SIGNLESS_OPS). Only a sum that widens keeps its in_type: elements are widened by their sign. */
parscan_scan_call parscan_scan_signless(const parscan_scan_call *call);

/* Whether a call's carry is `tree`. */
bool parscan_scan_has_tree(const parscan_scan_call *call);

/* The floating-point mode in which the CPU works on floats: the caller's, if results depend on how
   they are grouped. All others, and those of a tree, are the same in every mode of the caller. */
parscan_float_mode parscan_scan_float_mode(const parscan_scan_call *call);

/* Checks the caller's options (NULL: the defaults) and fills the call with them. The arrays are not
   checked. *shape gets the option of that name; shape == NULL: the call has none. Errors:
   INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_scan_options(parscan_context *context, parscan_type type,
                                          const parscan_scan_options *given,
                                          parscan_scan_call *call, const parscan_shape **shape);

/* The same, but an init in device memory stays there: call->init_at. */
parscan_status parscan_read_scan_options(parscan_context *context, parscan_type type,
                                         const parscan_scan_options *options,
                                         parscan_scan_call *call, const parscan_shape **shape);

/* Fetches an init that is there. Errors: UNSUPPORTED, the stream is captured; DEVICE. */
parscan_status parscan_fetch_init(parscan_scan_call *call);

/* Checks in and out of a call whose options have been checked. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_scan_arrays(parscan_context *context, const parscan_scan_call *call);

/* Runs a checked call on the engine of its context; n = 0 only for a reduction. Errors:
   OUT_OF_MEMORY; on CUDA also DEVICE, and UNSUPPORTED for a carry while the stream is captured.
   After an error *carry and *tree are unspecified. */
parscan_status parscan_run_scan(const parscan_scan_call *call);

/* Rounds a carry, one element of parscan_compute_type(type) in host memory, to *result, one of type. */
void parscan_round_carry(parscan_context *context, parscan_type type, const void *carry,
                         void *result);

/* What an engine implements for scans and reductions. */
typedef struct parscan_scan_engine {
    /* Runs a checked call; n = 0 only for a reduction. */
    parscan_status (*run)(const parscan_scan_call *call);
    /* If a shape has neither threads nor items: fills in this engine's defaults. What it leaves 0
       gets the defaults of parscan_block_shape_complete(). */
    void (*default_shape)(parscan_block_shape *shape);
} parscan_scan_engine;

/* Defined in scan_cpu.c and scan_cuda.c. */
extern const parscan_scan_engine parscan_scan_cpu, parscan_scan_cuda;

/* The functions of the CPU engine for one element type. */
typedef struct parscan_cpu_scan {
    parscan_status (*sequential)(const parscan_scan_call *call);
    parscan_status (*hierarchical)(const parscan_scan_call *call);
    parscan_status (*single_pass)(const parscan_scan_call *call);
    parscan_status (*reproducible)(const parscan_scan_call *call);
    parscan_status (*axis)(const parscan_scan_call *call);
} parscan_cpu_scan;

/* One table for each element type: parscan_cpu_scan_u8 and so on (scan_element_cpu.c). */
#define X(ctx, NAME, number, name, ...) extern const parscan_cpu_scan parscan_cpu_scan_##name;
PARSCAN_ARITHMETIC_TYPES(X, )
#undef X

#endif
