#include "tests/cuda/lengths_on_device.h"

#include <stdlib.h>

#include "parscan/parscan.h"
#include "tests/support/random.h"

typedef const length_arrays *arrays;

#define CALL(name) static parscan_status name(parscan_context *context, arrays a, size_t n)

/* ---- scans and reductions ---- */

CALL(scan)
{
    return parscan_inclusive_scan(context, PARSCAN_U32, a->values, a->out[0], n, NULL);
}

CALL(scan_reverse)
{
    return parscan_exclusive_scan(context, PARSCAN_U32, a->values, a->out[0], n,
                                  &PARSCAN_SCAN_OPTIONS(.reverse = 1));
}

CALL(scan_wide)
{
    return parscan_inclusive_scan(context, PARSCAN_U8, a->flags, a->out[0], n,
                                  &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64));
}

CALL(scan_max)
{
    return parscan_inclusive_scan(context, PARSCAN_F32, a->floats, a->out[0], n,
                                  &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX));
}

CALL(scan_blocks)
{
    return parscan_inclusive_scan(context, PARSCAN_U32, a->values, a->out[0], n,
                                  &PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE));
}

CALL(scan_tiles)
{
    return parscan_exclusive_scan(
        context, PARSCAN_U8, a->flags, a->out[0], n,
        &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64, .algorithm = PARSCAN_THREE_PHASE,
                              .block_threads = 48, .items_per_thread = 3, .reverse = 1));
}

CALL(scan_sequentially)
{
    return parscan_inclusive_scan(context, PARSCAN_F16, a->halves, a->out[0], n,
                                  &PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_SEQUENTIAL));
}

CALL(scan_tree)
{
    return parscan_inclusive_scan(context, PARSCAN_F32, a->floats, a->out[0], n,
                                  &PARSCAN_SCAN_OPTIONS(.reproducible = 1));
}

CALL(scan_tree_halves)
{
    const uint16_t init = 0x3c01;
    return parscan_exclusive_scan(
        context, PARSCAN_BF16, a->halves, a->out[0], n,
        &PARSCAN_SCAN_OPTIONS(.reproducible = 1, .reverse = 1, .init = &init));
}

CALL(difference)
{
    return parscan_difference(context, PARSCAN_U32, a->values, a->out[0], n,
                              &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_XOR));
}

CALL(difference_of_halves)
{
    return parscan_difference(context, PARSCAN_F16, a->halves, a->out[0], n,
                              &PARSCAN_SCAN_OPTIONS(.reverse = 1));
}

CALL(reduce_tree)
{
    const double init = 0.1;
    return parscan_reduce(
        context, PARSCAN_F32, a->floats, a->out[0], n,
        &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_F64, .reproducible = 1, .init = &init));
}

CALL(reduce)
{
    return parscan_reduce(context, PARSCAN_U32, a->values, a->out[0], n, NULL);
}

CALL(reduce_halves)
{
    return parscan_reduce(context, PARSCAN_F16, a->halves, a->out[0], n,
                          &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
}

/* ---- sorts ---- */

CALL(sort)
{
    return parscan_sort_keys(context, PARSCAN_U32, a->values, a->out[0], n, NULL);
}

CALL(sort_floats)
{
    return parscan_sort_keys(context, PARSCAN_F32, a->floats, a->out[0], n,
                             &PARSCAN_SORT_OPTIONS(.descending = 1));
}

CALL(sort_halves)
{
    return parscan_sort_keys(context, PARSCAN_F16, a->halves, a->out[0], n, NULL);
}

CALL(sort_bytes)
{
    return parscan_sort_keys(context, PARSCAN_U8, a->flags, a->out[0], n, NULL);
}

CALL(sort_pairs)
{
    return parscan_sort_pairs(context, PARSCAN_U32, a->values, a->out[0], 4, a->keys, a->out[1], n,
                              NULL);
}

CALL(argsort)
{
    return parscan_argsort(context, PARSCAN_U32, a->keys, PARSCAN_U32, a->out[0], n, NULL);
}

CALL(sort_columns)
{
    const parscan_column by[] = {PARSCAN_COLUMN(.type = PARSCAN_U8, .data = a->flags),
                                 PARSCAN_COLUMN(.type = PARSCAN_U32, .data = a->keys),
                                 PARSCAN_COLUMN(.type = PARSCAN_F16, .data = a->halves),
                                 PARSCAN_COLUMN(.type = PARSCAN_U32, .data = a->values)};
    return parscan_sort_columns(context, by, 4, PARSCAN_U32, a->out[0], n);
}

/* Rows that are equal, and few that are not. */
CALL(sort_groups)
{
    const parscan_column by[] = {PARSCAN_COLUMN(.type = PARSCAN_U8, .data = a->flags),
                                 PARSCAN_COLUMN(.type = PARSCAN_F16, .data = a->halves)};
    return parscan_sort_columns_with(
        context, by, 2, PARSCAN_U32, a->out[0], n,
        &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = (uint8_t *)a->out[1], .value_size = 4,
                                      .values_in = a->values, .values_out = a->out[2]));
}

/* ---- compaction ---- */

CALL(compact)
{
    return parscan_compact(context, 4, a->values, a->flags, a->out[0], n, a->count);
}

CALL(compact_if)
{
    const uint32_t bound = LENGTH_BINS / 2;
    const parscan_predicate below = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &bound);
    return parscan_compact_if(context, PARSCAN_U32, a->keys, &below, a->out[0], n, a->count);
}

CALL(flags_if)
{
    const uint32_t bound = LENGTH_BINS / 2;
    const parscan_predicate below = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &bound);
    return parscan_flags_if(context, PARSCAN_U32, a->keys, &below, (uint8_t *)a->out[0], n);
}

CALL(compact_by)
{
    const uint32_t bound = LENGTH_BINS / 2;
    const parscan_predicate below = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &bound);
    return parscan_compact_by(context, 4, a->values, PARSCAN_U32, a->keys, &below, a->out[0], n,
                              a->count);
}

CALL(unique_pairs)
{
    return parscan_unique_pairs(context, PARSCAN_U8, a->flags, a->out[0], 4, a->values, a->out[1],
                                n, a->count);
}

CALL(partition)
{
    return parscan_partition(context, PARSCAN_U8, a->flags, NULL, a->out[0], n, a->count);
}

CALL(indices)
{
    return parscan_compact_indices(context, PARSCAN_U8, a->flags, NULL, PARSCAN_U64, a->out[0], n,
                                   a->count);
}

CALL(with_indices)
{
    const uint32_t bound = LENGTH_BINS / 2;
    return parscan_compact_with_indices(
        context, PARSCAN_U32, a->values,
        &PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &bound), a->out[0], PARSCAN_U32,
        a->out[1], n, a->count);
}

CALL(unique)
{
    return parscan_unique(context, PARSCAN_U8, a->flags, a->out[0], n, a->count);
}

CALL(run_lengths)
{
    return parscan_run_length_encode(context, PARSCAN_U8, a->flags, a->out[0], PARSCAN_U32,
                                     a->out[1], n, a->count);
}

CALL(csr)
{
    return parscan_dense_to_csr(context, PARSCAN_U8, a->flags, n, SEGMENT_MEAN, PARSCAN_U32,
                                a->out[0], a->out[1], a->out[2], a->count);
}

/* ---- counting ---- */

CALL(histogram)
{
    return parscan_histogram(context, PARSCAN_U32, a->keys, n, LENGTH_BINS, PARSCAN_U32, a->out[0],
                             NULL);
}

CALL(histogram_of_floats)
{
    const float lower = -1, upper = 1;
    return parscan_histogram(context, PARSCAN_F32, a->floats, n, LENGTH_BINS, PARSCAN_U64,
                             a->out[0],
                             &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper));
}

CALL(bin)
{
    return parscan_bin(context, PARSCAN_U32, a->keys, 4, a->values, n, LENGTH_BINS, PARSCAN_U32,
                       a->out[0], a->out[1]);
}

/* ---- segments ---- */

static parscan_segments by_offsets(arrays a, size_t n)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                            .data = a->offsets, .count = n / SEGMENT_MEAN + 1);
}

CALL(scan_by_offsets)
{
    const parscan_segments segments = by_offsets(a, n);
    return parscan_segmented_inclusive_scan(context, PARSCAN_U32, a->values, a->out[0], n,
                                            &segments, NULL);
}

CALL(reduce_by_offsets)
{
    const parscan_segments segments = by_offsets(a, n);
    return parscan_segmented_reduce(context, PARSCAN_U32, a->values, a->out[0], n, &segments, NULL,
                                    NULL);
}

CALL(sort_by_offsets)
{
    const parscan_segments segments = by_offsets(a, n);
    return parscan_sort_segments(context, PARSCAN_U32, a->values, a->out[0], 0, NULL, NULL, n,
                                 &segments, NULL);
}

CALL(scan_by_flags)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->flags);
    return parscan_segmented_inclusive_scan(context, PARSCAN_U32, a->values, a->out[0], n,
                                            &segments, NULL);
}

CALL(reduce_by_flags)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->flags);
    return parscan_segmented_reduce(context, PARSCAN_U32, a->values, a->out[0], n, &segments,
                                    a->count, NULL);
}

CALL(scan_by_keys)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U8, .data = a->flags);
    return parscan_segmented_exclusive_scan(context, PARSCAN_U32, a->values, a->out[0], n,
                                            &segments, NULL);
}

CALL(reduce_by_keys)
{
    return parscan_reduce_by_key(context, PARSCAN_U8, a->flags, a->out[0], PARSCAN_U32, a->values,
                                 a->out[1], n, a->count, NULL);
}

CALL(recurrence)
{
    return parscan_recurrence(context, PARSCAN_F32, a->floats, a->floats, NULL, a->out[0], n);
}

CALL(recurrence_of_one)
{
    const float half = 0.5f;
    return parscan_recurrence_with(context, PARSCAN_F32, &half, a->floats, NULL, a->out[0], n,
                                   &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1));
}

/* ---- choice ---- */

CALL(arg_reduce)
{
    return parscan_arg_reduce(context, PARSCAN_F32, a->floats, n, PARSCAN_MAX, a->out[0],
                              PARSCAN_U32, a->out[1], NULL);
}

CALL(arg_reduce_by_offsets)
{
    const parscan_segments segments = by_offsets(a, n);
    return parscan_arg_reduce(context, PARSCAN_U32, a->keys, n, PARSCAN_MIN, a->out[0], PARSCAN_U64,
                              a->out[1], &PARSCAN_ARG_REDUCE_OPTIONS(.segments = &segments));
}

CALL(arg_reduce_by_flags)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->flags);
    return parscan_arg_reduce(
        context, PARSCAN_F16, a->halves, n, PARSCAN_MAX, a->out[0], PARSCAN_U32, a->out[1],
        &PARSCAN_ARG_REDUCE_OPTIONS(.segments = &segments, .count = a->count));
}

static parscan_status top_k(parscan_context *context, arrays a, size_t n, size_t k)
{
    return parscan_top_k(context, PARSCAN_F32, a->floats, n, k < n ? k : n, a->out[0], PARSCAN_U32,
                         a->out[1], &PARSCAN_TOP_K_OPTIONS(.counts = a->count));
}

CALL(top_few)
{
    return top_k(context, a, n, 10);
}

CALL(top_many)
{
    return top_k(context, a, n, 2000);
}

CALL(top_half)
{
    return top_k(context, a, n, a->most / 2);
}

CALL(top_by_offsets)
{
    const parscan_segments segments = by_offsets(a, n);
    return parscan_top_k(context, PARSCAN_U32, a->keys, n, 2, a->out[0], PARSCAN_U32, a->out[1],
                         &PARSCAN_TOP_K_OPTIONS(.segments = &segments, .smallest = 1));
}

CALL(top_by_flags)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->flags);
    return parscan_top_k(context, PARSCAN_BF16, a->halves, n, 1, a->out[0], PARSCAN_U32, a->out[1],
                         &PARSCAN_TOP_K_OPTIONS(.segments = &segments, .count = a->count));
}

/* ---- allocation, moves ---- */

CALL(allocate)
{
    return parscan_allocate(context, PARSCAN_U32, a->sizes, n, PARSCAN_U32, a->out[0], a->count,
                            &PARSCAN_ALLOCATE_OPTIONS(.close = 1));
}

CALL(expand)
{
    return parscan_expand(context, PARSCAN_U32, a->sizes, n, PARSCAN_U32, a->out[0], a->out[1],
                          2 * a->most, a->count);
}

CALL(decode)
{
    return parscan_run_length_decode(context, 4, a->values, PARSCAN_U32, a->sizes, n, a->out[0],
                                     2 * a->most, a->count);
}

CALL(gather)
{
    return parscan_gather(context, 4, a->values, LENGTH_BINS, PARSCAN_U32, a->keys, a->out[0], n);
}

CALL(scatter)
{
    return parscan_scatter(context, 4, a->values, n, PARSCAN_U32, a->keys, a->out[0], LENGTH_BINS,
                           &PARSCAN_SCATTER_OPTIONS(.last_wins = 1));
}

/* ---- searches ---- */

CALL(bounds_among)
{
    const size_t needles = a->most < LENGTH_BINS ? a->most : LENGTH_BINS;
    return parscan_lower_bound(context, PARSCAN_U32, a->sorted, n, a->keys, needles, PARSCAN_U64,
                               a->out[0]);
}

CALL(bounds_of)
{
    return parscan_upper_bound(context, PARSCAN_U32, a->sorted, a->most, a->values, n, PARSCAN_I32,
                               a->out[0]);
}

CALL(bounds_in_order)
{
    return parscan_upper_bound(context, PARSCAN_U32, a->sorted, n, a->sorted, n, PARSCAN_U32,
                               a->out[0]);
}

/* ---- merges ---- */

CALL(merge)
{
    return parscan_merge(context, PARSCAN_U32, a->sorted, n, a->sorted, a->most / 2, a->out[0], 4,
                         a->values, a->keys, a->out[1]);
}

CALL(merge_one)
{
    return parscan_merge(context, PARSCAN_U32, a->sorted, 0, a->sorted, n, a->out[0], 0, NULL, NULL,
                         NULL);
}

CALL(merge_both)
{
    return parscan_merge(context, PARSCAN_U32, a->sorted, n, a->sorted, n, a->out[0], 0, NULL, NULL,
                         NULL);
}

CALL(set_union)
{
    return parscan_set_union(context, PARSCAN_U32, a->sorted, n, a->sorted, a->most / 2, a->out[0],
                             2 * a->most, a->count);
}

CALL(set_difference)
{
    return parscan_set_symmetric_difference(context, PARSCAN_U32, a->sorted, a->most, a->sorted, n,
                                            a->out[0], a->most, a->count);
}

CALL(set_intersection)
{
    return parscan_set_intersection(context, PARSCAN_U32, a->sorted, n, a->sorted, n, a->out[0],
                                    a->most, a->count);
}

/* Pairs of words are sorted numbers of 64 bits too. */
CALL(join_both)
{
    return parscan_join(context, PARSCAN_JOIN_INNER, PARSCAN_U64, a->sorted, n, a->sorted, n,
                        PARSCAN_U32, a->out[0], a->out[1], 2 * a->most, a->count);
}

CALL(join_of)
{
    return parscan_join(context, PARSCAN_JOIN_SEMI, PARSCAN_U32, a->sorted, n, a->sorted, a->most,
                        PARSCAN_I64, a->out[0], NULL, a->most, a->count);
}

CALL(join_with)
{
    const size_t left = a->most < LENGTH_BINS ? a->most : LENGTH_BINS;
    return parscan_join(context, PARSCAN_JOIN_LEFT, PARSCAN_U32, a->sorted, left, a->sorted, n,
                        PARSCAN_U32, NULL, a->out[0], 2 * a->most, a->count);
}

const length_call length_calls[] = {
    {"scan", 1, LENGTH_OF_N, scan},
    {"reverse scan", 1, LENGTH_OF_N, scan_reverse},
    {"widening scan", 1, LENGTH_OF_N, scan_wide},
    {"scan of maxima", 1, LENGTH_OF_N, scan_max},
    {"scan by kogge_stone", 1, LENGTH_OF_N, scan_blocks},
    {"scan by three_phase", 1, LENGTH_OF_N, scan_tiles},
    {"scan by one thread", 1, LENGTH_OF_N, scan_sequentially},
    {"reproducible scan", 1, LENGTH_OF_N, scan_tree},
    {"reproducible reverse scan of bf16", 1, LENGTH_OF_N, scan_tree_halves},
    {"reproducible reduction", 1, LENGTH_OF_N, reduce_tree},
    {"difference", 1, LENGTH_OF_N, difference},
    {"difference of f16 in reverse", 1, LENGTH_OF_N, difference_of_halves},
    {"reduction", 1, LENGTH_OF_N, reduce},
    {"reduction of f16", 1, LENGTH_OF_N, reduce_halves},
    {"sort", 1, LENGTH_OF_N, sort},
    {"sort of f32", 1, LENGTH_OF_N, sort_floats},
    {"sort of f16", 1, LENGTH_OF_N, sort_halves},
    {"sort of u8", 1, LENGTH_OF_N, sort_bytes},
    {"sort of pairs", 1, LENGTH_OF_N, sort_pairs},
    {"argsort", 1, LENGTH_OF_N, argsort},
    {"sort of columns", 1, LENGTH_OF_N, sort_columns},
    {"sort of columns with heads and values", 1, LENGTH_OF_N, sort_groups},
    {"compaction", 1, LENGTH_OF_N, compact},
    {"compaction by a predicate", 1, LENGTH_OF_N, compact_if},
    {"compaction by another array", 1, LENGTH_OF_N, compact_by},
    {"flags", 1, LENGTH_OF_N, flags_if},
    {"partition", 1, LENGTH_OF_N, partition},
    {"indices", 1, LENGTH_OF_N, indices},
    {"elements with indices", 1, LENGTH_OF_N, with_indices},
    {"unique", 1, LENGTH_OF_N, unique},
    {"unique pairs", 1, LENGTH_OF_N, unique_pairs},
    {"run lengths", 1, LENGTH_OF_N, run_lengths},
    {"dense to csr", SEGMENT_MEAN, LENGTH_OF_N, csr},
    {"histogram", 1, LENGTH_OF_N, histogram},
    {"histogram of f32", 1, LENGTH_OF_N, histogram_of_floats},
    {"bin", 1, LENGTH_OF_N, bin},
    {"segmented scan by offsets", 1, LENGTH_OF_SEGMENTS, scan_by_offsets},
    {"segmented reduction by offsets", 1, LENGTH_OF_SEGMENTS, reduce_by_offsets},
    {"sort of segments by offsets", 1, LENGTH_OF_SEGMENTS, sort_by_offsets},
    {"segmented scan by flags", 1, LENGTH_OF_N, scan_by_flags},
    {"segmented reduction by flags", 1, LENGTH_OF_N, reduce_by_flags},
    {"segmented scan by keys", 1, LENGTH_OF_N, scan_by_keys},
    {"reduction by key", 1, LENGTH_OF_N, reduce_by_keys},
    {"recurrence", 1, LENGTH_OF_N, recurrence},
    {"recurrence of one a", 1, LENGTH_OF_N, recurrence_of_one},
    {"extreme", 1, LENGTH_OF_N, arg_reduce},
    {"extremes by offsets", 1, LENGTH_OF_SEGMENTS, arg_reduce_by_offsets},
    {"extremes by flags", 1, LENGTH_OF_N, arg_reduce_by_flags},
    {"top 10", 1, LENGTH_OF_N, top_few},
    {"top 2000", 1, LENGTH_OF_N, top_many},
    {"top half", 1, LENGTH_OF_N, top_half},
    {"top 2 by offsets", 1, LENGTH_OF_SEGMENTS, top_by_offsets},
    {"top 1 by flags", 1, LENGTH_OF_N, top_by_flags},
    {"allocation", 1, LENGTH_OF_N, allocate},
    {"expansion", 1, LENGTH_OF_N, expand},
    {"run lengths decoded", 1, LENGTH_OF_N, decode},
    {"gather", 1, LENGTH_OF_N, gather},
    {"scatter", 1, LENGTH_OF_N, scatter},
    {"bounds among some keys", 1, LENGTH_OF_N, bounds_among},
    {"bounds of some needles", 1, LENGTH_OF_N2, bounds_of},
    {"bounds of needles in order", 1, LENGTH_OF_BOTH, bounds_in_order},
    {"merge of pairs", 1, LENGTH_OF_N, merge},
    {"merge with nothing", 1, LENGTH_OF_N2, merge_one},
    {"merge", 1, LENGTH_OF_BOTH, merge_both},
    {"union", 1, LENGTH_OF_N, set_union},
    {"symmetric difference", 1, LENGTH_OF_N2, set_difference},
    {"intersection", 1, LENGTH_OF_BOTH, set_intersection},
    {"inner join", 2, LENGTH_OF_BOTH, join_both},
    {"semi join", 1, LENGTH_OF_N, join_of},
    {"left join", 1, LENGTH_OF_N2, join_with},
};

const size_t length_call_count = sizeof length_calls / sizeof *length_calls;

/* ---- arrays ---- */

static void *random_words(size_t n, uint32_t below)
{
    uint32_t *const words = calloc(n + 1, sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)random_below(below);
    void *const device = device_copy_of(words, n * sizeof *words);
    free(words);
    return device;
}

/* Some of them several times. */
static void *sorted_words(size_t n)
{
    uint32_t *const words = calloc(n + 1, sizeof *words);
    for (size_t i = 1; i < n; i++)
        words[i] = words[i - 1] + (uint32_t)random_below(3);
    void *const device = device_copy_of(words, n * sizeof *words);
    free(words);
    return device;
}

static uint8_t *random_flags(size_t n)
{
    uint8_t *const flags = calloc(n + 1, 1);
    for (size_t i = 0; i < n; i++)
        flags[i] = random_below(3) == 0;
    void *const device = device_copy_of(flags, n);
    free(flags);
    return device;
}

/* Multiples of 1 / 256 between -1 and 1. */
static float *random_floats(size_t n)
{
    float *const floats = calloc(n + 1, sizeof *floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = (float)((int)random_below(513) - 256) / 256;
    void *const device = device_copy_of(floats, n * sizeof *floats);
    free(floats);
    return device;
}

length_arrays length_arrays_create(size_t most)
{
    length_arrays a = {
        .most = most,
        .keys = random_words(most, LENGTH_BINS),
        .values = random_words(most + LENGTH_BINS, UINT32_MAX), /* gather takes any of the first */
        .sizes = random_words(most, 3),
        .offsets = random_words(most / SEGMENT_MEAN + 2, 1),
        .sorted = sorted_words(most),
        .halves = random_words(most / 2 + 1, UINT32_MAX),
        .floats = random_floats(most),
        .flags = random_flags(most),
        .count = device_room(sizeof(uint64_t)),
    };
    for (size_t k = 0; k < LENGTH_OUTS; k++)
        a.out[k] = device_room(LENGTH_OUT_BYTES(most));
    return a;
}

void length_arrays_destroy(length_arrays *a)
{
    void *const all[] = {a->keys,  a->values, a->sizes,  a->offsets, a->halves, a->floats,
                         a->flags, a->count,  a->out[0], a->out[1],  a->out[2], a->sorted};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CUDA(cudaFree(all[k]));
}

void length_arrays_of(length_arrays *a, size_t n)
{
    const size_t count = n / SEGMENT_MEAN + 1;
    uint32_t *const offsets = calloc(count + 1, sizeof *offsets);
    for (size_t i = 0; i <= count; i++)
        offsets[i] = i == 0       ? 0
                     : i == count ? (uint32_t)n
                                  : (uint32_t)(i * SEGMENT_MEAN - random_below(SEGMENT_MEAN));
    device_write(a->offsets, offsets, (count + 1) * sizeof *offsets);
    CUDA(cudaDeviceSynchronize());
    free(offsets);
}
