/* Segmented scans and recurrences on CUDA, what the engines' common suites do not ask: graphs, many calls
   without a wait, more than 2^32 elements on the device. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "parscan/memory.h"
#include "parscan/segmented.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/engine.h"
#include "tests/support/random.h"

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

/* For compute-sanitizer. */
Test(sanitized_segments, are_right)
{
    expect_same(&all, 1);
    expect_same(&all, 70001);
    expect_same(&all, 600011);
}
