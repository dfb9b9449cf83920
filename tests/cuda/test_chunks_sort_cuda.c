/*
 * Sorts of host arrays that are larger than the device's memory, in buckets; what fails in chunks; and
 * arrays that are larger than the whole device.
 */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/chunk_calls.h"
#include "tests/cuda/on_device.h"
#include "tests/support/counting.h"
#include "tests/support/large.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(chunks, .timeout = 300);

/* ---- sorts ---- */

static parscan_status pairs(parscan_context *context, const call_arrays *a, size_t n,
                            parscan_type type, size_t keys, size_t size,
                            const parscan_sort_options *o)
{
    return parscan_sort_pairs(context, type, a->in[keys], a->out[0], size, a->in[OFFSETS],
                              a->out[1], n, o);
}

static const parscan_sort_options downward = {.struct_size = sizeof downward, .descending = 1};
static const parscan_sort_options by_some_bits = {
    .struct_size = sizeof by_some_bits, .begin_bit = 3, .end_bit = 29};

CALL(keys)
{
    return parscan_sort_keys(context, PARSCAN_U32, a->in[BITS], a->out[0], n, NULL);
}

CALL(keys_in_place)
{
    copy_input(a, BITS, n * 8);
    return parscan_sort_keys(context, PARSCAN_I64, a->out[0], a->out[0], n, &downward);
}

CALL(few_keys)
{
    return parscan_sort_keys(context, PARSCAN_U16, a->in[RUNS], a->out[0], 2 * n, NULL);
}

CALL(bytes)
{
    return parscan_sort_keys(context, PARSCAN_I8, a->in[BITS], a->out[0], 8 * n, &downward);
}

CALL(equal_keys)
{
    return pairs(context, a, n, PARSCAN_U32, FLAGS, 4, NULL);
}

CALL(pairs_of_words)
{
    return pairs(context, a, n, PARSCAN_F32, BITS, 8, NULL);
}

CALL(pairs_of_bytes)
{
    return pairs(context, a, n, PARSCAN_U32, RUNS, 3, &downward);
}

CALL(pairs_by_some_bits)
{
    return pairs(context, a, n, PARSCAN_U32, BITS, 4, &by_some_bits);
}

CALL(pairs_in_place)
{
    copy_input(a, BITS, n * 4);
    CUDA(cudaMemcpy(a->out[1], a->in[OFFSETS], n * 12, cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    return parscan_sort_pairs(context, PARSCAN_U32, a->out[0], a->out[0], 12, a->out[1], a->out[1],
                              n, &by_some_bits);
}

CALL(order)
{
    return parscan_argsort(context, PARSCAN_F64, a->in[BITS], PARSCAN_U32, a->out[0], n, NULL);
}

CALL(order_of_few)
{
    return parscan_argsort(context, PARSCAN_U32, a->in[RUNS], PARSCAN_U64, a->out[0], n, &downward);
}

static const engine_call sorts[] = {
    {"keys", keys},
    {"keys in place", keys_in_place},
    {"few keys", few_keys},
    {"bytes", bytes},
    {"equal keys", equal_keys},
    {"pairs of words", pairs_of_words},
    {"pairs of bytes", pairs_of_bytes},
    {"pairs by some bits", pairs_by_some_bits},
    {"pairs in place", pairs_in_place},
    {"argsort", order},
    {"argsort of few", order_of_few},
};

/* The values, in place of offsets, tell where they come from. */
static void fill_sort(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const values = in[OFFSETS];
    fill_chunks(in, n);
    memset(in[FLAGS], 0x11, chunk_bytes(n));
    for (size_t i = 0; i < chunk_bytes(n) / sizeof *values; i++)
        values[i] = (uint32_t)i * 2654435761u;
}

Test(chunks, of_sorts)
{
    const engine_calls all = {sorts, COUNT_OF(sorts), fill_sort};
    expect_in_chunks(&all, 700001, 4 * MIB);
}

/* Almost all keys are in a narrow range, which a sample of all finds only one key of, or few. */
static void fill_skewed(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const bits = in[BITS];
    fill_sort(in, n);
    for (size_t i = 0; i < 2 * n; i++)
        bits[i] = i % 5 != 0 ? 0x40000000u : i % 35 == 0 ? bits[i] : 0x40000000u + bits[i] % 3000;
}

Test(chunks, of_sorts_of_skewed_keys)
{
    const engine_calls all = {sorts, COUNT_OF(sorts), fill_skewed};
    expect_in_chunks(&all, 700001, 4 * MIB);
}

/* Keys that a sample misleads: most of them are close to each other, far from its quantiles. */
static void fill_ordered(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const bits = in[BITS];
    fill_sort(in, n);
    for (size_t i = 0; i < 2 * n; i++)
        bits[i] = (uint32_t)(i * 2000);
}

Test(chunks, of_sorts_of_ordered_keys)
{
    const engine_calls all = {sorts, COUNT_OF(sorts), fill_ordered};
    expect_in_chunks(&all, 700001, 4 * MIB);
}

/* ---- errors ---- */

Test(errors, of_totals_are_known_behind_all_chunks, .timeout = 120)
{
    enum { N = 500000 };
    need_cuda();
    parscan_context *const context = chunks_context(PARSCAN_BACKEND_CUDA, MIB);
    uint32_t *const sizes = malloc(N * sizeof *sizes);
    uint64_t *const offsets = malloc(N * sizeof *offsets), total = 0;
    cr_assert(sizes != NULL && offsets != NULL);
    for (size_t i = 0; i < N; i++)
        sizes[i] = 30000;
    const parscan_allocate_options small = PARSCAN_ALLOCATE_OPTIONS(.capacity = 1000000);
    cr_assert_eq(
        parscan_allocate(context, PARSCAN_U32, sizes, N, PARSCAN_U64, offsets, &total, &small),
        PARSCAN_ERROR_CAPACITY);
    cr_assert_eq(total, (uint64_t)N * 30000);
    for (size_t i = 0; i < N; i++)
        cr_assert_eq(offsets[i], i * 30000);
    total = 0;
    cr_assert_eq(
        parscan_allocate(context, PARSCAN_U32, sizes, N, PARSCAN_U32, offsets, &total, NULL),
        PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(total, (uint64_t)N * 30000);
    for (size_t i = 0; i < N; i++)
        cr_assert_eq(sizes[i], 30000);
    uint64_t *const huge = malloc(N * sizeof *huge);
    cr_assert_not_null(huge);
    for (size_t i = 0; i < N; i++)
        huge[i] = UINT64_MAX / 1000;
    cr_assert_eq(
        parscan_allocate(context, PARSCAN_U64, huge, N, PARSCAN_U64, offsets, &total, NULL),
        PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(total, UINT64_MAX);
    parscan_context_destroy(context);
    free(sizes);
    free(offsets);
    free(huge);
}

Test(errors, of_offsets_come_before_any_chunk, .timeout = 120)
{
    enum { N = 500000, SEGMENTS = 1000 };
    need_cuda();
    parscan_context *const context = chunks_context(PARSCAN_BACKEND_CUDA, MIB);
    uint32_t *const in = calloc(N, sizeof *in), *const out = malloc(N * sizeof *out);
    uint32_t offsets[SEGMENTS + 1];
    cr_assert(in != NULL && out != NULL);
    for (uint32_t k = 0; k <= SEGMENTS; k++)
        offsets[k] = k * (N / SEGMENTS);
    offsets[SEGMENTS / 2] = 3;
    memset(out, ROOM_BYTE, N * sizeof *out);
    const parscan_segments segments = {.struct_size = sizeof segments,
                                       .kind = PARSCAN_SEGMENTS_OFFSETS,
                                       .type = PARSCAN_U32,
                                       .data = offsets,
                                       .count = SEGMENTS};
    cr_assert_eq(
        parscan_segmented_inclusive_scan(context, PARSCAN_U32, in, out, N, &segments, NULL),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(first_other_than(ROOM_BYTE, out, N * sizeof *out), N * sizeof *out);
    parscan_context_destroy(context);
    free(in);
    free(out);
}

Test(errors, while_a_stream_is_captured_come_before_any_chunk, .timeout = 120)
{
    enum { N = 500000 };
    need_cuda();
    cudaStream_t stream;
    cudaGraph_t graph;
    CUDA(cudaStreamCreate(&stream));
    parscan_context *const context =
        test_context_with((parscan_context_options){.stream = stream, .scratch_limit = MIB});
    uint32_t *const array = calloc(N, sizeof *array);
    cr_assert_not_null(array);
    array[0] = 5;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status =
        parscan_inclusive_scan(context, PARSCAN_U32, array, array, N, NULL);
    CUDA(cudaStreamEndCapture(stream, &graph));
    cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED);
    cr_assert(array[0] == 5 && array[N - 1] == 0);
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, array, array, N, NULL));
    cr_assert_eq(array[N - 1], 5);
    parscan_context_destroy(context);
    if (graph != NULL)
        CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    free(array);
}

/* The host memory of a sort is taken before anything is written. */
Test(allocator, that_fails_in_a_sort_is_survived, .timeout = 120)
{
    enum { N = 700000 };
    need_cuda();
    uint32_t *const keys = malloc(N * sizeof *keys), *const copy = malloc(N * sizeof *copy);
    cr_assert(keys != NULL && copy != NULL);
    for (size_t i = 0; i < N; i++)
        keys[i] = copy[i] = (uint32_t)random_bits();
    counting c = counting_begin(NEVER);
    parscan_context_options options = counting_options(&c);
    options.scratch_limit = 4 * MIB;
    parscan_context *const context = test_context_with(options);
    unsigned failures = 0;
    parscan_status status = PARSCAN_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; status != PARSCAN_OK; k++) {
        const size_t live = c.live;
        c.fails_at = c.calls + k;
        status = parscan_sort_keys(context, PARSCAN_U32, keys, keys, N, NULL);
        cr_assert_eq(c.live, live);
        if (status == PARSCAN_OK)
            break;
        failures++;
        cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY, "%s", parscan_context_error(context));
        cr_assert_eq(memcmp(keys, copy, N * sizeof *keys), 0, "a failed sort wrote");
    }
    cr_assert_gt(failures, 5);
    for (size_t i = 1; i < N; i++)
        cr_assert_leq(keys[i - 1], keys[i]);
    parscan_context_destroy(context);
    counting_end(&c);
    free(keys);
    free(copy);
}

/* ---- at full size ---- */

/* More than the device's memory. It takes as much of the host's, and minutes: only if
   PARSCAN_TEST_FULL_SIZE is set. */
Test(full_size, scan_and_reduction_of_more_than_the_device_holds, .timeout = 1200)
{
    size_t available = 0, all = 0;
    if (getenv("PARSCAN_TEST_FULL_SIZE") == NULL)
        cr_skip_test("PARSCAN_TEST_FULL_SIZE is not set\n");
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &all));
    const size_t n = (all + 512 * MIB) / sizeof(uint32_t);
    large_fits_or_skip(n * sizeof(uint32_t) / 1024 + 2 * 1024 * 1024);
    uint32_t *const array = large_zeros(n * sizeof *array), sum = 0;
    parscan_context *const context = chunks_context(PARSCAN_BACKEND_CUDA, 0);
    for (size_t i = 0; i < n; i++)
        array[i] = 1;
    const parscan_histogram_options two = PARSCAN_HISTOGRAM_OPTIONS(.upper = &(uint32_t){2});
    uint64_t long_counts[2] = {0};
    expect_ok(context, parscan_reduce(context, PARSCAN_U32, array, &sum, n, NULL));
    cr_assert_eq(sum, (uint32_t)n);
    expect_ok(context,
              parscan_histogram(context, PARSCAN_U32, array, n, 2, PARSCAN_U64, long_counts, &two));
    cr_assert(long_counts[0] == 0 && long_counts[1] == n);
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, array, array, n, NULL));
    size_t right = 0;
    while (right < n && array[right] == (uint32_t)(right + 1))
        right++;
    cr_assert_eq(right, n);
    parscan_context_destroy(context);
    large_free(array, n * sizeof *array);
}
