/*
 * A primitive that goes on over chunks of an array (parscan/chunked.h): the object, and what each
 * primitive implements. The engines do the work: each chunk is a call whose NAME_call.h takes what
 * the chunks before leave, and gives what the next one needs:
 *
 *     call                from the chunks before                 for the next one
 *     parscan_scan_call   init: all before, combined; carried    carry: the same with this chunk
 *     the same, as a tree tree: whole tiles as a binary          tree, advanced
 *                         counter, elements of the open tile
 *     by an operator      the same: an element of the operator's,
 *     of the caller's     not rounded, beside the state
 *     segmented_call      open: the sum of the open segment,     scan.carry
 *                         or NULL; scan or reduction
 *     recurrence_call     x0; carried                            carry: the last element
 *     compact_call        continues: element 0 goes on with a    the count
 *                         run; first_index
 *     allocate_call       start: the first offset                the total
 *     histogram_call      adds: to the counts that there are     the counts
 *     difference_call     init: the last element                 the last element
 *
 * Selections need no such fields: chunked_select.c compares the results of two of the public calls.
 *
 * An object's state is changed when all has succeeded: a tree is advanced in a copy, a histogram takes
 * its scratch before it counts. So an error leaves the carry as it was.
 *
 * Run lengths lag by one, since a later chunk may go on with the last run. Where a chunk ends the open
 * run, its outputs start with that run, and its own runs follow. There is room for n runs, so the
 * engine encodes all elements but the last one, which is looked at by itself (chunked_compact.c).
 * Reductions by key lag in the same way; there the engine leaves the last run open itself.
 */
#ifndef PARSCAN_APPS_CHUNKED_OBJECT_H
#define PARSCAN_APPS_CHUNKED_OBJECT_H

#include "apps/allocate/allocate_call.h"
#include "apps/compact/compact_call.h"
#include "apps/difference/difference_call.h"
#include "apps/histogram/histogram_call.h"
#include "apps/segmented/segmented_call.h"
#include "parscan/chunked.h"

/* The bytes of the widest element that a build may have. */
enum { CHUNKED_ELEMENT = 16 };

typedef struct chunked_element {
    unsigned char bytes[CHUNKED_ELEMENT];
} chunked_element;

/*
 * What an object was created with, as far as it decides the results. It is compared with that of a
 * carry. Where a primitive has no such argument, it is 0.
 * X(field, words)
 */
#define CHUNKED_NUMBERS(X)                  \
    X(primitive, "the primitive's number")  \
    X(type, "type")                         \
    X(out_type, "out_type")                 \
    X(op, "op")                             \
    X(reproducible, "reproducible")         \
    X(segment_kind, "the kind of segments") \
    X(key_type, "key_type")                 \
    X(element_size, "element_size")         \
    X(bins, "bins")                         \
    X(alignment, "alignment")               \
    X(comparison, "keep->comparison")       \
    X(given, "the set of optional arguments")
#define CHUNKED_VALUES(X)            \
    X(first, "init or x0")           \
    X(value, "keep->value or lower") \
    X(upper, "keep->upper or upper")

/* Bits of `given`. */
enum { GIVEN_FIRST = 1, GIVEN_VALUE = 2, GIVEN_UPPER = 4 };

typedef struct chunked_arguments {
#define X(field, words) uint64_t field;
    CHUNKED_NUMBERS(X)
#undef X
#define X(field, words) chunked_element field;
    CHUNKED_VALUES(X)
#undef X
} chunked_arguments;

/* What the chunks so far leave for the next one, but sums in trees and counts. It has no
   padding. */
typedef struct chunked_state {
    uint64_t elements;    /* of all chunks so far */
    uint64_t total;       /* elements written so far, with the open run; or the total size */
    uint64_t open_length; /* of the open run; the index of the extreme */
    uint64_t begun;       /* 1: value and key are those of elements, else 0 */
    chunked_element
        value; /* the sum so far, of the open segment, the last x, of the type that they are computed in;
                  the last element; that of the open run; the extreme */
    chunked_element key; /* the last key; the first key of the open run */
} chunked_state;

/* Properties of primitives. */
enum {
    NEEDS_WRITTEN = 1,       /* chunk->written must not be NULL */
    COUNTS_TOTAL = 2,        /* state.total is the total, not state.elements */
    OUT_OPTIONAL = 4,        /* chunk->out may be NULL */
    NOT_IN_PLACE = 8,        /* chunk->out = chunk->in is refused */
    WRITES_N = 16,           /* a chunk of n elements writes n */
    END_HAS_OUT = 32,        /* end->out is written if it is not NULL */
    END_NEEDS_OUT = 64,      /* end->out must not be NULL */
    END_HAS_OUT2 = 128,      /* end->out2 is written, with end->out */
    IN2_IN_PLACE = 256,      /* chunk->out = chunk->in2 is allowed */
    END_MAY_HAVE_OUT2 = 512, /* end->out2 is written if it is not NULL */
    OUT2_IN_PLACE =
        1024 /* chunk->out2 = chunk->in2 is allowed; only *written results are written */
};

typedef struct chunked_primitive {
    const char *name;
    unsigned properties;
    /* Takes a chunk of n > 0 elements, whose arrays are checked. *next is a copy of the state,
       which it advances; it is kept if the function succeeds. *written: as chunk->written. */
    parscan_status (*update)(parscan_chunked *chunked, const parscan_chunk *chunk,
                             chunked_state *next, uint64_t *written);
    /* Writes what is still to be written. *written: as end->written, 0 before. NULL: nothing. */
    parscan_status (*finish)(parscan_chunked *chunked, const parscan_chunked_end *end,
                             uint64_t *written);
} chunked_primitive;

struct parscan_chunked {
    parscan_context *context;
    const chunked_primitive *primitive;
    chunked_arguments arguments;
    chunked_state state;
    bool finished;
    size_t in_size, in2_size, out_size, out2_size; /* of elements; 0: there is no such array */
    bool apart;        /* chunk->out = chunk->in is refused, though the primitive may be in place */
    uint64_t capacity; /* of an allocation */
    /* A tree, counts, or the sum so far by an operator of the caller's: the carry beside the state; NULL: none. An update works on `draft`, and
       exchanges the two if it succeeds; NULL: it works on `carry`, and changes nothing if it
       fails. */
    size_t carry_bytes;
    void *carry, *draft;
    size_t work_bytes; /* memory that an update may use; by an operator of the caller's init, too */
    void *work;
    union {
        segmented_call segmented; /* .scan alone for scans and reductions */
        recurrence_call recurrence;
        compact_call compact;
        histogram_call histogram;
        allocate_call allocate;
        difference_call difference;
        flags_call flags;
    } call; /* what does not change from chunk to chunk */
};

/* The numbers of primitives, in carries. They never change. */
enum {
    CHUNKED_INCLUSIVE_SCAN = 1,
    CHUNKED_EXCLUSIVE_SCAN,
    CHUNKED_REDUCE,
    CHUNKED_SEGMENTED_INCLUSIVE_SCAN,
    CHUNKED_SEGMENTED_EXCLUSIVE_SCAN,
    CHUNKED_RECURRENCE,
    CHUNKED_HISTOGRAM,
    CHUNKED_COMPACT,
    CHUNKED_COMPACT_IF,
    CHUNKED_COMPACT_INDICES,
    CHUNKED_UNIQUE,
    CHUNKED_RUN_LENGTH_ENCODE,
    CHUNKED_ALLOCATE,
    CHUNKED_ARG_REDUCE,
    CHUNKED_TOP_K,
    CHUNKED_REDUCE_BY_KEY,
    CHUNKED_UNIQUE_PAIRS,
    CHUNKED_DIFFERENCE,
    CHUNKED_FLAGS_IF
};

/* The first step of every function that creates an object: checks `chunked` and the context, sets
   *chunked to NULL and *draft to an object of the context without anything. */
parscan_status parscan_chunked_begin(parscan_chunked **chunked, parscan_context *context,
                                     parscan_chunked *draft);

/* The last step: gives the draft its memory. draft_too: an update works on a second carry. Errors:
   OUT_OF_MEMORY. */
parscan_status parscan_chunked_make(parscan_chunked **chunked, const parscan_chunked *draft,
                                    bool draft_too);

/* Keeps a value that the caller gave, one element of a type; from == NULL: none. */
void parscan_chunked_keep(parscan_chunked *draft, unsigned bit, chunked_element *value,
                          parscan_type type, const void *from);

/* The value, or NULL if the caller gave none. */
const void *parscan_chunked_given(const parscan_chunked *chunked, unsigned bit,
                                  const chunked_element *value);

/* Copies element i of an array of the caller's to *to. Errors: DEVICE. */
parscan_status parscan_chunked_fetch(parscan_chunked *chunked, chunked_element *to,
                                     const void *array, size_t i, size_t size);

/* Copies `size` bytes of host memory to the caller's; to == NULL: not wanted. Errors: DEVICE. */
parscan_status parscan_chunked_put(parscan_chunked *chunked, void *to, const void *from,
                                   size_t size);

/* Whether two elements or keys are of one run: as ==, but a NaN equals every NaN. */
bool parscan_chunked_same(parscan_type type, const chunked_element *a, const chunked_element *b);

/* Sets *goes_on: whether a chunk with these keys starts within the run of `last`, one of the chunks
   before. Errors: DEVICE. */
parscan_status parscan_chunked_goes_on(parscan_chunked *chunked, parscan_type type,
                                       const chunked_element *last, const void *keys,
                                       bool *goes_on);

/* Keeps what scans and reductions have in common: draft->call.segmented.scan, whose options are
   checked. Errors: UNSUPPORTED, INVALID_ARGUMENT, by an operator of the caller's. */
parscan_status parscan_chunked_keep_scan(parscan_chunked *draft, unsigned number);

/* The last step of these: as parscan_chunked_make(). */
parscan_status parscan_chunked_make_scan(parscan_chunked **chunked, const parscan_chunked *draft);

/* By an operator of the caller's (chunked_custom.c) the sum is of its element's size: it is the carry, and
   arguments.first has a number that tells init from others. The two steps above: */
parscan_status parscan_chunked_keep_custom(parscan_chunked *draft);
parscan_status parscan_chunked_make_custom(parscan_chunked **chunked, const parscan_chunked *draft);

/* The init that the caller gave, or NULL; the sum of all before a chunk; where that with the chunk goes. */
const void *parscan_chunked_init(const parscan_chunked *chunked);
const void *parscan_chunked_sum(const parscan_chunked *chunked);
void *parscan_chunked_next_sum(const parscan_chunked *chunked, chunked_state *next);

/* Where a reduction of a chunk puts its result, which nobody reads: work, or `room`. */
void *parscan_chunked_unread(const parscan_chunked *chunked, chunked_element *room);

static inline bool parscan_chunked_is_custom(const parscan_chunked *chunked)
{
    return chunked->arguments.type == PARSCAN_CUSTOM;
}

static inline bool parscan_chunked_has_tree(const parscan_chunked *chunked)
{
    return chunked->arguments.reproducible != 0;
}

/* The reduction of no elements, with the sum so far as init: to `out`, as a scan of the whole array would. */
parscan_status parscan_chunked_reduce_rest(parscan_scan_call call, void *out);

/* A number that depends on all bytes; `sum` is that of the bytes before them. */
#define CHUNKED_NO_BYTES 0xcbf29ce484222325u
uint64_t parscan_chunked_sum_of_bytes(const void *bytes, size_t size, uint64_t sum);

/* Errors: UNSUPPORTED, a scan in reverse. */
parscan_status parscan_chunked_refuse_reverse(parscan_context *context,
                                              const parscan_scan_call *scan);

/* Checks a type and a predicate on elements of it, and keeps them: *custom is one of the caller's, or NULL; *size are
   the bytes of an element. Errors: INVALID_ARGUMENT, UNSUPPORTED;
   on CUDA DEVICE. */
parscan_status parscan_chunked_keep_predicate(parscan_chunked *draft, parscan_type type,
                                              const parscan_predicate *given,
                                              const parscan_operator **custom, size_t *size);

/* That predicate, with its values where they are now. */
parscan_predicate parscan_chunked_predicate(const parscan_chunked *chunked);

#endif
