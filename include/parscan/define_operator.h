/*
 * parscan/define_operator.h: macros that make the functions of n elements that operator.h takes, and the text for
 * CUDA, from the text of one function of one element. operator.h includes this header.
 *
 * Since parscan 0.3.
 */
#ifndef PARSCAN_DEFINE_OPERATOR_H
#define PARSCAN_DEFINE_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * The functions of n elements from the text of one. Each of these defines, at file scope, a function of one
 * element and one of n that calls it, and the text of one for CUDA, static and named after `name`.
 *   name    names the operator to PARSCAN_DEFINED_OPERATOR() and its sisters
 *   T       the type of an element, a name
 *   types   in parentheses: the declaration of T, and of what the body needs besides; () if there is none
 *   ...     the body of the function of one element, a block in braces
 *
 *     macro                        the body has                              and returns
 *     PARSCAN_DEFINE_OPERATOR      T earlier, T later, const void *state     T
 *     PARSCAN_DEFINE_RELATION      T a, T b, const void *state               int
 *     PARSCAN_DEFINE_PREDICATE     T x, const void *state                    int
 *     PARSCAN_DEFINE_LOAD          const void *in, size_t i, state           T, element i
 *     PARSCAN_DEFINE_STORE         T x, void *out, size_t i, state           nothing: it writes place i
 *
 * The function of n elements is vectorised as the compiler's flags let it (-O3, -march): compile it with
 * optimisation. For CUDA the text is compiled as C++ without headers, so it uses no macro of the program and calls
 * no function but those that both know, such as fminf() and sqrt().
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
    }                                                                                               \
    PARSCAN_OF_MANY const char name##_cuda[] = PARSCAN_TEXT types "\n__device__ " #T " " #name       \
        "(" #T " earlier, " #T " later, const void *state)\n{" #__VA_ARGS__ "}\n";

#define PARSCAN_DEFINE_RELATION(name, T, types, ...)                                                \
    PARSCAN_UNWRAP types                                                                            \
    PARSCAN_OF_ONE int name##_of(T a, T b, const void *state)                                       \
    {                                                                                               \
        (void)state;                                                                                \
        __VA_ARGS__                                                                                 \
    }                                                                                               \
    PARSCAN_OF_MANY void name##_relate(const void *a, const void *b, uint8_t *flags, size_t n,      \
                                       const void *state)                                           \
    {                                                                                               \
        PARSCAN_INDEPENDENT                                                                         \
        for (size_t k = 0; k < n; k++)                                                              \
            flags[k] = name##_of(((const T *)a)[k], ((const T *)b)[k], state) != 0;                 \
    }                                                                                               \
    PARSCAN_OF_MANY const char name##_cuda[] = PARSCAN_TEXT types "\n__device__ int " #name         \
        "(" #T " a, " #T " b, const void *state)\n{" #__VA_ARGS__ "}\n";

#define PARSCAN_DEFINE_PREDICATE(name, T, types, ...)                                               \
    PARSCAN_UNWRAP types                                                                            \
    PARSCAN_OF_ONE int name##_of(T x, const void *state)                                            \
    {                                                                                               \
        (void)state;                                                                                \
        __VA_ARGS__                                                                                 \
    }                                                                                               \
    PARSCAN_OF_MANY void name##_test(const void *x, uint8_t *flags, size_t n, const void *state)    \
    {                                                                                               \
        PARSCAN_INDEPENDENT                                                                         \
        for (size_t k = 0; k < n; k++)                                                              \
            flags[k] = name##_of(((const T *)x)[k], state) != 0;                                    \
    }                                                                                               \
    PARSCAN_OF_MANY const char name##_cuda[] = PARSCAN_TEXT types "\n__device__ int " #name         \
        "(" #T " x, const void *state)\n{" #__VA_ARGS__ "}\n";

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
    }                                                                                               \
    PARSCAN_OF_MANY const char name##_cuda[] = PARSCAN_TEXT types "\n__device__ " #T " " #name       \
        "(const void *in, size_t i, const void *state)\n{" #__VA_ARGS__ "}\n";

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
    }                                                                                               \
    PARSCAN_OF_MANY const char name##_cuda[] = PARSCAN_TEXT types "\n__device__ void " #name         \
        "(" #T " x, void *out, size_t i, const void *state)\n{" #__VA_ARGS__ "}\n";

/* The fields of PARSCAN_OPERATOR_OPTIONS() of what has been defined so. */
#define PARSCAN_DEFINED_OPERATOR(name, T)                                                           \
    .kind = PARSCAN_OPERATOR_COMBINE, .element_size = sizeof(T), .combine = name##_combine,         \
    .cuda_source = name##_cuda, .cuda_type = #T, .cuda_function = #name
#define PARSCAN_DEFINED_RELATION(name, T)                                                           \
    .kind = PARSCAN_OPERATOR_RELATION, .element_size = sizeof(T), .relate = name##_relate,          \
    .cuda_source = name##_cuda, .cuda_type = #T, .cuda_function = #name
#define PARSCAN_DEFINED_PREDICATE(name, T)                                                          \
    .kind = PARSCAN_OPERATOR_PREDICATE, .element_size = sizeof(T), .test = name##_test,             \
    .cuda_source = name##_cuda, .cuda_type = #T, .cuda_function = #name
#define PARSCAN_DEFINED_LOAD(name)                                                                  \
    .load = name##_load, .cuda_load = #name, .cuda_load_source = name##_cuda
#define PARSCAN_DEFINED_STORE(name)                                                                 \
    .store = name##_store, .cuda_store = #name, .cuda_store_source = name##_cuda

/* The manual leaves out what follows. */
#define PARSCAN_UNWRAP(...) __VA_ARGS__
#define PARSCAN_TEXT(...) #__VA_ARGS__
#define PARSCAN_OF_ONE __attribute__((unused)) static inline
#define PARSCAN_OF_MANY __attribute__((unused)) static
/* out is one of the inputs or apart from them: no iteration depends on another. Clang warns where it does not
   make SIMD instructions, as by -O1; it should not, from here to the end of the file that includes this. */
#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define PARSCAN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined __GNUC__
#define PARSCAN_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PARSCAN_INDEPENDENT
#endif
/* The manual goes on. */
/* clang-format on */

#endif
