/*
 * parscan/typed.h: macros that take the types and the sizes of elements from the pointers.
 *
 *     float *in, *out;
 *     parscan_inclusive_scan(context, PARSCAN_F32, in, out, n, NULL);
 *     parscan_typed_inclusive_scan(context, in, out, n, NULL);            the same
 *
 *     struct record *from, *to;
 *     parscan_compact(context, sizeof *from, from, flags, to, n, &count);
 *     parscan_typed_compact(context, from, flags, to, n, &count);         the same
 *
 * A type that is not that of the array, or a parscan_type where a number of bytes stands, compiles
 * in C and gives wrong results. These macros leave no place for either. parscan/parscan.h does not
 * include this header. It is for C11 and later and for C++11 and later, CUDA too.
 *
 * For every function NAME that takes the type or the bytes of an element beside arrays there is
 * parscan_typed_NAME(). Its arguments are those of the function, in its order, without the types
 * and sizes. It does not compile
 *
 *   - if a pointer is void *, or points to a type that parscan does not have, where a type is taken
 *   - if two arrays that must have one type have two: in and out, keys_in and keys_out, values_in
 *     and values_out, a and b. (Elements of different C types of one parscan_type, such as long and
 *     long long, are of one type. Values and records that are moved whole must be of one C type.)
 *
 * Whether the call takes that type is found by the call: offsets of f64 (but in
 * parscan_typed_bin_indices(), where they do not compile), a sum from float to int.
 *
 * Scans and reductions take out_type from out; that of the options is not read. Where NULL says
 * that an array is not wanted, it is NULL itself, or a pointer of a type; in C, another void *
 * there is an error of the call. For arrays that are left out otherwise there are macros of their
 * own: parscan_typed_sort_segments() sorts and parscan_typed_merge() merges keys alone, parscan_typed_bin_indices() and
 * parscan_typed_bin_offsets() are parscan_bin() without values.
 *
 * Arguments are evaluated once, but NULL and a void * twice. An argument with a comma outside of
 * parentheses needs parentheses. Use only parscan_typed_NAME() and PARSCAN_TYPE_OF():
 * other names here may change.
 */
#ifndef PARSCAN_TYPED_H
#define PARSCAN_TYPED_H

#include "parscan/parscan.h"

#ifdef __cplusplus
#if __cplusplus < 201103L
#error "parscan/typed.h needs C++11 or later"
#endif
#include <cstddef>
#include <type_traits>
#elif !defined __STDC_VERSION__ || __STDC_VERSION__ < 201112L
#error "parscan/typed.h needs C11 or later, for _Generic"
#endif
#include <string.h>

/* The manual leaves out what follows. */
/* The options with out_type set. Those of a newer header, or without a size, have struct_size 0,
   which every call refuses. */
static inline parscan_scan_options parscan_typed_options(const parscan_scan_options *options,
                                                         parscan_type out_type)
{
    parscan_scan_options typed;
    memset(&typed, 0, sizeof typed);
    if (options == NULL)
        typed.struct_size = sizeof typed;
    else if (options->struct_size <= sizeof typed)
        memcpy(&typed, options, options->struct_size);
    typed.out_type = out_type;
    return typed;
}

static inline parscan_segments parscan_typed_segments(parscan_segment_kind kind, parscan_type type,
                                                      const void *data, size_t count)
{
    parscan_segments segments;
    memset(&segments, 0, sizeof segments);
    segments.struct_size = sizeof segments;
    segments.kind = kind;
    segments.type = type;
    segments.data = data;
    segments.count = count;
    return segments;
}

#ifdef __cplusplus
extern "C++" {
template <typename T>
struct parscan_typed_array {
    typedef typename std::remove_pointer<typename std::decay<T>::type>::type qualified;
    typedef typename std::remove_cv<qualified>::type element;
};

/* A type that parscan does not know has no `value`. */
template <typename T>
struct parscan_typed_of {
};
#define PARSCAN_TYPED_CASE(c_type, type)                                       \
    template <>                                                                \
    struct parscan_typed_of<c_type> {                                          \
        static constexpr parscan_type value = static_cast<parscan_type>(type); \
    };
PARSCAN_TYPED_CASE(bool, PARSCAN_U8)
PARSCAN_C_TYPES(PARSCAN_TYPED_CASE)

/* 0 for NULL, which is nullptr or an integer. */
template <typename T, bool pointer = std::is_pointer<typename std::decay<T>::type>::value>
struct parscan_typed_or_null : parscan_typed_of<typename parscan_typed_array<T>::element> {
};
template <typename T>
struct parscan_typed_or_null<T, false> {
    static constexpr parscan_type value = static_cast<parscan_type>(0);
};

/* Each returns its argument. */
template <bool holds, typename T>
inline T *parscan_typed_one_type(T *array)
{
    static_assert(holds, "two arrays of parscan must have elements of one type");
    return array;
}

template <bool>
inline std::nullptr_t parscan_typed_one_type(std::nullptr_t)
{
    return nullptr;
}

template <bool holds>
inline std::size_t parscan_typed_has_type(std::size_t size)
{
    static_assert(holds, "an array of parscan must not be void *");
    return size;
}

template <bool holds>
inline std::size_t parscan_typed_is_index(std::size_t size)
{
    static_assert(holds, "indices of parscan must be integers of 32 or 64 bits");
    return size;
}

template <typename T>
inline const T *parscan_typed_address(const T &value)
{
    return &value;
}
}
#define PARSCAN_TYPED_ELEMENT(array) typename parscan_typed_array<decltype((array))>::element
#define PARSCAN_TYPE_OF(pointer) \
    static_cast<parscan_type>(parscan_typed_of<PARSCAN_TYPED_ELEMENT(pointer)>::value)
#define PARSCAN_TYPED_OR_0(array) \
    static_cast<parscan_type>(parscan_typed_or_null<decltype((array))>::value)
#define PARSCAN_TYPED_OR(array, otherwise) \
    (PARSCAN_TYPED_OR_0(array) != 0 ? PARSCAN_TYPED_OR_0(array) : (otherwise))
#define PARSCAN_TYPED_REQUIRE(check, condition, words, value) \
    parscan_typed_##check<(condition)>(value)
#define PARSCAN_TYPED_IS_VOID(array) (std::is_void<PARSCAN_TYPED_ELEMENT(array)>::value)
#define PARSCAN_TYPED_IS_LIKE(a, b) \
    (std::is_same<PARSCAN_TYPED_ELEMENT(a), PARSCAN_TYPED_ELEMENT(b)>::value)
#define PARSCAN_TYPED_LIKE_OR_NULL(array, model) PARSCAN_TYPED_LIKE(array, model)
#define PARSCAN_TYPED_SIZE_BESIDE(array, beside) PARSCAN_TYPED_SIZE(array)
#define PARSCAN_TYPED_SCAN_OPTIONS(options, out) \
    parscan_typed_address(parscan_typed_options(options, PARSCAN_TYPE_OF(out)))
#define PARSCAN_TYPED_SEGMENTS(of_kind, of_type, of_data, of_count) \
    parscan_typed_segments(of_kind, of_type, of_data, of_count)
#else
#define PARSCAN_TYPED_CASE(c_type, type) , c_type * : (type), const c_type * : (type)
#define PARSCAN_TYPED_OR_0(array) \
    _Generic((array), void * : 0, _Bool * : PARSCAN_U8,                              \
             const _Bool * : PARSCAN_U8 PARSCAN_C_TYPES(PARSCAN_TYPED_CASE))
/* A pointer of type void * that is not NULL has type 0, which every call refuses. */
#define PARSCAN_TYPED_OR(array, otherwise)                       \
    (PARSCAN_TYPED_OR_0(array) != 0  ? PARSCAN_TYPED_OR_0(array) \
     : (const void *)(array) == NULL ? (otherwise)               \
                                     : 0)
#define PARSCAN_TYPED_REQUIRE(check, condition, words, value) \
    ((void)sizeof(struct {                                    \
         _Static_assert(condition, words);                    \
         char unused;                                         \
     }),                                                      \
     (value))
#define PARSCAN_TYPED_IS_VOID(array) _Generic((array), void * : 1, const void * : 1, default : 0)
#define PARSCAN_TYPED_IS_LIKE(a, b) \
    __builtin_types_compatible_p(__typeof__((a)[0]), __typeof__((b)[0]))
#define PARSCAN_TYPED_OR_MODEL(array, model) \
    _Generic((array), void * : (model), const void * : (model), default : (array))
#define PARSCAN_TYPED_LIKE_OR_NULL(array, model)                                              \
    PARSCAN_TYPED_REQUIRE(one_type,                                                           \
                          PARSCAN_TYPED_IS_LIKE(PARSCAN_TYPED_OR_MODEL(array, model), model), \
                          "two arrays of parscan must have elements of one type", array)
/* 0, which every call refuses, beside a pointer of type void * that is not NULL. */
#define PARSCAN_TYPED_SIZE_BESIDE(array, beside)                                 \
    (PARSCAN_TYPED_IS_VOID(beside) && (const void *)(beside) != NULL ? (size_t)0 \
                                                                     : PARSCAN_TYPED_SIZE(array))
#define PARSCAN_TYPED_SCAN_OPTIONS(options, out) \
    ((const parscan_scan_options[]){parscan_typed_options(options, PARSCAN_TYPE_OF(out))})
#define PARSCAN_TYPED_SEGMENTS(of_kind, of_type, of_data, of_count) \
    PARSCAN_SEGMENTS(.kind = (of_kind), .type = (of_type), .data = (of_data), .count = (of_count))
#endif

/* Checks for the macros below. Each is its first argument, or, of _SIZE, its element's bytes. */
#define PARSCAN_TYPED_SAME(array, model)                                              \
    PARSCAN_TYPED_REQUIRE(one_type, PARSCAN_TYPE_OF(array) == PARSCAN_TYPE_OF(model), \
                          "two arrays of parscan must have elements of one type", array)
#define PARSCAN_TYPED_SAME_OR_NULL(array, model)                                   \
    PARSCAN_TYPED_REQUIRE(one_type,                                                \
                          PARSCAN_TYPED_OR_0(array) == 0 ||                        \
                              PARSCAN_TYPED_OR_0(array) == PARSCAN_TYPE_OF(model), \
                          "two arrays of parscan must have elements of one type", array)
#define PARSCAN_TYPED_BOTH_OR_NULL(array, model)                                              \
    PARSCAN_TYPED_REQUIRE(one_type,                                                           \
                          PARSCAN_TYPED_OR_0(array) == 0 || PARSCAN_TYPED_OR_0(model) == 0 || \
                              PARSCAN_TYPED_OR_0(array) == PARSCAN_TYPED_OR_0(model),         \
                          "two arrays of parscan must have elements of one type", array)
#define PARSCAN_TYPED_LIKE(array, model)                                 \
    PARSCAN_TYPED_REQUIRE(one_type, PARSCAN_TYPED_IS_LIKE(array, model), \
                          "two arrays of parscan must have elements of one type", array)
#define PARSCAN_TYPED_SIZE(array)                                  \
    PARSCAN_TYPED_REQUIRE(has_type, !PARSCAN_TYPED_IS_VOID(array), \
                          "an array of parscan must not be void *", sizeof((array)[0]))
#define PARSCAN_TYPED_INDEX_SIZE(array)                                                     \
    PARSCAN_TYPED_REQUIRE(                                                                  \
        is_index,                                                                           \
        PARSCAN_TYPE_OF(array) == PARSCAN_U32 || PARSCAN_TYPE_OF(array) == PARSCAN_U64 ||   \
            PARSCAN_TYPE_OF(array) == PARSCAN_I32 || PARSCAN_TYPE_OF(array) == PARSCAN_I64, \
        "indices of parscan must be integers of 32 or 64 bits", sizeof((array)[0]))

/* The manual goes on. */

/* Segments by flags, offsets, keys or rows (parscan/segments.h): a value of parscan_segments; in C it
   has an address. The offsets are count + 1 numbers of u32, u64, i32 or i64. */
#define parscan_typed_flags(flags) \
    PARSCAN_TYPED_SEGMENTS(PARSCAN_SEGMENTS_FLAGS, PARSCAN_TYPE_OF(flags), flags, 0)
#define parscan_typed_offsets(offsets, count) \
    PARSCAN_TYPED_SEGMENTS(PARSCAN_SEGMENTS_OFFSETS, PARSCAN_TYPE_OF(offsets), offsets, count)
#define parscan_typed_keys(keys) \
    PARSCAN_TYPED_SEGMENTS(PARSCAN_SEGMENTS_KEYS, PARSCAN_TYPE_OF(keys), keys, 0)
#define parscan_typed_rows(length) \
    PARSCAN_TYPED_SEGMENTS(PARSCAN_SEGMENTS_ROWS, PARSCAN_U8, NULL, length)

/* parscan/scan.h */
#define parscan_typed_inclusive_scan(context, in, out, n, options)   \
    parscan_inclusive_scan(context, PARSCAN_TYPE_OF(in), in, out, n, \
                           PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_exclusive_scan(context, in, out, n, options)   \
    parscan_exclusive_scan(context, PARSCAN_TYPE_OF(in), in, out, n, \
                           PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_reduce(context, in, out, n, options)   \
    parscan_reduce(context, PARSCAN_TYPE_OF(in), in, out, n, \
                   PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_difference(context, in, out, n, options) \
    parscan_difference(context, PARSCAN_TYPE_OF(in), in, PARSCAN_TYPED_SAME(out, in), n, options)

/* parscan/segmented.h */
#define parscan_typed_segmented_inclusive_scan(context, in, out, n, segments, options)   \
    parscan_segmented_inclusive_scan(context, PARSCAN_TYPE_OF(in), in, out, n, segments, \
                                     PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_segmented_exclusive_scan(context, in, out, n, segments, options)   \
    parscan_segmented_exclusive_scan(context, PARSCAN_TYPE_OF(in), in, out, n, segments, \
                                     PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_segmented_reduce(context, in, out, n, segments, count, options)   \
    parscan_segmented_reduce(context, PARSCAN_TYPE_OF(in), in, out, n, segments, count, \
                             PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_reduce_by_key(context, keys_in, keys_out, in, out, n, count, options)       \
    parscan_reduce_by_key(context, PARSCAN_TYPED_OR(keys_out, PARSCAN_TYPE_OF(keys_in)), keys_in, \
                          PARSCAN_TYPED_SAME_OR_NULL(keys_out, keys_in), PARSCAN_TYPE_OF(in), in, \
                          out, n, count, PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_recurrence(context, a, b, x0, out, n)                         \
    parscan_recurrence(context, PARSCAN_TYPED_OR(x0, PARSCAN_TYPE_OF(a)), a,        \
                       PARSCAN_TYPED_SAME(b, a), PARSCAN_TYPED_SAME_OR_NULL(x0, a), \
                       PARSCAN_TYPED_SAME(out, a), n)

/* parscan/select.h. values_out and indices_out may be NULL as there. */
#define parscan_typed_arg_reduce(context, in, n, op, values_out, indices_out, options) \
    parscan_arg_reduce(context, PARSCAN_TYPE_OF(in), in, n, op,                        \
                       PARSCAN_TYPED_SAME_OR_NULL(values_out, in),                     \
                       PARSCAN_TYPED_OR(indices_out, PARSCAN_U64), indices_out, options)
#define parscan_typed_top_k(context, in, n, k, values_out, indices_out, options) \
    parscan_top_k(context, PARSCAN_TYPE_OF(in), in, n, k,                        \
                  PARSCAN_TYPED_SAME_OR_NULL(values_out, in),                    \
                  PARSCAN_TYPED_OR(indices_out, PARSCAN_U64), indices_out, options)

#define parscan_typed_recurrence_with(context, a, b, x0, out, n, options)                \
    parscan_recurrence_with(context, PARSCAN_TYPED_OR(x0, PARSCAN_TYPE_OF(a)), a,        \
                            PARSCAN_TYPED_SAME(b, a), PARSCAN_TYPED_SAME_OR_NULL(x0, a), \
                            PARSCAN_TYPED_SAME(out, a), n, options)

/* parscan/sort.h, parscan/columns.h. sort_segments sorts keys alone, sort_segments_pairs keys with values. */
#define parscan_typed_sort_keys(context, keys_in, keys_out, n, options) \
    parscan_sort_keys(context, PARSCAN_TYPE_OF(keys_in), keys_in,       \
                      PARSCAN_TYPED_SAME(keys_out, keys_in), n, options)
#define parscan_typed_sort_pairs(context, keys_in, keys_out, values_in, values_out, n, options) \
    parscan_sort_pairs(context, PARSCAN_TYPE_OF(keys_in), keys_in,                              \
                       PARSCAN_TYPED_SAME(keys_out, keys_in), PARSCAN_TYPED_SIZE(values_in),    \
                       values_in, PARSCAN_TYPED_LIKE(values_out, values_in), n, options)
#define parscan_typed_argsort(context, keys, indices_out, n, options)                   \
    parscan_argsort(context, PARSCAN_TYPE_OF(keys), keys, PARSCAN_TYPE_OF(indices_out), \
                    indices_out, n, options)
#define parscan_typed_sort_columns(context, columns, column_count, indices_out, n)     \
    parscan_sort_columns(context, columns, column_count, PARSCAN_TYPE_OF(indices_out), \
                         indices_out, n)
#define parscan_typed_sort_columns_with(context, columns, column_count, indices_out, n, options) \
    parscan_sort_columns_with(context, columns, column_count, PARSCAN_TYPE_OF(indices_out),      \
                              indices_out, n, options)
#define parscan_typed_sort_segments(context, keys_in, keys_out, n, segments, options)        \
    parscan_sort_segments(context, PARSCAN_TYPE_OF(keys_in), keys_in,                        \
                          PARSCAN_TYPED_SAME(keys_out, keys_in), 0, NULL, NULL, n, segments, \
                          options)
#define parscan_typed_sort_segments_pairs(context, keys_in, keys_out, values_in, values_out, n, \
                                          segments, options)                                    \
    parscan_sort_segments(context, PARSCAN_TYPE_OF(keys_in), keys_in,                           \
                          PARSCAN_TYPED_SAME(keys_out, keys_in), PARSCAN_TYPED_SIZE(values_in), \
                          values_in, PARSCAN_TYPED_LIKE(values_out, values_in), n, segments,    \
                          options)

/* parscan/merge.h. merge merges keys alone, merge_pairs keys with values. */
#define parscan_typed_merge(context, a_keys, n, b_keys, n2, keys_out)                              \
    parscan_merge(context, PARSCAN_TYPE_OF(a_keys), a_keys, n, PARSCAN_TYPED_SAME(b_keys, a_keys), \
                  n2, PARSCAN_TYPED_SAME(keys_out, a_keys), 0, NULL, NULL, NULL)
#define parscan_typed_merge_pairs(context, a_keys, n, b_keys, n2, keys_out, a_values, b_values,    \
                                  values_out)                                                      \
    parscan_merge(context, PARSCAN_TYPE_OF(a_keys), a_keys, n, PARSCAN_TYPED_SAME(b_keys, a_keys), \
                  n2, PARSCAN_TYPED_SAME(keys_out, a_keys), PARSCAN_TYPED_SIZE(a_values),          \
                  a_values, PARSCAN_TYPED_LIKE(b_values, a_values),                                \
                  PARSCAN_TYPED_LIKE(values_out, a_values))

/* left_out and right_out may be NULL as there. */
#define parscan_typed_join(context, kind, left, n, right, n2, left_out, right_out, capacity,     \
                           total)                                                                \
    parscan_join(context, kind, PARSCAN_TYPE_OF(left), left, n, PARSCAN_TYPED_SAME(right, left), \
                 n2, PARSCAN_TYPED_OR(left_out, PARSCAN_TYPED_OR(right_out, PARSCAN_U64)),       \
                 PARSCAN_TYPED_BOTH_OR_NULL(left_out, right_out), right_out, capacity, total)

/* parscan_typed_set_union() and its sisters. out may be NULL as there. */
#define parscan_typed_set_union(context, a, n, b, n2, out, capacity, count)            \
    parscan_set_union(context, PARSCAN_TYPE_OF(a), a, n, PARSCAN_TYPED_SAME(b, a), n2, \
                      PARSCAN_TYPED_SAME_OR_NULL(out, a), capacity, count)
#define parscan_typed_set_intersection(context, a, n, b, n2, out, capacity, count)            \
    parscan_set_intersection(context, PARSCAN_TYPE_OF(a), a, n, PARSCAN_TYPED_SAME(b, a), n2, \
                             PARSCAN_TYPED_SAME_OR_NULL(out, a), capacity, count)
#define parscan_typed_set_difference(context, a, n, b, n2, out, capacity, count)            \
    parscan_set_difference(context, PARSCAN_TYPE_OF(a), a, n, PARSCAN_TYPED_SAME(b, a), n2, \
                           PARSCAN_TYPED_SAME_OR_NULL(out, a), capacity, count)
#define parscan_typed_set_symmetric_difference(context, a, n, b, n2, out, capacity, count)        \
    parscan_set_symmetric_difference(context, PARSCAN_TYPE_OF(a), a, n, PARSCAN_TYPED_SAME(b, a), \
                                     n2, PARSCAN_TYPED_SAME_OR_NULL(out, a), capacity, count)

/* parscan/search.h */
#define parscan_typed_lower_bound(context, sorted, count, values, n, out) \
    parscan_lower_bound(context, PARSCAN_TYPE_OF(sorted), sorted, count,  \
                        PARSCAN_TYPED_SAME(values, sorted), n, PARSCAN_TYPE_OF(out), out)
#define parscan_typed_upper_bound(context, sorted, count, values, n, out) \
    parscan_upper_bound(context, PARSCAN_TYPE_OF(sorted), sorted, count,  \
                        PARSCAN_TYPED_SAME(values, sorted), n, PARSCAN_TYPE_OF(out), out)

/* parscan/compact.h. Outputs may be NULL as there. */
#define parscan_typed_compact(context, in, flags, out, n, count)            \
    parscan_compact(context, PARSCAN_TYPED_SIZE_BESIDE(in, out), in, flags, \
                    PARSCAN_TYPED_LIKE_OR_NULL(out, in), n, count)
#define parscan_typed_compact_by(context, in, by, keep, out, n, count)                           \
    parscan_compact_by(context, PARSCAN_TYPED_SIZE_BESIDE(in, out), in, PARSCAN_TYPE_OF(by), by, \
                       keep, PARSCAN_TYPED_LIKE_OR_NULL(out, in), n, count)
#define parscan_typed_flags_if(context, in, keep, flags_out, n) \
    parscan_flags_if(context, PARSCAN_TYPE_OF(in), in, keep, flags_out, n)
#define parscan_typed_compact_if(context, in, keep, out, n, count)                    \
    parscan_compact_if(context, PARSCAN_TYPED_OR(out, PARSCAN_TYPE_OF(in)), in, keep, \
                       PARSCAN_TYPED_SAME_OR_NULL(out, in), n, count)
#define parscan_typed_compact_indices(context, in, keep, indices_out, n, count) \
    parscan_compact_indices(context, PARSCAN_TYPE_OF(in), in, keep,             \
                            PARSCAN_TYPED_OR(indices_out, PARSCAN_U64), indices_out, n, count)
#define parscan_typed_compact_with_indices(context, in, keep, out, indices_out, n, count)       \
    parscan_compact_with_indices(context, PARSCAN_TYPED_OR(out, PARSCAN_TYPE_OF(in)), in, keep, \
                                 PARSCAN_TYPED_SAME_OR_NULL(out, in),                           \
                                 PARSCAN_TYPED_OR(indices_out, PARSCAN_U64), indices_out, n,    \
                                 count)
#define parscan_typed_partition(context, in, keep, out, n, count)                    \
    parscan_partition(context, PARSCAN_TYPED_OR(out, PARSCAN_TYPE_OF(in)), in, keep, \
                      PARSCAN_TYPED_SAME_OR_NULL(out, in), n, count)
#define parscan_typed_unique(context, in, out, n, count)                    \
    parscan_unique(context, PARSCAN_TYPED_OR(out, PARSCAN_TYPE_OF(in)), in, \
                   PARSCAN_TYPED_SAME_OR_NULL(out, in), n, count)
#define parscan_typed_unique_pairs(context, keys_in, keys_out, values_in, values_out, n, count)  \
    parscan_unique_pairs(context, PARSCAN_TYPED_OR(keys_out, PARSCAN_TYPE_OF(keys_in)), keys_in, \
                         PARSCAN_TYPED_SAME_OR_NULL(keys_out, keys_in),                          \
                         PARSCAN_TYPED_SIZE_BESIDE(values_in, values_out), values_in,            \
                         PARSCAN_TYPED_LIKE_OR_NULL(values_out, values_in), n, count)
#define parscan_typed_run_length_encode(context, in, values, lengths, n, count)           \
    parscan_run_length_encode(context, PARSCAN_TYPED_OR(values, PARSCAN_TYPE_OF(in)), in, \
                              PARSCAN_TYPED_SAME_OR_NULL(values, in),                     \
                              PARSCAN_TYPED_OR(lengths, PARSCAN_U64), lengths, n, count)
#define parscan_typed_dense_to_csr(context, dense, rows, columns, row_offsets, column_indices,    \
                                   values, count)                                                 \
    parscan_dense_to_csr(context, PARSCAN_TYPED_OR(values, PARSCAN_TYPE_OF(dense)), dense, rows,  \
                         columns, PARSCAN_TYPED_OR(column_indices, PARSCAN_TYPE_OF(row_offsets)), \
                         row_offsets, PARSCAN_TYPED_SAME_OR_NULL(column_indices, row_offsets),    \
                         PARSCAN_TYPED_SAME_OR_NULL(values, dense), count)

/* parscan/histogram.h. bin_indices gives the index of every entry in place of a value, bin_offsets
   the offsets alone. */
#define parscan_typed_histogram(context, in, n, bins, counts, options)                            \
    parscan_histogram(context, PARSCAN_TYPE_OF(in), in, n, bins, PARSCAN_TYPE_OF(counts), counts, \
                      options)
#define parscan_typed_bin(context, bin_of, values, n, bins, offsets, values_out)                 \
    parscan_bin(context, PARSCAN_TYPE_OF(bin_of), bin_of, PARSCAN_TYPED_SIZE(values), values, n, \
                bins, PARSCAN_TYPE_OF(offsets), offsets, PARSCAN_TYPED_LIKE(values_out, values))
#define parscan_typed_bin_indices(context, bin_of, n, bins, offsets, indices_out)                \
    parscan_bin(context, PARSCAN_TYPE_OF(bin_of), bin_of, PARSCAN_TYPED_INDEX_SIZE(indices_out), \
                NULL, n, bins, PARSCAN_TYPE_OF(offsets), offsets, indices_out)
#define parscan_typed_bin_offsets(context, bin_of, n, bins, offsets)        \
    parscan_bin(context, PARSCAN_TYPE_OF(bin_of), bin_of, 0, NULL, n, bins, \
                PARSCAN_TYPE_OF(offsets), offsets, NULL)

/* parscan/gather.h */
#define parscan_typed_gather(context, in, in_count, indices, out, n)                        \
    parscan_gather(context, PARSCAN_TYPED_SIZE(in), in, in_count, PARSCAN_TYPE_OF(indices), \
                   indices, PARSCAN_TYPED_LIKE(out, in), n)
#define parscan_typed_scatter(context, in, n, indices, out, out_count, options)                \
    parscan_scatter(context, PARSCAN_TYPED_SIZE(in), in, n, PARSCAN_TYPE_OF(indices), indices, \
                    PARSCAN_TYPED_LIKE(out, in), out_count, options)

/* parscan/allocate.h. offsets, owner and rank may be NULL as there. */
#define parscan_typed_allocate(context, sizes, n, offsets, total, options) \
    parscan_allocate(context, PARSCAN_TYPE_OF(sizes), sizes, n,            \
                     PARSCAN_TYPED_OR(offsets, PARSCAN_U64), offsets, total, options)
#define parscan_typed_expand(context, sizes, n, owner, rank, capacity, total)           \
    parscan_expand(context, PARSCAN_TYPE_OF(sizes), sizes, n,                           \
                   PARSCAN_TYPED_OR(owner, PARSCAN_TYPED_OR(rank, PARSCAN_U64)), owner, \
                   PARSCAN_TYPED_BOTH_OR_NULL(rank, owner), capacity, total)
#define parscan_typed_run_length_decode(context, values, lengths, n, out, capacity, total) \
    parscan_run_length_decode(context, PARSCAN_TYPED_SIZE_BESIDE(values, out), values,     \
                              PARSCAN_TYPE_OF(lengths), lengths, n,                        \
                              PARSCAN_TYPED_LIKE_OR_NULL(out, values), capacity, total)
#define parscan_typed_pack(context, in, in_offsets, sizes, out, out_offsets, n)                \
    parscan_pack(context, in, PARSCAN_TYPE_OF(in_offsets), in_offsets, PARSCAN_TYPE_OF(sizes), \
                 sizes, out, PARSCAN_TYPED_SAME(out_offsets, in_offsets), n)

/* parscan/distributed.h. What may be NULL there may be NULL here, on all ranks or none where it
   decides a type. */
#define parscan_typed_dist_inclusive_scan(comm, in, out, n, options)   \
    parscan_dist_inclusive_scan(comm, PARSCAN_TYPE_OF(in), in, out, n, \
                                PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_dist_exclusive_scan(comm, in, out, n, options)   \
    parscan_dist_exclusive_scan(comm, PARSCAN_TYPE_OF(in), in, out, n, \
                                PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_dist_reduce(comm, in, out, n, options)   \
    parscan_dist_reduce(comm, PARSCAN_TYPE_OF(in), in, out, n, \
                        PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_dist_segmented_inclusive_scan(comm, in, out, n, segments, options)   \
    parscan_dist_segmented_inclusive_scan(comm, PARSCAN_TYPE_OF(in), in, out, n, segments, \
                                          PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_dist_segmented_exclusive_scan(comm, in, out, n, segments, options)   \
    parscan_dist_segmented_exclusive_scan(comm, PARSCAN_TYPE_OF(in), in, out, n, segments, \
                                          PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_dist_segmented_reduce(comm, in, out, n, segments, count, offset, total,     \
                                            options)                                              \
    parscan_dist_segmented_reduce(comm, PARSCAN_TYPE_OF(in), in, out, n, segments, count, offset, \
                                  total, PARSCAN_TYPED_SCAN_OPTIONS(options, out))
#define parscan_typed_dist_histogram(comm, in, n, bins, counts, options)                    \
    parscan_dist_histogram(comm, PARSCAN_TYPE_OF(in), in, n, bins, PARSCAN_TYPE_OF(counts), \
                           counts, options)
#define parscan_typed_dist_sort_keys(comm, keys_in, n_in, keys_out, n_out, options) \
    parscan_dist_sort_keys(comm, PARSCAN_TYPE_OF(keys_in), keys_in, n_in,           \
                           PARSCAN_TYPED_SAME(keys_out, keys_in), n_out, options)
#define parscan_typed_dist_sort_pairs(comm, keys_in, keys_out, values_in, values_out, n_in, n_out, \
                                      options)                                                     \
    parscan_dist_sort_pairs(comm, PARSCAN_TYPE_OF(keys_in), keys_in,                               \
                            PARSCAN_TYPED_SAME(keys_out, keys_in), PARSCAN_TYPED_SIZE(values_in),  \
                            values_in, PARSCAN_TYPED_LIKE(values_out, values_in), n_in, n_out,     \
                            options)
#define parscan_typed_dist_argsort(comm, keys, n, indices_out, n_out, options) \
    parscan_dist_argsort(comm, PARSCAN_TYPE_OF(keys), keys, n, indices_out, n_out, options)
#define parscan_typed_dist_compact_if(comm, in, keep, out, n, count, offset, total)              \
    parscan_dist_compact_if(comm, PARSCAN_TYPE_OF(in), in, keep, PARSCAN_TYPED_SAME(out, in), n, \
                            count, offset, total)
#define parscan_typed_dist_unique(comm, in, out, n, count, offset, total)                     \
    parscan_dist_unique(comm, PARSCAN_TYPE_OF(in), in, PARSCAN_TYPED_SAME(out, in), n, count, \
                        offset, total)
#define parscan_typed_dist_run_length_encode(comm, in, values, lengths, n, count, offset, total) \
    parscan_dist_run_length_encode(comm, PARSCAN_TYPED_OR(values, PARSCAN_TYPE_OF(in)), in,      \
                                   PARSCAN_TYPED_SAME_OR_NULL(values, in),                       \
                                   PARSCAN_TYPED_OR(lengths, PARSCAN_U64), lengths, n, count,    \
                                   offset, total)
#define parscan_typed_dist_allocate(comm, sizes, n, offsets, total, options) \
    parscan_dist_allocate(comm, PARSCAN_TYPE_OF(sizes), sizes, n,            \
                          PARSCAN_TYPED_OR(offsets, PARSCAN_U64), offsets, total, options)
#define parscan_typed_dist_bin(comm, bin_of, values, n, bins, offsets, values_out, capacity,       \
                               count)                                                              \
    parscan_dist_bin(comm, PARSCAN_TYPE_OF(bin_of), bin_of, PARSCAN_TYPED_SIZE(values), values, n, \
                     bins, PARSCAN_TYPE_OF(offsets), offsets,                                      \
                     PARSCAN_TYPED_LIKE(values_out, values), capacity, count)
#define parscan_typed_dist_bin_indices(comm, bin_of, n, bins, offsets, indices_out, capacity,      \
                                       count)                                                      \
    parscan_dist_bin(comm, PARSCAN_TYPE_OF(bin_of), bin_of, PARSCAN_TYPED_INDEX_SIZE(indices_out), \
                     NULL, n, bins, PARSCAN_TYPE_OF(offsets), offsets, indices_out, capacity,      \
                     count)
#define parscan_typed_dist_rebalance(comm, in, n_in, out, n_out)                                \
    parscan_dist_rebalance(comm, PARSCAN_TYPED_SIZE(in), in, n_in, PARSCAN_TYPED_LIKE(out, in), \
                           n_out)

#endif
