/*
 * Scans, segments, counts and compactions of host arrays that are larger than the device's memory: what
 * comes back through chunks must be what the CPU writes, to the bit, and nothing around it.
 */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/chunk_calls.h"
#include "tests/cuda/on_device.h"
#include "tests/support/half_number.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(chunks, .timeout = 300);

/* ---- scans ---- */

static const uint32_t start = 12345;
static const uint64_t long_start = 98765;

CALL(inclusive)
{
    return parscan_inclusive_scan(context, PARSCAN_U32, a->in[BITS], a->out[0], n, NULL);
}

CALL(exclusive_from_init)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.init = &start);
    return parscan_exclusive_scan(context, PARSCAN_U32, a->in[BITS], a->out[0], n, &o);
}

CALL(exclusive_in_reverse)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reverse = true, .init = &start);
    return parscan_exclusive_scan(context, PARSCAN_I32, a->in[BITS], a->out[0], n, &o);
}

CALL(inclusive_in_place_in_reverse)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reverse = true);
    copy_input(a, BITS, n * 8);
    return parscan_inclusive_scan(context, PARSCAN_U64, a->out[0], a->out[0], n, &o);
}

CALL(difference_in_place)
{
    const uint32_t init = 7;
    copy_input(a, BITS, n * 4);
    return parscan_difference(context, PARSCAN_U32, a->out[0], a->out[0], n,
                              &PARSCAN_SCAN_OPTIONS(.init = &init));
}

CALL(difference_in_reverse)
{
    return parscan_difference(context, PARSCAN_U64, a->in[BITS], a->out[0], n,
                              &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_XOR, .reverse = 1));
}

CALL(widened)
{
    const parscan_scan_options o =
        PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64, .init = &long_start);
    return parscan_exclusive_scan(context, PARSCAN_U16, a->in[BITS], a->out[0], n, &o);
}

CALL(greatest_of_bytes)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX);
    return parscan_inclusive_scan(context, PARSCAN_I64, a->in[BITS], a->out[0], n, &o);
}

CALL(in_blocks)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_THREE_PHASE);
    return parscan_inclusive_scan(context, PARSCAN_U32, a->in[BITS], a->out[0], n, &o);
}

CALL(reproducible)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reproducible = true);
    return parscan_inclusive_scan(context, PARSCAN_F32, a->in[RUNS], a->out[0], n, &o);
}

/* The output is on the device, if arrays are mixed. */
CALL(reproducible_there)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reproducible = true);
    return parscan_inclusive_scan(context, PARSCAN_F32, a->in[RUNS], a->out[1], n, &o);
}

CALL(reproducible_sum)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reproducible = true);
    return parscan_reduce(context, PARSCAN_F32, a->in[RUNS], a->out[0], n, &o);
}

CALL(reduction)
{
    const parscan_scan_options o =
        PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64, .init = &long_start);
    return parscan_reduce(context, PARSCAN_U32, a->in[BITS], a->out[0], n, &o);
}

CALL(reduction_in_reverse)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_XOR, .reverse = true);
    return parscan_reduce(context, PARSCAN_U64, a->in[BITS], a->out[0], n, &o);
}

Test(chunks, of_scans_and_reductions)
{
    static const engine_call calls[] = {
        {"inclusive", inclusive},
        {"exclusive from init", exclusive_from_init},
        {"exclusive in reverse", exclusive_in_reverse},
        {"inclusive in place in reverse", inclusive_in_place_in_reverse},
        {"difference in place", difference_in_place},
        {"difference in reverse", difference_in_reverse},
        {"widened", widened},
        {"maximum", greatest_of_bytes},
        {"three-phase", in_blocks},
        {"reduction", reduction},
        {"reduction in reverse", reduction_in_reverse},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill_chunks};
    expect_in_chunks(&all, 300007, MIB);
    expect_in_chunks(&all, 1500000, 3 * MIB);
}

/* The CPU evaluates their tree, on the host arrays as they are. */
Test(chunks, of_reproducible_sums_are_not_needed)
{
    static const engine_call calls[] = {{"reproducible", reproducible},
                                        {"reproducible to the device", reproducible_there},
                                        {"reproducible sum", reproducible_sum}};
    need_cuda();
    parscan_context *const cpu = chunks_context(PARSCAN_BACKEND_CPU, 0);
    parscan_context *const cuda = chunks_context(PARSCAN_BACKEND_CUDA, MIB);
    enum { N = 700001 };
    void *in[CALL_INPUTS];
    for (size_t k = 0; k < CALL_INPUTS; k++)
        cr_assert_not_null(in[k] = calloc(1, chunk_bytes(N)));
    fill_chunks(in, N);
    side expected = side_create(in, N, PAGEABLE);
    for (place where = 0; where < PLACES; where++) {
        side found = side_create(in, N, where);
        for (size_t c = 0; c < COUNT_OF(calls); c++)
            expect_call(&calls[c], cpu, cuda, &expected, &found, N, where);
        side_destroy(&found);
    }
    side_destroy(&expected);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        free(in[k]);
    parscan_context_destroy(cuda);
    parscan_context_destroy(cpu);
}

/* ---- segments ---- */

static parscan_status segmented(parscan_context *context, const call_arrays *a, size_t n,
                                parscan_segments segments, bool exclusive, bool reverse,
                                bool in_place)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reverse = reverse, .init = &start);
    const void *const in = in_place ? a->out[0] : a->in[BITS];
    segments.struct_size = sizeof segments;
    if (in_place)
        copy_input(a, BITS, n * 4);
    return (exclusive ? parscan_segmented_exclusive_scan : parscan_segmented_inclusive_scan)(
        context, PARSCAN_U32, in, a->out[0], n, &segments, &o);
}

CALL(by_flags)
{
    return segmented(context, a, n, (parscan_segments){.data = a->in[FLAGS]}, false, false, true);
}

CALL(by_flags_in_reverse)
{
    return segmented(context, a, n, (parscan_segments){.data = a->in[FLAGS]}, true, true, false);
}

CALL(by_keys)
{
    const parscan_segments s = {
        .kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32, .data = a->in[RUNS]};
    return segmented(context, a, n, s, true, false, false);
}

CALL(by_keys_in_reverse)
{
    const parscan_segments s = {
        .kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F32, .data = a->in[RUNS]};
    return segmented(context, a, n, s, false, true, false);
}

CALL(by_offsets)
{
    const parscan_segments s = {.kind = PARSCAN_SEGMENTS_OFFSETS,
                                .type = PARSCAN_U32,
                                .data = a->in[OFFSETS],
                                .count = chunk_segments(n)};
    return segmented(context, a, n, s, false, false, false);
}

CALL(by_offsets_in_reverse)
{
    const parscan_segments s = {.kind = PARSCAN_SEGMENTS_OFFSETS,
                                .type = PARSCAN_U32,
                                .data = a->in[OFFSETS],
                                .count = chunk_segments(n)};
    return segmented(context, a, n, s, true, true, false);
}

/* Whole rows of the elements that there are. */
CALL(by_rows)
{
    const parscan_segments s = {.kind = PARSCAN_SEGMENTS_ROWS, .count = 1009};
    return segmented(context, a, n / 1009 * 1009, s, true, false, false);
}

CALL(by_rows_in_reverse)
{
    const parscan_segments s = {.kind = PARSCAN_SEGMENTS_ROWS, .count = n / 2};
    return segmented(context, a, n / 2 * 2, s, false, true, false);
}

CALL(widened_by_keys)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    const parscan_segments s = {.struct_size = sizeof s,
                                .kind = PARSCAN_SEGMENTS_KEYS,
                                .type = PARSCAN_U32,
                                .data = a->in[RUNS]};
    return parscan_segmented_inclusive_scan(context, PARSCAN_U8, a->in[BITS], a->out[0], n, &s, &o);
}

/* ---- floats of 16 bits ---- */

/* Sums of whole numbers that a float holds, far beyond those that 16 bits hold: so the carries of chunks
   must not be rounded. */
CALL(halves)
{
    return parscan_inclusive_scan(context, PARSCAN_F16, a->in[BITS], a->out[0], n, NULL);
}

CALL(halves_exclusive_in_reverse)
{
    const parscan_bf16 init = {0x4320}; /* 160 */
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.init = &init, .reverse = true);
    return parscan_exclusive_scan(context, PARSCAN_BF16, a->in[RUNS], a->out[0], n, &o);
}

CALL(halves_in_place_in_blocks)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG);
    copy_input(a, RUNS, n * 2);
    return parscan_inclusive_scan(context, PARSCAN_BF16, a->out[0], a->out[0], n, &o);
}

CALL(halves_widened)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_F32);
    return parscan_exclusive_scan(context, PARSCAN_F16, a->in[BITS], a->out[0], n, &o);
}

CALL(halves_reduced)
{
    return parscan_reduce(context, PARSCAN_BF16, a->in[RUNS], a->out[0], n, NULL);
}

CALL(halves_by_flags)
{
    const parscan_f16 init = {0x5100}; /* 40 */
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.init = &init);
    const parscan_segments s = {.struct_size = sizeof s, .data = a->in[FLAGS]};
    return parscan_segmented_exclusive_scan(context, PARSCAN_F16, a->in[BITS], a->out[0], n, &s,
                                            &o);
}

CALL(halves_by_flags_in_reverse)
{
    const parscan_scan_options o = PARSCAN_SCAN_OPTIONS(.reverse = true);
    const parscan_segments s = {.struct_size = sizeof s, .data = a->in[FLAGS]};
    return parscan_segmented_inclusive_scan(context, PARSCAN_BF16, a->in[RUNS], a->out[0], n, &s,
                                            &o);
}

CALL(recurrence_of_halves)
{
    const parscan_f16 x0 = {0x4200}; /* 3 */
    return parscan_recurrence(context, PARSCAN_F16, a->in[OFFSETS], a->in[BITS], &x0, a->out[0], n);
}

/* BITS: whole numbers of F16, whose sums grow to about 2^16; RUNS: the same of BF16; FLAGS: few, so that segments
   have several chunks; OFFSETS: factors. */
static void fill_halves(void *const in[CALL_INPUTS], size_t n)
{
    uint16_t *const f16 = in[BITS], *const bf16 = in[RUNS], *const factors = in[OFFSETS];
    uint8_t *const flags = in[FLAGS];
    for (size_t i = 0; i < n; i++) {
        const int value = (int)random_below(9) - 4 + (i % 16 == 0);
        f16[i] = half_from_number(PARSCAN_F16, value);
        bf16[i] = half_from_number(PARSCAN_BF16, value);
        flags[i] = random_below(60000) == 0;
        factors[i] = half_from_number(PARSCAN_F16, random_below(64) == 0 ? -1 : 1);
    }
}

Test(chunks, of_floats_of_16_bits_carry_floats)
{
    static const engine_call calls[] = {
        {"halves", halves},
        {"exclusive, in reverse", halves_exclusive_in_reverse},
        {"in place, in blocks", halves_in_place_in_blocks},
        {"widened", halves_widened},
        {"reduced", halves_reduced},
        {"by flags", halves_by_flags},
        {"by flags, in reverse", halves_by_flags_in_reverse},
        {"recurrence", recurrence_of_halves},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill_halves};
    expect_in_chunks(&all, 900007, MIB);
}

/* Coefficients of 0, 1 and 2 steps, so that the values are exact in any grouping. */
CALL(recurrence)
{
    const float x0 = 3;
    return parscan_recurrence(context, PARSCAN_F32, a->in[BITS], a->in[RUNS], &x0, a->out[0], n);
}

static void fill_coefficients(void *const in[CALL_INPUTS], size_t n)
{
    float *const factors = in[BITS], *const terms = in[RUNS];
    for (size_t i = 0; i < n; i++) {
        factors[i] = random_below(100) == 0 ? 0 : random_below(2) == 0 ? -1.0f : 1.0f;
        terms[i] = (float)random_below(50) - 25;
    }
}

Test(chunks, of_segments)
{
    static const engine_call calls[] = {
        {"flags", by_flags},
        {"flags in reverse", by_flags_in_reverse},
        {"keys", by_keys},
        {"keys in reverse", by_keys_in_reverse},
        {"offsets", by_offsets},
        {"offsets in reverse", by_offsets_in_reverse},
        {"rows", by_rows},
        {"rows in reverse", by_rows_in_reverse},
        {"widened, by keys", widened_by_keys},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill_chunks};
    expect_in_chunks(&all, 300007, MIB);
}

Test(chunks, of_recurrences)
{
    static const engine_call calls[] = {{"recurrence", recurrence}};
    const engine_calls all = {calls, COUNT_OF(calls), fill_coefficients};
    expect_in_chunks(&all, 300007, MIB);
}

/* ---- counts, offsets ---- */

CALL(histogram)
{
    return parscan_histogram(
        context, PARSCAN_U32, a->in[RUNS], n, 7, PARSCAN_U32, a->out[0],
        &(parscan_histogram_options){.struct_size = sizeof(parscan_histogram_options),
                                     .upper = &(uint32_t){7}});
}

CALL(histogram_of_bytes)
{
    return parscan_histogram(
        context, PARSCAN_U8, a->in[BITS], n * 4, 256, PARSCAN_U64, a->out[0],
        &(parscan_histogram_options){.struct_size = sizeof(parscan_histogram_options),
                                     .upper = &(uint8_t){255}});
}

CALL(histogram_of_many_bins)
{
    const uint64_t lower = 0, upper = UINT64_MAX;
    return parscan_histogram(
        context, PARSCAN_U64, a->in[BITS], n, 5000, PARSCAN_U32, a->out[0],
        &(parscan_histogram_options){
            .struct_size = sizeof(parscan_histogram_options), .lower = &lower, .upper = &upper});
}

CALL(allocation)
{
    const parscan_allocate_options o = PARSCAN_ALLOCATE_OPTIONS(.alignment = 16);
    return parscan_allocate(context, PARSCAN_U8, a->in[BITS], n, PARSCAN_U64, a->out[0], a->out[2],
                            &o);
}

CALL(allocation_in_place)
{
    copy_input(a, RUNS, n * 4);
    return parscan_allocate(context, PARSCAN_U32, a->out[0], n, PARSCAN_U32, a->out[0], a->out[2],
                            NULL);
}

CALL(closed_allocation)
{
    const parscan_allocate_options o = PARSCAN_ALLOCATE_OPTIONS(.alignment = 16, .close = 1);
    return parscan_allocate(context, PARSCAN_U8, a->in[BITS], n, PARSCAN_U64, a->out[0], a->out[2],
                            &o);
}

CALL(closed_allocation_in_place)
{
    const parscan_allocate_options o = PARSCAN_ALLOCATE_OPTIONS(.close = 1);
    copy_input(a, RUNS, n * 4);
    return parscan_allocate(context, PARSCAN_U32, a->out[0], n, PARSCAN_U32, a->out[0], a->out[2],
                            &o);
}

CALL(allocation_of_a_total)
{
    return parscan_allocate(context, PARSCAN_U32, a->in[BITS], n, PARSCAN_U64, NULL, a->out[2],
                            NULL);
}

Test(chunks, of_histograms_and_allocations)
{
    static const engine_call calls[] = {
        {"histogram", histogram},
        {"histogram of bytes", histogram_of_bytes},
        {"histogram of many bins", histogram_of_many_bins},
        {"allocation", allocation},
        {"allocation in place", allocation_in_place},
        {"closed allocation", closed_allocation},
        {"closed allocation in place", closed_allocation_in_place},
        {"allocation of a total", allocation_of_a_total},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill_chunks};
    expect_in_chunks(&all, 400009, MIB);
}

/* ---- compaction ---- */

CALL(compaction)
{
    return parscan_compact(context, 4, a->in[BITS], a->in[FLAGS], a->out[0], n, a->out[2]);
}

CALL(compaction_of_records)
{
    return parscan_compact(context, 12, a->in[BITS], a->in[FLAGS], a->out[0], n, a->out[2]);
}

static const uint32_t third = 0x55555555u;
static const parscan_predicate less = {
    .struct_size = sizeof less, .comparison = PARSCAN_LESS, .value = &third};

CALL(filter)
{
    return parscan_compact_if(context, PARSCAN_U32, a->in[BITS], &less, a->out[0], n, a->out[2]);
}

/* What is after the kept elements differs: it is made the same. */
static parscan_status cut_off(parscan_context *context, const call_arrays *a, size_t n, size_t size)
{
    uint64_t count = 0;
    const parscan_status status = parscan_synchronize(context);
    CUDA(cudaMemcpy(&count, a->out[2], sizeof count, cudaMemcpyDefault));
    memset((char *)a->out[0] + count * size, 0, (n - count) * size);
    return status;
}

CALL(filter_in_place)
{
    copy_input(a, BITS, n * 4);
    const parscan_status status =
        parscan_compact_if(context, PARSCAN_U32, a->out[0], &less, a->out[0], n, a->out[2]);
    return status == PARSCAN_OK ? cut_off(context, a, n, 4) : status;
}

CALL(records_in_place)
{
    copy_input(a, BITS, n * 12);
    const parscan_status status =
        parscan_compact(context, 12, a->out[0], a->in[FLAGS], a->out[0], n, a->out[2]);
    return status == PARSCAN_OK ? cut_off(context, a, n, 12) : status;
}

CALL(filter_by_another)
{
    return parscan_compact_by(context, 12, a->in[RUNS], PARSCAN_U32, a->in[BITS], &less, a->out[0],
                              n, a->out[2]);
}

CALL(flags)
{
    return parscan_flags_if(context, PARSCAN_U32, a->in[BITS], &less, a->out[0], n);
}

CALL(unique_pairs)
{
    return parscan_unique_pairs(context, PARSCAN_U32, a->in[RUNS], a->out[0], 8, a->in[BITS],
                                a->out[1], n, a->out[2]);
}

CALL(indices)
{
    return parscan_compact_indices(context, PARSCAN_U32, a->in[BITS], &less, PARSCAN_U64, a->out[0],
                                   n, a->out[2]);
}

CALL(with_indices)
{
    return parscan_compact_with_indices(context, PARSCAN_U32, a->in[BITS], &less, a->out[0],
                                        PARSCAN_U64, a->out[1], n, a->out[2]);
}

CALL(partition)
{
    return parscan_partition(context, PARSCAN_U32, a->in[BITS], &less, a->out[0], n, a->out[2]);
}

CALL(unique)
{
    return parscan_unique(context, PARSCAN_U32, a->in[RUNS], a->out[0], n, a->out[2]);
}

CALL(unique_in_place)
{
    copy_input(a, RUNS, n * 4);
    const parscan_status status =
        parscan_unique(context, PARSCAN_U32, a->out[0], a->out[0], n, a->out[2]);
    return status == PARSCAN_OK ? cut_off(context, a, n, 4) : status;
}

CALL(unique_of_random_bits)
{
    return parscan_unique(context, PARSCAN_U64, a->in[BITS], a->out[0], n, a->out[2]);
}

CALL(run_lengths)
{
    return parscan_run_length_encode(context, PARSCAN_U32, a->in[RUNS], a->out[0], PARSCAN_U32,
                                     a->out[1], n, a->out[2]);
}

CALL(run_lengths_alone)
{
    return parscan_run_length_encode(context, PARSCAN_U32, a->in[RUNS], NULL, PARSCAN_U64,
                                     a->out[1], n, a->out[2]);
}

CALL(run_lengths_of_one_run)
{
    const char *const zeros = (const char *)a->in[OFFSETS] + chunk_bytes(n) / 16 * 8;
    return parscan_run_length_encode(context, PARSCAN_F64, zeros, a->out[0], PARSCAN_U64, a->out[1],
                                     n / 2, a->out[2]);
}

CALL(run_lengths_of_random_bits)
{
    return parscan_run_length_encode(context, PARSCAN_U32, a->in[BITS], a->out[0], PARSCAN_U32,
                                     a->out[1], n, a->out[2]);
}

Test(chunks, of_compactions)
{
    static const engine_call calls[] = {
        {"compaction", compaction},
        {"compaction of records", compaction_of_records},
        {"filter", filter},
        {"filter by another array", filter_by_another},
        {"flags", flags},
        {"unique pairs", unique_pairs},
        {"indices", indices},
        {"elements with indices", with_indices},
        {"partition", partition},
        {"unique", unique},
        {"unique of random bits", unique_of_random_bits},
        {"run lengths", run_lengths},
        {"run lengths alone", run_lengths_alone},
        {"run lengths of one run", run_lengths_of_one_run},
        {"run lengths of random bits", run_lengths_of_random_bits},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill_chunks};
    expect_in_chunks(&all, 300007, MIB);
}

/* The output of an in-place call is in host memory in all places. */
Test(chunks, of_compactions_in_place)
{
    static const engine_call calls[] = {
        {"filter in place", filter_in_place},
        {"records in place", records_in_place},
        {"unique in place", unique_in_place},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill_chunks};
    expect_in_chunks(&all, 300007, MIB);
}
