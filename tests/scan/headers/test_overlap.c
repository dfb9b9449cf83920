/*
 * Every call with every pair of its arrays in one place, by an element before and after it, touching
 * and apart: an overlap that the headers do not allow is refused with a message that names both arrays, and
 * nothing is written; all else works.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/test_engine.h"

enum { N = 8, MOST = 6, SLOT = 512, ROOM = (MOST + 1) * SLOT };

/* How many elements an array has, of n of the call, and how many of them are read or written for
   certain: what is kept may be nothing, of runs and segments there is one at least. */
typedef enum length { ALL, ONE_MORE, ONE, KEPT, RUNS } length;

typedef struct array {
    const char *name;
    size_t size; /* of an element */
    length length;
    bool output;
    unsigned same;    /* bits: arrays that an output may be */
    unsigned ignored; /* bits: arrays of which no call knows whether both are empty */
    uint8_t fill;
} array;

typedef struct room {
    parscan_context *context;
    parscan_comm *comm;
    char bytes[ROOM];
    char before[ROOM];
} room;

typedef parscan_status call(const room *r, void *const *a, size_t n);

#define U8 PARSCAN_U8
#define U32 PARSCAN_U32
#define U64 PARSCAN_U64

static uint64_t count, offset, total;

#define CALL(name, ...)                                                 \
    static parscan_status name(const room *r, void *const *a, size_t n) \
    {                                                                   \
        parscan_context *const c = r->context;                          \
        parscan_comm *const comm = r->comm;                             \
        (void)c, (void)comm, (void)n;                                   \
        __VA_ARGS__                                                     \
    }
#define GIVEN(words, bytes, count)                          \
    {                                                       \
        .name = (words), .size = (bytes), .length = (count) \
    }
#define IN GIVEN("in", 4, ALL)

static parscan_segments offsets_of(uint32_t *offsets, size_t n)
{
    offsets[n] = (uint32_t)n; /* n - 1 empty segments and one of all */
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = U32, .data = offsets,
                            .count = n);
}
#define FLAGS &PARSCAN_SEGMENTS(.data = a[2])
#define KEYS &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = U32, .data = a[2])

CALL(inclusive, return parscan_inclusive_scan(c, U32, a[0], a[1], n, NULL);)
CALL(widening,
     return parscan_exclusive_scan(c, U32, a[0], a[1], n, &PARSCAN_SCAN_OPTIONS(.out_type = U64));)
CALL(reduce, return parscan_reduce(c, U32, a[0], a[1], n, NULL);)
CALL(difference, return parscan_difference(c, U32, a[0], a[1], n, NULL);)
CALL(segmented, return parscan_segmented_inclusive_scan(c, U32, a[0], a[1], n, FLAGS, NULL);)
CALL(segmented_keys, return parscan_segmented_exclusive_scan(c, U32, a[0], a[1], n, KEYS, NULL);)
CALL(segmented_offsets, const parscan_segments s = offsets_of(a[2], n);
     return parscan_segmented_inclusive_scan(c, U32, a[0], a[1], n, &s, NULL);)
CALL(reduced_flags, return parscan_segmented_reduce(c, U32, a[0], a[1], n, FLAGS, &count, NULL);)
CALL(reduced_offsets, const parscan_segments s = offsets_of(a[2], n);
     return parscan_segmented_reduce(c, U32, a[0], a[1], n, &s, &count, NULL);)
CALL(reduced_runs,
     return parscan_reduce_by_key(c, U32, a[0], a[1], U64, a[2], a[3], n, &count, NULL);)
CALL(recurrence, return parscan_recurrence(c, PARSCAN_F32, a[0], a[2], NULL, a[1], n);)
CALL(recurrence_with, const float one = 1;
     return parscan_recurrence_with(c, PARSCAN_F32, &one, a[0], NULL, a[1], n,
                                    &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1));)
CALL(keys, return parscan_sort_keys(c, U32, a[0], a[1], n, NULL);)
CALL(pairs, return parscan_sort_pairs(c, U32, a[0], a[1], 2, a[2], a[3], n, NULL);)
CALL(argsort, return parscan_argsort(c, U32, a[0], U64, a[1], n, NULL);)
#define ALONG &PARSCAN_SORT_OPTIONS(.shape = &PARSCAN_SHAPE(.outer = 1, .inner = 1))
CALL(pairs_along, return parscan_sort_pairs(c, U32, a[0], a[1], 2, a[2], a[3], n, ALONG);)
CALL(argsort_along, return parscan_argsort(c, U32, a[0], U64, a[1], n, ALONG);)
CALL(columns,
     const parscan_column by[] = {PARSCAN_COLUMN(.type = U32, .data = a[0]),
                                  PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 3, .data = a[1])};
     return parscan_sort_columns(c, by, 2, U64, a[2], n);)
CALL(groups, const parscan_column by = PARSCAN_COLUMN(.type = U32, .data = a[0]);
     return parscan_sort_columns_with(c, &by, 1, U64, a[1], n,
                                      &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = a[2],
                                                                    .value_size = 3,
                                                                    .values_in = a[3],
                                                                    .values_out = a[4]));)
CALL(sorted_segments,
     return parscan_sort_segments(c, U32, a[0], a[1], 2, a[3], a[4], n, FLAGS, NULL);)
CALL(merged, return parscan_merge(c, U32, a[0], n, a[1], n > 0, a[2], 2, a[3], a[4], a[5]);)
CALL(joined, return parscan_join(c, PARSCAN_JOIN_LEFT, U32, a[0], n, a[1], n > 0, U64, a[2], a[3],
                                 n, &total);)
CALL(as_sets, return parscan_set_intersection(c, U32, a[0], n, a[1], n > 0, a[2], n, &count);)
CALL(bounds, return parscan_lower_bound(c, U32, a[0], n, a[1], n, U32, a[2]);)
CALL(wide_bounds, return parscan_upper_bound(c, U32, a[0], n, a[1], n, U64, a[2]);)
CALL(compact, return parscan_compact(c, 3, a[0], a[2], a[1], n, &count);)
CALL(compact_if, return parscan_compact_if(c, U32, a[0], NULL, a[1], n, &count);)
CALL(compact_by, return parscan_compact_by(c, 3, a[0], U32, a[2], NULL, a[1], n, &count);)
CALL(flags_if, return parscan_flags_if(c, U32, a[0], NULL, a[1], n);)
CALL(byte_flags, return parscan_flags_if(c, U8, a[0], NULL, a[1], n);)
CALL(indices, return parscan_compact_indices(c, U32, a[0], NULL, U64, a[1], n, &count);)
CALL(with_indices,
     return parscan_compact_with_indices(c, U32, a[0], NULL, a[1], U64, a[2], n, &count);)
CALL(partition, return parscan_partition(c, U32, a[0], NULL, a[1], n, &count);)
CALL(unique, return parscan_unique(c, U32, a[0], a[1], n, &count);)
CALL(runs, return parscan_run_length_encode(c, U32, a[0], a[1], U64, a[2], n, &count);)
CALL(unique_pairs, return parscan_unique_pairs(c, U32, a[0], a[1], 2, a[2], a[3], n, &count);)
CALL(csr, return parscan_dense_to_csr(c, U32, a[0], n, 1, U32, a[1], a[2], a[3], &count);)
CALL(histogram, return parscan_histogram(c, U32, a[0], n, 1, U64, a[1], NULL);)
CALL(bin, return parscan_bin(c, U32, a[0], 2, a[2], n, n, U64, a[3], a[1]);)
CALL(allocate, return parscan_allocate(c, U32, a[0], n, U32, a[1], &total, NULL);)
CALL(closed_allocate, return parscan_allocate(c, U32, a[0], n, U32, a[1], &total,
                                              &PARSCAN_ALLOCATE_OPTIONS(.close = 1));)
CALL(expand, return parscan_expand(c, U32, a[0], n, U64, a[1], a[2], n, &total);)
CALL(gather, return parscan_gather(c, 4, a[0], n, U32, a[2], a[1], n);)
CALL(wide_gather, return parscan_gather(c, 8, a[0], n, U32, a[2], a[1], n);)
CALL(scatter, return parscan_scatter(c, 4, a[0], n, U32, a[2], a[1], n, NULL);)
CALL(decode, return parscan_run_length_decode(c, 4, a[0], U64, a[2], n, a[1], n, &total);)
CALL(copy, return parscan_copy(c, a[1], a[0], 4 * n);)
CALL(dist_scan, return parscan_dist_inclusive_scan(comm, U32, a[0], a[1], n, NULL);)
CALL(dist_segmented,
     return parscan_dist_segmented_inclusive_scan(comm, U32, a[0], a[1], n, FLAGS, NULL);)
CALL(dist_reduced, return parscan_dist_segmented_reduce(comm, U32, a[0], a[1], n, FLAGS, &count,
                                                        &offset, &total, NULL);)
CALL(dist_histogram, return parscan_dist_histogram(comm, U32, a[0], n, 1, U64, a[1], NULL);)
CALL(dist_keys, return parscan_dist_sort_keys(comm, U32, a[0], n, a[1], n, NULL);)
CALL(dist_pairs, return parscan_dist_sort_pairs(comm, U32, a[0], a[1], 2, a[2], a[3], n, n, NULL);)
CALL(dist_argsort, return parscan_dist_argsort(comm, U32, a[0], n, a[1], n, NULL);)
CALL(dist_compact,
     return parscan_dist_compact_if(comm, U32, a[0], NULL, a[1], n, &count, &offset, &total);)
CALL(dist_unique, return parscan_dist_unique(comm, U32, a[0], a[1], n, &count, &offset, &total);)
CALL(dist_runs, return parscan_dist_run_length_encode(comm, U32, a[0], a[1], U64, a[2], n, &count,
                                                      &offset, &total);)
CALL(dist_allocate, return parscan_dist_allocate(comm, U32, a[0], n, U32, a[1], &total, NULL);)
CALL(dist_bin, return parscan_dist_bin(comm, U32, a[0], 2, a[2], n, n, U64, a[3], a[1], n, &count);)
CALL(rebalance, return parscan_dist_rebalance(comm, 4, a[0], n, a[1], n);)

/* One chunk of an object that was just created; destroys the object. */
static parscan_status chunk(parscan_status created, parscan_chunked *chunked, void *const *a,
                            bool in2, bool out2, size_t n)
{
    const parscan_status status =
        created == PARSCAN_OK
            ? parscan_chunked_update(
                  chunked, &PARSCAN_CHUNK(.in = a[0], .in2 = in2 ? a[2] : NULL, .out = a[1],
                                          .out2 = out2 ? a[2] : NULL, .n = n, .written = &count))
            : created;
    parscan_chunked_destroy(chunked);
    return status;
}

/* The same with four arrays. */
static parscan_status chunk_of_four(parscan_status created, parscan_chunked *chunked,
                                    void *const *a, size_t n)
{
    const parscan_status status =
        created == PARSCAN_OK
            ? parscan_chunked_update(chunked,
                                     &PARSCAN_CHUNK(.in = a[0], .in2 = a[2], .out = a[1],
                                                    .out2 = a[3], .n = n, .written = &count))
            : created;
    parscan_chunked_destroy(chunked);
    return status;
}

CALL(chunked_by_key, parscan_chunked *chunked;
     const parscan_status created = parscan_chunked_create_reduce_by_key(&chunked, c, U64, U32,
                                                                         NULL);
     return chunk_of_four(created, chunked, a, n);)
CALL(chunked_pairs, parscan_chunked *chunked;
     const parscan_status created = parscan_chunked_create_unique_pairs(&chunked, c, U32, 2);
     return chunk_of_four(created, chunked, a, n);)

#define CHUNKED(name, create, in2, out2)                                 \
    CALL(name, parscan_chunked *chunked;                                 \
         const parscan_status created = parscan_chunked_create_##create; \
         return chunk(created, chunked, a, in2, out2, n);)

CHUNKED(chunked_scan, inclusive_scan(&chunked, c, U32, NULL), false, false)
CHUNKED(chunked_flags, segmented_inclusive_scan(&chunked, c, U32, PARSCAN_SEGMENTS_FLAGS, U8, NULL),
        true, false)
CHUNKED(chunked_recurrence, recurrence(&chunked, c, PARSCAN_F32, NULL), true, false)
CHUNKED(chunked_compact, compact(&chunked, c, 3), true, false)
CHUNKED(chunked_indices, compact_indices(&chunked, c, U32, NULL, U64), false, false)
CHUNKED(chunked_unique, unique(&chunked, c, U32), false, false)
CHUNKED(chunked_runs, run_length_encode(&chunked, c, U32, U64), false, true)
CHUNKED(chunked_difference, difference(&chunked, c, U32, NULL), false, false)
CHUNKED(chunked_flags_if, flags_if(&chunked, c, U32, NULL), false, false)
CHUNKED(chunked_allocate, allocate(&chunked, c, U32, U32, NULL), false, false)

/* Pulls n elements of none. */
CALL(pull, parscan_sorter *sorter; size_t got;
     parscan_status status = parscan_sorter_create(&sorter, c,
                                                   &PARSCAN_SORTER_OPTIONS(.key_type = U32,
                                                                           .value_size = 2));
     if (status == PARSCAN_OK) status = parscan_sorter_pull(sorter, a[0], a[1], n, &got);
     parscan_sorter_destroy(sorter); return status;)

/* In the order of a[]. */
#define OUT(words, bytes, count, may_be)                                                      \
    {                                                                                         \
        .name = (words), .size = (bytes), .length = (count), .output = true, .same = (may_be) \
    }
#define OUT_BESIDE(words, bytes, count, beside)                                                  \
    {                                                                                            \
        .name = (words), .size = (bytes), .length = (count), .output = true, .ignored = (beside) \
    }
#define DATA(count, bytes) GIVEN("segments->data", bytes, count)
#define BINS                                                     \
    {                                                            \
        .name = "bin_of", .size = 4, .length = ALL, .fill = 0xff \
    }
static const struct row {
    const char *name;
    call *call;
    array arrays[MOST];
} rows[] = {
    {"inclusive scan", inclusive, {IN, OUT("out", 4, ALL, 1)}},
    {"widening scan", widening, {IN, OUT("out", 8, ALL, 0)}},
    {"reduction", reduce, {IN, OUT("out", 4, ONE, 0)}},
    {"difference", difference, {IN, OUT("out", 4, ALL, 1)}},
    {"scan by flags", segmented, {IN, OUT("out", 4, ALL, 1), DATA(ALL, 1)}},
    {"scan by keys", segmented_keys, {IN, OUT("out", 4, ALL, 1), DATA(ALL, 4)}},
    {"scan by offsets", segmented_offsets, {IN, OUT("out", 4, ALL, 1), DATA(ONE_MORE, 4)}},
    {"reduction by flags", reduced_flags, {IN, OUT("out", 4, RUNS, 0), DATA(ALL, 1)}},
    {"reduction by offsets", reduced_offsets, {IN, OUT("out", 4, ALL, 0), DATA(ONE_MORE, 4)}},
    {"reduction by key",
     reduced_runs,
     {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, RUNS, 0), GIVEN("in", 8, ALL),
      OUT("out", 8, RUNS, 0)}},
    {"recurrence", recurrence, {GIVEN("a", 4, ALL), OUT("out", 4, ALL, 5), GIVEN("b", 4, ALL)}},
    {"recurrence with one a", recurrence_with, {GIVEN("b", 4, ALL), OUT("out", 4, ALL, 1)}},
    {"sort of keys", keys, {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, ALL, 1)}},
    {"sort of pairs",
     pairs,
     {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, ALL, 1), GIVEN("values_in", 2, ALL),
      OUT("values_out", 2, ALL, 4)}},
    {"argsort", argsort, {GIVEN("keys", 4, ALL), OUT("indices_out", 8, ALL, 0)}},
    {"sort of pairs along an axis",
     pairs_along,
     {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, ALL, 1), GIVEN("values_in", 2, ALL),
      OUT("values_out", 2, ALL, 4)}},
    {"argsort along an axis",
     argsort_along,
     {GIVEN("keys", 4, ALL), OUT("indices_out", 8, ALL, 0)}},
    {"sort of columns",
     columns,
     {GIVEN("columns[0].data", 4, ALL), GIVEN("columns[1].data", 3, ALL),
      OUT("indices_out", 8, ALL, 0)}},
    {"sort of columns with heads and values",
     groups,
     {GIVEN("columns[0].data", 4, ALL), OUT("indices_out", 8, ALL, 0),
      OUT("options->heads_out", 1, ALL, 0), GIVEN("options->values_in", 3, ALL),
      OUT("options->values_out", 3, ALL, 0)}},
    {"sort of segments",
     sorted_segments,
     {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, ALL, 1), DATA(ALL, 1),
      GIVEN("values_in", 2, ALL), OUT("values_out", 2, ALL, 8)}},
    {"merge",
     merged,
     {GIVEN("a_keys", 4, ALL), GIVEN("b_keys", 4, ONE), OUT("keys_out", 4, ONE_MORE, 0),
      GIVEN("a_values", 2, ALL), GIVEN("b_values", 2, ONE), OUT("values_out", 2, ONE_MORE, 0)}},
    {"join",
     joined,
     {GIVEN("left", 4, ALL), GIVEN("right", 4, ONE), OUT("left_out", 8, ALL, 0),
      OUT("right_out", 8, ALL, 0)}},
    {"intersection", as_sets, {GIVEN("a", 4, ALL), GIVEN("b", 4, ONE), OUT("out", 4, ALL, 0)}},
    {"bounds", bounds, {GIVEN("sorted", 4, ALL), GIVEN("values", 4, ALL), OUT("out", 4, ALL, 2)}},
    {"wide bounds",
     wide_bounds,
     {GIVEN("sorted", 4, ALL), GIVEN("values", 4, ALL), OUT("out", 8, ALL, 0)}},
    {"compaction", compact, {GIVEN("in", 3, ALL), OUT("out", 3, KEPT, 1), GIVEN("flags", 1, ALL)}},
    {"filter", compact_if, {IN, OUT("out", 4, KEPT, 1)}},
    {"compaction by another array",
     compact_by,
     {GIVEN("in", 3, ALL), OUT("out", 3, KEPT, 1), GIVEN("by", 4, ALL)}},
    {"flags", flags_if, {IN, OUT("flags_out", 1, ALL, 0)}},
    {"flags of bytes", byte_flags, {GIVEN("in", 1, ALL), OUT("flags_out", 1, ALL, 1)}},
    {"indices", indices, {IN, OUT("indices_out", 8, KEPT, 0)}},
    {"compaction with indices",
     with_indices,
     {IN,
      {.name = "out", .size = 4, .length = KEPT, .output = true, .same = 1, .ignored = 4},
      OUT_BESIDE("indices_out", 8, KEPT, 2)}},
    {"partition", partition, {IN, OUT("out", 4, ALL, 0)}},
    {"unique", unique, {IN, OUT("out", 4, RUNS, 1)}},
    {"run lengths", runs, {IN, OUT("values", 4, RUNS, 1), OUT("lengths", 8, RUNS, 0)}},
    {"unique pairs",
     unique_pairs,
     {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, RUNS, 1), GIVEN("values_in", 2, ALL),
      OUT("values_out", 2, RUNS, 4)}},
    {"CSR",
     csr,
     {GIVEN("dense", 4, ALL), OUT("row_offsets", 4, ONE_MORE, 0),
      OUT_BESIDE("column_indices", 4, KEPT, 8), OUT_BESIDE("values", 4, KEPT, 4)}},
    {"histogram", histogram, {IN, OUT("counts", 8, ONE, 0)}},
    {"bin",
     bin,
     {BINS, OUT("values_out", 2, KEPT, 0), GIVEN("values", 2, ALL),
      OUT("offsets", 8, ONE_MORE, 0)}},
    {"allocation", allocate, {GIVEN("sizes", 4, ALL), OUT("offsets", 4, ALL, 1)}},
    {"closed allocation",
     closed_allocate,
     {GIVEN("sizes", 4, ALL), OUT("offsets", 4, ONE_MORE, 1)}},
    {"expansion",
     expand,
     {GIVEN("sizes", 4, ALL), OUT("owner", 8, ALL, 0), OUT("rank", 8, ALL, 0)}},
    {"gather", gather, {IN, OUT("out", 4, ALL, 4), GIVEN("indices", 4, ALL)}},
    {"gather of 8 bytes",
     wide_gather,
     {GIVEN("in", 8, ALL), OUT("out", 8, ALL, 0), GIVEN("indices", 4, ALL)}},
    {"scatter", scatter, {IN, OUT("out", 4, ALL, 0), GIVEN("indices", 4, ALL)}},
    {"decoding",
     decode,
     {GIVEN("values", 4, ALL), OUT("out", 4, ALL, 0), GIVEN("lengths", 8, ALL)}},
    {"copy", copy, {GIVEN("from", 4, ALL), OUT("to", 4, ALL, 1)}},
    {"pull", pull, {OUT("keys", 4, ALL, 0), OUT("values", 2, ALL, 0)}},
    {"distributed scan", dist_scan, {IN, OUT("out", 4, ALL, 1)}},
    {"distributed scan by flags", dist_segmented, {IN, OUT("out", 4, ALL, 1), DATA(ALL, 1)}},
    {"distributed reduction by flags", dist_reduced, {IN, OUT("out", 4, KEPT, 0), DATA(ALL, 1)}},
    {"distributed histogram", dist_histogram, {IN, OUT("counts", 8, ONE, 0)}},
    {"distributed sort of keys", dist_keys, {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, ALL, 1)}},
    {"distributed sort of pairs",
     dist_pairs,
     {GIVEN("keys_in", 4, ALL), OUT("keys_out", 4, ALL, 1), GIVEN("values_in", 2, ALL),
      OUT("values_out", 2, ALL, 4)}},
    {"distributed argsort", dist_argsort, {GIVEN("keys", 4, ALL), OUT("indices_out", 8, ALL, 0)}},
    {"distributed filter", dist_compact, {IN, OUT("out", 4, KEPT, 1)}},
    {"distributed unique", dist_unique, {IN, OUT("out", 4, KEPT, 1)}},
    {"distributed run lengths",
     dist_runs,
     {IN, OUT_BESIDE("values", 4, KEPT, 4), OUT_BESIDE("lengths", 8, KEPT, 2)}},
    {"distributed allocation", dist_allocate, {GIVEN("sizes", 4, ALL), OUT("offsets", 4, ALL, 1)}},
    {"distributed bin",
     dist_bin,
     {BINS, OUT("values_out", 2, ALL, 0), GIVEN("values", 2, ALL), OUT("offsets", 8, ONE_MORE, 0)}},
    {"rebalance", rebalance, {IN, OUT("out", 4, ALL, 0)}},
    {"chunked scan", chunked_scan, {IN, OUT("out", 4, ALL, 1)}},
    {"chunked scan by flags", chunked_flags, {IN, OUT("out", 4, ALL, 1), GIVEN("in2", 1, ALL)}},
    {"chunked recurrence", chunked_recurrence, {IN, OUT("out", 4, ALL, 5), GIVEN("in2", 4, ALL)}},
    {"chunked compaction",
     chunked_compact,
     {GIVEN("in", 3, ALL), OUT("out", 3, KEPT, 1), GIVEN("in2", 1, ALL)}},
    {"chunked indices", chunked_indices, {IN, OUT("out", 8, KEPT, 0)}},
    {"chunked unique", chunked_unique, {IN, OUT("out", 4, KEPT, 1)}},
    {"chunked run lengths", chunked_runs, {IN, OUT("out", 4, ALL, 0), OUT("out2", 8, ALL, 0)}},
    {"chunked difference", chunked_difference, {IN, OUT("out", 4, ALL, 1)}},
    {"chunked flags", chunked_flags_if, {IN, OUT("out", 1, ALL, 0)}},
    {"chunked reduction by key",
     chunked_by_key,
     {IN, OUT("out", 4, ALL, 0), GIVEN("in2", 8, ALL), OUT("out2", 8, ALL, 0)}},
    {"chunked unique pairs",
     chunked_pairs,
     {IN, OUT("out", 4, KEPT, 1), GIVEN("in2", 2, ALL), OUT("out2", 2, KEPT, 4)}},
    {"chunked allocation", chunked_allocate, {GIVEN("in", 4, ALL), OUT("out", 4, ALL, 1)}},
};

/* Bytes of an array, all of it or what is certain. */
static size_t bytes_of(const array *x, size_t n, bool certain)
{
    const size_t whole = x->length == ONE_MORE ? n + 1 : x->length == ONE ? 1 : n;
    if (!certain || n == 0 || (x->length != KEPT && x->length != RUNS))
        return whole * x->size;
    return x->length == KEPT ? 1 : x->size;
}

static void run_row(room *r, const struct row *row, void *const *places, size_t n, bool refused,
                    const char *first, const char *second)
{
    memset(r->bytes, 0, ROOM);
    for (int k = 0; k < MOST; k++)
        if (row->arrays[k].name != NULL && row->arrays[k].fill != 0)
            memset(places[k], row->arrays[k].fill, bytes_of(&row->arrays[k], n, false));
    memcpy(r->before, r->bytes, ROOM);
    const parscan_status status = row->call(r, places, n);
    const bool dist = strstr(row->name, "distributed") != NULL || row->call == rebalance;
    const char *const error =
        dist ? parscan_comm_error(r->comm) : parscan_context_error(r->context);
    if (!dist && is_of_cpu_alone(r->context, status))
        return;
    cr_assert_eq(status, refused ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_OK,
                 "%s: %s at %td, %s at %td, n = %zu: %d, %s", row->name, first,
                 (char *)places[0] - r->bytes, second, (char *)places[1] - r->bytes, n, (int)status,
                 error);
    if (!refused)
        return;
    cr_assert(strstr(error, first) && strstr(error, second) &&
                  (strstr(error, " overlaps ") || strstr(error, " differ in size")),
              "%s: %s and %s: %s", row->name, first, second, error);
    for (int k = 0; k < MOST; k++) /* the test itself writes the last offset */
        if (row->arrays[k].name != NULL && row->arrays[k].length == ONE_MORE &&
            !row->arrays[k].output)
            return;
    cr_assert_eq(memcmp(r->bytes, r->before, ROOM), 0, "%s: %s and %s", row->name, first, second);
}

/* Output i at an array j, all others apart. */
static void shift_pair(room *r, const struct row *row, int i, int j)
{
    const array *const out = &row->arrays[i], *const other = &row->arrays[j];
    const ptrdiff_t out_all = (ptrdiff_t)bytes_of(out, N, false);
    const ptrdiff_t other_all = (ptrdiff_t)bytes_of(other, N, false);
    const ptrdiff_t out_size = (ptrdiff_t)out->size, other_size = (ptrdiff_t)other->size;
    const ptrdiff_t shifts[] = {-out_all,   out_size - out_all,     -out_size, 0,
                                other_size, other_all - other_size, other_all};
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
        void *places[MOST];
        for (int a = 0; a < MOST; a++)
            places[a] = r->bytes + a * SLOT + SLOT / 2;
        places[i] = (char *)places[j] + shifts[k];
        const ptrdiff_t out_least = (ptrdiff_t)bytes_of(out, N, true);
        const ptrdiff_t other_least = (ptrdiff_t)bytes_of(other, N, true);
        const bool overlap = shifts[k] < other_least && -shifts[k] < out_least;
        const bool allowed = shifts[k] == 0 && out->same >> j & 1;
        run_row(r, row, places, N, overlap && !allowed && !(out->ignored >> j & 1), out->name,
                other->name);
    }
}

static room *begin(void)
{
    static room r;
    r.context = test_context();
    cr_assert_eq(parscan_comm_create(&r.comm, r.context, &PARSCAN_COMM_OPTIONS(.size = 1)),
                 PARSCAN_OK);
    return &r;
}

static void end(room *r)
{
    parscan_comm_destroy(r->comm);
    parscan_context_destroy(r->context);
}

Test(overlap, what_the_headers_do_not_allow_is_refused_and_all_else_works)
{
    room *const r = begin();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int i = 0; i < MOST; i++)
            for (int j = 0; j < MOST; j++)
                if (i != j && rows[k].arrays[i].output && rows[k].arrays[j].name != NULL)
                    shift_pair(r, &rows[k], i, j);
    end(r);
}

Test(overlap, empty_arrays_overlap_nothing)
{
    room *const r = begin();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        void *places[MOST];
        for (int a = 0; a < MOST; a++)
            places[a] = r->bytes;
        run_row(r, &rows[k], places, 0, false, "", "");
    }
    end(r);
}
