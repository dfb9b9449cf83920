/*
 * parscan/operator.h: operators and elements of the caller's, and maps on the way in and out.
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
 * An operator is an associative function combine(earlier, later) of elements of 1 to 64 bytes; it need not
 * commute. The scans and reductions of scan.h, and the segmented ones of segmented.h, take one by the
 * option `custom`, with PARSCAN_CUSTOM as the type; so far on the CPU: with a CUDA context they are
 * UNSUPPORTED.
 *
 * The caller's function combines n pairs at once. The library transposes tiles of the array, so that a
 * call has many independent pairs, one beside the other: the compiler can make SIMD instructions of the
 * function's loop, and a call costs little for each. For elements of 4 and 8 bytes the library transposes
 * by SIMD instructions itself.
 *
 * Functions of the caller's are called by several threads at once, in any order and number, also for
 * elements whose results are thrown away. They must not call parscan, must not fail, and their results
 * must depend on their arguments alone.
 *
 * Groups    Operands are always combined in the order of the array; how they are grouped, the algorithm
 *           chooses. By a function that is associative to the bit all results are the same everywhere.
 *           By another, such as a sum of floats, they may differ by rounding; the option `reproducible`
 *           fixes the tree of the library's own reproducible sums, which depends on n alone. Functions
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
 * each block's sum.
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

/* The functions of the caller's. Each does n independent elements; n >= 1. Elements are aligned to the
   operator's alignment, whatever the arrays are. `state` is the operator's copy of the caller's, or NULL.

   combine   out[k] = combine(earlier[k], later[k]) for 0 <= k < n. out may be earlier or later, the same
             address; otherwise it does not overlap them. earlier and later may overlap
   load      out[k] = element first + k, for 0 <= k < n, which it makes of `in`, the call's array, or of
             nothing
   store     writes elements first to first + n - 1 of the array `out` from x[0..n) */
typedef void (*parscan_combine_function)(const void *earlier, const void *later, void *out,
                                         size_t n, const void *state);
typedef void (*parscan_load_function)(const void *in, size_t first, void *out, size_t n,
                                      const void *state);
typedef void (*parscan_store_function)(const void *x, void *out, size_t first, size_t n,
                                       const void *state);

/* What parscan_operator_create() takes. Make one with PARSCAN_OPERATOR_OPTIONS(...). Everything that it
   points to is copied. */
typedef struct parscan_operator_options {
    size_t struct_size; /* sizeof(parscan_operator_options), see parscan/options.h */

    size_t element_size; /* bytes of an element: 1 to 64 */

    /* The operator; not NULL. */
    parscan_combine_function combine;

    /* A power of two that divides element_size: the alignment of the elements that the functions get. 0:
       the largest such one up to 16. */
    unsigned alignment;

    /* Not 0: combine(a, b) = combine(b, a), but for rounding. Reductions are then faster; `reproducible`
       keeps the order. */
    int commutes;

    /* Points to one element e, combine(e, x) = combine(x, e) = x for every x. NULL: there is none. */
    const void *identity;

    /* What the functions get as `state`: state_size bytes, at most 4096, which are copied; aligned to 64
       bytes. Both or neither. */
    const void *state;
    size_t state_size;

    /* The maps. NULL: the call's arrays are arrays of elements. With a map, in and out must not overlap,
       and both are handed to the functions as they are, of any alignment.
       in_size     with load: the bytes of an element of `in`, of which element i is made: in has n of
                   them. 0: the function knows; in may be NULL
       out_size    with store: the bytes of an element of `out`, not 0. A scan's out has n of them, a
                   reduction's one, that of segments one for each */
    parscan_load_function load;
    parscan_store_function store;
    size_t in_size;
    size_t out_size;

    /* The functions by which the operator gets and gives back its memory: both or neither; neither: malloc()
       and free(). */
    parscan_allocator allocator;

    /* A buffer of error_size bytes that receives the message of a failed creation, ended by a zero and
       cut if need be. NULL: they are lost. */
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

/* Frees an operator, when no call with it runs. NULL is allowed. Since parscan 0.3. */
PARSCAN_API void parscan_operator_destroy(parscan_operator *op);

/*
 * The functions of n elements from the text of one. Each of these defines, at file scope, a function of one
 * element and one of n that calls it, static and named after `name`.
 *   name    names the operator to PARSCAN_DEFINED_OPERATOR() and its sisters
 *   T       the type of an element, a name
 *   types   in parentheses: the declaration of T, and of what the body needs besides; () if there is none
 *   ...     the body of the function of one element, a block in braces
 *
 *     macro                        the body has                              and returns
 *     PARSCAN_DEFINE_OPERATOR      T earlier, T later, const void *state     T
 *     PARSCAN_DEFINE_LOAD          const void *in, size_t i, state           T, element i
 *     PARSCAN_DEFINE_STORE         T x, void *out, size_t i, state           nothing: it writes place i
 *
 * The function of n elements is vectorised as the compiler's flags let it (-O3, -march): compile it with
 * optimisation.
 */
/* clang-format off */
#define PARSCAN_DEFINE_OPERATOR(name, T, types, ...)                                                \
    PARSCAN_UNWRAP types                                                                            \
    PARSCAN_OF_ONE T name##_of(T earlier, T later, const void *state)                               \
    {                                                                                               \
        (void)state;                                                                                \
        __VA_ARGS__                                                                                 \
    }                                                                                               \
    PARSCAN_OF_MANY void name##_combine(const void *earlier, const void *later, void *out,          \
                                        size_t n, const void *state)                                \
    {                                                                                               \
        PARSCAN_INDEPENDENT                                                                         \
        for (size_t k = 0; k < n; k++)                                                              \
            ((T *)out)[k] = name##_of(((const T *)earlier)[k], ((const T *)later)[k], state);       \
    }

#define PARSCAN_DEFINE_LOAD(name, T, types, ...)                                                    \
    PARSCAN_UNWRAP types                                                                            \
    PARSCAN_OF_ONE T name##_of(const void *in, size_t i, const void *state)                         \
    {                                                                                               \
        (void)in, (void)state;                                                                      \
        __VA_ARGS__                                                                                 \
    }                                                                                               \
    PARSCAN_OF_MANY void name##_load(const void *in, size_t first, void *out, size_t n,             \
                                     const void *state)                                             \
    {                                                                                               \
        PARSCAN_INDEPENDENT                                                                         \
        for (size_t k = 0; k < n; k++)                                                              \
            ((T *)out)[k] = name##_of(in, first + k, state);                                        \
    }

#define PARSCAN_DEFINE_STORE(name, T, types, ...)                                                   \
    PARSCAN_UNWRAP types                                                                            \
    PARSCAN_OF_ONE void name##_of(T x, void *out, size_t i, const void *state)                      \
    {                                                                                               \
        (void)state;                                                                                \
        __VA_ARGS__                                                                                 \
    }                                                                                               \
    PARSCAN_OF_MANY void name##_store(const void *x, void *out, size_t first, size_t n,             \
                                      const void *state)                                            \
    {                                                                                               \
        PARSCAN_INDEPENDENT                                                                         \
        for (size_t k = 0; k < n; k++)                                                              \
            name##_of(((const T *)x)[k], out, first + k, state);                                    \
    }

/* The fields of PARSCAN_OPERATOR_OPTIONS() of what has been defined so. */
#define PARSCAN_DEFINED_OPERATOR(name, T) .element_size = sizeof(T), .combine = name##_combine
#define PARSCAN_DEFINED_LOAD(name) .load = name##_load
#define PARSCAN_DEFINED_STORE(name) .store = name##_store

/* The manual leaves out what follows. */
#define PARSCAN_UNWRAP(...) __VA_ARGS__
#define PARSCAN_OF_ONE __attribute__((unused)) static inline
#define PARSCAN_OF_MANY __attribute__((unused)) static
/* out is one of the inputs or apart from them: no iteration depends on another. */
#if defined __clang__
#define PARSCAN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined __GNUC__
#define PARSCAN_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PARSCAN_INDEPENDENT
#endif
/* The manual goes on. */
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
