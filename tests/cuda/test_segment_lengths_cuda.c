/*
 * Segments whose lengths are in device memory (parscan_set_lengths()): rows, keys of 16 bits, wide offsets, offsets
 * that do not end with the length, and room for some of the results only.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(segment_lengths, .timeout = 120);
TestSuite(sanitized_segment_lengths, .timeout = 300);

enum { MOST = 30000, ROW = 7 };

/* Arrays of MOST elements, and numbers, in device memory. */
typedef struct segment_arrays {
    uint32_t *values, *out, *keys_out;
    uint16_t *keys; /* few different ones, in runs: floats of 16 bits, NaN among them */
    uint64_t *offsets, *count, *n, *segments;
} segment_arrays;

static segment_arrays arrays_create(void)
{
    segment_arrays a;
    uint32_t *const values = malloc(MOST * sizeof *values);
    uint16_t *const keys = malloc(MOST * sizeof *keys);
    static const uint16_t few[] = {0x3c00, 0x7e00, 0xfe01, 0x8000, 0x0000};
    cr_assert(values != NULL && keys != NULL);
    for (size_t i = 0; i < MOST; i++) {
        values[i] = (uint32_t)random_below(1000);
        keys[i] = i > 0 && random_below(4) > 0 ? keys[i - 1] : few[random_below(COUNT_OF(few))];
    }
    a.values = device_copy_of(values, MOST * sizeof *values);
    a.keys = device_copy_of(keys, MOST * sizeof *keys);
    a.out = device_room(MOST * sizeof *a.out);
    a.keys_out = device_room(MOST * sizeof *a.keys_out);
    a.offsets = device_room((MOST + 1) * sizeof *a.offsets);
    a.count = device_room(3 * sizeof *a.count);
    a.n = a.count + 1;
    a.segments = a.count + 2;
    free(values);
    free(keys);
    return a;
}

static void arrays_destroy(segment_arrays *a)
{
    CUDA(cudaFree(a->values));
    CUDA(cudaFree(a->keys));
    CUDA(cudaFree(a->out));
    CUDA(cudaFree(a->keys_out));
    CUDA(cudaFree(a->offsets));
    CUDA(cudaFree(a->count));
}

static void put(uint64_t *to, uint64_t value)
{
    device_write(to, &value, sizeof value);
    CUDA(cudaDeviceSynchronize());
}

static uint64_t got(const uint64_t *from)
{
    uint64_t value;
    CUDA(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* Offsets of segments of 0 to 9 elements, the last one 5 elements or more; returns their number. */
static size_t put_offsets(const segment_arrays *a, size_t n)
{
    uint64_t *const offsets = malloc((n + 2) * sizeof *offsets);
    size_t count = 0;
    cr_assert_not_null(offsets);
    offsets[0] = 0;
    for (uint64_t at = 0; count + 1 < n && (at += random_below(10)) + 5 <= n;)
        offsets[++count] = at;
    offsets[++count] = n;
    device_write(a->offsets, offsets, (count + 1) * sizeof *offsets);
    CUDA(cudaDeviceSynchronize());
    free(offsets);
    return count;
}

typedef parscan_status segment_call(parscan_context *context, const segment_arrays *a, size_t n,
                                    size_t segments);

static parscan_status reduce_rows(parscan_context *context, const segment_arrays *a, size_t n,
                                  size_t segments)
{
    (void)segments;
    return parscan_segmented_reduce(context, PARSCAN_U32, a->values, a->out, n,
                                    &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = ROW),
                                    a->count, NULL);
}

static parscan_status scan_rows(parscan_context *context, const segment_arrays *a, size_t n,
                                size_t segments)
{
    (void)segments;
    return parscan_segmented_exclusive_scan(
        context, PARSCAN_U32, a->values, a->out, n,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = ROW), NULL);
}

static parscan_segments by_keys(const segment_arrays *a)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F16, .data = a->keys);
}

static parscan_status reduce_keys(parscan_context *context, const segment_arrays *a, size_t n,
                                  size_t segments)
{
    const parscan_segments keys = by_keys(a);
    (void)segments;
    return parscan_segmented_reduce(context, PARSCAN_U32, a->values, a->out, n, &keys, a->count,
                                    NULL);
}

static parscan_status scan_keys(parscan_context *context, const segment_arrays *a, size_t n,
                                size_t segments)
{
    const parscan_segments keys = by_keys(a);
    (void)segments;
    return parscan_segmented_inclusive_scan(context, PARSCAN_U32, a->values, a->out, n, &keys,
                                            &PARSCAN_SCAN_OPTIONS(.reverse = 1));
}

static parscan_status reduce_by_key(parscan_context *context, const segment_arrays *a, size_t n,
                                    size_t segments)
{
    (void)segments;
    return parscan_reduce_by_key(context, PARSCAN_F16, a->keys, a->keys_out, PARSCAN_U32, a->values,
                                 a->out, n, a->count, NULL);
}

static parscan_segments by_offsets(const segment_arrays *a, size_t segments)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64,
                            .data = a->offsets, .count = segments);
}

static parscan_status reduce_offsets(parscan_context *context, const segment_arrays *a, size_t n,
                                     size_t segments)
{
    const parscan_segments offsets = by_offsets(a, segments);
    return parscan_segmented_reduce(context, PARSCAN_U32, a->values, a->out, n, &offsets, a->count,
                                    &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX));
}

static parscan_status scan_offsets(parscan_context *context, const segment_arrays *a, size_t n,
                                   size_t segments)
{
    const parscan_segments offsets = by_offsets(a, segments);
    return parscan_segmented_exclusive_scan(context, PARSCAN_U32, a->values, a->out, n, &offsets,
                                            &PARSCAN_SCAN_OPTIONS(.reverse = 1));
}

static const struct {
    const char *name;
    segment_call *run;
    bool has_offsets;
} calls[] = {{"reduction of rows", reduce_rows, false},
             {"scan of rows", scan_rows, false},
             {"reduction by keys of 16 bits", reduce_keys, false},
             {"scan by keys of 16 bits", scan_keys, false},
             {"reduce by key", reduce_by_key, false},
             {"reduction by u64 offsets", reduce_offsets, true},
             {"scan by u64 offsets", scan_offsets, true}};

static void clear(const segment_arrays *a)
{
    CUDA(cudaMemset(a->out, ROOM_BYTE, MOST * sizeof *a->out));
    CUDA(cudaMemset(a->keys_out, ROOM_BYTE, MOST * sizeof *a->keys_out));
    put(a->count, 0);
}

/* The outputs in host memory. */
typedef struct outputs {
    uint32_t *out;
    uint16_t *keys;
    uint64_t count;
} outputs;

static outputs take(const segment_arrays *a)
{
    return (outputs){host_copy_of(a->out, MOST * sizeof *a->out),
                     host_copy_of(a->keys_out, MOST * sizeof *a->keys_out), got(a->count)};
}

static void expect_same(const char *name, size_t n, const outputs *right, const outputs *found)
{
    cr_assert_eq(found->count, right->count, "%s of %zu: count", name, n);
    cr_assert_eq(memcmp(found->out, right->out, MOST * sizeof *found->out), 0, "%s of %zu", name,
                 n);
    cr_assert_eq(memcmp(found->keys, right->keys, MOST * sizeof *found->keys), 0, "%s of %zu: keys",
                 name, n);
}

static void free_outputs(outputs *o)
{
    free(o->out);
    free(o->keys);
}

/* What call k gives with that n on the host. */
static outputs expected_of(parscan_context *context, const segment_arrays *a, size_t k, size_t n,
                           size_t segments)
{
    clear(a);
    expect_ok(context, calls[k].run(context, a, n, segments));
    expect_ok(context, parscan_synchronize(context));
    return take(a);
}

static void put_lengths(const segment_arrays *a, size_t n, size_t segments)
{
    clear(a);
    put(a->n, n);
    put(a->segments, segments);
}

/* Runs call k for the lengths in device memory. */
static parscan_status run_for_lengths(parscan_context *context, const segment_arrays *a, size_t k)
{
    const parscan_lengths lengths =
        PARSCAN_LENGTHS(.n = a->n, .segment_count = calls[k].has_offsets ? a->segments : NULL);
    expect_ok(context, parscan_set_lengths(context, &lengths));
    return calls[k].run(context, a, MOST / ROW * ROW, MOST);
}

static void expect_outputs(const segment_arrays *a, size_t k, size_t n, outputs *right)
{
    outputs found = take(a);
    expect_same(calls[k].name, n, right, &found);
    free_outputs(right);
    free_outputs(&found);
}

static void expect_calls(const size_t *rows, size_t count)
{
    parscan_context *const context = context_on(NULL);
    segment_arrays a = arrays_create();
    for (size_t k = 0; k < COUNT_OF(calls); k++)
        for (size_t r = 0; r < count; r++) {
            const size_t n = rows[r] * ROW, segments = put_offsets(&a, n);
            outputs right = expected_of(context, &a, k, n, segments);
            put_lengths(&a, n, segments);
            expect_ok(context, run_for_lengths(context, &a, k));
            expect_ok(context, parscan_synchronize(context));
            expect_outputs(&a, k, n, &right);
        }
    arrays_destroy(&a);
    parscan_context_destroy(context);
}

static const size_t many_rows[] = {0, 1, 2, 146, 147, 585, 1170, 1171, 4285};

Test(segment_lengths, on_the_device_are_those_of_every_kind_of_segments)
{
    expect_calls(many_rows, COUNT_OF(many_rows));
}

/* For compute-sanitizer. */
Test(sanitized_segment_lengths, on_the_device)
{
    static const size_t rows[] = {0, 1, 600};
    expect_calls(rows, COUNT_OF(rows));
}

static cudaGraphExec_t record(cudaStream_t stream, parscan_context *context,
                              const segment_arrays *a, size_t k)
{
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    put_lengths(a, 0, put_offsets(a, 0));
    expect_ok(context, run_for_lengths(context, a, k)); /* it takes the scratch */
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = run_for_lengths(context, a, k);
    CUDA(cudaStreamEndCapture(stream, &graph));
    expect_ok(context, status);
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return replayed;
}

Test(segment_lengths, of_a_graph_are_those_of_each_replay)
{
    cudaStream_t stream;
    parscan_context *const other = context_on(NULL);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    segment_arrays a = arrays_create();
    for (size_t k = 0; k < COUNT_OF(calls); k++) {
        const cudaGraphExec_t graph = record(stream, context, &a, k);
        for (size_t r = 0; r < COUNT_OF(many_rows); r++) {
            const size_t n = many_rows[r] * ROW, segments = put_offsets(&a, n);
            outputs right = expected_of(other, &a, k, n, segments);
            put_lengths(&a, n, segments);
            CUDA(cudaGraphLaunch(graph, stream));
            expect_ok(context, parscan_synchronize(context));
            expect_outputs(&a, k, n, &right);
        }
        CUDA(cudaGraphExecDestroy(graph));
    }
    arrays_destroy(&a);
    parscan_context_destroy(context);
    parscan_context_destroy(other);
    CUDA(cudaStreamDestroy(stream));
}

/* Rows that are not whole, and offsets that end elsewhere. */
Test(segment_lengths, that_do_not_fit_the_segments_are_an_error)
{
    parscan_context *const context = context_on(NULL);
    segment_arrays a = arrays_create();
    const size_t segments = put_offsets(&a, 5000);
    put(a.n, 5001);
    for (size_t k = 0; k < COUNT_OF(calls); k++) {
        const bool is_wrong = calls[k].has_offsets || k < 2;
        expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = a.n)));
        expect_ok(context, calls[k].run(context, &a, MOST / ROW * ROW, segments));
        cr_assert_eq(parscan_synchronize(context),
                     is_wrong ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_OK, "%s", calls[k].name);
    }
    arrays_destroy(&a);
    parscan_context_destroy(context);
}

/* ---- room ---- */

static void expect_room(parscan_context *context, segment_call *run, const segment_arrays *a,
                        const uint64_t *n, size_t room, const outputs *all)
{
    clear(a);
    expect_ok(context,
              parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = n, .out_capacity = room)));
    expect_ok(context, run(context, a, MOST, 0));
    cr_assert_eq(parscan_synchronize(context),
                 room < all->count ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s",
                 parscan_context_error(context));
    outputs found = take(a);
    const size_t fit = room < all->count ? room : (size_t)all->count;
    cr_assert_eq(found.count, all->count);
    cr_assert_eq(memcmp(found.out, all->out, fit * sizeof *found.out), 0, "room %zu", room);
    cr_assert_eq(memcmp(found.keys, all->keys, fit * sizeof *found.keys), 0, "room %zu", room);
    cr_assert_eq(first_other_than(ROOM_BYTE, found.out + fit, (MOST - fit) * sizeof *found.out),
                 (MOST - fit) * sizeof *found.out, "room %zu", room);
    cr_assert_eq(first_other_than(ROOM_BYTE, found.keys + fit, (MOST - fit) * sizeof *found.keys),
                 (MOST - fit) * sizeof *found.keys, "room %zu: keys", room);
    free_outputs(&found);
}

Test(segment_lengths, room_bounds_what_is_written)
{
    static segment_call *const with_room[] = {reduce_keys, reduce_by_key};
    parscan_context *const context = context_on(NULL);
    segment_arrays a = arrays_create();
    put(a.n, MOST - 9);
    for (size_t k = 0; k < COUNT_OF(with_room); k++) {
        clear(&a);
        expect_ok(context, with_room[k](context, &a, MOST - 9, 0));
        expect_ok(context, parscan_synchronize(context));
        outputs all = take(&a);
        const size_t rooms[] = {
            1, 2, 64, (size_t)all.count / 3, (size_t)all.count - 1, (size_t)all.count};
        for (size_t r = 0; r < COUNT_OF(rooms); r++)
            expect_room(context, with_room[k], &a, a.n, rooms[r], &all);
        free_outputs(&all);
    }
    arrays_destroy(&a);
    parscan_context_destroy(context);
}
