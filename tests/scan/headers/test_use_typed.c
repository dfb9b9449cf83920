/*
 * Every macro of parscan/typed.h, in a program that is C11 and C++11: the results are those of the call
 * with the types and sizes written by hand.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/typed.h"

enum { N = 6 };

typedef struct record {
    char bytes[7];
} record;

static parscan_context *context;
static parscan_comm *comm;
static int failures;

static void judge(const char *what, parscan_status status, bool right)
{
    if (status == PARSCAN_OK && right)
        return;
    printf("%s: %s, %s\n", what, parscan_context_error(context), parscan_comm_error(comm));
    failures++;
}

/* The call comes first, then what it should have done. */
#define EXPECT(what, call, right)           \
    do {                                    \
        const parscan_status done = (call); \
        judge(what, done, right);           \
    } while (0)

#define SAME(a, b) (memcmp(a, b, sizeof b) == 0)

static const int in[N] = {3, 1, 1, 0, 4, 4};
static const int sums[N] = {3, 4, 5, 5, 9, 13}, sums_before[N] = {0, 3, 4, 5, 5, 9};
static const int sorted[N] = {0, 1, 1, 3, 4, 4}, unique[5] = {3, 1, 0, 4},
                 kept[5] = {3, 1, 1, 4, 4};
static const uint8_t flags[N] = {1, 0, 0, 1, 0, 0};
static const int sums_in_segments[N] = {3, 4, 5, 0, 4, 8},
                 sums_before_in_segments[N] = {0, 3, 4, 0, 0, 4};
static const int of_segments[2] = {5, 8};
static int out[N];
static uint64_t count, offset, total;

static void scans(void)
{
    long long wide[N], all = 0;
    const long long wide_sums[N] = {3, 4, 5, 5, 9, 13};
    parscan_scan_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.op = PARSCAN_MAX;
    options.out_type = PARSCAN_F64; /* not read */
    EXPECT("inclusive", parscan_typed_inclusive_scan(context, in, out, N, NULL), SAME(out, sums));
    EXPECT("widening", parscan_typed_inclusive_scan(context, in, wide, N, NULL),
           SAME(wide, wide_sums));
    EXPECT("exclusive", parscan_typed_exclusive_scan(context, in, out, N, NULL),
           SAME(out, sums_before));
    EXPECT("reduce", parscan_typed_reduce(context, in, &all, N, NULL), all == 13);
    EXPECT("maximum", parscan_typed_reduce(context, in, out, N, &options), out[0] == 4);
    EXPECT("difference", parscan_typed_difference(context, sums, out, N, NULL), SAME(out, in));
    options.struct_size = sizeof options + 8;
    if (parscan_typed_reduce(context, in, out, N, &options) != PARSCAN_ERROR_INVALID_ARGUMENT)
        EXPECT("newer options", PARSCAN_ERROR_INTERNAL, false);
}

static void segments(void)
{
    const uint32_t offsets[3] = {0, 3, N};
    const char keys[N] = {1, 1, 1, 0, 0, 0};
    const parscan_segments by_flags = parscan_typed_flags(flags);
    const parscan_segments by_offsets = parscan_typed_offsets(offsets, 2);
    const parscan_segments by_keys = parscan_typed_keys(keys);
    const parscan_segments by_rows = parscan_typed_rows(3);
    char keys_out[2];
    const char distinct[2] = {1, 0};
    const int backwards[N] = {1, 1, 3, 0, 4, 4};
    const bool values[N] = {true, false, true, false, true, false};
    const bool moved[N] = {false, true, true, false, true, false};
    bool with[N];
    EXPECT("by flags", parscan_typed_segmented_inclusive_scan(context, in, out, N, &by_flags, NULL),
           SAME(out, sums_in_segments));
    EXPECT("by offsets",
           parscan_typed_segmented_exclusive_scan(context, in, out, N, &by_offsets, NULL),
           SAME(out, sums_before_in_segments));
    EXPECT("by keys", parscan_typed_segmented_reduce(context, in, out, N, &by_keys, &count, NULL),
           SAME(out, of_segments) && count == 2);
    EXPECT("by key", parscan_typed_reduce_by_key(context, keys, keys_out, in, out, N, &count, NULL),
           SAME(out, of_segments) && SAME(keys_out, distinct) && count == 2);
    EXPECT("no keys", parscan_typed_reduce_by_key(context, keys, NULL, in, out, N, &count, NULL),
           SAME(out, of_segments) && count == 2);
    EXPECT("by rows", parscan_typed_segmented_inclusive_scan(context, in, out, N, &by_rows, NULL),
           SAME(out, sums_in_segments));
    EXPECT("sort of segments", parscan_typed_sort_segments(context, in, out, N, &by_flags, NULL),
           SAME(out, backwards));
    EXPECT("pairs in segments",
           parscan_typed_sort_segments_pairs(context, in, out, values, with, N, &by_flags, NULL),
           SAME(out, backwards) && SAME(with, moved));
}

static void recurrences(void)
{
    const double a[2] = {2, 3}, b[2] = {1, 1}, x0 = 1, from_x0[2] = {3, 10}, from_0[2] = {1, 4};
    double x[2];
    parscan_recurrence_options one;
    memset(&one, 0, sizeof one);
    one.struct_size = sizeof one;
    one.constant_a = 1;
    EXPECT("recurrence", parscan_typed_recurrence(context, a, b, &x0, x, 2), SAME(x, from_x0));
    EXPECT("recurrence", parscan_typed_recurrence(context, a, b, NULL, x, 2), SAME(x, from_0));
    EXPECT("recurrence with one a", parscan_typed_recurrence_with(context, a, b, &x0, x, 2, &one),
           x[0] == 3 && x[1] == 7);
}

static void sorts(void)
{
    const record values[N] = {{"zero"}, {"one"}, {"two"}, {"three"}, {"four"}, {"five"}};
    const record moved[N] = {{"three"}, {"one"}, {"two"}, {"zero"}, {"four"}, {"five"}};
    const unsigned order[N] = {3, 1, 2, 0, 4, 5};
    record with[N];
    unsigned indices[N];
    unsigned long wide[N];
    EXPECT("keys", parscan_typed_sort_keys(context, in, out, N, NULL), SAME(out, sorted));
    EXPECT("pairs", parscan_typed_sort_pairs(context, in, out, values, with, N, NULL),
           SAME(out, sorted) && SAME(with, moved));
    EXPECT("argsort", parscan_typed_argsort(context, in, indices, N, NULL), SAME(indices, order));
    EXPECT("argsort", parscan_typed_argsort(context, in, wide, N, NULL), wide[0] == 3);
    parscan_column column;
    memset(&column, 0, sizeof column);
    column.struct_size = sizeof column;
    column.type = PARSCAN_TYPE_OF(in);
    column.data = in;
    EXPECT("columns", parscan_typed_sort_columns(context, &column, 1, indices, N),
           SAME(indices, order));
    EXPECT("columns, no options",
           parscan_typed_sort_columns_with(context, &column, 1, indices, N, NULL),
           SAME(indices, order));
}

static void selections(void)
{
    int value, values[3];
    unsigned index, indices[3];
    const int three[3] = {4, 4, 3};
    const unsigned of_three[3] = {4, 5, 0};
    EXPECT("maximum and its index",
           parscan_typed_arg_reduce(context, in, N, PARSCAN_MAX, &value, &index, NULL),
           value == 4 && index == 4);
    EXPECT("three largest", parscan_typed_top_k(context, in, N, 3, values, indices, NULL),
           SAME(values, three) && SAME(indices, of_three));
    EXPECT("two largest", parscan_typed_top_k(context, in, N, 2, values, NULL, NULL),
           values[0] == 4);
    EXPECT("of the largest", parscan_typed_top_k(context, in, N, 1, NULL, indices, NULL),
           indices[0] == 4);
    EXPECT("the index of the minimum",
           parscan_typed_arg_reduce(context, in, N, PARSCAN_MIN, NULL, &index, NULL), index == 3);
    EXPECT("the minimum", parscan_typed_arg_reduce(context, in, N, PARSCAN_MIN, &value, NULL, NULL),
           value == 0);
}

static void merges(void)
{
    const short a[3] = {1, 3, 3}, b[2] = {2, 3}, both[5] = {1, 2, 3, 3, 3};
    const char of_a[3] = {'a', 'b', 'c'}, of_b[2] = {'d', 'e'};
    short keys[5];
    char moved[6] = "";
    EXPECT("merge", parscan_typed_merge(context, a, 3, b, 2, keys), SAME(keys, both));
    EXPECT("merge", parscan_typed_merge_pairs(context, a, 3, b, 2, keys, of_a, of_b, moved),
           SAME(keys, both) && strcmp(moved, "adbce") == 0);
    const short either[4] = {1, 2, 3, 3}, apart[3] = {1, 2, 3};
    EXPECT("union", parscan_typed_set_union(context, a, 3, b, 2, keys, 5, &count),
           count == 4 && memcmp(keys, either, sizeof either) == 0);
    EXPECT("intersection", parscan_typed_set_intersection(context, a, 3, b, 2, keys, 5, &count),
           count == 1 && keys[0] == 3);
    EXPECT("difference", parscan_typed_set_difference(context, a, 3, b, 2, NULL, 0, &count),
           count == 2);
    EXPECT("symmetric difference",
           parscan_typed_set_symmetric_difference(context, a, 3, b, 2, keys, 5, &count),
           count == 3 && memcmp(keys, apart, sizeof apart) == 0);
    unsigned left[3], right[3];
    EXPECT("join",
           parscan_typed_join(context, PARSCAN_JOIN_LEFT, a, 3, b, 2, left, right, 3, &total),
           total == 3 && left[2] == 2 && right[0] == 2 && right[1] == 1);
    EXPECT("join",
           parscan_typed_join(context, PARSCAN_JOIN_SEMI, a, 3, b, 2, left, NULL, 3, &total),
           total == 2 && left[0] == 1);
    EXPECT("join",
           parscan_typed_join(context, PARSCAN_JOIN_INNER, a, 3, b, 2, NULL, right, 3, &total),
           total == 2 && right[1] == 1);
}

static void searches(void)
{
    const int values[2] = {2, -1};
    const unsigned lower[2] = {3, 0};
    unsigned bounds[2];
    unsigned long wide[2];
    EXPECT("lower bounds", parscan_typed_lower_bound(context, sorted, N, values, 2, bounds),
           SAME(bounds, lower));
    EXPECT("upper bounds", parscan_typed_upper_bound(context, sorted, N, values, 2, wide),
           wide[0] == 3 && wide[1] == 0);
}

static void compactions(void)
{
    const record values[N] = {{"zero"}, {"one"}, {"two"}, {"three"}, {"four"}, {"five"}};
    const unsigned lengths[4] = {1, 2, 1, 2}, entries[3] = {0, 3, 5}, columns[5] = {0, 1, 2, 1, 2};
    const int parts[N] = {3, 1, 1, 4, 4, 0};
    record with[N];
    unsigned numbers[N], rows[3];
    unsigned long long runs[N];
    unsigned char marks[N];
    EXPECT("compact", parscan_typed_compact(context, values, flags, with, N, &count),
           count == 2 && strcmp(with[1].bytes, "three") == 0);
    EXPECT("compact_if", parscan_typed_compact_if(context, in, NULL, out, N, &count),
           count == 5 && memcmp(out, kept, 5 * sizeof *kept) == 0);
    EXPECT("compact_by", parscan_typed_compact_by(context, values, in, NULL, with, N, &count),
           count == 5 && strcmp(with[4].bytes, "five") == 0);
    EXPECT("flags_if", parscan_typed_flags_if(context, in, NULL, marks, N),
           marks[2] == 1 && marks[3] == 0);
    EXPECT("indices", parscan_typed_compact_indices(context, in, NULL, numbers, N, &count),
           count == 5 && numbers[4] == 5);
    EXPECT("elements with indices",
           parscan_typed_compact_with_indices(context, in, NULL, out, numbers, N, &count),
           count == 5 && numbers[4] == 5 && memcmp(out, kept, 5 * sizeof *kept) == 0);
    EXPECT("partition", parscan_typed_partition(context, in, NULL, out, N, &count),
           SAME(out, parts));
    EXPECT("unique", parscan_typed_unique(context, in, out, N, &count),
           count == 4 && memcmp(out, unique, 4 * sizeof *unique) == 0);
    EXPECT("pairs", parscan_typed_unique_pairs(context, in, out, values, with, N, &count),
           count == 4 && memcmp(out, unique, 4 * sizeof *unique) == 0 &&
               strcmp(with[2].bytes, "three") == 0);
    EXPECT("runs", parscan_typed_run_length_encode(context, in, out, numbers, N, &count),
           count == 4 && memcmp(out, unique, 4 * sizeof *unique) == 0 && SAME(numbers, lengths));
    EXPECT("lengths", parscan_typed_run_length_encode(context, in, NULL, runs, N, &count),
           runs[1] == 2);
    EXPECT("values", parscan_typed_run_length_encode(context, in, out, NULL, N, &count),
           count == 4 && out[3] == 4);
    EXPECT("CSR", parscan_typed_dense_to_csr(context, in, 2, 3, rows, numbers, out, &count),
           SAME(rows, entries) && SAME(numbers, columns) && out[3] == 4);
    EXPECT("rows", parscan_typed_dense_to_csr(context, in, 2, 3, rows, NULL, NULL, &count),
           count == 5 && rows[1] == 3);
    EXPECT("elements", parscan_typed_compact_with_indices(context, in, NULL, out, NULL, N, &count),
           out[4] == 4);
    EXPECT("count", parscan_typed_compact(context, values, flags, NULL, N, &count), count == 2);
    EXPECT("count", parscan_typed_compact_by(context, values, in, NULL, NULL, N, &count),
           count == 5);
    EXPECT("count", parscan_typed_unique(context, in, NULL, N, &count), count == 4);
    EXPECT("count", parscan_typed_unique_pairs(context, in, NULL, values, NULL, N, &count),
           count == 4);
    EXPECT("count", parscan_typed_compact_if(context, in, NULL, NULL, N, &count), count == 5);
    EXPECT("count", parscan_typed_partition(context, in, NULL, NULL, N, &count), count == 5);
    EXPECT("count", parscan_typed_compact_indices(context, in, NULL, NULL, N, &count), count == 5);
}

static void counts(void)
{
    const unsigned char bin_of[N] = {1, 0, 1, 0, 0, 1};
    const int by_bin[N] = {1, 0, 4, 3, 1, 4};
    const unsigned long long entries[N] = {1, 3, 4, 0, 2, 5};
    unsigned histogram[5], begins[3];
    unsigned long long index[N];
    EXPECT("histogram", parscan_typed_histogram(context, in, N, 5, histogram, NULL),
           histogram[1] == 2 && histogram[4] == 2);
    EXPECT("bin", parscan_typed_bin(context, bin_of, in, N, 2, begins, out),
           begins[1] == 3 && SAME(out, by_bin));
    EXPECT("bin_indices", parscan_typed_bin_indices(context, bin_of, N, 2, begins, index),
           SAME(index, entries));
    begins[1] = 0;
    EXPECT("bin_offsets", parscan_typed_bin_offsets(context, bin_of, N, 2, begins), begins[1] == 3);
}

static void moves(void)
{
    const record values[N] = {{"zero"}, {"one"}, {"two"}, {"three"}, {"four"}, {"five"}};
    const int signed_order[3] = {4, 0, 4};
    const unsigned long long wide_order[3] = {2, 0, 1};
    record moved[3], back[N];
    EXPECT("gather", parscan_typed_gather(context, values, N, signed_order, moved, 3),
           strcmp(moved[0].bytes, "four") == 0 && strcmp(moved[1].bytes, "zero") == 0);
    EXPECT("scatter", parscan_typed_scatter(context, moved, 3, wide_order, back, N, NULL),
           strcmp(back[0].bytes, "zero") == 0 && strcmp(back[2].bytes, "four") == 0);
}

static void allocations(void)
{
    const unsigned short sizes[3] = {2, 0, 1};
    const unsigned char from[3] = {'a', 'b', 'c'};
    const unsigned from_at[3] = {0, 0, 2}, to_at[3] = {1, 0, 0};
    unsigned long offsets[3];
    unsigned owner[3], rank[3];
    char to[4] = "";
    unsigned char letters[4] = "";
    EXPECT("allocate", parscan_typed_allocate(context, sizes, 3, offsets, &total, NULL),
           offsets[2] == 2 && total == 3);
    EXPECT("total", parscan_typed_allocate(context, sizes, 3, NULL, &total, NULL), total == 3);
    EXPECT("expand", parscan_typed_expand(context, sizes, 3, owner, rank, 3, &total),
           owner[2] == 2 && rank[1] == 1);
    EXPECT("owner", parscan_typed_expand(context, sizes, 3, owner, NULL, 3, &total), total == 3);
    EXPECT("rank", parscan_typed_expand(context, sizes, 3, NULL, rank, 3, &total), total == 3);
    EXPECT("decode", parscan_typed_run_length_decode(context, from, sizes, 3, letters, 3, &total),
           total == 3 && memcmp(letters, "aac", 4) == 0);
    EXPECT("pack", parscan_typed_pack(context, from, from_at, sizes, to, to_at, 3),
           strcmp(to, "cab") == 0);
}

static void pieces(void)
{
    const parscan_segments by_flags = parscan_typed_flags(flags);
    int all;
    EXPECT("inclusive", parscan_typed_dist_inclusive_scan(comm, in, out, N, NULL), SAME(out, sums));
    EXPECT("exclusive", parscan_typed_dist_exclusive_scan(comm, in, out, N, NULL),
           SAME(out, sums_before));
    EXPECT("reduce", parscan_typed_dist_reduce(comm, in, &all, N, NULL), all == 13);
    EXPECT("segments",
           parscan_typed_dist_segmented_inclusive_scan(comm, in, out, N, &by_flags, NULL),
           SAME(out, sums_in_segments));
    EXPECT("segments",
           parscan_typed_dist_segmented_exclusive_scan(comm, in, out, N, &by_flags, NULL),
           SAME(out, sums_before_in_segments));
    EXPECT("segments",
           parscan_typed_dist_segmented_reduce(comm, in, out, N, &by_flags, &count, &offset, &total,
                                               NULL),
           SAME(out, of_segments) && total == 2);
    EXPECT("compact_if",
           parscan_typed_dist_compact_if(comm, in, NULL, out, N, &count, &offset, &total),
           total == 5 && memcmp(out, kept, 5 * sizeof *kept) == 0);
    EXPECT("unique", parscan_typed_dist_unique(comm, in, out, N, &count, &offset, &total),
           total == 4 && memcmp(out, unique, 4 * sizeof *unique) == 0);
    EXPECT("rebalance", parscan_typed_dist_rebalance(comm, in, N, out, N), SAME(out, in));
}

static void sorts_of_pieces(void)
{
    const unsigned char bin_of[N] = {1, 0, 1, 0, 0, 1};
    uint64_t indices[N];
    unsigned numbers[N], begins[3];
    int with[N];
    EXPECT("histogram", parscan_typed_dist_histogram(comm, in, N, 5, numbers, NULL),
           numbers[4] == 2);
    EXPECT("keys", parscan_typed_dist_sort_keys(comm, in, N, out, N, NULL), SAME(out, sorted));
    EXPECT("pairs", parscan_typed_dist_sort_pairs(comm, in, out, sums, with, N, N, NULL),
           SAME(out, sorted) && with[0] == 5);
    EXPECT("argsort", parscan_typed_dist_argsort(comm, in, N, indices, N, NULL), indices[0] == 3);
    EXPECT("runs",
           parscan_typed_dist_run_length_encode(comm, in, out, numbers, N, &count, &offset, &total),
           total == 4 && numbers[3] == 2);
    EXPECT("allocate", parscan_typed_dist_allocate(comm, numbers, 4, indices, &total, NULL),
           total == 6 && indices[3] == 4);
    EXPECT("bin", parscan_typed_dist_bin(comm, bin_of, in, N, 2, begins, out, N, &count),
           begins[1] == 3 && out[2] == 4);
    EXPECT("bin", parscan_typed_dist_bin_indices(comm, bin_of, N, 2, begins, numbers, N, &count),
           numbers[2] == 4);
}

/* Every integer type of C has a type, with and without const. */
#define HAS_TYPE(c_type, type)                                                      \
    do {                                                                            \
        c_type one = 0;                                                             \
        const c_type *const same = &one;                                            \
        (void)same;                                                                 \
        EXPECT(#c_type, PARSCAN_OK,                                                 \
               PARSCAN_TYPE_OF(&one) == (type) && PARSCAN_TYPE_OF(same) == (type)); \
        EXPECT(#c_type, PARSCAN_OK, parscan_type_size(type) == sizeof one);         \
    } while (0)

static void types(void)
{
    const parscan_f16 half = {0x3c00};
    const parscan_bf16 brain = {0x3f80};
    EXPECT("halves", PARSCAN_OK,
           PARSCAN_TYPE_OF(&half) == PARSCAN_F16 && PARSCAN_TYPE_OF(&brain) == PARSCAN_BF16);
    EXPECT("bits of halves", PARSCAN_OK, half.bits == 0x3c00 && brain.bits == 0x3f80);
    HAS_TYPE(bool, PARSCAN_U8);
    HAS_TYPE(char, (char)-1 < 0 ? PARSCAN_I8 : PARSCAN_U8);
    HAS_TYPE(signed char, PARSCAN_I8);
    HAS_TYPE(unsigned char, PARSCAN_U8);
    HAS_TYPE(short, PARSCAN_I16);
    HAS_TYPE(unsigned short, PARSCAN_U16);
    HAS_TYPE(int, PARSCAN_I32);
    HAS_TYPE(unsigned, PARSCAN_U32);
    HAS_TYPE(long, sizeof(long) == 8 ? PARSCAN_I64 : PARSCAN_I32);
    HAS_TYPE(unsigned long, sizeof(long) == 8 ? PARSCAN_U64 : PARSCAN_U32);
    HAS_TYPE(long long, PARSCAN_I64);
    HAS_TYPE(unsigned long long, PARSCAN_U64);
    HAS_TYPE(int64_t, PARSCAN_I64);
    HAS_TYPE(size_t, sizeof(size_t) == 8 ? PARSCAN_U64 : PARSCAN_U32);
    HAS_TYPE(float, PARSCAN_F32);
    HAS_TYPE(double, PARSCAN_F64);
}

int main(void)
{
    parscan_comm_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.size = 1;
    if (parscan_context_create(&context, NULL) != PARSCAN_OK ||
        parscan_comm_create(&comm, context, &options) != PARSCAN_OK)
        return EXIT_FAILURE;
    scans();
    segments();
    recurrences();
    sorts();
    selections();
    merges();
    searches();
    compactions();
    counts();
    moves();
    allocations();
    pieces();
    sorts_of_pieces();
    types();
    parscan_comm_destroy(comm);
    parscan_context_destroy(context);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
