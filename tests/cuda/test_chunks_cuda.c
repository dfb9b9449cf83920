/*
 * Host arrays that are larger than the device's memory, which scratch_limit makes small: what comes
 * back through chunks must be what the CPU writes, to the bit, and nothing around it.
 */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "scan/cuda/cuda_context.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/counting.h"
#include "tests/support/large.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(chunks, .timeout = 300);

#define MIB ((size_t)1 << 20)

/* Where the arrays of a call lie. */
typedef enum place { PAGEABLE, PINNED, MIXED, PLACES } place;
static const char *const place_names[] = {"pageable", "pinned", "mixed"};

typedef enum memory { HOST, HOST_PINNED, ON_DEVICE } memory;

/* Mixed: every second array is on the device, and the others are pageable. */
static memory memory_of(place where, size_t k)
{
    return where == PINNED ? HOST_PINNED : where == MIXED && k % 2 == 1 ? ON_DEVICE : HOST;
}

static void *take(memory kind, size_t bytes)
{
    void *array = NULL;
    if (kind == HOST)
        array = malloc(bytes);
    else if (kind == HOST_PINNED)
        CUDA(cudaMallocHost(&array, bytes));
    else
        CUDA(cudaMalloc(&array, bytes));
    cr_assert_not_null(array);
    return array;
}

static void give(memory kind, void *array)
{
    if (kind == HOST)
        free(array);
    else
        CUDA(kind == HOST_PINNED ? cudaFreeHost(array) : cudaFree(array));
}

static size_t bytes_of(size_t n)
{
    return (n + 2) * MOST_BYTES;
}

static parscan_context *context_with(parscan_backend backend, size_t limit)
{
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = backend, .scratch_limit = limit, .threads = 2,
                                .error = words, .error_size = sizeof words);
    if (parscan_context_create(&context, &options) != PARSCAN_OK)
        cr_assert_fail("no context: %s", words);
    return context;
}

/* The memory of a context on the device, without the copies of whole arrays. */
static size_t held_by(const parscan_context *context)
{
    const parscan_cuda *const cuda = context->cuda;
    return cuda->scratch.size + cuda->chain.size + cuda->slots_size;
}

static size_t copied_by(const parscan_context *context)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < PARSCAN_CUDA_ARRAYS; k++)
        bytes += context->cuda->staged_size[k];
    return bytes;
}

/* The arrays of one engine. */
typedef struct side {
    call_arrays arrays;
    void *out[CALL_OUTPUTS];
    memory in_memory[CALL_INPUTS], out_memory[CALL_OUTPUTS];
} side;

static side side_create(void *const in[CALL_INPUTS], size_t n, place where)
{
    side s;
    for (size_t k = 0; k < CALL_INPUTS; k++) {
        s.in_memory[k] = memory_of(where, k);
        void *const copy = take(s.in_memory[k], bytes_of(n));
        CUDA(cudaMemcpy(copy, in[k], bytes_of(n), cudaMemcpyDefault));
        s.arrays.in[k] = copy;
    }
    for (size_t k = 0; k < CALL_OUTPUTS; k++) {
        s.out_memory[k] = memory_of(where, k);
        s.arrays.out[k] = s.out[k] = take(s.out_memory[k], bytes_of(n));
    }
    return s;
}

static void side_destroy(side *s)
{
    for (size_t k = 0; k < CALL_INPUTS; k++)
        give(s->in_memory[k], (void *)s->arrays.in[k]);
    for (size_t k = 0; k < CALL_OUTPUTS; k++)
        give(s->out_memory[k], s->out[k]);
}

static void clear_outputs(side *s, size_t n)
{
    for (size_t k = 0; k < CALL_OUTPUTS; k++) {
        if (s->out_memory[k] == ON_DEVICE)
            CUDA(cudaMemset(s->out[k], ROOM_BYTE, bytes_of(n)));
        else
            memset(s->out[k], ROOM_BYTE, bytes_of(n));
    }
    CUDA(cudaDeviceSynchronize());
}

static void expect_equal(const void *expected, const void *found, size_t bytes, const char *call,
                         place where, size_t array)
{
    unsigned char *const copy = malloc(bytes);
    cr_assert_not_null(copy);
    CUDA(cudaMemcpy(copy, found, bytes, cudaMemcpyDefault));
    size_t i = 0;
    while (i < bytes && copy[i] == ((const unsigned char *)expected)[i])
        i++;
    cr_assert_eq(i, bytes, "%s, %s: byte %zu of array %zu", call, place_names[where], i, array);
    free(copy);
}

/* The call on both engines: outputs are the same, inputs are what they were, and the device has held
   no more than the limit. */
static void expect_call(const engine_call *call, parscan_context *cpu, parscan_context *cuda,
                        side *expected, side *found, size_t n, place where)
{
    clear_outputs(expected, n);
    clear_outputs(found, n);
    expect_ok(cpu, call->make(cpu, &expected->arrays, n));
    const parscan_status status = call->make(cuda, &found->arrays, n);
    cr_assert_eq(status, PARSCAN_OK, "%s, %s: %s", call->name, place_names[where],
                 parscan_context_error(cuda));
    expect_ok(cuda, parscan_synchronize(cuda));
    for (size_t k = 0; k < CALL_OUTPUTS; k++)
        expect_equal(expected->out[k], found->out[k], bytes_of(n), call->name, where, k);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        expect_equal(expected->arrays.in[k], found->arrays.in[k], bytes_of(n), call->name, where,
                     CALL_OUTPUTS + k);
    cr_assert_leq(held_by(cuda), cuda->scratch_limit, "%s, %s: %zu bytes", call->name,
                  place_names[where], held_by(cuda));
}

static void expect_in_chunks(const engine_calls *calls, size_t n, size_t limit)
{
    need_cuda();
    parscan_context *const cpu = context_with(PARSCAN_BACKEND_CPU, 0);
    void *in[CALL_INPUTS];
    for (size_t k = 0; k < CALL_INPUTS; k++)
        cr_assert_not_null(in[k] = calloc(1, bytes_of(n)));
    calls->fill(in, n);
    side expected = side_create(in, n, PAGEABLE);
    for (place where = 0; where < PLACES; where++) {
        parscan_context *const cuda = context_with(PARSCAN_BACKEND_CUDA, limit);
        side found = side_create(in, n, where);
        for (size_t c = 0; c < calls->count; c++) {
            expect_call(&calls->calls[c], cpu, cuda, &expected, &found, n, where);
            if (where == MIXED)
                continue;
            cr_assert_not_null(cuda->cuda->slots, "%s: not in chunks", calls->calls[c].name);
            cr_assert_leq(copied_by(cuda), MIB / 2, "%s: an array was copied whole",
                          calls->calls[c].name);
        }
        side_destroy(&found);
        parscan_context_destroy(cuda);
    }
    side_destroy(&expected);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        free(in[k]);
    parscan_context_destroy(cpu);
}

/* ---- the inputs: any bits; flags; runs; offsets of segments ---- */

enum { BITS, FLAGS, RUNS, OFFSETS };

static size_t segments_of(size_t n)
{
    return n / 8;
}

static void fill_runs(uint32_t *runs, size_t n)
{
    uint32_t value = 0;
    for (size_t i = 0; i < n; value += 1 + (uint32_t)random_below(3)) {
        size_t length = 1 + random_below(random_below(300) == 0 ? 60000 : 9);
        while (length-- > 0 && i < n)
            runs[i++] = value % 5;
    }
}

static void fill(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const bits = in[BITS], *const offsets = in[OFFSETS];
    uint8_t *const flags = in[FLAGS];
    for (size_t i = 0; i < bytes_of(n) / sizeof *bits; i++)
        bits[i] = (uint32_t)random_bits();
    for (size_t i = 0; i < n; i++)
        flags[i] = random_below(i / 50000 % 2 == 0 ? 3 : 3000) == 0;
    fill_runs(in[RUNS], n);
    const size_t count = segments_of(n);
    for (size_t k = 1; k < count; k++) {
        const size_t step = random_below(4) == 0 ? 0 : random_below(20);
        offsets[k] = offsets[k - 1] + step < n ? offsets[k - 1] + (uint32_t)step : (uint32_t)n;
    }
    offsets[count] = (uint32_t)n;
}

#define CALL(name) \
    static parscan_status name(parscan_context *context, const call_arrays *a, size_t n)

static void copy_input(const call_arrays *a, size_t k, size_t bytes)
{
    CUDA(cudaMemcpy(a->out[0], a->in[k], bytes, cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
}

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
        {"widened", widened},
        {"maximum", greatest_of_bytes},
        {"three-phase", in_blocks},
        {"reduction", reduction},
        {"reduction in reverse", reduction_in_reverse},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill};
    expect_in_chunks(&all, 300007, MIB);
    expect_in_chunks(&all, 1500000, 3 * MIB);
}

/* The CPU evaluates their tree, on the host arrays as they are. */
Test(chunks, of_reproducible_sums_are_not_needed)
{
    static const engine_call calls[] = {{"reproducible", reproducible},
                                        {"reproducible sum", reproducible_sum}};
    need_cuda();
    parscan_context *const cpu = context_with(PARSCAN_BACKEND_CPU, 0);
    parscan_context *const cuda = context_with(PARSCAN_BACKEND_CUDA, MIB);
    enum { N = 700001 };
    void *in[CALL_INPUTS];
    for (size_t k = 0; k < CALL_INPUTS; k++)
        cr_assert_not_null(in[k] = calloc(1, bytes_of(N)));
    fill(in, N);
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
                                .count = segments_of(n)};
    return segmented(context, a, n, s, false, false, false);
}

CALL(by_offsets_in_reverse)
{
    const parscan_segments s = {.kind = PARSCAN_SEGMENTS_OFFSETS,
                                .type = PARSCAN_U32,
                                .data = a->in[OFFSETS],
                                .count = segments_of(n)};
    return segmented(context, a, n, s, true, true, false);
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
        {"widened, by keys", widened_by_keys},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill};
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
        {"allocation of a total", allocation_of_a_total},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill};
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

/* What is behind the kept elements differs: it is made the same. */
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

CALL(indices)
{
    return parscan_compact_indices(context, PARSCAN_U32, a->in[BITS], &less, PARSCAN_U64, a->out[0],
                                   n, a->out[2]);
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
    const char *const zeros = (const char *)a->in[OFFSETS] + bytes_of(n) / 16 * 8;
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
        {"indices", indices},
        {"partition", partition},
        {"unique", unique},
        {"unique of random bits", unique_of_random_bits},
        {"run lengths", run_lengths},
        {"run lengths alone", run_lengths_alone},
        {"run lengths of one run", run_lengths_of_one_run},
        {"run lengths of random bits", run_lengths_of_random_bits},
    };
    const engine_calls all = {calls, COUNT_OF(calls), fill};
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
    const engine_calls all = {calls, COUNT_OF(calls), fill};
    expect_in_chunks(&all, 300007, MIB);
}

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
    fill(in, n);
    memset(in[FLAGS], 0x11, bytes_of(n));
    for (size_t i = 0; i < bytes_of(n) / sizeof *values; i++)
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
    parscan_context *const context = context_with(PARSCAN_BACKEND_CUDA, MIB);
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
    parscan_context *const context = context_with(PARSCAN_BACKEND_CUDA, MIB);
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
    parscan_context *const context = context_with(PARSCAN_BACKEND_CUDA, 0);
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
