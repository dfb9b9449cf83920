#include "tests/scan/cpu/array_calls.h"

#include "parscan/parscan.h"

#define SEGMENTS(call) ((call)->n / 10)
#define BINS 5000u

typedef array_call call;

/* ---- scans ---- */

static parscan_status scan_u32(call *c)
{
    return parscan_inclusive_scan(c->context, PARSCAN_U32, c->at[0], c->at[1], c->n, NULL);
}

static parscan_status scan_u8_to_u64(call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    return parscan_exclusive_scan(c->context, PARSCAN_U8, c->at[0], c->at[1], c->n, &options);
}

static parscan_status scan_blocks(call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG);
    return parscan_inclusive_scan(c->context, PARSCAN_U32, c->at[0], c->at[1], c->n, &options);
}

static parscan_status scan_sequential(call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_SEQUENTIAL);
    return parscan_inclusive_scan(c->context, PARSCAN_U32, c->at[0], c->at[1], c->n, &options);
}

static parscan_status scan_reproducible(call *c)
{
    const double start = 3;
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.reproducible = 1, .out_type = PARSCAN_F64, .init = &start);
    return parscan_inclusive_scan(c->context, PARSCAN_F32, c->at[0], c->at[1], c->n, &options);
}

static parscan_status reduce_f64(call *c)
{
    return parscan_reduce(c->context, PARSCAN_F64, c->at[0], c->at[1], c->n, NULL);
}

/* Rows of eight elements, and down their columns. */
static parscan_status along_columns(call *c, int reproducible, bool reduces)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 8);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.reproducible = reproducible, .shape = &shape);
    return (reduces ? parscan_reduce : parscan_inclusive_scan)(c->context, PARSCAN_F32, c->at[0],
                                                               c->at[1], c->n / 8, &options);
}

static parscan_status scan_of_columns(call *c)
{
    return along_columns(c, 0, false);
}

static parscan_status reproducible_scan_of_columns(call *c)
{
    return along_columns(c, 1, false);
}

static parscan_status reduce_columns(call *c)
{
    return along_columns(c, 0, true);
}

static parscan_status argsort_of_columns(call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 8);
    return parscan_argsort(c->context, PARSCAN_F64, c->at[0], PARSCAN_U32, c->at[1], c->n / 8,
                           &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

static parscan_status maxima_of_columns(call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 8);
    return parscan_arg_reduce(c->context, PARSCAN_F64, c->at[0], c->n / 8, PARSCAN_MAX, c->at[1],
                              PARSCAN_U32, c->at[2], &PARSCAN_ARG_REDUCE_OPTIONS(.shape = &shape));
}

static parscan_status top_of_columns(call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 8);
    const size_t n = c->n / 8;
    return parscan_top_k(c->context, PARSCAN_F64, c->at[0], n, n < 9 ? n : 9, c->at[1], PARSCAN_U64,
                         c->at[2], &PARSCAN_TOP_K_OPTIONS(.shape = &shape));
}

static parscan_status recurrence_of_columns(call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 8);
    return parscan_recurrence_with(c->context, PARSCAN_F64, c->at[0], c->at[1], NULL, c->at[2],
                                   c->n / 8, &PARSCAN_RECURRENCE_OPTIONS(.shape = &shape));
}

static parscan_status sort_pairs_of_columns(call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 2, .inner = 4);
    return parscan_sort_pairs(c->context, PARSCAN_U16, c->at[0], c->at[1], 6, c->at[2], c->at[3],
                              c->n / 8, &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

static parscan_status recurrence(call *c)
{
    const double x0 = 1;
    return parscan_recurrence(c->context, PARSCAN_F64, c->at[0], c->at[1], &x0, c->at[2], c->n);
}

static parscan_status difference(call *c)
{
    return parscan_difference(c->context, PARSCAN_U16, c->at[0], c->at[1], c->n, NULL);
}

static parscan_status difference_in_place(call *c)
{
    return parscan_difference(c->context, PARSCAN_F64, c->at[0], c->at[0], c->n, NULL);
}

static parscan_status recurrence_constant(call *c)
{
    const float a = 1;
    return parscan_recurrence_with(c->context, PARSCAN_F32, &a, c->at[0], NULL, c->at[1], c->n,
                                   &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1));
}

/* ---- segments ---- */

static parscan_segments segments_of(const call *c, parscan_segment_kind kind)
{
    return PARSCAN_SEGMENTS(.kind = kind,
                            .type = kind == PARSCAN_SEGMENTS_FLAGS ? PARSCAN_U8
                                    : kind == PARSCAN_SEGMENTS_OFFSETS && c->n > UINT32_MAX
                                        ? PARSCAN_U64
                                        : PARSCAN_U32,
                            .data = c->at[2],
                            .count = kind == PARSCAN_SEGMENTS_OFFSETS ? SEGMENTS(c)
                                     : kind == PARSCAN_SEGMENTS_ROWS  ? c->n
                                                                      : 0);
}

static parscan_status segmented_scan(call *c, parscan_segment_kind kind)
{
    const parscan_segments segments = segments_of(c, kind);
    return parscan_segmented_inclusive_scan(c->context, PARSCAN_F32, c->at[0], c->at[1], c->n,
                                            &segments, NULL);
}

static parscan_status segmented_reduce(call *c, parscan_segment_kind kind)
{
    const parscan_segments segments = segments_of(c, kind);
    return parscan_segmented_reduce(c->context, PARSCAN_U64, c->at[0], c->at[1], c->n, &segments,
                                    &c->count, NULL);
}

static parscan_status reduce_by_key(call *c)
{
    return parscan_reduce_by_key(c->context, PARSCAN_U64, c->at[0], c->at[1], PARSCAN_F16, c->at[2],
                                 c->at[3], c->n, &c->count, NULL);
}

PARSCAN_DEFINE_OPERATOR(exclusive_or, uint64_t, (), { return earlier ^ later; })

/* A call of a segmented scan or reduction by an operator of the caller's, or, with kind -1, a reproducible scan. */
static parscan_status by_operator(call *c, int kind, bool reduces)
{
    parscan_operator *op;
    const uint64_t none = 0;
    const parscan_operator_options given = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(exclusive_or, uint64_t), .identity = &none);
    parscan_status status = parscan_operator_create(&op, &given);
    if (status != PARSCAN_OK)
        return status;
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.custom = op, .reproducible = kind < 0);
    if (kind < 0) {
        status =
            parscan_inclusive_scan(c->context, PARSCAN_CUSTOM, c->at[0], c->at[1], c->n, &options);
    } else {
        const parscan_segments segments = segments_of(c, (parscan_segment_kind)kind);
        status = reduces ? parscan_segmented_reduce(c->context, PARSCAN_CUSTOM, c->at[0], c->at[1],
                                                    c->n, &segments, &c->count, &options)
                         : parscan_segmented_exclusive_scan(c->context, PARSCAN_CUSTOM, c->at[0],
                                                            c->at[1], c->n, &segments, &options);
    }
    parscan_operator_destroy(op);
    return status;
}

static parscan_status reproducible_by_operator(call *c)
{
    return by_operator(c, -1, false);
}

static parscan_status scan_by_operator(call *c, parscan_segment_kind kind)
{
    return by_operator(c, (int)kind, false);
}

static parscan_status reduce_by_operator(call *c, parscan_segment_kind kind)
{
    return by_operator(c, (int)kind, true);
}

static parscan_status sort_segments(call *c, parscan_segment_kind kind)
{
    const parscan_segments segments = segments_of(c, kind);
    return parscan_sort_segments(c->context, PARSCAN_U32, c->at[0], c->at[1], 4, c->at[3], c->at[4],
                                 c->n, &segments, NULL);
}

#define OF_SEGMENTS(function, name, KIND)               \
    static parscan_status function##_by_##name(call *c) \
    {                                                   \
        return function(c, PARSCAN_SEGMENTS_##KIND);    \
    }
OF_SEGMENTS(segmented_scan, flags, FLAGS)
OF_SEGMENTS(segmented_scan, offsets, OFFSETS)
OF_SEGMENTS(segmented_scan, keys, KEYS)
OF_SEGMENTS(segmented_scan, rows, ROWS)
OF_SEGMENTS(segmented_reduce, flags, FLAGS)
OF_SEGMENTS(segmented_reduce, offsets, OFFSETS)
OF_SEGMENTS(segmented_reduce, keys, KEYS)
OF_SEGMENTS(segmented_reduce, rows, ROWS)
OF_SEGMENTS(scan_by_operator, keys, KEYS)
OF_SEGMENTS(scan_by_operator, offsets, OFFSETS)
OF_SEGMENTS(scan_by_operator, rows, ROWS)
OF_SEGMENTS(reduce_by_operator, flags, FLAGS)
OF_SEGMENTS(reduce_by_operator, offsets, OFFSETS)
OF_SEGMENTS(sort_segments, flags, FLAGS)
OF_SEGMENTS(sort_segments, offsets, OFFSETS)
OF_SEGMENTS(sort_segments, keys, KEYS)
OF_SEGMENTS(sort_segments, rows, ROWS)

/* ---- sorts ---- */

static parscan_status sort_u8(call *c)
{
    return parscan_sort_keys(c->context, PARSCAN_U8, c->at[0], c->at[1], c->n, NULL);
}

static parscan_status sort_u64_in_place(call *c)
{
    return parscan_sort_keys(c->context, PARSCAN_U64, c->at[0], c->at[0], c->n, NULL);
}

static parscan_status sort_f16(call *c)
{
    return parscan_sort_keys(c->context, PARSCAN_F16, c->at[0], c->at[1], c->n, NULL);
}

static parscan_status sort_pairs(call *c)
{
    return parscan_sort_pairs(c->context, PARSCAN_U32, c->at[0], c->at[1], 8, c->at[2], c->at[3],
                              c->n, NULL);
}

static parscan_status sort_records(call *c)
{
    return parscan_sort_pairs(c->context, PARSCAN_F32, c->at[0], c->at[1], 24, c->at[2], c->at[2],
                              c->n, NULL);
}

static parscan_status argsort(call *c)
{
    return parscan_argsort(c->context, PARSCAN_F64, c->at[0], PARSCAN_U64, c->at[1], c->n, NULL);
}

static parscan_status sort_columns(call *c)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_U64, .data = c->at[0]),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 24, .data = c->at[1])};
    return parscan_sort_columns(c->context, by, 2, PARSCAN_U64, c->at[2], c->n);
}

static parscan_status sort_groups(call *c)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 4, .data = c->at[0]),
        PARSCAN_COLUMN(.type = PARSCAN_F32, .data = c->at[1])};
    return parscan_sort_columns_with(
        c->context, by, 2, PARSCAN_U64, c->at[2], c->n,
        &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = c->at[3], .value_size = 8, .values_in = c->at[4],
                                      .values_out = c->at[5]));
}

/* Together they have no more than 32 bits. */
static parscan_status sort_short_columns(call *c)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_F16, .data = c->at[0]),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 2, .data = c->at[1], .descending = 1)};
    return parscan_sort_columns(c->context, by, 2, PARSCAN_I64, c->at[2], c->n);
}

/* ---- merges ---- */

static parscan_status merge(call *c)
{
    return parscan_merge(c->context, PARSCAN_U32, c->at[0], c->n, c->at[1], c->n / 2, c->at[2], 12,
                         c->at[3], c->at[4], c->at[5]);
}

static parscan_status join(call *c)
{
    return parscan_join(c->context, PARSCAN_JOIN_INNER, PARSCAN_U32, c->at[0], c->n, c->at[1], c->n,
                        PARSCAN_U64, c->at[2], c->at[3], 2 * c->n, &c->count);
}

static parscan_status set_intersection(call *c)
{
    return parscan_set_intersection(c->context, PARSCAN_F32, c->at[0], c->n, c->at[1], 2 * c->n,
                                    c->at[2], 5 * c->n, &c->count);
}

/* ---- search ---- */

static parscan_status lower_bounds(call *c)
{
    return parscan_lower_bound(c->context, PARSCAN_U64, c->at[0], c->n, c->at[1], c->n, PARSCAN_U64,
                               c->at[2]);
}

static parscan_status upper_bounds_of_halves(call *c)
{
    return parscan_upper_bound(c->context, PARSCAN_BF16, c->at[0], c->n, c->at[1], c->n,
                               c->n > UINT32_MAX ? PARSCAN_U64 : PARSCAN_U32, c->at[2]);
}

/* ---- compaction ---- */

static parscan_status compact(call *c)
{
    return parscan_compact(c->context, 8, c->at[0], c->at[1], c->at[2], c->n, &c->count);
}

static parscan_status compact_records_in_place(call *c)
{
    return parscan_compact(c->context, 24, c->at[0], c->at[1], c->at[0], c->n, &c->count);
}

static parscan_status compact_if(call *c)
{
    const uint32_t value = 7;
    const parscan_predicate keep = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &value);
    return parscan_compact_if(c->context, PARSCAN_U32, c->at[0], &keep, c->at[1], c->n, &c->count);
}

static parscan_status compact_by(call *c)
{
    return parscan_compact_by(c->context, 24, c->at[0], PARSCAN_F32, c->at[1], NULL, c->at[2], c->n,
                              &c->count);
}

static parscan_status flags_if(call *c)
{
    return parscan_flags_if(c->context, PARSCAN_F64, c->at[0], NULL, c->at[1], c->n);
}

static parscan_status count_if(call *c)
{
    return parscan_compact_if(c->context, PARSCAN_U32, c->at[0], NULL, NULL, c->n, &c->count);
}

static parscan_status compact_indices(call *c)
{
    return parscan_compact_indices(c->context, PARSCAN_U8, c->at[0], NULL, PARSCAN_U64, c->at[1],
                                   c->n, &c->count);
}

static parscan_status compact_with_indices(call *c)
{
    return parscan_compact_with_indices(c->context, PARSCAN_F32, c->at[0], NULL, c->at[1],
                                        PARSCAN_I64, c->at[2], c->n, &c->count);
}

static parscan_status partition(call *c)
{
    return parscan_partition(c->context, PARSCAN_U16, c->at[0], NULL, c->at[1], c->n, &c->count);
}

static parscan_status unique(call *c)
{
    return parscan_unique(c->context, PARSCAN_F64, c->at[0], c->at[1], c->n, &c->count);
}

PARSCAN_DEFINE_RELATION(nearer, uint64_t, (), { return a < b; })

/* Sorts by an order of the caller's, or keeps the first of each run by it. */
static parscan_status by_relation(call *c, bool sorts, void *out)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_RELATION(nearer, uint64_t));
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status = sorts ? parscan_sort_by(c->context, op, c->at[0], out, c->n)
                       : parscan_unique_by(c->context, op, c->at[0], out, c->n, &c->count);
    parscan_operator_destroy(op);
    return status;
}

static parscan_status sort_by(call *c)
{
    return by_relation(c, true, c->at[1]);
}

static parscan_status sort_by_in_place(call *c)
{
    return by_relation(c, true, c->at[0]);
}

static parscan_status unique_by(call *c)
{
    return by_relation(c, false, c->at[1]);
}

static parscan_status run_lengths(call *c)
{
    return parscan_run_length_encode(c->context, PARSCAN_U32, c->at[0], c->at[1], PARSCAN_U64,
                                     c->at[2], c->n, &c->count);
}

static parscan_status unique_pairs(call *c)
{
    return parscan_unique_pairs(c->context, PARSCAN_U32, c->at[0], c->at[1], 24, c->at[2], c->at[3],
                                c->n, &c->count);
}

static parscan_status csr(call *c)
{
    return parscan_dense_to_csr(c->context, PARSCAN_F32, c->at[0], c->n, 1, PARSCAN_U64, c->at[1],
                                c->at[2], c->at[3], &c->count);
}

/* ---- histogram, bin ---- */

static parscan_status histogram(call *c)
{
    const float lower = 0, upper = 1;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(c->context, PARSCAN_F32, c->at[0], c->n, BINS, PARSCAN_U32, c->at[1],
                             &options);
}

static parscan_status histogram_of_bytes(call *c)
{
    return parscan_histogram(c->context, PARSCAN_U8, c->at[0], c->n, 256, PARSCAN_U64, c->at[1],
                             NULL);
}

static parscan_status bin(call *c)
{
    const size_t most = (size_t)1 << 30, bins = c->n / 2 < most ? c->n / 2 + 1 : most;
    return parscan_bin(c->context, PARSCAN_U32, c->at[0], 8, c->at[1], c->n, bins, PARSCAN_U64,
                       c->at[2], c->at[3]);
}

static parscan_status bin_records(call *c)
{
    return parscan_bin(c->context, PARSCAN_U16, c->at[0], 12, c->at[1], c->n, 300, PARSCAN_U64,
                       c->at[2], c->at[3]);
}

static parscan_status bin_offsets(call *c)
{
    return parscan_bin(c->context, PARSCAN_U32, c->at[0], 0, NULL, c->n, BINS, PARSCAN_U64,
                       c->at[1], NULL);
}

/* ---- choice ---- */

static parscan_status arg_reduce(call *c)
{
    return parscan_arg_reduce(c->context, PARSCAN_F32, c->at[0], c->n, PARSCAN_MIN, c->at[1],
                              PARSCAN_U64, c->at[2], NULL);
}

static parscan_status arg_reduce_segments(call *c, parscan_segment_kind kind)
{
    const parscan_segments segments = segments_of(c, kind);
    return parscan_arg_reduce(
        c->context, PARSCAN_U16, c->at[0], c->n, PARSCAN_MAX, c->at[1], PARSCAN_U64, c->at[3],
        &PARSCAN_ARG_REDUCE_OPTIONS(.segments = &segments, .count = &c->count));
}
OF_SEGMENTS(arg_reduce_segments, flags, FLAGS)
OF_SEGMENTS(arg_reduce_segments, offsets, OFFSETS)
OF_SEGMENTS(arg_reduce_segments, rows, ROWS)

static parscan_status top_k(call *c, size_t k)
{
    return parscan_top_k(c->context, PARSCAN_F32, c->at[0], c->n, k < c->n ? k : c->n, c->at[1],
                         PARSCAN_U64, c->at[2], NULL);
}

static parscan_status top_few(call *c)
{
    return top_k(c, 16);
}

static parscan_status top_many(call *c)
{
    return top_k(c, 5000);
}

static parscan_status top_half(call *c)
{
    return top_k(c, c->n / 2);
}

static parscan_status top_of_segments(call *c, parscan_segment_kind kind, size_t k)
{
    const parscan_segments segments = segments_of(c, kind);
    return parscan_top_k(c->context, PARSCAN_U16, c->at[0], c->n, k, c->at[1], PARSCAN_U64,
                         c->at[3],
                         &PARSCAN_TOP_K_OPTIONS(.segments = &segments, .count = &c->count));
}

static parscan_status top_2_of_segments(call *c, parscan_segment_kind kind)
{
    return top_of_segments(c, kind, 2);
}
OF_SEGMENTS(top_2_of_segments, flags, FLAGS)
OF_SEGMENTS(top_2_of_segments, offsets, OFFSETS)

static parscan_status top_of_rows(call *c)
{
    return top_of_segments(c, PARSCAN_SEGMENTS_ROWS, 2000);
}

/* ---- gather ---- */

static parscan_status gather(call *c)
{
    return parscan_gather(c->context, 12, c->at[0], c->n, PARSCAN_I64, c->at[1], c->at[2], c->n);
}

static parscan_status scatter(call *c)
{
    return parscan_scatter(c->context, 4, c->at[0], c->n, PARSCAN_U32, c->at[1], c->at[2], c->n,
                           NULL);
}

static parscan_status scatter_last(call *c)
{
    const parscan_scatter_options options = PARSCAN_SCATTER_OPTIONS(.last_wins = 1);
    return parscan_scatter(c->context, 24, c->at[0], c->n, PARSCAN_U64, c->at[1], c->at[2], c->n,
                           &options);
}

/* ---- allocation ---- */

static parscan_status allocate(call *c)
{
    const parscan_allocate_options options =
        PARSCAN_ALLOCATE_OPTIONS(.alignment = 16, .capacity = 1000000);
    return parscan_allocate(c->context, PARSCAN_U32, c->at[0], c->n, PARSCAN_U64, c->at[1],
                            &c->count, &options);
}

static parscan_status expand(call *c)
{
    return parscan_expand(c->context, PARSCAN_U32, c->at[0], c->n, PARSCAN_U64, c->at[1], c->at[2],
                          2 * c->n, &c->count);
}

static parscan_status decode(call *c)
{
    return parscan_run_length_decode(c->context, 4, c->at[0], PARSCAN_U32, c->at[1], c->n, c->at[2],
                                     2 * c->n, &c->count);
}

static parscan_status pack(call *c)
{
    return parscan_pack(c->context, c->at[0], PARSCAN_U64, c->at[1], PARSCAN_U32, c->at[2],
                        c->at[3], c->at[4], c->n);
}

/* ---- all ---- */

static const struct {
    const char *name;
    parscan_status (*run)(call *c);
    /* What is counted at most: n, the segments s, 1 row, the capacities c and 2n; 0: nothing. */
    char counts;
    bool of_cpu; /* the CUDA engine has it not yet */
} calls[] = {
    {"scan of u32", scan_u32, 0, false},
    {"scan of u8 to u64", scan_u8_to_u64, 0, false},
    {"scan, brent_kung", scan_blocks, 0, false},
    {"scan, sequential", scan_sequential, 0, false},
    {"reproducible scan of f32 to f64", scan_reproducible, 0, false},
    {"reduction of f64", reduce_f64, 0, false},
    {"scan of columns", scan_of_columns, 0, false},
    {"reproducible scan of columns", reproducible_scan_of_columns, 0, false},
    {"reduction of columns", reduce_columns, 0, false},
    {"argsort of the elements of columns", argsort_of_columns, 0, false},
    {"recurrences of columns", recurrence_of_columns, 0, false},
    {"maxima of columns", maxima_of_columns, 0, false},
    {"top of columns", top_of_columns, 0, false},
    {"sort of pairs of columns", sort_pairs_of_columns, 0, false},
    {"recurrence", recurrence, 0, false},
    {"recurrence with one a", recurrence_constant, 0, false},
    {"difference", difference, 0, false},
    {"difference in place", difference_in_place, 0, false},
    {"segmented scan by flags", segmented_scan_by_flags, 0, false},
    {"segmented scan by offsets", segmented_scan_by_offsets, 0, false},
    {"segmented scan by keys", segmented_scan_by_keys, 0, false},
    {"segmented scan by rows", segmented_scan_by_rows, 0, false},
    {"segmented reduction by rows", segmented_reduce_by_rows, '1', false},
    {"reproducible scan by an operator", reproducible_by_operator, 0, false},
    {"segmented scan by an operator, by keys", scan_by_operator_by_keys, 0, false},
    {"segmented scan by an operator, by offsets", scan_by_operator_by_offsets, 0, false},
    {"segmented scan by an operator, by rows", scan_by_operator_by_rows, 0, false},
    {"segmented reduction by an operator, by flags", reduce_by_operator_by_flags, 'n', false},
    {"segmented reduction by an operator, by offsets", reduce_by_operator_by_offsets, 's', false},
    {"sort of segments by rows", sort_segments_by_rows, 0, false},
    {"segmented reduction by flags", segmented_reduce_by_flags, 'n', false},
    {"segmented reduction by offsets", segmented_reduce_by_offsets, 's', false},
    {"segmented reduction by keys", segmented_reduce_by_keys, 'n', false},
    {"reduction by key", reduce_by_key, 'n', false},
    {"sort of segments by flags", sort_segments_by_flags, 0, false},
    {"sort of segments by offsets", sort_segments_by_offsets, 0, false},
    {"sort of segments by keys", sort_segments_by_keys, 0, false},
    {"sort of u8", sort_u8, 0, false},
    {"sort of u64 in place", sort_u64_in_place, 0, false},
    {"sort of f16", sort_f16, 0, false},
    {"sort of pairs", sort_pairs, 0, false},
    {"sort of records in place", sort_records, 0, false},
    {"argsort", argsort, 0, false},
    {"sort of columns", sort_columns, 0, false},
    {"sort of short columns", sort_short_columns, 0, false},
    {"sort of columns with heads and values", sort_groups, 0, false},
    {"merge", merge, 0, false},
    {"join", join, '2', false},
    {"intersection", set_intersection, 'n', false},
    {"lower bounds", lower_bounds, 0, false},
    {"upper bounds of bf16", upper_bounds_of_halves, 0, false},
    {"compaction", compact, 'n', false},
    {"compaction of records in place", compact_records_in_place, 'n', false},
    {"compaction by a predicate", compact_if, 'n', false},
    {"compaction by another array", compact_by, 'n', false},
    {"flags", flags_if, 0, false},
    {"count", count_if, 'n', false},
    {"indices of kept elements", compact_indices, 'n', false},
    {"kept elements with indices", compact_with_indices, 'n', false},
    {"partition", partition, 'n', false},
    {"unique", unique, 'n', false},
    {"runs by an equality", unique_by, 'n', false},
    {"sort by an order", sort_by, 0, false},
    {"sort by an order in place", sort_by_in_place, 0, false},
    {"run lengths", run_lengths, 'n', false},
    {"unique pairs", unique_pairs, 'n', false},
    {"dense to csr", csr, 'n', false},
    {"histogram", histogram, 0, false},
    {"histogram of bytes", histogram_of_bytes, 0, false},
    {"bin", bin, 0, false},
    {"bin of records", bin_records, 0, false},
    {"bin, offsets alone", bin_offsets, 0, false},
    {"extreme", arg_reduce, 0, false},
    {"extremes by flags", arg_reduce_segments_by_flags, 'n', false},
    {"extremes by offsets", arg_reduce_segments_by_offsets, 's', false},
    {"extremes by rows", arg_reduce_segments_by_rows, '1', false},
    {"top 16", top_few, 0, false},
    {"top 5000", top_many, 0, false},
    {"top half", top_half, 0, false},
    {"top 2 by flags", top_2_of_segments_by_flags, 'n', false},
    {"top 2 by offsets", top_2_of_segments_by_offsets, 's', false},
    {"top 2000 by rows", top_of_rows, '1', false},
    {"gather", gather, 0, false},
    {"scatter", scatter, 0, false},
    {"scatter, the last wins", scatter_last, 0, false},
    {"allocation", allocate, 'c', false},
    {"expansion", expand, '2', false},
    {"run lengths decoded", decode, '2', false},
    {"pack", pack, 0, false},
};

size_t array_call_count(void)
{
    return sizeof calls / sizeof *calls;
}

const char *array_call_name(size_t k)
{
    return calls[k].name;
}

uint64_t array_call_most(size_t k, size_t n)
{
    switch (calls[k].counts) {
    case 'n':
        return n;
    case '1':
        return n > 0;
    case 's':
        return n / 10;
    case 'c':
        return n == 0 ? 0 : 1000000;
    case '2':
        return 2 * n;
    default:
        return ARRAY_CALL_NONE;
    }
}

bool array_call_on_cuda(size_t k)
{
    return !calls[k].of_cpu;
}

parscan_status array_call_run(size_t k, array_call *c)
{
    c->count = ARRAY_CALL_NONE;
    return calls[k].run(c);
}
