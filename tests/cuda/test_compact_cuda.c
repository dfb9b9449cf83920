/* Compaction on CUDA, what the engines' common suites do not ask: graphs, many calls without a wait, more than
   2^32 elements on the device, errors that only it knows of. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/compact.h"
#include "parscan/memory.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define COLUMNS 7u
#define LARGE (((size_t)1 << 32) + 5)

enum { VALUES, FLAGS, RECORDS };
enum { OUT, MORE, COUNT };

static const uint32_t three = 3;
static const parscan_predicate below_three = {
    .struct_size = sizeof(parscan_predicate), .comparison = PARSCAN_LESS, .value = &three};

/* Values below 6 in runs, any flags, any records. */
static void fill(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const values = in[VALUES];
    uint8_t *const flags = in[FLAGS];
    for (size_t i = 0; i < n; i++) {
        values[i] = i > 0 && random_below(3) != 0 ? values[i - 1] : (uint32_t)random_below(6);
        flags[i] = random_below(2) == 0 ? 0 : (uint8_t)random_below(256);
    }
    random_fill(PARSCAN_U32, PARSCAN_SUM, in[RECORDS], 3 * n);
}

static parscan_status make_if(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_compact_if(context, PARSCAN_U32, a->in[VALUES], &below_three, a->out[OUT], n,
                              a->out[COUNT]);
}

static parscan_status make_narrow_indices(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_compact_indices(context, PARSCAN_U8, a->in[FLAGS], NULL, PARSCAN_U32,
                                   a->out[OUT], n, a->out[COUNT]);
}

static parscan_status make_wide_indices(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_compact_indices(context, PARSCAN_U32, a->in[VALUES], &below_three, PARSCAN_U64,
                                   a->out[OUT], n, a->out[COUNT]);
}

static parscan_status make_both(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_compact_with_indices(context, PARSCAN_U32, a->in[VALUES], &below_three,
                                        a->out[OUT], PARSCAN_U32, a->out[MORE], n, a->out[COUNT]);
}

static parscan_status make_partition(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_partition(context, PARSCAN_U32, a->in[VALUES], &below_three, a->out[OUT], n,
                             a->out[COUNT]);
}

static parscan_status make_unique(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_unique(context, PARSCAN_U32, a->in[VALUES], a->out[OUT], n, a->out[COUNT]);
}

static parscan_status make_lengths(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_run_length_encode(context, PARSCAN_U32, a->in[VALUES], a->out[OUT], PARSCAN_U64,
                                     a->out[MORE], n, a->out[COUNT]);
}

static parscan_status make_flagged(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_compact(context, sizeof(uint32_t), a->in[VALUES], a->in[FLAGS], a->out[OUT], n,
                           a->out[COUNT]);
}

static parscan_status make_records(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_compact(context, 12, a->in[RECORDS], a->in[FLAGS], a->out[OUT], n,
                           a->out[COUNT]);
}

static parscan_status make_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_dense_to_csr(context, PARSCAN_U8, a->in[FLAGS], n / COLUMNS, COLUMNS,
                                PARSCAN_U32, a->out[MORE], a->out[OUT],
                                (char *)a->out[OUT] + n * sizeof(uint64_t), a->out[COUNT]);
}

static const engine_call calls[] = {
    {"compact_if", make_if},
    {"compact_indices of 32 bits", make_narrow_indices},
    {"compact_indices of 64 bits", make_wide_indices},
    {"compact_with_indices", make_both},
    {"partition", make_partition},
    {"unique", make_unique},
    {"run_length_encode", make_lengths},
    {"compact", make_flagged},
    {"compact of records", make_records},
    {"dense_to_csr", make_rows},
};
static const engine_calls all = {calls, COUNT_OF(calls), fill};

Test(compaction, is_the_cpus_at_lengths_around_those_of_tiles)
{
    for (size_t n = 8190; n < 8200; n += 3)
        expect_same(&all, n);
    for (size_t n = 6143; n <= 6145; n++)
        expect_same(&all, n);
    expect_same(&all, 1);
    expect_same(&all, 3000017);
}

static size_t multiprocessors(void)
{
    int count = 0;
    need_cuda();
    CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return (size_t)count;
}

/* Few elements are in small tiles, one for each multiprocessor: of 4096, or of 2048 elements. */
Test(compaction, is_the_cpus_where_tiles_grow)
{
    for (size_t tile = 2048; tile <= 4096; tile *= 2)
        for (size_t n = multiprocessors() * tile - 1, k = 0; k < 3; k++)
            expect_same(&all, n + k);
}

Test(compaction, in_graphs_is_right_on_changed_input)
{
    expect_same_in_graphs(&all, 100003);
    expect_same_in_graphs(&all, 100);
}

Test(compaction, of_a_few_elements_is_right_many_times_in_a_row)
{
    expect_same_in_a_row(&all, 1000);
}

/* Not taken for the call's own, and left to whom it belongs. */
Test(compaction, in_place_does_not_mind_an_error_of_the_caller)
{
    enum { N = 70001, SIZE = 12 };
    parscan_context *const context = context_on(NULL);
    char *const records = device_room((size_t)N * SIZE);
    uint8_t *const flags = device_room(N);
    uint64_t count = 0;
    CUDA(cudaMemset(flags, 0, N));
    CUDA(cudaMemset(flags + N / 2, 1, 1));
    CUDA(cudaMemset(records + (size_t)(N / 2) * SIZE, 7, SIZE));
    CUDA(cudaDeviceSynchronize());
    cr_assert_eq(cudaSetDevice(1 << 20), cudaErrorInvalidDevice);
    expect_ok(context, parscan_compact(context, SIZE, records, flags, records, N, &count));
    cr_assert_eq(cudaGetLastError(), cudaErrorInvalidDevice);
    cr_assert_eq(count, 1);
    void *const found = host_copy_of(records, SIZE);
    cr_assert_eq(first_other_than(7, found, SIZE), SIZE);
    free(found);
    CUDA(cudaFree(records));
    CUDA(cudaFree(flags));
    parscan_context_destroy(context);
}

/* Zeros, but at a few places, and their indices. */
static void expect_places(parscan_context *context, uint8_t *in)
{
    static const uint64_t places[] = {0, 77, UINT32_MAX, UINT32_MAX + UINT64_C(1), LARGE - 1};
    uint64_t found[COUNT_OF(places)], count = 0;
    for (size_t k = 0; k < COUNT_OF(places); k++)
        CUDA(cudaMemset(in + places[k], 1, 1));
    CUDA(cudaDeviceSynchronize());
    expect_ok(context, parscan_compact_indices(context, PARSCAN_U8, in, NULL, PARSCAN_U64, found,
                                               LARGE, &count));
    cr_assert_eq(count, COUNT_OF(places));
    cr_assert_eq(memcmp(found, places, sizeof places), 0);
}

/* One run that 32 bits do not count: the call that left its count on the device has not said so. */
static void expect_overflow(parscan_context *context, const uint8_t *in)
{
    uint8_t *const value = device_room(LARGE);
    uint32_t *const length = device_room(LARGE);
    uint64_t *const count = device_room(sizeof *count);
    expect_ok(context, parscan_run_length_encode(context, PARSCAN_U8, in, value, PARSCAN_U32,
                                                 length, LARGE, count));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_OVERFLOW);
    expect_ok(context, parscan_synchronize(context));
    uint64_t *const runs = host_copy_of(count, sizeof *count);
    cr_assert_eq(*runs, 1);
    free(runs);
    CUDA(cudaFree(value));
    CUDA(cudaFree(length));
    CUDA(cudaFree(count));
}

Test(compaction, of_more_than_2_32_elements_on_the_device, .timeout = 120)
{
    size_t available = 0, most = 0;
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &most));
    if (available < 8 * LARGE)
        cr_skip_test("2^32 elements: %zu MiB of device memory are available\n", available >> 20);
    parscan_context *const context = context_on(NULL);
    uint8_t *const in = device_room(LARGE);
    CUDA(cudaMemset(in, 0, LARGE));
    CUDA(cudaDeviceSynchronize());
    expect_overflow(context, in);
    expect_places(context, in);
    parscan_context_destroy(context);
    CUDA(cudaFree(in));
}

/* Partitions, by what an element of 64 bits, or its first bytes, is. */
static parscan_status parts(parscan_context *context, parscan_type type, parscan_comparison how,
                            const void *value, const void *in, const call_arrays *a, size_t n)
{
    const parscan_predicate predicate = {
        .struct_size = sizeof predicate, .comparison = how, .value = value};
    return parscan_partition(context, type, in, &predicate, a->out[OUT], n, a->out[COUNT]);
}

static parscan_status part_u64(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint64_t half = UINT64_C(1) << 63;
    return parts(context, PARSCAN_U64, PARSCAN_LESS, &half, a->in[VALUES], a, n);
}

/* Not where tiles start. */
static parscan_status part_others(parscan_context *context, const call_arrays *a, size_t n)
{
    static const int64_t seven = 7;
    return parts(context, PARSCAN_I64, PARSCAN_NOT_EQUAL, &seven,
                 (const uint64_t *)a->in[VALUES] + 1, a, n);
}

static parscan_status part_f64(parscan_context *context, const call_arrays *a, size_t n)
{
    static const double small = -1e-9;
    return parts(context, PARSCAN_F64, PARSCAN_LESS_EQUAL, &small, a->in[VALUES], a, n);
}

/* As many elements as there are bytes in n of 64 bits. */
static parscan_status part_u8(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint8_t three_quarters = 192;
    return parts(context, PARSCAN_U8, PARSCAN_GREATER_EQUAL, &three_quarters,
                 (const uint8_t *)a->in[VALUES] + 3, a, 8 * n + 5);
}

static parscan_status part_u16(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint16_t few = 700;
    return parts(context, PARSCAN_U16, PARSCAN_LESS, &few, a->in[VALUES], a, 4 * n + 3);
}

static parscan_status part_f32(parscan_context *context, const call_arrays *a, size_t n)
{
    static const float zero = 0;
    return parts(context, PARSCAN_F32, PARSCAN_GREATER, &zero, (const float *)a->in[VALUES] + 1, a,
                 2 * n + 1);
}

static void fill_bits(void *const in[CALL_INPUTS], size_t n)
{
    uint64_t *const values = in[VALUES];
    random_fill(PARSCAN_U64, PARSCAN_SUM, values, n + 2);
    for (size_t i = 0; i < n; i += 1 + random_below(20))
        values[i] = 7;
}

static parscan_status part_few_u8(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint8_t high = 250;
    return parts(context, PARSCAN_U8, PARSCAN_GREATER_EQUAL, &high, a->in[VALUES], a, 8 * n);
}

static parscan_status part_most_u32(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint32_t high = 3800000000u;
    return parts(context, PARSCAN_U32, PARSCAN_LESS, &high, (const uint32_t *)a->in[VALUES] + 1, a,
                 2 * n + 1);
}

/* All but one in a hundred, if bits are random. */
static parscan_status part_most_f64(parscan_context *context, const call_arrays *a, size_t n)
{
    static const double low = -1e300;
    return parts(context, PARSCAN_F64, PARSCAN_GREATER, &low, (const double *)a->in[VALUES] + 1, a,
                 n);
}

static parscan_status part_none(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint64_t zero = 0;
    return parts(context, PARSCAN_U64, PARSCAN_LESS, &zero, a->in[VALUES], a, n);
}

static parscan_status part_all(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint64_t zero = 0;
    return parts(context, PARSCAN_U64, PARSCAN_GREATER_EQUAL, &zero, a->in[VALUES], a, n);
}

static parscan_status part_others_u32(parscan_context *context, const call_arrays *a, size_t n)
{
    static const uint32_t low = 300000000u, high = 4200000000u;
    const parscan_predicate predicate = {.struct_size = sizeof predicate,
                                         .comparison = PARSCAN_BETWEEN,
                                         .value = &low,
                                         .upper = &high};
    return parscan_partition(context, PARSCAN_U32, a->in[VALUES], &predicate, a->out[OUT], 2 * n,
                             a->out[COUNT]);
}

static parscan_status part_few_f32(parscan_context *context, const call_arrays *a, size_t n)
{
    static const float large = 1e30f;
    return parts(context, PARSCAN_F32, PARSCAN_GREATER, &large, (const float *)a->in[VALUES] + 1, a,
                 2 * n + 1);
}

static const engine_call partition_calls[] = {
    {"u64", part_u64},
    {"not 7, unaligned", part_others},
    {"f64", part_f64},
    {"u8", part_u8},
    {"u16", part_u16},
    {"f32", part_f32},
    {"few of u8", part_few_u8},
    {"most of u32", part_most_u32},
    {"most of f64", part_most_f64},
    {"few of f32", part_few_f32},
    {"most of u32, between", part_others_u32},
    {"none", part_none},
    {"all", part_all},
};
static const engine_calls partitions = {partition_calls, COUNT_OF(partition_calls), fill_bits};

/* 192 KiB of tiles a multiprocessor: what a device holds is not read twice. */
static size_t held_at_once(void)
{
    return multiprocessors() * (196608 / sizeof(uint64_t));
}

Test(partition, is_the_cpus_around_what_is_held_at_once, .timeout = 120)
{
    const size_t held = held_at_once();
    expect_same(&partitions, multiprocessors() * 2048);
    expect_same(&partitions, multiprocessors() * 2048 + 1);
    expect_same(&partitions, held - 1);
    expect_same(&partitions, held);
    expect_same(&partitions, held + 1);
    expect_same(&partitions, held + held / 3);
}

/* Of more than twice as many elements, the smaller part is reversed if it is less than a quarter. */
Test(partition, is_the_cpus_around_what_is_turned, .timeout = 120)
{
    const size_t held = held_at_once();
    expect_same(&partitions, 2 * held - 1);
    expect_same(&partitions, 2 * held);
    expect_same(&partitions, 2 * held + 1);
    expect_same(&partitions, 2 * held + 2049);
    expect_same(&partitions, 3 * held + held / 3);
}

/* The other way round than the sample of 256 elements (compact_parts.cuh) says. */
static void fill_against_the_sample(void *const in[CALL_INPUTS], size_t n)
{
    uint64_t *const values = in[VALUES];
    static bool other;
    const uint64_t high = UINT64_C(1) << 63, flip = (other = !other) ? high : 0;
    for (size_t i = 0; i < n; i++)
        values[i] = (i % 5 == 0 ? high | i : i) ^ flip;
    for (uint32_t k = 0; k < 256; k++) {
        const size_t each = n / 256, at = k * each + each * (k * 0x9e3779b9u >> 16) / 65536;
        values[at] = (high | at) ^ flip;
    }
}

Test(partition, is_the_cpus_on_few_blocks, .timeout = 120)
{
    for (unsigned blocks = 1; blocks <= 3; blocks++)
        expect_same_on_blocks(&partitions, 200001, blocks);
}

Test(partition, is_right_if_the_sample_is_wrong, .timeout = 120)
{
    const engine_calls by_half = {partition_calls, 1, fill_against_the_sample};
    for (unsigned round = 0; round < 6; round++)
        expect_same(&by_half, 2 * held_at_once() + 1 + (size_t)random_below(100000));
}

Test(partition, in_graphs_counts_and_turns_anew, .timeout = 120)
{
    expect_same_in_graphs(&partitions, held_at_once() + 4097);
    const engine_calls turned = {&partition_calls[6], 3, fill_bits};
    expect_same_in_graphs(&turned, 2 * held_at_once() + 4097);
    /* Each replay takes another way. */
    const engine_calls by_half = {partition_calls, 1, fill_against_the_sample};
    expect_same_in_graphs(&by_half, 2 * held_at_once() + 4097);
}

/* For compute-sanitizer. */
Test(sanitized_compaction, is_right)
{
    const engine_calls counted = {partition_calls, 2, fill_bits};
    const engine_calls turned = {&partition_calls[6], 3, fill_bits};
    expect_same(&counted, held_at_once() + 4097);
    expect_same(&turned, 2 * held_at_once() + 4097);
    expect_same(&all, 1);
    expect_same(&all, 70001);
    expect_same(&all, 1100003);
}
