/* Sorts of device memory: every kind, captured in graphs, wrong offsets that only the device sees.
   */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "scan/cuda/cuda_context.h"
#include "tests/cuda/sort_on_device.h"
#include "tests/support/test_engine.h"

TestSuite(sort, .timeout = 300);

/* Several turns of the ring of status words on a small device. */
#define N 100003u

Test(sort, of_device_memory_is_the_oracles)
{
    static const size_t value_sizes[] = {0, 4, 8, 12, 1};
    parscan_context *const context = context_on(NULL);
    for (size_t t = 0; t < TYPES; t++) {
        sort_case sort = {.type = all_types[t], .n = N / (1 + t % 3)};
        sort.options.descending = t % 2 == 0;
        sort.value_size = value_sizes[t % COUNT_OF(value_sizes)];
        expect_on_device(context, sort, KEYS_RANDOM);
        sort.keys_in_place = true;
        sort.values_in_place = t % 4 < 2;
        expect_on_device(context, sort, t % 2 == 0 ? KEYS_SPECIAL : KEYS_CLUSTERED);
        sort = (sort_case){.type = all_types[t], .n = N / 2, .index_type = PARSCAN_U32};
        expect_on_device(context, sort, KEYS_FEW);
    }
    parscan_context_destroy(context);
}

Test(sort, of_segments_on_the_device_is_the_oracles)
{
    parscan_context *const context = context_on(NULL);
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++) {
        cut_array cut = cut_create(20011, shape, all_segment_forms[shape % SEGMENT_FORMS]);
        sort_case sort = {.type = PARSCAN_I32, .n = cut.n, .cut = &cut};
        sort.value_size = shape % 2 == 0 ? 4 : 0;
        expect_on_device(context, sort, KEYS_RANDOM);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

/* Lengths around those up to which segments are compared, fit in a tile (of 8192 or 4096 places, less
   a window of 256 or more) or are listed for sorts of several tiles; the first of them is the
   turn's. */
static cut_array cut_at_edges(size_t n, unsigned turn, segment_form form)
{
    static const size_t lengths[] = {1,    33,   2047, 2048, 2049, 80,   3839, 3840, 3841,  4095,
                                     4096, 4097, 2,    6143, 6144, 6145, 256,  7167, 7168,  7169,
                                     7935, 7936, 7937, 31,   8191, 8192, 8193, 257,  40000, 1};
    enum { MOST_HEADS = 1000 };
    size_t heads[MOST_HEADS], count = 0, end = 0;
    for (; count < MOST_HEADS && end < n; count++) {
        end += lengths[(turn + count) % COUNT_OF(lengths)];
        heads[count] = end;
    }
    return cut_create_at(n, heads, count, form);
}

Test(sort, of_segments_of_lengths_at_every_edge_is_the_oracles)
{
    static const size_t lengths[] = {131072, 131073, 300007, 1200003}, sizes[] = {0, 4, 8, 12};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_SPECIAL, KEYS_FEW, KEYS_CLUSTERED};
    parscan_context *const context = context_on(NULL);
    for (unsigned turn = 0; turn < 4 * TYPES; turn++) {
        const segment_form form = all_segment_forms[turn % SEGMENT_FORMS];
        cut_array cut = cut_at_edges(lengths[turn % 4] / (turn < 30 ? 1 : 3), 3 * turn, form);
        sort_case sort = {.type = all_types[turn % TYPES], .n = cut.n, .cut = &cut};
        sort.options.descending = turn % 3 == 0;
        sort.value_size = sizes[turn / 3 % 4];
        sort.keys_in_place = turn % 2 == 0;
        sort.values_in_place = turn % 5 < 2 && sort.value_size != 0;
        expect_on_device(context, sort, patterns[turn / 2 % 4]);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

/* Lengths at which a block puts a short segment on another list, and empty segments. With `others`, now
   and then one is too long to be sorted as a short one, or there are more empty ones than a block looks
   at. The mean stays between 7.5 and 16, where blocks look for short segments. */
static cut_array cut_short(size_t n, unsigned turn, bool others, segment_form form)
{
    enum { EMPTY = 1200, PERIOD = 300 };
    static const size_t lengths[] = {1, 8, 9, 2, 16, 17, 3, 1, 32, 33, 0, 5, 1, 2, 64,
                                     1, 4, 0, 0, 65, 1,  3, 2, 1,  3,  1, 2, 1, 6, 1};
    size_t *const heads = malloc((n + 2 * EMPTY) * sizeof *heads);
    size_t count = 0, empty = 0;
    cr_assert_not_null(heads);
    for (size_t end = 0, k = turn; end < n; k++) {
        end += lengths[k % COUNT_OF(lengths)];
        if (others && k % PERIOD == PERIOD - 1)
            end += 128 + k / PERIOD % 200;
        heads[count++] = end;
        for (; others && n > 100000 && end > n / 2 && empty < EMPTY; empty++)
            heads[count++] = end;
    }
    cr_assert(2 * n >= 15 * count && n <= 16 * count, "the mean of %zu elements is %g", n,
              (double)n / (double)count);
    const cut_array cut = cut_create_at(n, heads, count, form);
    free(heads);
    return cut;
}

Test(sort, of_short_segments_is_the_oracles)
{
    static const size_t lengths[] = {2049, 9001, 16384, ((size_t)1 << 22) + 77};
    parscan_context *const context = context_on(NULL);
    for (unsigned turn = 0; turn < 4 * TYPES; turn++) {
        const parscan_type type = all_types[turn % TYPES];
        cut_array cut =
            cut_short(lengths[turn / TYPES], turn, turn % 3 == 2, all_segment_forms[2 + turn % 2]);
        sort_case sort = {.type = type, .n = cut.n, .cut = &cut};
        sort.options.descending = turn % 4 == 1;
        sort.keys_in_place = turn % 5 == 0;
        sort.in_offset = turn * (unsigned)parscan_type_size(type) % 16;
        sort.out_offset = sort.in_offset;
        expect_on_device(context, sort, turn % 2 == 0 ? KEYS_RANDOM : KEYS_FEW);
        cut_destroy(&cut);
    }
    /* Longer segments are sorted by later launches. */
    cut_array cut = cut_short(((size_t)1 << 24) + 5, 1, true, all_segment_forms[2]);
    expect_on_device(context, (sort_case){.type = PARSCAN_U16, .n = cut.n, .cut = &cut},
                     KEYS_RANDOM);
    cut_destroy(&cut);
    parscan_context_destroy(context);
}

/* Far more than there are elements, most of them in one place. */
Test(sort, of_a_million_empty_segments_is_the_oracles)
{
    enum { COUNT = 1 << 20, ELEMENTS = 70001 };
    uint32_t *const offsets = calloc(COUNT + 1, sizeof *offsets);
    cr_assert_not_null(offsets);
    cut_array cut = cut_create_at(ELEMENTS, (size_t[]){35000}, 1, all_segment_forms[0]);
    for (size_t k = COUNT / 4; k <= COUNT; k++)
        offsets[k] = k < COUNT / 2 ? 35000 : ELEMENTS;
    free((void *)cut.segments.data);
    cut.bytes = (COUNT + 1) * sizeof *offsets;
    cut.segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                                    .data = offsets, .count = COUNT);
    parscan_context *const context = context_on(NULL);
    expect_on_device(context, (sort_case){.type = PARSCAN_U32, .n = ELEMENTS, .cut = &cut},
                     KEYS_RANDOM);
    cut_destroy(&cut);
    parscan_context_destroy(context);
}

Test(sort, of_offsets_on_the_device_that_decrease_is_told_later)
{
    static const uint32_t keys[] = {4, 3, 2, 1, 0}, offsets[] = {0, 4, 2, 5};
    cut_array cut = {.n = 5, .count = 3, .bytes = sizeof offsets};
    cut.segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                                    .data = offsets, .count = 3);
    const sort_case sort = {.type = PARSCAN_U32, .n = 5, .cut = &cut};
    parscan_context *const context = context_on(NULL);
    const sort_on_device d = place_sort(&sort, keys, NULL);
    expect_ok(context, ask_sort(context, &sort, &d));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_ok(context, parscan_synchronize(context));
    release_sort(&d);
    parscan_context_destroy(context);
}

/* Of n keys with values of so many bytes, all on the device: told, and nothing beyond the arrays is
   touched. Blocks that sort overlapping segments race for the scratch, and read there what none of
   them has written. So one segment of all is sorted before, for initcheck, which is blind here. */
static void expect_told(const uint32_t *offsets, size_t count, size_t n, size_t value_size)
{
    enum { BEYOND = 4096 };
    uint32_t *const right = malloc((count + 1) * sizeof *right);
    cr_assert_not_null(right);
    for (size_t k = 0; k <= count; k++)
        right[k] = k == 0 ? 0 : (uint32_t)n;
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .count = count,
                         .data = device_copy_of(right, (count + 1) * sizeof *right));
    parscan_context *const context = context_on(NULL);
    const size_t bytes[] = {n * sizeof(uint32_t), n * value_size};
    char *const keys = device_room(2 * (bytes[0] + BEYOND)), *const keys_out = keys + bytes[0];
    char *const values = device_room(2 * (bytes[1] + BEYOND)), *const values_out =
                                                                   values + bytes[1];
    device_write(keys, offsets, (count < n ? count : n) * sizeof *offsets);
    for (unsigned turn = 0; turn < 2; turn++) {
        expect_ok(context,
                  parscan_sort_segments(context, PARSCAN_U32, keys, keys_out, value_size,
                                        value_size == 0 ? NULL : values,
                                        value_size == 0 ? NULL : values_out, n, &segments, NULL));
        cr_assert_eq(parscan_synchronize(context),
                     turn == 0 ? PARSCAN_OK : PARSCAN_ERROR_INVALID_ARGUMENT);
        device_write((void *)segments.data, offsets, (count + 1) * sizeof *offsets);
    }
    expect_ok(context, parscan_synchronize(context));
    const char *const ends[] = {keys_out + bytes[0], values_out + bytes[1]};
    for (size_t k = 0; k < COUNT_OF(ends); k++) {
        void *const beyond = host_copy_of(ends[k], BEYOND);
        cr_assert_eq(first_other_than(ROOM_BYTE, beyond, BEYOND), BEYOND);
        free(beyond);
    }
    CUDA(cudaFree(keys));
    CUDA(cudaFree(values));
    CUDA(cudaFree((void *)segments.data));
    parscan_context_destroy(context);
    free(right);
}

/* Segments that overlap, that leave elements out, more of them long than have room. */
static void expect_all_told(size_t value_size)
{
    enum { WINDOWS = 512, COUNT = 2 * WINDOWS + 1, ALL = WINDOWS * 256 + 256, ALONE = 100000 };
    uint32_t pairs[COUNT + 1] = {0}, back_and_forth[COUNT + 1];
    static const uint32_t gap[] = {5, ALL - 7};
    for (uint32_t w = 0; w < WINDOWS; w++) {
        pairs[2 * w] = 256 * w;
        pairs[2 * w + 1] = ALL;
    }
    pairs[COUNT] = ALL;
    for (uint32_t k = 0; k <= COUNT; k++)
        back_and_forth[k] = k % 2 == 1 ? ALONE : 200 * (k / 2 % 3);
    expect_told(pairs, COUNT, ALL, value_size);
    expect_told(pairs, COUNT, ALONE, value_size);
    expect_told(back_and_forth, COUNT, ALONE, value_size);
    expect_told(back_and_forth, COUNT, 2 * ALL, value_size);
    expect_told(gap, 1, ALL, value_size);
    expect_told(gap, 1, ALONE, value_size);
}

/* For compute-sanitizer too. */
Test(sanitized_sort, of_wrong_offsets_on_the_device_stays_within_the_arrays)
{
    expect_all_told(0);
    expect_all_told(4);
    expect_all_told(8);
}

/* They are moved by indices, and elements that no segment has are left without one: initcheck
   speaks of it. */
Test(sort, of_records_by_wrong_offsets_stays_within_the_arrays)
{
    expect_all_told(12);
}

/* Which digits are the same in all keys is the device's to find out: it differs from replay to
   replay. */
static void expect_replays(sort_case sort)
{
    static const key_pattern patterns[] = {KEYS_RANDOM,     KEYS_TOP_BYTE, KEYS_EQUAL,
                                           KEYS_LOWEST_BIT, KEYS_FEW,      KEYS_RANDOM};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    void *const values = sort.value_size == 0 ? NULL : sort_values(sort.value_size, sort.n);
    void *const first = patterned_keys(sort.type, KEYS_RANDOM, sort.n);
    const sort_on_device d = place_sort(&sort, first, values);
    expect_ok(context, ask_sort(context, &sort, &d));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    expect_ok(context, ask_sort(context, &sort, &d));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    for (size_t k = 0; k < COUNT_OF(patterns); k++) {
        void *const keys = patterned_keys(sort.type, patterns[k], sort.n);
        CUDA(cudaMemcpyAsync((void *)d.arrays.keys_in, keys, d.key_bytes, cudaMemcpyHostToDevice,
                             stream));
        if (sort.value_size != 0)
            CUDA(cudaMemcpyAsync((void *)d.arrays.values_in, values, d.value_bytes,
                                 cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(replayed, stream));
        expect_ok(context, parscan_synchronize(context));
        expect_answer(&sort, keys, values, &d);
        free(keys);
    }
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaGraphDestroy(graph));
    release_sort(&d);
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
    free(values);
    free(first);
}

Test(sort, in_a_graph_is_right_whatever_digits_vary)
{
    expect_replays((sort_case){.type = PARSCAN_U32, .n = N});
    expect_replays((sort_case){.type = PARSCAN_F32, .n = N / 2, .keys_in_place = true});
    expect_replays((sort_case){.type = PARSCAN_U8, .n = N / 2, .keys_in_place = true});
    expect_replays((sort_case){.type = PARSCAN_I64, .n = N / 4, .value_size = 8});
    expect_replays((sort_case){.type = PARSCAN_U8, .n = 6 * N, .keys_in_place = true});
    expect_replays((sort_case){.type = PARSCAN_I16, .n = 42 * N});
    expect_replays((sort_case){.type = PARSCAN_F16, .n = 42 * N, .keys_in_place = true});
    expect_replays(
        (sort_case){.type = PARSCAN_U16, .n = N / 4, .value_size = 4, .values_in_place = true});
    expect_replays((sort_case){.type = PARSCAN_U32, .n = N / 4, .value_size = 16});
    expect_replays((sort_case){.type = PARSCAN_U32, .n = N / 4, .index_type = PARSCAN_U64});
}

/* Whether a segment is longer than a tile is the device's to find out as well. */
Test(sort, of_segments_in_a_graph_is_right)
{
    static const size_t lengths[] = {N, 2 * N};
    for (size_t k = 0; k < 2 * COUNT_OF(lengths); k++) {
        cut_array cut = cut_at_edges(lengths[k / 2], 4, all_segment_forms[k % 2 == 0 ? 2 : 0]);
        expect_replays((sort_case){.type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_F32,
                                   .n = cut.n,
                                   .value_size = k < 2 ? 8 : 0,
                                   .cut = &cut});
        cut_destroy(&cut);
    }
}

/* Around what a block sorts alone, what small tiles hold, and from where they are large. */
Test(sort, of_one_context_may_be_of_any_length_after_any_other)
{
    static const size_t lengths[] = {1,       33,      4097,    8192,    8193, 1,
                                     4608,    9217,    1179647, 1572860, 2,    55297,
                                     1179648, 1572862, 70001,   3000017};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        expect_on_device(context, (sort_case){.type = PARSCAN_U32, .n = lengths[k]}, KEYS_RANDOM);
        expect_on_device(context,
                         (sort_case){.type = PARSCAN_I64, .n = lengths[k] / 2 + 1, .value_size = 4},
                         KEYS_RANDOM);
    }
    parscan_context_destroy(context);
}

/* Keys whose digits are mostly the same; floats with NaNs and without, which go different ways. */
Test(sort, of_skewed_keys_is_the_oracles)
{
    static const key_pattern patterns[] = {KEYS_ZIPF, KEYS_CLUSTERED, KEYS_SORTED, KEYS_FEW,
                                           KEYS_SPECIAL};
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F32, PARSCAN_F64, PARSCAN_I16};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < COUNT_OF(patterns) * COUNT_OF(types); k++) {
        sort_case sort = {.type = types[k / COUNT_OF(patterns)], .n = 1400003 + k};
        sort.options.descending = k % 2;
        expect_on_device(context, sort, patterns[k % COUNT_OF(patterns)]);
        sort.n = 4000 + k;
        expect_on_device(context, sort, patterns[k % COUNT_OF(patterns)]);
    }
    parscan_context_destroy(context);
}

static void expect_all(parscan_context *context, const uint8_t *keys, size_t n, uint8_t key)
{
    static const parscan_op ops[] = {PARSCAN_MIN, PARSCAN_MAX};
    for (size_t k = 0; k < COUNT_OF(ops); k++) {
        uint8_t found = 0;
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = ops[k]);
        expect_ok(context, parscan_reduce(context, PARSCAN_U8, keys, &found, n, &options));
        cr_assert_eq(found, key, "%zu keys are to be %d, one is %d", n, key, found);
    }
}

/* A plan for one multiprocessor has a small limit. */
static parscan_context *small_context(void)
{
    parscan_context *const context = context_on(NULL);
    context->cuda->plan_device.multiprocessors = 1;
    return context;
}

Test(sort, of_keys_in_order_or_appended_to_is_the_oracles)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I32, PARSCAN_U64,
                                         PARSCAN_I64, PARSCAN_F32, PARSCAN_F64};
    static const key_pattern patterns[] = {KEYS_APPENDED, KEYS_LAST_ASTRAY, KEYS_MIDDLE_ASTRAY,
                                           KEYS_SORTED,   KEYS_REVERSED,    KEYS_REVERSED_FEW,
                                           KEYS_RANDOM};
    parscan_context *const context = small_context();
    const size_t least = 1 + ((size_t)1 << 25) / 132;
    for (size_t k = 0; k < 3 * COUNT_OF(types) + 3 * COUNT_OF(patterns); k++) {
        const parscan_type type = types[k % COUNT_OF(types)];
        const key_pattern pattern =
            k < 3 * COUNT_OF(types) ? KEYS_APPENDED : patterns[k % COUNT_OF(patterns)];
        sort_case sort = {.type = type, .n = least + k * 97, .value_size = k / 6 % 3 * 4};
        sort.options.descending = !oracle_is_float(type) && k % 4 == 1;
        sort.in_offset = k % 5 == 2 ? 8 : 0;
        sort.keys_in_place = pattern != KEYS_APPENDED && k % 3 == 2;
        void *const keys = patterned_keys(type, pattern, sort.n);
        char *const bytes = keys;
        if (sort.options.descending)
            for (size_t i = 0; i < sort.n * parscan_type_size(type); i++)
                bytes[i] = (char)~bytes[i];
        expect_keys_on_device(context, sort, keys);
        free(keys);
    }
    parscan_context_destroy(context);
}

Test(sort, takes_more_than_2_32_keys)
{
    const size_t half = (size_t)1 << 31, n = 2 * half + 5, bytes = 4 * n;
    size_t available = 0, all = 0;
    parscan_context *const context = context_on(NULL);
    CUDA(cudaMemGetInfo(&available, &all));
    if (available < bytes)
        cr_skip_test("2^32 keys: %zu MiB of device memory are available, %zu are needed\n",
                     available >> 20, bytes >> 20);
    uint8_t *const in = device_room(n), *const out = device_room(n);
    CUDA(cudaMemset(in, 7, half));
    CUDA(cudaMemset(in + half, 5, 5));
    CUDA(cudaMemset(in + half + 5, 3, half));
    CUDA(cudaDeviceSynchronize());
    expect_ok(context, parscan_sort_keys(context, PARSCAN_U8, in, out, n, NULL));
    expect_all(context, out, half, 3);
    expect_all(context, out + half, 5, 5);
    expect_all(context, out + half + 5, half, 7);
    parscan_context_destroy(context);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

/* A little of everything, for the tools of compute-sanitizer: --filter 'sanitized*'. racecheck takes
   minutes for each. */
static void expect_sorts_of(size_t n, unsigned k)
{
    parscan_context *const context = context_on(NULL);
    sort_case sort = {.type = PARSCAN_U32, .n = n};
    expect_on_device(context, sort, KEYS_RANDOM);
    expect_on_device(context, sort, KEYS_FEW);
    expect_on_device(context, sort, KEYS_SPARSE);
    sort.value_size = k % 2 == 0 ? 8 : 12;
    expect_on_device(context, sort, KEYS_RANDOM);
    sort = (sort_case){.type = PARSCAN_F64, .n = n, .keys_in_place = true};
    expect_on_device(context, sort, KEYS_SPECIAL);
    expect_on_device(context, sort, KEYS_SORTED);
    sort = (sort_case){.type = PARSCAN_U8, .n = n, .index_type = PARSCAN_U64};
    expect_on_device(context, sort, KEYS_RANDOM);
    parscan_context_destroy(context);
}

Test(sanitized, sorts_of_few_keys_are_right, .timeout = 600)
{
    expect_sorts_of(33, 0);
    expect_sorts_of(3001, 1);
    expect_sorts_of(5003, 2);
}

Test(sanitized_more, sorts_of_keys_of_several_blocks_are_right, .timeout = 600)
{
    expect_sorts_of(20011, 3);
}

Test(sanitized_segments, sorts_of_segments_are_right, .timeout = 600)
{
    static const size_t lengths[] = {33, 3001, 5003, 20011};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        cut_array cut = cut_at_edges(lengths[k] * (k + 3), 4, all_segment_forms[k]);
        sort_case sort = {.type = PARSCAN_U32, .n = cut.n, .value_size = 4 * k, .cut = &cut};
        expect_on_device(context, sort, KEYS_RANDOM);
        cut_destroy(&cut);
        cut = cut_create(lengths[k], SHORT_SEGMENTS, all_segment_forms[2]);
        sort.n = cut.n;
        expect_on_device(context, sort, KEYS_FEW);
        cut_destroy(&cut);
    }
    for (unsigned turn = 0; turn < 2; turn++) {
        cut_array cut = cut_short(9001, 250 * turn, turn == 1, all_segment_forms[2]);
        sort_case sort = {.type = PARSCAN_U32, .n = cut.n, .cut = &cut, .in_offset = 8};
        expect_on_device(context, sort, KEYS_RANDOM);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

/* A long segment that all blocks sort. */
Test(sanitized_together, sort_of_a_long_segment_is_right, .timeout = 600)
{
    enum { SHORT = 2000, ELEMENTS = 140000 };
    parscan_context *const context = context_on(NULL);
    size_t heads[SHORT];
    for (size_t k = 0; k < SHORT; k++)
        heads[k] = k < SHORT / 2 ? 9 * k : ELEMENTS - 10 * (SHORT - k);
    cut_array cut = cut_create_at(ELEMENTS, heads, SHORT, all_segment_forms[2]);
    sort_case together = {.type = PARSCAN_U16, .n = ELEMENTS, .value_size = 4, .cut = &cut};
    expect_on_device(context, together, KEYS_RANDOM);
    cut_destroy(&cut);
    parscan_context_destroy(context);
}

/* Large tiles: values by bulk copies, and not. */
Test(sanitized_large, sorts_of_large_tiles_are_right, .timeout = 600)
{
    parscan_context *const context = context_on(NULL);
    sort_case large = {.type = PARSCAN_U16, .n = 800003, .value_size = 4};
    expect_on_device(context, large, KEYS_RANDOM);
    large.in_offset = large.out_offset = 8;
    expect_on_device(context, large, KEYS_FEW);
    parscan_context_destroy(context);
}

Test(sanitized_larger, sort_of_bytes_is_right, .timeout = 600)
{
    parscan_context *const context = context_on(NULL);
    expect_on_device(context, (sort_case){.type = PARSCAN_I8, .n = 600001}, KEYS_FEW);
    parscan_context_destroy(context);
    CUDA(cudaDeviceReset()); /* what is left is a leak */
}
