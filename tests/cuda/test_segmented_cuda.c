/* Segmented scans and recurrences on CUDA, what the engines' common suites do not ask: graphs, many
   calls without a wait, more than 2^32 elements on the device. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "parscan/memory.h"
#include "parscan/segmented.h"
#include "parscan/sort.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define LENGTH 7u /* of segments by offsets; the last may be empty */
#define LARGE (((size_t)1 << 32) + 5)

enum { VALUES, FLAGS, OFFSETS, FACTORS };
enum { OUT, MORE, COUNT };

/* Values in runs, which are keys too; factors of -1, 0 and 1, so that results are exact. */
static void fill(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const values = in[VALUES];
    uint8_t *const flags = in[FLAGS];
    uint64_t *const offsets = in[OFFSETS];
    float *const factors = in[FACTORS];
    for (size_t i = 0; i < n; i++) {
        values[i] = i > 0 && random_below(9) != 0 ? values[i - 1] : (uint32_t)random_bits();
        flags[i] = random_below(20) == 0;
        factors[i] = (float)((int)random_below(3) - 1);
    }
    for (size_t s = 0; s <= n / LENGTH; s++)
        offsets[s] = s * LENGTH;
    offsets[n / LENGTH + 1] = n;
}

static parscan_segments by_flags(const call_arrays *a)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->in[FLAGS]);
}

static parscan_segments by_keys(const call_arrays *a)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32,
                            .data = a->in[VALUES]);
}

static parscan_segments by_offsets(const call_arrays *a, size_t n)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64,
                            .data = a->in[OFFSETS], .count = n / LENGTH + 1);
}

static parscan_segments by_rows(size_t row)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = row);
}

static parscan_status scan(parscan_context *context, const call_arrays *a, size_t n,
                           parscan_segments segments, int reverse)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = reverse);
    return parscan_segmented_inclusive_scan(context, PARSCAN_U32, a->in[VALUES], a->out[OUT], n,
                                            &segments, &options);
}

static parscan_status reduce(parscan_context *context, const call_arrays *a, size_t n,
                             parscan_segments segments)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX);
    return parscan_segmented_reduce(context, PARSCAN_U32, a->in[VALUES], a->out[OUT], n, &segments,
                                    a->out[COUNT], &options);
}

static parscan_status scan_by_flags(parscan_context *context, const call_arrays *a, size_t n)
{
    return scan(context, a, n, by_flags(a), 0);
}

static parscan_status scan_by_keys(parscan_context *context, const call_arrays *a, size_t n)
{
    return scan(context, a, n, by_keys(a), 1);
}

static parscan_status scan_by_offsets(parscan_context *context, const call_arrays *a, size_t n)
{
    return scan(context, a, n, by_offsets(a, n), 0);
}

static parscan_status reduce_by_flags(parscan_context *context, const call_arrays *a, size_t n)
{
    return reduce(context, a, n, by_flags(a));
}

static parscan_status reduce_by_keys(parscan_context *context, const call_arrays *a, size_t n)
{
    return reduce(context, a, n, by_keys(a));
}

static parscan_status reduce_by_offsets(parscan_context *context, const call_arrays *a, size_t n)
{
    return reduce(context, a, n, by_offsets(a, n));
}

/* Whole rows of the elements that there are. */
static parscan_status scan_by_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    return scan(context, a, n / LENGTH * LENGTH, by_rows(LENGTH), 0);
}

static parscan_status scan_by_two_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    const size_t row = n / 2 + (n < 2);
    return scan(context, a, n / row * row, by_rows(row), 1);
}

static parscan_status reduce_by_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    return reduce(context, a, n / LENGTH * LENGTH, by_rows(LENGTH));
}

static parscan_status reduce_by_two_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    const size_t row = n / 2 + (n < 2);
    return reduce(context, a, n / row * row, by_rows(row));
}

static parscan_status sort_rows(parscan_context *context, const call_arrays *a, size_t n,
                                size_t row)
{
    const parscan_segments segments = by_rows(row);
    return parscan_sort_segments(context, PARSCAN_U32, a->in[VALUES], a->out[OUT], 4,
                                 a->in[FACTORS], a->out[MORE], n / row * row, &segments, NULL);
}

static parscan_status sort_short_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    return sort_rows(context, a, n, LENGTH);
}

static parscan_status sort_two_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    return sort_rows(context, a, n, n / 2 + (n < 2));
}

static parscan_status recur(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_recurrence(context, PARSCAN_F32, a->in[FACTORS], a->in[FACTORS], NULL,
                              a->out[OUT], n);
}

static const engine_call calls[] = {
    {"a scan by flags", scan_by_flags},
    {"a scan by keys, back", scan_by_keys},
    {"a scan by offsets", scan_by_offsets},
    {"a reduction by flags", reduce_by_flags},
    {"a reduction by keys", reduce_by_keys},
    {"a reduction by offsets", reduce_by_offsets},
    {"a scan by rows", scan_by_rows},
    {"a scan by two rows, back", scan_by_two_rows},
    {"a reduction by rows", reduce_by_rows},
    {"a reduction by two rows", reduce_by_two_rows},
    {"a sort of rows", sort_short_rows},
    {"a sort of two rows", sort_two_rows},
    {"a recurrence", recur},
};
static const engine_calls all = {calls, COUNT_OF(calls), fill};

Test(segments, are_scanned_as_on_the_cpu_at_lengths_around_those_of_tiles)
{
    for (size_t n = 4094; n < 4100; n++)
        expect_same(&all, n);
    expect_same(&all, 1);
    expect_same(&all, 3000017);
}

Test(segments, in_graphs_are_right_on_changed_input)
{
    expect_same_in_graphs(&all, 100003);
    expect_same_in_graphs(&all, 100);
}

Test(segments, of_a_few_elements_are_right_many_times_in_a_row)
{
    expect_same_in_a_row(&all, 1000);
}

/* At most so many segments by offsets, the last of them n, in one of several manners. */
typedef enum cut_manner {
    MIXED,
    ONES,
    RUNS_OF_EMPTY,
    HUGE_AMONG_ONES,
    HUGE_BEHIND_SHORT,
    EMPTY_BUT_ONE,
    LONG_TOGETHER,
    MOST_PIECES,
    ALL_ORDERS,
    ONE,
    CUTS
} cut_manner;
static struct {
    cut_manner manner;
    size_t count, most;
} cut;

#define SHORT_ONES ((size_t)255)

/* Around what a lane, a warp and a block take. */
static size_t next_length(size_t at, size_t n)
{
    static const size_t around[] = {1, 32, 128, 2044, 10220};
    switch (cut.manner) {
    case MIXED:
        return around[random_below(COUNT_OF(around))] + random_below(3) - 1;
    case RUNS_OF_EMPTY:
        return cut.count % 4000 < 3000 ? 0 : random_below(50);
    case HUGE_AMONG_ONES:
        return at > n / 3 && at < n / 2 ? n / 3 : 1;
    case HUGE_BEHIND_SHORT:
        return cut.count < SHORT_ONES ? n / (2 * SHORT_ONES) : n;
    case EMPTY_BUT_ONE:
        return cut.count + 1 < cut.most ? 0 : n;
    case LONG_TOGETHER:
        return at < n / 2 ? 10 : 1000 + random_below(5000);
    case MOST_PIECES: /* of n = 165000, 32 segments a block: one of many pieces, 31 of one */
        return cut.count / 32 != 2 ? 4 : cut.count % 32 == 5 ? 100000 : 1025;
    case ALL_ORDERS:
        return random_below((uint64_t)2 << random_below(17));
    case ONE:
        return n;
    default:
        return 1;
    }
}

static void cut_up(uint32_t *offsets, size_t n, size_t most)
{
    size_t at = 0;
    offsets[0] = 0;
    cut.most = most;
    for (cut.count = 0; at < n && cut.count < most;) {
        const size_t length = next_length(at, n);
        at = length < n - at ? at + length : n;
        offsets[++cut.count] = (uint32_t)at;
    }
    offsets[cut.count] = (uint32_t)n;
}

static void fill_cut(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const values = in[VALUES];
    for (size_t i = 0; i < n; i++)
        values[i] = (uint32_t)random_bits();
    cut_up(in[OFFSETS], n, 2 * n);
}

/* Values and offsets of 64 bits. */
static void fill_wide_cut(void *const in[CALL_INPUTS], size_t n)
{
    uint64_t *const values = in[VALUES], *const offsets = in[OFFSETS];
    for (size_t i = 0; i < n; i++)
        values[i] = random_bits();
    cut_up(in[FLAGS], n, n);
    for (size_t s = 0; s <= cut.count; s++)
        offsets[s] = ((const uint32_t *)in[FLAGS])[s];
}

/* Of samples that wait together for their calls each may have another number of segments. It follows
   from n then. */
static size_t count_of_cut(size_t n)
{
    if (cut.manner != HUGE_BEHIND_SHORT)
        return cut.count;
    return 2 * n <= SHORT_ONES ? 2 * n : SHORT_ONES + 1;
}

static parscan_segments by_cut(const call_arrays *a, size_t n)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                            .data = a->in[OFFSETS], .count = count_of_cut(n));
}

static parscan_status scan_cut(parscan_context *context, const call_arrays *a, size_t n)
{
    return scan(context, a, n, by_cut(a, n), 0);
}

static parscan_status scan_cut_back(parscan_context *context, const call_arrays *a, size_t n)
{
    return scan(context, a, n, by_cut(a, n), 1);
}

/* Of bytes, whose results do not start at a whole line. */
static parscan_status scan_cut_of_bytes(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_segments segments = by_cut(a, n);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = 1);
    return parscan_segmented_exclusive_scan(context, PARSCAN_U8, a->in[VALUES],
                                            (char *)a->out[OUT] + 5, n, &segments, &options);
}

static parscan_status scan_cut_elsewhere(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_segments segments = by_cut(a, n);
    return parscan_segmented_inclusive_scan(context, PARSCAN_U32, (uint32_t *)a->in[VALUES] + 1,
                                            (uint32_t *)a->out[OUT] + 3, n, &segments, NULL);
}

static parscan_segments by_wide_cut(const call_arrays *a)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64,
                            .data = a->in[OFFSETS], .count = cut.count);
}

static parscan_status scan_wide_cut_back(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_segments segments = by_wide_cut(a);
    const uint64_t init = 5;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = 1, .init = &init);
    return parscan_segmented_exclusive_scan(context, PARSCAN_U64, a->in[VALUES], a->out[OUT], n,
                                            &segments, &options);
}

static parscan_status reduce_wide_cut(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_segments segments = by_wide_cut(a);
    return parscan_segmented_reduce(context, PARSCAN_U64, a->in[VALUES], a->out[OUT], n, &segments,
                                    NULL, NULL);
}

static parscan_status reduce_cut(parscan_context *context, const call_arrays *a, size_t n)
{
    return reduce(context, a, n, by_cut(a, n));
}

static parscan_status reduce_cut_of_bytes(parscan_context *context, const call_arrays *a, size_t n)
{
    const uint64_t init = 7;
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64, .init = &init);
    const parscan_segments segments = by_cut(a, n);
    return parscan_segmented_reduce(context, PARSCAN_U8, (const char *)a->in[VALUES] + 3,
                                    (uint64_t *)a->out[OUT], n, &segments, NULL, &options);
}

static const engine_call cut_calls[] = {
    {"a scan", scan_cut},
    {"a scan back", scan_cut_back},
    {"a scan to results that begin elsewhere", scan_cut_elsewhere},
    {"a scan back of bytes", scan_cut_of_bytes},
    {"a reduction", reduce_cut},
};
static const engine_call bytes_calls[] = {{"a reduction of bytes", reduce_cut_of_bytes}};
static const engine_call wide_calls[] = {{"a scan back of u64", scan_wide_cut_back},
                                         {"a reduction of u64", reduce_wide_cut}};
static const engine_calls calls_of_cut = {cut_calls, COUNT_OF(cut_calls), fill_cut};
static const engine_calls calls_of_bytes = {bytes_calls, COUNT_OF(bytes_calls), fill_cut};
static const engine_calls calls_of_wide = {wide_calls, COUNT_OF(wide_calls), fill_wide_cut};

/* Around the sizes up to which a block does a long segment alone, and up to which there are no tiles
   of the whole array; those of an H200's blocks with a tile each, two of them, and more. */
Test(segments, cut_in_any_manner_are_as_on_the_cpu)
{
    static const size_t lengths[] = {1,      2,      5119,   8192,   8193,    32768,
                                     32769,  131073, 165000, 262144, 262145,  524288,
                                     524289, 675839, 675840, 675841, 1351681, 4500001};
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (cut.manner = 0; cut.manner < CUTS; cut.manner++) {
            expect_same(&calls_of_cut, lengths[k]);
            if (cut.manner != EMPTY_BUT_ONE)
                expect_same(&calls_of_bytes, lengths[k]);
            if (lengths[k] < 1500000)
                expect_same(&calls_of_wide, lengths[k]);
        }
}

/* Fewer blocks than there would be tiles: longer tiles, or none; and parts of many slices. */
Test(segments, cut_in_any_manner_are_right_on_few_blocks)
{
    static const unsigned blocks[] = {1, 2, 3, 5, 17};
    static const size_t lengths[] = {8193, 40009, 165000, 400000};
    for (size_t b = 0; b < COUNT_OF(blocks); b++)
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (cut.manner = 0; cut.manner < CUTS; cut.manner++) {
                expect_same_on_blocks(&calls_of_cut, lengths[k], blocks[b]);
                expect_same_on_blocks(&calls_of_wide, lengths[k], blocks[b]);
                if (cut.manner != EMPTY_BUT_ONE)
                    expect_same_on_blocks(&calls_of_bytes, lengths[k], blocks[b]);
            }
}

/* Launches with and without tiles of long segments, and of the whole array. */
Test(segments, that_are_huge_are_right_in_graphs_and_many_times_in_a_row)
{
    static const cut_manner manners[] = {ONE, HUGE_BEHIND_SHORT};
    for (size_t k = 0; k < COUNT_OF(manners); k++) {
        cut.manner = manners[k];
        expect_same_in_graphs(&calls_of_cut, 100003);
        expect_same_in_a_row(&calls_of_cut, 1000);
    }
}

/* Some offset is wrong: it is told, and nothing beyond the results is touched. */
static void expect_told(const void *offsets, parscan_type type, size_t count, size_t n, int reverse)
{
    enum { BEYOND = 4096 };
    parscan_context *const context = context_on(NULL);
    const size_t bytes = (count + 1) * parscan_type_size(type);
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = type, .count = count,
                         .data = device_copy_of(offsets, bytes));
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = reverse);
    uint32_t *const values = device_room((n + 1) * sizeof *values);
    char *const out = device_room(n * sizeof *values + BEYOND);
    expect_ok(context, parscan_segmented_inclusive_scan(context, PARSCAN_U32, values, out, n,
                                                        &segments, &options));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_ok(context, parscan_synchronize(context));
    if (n >= count) {
        expect_ok(context, parscan_segmented_reduce(context, PARSCAN_U32, values, out, n, &segments,
                                                    NULL, NULL));
        cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_INVALID_ARGUMENT);
    }
    void *const beyond = host_copy_of(out + n * sizeof *values, BEYOND);
    cr_assert_eq(first_other_than(ROOM_BYTE, beyond, BEYOND), BEYOND);
    free(beyond);
    CUDA(cudaFree((void *)segments.data));
    CUDA(cudaFree(values));
    CUDA(cudaFree(out));
    parscan_context_destroy(context);
}

/* Few segments, short and long, for which there are no tiles of the whole array. Then blocks with a tile
   each, and with several: at the tiles' ends (5120 elements on Hopper) and elsewhere. */
Test(sanitized_segments, of_a_wrong_offset_among_many_are_told)
{
    enum { MOST = 300000 };
    static const struct {
        size_t count, length;
    } shapes[] = {{80, 3000}, {5000, 5}, {8500, 5}, {100000, 5}, {MOST, 5}};
    static const size_t places[] = {0,    1,    31,    32,           33,      1023,
                                    1024, 1025, 99000, SIZE_MAX - 1, SIZE_MAX};
    uint32_t *const offsets = malloc((MOST + 1) * sizeof *offsets);
    uint64_t *const wide = malloc((MOST + 1) * sizeof *wide);
    cr_assert(offsets != NULL && wide != NULL);
    for (size_t k = 0; k < COUNT_OF(shapes); k++) {
        const size_t count = shapes[k].count, n = shapes[k].length * count;
        for (size_t s = 0; s <= count; s++)
            wide[s] = offsets[s] = (uint32_t)(shapes[k].length * s);
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            const size_t from_end = SIZE_MAX - places[p];
            if (places[p] > count && from_end > 1)
                continue;
            const size_t at = from_end > 1 ? places[p] : count - from_end;
            const uint32_t was = offsets[at];
            const uint32_t wrong[] = {(uint32_t)n + 1, at < 2 ? (uint32_t)n : 2, UINT32_MAX};
            offsets[at] = wrong[p % COUNT_OF(wrong)];
            expect_told(offsets, PARSCAN_U32, count, n, p % 2);
            offsets[at] = was;
            wide[at] += UINT64_C(1) << 32;
            expect_told(wide, PARSCAN_U64, count, n, (p + 1) % 2);
            wide[at] = was;
        }
    }
    /* Every other segment has all elements: more tiles than there may be. */
    for (size_t s = 0; s <= 80; s++)
        offsets[s] = s % 2 == 0 ? 0 : 240000;
    expect_told(offsets, PARSCAN_U32, 80, 240000, 0);
    expect_told(offsets, PARSCAN_U32, 79, 240000, 1);
    free(offsets);
    free(wide);
}

Test(segments, of_no_elements_have_offsets_of_0)
{
    const uint32_t offsets[] = {5, 0, 1};
    expect_told(offsets, PARSCAN_U32, 0, 0, 0);
    expect_told(offsets + 1, PARSCAN_U32, 1, 0, 0);
}

/* Bytes of 1 in three segments, reduced to 64 bits. */
Test(segments, of_more_than_2_32_elements_on_the_device, .timeout = 120)
{
    static const uint64_t heads[] = {0, UINT32_MAX, UINT32_MAX + UINT64_C(3), LARGE};
    enum { SEGMENTS = COUNT_OF(heads) - 1 };
    size_t available = 0, most = 0;
    uint64_t sums[SEGMENTS], count = 0;
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &most));
    if (available < 4 * LARGE)
        cr_skip_test("2^32 elements: %zu MiB of device memory are available\n", available >> 20);
    parscan_context *const context = context_on(NULL);
    uint8_t *const in = device_room(LARGE), *const flags = device_room(LARGE);
    CUDA(cudaMemset(in, 1, LARGE));
    CUDA(cudaMemset(flags, 0, LARGE));
    for (size_t s = 0; s < SEGMENTS; s++)
        CUDA(cudaMemset(flags + heads[s], 1, 1));
    CUDA(cudaDeviceSynchronize());
    const parscan_scan_options wide = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    const parscan_segments forms[] = {
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = flags),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = heads,
                         .count = SEGMENTS),
    };
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        expect_ok(context, parscan_segmented_reduce(context, PARSCAN_U8, in, sums, LARGE, &forms[f],
                                                    &count, &wide));
        cr_assert_eq(count, SEGMENTS);
        for (size_t s = 0; s < SEGMENTS; s++)
            cr_assert_eq(sums[s], heads[s + 1] - heads[s], "form %zu, segment %zu", f, s);
    }
    parscan_context_destroy(context);
    CUDA(cudaFree(in));
    CUDA(cudaFree(flags));
}

/* From element 1 of an array on, which ends with the memory: one segment has tiles of its own, and
   those at its sides the rest of the first and the last. */
static void expect_sums_of_ones(parscan_context *context, parscan_type type, size_t n)
{
    const size_t size = parscan_type_size(type);
    const uint64_t offsets[] = {0, 5, n - 3, n}, one = size == 1   ? 1
                                                       : size == 4 ? 0x01010101
                                                                   : UINT64_C(0x0101010101010101);
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                         .count = 3);
    const parscan_scan_options wide = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    uint64_t sums[3];
    char *const in = device_room((n + 1) * size);
    CUDA(cudaMemset(in, 1, (n + 1) * size));
    CUDA(cudaDeviceSynchronize());
    expect_ok(context,
              parscan_segmented_reduce(context, type, in + size, sums, n, &segments, NULL, &wide));
    for (size_t s = 0; s < COUNT_OF(sums); s++)
        cr_assert_eq(sums[s], one * (offsets[s + 1] - offsets[s]), "%zu bytes, %zu elements: %zu",
                     size, n, s);
    CUDA(cudaFree(in));
}

Test(sanitized_segments, of_values_that_begin_anywhere_are_right)
{
    parscan_context *const context = context_on(NULL);
    for (size_t more = 0; more < 3; more++) {
        expect_sums_of_ones(context, PARSCAN_U8, 27000001 + 7 * more);
        expect_sums_of_ones(context, PARSCAN_U32, 6800001 + more);
        expect_sums_of_ones(context, PARSCAN_U64, 3400001 + more);
    }
    parscan_context_destroy(context);
}

/* For compute-sanitizer. */
Test(sanitized_segments, are_right)
{
    expect_same(&all, 1);
    expect_same(&all, 70001);
    expect_same(&all, 600011);
    cut.manner = RUNS_OF_EMPTY;
    expect_same(&calls_of_cut, 1400003);
    expect_same(&calls_of_wide, 700001);
    cut.manner = LONG_TOGETHER;
    expect_same(&calls_of_cut, 131073);
    cut.manner = ALL_ORDERS;
    expect_same(&calls_of_cut, 200003);
    expect_same(&calls_of_wide, 200003);
}
