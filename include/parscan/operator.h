/*
 * parscan/operator.h: operators, elements, predicates and orders of the caller's, and maps on the way in and out.
 *
 *     PARSCAN_DEFINE_OPERATOR(both, range, (typedef struct range { int low, high; } range;), {
 *         range r = {earlier.low < later.low ? earlier.low : later.low,
 *                    earlier.high > later.high ? earlier.high : later.high};
 *         return r;
 *     })
 *
 *     parscan_operator *op;
 *     const range none = {INT_MAX, INT_MIN};
 *     parscan_operator_create(&op, &PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(both, range),
 *                                                            .identity = &none));
 *     parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, n, &PARSCAN_SCAN_OPTIONS(.custom = op));
 *     parscan_operator_destroy(op);
 *
 * A relation, an order or an equality, is a function of two such elements too; it is at the end of this page. A
 * predicate, of one element, tells the calls of compact.h what they keep (parscan_predicate.custom).
 * An operator is an associative function combine(earlier, later) of elements of 1 to 64 bytes; it need not
 * commute. The scans and reductions of scan.h, and those of segments and by key of segmented.h, take one by the
 * option `custom`, with PARSCAN_CUSTOM as the type.
 *
 * An operator has two forms, or one of them: a function of C for the CPU, and the source text of a device function
 * for CUDA. The macros of define_operator.h, which this header includes, make both from one text.
 *
 * The caller's function combines n pairs at once. The library transposes tiles of the array, so that a
 * call has many independent pairs, one beside the other: the compiler can make SIMD instructions of the
 * function's loop, and a call costs little for each. For elements of 1, 2, 4, 8 and 16 bytes the library transposes
 * by SIMD instructions itself.
 *
 * On CUDA the text is compiled at the first call with the library's kernels, which the library carries as text, for the
 * device at hand, in a third of a second or more: by NVRTC of CUDA's toolkit, which is looked for then (libnvrtc.so of the
 * driver's version or an older one, where the linker finds it or in /usr/local/cuda; PARSCAN_NVRTC in the environment when
 * a context is made names another one). Without NVRTC the calls are UNSUPPORTED. Each kind of call, direction and
 * algorithm is compiled once for an operator. Segments, sorts by an order and what is reproducible do not go through the
 * device in chunks: their host arrays have to fit.
 *
 * Functions of the caller's are called by several threads at once, in any order and number, also for
 * elements whose results are thrown away. They must not call parscan, must not fail, and their results
 * must depend on their arguments alone.
 *
 * Groups    Operands are always combined in the order of the array; how they are grouped, the algorithm
 *           chooses. By a function that is associative to the bit all results are the same everywhere.
 *           By another, such as a sum of floats, they may differ by rounding; the option `reproducible`
 *           fixes the tree of the library's own reproducible sums, which depends on n alone: CUDA has the bits of the
 *           CPU if the caller's function of C is compiled without fused multiplications and additions
 *           (-ffp-contract=off), as the text for CUDA is then. Functions
 *           run in the caller's floating-point mode; with `reproducible` in the default one.
 * Identity  Optional, and exact: an engine may combine any element with it. It is the first result of an
 *           exclusive scan without init, and the reduction of no elements. Without identity these calls
 *           need an init, else they are INVALID_ARGUMENT; all others carry a flag that tells whether there
 *           is anything yet.
 * Maps      An operator may have a function that loads its elements from an array of anything, or from
 *           none, and one that stores them: conversions, squares, differences, counters, gathers. They
 *           are part of the pass over memory, so no array is made.
 * Segments  reproducible is UNSUPPORTED. A segment without elements, of which offsets alone can tell, gives init or
 *           the identity: a reduction by offsets needs one of the two. Heads are put back after their row of a
 *           tile has been combined, so short segments cost more than long ones.
 *
 * Cost of a call: that of scan.h and segmented.h, but an element is combined twice where the library's own
 * operators combine it once or twice, by the tree three and a half times. Scratch on the CPU, besides: 70 KiB
 * a thread, and one and a half of the tile that it works on; of a tree up to 700 KiB, and with several
 * threads a sum for every 2048 elements; of a block algorithm, 128 bytes for each element of a block and for
 * each block's sum. On CUDA scratch is that of scan.h for elements of this size, or with their flags; of segments by keys
 * a byte an element, by offsets and rows a bit, and the offsets of rows; of a tree two elements and 4 bytes for each 2048.
 *
 * Since parscan 0.3.
 */
#ifndef PARSCAN_OPERATOR_H
#define PARSCAN_OPERATOR_H

#include "parscan/context.h"
#include "parscan/options.h"
#include "parscan/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum parscan_operator_kind {
    PARSCAN_OPERATOR_COMBINE = 0, /* combine(earlier, later): for scans and reductions */
    /* relate(a, b): whether a comes before b, for parscan_sort_by(); whether they are equal, for
       parscan_unique_by() */
    PARSCAN_OPERATOR_RELATION = 1,
    PARSCAN_OPERATOR_PREDICATE = 2 /* test(x): whether x is kept, for the calls of compact.h */
} parscan_operator_kind;

/* The functions of the caller's. Each does n independent elements; n >= 1. Elements are aligned to the
   operator's alignment, whatever the arrays are. `state` is the operator's copy of the caller's, or NULL.

   combine   out[k] = combine(earlier[k], later[k]) for 0 <= k < n. out may be earlier or later, the same
             address; otherwise it does not overlap them. earlier and later may overlap
   relate    flags[k] = whether a[k] comes before (or is equal to) b[k], 0 or another number. a and b may
             overlap, flags is apart
   test      flags[k] = whether x[k] is kept, 0 or another number. flags is apart
   load      out[k] = element first + k, for 0 <= k < n, which it makes of `in`, the call's array, or of
             nothing
   store     writes elements first to first + n - 1 of the array `out` from x[0..n) */
typedef void (*parscan_combine_function)(const void *earlier, const void *later, void *out,
                                         size_t n, const void *state);
typedef void (*parscan_relate_function)(const void *a, const void *b, uint8_t *flags, size_t n,
                                        const void *state);
typedef void (*parscan_test_function)(const void *x, uint8_t *flags, size_t n, const void *state);
typedef void (*parscan_load_function)(const void *in, size_t first, void *out, size_t n,
                                      const void *state);
typedef void (*parscan_store_function)(const void *x, void *out, size_t first, size_t n,
                                       const void *state);

/* What parscan_operator_create() takes. Make one with PARSCAN_OPERATOR_OPTIONS(...). Everything that it
   points to is copied. */
typedef struct parscan_operator_options {
    size_t struct_size; /* sizeof(parscan_operator_options), see parscan/options.h */

    parscan_operator_kind kind;
    unsigned reserved; /* not read */

    size_t element_size; /* bytes of an element: 1 to 64 */

    /* The function of the kind, for the CPU; the others are NULL. combine or test
       NULL: calls on the CPU are UNSUPPORTED; then cuda_source must be there. */
    parscan_combine_function combine;
    parscan_relate_function relate;
    parscan_test_function test;

    /* For CUDA: a text of C++ without #include, which defines the type of an element and functions of one
       element, marked __device__. It knows int8_t to uint64_t, size_t and CUDA's own functions, such as fminf().
       It stands in a namespace of its own, behind the library's device code; macros that it defines need names of
       their own. NULL: calls on CUDA are UNSUPPORTED.

           T combine(T earlier, T later, const void *state)
           T load(const void *in, size_t i, const void *state)             element i
           void store(T x, void *out, size_t i, const void *state)         to place i of out
           bool test(T x, const void *state)                               of a predicate
           bool relate(T a, T b, const void *state)                        of a relation

       cuda_type names T, which has element_size bytes; cuda_function names the operator. */
    const char *cuda_source;
    const char *cuda_type;
    const char *cuda_function;

    /* A power of two that divides element_size: the alignment of the elements that the functions get. 0:
       the largest such one up to 16. On CUDA arrays of elements in device memory have it too. */
    unsigned alignment;

    /* COMBINE: not 0: combine(a, b) = combine(b, a), but for rounding. Reductions are then faster;
       `reproducible` keeps the order. Of another kind it must be 0. */
    int commutes;

    /* COMBINE: points to one element e, combine(e, x) = combine(x, e) = x for every x. NULL: there is none. */
    const void *identity;

    /* What the functions get as `state`: state_size bytes, at most 4096, which are copied; aligned to 64
       bytes. Both or neither. */
    const void *state;
    size_t state_size;

    /* COMBINE: the maps. NULL: the call's arrays are arrays of elements. With a map, in and out must not overlap,
       and both are handed to the functions as they are, of any alignment. cuda_load and cuda_store name those for
       CUDA, whose texts follow cuda_source (NULL: they are in it); `in` is device memory there, in host memory it
       is UNSUPPORTED. With a map for the CPU alone calls on CUDA are UNSUPPORTED.
       in_size     with load: the bytes of an element of `in`, of which element i is made: in has n of
                   them. 0: the function knows; in may be NULL
       out_size    with store: the bytes of an element of `out`, not 0. A scan's out has n of them, a
                   reduction's one, that of segments one for each */
    parscan_load_function load;
    const char *cuda_load;
    const char *cuda_load_source;
    parscan_store_function store;
    const char *cuda_store;
    const char *cuda_store_source;
    size_t in_size;
    size_t out_size;

    /* A folder in which compiled code is kept, for other processes too. Several processes may use it at once.
       A file that is damaged, or that the device's driver does not take, is replaced; a folder that cannot be
       used is no error. Its files are run: nobody else may write there. NULL: none. */
    const char *cache_folder;

    /* The most seconds that a compilation may take, where NVRTC can be ended (from CUDA 12.9 on); a call
       that needs longer is UNSUPPORTED. 0: no limit. */
    double compile_seconds;

    /* The functions by which the operator gets and gives back its memory: both or neither; neither: malloc()
       and free(). */
    parscan_allocator allocator;

    /* A buffer of error_size bytes that receives the message of a failed creation, ended by a zero and
       cut if need be; not where struct_size is below the first size or above 4096. NULL: it is lost. */
    char *error;
    size_t error_size;
} parscan_operator_options;

/* A parscan_operator_options with struct_size set. */
#define PARSCAN_OPERATOR_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_operator_options, __VA_ARGS__)

/*
 * Creates an operator.
 *   op        receives the new operator, or NULL if the call fails
 *   options   not NULL
 * An operator belongs to no context: any number of contexts, in any threads, may use it at the same
 * time.
 * Errors: INVALID_ARGUMENT, with the name of the option in options->error; OUT_OF_MEMORY.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_operator_create(parscan_operator **op,
                                                   const parscan_operator_options *options);

/* Frees an operator, when no call with it runs. A CUDA context that has used it keeps what it needs of it, for its
   graphs too: the operator's allocator must outlive such contexts. NULL is allowed. Since parscan 0.3. */
PARSCAN_API void parscan_operator_destroy(parscan_operator *op);

/* The calls that parscan_operator_prepare() makes ready; values are added. */
typedef enum parscan_operator_use {
    PARSCAN_USE_INCLUSIVE_SCAN = 1,
    PARSCAN_USE_EXCLUSIVE_SCAN = 2,
    PARSCAN_USE_REDUCE = 4,
    PARSCAN_USE_PREDICATE = 8, /* of a predicate, and no other: all calls that take one */
    PARSCAN_USE_SORT_BY = 16,  /* these two of a relation, and no others */
    PARSCAN_USE_UNIQUE_BY = 32,
    PARSCAN_USE_SEGMENTED_SCAN = 64,   /* of an operator that combines: of both kinds */
    PARSCAN_USE_SEGMENTED_REDUCE = 128 /* and by key */
} parscan_operator_use;

/*
 * Compiles for a context's device what calls will need, so that none of them has to compile: before a
 * capture, or where time matters. On the CPU there is nothing to do.
 *   uses      the calls, of parscan_operator_use
 *   options   of those calls: algorithm, reverse, reproducible, block_threads and items_per_thread are read. NULL:
 *             the defaults
 * Calls on arrays in device memory that are aligned to 16 bytes need nothing else; for other ones the first call
 * may compile once more.
 * Errors: INVALID_ARGUMENT, or a text that does not compile, with the compiler's first error; all it has said
 * is in parscan_operator_log(). UNSUPPORTED, there is no NVRTC, or compile_seconds have passed. OUT_OF_MEMORY;
 * DEVICE.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_operator_prepare(parscan_context *context, parscan_operator *op,
                                                    unsigned uses,
                                                    const parscan_scan_options *options);

/* What the compiler said of the operator's text when it last compiled it: errors and warnings, with the numbers of
   the text's lines: "operator(3): error: ...", "load" and "store" for the maps' texts. "" if it has said nothing, or for
   NULL. Valid until the next call with the operator. Since parscan 0.3. */
PARSCAN_API const char *parscan_operator_log(const parscan_operator *op);

/*
 * The code that has been compiled for the operator, for all devices, as bytes that
 * parscan_operator_load() takes, in this process or in another.
 *   context    receives the message of an error
 *   blob       receives *size bytes, if there is room; NULL with capacity 0 to learn how many
 *   size       receives the bytes that are needed
 * Errors: CAPACITY, capacity is less, and nothing is written; UNSUPPORTED, the operator has nothing for CUDA, or this
 * build has no CUDA; INVALID_ARGUMENT; OUT_OF_MEMORY.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_operator_save(parscan_context *context,
                                                 const parscan_operator *op, void *blob,
                                                 size_t capacity, size_t *size);

/* Gives an operator the code that parscan_operator_save() has made of one with the same text, type, identity, state
   and maps. A blob is run: it must come from where the program's own code may come from. Errors: INVALID_ARGUMENT, the
   blob is damaged, or of another operator or version of parscan, and nothing of it is taken; code for another device is
   no error, and is not used. UNSUPPORTED, as above; OUT_OF_MEMORY. Since parscan 0.3. */
PARSCAN_API parscan_status parscan_operator_load(parscan_context *context, parscan_operator *op,
                                                 const void *blob, size_t size);

/*
 * Sorts elements by an order of the caller's, stable: of equal elements the earlier comes first.
 *   less      an operator of the kind RELATION: relate(a, b) tells whether a comes before b. It must be a
 *             strict weak order, such as < of numbers without NaN; by another relation out is unspecified. On the CPU
 *             `less` is asked about elements of `in` alone even then, and out has such, some of them perhaps twice
 *   in, out   n elements, of any alignment; out == in is allowed, any other overlap is INVALID_ARGUMENT. In host
 *             memory or device memory, on CUDA
 * A length in device memory (lengths.h) is read there by a CUDA context.
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, the order has nothing for the context's engine; OUT_OF_MEMORY; DEVICE.
 * Cost: work O(n log n), depth O(n / threads + log n) for each of log n merges; some n (log2 n + 4)
 * comparisons. Scratch: n elements, 2 n if out is not aligned to the operator's alignment, and 30 KiB a
 * thread. On CUDA scratch is n elements; a pass over memory sorts tiles, and one for each merge merges runs. Results are
 * the same on every engine, with every number of threads.
 * Source: O. Green, R. McColl, D. Bader, GPU Merge Path, ICS 2012.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_sort_by(parscan_context *context, const parscan_operator *less,
                                           const void *in, void *out, size_t n);

/*
 * The first element of every run of equal neighbours, by an equality of the caller's: in[i] begins a run if
 * equal(in[i-1], in[i]) does not hold.
 *   equal     an operator of the kind RELATION
 *   in, out   elements, of any alignment; out == in is allowed, no other overlap. out needs room for the
 *             runs; NULL: only the count is written
 *   count     receives the number of runs; not NULL
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, the equality has nothing for the context's engine; OUT_OF_MEMORY; DEVICE.
 * Cost: work O(n), in is read twice. Scratch: n bytes; on CUDA, in place, n elements more where they have another size or
 * alignment than 1, 2, 4 or 8 bytes. Otherwise as parscan_unique() of compact.h.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_unique_by(parscan_context *context,
                                             const parscan_operator *equal, const void *in,
                                             void *out, size_t n, uint64_t *count);

#ifdef __cplusplus
}
#endif

#include "parscan/define_operator.h"

#endif
