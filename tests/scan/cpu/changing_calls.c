#include "tests/scan/cpu/changing_calls.h"

#include <stdbool.h>

typedef const changing_arguments *arguments;

/* ---- sorts: in place, all arrays are inputs ---- */

#define SORT_KEYS(type)                                                                      \
    static parscan_status sort_##type(arguments a)                                           \
    {                                                                                        \
        return parscan_sort_keys(a->context, PARSCAN_##type, a->array[0], a->array[1], a->n, \
                                 NULL);                                                      \
    }                                                                                        \
    static parscan_status sort_##type##_in_place(arguments a)                                \
    {                                                                                        \
        return parscan_sort_keys(a->context, PARSCAN_##type, a->array[0], a->array[0], a->n, \
                                 NULL);                                                      \
    }
SORT_KEYS(U8)
SORT_KEYS(U16)
SORT_KEYS(F16)
SORT_KEYS(U32)
SORT_KEYS(I64)
SORT_KEYS(F32)
SORT_KEYS(F64)

/* A few bits of the keys: then no key is counted instead of moved. */
static parscan_status sort_bits(arguments a)
{
    const parscan_sort_options options =
        PARSCAN_SORT_OPTIONS(.begin_bit = 3, .end_bit = 29, .descending = 1);
    return parscan_sort_keys(a->context, PARSCAN_U32, a->array[0], a->array[0], a->n, &options);
}

static parscan_status sort_pairs(arguments a)
{
    return parscan_sort_pairs(a->context, PARSCAN_U32, a->array[0], a->array[2], 8, a->array[1],
                              a->array[3], a->n, NULL);
}

static parscan_status sort_pairs_in_place(arguments a)
{
    return parscan_sort_pairs(a->context, PARSCAN_U64, a->array[0], a->array[0], 4, a->array[1],
                              a->array[1], a->n, NULL);
}

static parscan_status sort_records(arguments a)
{
    return parscan_sort_pairs(a->context, PARSCAN_U32, a->array[0], a->array[0], 12, a->array[1],
                              a->array[1], a->n, NULL);
}

static parscan_status argsort_32(arguments a)
{
    return parscan_argsort(a->context, PARSCAN_U32, a->array[0], PARSCAN_U32, a->array[1], a->n,
                           NULL);
}

static parscan_status argsort_64(arguments a)
{
    return parscan_argsort(a->context, PARSCAN_F64, a->array[0], PARSCAN_U64, a->array[1], a->n,
                           NULL);
}

/* Rows whose first 64 bits are few different ones: they are sorted in rounds. */
static parscan_status sort_columns(arguments a)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_F64, .data = a->array[0]),
        PARSCAN_COLUMN(.type = PARSCAN_I32, .data = a->array[1], .descending = 1),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .data = a->array[2], .width = 12)};
    return parscan_sort_columns(a->context, by, 3, PARSCAN_U32, a->array[3], a->n);
}

static parscan_status sort_groups(arguments a)
{
    const parscan_column by = PARSCAN_COLUMN(.type = PARSCAN_F64, .data = a->array[0]);
    return parscan_sort_columns_with(a->context, &by, 1, PARSCAN_U32, a->array[2], a->n,
                                     &PARSCAN_SORT_COLUMNS_OPTIONS(.value_size = 8,
                                                                   .values_in = a->array[1],
                                                                   .values_out = a->array[3]));
}

static parscan_status sort_column(arguments a)
{
    const parscan_column by = PARSCAN_COLUMN(.type = PARSCAN_U32, .data = a->array[0]);
    return parscan_sort_columns(a->context, &by, 1, PARSCAN_U32, a->array[1], a->n);
}

/* ---- merges, of n / 2 elements each ---- */

#define MERGE(type, bytes)                                                                      \
    static parscan_status merge_##type(arguments a)                                             \
    {                                                                                           \
        const size_t n = a->n / 2;                                                              \
        return parscan_merge(a->context, PARSCAN_##type, a->array[0], n, a->array[1], a->n - n, \
                             a->array[2], 0, NULL, NULL, NULL);                                 \
    }
MERGE(U16, 2)
MERGE(U32, 4)
MERGE(F64, 8)

static parscan_status merge_pairs(arguments a, size_t value_size)
{
    const size_t n = a->n / 2;
    return parscan_merge(a->context, PARSCAN_U32, a->array[0], n, a->array[0] + n * 4, a->n - n,
                         a->array[2], value_size, a->array[1], a->array[1] + n * value_size,
                         a->array[3]);
}

static parscan_status merge_with_8_bytes(arguments a)
{
    return merge_pairs(a, 8);
}

static parscan_status merge_records(arguments a)
{
    return merge_pairs(a, 12);
}

#define JOIN(kind, type)                                                                        \
    static parscan_status join_##kind(arguments a)                                              \
    {                                                                                           \
        const size_t n = a->n / 2;                                                              \
        uint64_t total;                                                                         \
        return parscan_join(a->context, PARSCAN_JOIN_##kind, PARSCAN_##type, a->array[0], n,    \
                            a->array[1], a->n - n, PARSCAN_U32, a->array[2], a->array[3], a->n, \
                            &total);                                                            \
    }
JOIN(INNER, U32)
JOIN(LEFT, F32)
JOIN(ANTI, U64)

/* Often there is too little room. */
#define SETS(operation, type)                                                                   \
    static parscan_status set_##operation(arguments a)                                          \
    {                                                                                           \
        const size_t n = a->n / 2;                                                              \
        uint64_t count;                                                                         \
        return parscan_set_##operation(a->context, PARSCAN_##type, a->array[0], n, a->array[1], \
                                       a->n - n, a->array[2], n, &count);                       \
    }
SETS(union, U32)
SETS(symmetric_difference, F64)

/* ---- segments ---- */

/* The segments that array `at` tells. */
static parscan_segments by_offsets(arguments a, size_t at)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                            .data = a->array[at], .count = a->n / 4);
}

static parscan_segments by_flags(arguments a, size_t at)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->array[at]);
}

static parscan_segments by_keys(arguments a, size_t at)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32,
                            .data = a->array[at]);
}

#define BY_EACH(X) X(by_offsets) X(by_flags) X(by_keys)

#define OF_SEGMENTS(by)                                                                            \
    static parscan_status sort_##by(arguments a)                                                   \
    {                                                                                              \
        const parscan_segments segments = by(a, 1);                                                \
        return parscan_sort_segments(a->context, PARSCAN_U32, a->array[0], a->array[0], 0, NULL,   \
                                     NULL, a->n, &segments, NULL);                                 \
    }                                                                                              \
    static parscan_status scan_##by(arguments a)                                                   \
    {                                                                                              \
        const parscan_segments segments = by(a, 1);                                                \
        return parscan_segmented_inclusive_scan(a->context, PARSCAN_U32, a->array[0], a->array[2], \
                                                a->n, &segments, NULL);                            \
    }                                                                                              \
    static parscan_status scan_reverse_##by(arguments a)                                           \
    {                                                                                              \
        const parscan_segments segments = by(a, 1);                                                \
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = 1);                   \
        return parscan_segmented_exclusive_scan(a->context, PARSCAN_U32, a->array[0], a->array[0], \
                                                a->n, &segments, &options);                        \
    }                                                                                              \
    static parscan_status reduce_##by(arguments a)                                                 \
    {                                                                                              \
        const parscan_segments segments = by(a, 1);                                                \
        uint64_t count;                                                                            \
        return parscan_segmented_reduce(a->context, PARSCAN_U32, a->array[0], a->array[2], a->n,   \
                                        &segments, &count, NULL);                                  \
    }
BY_EACH(OF_SEGMENTS)

/* ---- selection ---- */

static parscan_status arg_reduce(arguments a, const parscan_segments *segments)
{
    uint64_t count;
    return parscan_arg_reduce(a->context, PARSCAN_U32, a->array[0], a->n, PARSCAN_MAX, a->array[2],
                              PARSCAN_U32, a->array[3],
                              &PARSCAN_ARG_REDUCE_OPTIONS(.segments = segments, .count = &count));
}

static parscan_status argmax(arguments a)
{
    return arg_reduce(a, NULL);
}

static parscan_status top(arguments a, size_t k, const parscan_segments *segments)
{
    uint64_t count;
    return parscan_top_k(a->context, PARSCAN_U32, a->array[0], a->n, k, a->array[2], PARSCAN_U32,
                         a->array[3],
                         &PARSCAN_TOP_K_OPTIONS(.segments = segments, .count = &count));
}

static parscan_status top_few(arguments a)
{
    return top(a, a->n / 100, NULL);
}

static parscan_status top_many(arguments a)
{
    return top(a, a->n / 3, NULL);
}

#define SELECT_OF_SEGMENTS(by)                      \
    static parscan_status top_##by(arguments a)     \
    {                                               \
        const parscan_segments segments = by(a, 1); \
        return top(a, 3, &segments);                \
    }                                               \
    static parscan_status argmax_##by(arguments a)  \
    {                                               \
        const parscan_segments segments = by(a, 1); \
        return arg_reduce(a, &segments);            \
    }
BY_EACH(SELECT_OF_SEGMENTS)

static parscan_status reduce_by_key(arguments a)
{
    uint64_t count;
    return parscan_reduce_by_key(a->context, PARSCAN_U32, a->array[0], a->array[1], PARSCAN_U32,
                                 a->array[2], a->array[3], a->n, &count, NULL);
}

/* ---- search ---- */

static parscan_status bounds(arguments a)
{
    return parscan_lower_bound(a->context, PARSCAN_U32, a->array[0], a->n, a->array[1], a->n,
                               PARSCAN_U32, a->array[2]);
}

static parscan_status bounds_in_place(arguments a)
{
    return parscan_upper_bound(a->context, PARSCAN_U64, a->array[0], a->n, a->array[1], a->n,
                               PARSCAN_U64, a->array[1]);
}

static parscan_status bounds_of_halves(arguments a)
{
    return parscan_upper_bound(a->context, PARSCAN_F16, a->array[0], a->n, a->array[1], a->n,
                               PARSCAN_U32, a->array[2]);
}

/* ---- compaction ---- */

static parscan_status compact_flags(arguments a)
{
    uint64_t count;
    return parscan_compact(a->context, 4, a->array[0], (const uint8_t *)a->array[1], a->array[0],
                           a->n, &count);
}

static parscan_status compact_records(arguments a)
{
    uint64_t count;
    return parscan_compact(a->context, 12, a->array[0], (const uint8_t *)a->array[1], a->array[2],
                           a->n, &count);
}

static parscan_status compact_if(arguments a)
{
    uint64_t count;
    return parscan_compact_if(a->context, PARSCAN_U32, a->array[0], NULL, a->array[1], a->n,
                              &count);
}

static parscan_status compact_by(arguments a)
{
    uint64_t count;
    return parscan_compact_by(a->context, 4, a->array[0], PARSCAN_U16, a->array[1], NULL,
                              a->array[0], a->n, &count);
}

static parscan_status flags_if(arguments a)
{
    return parscan_flags_if(a->context, PARSCAN_U8, a->array[0], NULL, (uint8_t *)a->array[0],
                            a->n);
}

static parscan_status count_runs(arguments a)
{
    uint64_t count;
    return parscan_unique(a->context, PARSCAN_U32, a->array[0], NULL, a->n, &count);
}

static parscan_status indices(arguments a)
{
    uint64_t count;
    return parscan_compact_indices(a->context, PARSCAN_U8, a->array[0], NULL, PARSCAN_U32,
                                   a->array[1], a->n, &count);
}

static parscan_status compact_with_indices(arguments a)
{
    uint64_t count;
    return parscan_compact_with_indices(a->context, PARSCAN_U32, a->array[0], NULL, a->array[1],
                                        PARSCAN_U64, a->array[2], a->n, &count);
}

static parscan_status partition(arguments a)
{
    uint64_t count;
    return parscan_partition(a->context, PARSCAN_U32, a->array[0], NULL, a->array[1], a->n, &count);
}

static parscan_status unique(arguments a)
{
    uint64_t count;
    return parscan_unique(a->context, PARSCAN_U32, a->array[0], a->array[0], a->n, &count);
}

static parscan_status run_lengths(arguments a)
{
    uint64_t count;
    return parscan_run_length_encode(a->context, PARSCAN_U32, a->array[0], a->array[1], PARSCAN_U32,
                                     a->array[2], a->n, &count);
}

static parscan_status unique_pairs(arguments a)
{
    uint64_t count;
    return parscan_unique_pairs(a->context, PARSCAN_U32, a->array[0], a->array[0], 8, a->array[1],
                                a->array[2], a->n, &count);
}

static parscan_status csr(arguments a)
{
    uint64_t count;
    return parscan_dense_to_csr(a->context, PARSCAN_U32, a->array[0], a->n / 7, 7, PARSCAN_U32,
                                a->array[1], a->array[2], a->array[3], &count);
}

/* ---- histograms and bins ---- */

static parscan_status bin(arguments a, size_t bins, size_t value_size, const void *values)
{
    return parscan_bin(a->context, PARSCAN_U32, a->array[0], value_size, values, a->n, bins,
                       PARSCAN_U32, a->array[2], a->array[3]);
}

static parscan_status bin_few(arguments a)
{
    return bin(a, 100, 4, a->array[1]);
}

static parscan_status bin_records(arguments a)
{
    return bin(a, 100, 12, a->array[1]);
}

static parscan_status bin_wide(arguments a)
{
    return bin(a, WIDE_BINS, 8, NULL);
}

static parscan_status histogram_bytes(arguments a)
{
    return parscan_histogram(a->context, PARSCAN_U8, a->array[0], a->n, 256, PARSCAN_U64,
                             a->array[1], NULL);
}

static parscan_status histogram_words(arguments a)
{
    return parscan_histogram(a->context, PARSCAN_U32, a->array[0], a->n, WIDE_BINS, PARSCAN_U32,
                             a->array[1], NULL);
}

/* 1000 bins of [lower, upper). */
static parscan_status histogram_of(arguments a, parscan_type type, const void *lower,
                                   const void *upper)
{
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = lower, .upper = upper);
    return parscan_histogram(a->context, type, a->array[0], a->n, 1000, PARSCAN_U32, a->array[1],
                             &options);
}

static parscan_status histogram_halves(arguments a)
{
    const parscan_bf16 lower = {0xbf80}, upper = {0x3f80};
    return histogram_of(a, PARSCAN_BF16, &lower, &upper);
}

static parscan_status histogram_floats(arguments a)
{
    const float lower = -1, upper = 1;
    return histogram_of(a, PARSCAN_F32, &lower, &upper);
}

static parscan_status histogram_doubles(arguments a)
{
    const double lower = -1, upper = 1;
    return histogram_of(a, PARSCAN_F64, &lower, &upper);
}

static parscan_status histogram_scaled(arguments a)
{
    const uint32_t upper = UINT32_MAX;
    return histogram_of(a, PARSCAN_U32, NULL, &upper);
}

static parscan_status histogram_exact(arguments a)
{
    const uint64_t upper = UINT64_MAX;
    return histogram_of(a, PARSCAN_U64, NULL, &upper);
}

/* ---- allocation ---- */

static parscan_status allocation(arguments a)
{
    uint64_t total;
    return parscan_allocate(a->context, PARSCAN_U32, a->array[0], a->n, PARSCAN_U32, a->array[0],
                            &total, NULL);
}

/* There are n / 4 sizes and records. Room for what the sizes are in the mean: often the total is just
   below it. */
static parscan_status expand(arguments a)
{
    uint64_t total;
    return parscan_expand(a->context, PARSCAN_U32, a->array[0], a->n / 4, PARSCAN_U32, a->array[1],
                          a->array[2], a->n / 4 * (MOST_BYTES / 2), &total);
}

/* The same for values of a size. */
static parscan_status decode_of(arguments a, size_t size)
{
    uint64_t total;
    return parscan_run_length_decode(a->context, size, a->array[1], PARSCAN_U32, a->array[0],
                                     a->n / 4, a->array[2], a->n / 4 * (MOST_BYTES / 2), &total);
}

static parscan_status decode(arguments a)
{
    return decode_of(a, 4);
}

static parscan_status decode_records(arguments a)
{
    return decode_of(a, 12);
}

static parscan_status pack(arguments a)
{
    return parscan_pack(a->context, a->array[1], PARSCAN_U32, a->array[2], PARSCAN_U32, a->array[0],
                        a->array[3], a->array[2], a->n / 4);
}

/* ---- gather: what indices point into has WIDE_BINS elements ---- */

static parscan_status gather(arguments a)
{
    return parscan_gather(a->context, 4, a->array[1], WIDE_BINS, PARSCAN_U32, a->array[0],
                          a->array[2], a->n);
}

static parscan_status gather_over_indices(arguments a)
{
    return parscan_gather(a->context, 4, a->array[1], WIDE_BINS, PARSCAN_I32, a->array[0],
                          a->array[0], a->n);
}

static parscan_status gather_records(arguments a)
{
    return parscan_gather(a->context, 12, a->array[1], WIDE_BINS, PARSCAN_U32, a->array[0],
                          a->array[2], a->n);
}

static parscan_status scatter(arguments a, size_t value_size)
{
    const parscan_scatter_options options = PARSCAN_SCATTER_OPTIONS(.last_wins = 1);
    return parscan_scatter(a->context, value_size, a->array[1], a->n, PARSCAN_I32, a->array[0],
                           a->array[2], WIDE_BINS, &options);
}

static parscan_status scatter_words(arguments a)
{
    return scatter(a, 4);
}

static parscan_status scatter_records(arguments a)
{
    return scatter(a, 12);
}

/* ---- scans ---- */

static parscan_status scan_in_place(arguments a)
{
    return parscan_inclusive_scan(a->context, PARSCAN_U32, a->array[0], a->array[0], a->n, NULL);
}

PARSCAN_DEFINE_OPERATOR(less_of_two, uint64_t, (), { return earlier < later ? earlier : later; })

/* By an operator of the caller's. */
static parscan_status custom_in_place(arguments a)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(less_of_two, uint64_t));
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status = parscan_inclusive_scan(a->context, PARSCAN_CUSTOM, a->array[0], a->array[0], a->n,
                                        &PARSCAN_SCAN_OPTIONS(.custom = op));
    parscan_operator_destroy(op);
    return status;
}

/* A reduction of segments by it. */
static parscan_status custom_segments(arguments a, const parscan_segments *segments)
{
    parscan_operator *op;
    uint64_t count;
    const uint64_t most = UINT64_MAX;
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(less_of_two, uint64_t), .identity = &most);
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status =
            parscan_segmented_reduce(a->context, PARSCAN_CUSTOM, a->array[0], a->array[2], a->n,
                                     segments, &count, &PARSCAN_SCAN_OPTIONS(.custom = op));
    parscan_operator_destroy(op);
    return status;
}

static parscan_status custom_by_offsets(arguments a)
{
    const parscan_segments segments = by_offsets(a, 1);
    return custom_segments(a, &segments);
}

static parscan_status custom_by_flags(arguments a)
{
    const parscan_segments segments = by_flags(a, 1);
    return custom_segments(a, &segments);
}

PARSCAN_DEFINE_RELATION(below, uint64_t, (), { return a < b; })

/* A sort by an order of the caller's, or the runs by it as an equality; to out, or in place. */
static parscan_status by_relation(arguments a, bool sorts, char *out)
{
    parscan_operator *op;
    uint64_t count;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_RELATION(below, uint64_t));
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status = sorts ? parscan_sort_by(a->context, op, a->array[0], out, a->n)
                       : parscan_unique_by(a->context, op, a->array[0], out, a->n, &count);
    parscan_operator_destroy(op);
    return status;
}

static parscan_status sort_by(arguments a)
{
    return by_relation(a, true, a->array[1]);
}

static parscan_status sort_by_in_place(arguments a)
{
    return by_relation(a, true, a->array[0]);
}

static parscan_status unique_by(arguments a)
{
    return by_relation(a, false, a->array[1]);
}

PARSCAN_DEFINE_PREDICATE(is_odd, uint64_t, (), { return x % 2 != 0; })

/* A compaction by a predicate of the caller's, or a partition. */
static parscan_status by_predicate(arguments a, bool partitions, char *out)
{
    parscan_operator *op;
    uint64_t count;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_PREDICATE(is_odd, uint64_t));
    parscan_status status = parscan_operator_create(&op, &options);
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    if (status == PARSCAN_OK)
        status = partitions ? parscan_partition(a->context, PARSCAN_CUSTOM, a->array[0], &keep, out,
                                                a->n, &count)
                            : parscan_compact_if(a->context, PARSCAN_CUSTOM, a->array[0], &keep,
                                                 out, a->n, &count);
    parscan_operator_destroy(op);
    return status;
}

static parscan_status compact_custom(arguments a)
{
    return by_predicate(a, false, a->array[0]);
}

static parscan_status partition_custom(arguments a)
{
    return by_predicate(a, true, a->array[1]);
}

static parscan_status difference_in_place(arguments a)
{
    return parscan_difference(a->context, PARSCAN_U32, a->array[0], a->array[0], a->n, NULL);
}

static parscan_status recurrence(arguments a)
{
    return parscan_recurrence(a->context, PARSCAN_F64, a->array[0], a->array[1], NULL, a->array[1],
                              a->n);
}

#define SORT_CALLS(type, bytes)                                                     \
    {"sort of " #type, {{KEYS, bytes, 0}, {OUTPUT, bytes, 0}}, sort_##type},        \
        {"sort of " #type " in place", {{KEYS, bytes, 0}}, sort_##type##_in_place}, \
        {"sort of few " #type, {{FEW, bytes, 0}, {OUTPUT, bytes, 0}}, sort_##type}, \
    {                                                                               \
        "sort of few " #type " in place", {{FEW, bytes, 0}}, sort_##type##_in_place \
    }

#define MERGE_CALLS(type, bytes)                                                        \
    {"merge of " #type,                                                                 \
     {{KEYS, (bytes) / 2, bytes}, {KEYS, (bytes) / 2, bytes}, {OUTPUT, bytes, 0}},      \
     merge_##type},                                                                     \
    {                                                                                   \
        "merge of few " #type,                                                          \
            {{FEW, (bytes) / 2, bytes}, {FEW, (bytes) / 2, bytes}, {OUTPUT, bytes, 0}}, \
            merge_##type                                                                \
    }

/* sums: the bytes for each element of the results of a reduction. */
#define SEGMENT_CALLS(by, name, content, bytes, more, sums)                                       \
    {"sort " name, {{KEYS, 4, 0}, {content, bytes, more}}, sort_##by},                            \
        {"scan " name, {{KEYS, 4, 0}, {content, bytes, more}, {OUTPUT, 4, 0}}, scan_##by},        \
        {"reverse scan " name, {{KEYS, 4, 0}, {content, bytes, more}}, scan_reverse_##by},        \
    {                                                                                             \
        "reduction " name, {{KEYS, 4, 0}, {content, bytes, more}, {OUTPUT, sums, 0}}, reduce_##by \
    }

const changing_call changing_calls[] = {
    SORT_CALLS(U8, 1),
    SORT_CALLS(U16, 2),
    SORT_CALLS(F16, 2),
    SORT_CALLS(U32, 4),
    SORT_CALLS(I64, 8),
    SORT_CALLS(F32, 4),
    SORT_CALLS(F64, 8),
    {"sort by bits in place", {{KEYS, 4, 0}}, sort_bits},
    {"pairs", {{KEYS, 4, 0}, {KEYS, 8, 0}, {OUTPUT, 4, 0}, {OUTPUT, 8, 0}}, sort_pairs},
    {"pairs in place", {{KEYS, 8, 0}, {KEYS, 4, 0}}, sort_pairs_in_place},
    {"few pairs in place", {{FEW, 8, 0}, {KEYS, 4, 0}}, sort_pairs_in_place},
    {"records in place", {{KEYS, 4, 0}, {KEYS, 12, 0}}, sort_records},
    {"argsort of u32", {{KEYS, 4, 0}, {OUTPUT, 4, 0}}, argsort_32},
    {"argsort of few u32", {{FEW, 4, 0}, {OUTPUT, 4, 0}}, argsort_32},
    {"argsort of f64", {{KEYS, 8, 0}, {OUTPUT, 8, 0}}, argsort_64},
    {"columns", {{FEW, 8, 0}, {KEYS, 4, 0}, {KEYS, 12, 0}, {OUTPUT, 4, 0}}, sort_columns},
    {"columns with values",
     {{FEW, 8, 0}, {KEYS, 8, 0}, {OUTPUT, 4, 0}, {OUTPUT, 8, 0}},
     sort_groups},
    {"one column", {{KEYS, 4, 0}, {OUTPUT, 4, 0}}, sort_column},
    MERGE_CALLS(U16, 2),
    MERGE_CALLS(U32, 4),
    MERGE_CALLS(F64, 8),
    {"merge of pairs",
     {{FEW, 4, 0}, {KEYS, 8, 0}, {OUTPUT, 4, 0}, {OUTPUT, 8, 0}},
     merge_with_8_bytes},
    {"merge of records",
     {{KEYS, 4, 0}, {KEYS, 12, 0}, {OUTPUT, 4, 0}, {OUTPUT, 12, 0}},
     merge_records},
    {"inner join", {{FEW, 2, 4}, {FEW, 2, 4}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, join_INNER},
    {"left join", {{KEYS, 2, 4}, {KEYS, 2, 4}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, join_LEFT},
    {"anti join", {{FEW, 4, 8}, {KEYS, 4, 8}, {OUTPUT, 4, 0}}, join_ANTI},
    {"union", {{KEYS, 2, 4}, {KEYS, 2, 4}, {OUTPUT, 2, 0}}, set_union},
    {"symmetric difference", {{FEW, 4, 8}, {FEW, 4, 8}, {OUTPUT, 4, 0}}, set_symmetric_difference},
    SEGMENT_CALLS(by_offsets, "by offsets", OFFSETS, 1, 4, 1),
    SEGMENT_CALLS(by_offsets, "by offsets of few segments", LONG, 1, 4, 1),
    SEGMENT_CALLS(by_flags, "by flags", FEW, 1, 0, 4),
    SEGMENT_CALLS(by_keys, "by keys", FEW, 4, 0, 4),
    {"index of the maximum",
     {{KEYS, 4, 0}, {UNUSED, 0, 0}, {OUTPUT, 0, 4}, {OUTPUT, 0, 4}},
     argmax},
    {"indices of maxima by offsets",
     {{KEYS, 4, 0}, {OFFSETS, 1, 4}, {OUTPUT, 1, 0}, {OUTPUT, 1, 0}},
     argmax_by_offsets},
    {"indices of maxima by flags",
     {{KEYS, 4, 0}, {FEW, 1, 0}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}},
     argmax_by_flags},
    {"indices of maxima by keys",
     {{KEYS, 4, 0}, {FEW, 4, 0}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}},
     argmax_by_keys},
    {"reduction by key",
     {{FEW, 4, 0}, {OUTPUT, 4, 0}, {KEYS, 4, 0}, {OUTPUT, 4, 0}},
     reduce_by_key},
    {"few largest", {{KEYS, 4, 0}, {UNUSED, 0, 0}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, top_few},
    {"few largest of few", {{FEW, 4, 0}, {UNUSED, 0, 0}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, top_few},
    {"many largest", {{KEYS, 4, 0}, {UNUSED, 0, 0}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, top_many},
    {"largest by offsets",
     {{KEYS, 4, 0}, {OFFSETS, 1, 4}, {OUTPUT, 3, 0}, {OUTPUT, 3, 0}},
     top_by_offsets},
    {"largest by flags",
     {{KEYS, 4, 0}, {FEW, 1, 0}, {OUTPUT, 12, 0}, {OUTPUT, 12, 0}},
     top_by_flags},
    {"largest by keys", {{KEYS, 4, 0}, {FEW, 4, 0}, {OUTPUT, 12, 0}, {OUTPUT, 12, 0}}, top_by_keys},
    {"lower bounds", {{KEYS, 4, 0}, {KEYS, 4, 0}, {OUTPUT, 4, 0}}, bounds},
    {"lower bounds of few", {{FEW, 4, 0}, {FEW, 4, 0}, {OUTPUT, 4, 0}}, bounds},
    {"upper bounds in place", {{KEYS, 8, 0}, {KEYS, 8, 0}}, bounds_in_place},
    {"upper bounds of halves", {{KEYS, 2, 0}, {KEYS, 2, 0}, {OUTPUT, 4, 0}}, bounds_of_halves},
    {"compaction by flags in place", {{KEYS, 4, 0}, {FEW, 1, 0}}, compact_flags},
    {"compaction of records", {{KEYS, 12, 0}, {FEW, 1, 0}, {OUTPUT, 12, 0}}, compact_records},
    {"compaction by another array in place", {{KEYS, 4, 0}, {FEW, 2, 0}}, compact_by},
    {"flags in place", {{FEW, 1, 0}}, flags_if},
    {"count of runs", {{FEW, 4, 0}}, count_runs},
    {"compaction by value", {{FEW, 4, 0}, {OUTPUT, 4, 0}}, compact_if},
    {"indices", {{FEW, 1, 0}, {OUTPUT, 4, 0}}, indices},
    {"elements with indices", {{FEW, 4, 0}, {OUTPUT, 4, 0}, {OUTPUT, 8, 0}}, compact_with_indices},
    {"partition", {{FEW, 4, 0}, {OUTPUT, 4, 0}}, partition},
    {"unique in place", {{FEW, 4, 0}}, unique},
    {"run lengths", {{FEW, 4, 0}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, run_lengths},
    {"unique pairs, keys in place", {{FEW, 4, 0}, {KEYS, 8, 0}, {OUTPUT, 8, 0}}, unique_pairs},
    {"dense to CSR", {{FEW, 4, 0}, {OUTPUT, 4, 4}, {OUTPUT, 4, 0}, {OUTPUT, 4, 0}}, csr},
    {"bin", {{FEW, 4, 0}, {KEYS, 4, 0}, {OUTPUT, 0, 404}, {OUTPUT, 4, 0}}, bin_few},
    {"bin of records",
     {{FEW, 4, 0}, {KEYS, 12, 0}, {OUTPUT, 0, 404}, {OUTPUT, 12, 0}},
     bin_records},
    {"bin, many bins",
     {{BINS, 4, 0}, {UNUSED, 0, 0}, {OUTPUT, 0, 4 * WIDE_BINS + 4}, {OUTPUT, 8, 0}},
     bin_wide},
    {"histogram of bytes", {{KEYS, 1, 0}, {OUTPUT, 0, 2048}}, histogram_bytes},
    {"histogram of words", {{BINS, 4, 0}, {OUTPUT, 0, 4 * WIDE_BINS}}, histogram_words},
    {"histogram of doubles", {{KEYS, 8, 0}, {OUTPUT, 0, 4000}}, histogram_doubles},
    {"histogram of halves", {{KEYS, 2, 0}, {OUTPUT, 0, 4000}}, histogram_halves},
    {"histogram of scaled words", {{KEYS, 4, 0}, {OUTPUT, 0, 4000}}, histogram_scaled},
    {"histogram of wide words", {{KEYS, 8, 0}, {OUTPUT, 0, 4000}}, histogram_exact},
    {"histogram of floats", {{KEYS, 4, 0}, {OUTPUT, 0, 4000}}, histogram_floats},
    {"gather", {{BINS, 4, 0}, {KEYS, 0, 4 * WIDE_BINS}, {OUTPUT, 4, 0}}, gather},
    {"gather over its indices", {{BINS, 4, 0}, {KEYS, 0, 4 * WIDE_BINS}}, gather_over_indices},
    {"gather of records",
     {{BINS, 4, 0}, {KEYS, 0, 12 * WIDE_BINS}, {OUTPUT, 12, 0}},
     gather_records},
    {"scatter", {{BINS, 4, 0}, {KEYS, 4, 0}, {OUTPUT, 0, 4 * WIDE_BINS}}, scatter_words},
    {"scatter of records",
     {{BINS, 4, 0}, {KEYS, 12, 0}, {OUTPUT, 0, 12 * WIDE_BINS}},
     scatter_records},
    {"allocation in place", {{SIZES, 4, 0}}, allocation},
    {"expansion",
     {{SIZES, 1, 0}, {OUTPUT, MOST_BYTES / 2, 0}, {OUTPUT, MOST_BYTES / 2, 0}},
     expand},
    {"run lengths decoded", {{SIZES, 1, 0}, {KEYS, 1, 0}, {OUTPUT, MOST_BYTES / 2, 0}}, decode},
    {"run lengths of records decoded",
     {{SIZES, 1, 0}, {KEYS, 3, 0}, {OUTPUT, 3 * MOST_BYTES / 2, 0}},
     decode_records},
    {"pack",
     {{SIZES, 1, 0}, {KEYS, MOST_BYTES / 4, 0}, {MULTIPLES, 1, 0}, {OUTPUT, MOST_BYTES / 4, 0}},
     pack},
    {"scan in place", {{KEYS, 4, 0}}, scan_in_place},
    {"scan by an operator in place", {{KEYS, 8, 0}}, custom_in_place},
    {"reduction by an operator, by offsets",
     {{KEYS, 8, 0}, {OFFSETS, 1, 4}, {OUTPUT, 2, 0}},
     custom_by_offsets},
    {"reduction by an operator, by flags",
     {{KEYS, 8, 0}, {FEW, 1, 0}, {OUTPUT, 8, 0}},
     custom_by_flags},
    {"sort by an order", {{KEYS, 8, 0}, {OUTPUT, 8, 0}}, sort_by},
    {"sort by an order in place", {{KEYS, 8, 0}}, sort_by_in_place},
    {"runs by an equality", {{KEYS, 8, 0}, {OUTPUT, 8, 0}}, unique_by},
    {"compaction by a predicate in place", {{KEYS, 8, 0}}, compact_custom},
    {"partition by a predicate", {{KEYS, 8, 0}, {OUTPUT, 8, 0}}, partition_custom},
    {"difference in place", {{KEYS, 4, 0}}, difference_in_place},
    {"recurrence", {{KEYS, 8, 0}, {KEYS, 8, 0}}, recurrence},
};

const size_t changing_call_count = sizeof changing_calls / sizeof *changing_calls;
