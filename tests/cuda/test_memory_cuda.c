/* Memory of every kind: staged, pinned, managed, on the device, of the wrong device, misaligned. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "scan/cuda/cuda_context.h"
#include "tests/cuda/on_device.h"
#include "tests/support/counting.h"
#include "tests/support/test_engine.h"

TestSuite(arrays, .timeout = 120);

/* Where an array may lie. */
typedef enum place { PAGEABLE, PINNED, REGISTERED, MANAGED, DEVICE, PLACES } place;
static const char *const place_names[] = {"pageable", "pinned", "registered", "managed", "device"};

static void *allocate(place where, size_t bytes)
{
    void *array = NULL;
    switch (where) {
    case PINNED:
        CUDA(cudaMallocHost(&array, bytes));
        break;
    case MANAGED:
        CUDA(cudaMallocManaged(&array, bytes, cudaMemAttachGlobal));
        break;
    case DEVICE:
        CUDA(cudaMalloc(&array, bytes));
        break;
    default:
        array = malloc(bytes);
        cr_assert_not_null(array);
    }
    if (where == REGISTERED)
        CUDA(cudaHostRegister(array, bytes, cudaHostRegisterDefault));
    return array;
}

static void release(place where, void *array)
{
    if (where == REGISTERED)
        CUDA(cudaHostUnregister(array));
    if (where == PINNED)
        CUDA(cudaFreeHost(array));
    else if (where == MANAGED || where == DEVICE)
        CUDA(cudaFree(array));
    else
        free(array);
}

/* Around the pieces in which host memory is staged. */
#define PIECE PARSCAN_PINNED_BYTES
static const size_t lengths[] = {1,         3,         PIECE - 1,     PIECE,
                                 PIECE + 1, 2 * PIECE, 2 * PIECE + 1, 3 * PIECE + 12345};
#define LONGEST (3 * PIECE + 12345)
#define EDGE 64u

/* Bytes and their sums, and an array of each place for the input and for the output. */
typedef struct bench {
    parscan_context *context;
    uint8_t *in, *sums, *found;
    uint8_t *from[PLACES], *to[PLACES];
} bench;

static bench bench_create(void)
{
    bench b = {.context = context_on(NULL)};
    uint8_t sum = 0;
    b.in = random_array(PARSCAN_U8, PARSCAN_SUM, LONGEST);
    b.sums = malloc(LONGEST);
    b.found = malloc(LONGEST + 2 * EDGE);
    for (size_t i = 0; i < LONGEST; i++)
        b.sums[i] = sum = (uint8_t)(sum + b.in[i]);
    for (place p = 0; p < PLACES; p++) {
        b.from[p] = allocate(p, LONGEST + 2 * EDGE);
        b.to[p] = allocate(p, LONGEST + 2 * EDGE);
    }
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    for (place p = 0; p < PLACES; p++) {
        release(p, b->from[p]);
        release(p, b->to[p]);
    }
    free(b->in);
    free(b->sums);
    free(b->found);
}

/* Scans n bytes that start `offset` bytes into their arrays; nothing around them may change. */
static void expect_bytes(bench *b, place from, place to, bool in_place, size_t n, unsigned offset)
{
    uint8_t *const out = b->to[to] + offset;
    uint8_t *const in = in_place ? out : b->from[from] + (EDGE - offset);
    if (to == MANAGED || to == DEVICE)
        CUDA(cudaMemset(b->to[to], ROOM_BYTE, n + 2 * EDGE));
    else
        memset(b->to[to], ROOM_BYTE, n + 2 * EDGE);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(in, b->in, n, cudaMemcpyDefault));
    expect_ok(b->context, parscan_inclusive_scan(b->context, PARSCAN_U8, in, out, n, NULL));
    expect_ok(b->context, parscan_synchronize(b->context));
    CUDA(cudaMemcpy(b->found, b->to[to], n + 2 * EDGE, cudaMemcpyDefault));
    cr_assert_eq(memcmp(b->found + offset, b->sums, n), 0, "%s to %s, in place %d, n = %zu",
                 place_names[from], place_names[to], in_place, n);
    const size_t behind = 2 * EDGE - offset;
    cr_assert(first_other_than(ROOM_BYTE, b->found, offset) == offset &&
                  first_other_than(ROOM_BYTE, b->found + offset + n, behind) == behind,
              "memory around n = %zu in %s was written", n, place_names[to]);
}

Test(arrays, may_lie_in_memory_of_any_two_kinds)
{
    bench b = bench_create();
    for (size_t k = 0; k < COUNT_OF(lengths) * PLACES * PLACES; k++)
        expect_bytes(&b, (place)(k % PLACES), (place)(k / PLACES % PLACES), false,
                     lengths[k / PLACES / PLACES], (unsigned)(k % EDGE));
    bench_destroy(&b);
}

Test(arrays, may_be_scanned_in_place_in_memory_of_any_kind)
{
    bench b = bench_create();
    for (size_t k = 0; k < COUNT_OF(lengths) * PLACES; k++)
        expect_bytes(&b, (place)(k % PLACES), (place)(k % PLACES), true, lengths[k / PLACES],
                     (unsigned)(7 * k % EDGE));
    bench_destroy(&b);
}

Test(arrays, of_the_host_need_no_alignment)
{
    enum { N = 5003 };
    parscan_context *const context = context_on(NULL);
    for (size_t t = 0; t < TYPES; t++) {
        void *const in = random_array(all_types[t], PARSCAN_SUM, N);
        for (unsigned offset = 0; offset < 9; offset++) {
            scan_case scan = {.type = all_types[t], .n = N, .in_offset = offset};
            scan.out_offset = 8 - offset;
            scan.kind = (scan_kind)(offset % 3);
            expect_scan(context, scan, in);
        }
        free(in);
    }
    parscan_context_destroy(context);
}

Test(reduction, leaves_its_result_where_it_is_asked_to)
{
    enum { N = 70001 };
    bench b = bench_create();
    for (place from = 0; from < PLACES; from++)
        for (place to = 0; to < PLACES; to++) {
            CUDA(cudaMemcpy(b.from[from], b.in, N, cudaMemcpyDefault));
            expect_ok(b.context,
                      parscan_reduce(b.context, PARSCAN_U8, b.from[from], b.to[to], N, NULL));
            expect_ok(b.context, parscan_synchronize(b.context));
            CUDA(cudaMemcpy(b.found, b.to[to], 1, cudaMemcpyDefault));
            cr_assert_eq(b.found[0], b.sums[N - 1], "%s to %s", place_names[from], place_names[to]);
        }
    bench_destroy(&b);
}

Test(copies, go_from_every_kind_of_memory_to_every_other)
{
    bench b = bench_create();
    for (size_t k = 0; k < COUNT_OF(lengths) * PLACES * PLACES; k++) {
        const place from = (place)(k % PLACES), to = (place)(k / PLACES % PLACES);
        const size_t n = lengths[k / PLACES / PLACES];
        CUDA(cudaMemcpy(b.from[from], b.in, n, cudaMemcpyDefault));
        memset(b.found, 0, n);
        expect_ok(b.context, parscan_copy(b.context, b.to[to], b.from[from], n));
        expect_ok(b.context, parscan_synchronize(b.context));
        CUDA(cudaMemcpy(b.found, b.to[to], n, cudaMemcpyDefault));
        cr_assert_eq(memcmp(b.found, b.in, n), 0, "%zu bytes, %s to %s", n, place_names[from],
                     place_names[to]);
    }
    bench_destroy(&b);
}

static void expect_refusal(parscan_context *context, const void *in, void *out, const char *words)
{
    const parscan_status status = parscan_inclusive_scan(context, PARSCAN_U32, in, out, 100, NULL);
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), words), "\"%s\" has no \"%s\"",
                       parscan_context_error(context), words);
}

Test(arrays, on_the_device_that_are_not_aligned_to_their_type_are_refused)
{
    parscan_context *const context = context_on(NULL);
    char *const in = device_room(1000), *const out = device_room(1000);
    for (int offset = 1; offset < 4; offset++) {
        expect_refusal(context, in + offset, out, "in = ");
        expect_refusal(context, in, out + offset, "out = ");
    }
    uint32_t host[101] = {0};
    expect_refusal(context, in + 2, host, "in = ");
    expect_refusal(context, host, out + 2, "out = ");
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, in, out, 100, NULL));
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    parscan_context_destroy(context);
}

Test(arrays, on_a_device_are_refused_by_the_cpu_and_named)
{
    need_cuda();
    parscan_context *context = NULL;
    const parscan_context_options options = PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    uint32_t *const device = device_room(1000), *const host = allocate(PINNED, 1000);
    expect_refusal(context, device, host, "in = ");
    expect_refusal(context, host, device, "out = ");
    cr_assert_eq(parscan_reduce(context, PARSCAN_U32, host, device, 100, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_reduce(context, PARSCAN_U32, device, host, 100, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, host, host, 100, NULL));
    CUDA(cudaFree(device));
    release(PINNED, host);
    parscan_context_destroy(context);
}

static void two_devices_or_skip(void)
{
    int devices = 0;
    need_cuda();
    CUDA(cudaGetDeviceCount(&devices));
    if (devices < 2)
        cr_skip_test("one CUDA device: nothing can be on another\n");
}

Test(arrays, on_another_device_are_refused_and_named)
{
    two_devices_or_skip();
    CUDA(cudaSetDevice(1));
    uint32_t *const there = device_room(1000);
    CUDA(cudaSetDevice(0));
    uint32_t *const here = device_room(1000);
    parscan_context *const context = context_on(NULL);
    expect_refusal(context, there, here, "in is on device 1");
    expect_refusal(context, here, there, "out is on device 1");
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, here, here, 100, NULL));
    parscan_context_destroy(context);
    CUDA(cudaFree(here));
    CUDA(cudaFree(there));
}

Test(context, of_another_device_leaves_the_current_one_as_it_is)
{
    enum { N = 5003 };
    two_devices_or_skip();
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .device = 1);
    CUDA(cudaSetDevice(0));
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    void *const in = random_array(PARSCAN_F64, PARSCAN_SUM, N);
    int current = -1;
    expect_scan(context, (scan_case){.type = PARSCAN_F64, .n = N}, in);
    CUDA(cudaGetDevice(&current));
    cr_assert_eq(current, 0);
    parscan_context_destroy(context);
    CUDA(cudaGetDevice(&current));
    cr_assert_eq(current, 0);
    free(in);
}

Test(context, of_a_device_that_is_not_there_is_refused_and_named)
{
    static const int devices[] = {-1, 4096};
    need_cuda();
    for (size_t k = 0; k < COUNT_OF(devices); k++) {
        char words[256] = "", value[32];
        parscan_context *context = NULL;
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .device = devices[k],
                                    .error = words, .error_size = sizeof words);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_ERROR_INVALID_ARGUMENT);
        cr_assert_null(context);
        snprintf(value, sizeof value, "device = %d", devices[k]);
        cr_assert_not_null(strstr(words, value), "%s", words);
    }
}

static size_t held_by(const parscan_context *context)
{
    const struct parscan_cuda *const cuda = ((const struct parscan_context *)context)->cuda;
    size_t held = 0;
    for (const parscan_device_buffer *b = &cuda->chain; b != NULL; b = b->retired)
        held += b->size;
    for (const parscan_device_buffer *b = &cuda->scratch; b != NULL; b = b->retired)
        held += b->size;
    return held;
}

/* Calls that need scratch and calls that need the chain's words, of growing arrays, until neither is
   allowed. Returns how many were. */
static unsigned grow_until_refused(parscan_context *context, const uint8_t *in, uint8_t *out,
                                   size_t limit)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2);
    unsigned allowed = 0;
    for (size_t n = 1000; n < LONGEST; n *= 2)
        for (int chained = 0; chained < 2; chained++) {
            const parscan_status status =
                parscan_inclusive_scan(context, PARSCAN_U8, in, out, n, chained ? NULL : &options);
            cr_assert(status == PARSCAN_OK ||
                          (status == PARSCAN_ERROR_OUT_OF_MEMORY &&
                           strstr(parscan_context_error(context), "scratch_limit = ") != NULL),
                      "n = %zu: %s", n, parscan_context_error(context));
            allowed += status == PARSCAN_OK;
            cr_assert_leq(held_by(context), limit, "n = %zu", n);
        }
    return allowed;
}

Test(scratch_limit, holds_for_all_that_the_context_keeps_and_what_graphs_may_hold)
{
    bench b = bench_create();
    cudaStream_t stream;
    cudaGraph_t graph;
    CUDA(cudaStreamCreate(&stream));
    for (size_t limit = 10000; limit < 4000000; limit *= 7) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.stream = stream, .scratch_limit = limit});
        uint8_t *const in = b.from[DEVICE], *const out = b.to[DEVICE];
        const unsigned allowed = grow_until_refused(context, in, out, limit);
        cr_assert_gt(allowed, 4);
        expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U8, in, out, 1000, NULL));
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        const parscan_status status =
            parscan_inclusive_scan(context, PARSCAN_U8, in, out, 1000, NULL);
        CUDA(cudaStreamEndCapture(stream, &graph));
        expect_ok(context, status);
        grow_until_refused(context, in, out, limit);
        expect_ok(context, parscan_synchronize(context));
        CUDA(cudaGraphDestroy(graph));
        parscan_context_destroy(context);
    }
    CUDA(cudaStreamDestroy(stream));
    bench_destroy(&b);
}

/* What a graph holds is put aside, which takes a few bytes of the host. */
Test(allocator, that_fails_when_scratch_is_put_aside_is_survived)
{
    bench b = bench_create();
    counting c = counting_begin(NEVER);
    cudaStream_t stream;
    cudaGraph_t graph;
    CUDA(cudaStreamCreate(&stream));
    parscan_context_options options = counting_options(&c);
    options.stream = stream;
    parscan_context *const context = test_context_with(options);
    uint8_t *const in = b.from[DEVICE], *const out = b.to[DEVICE];
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U8, in, out, 1000, NULL));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = parscan_inclusive_scan(context, PARSCAN_U8, in, out, 1000, NULL);
    CUDA(cudaStreamEndCapture(stream, &graph));
    expect_ok(context, status);
    c.fails_at = c.calls;
    const parscan_scan_options much =
        PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U8, in, out, LONGEST, &much),
                 PARSCAN_ERROR_OUT_OF_MEMORY);
    cr_assert_not_null(strstr(parscan_context_error(context), "no memory for "), "%s",
                       parscan_context_error(context));
    device_write(in, b.in, LONGEST);
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U8, in, out, LONGEST, &much));
    expect_ok(context, parscan_synchronize(context));
    uint8_t *const found = host_copy_of(out, LONGEST);
    cr_assert_eq(memcmp(found, b.sums, LONGEST), 0);
    free(found);
    CUDA(cudaGraphDestroy(graph));
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
    counting_end(&c);
    bench_destroy(&b);
}
