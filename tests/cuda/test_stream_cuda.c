/* Work in stream order: with the caller's own, without a hidden wait, beside other contexts. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(stream, .timeout = 60);
TestSuite(call, .timeout = 60);
TestSuite(contexts, .timeout = 60);

#define N 300007u

/* Holds a stream up until it is opened, or for some seconds, so that a hidden wait ends in a failed
   test and not in a deadlock. */
typedef struct gate {
    atomic_bool open, gave_up;
} gate;

static void wait_at_gate(void *argument)
{
    gate *const g = argument;
    const struct timespec millisecond = {.tv_nsec = 1000000};
    for (int waited = 0; !atomic_load(&g->open); waited++) {
        if (waited == 8000) {
            atomic_store(&g->gave_up, true);
            return;
        }
        nanosleep(&millisecond, NULL);
    }
}

#define ANSWERS ((size_t)ALGORITHMS * 3)

/* N elements, and N on the device for each answer. */
typedef struct bench {
    uint32_t *in, *device_in, *out;
} bench;

static bench bench_create(void)
{
    bench b;
    need_cuda();
    b.in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    b.device_in = device_copy_of(b.in, N * sizeof *b.in);
    b.out = device_room(ANSWERS * N * sizeof *b.out);
    return b;
}

static void bench_destroy(bench *b)
{
    CUDA(cudaFree(b->device_in));
    CUDA(cudaFree(b->out));
    free(b->in);
}

/* Every kind by every algorithm. */
static void call_all(parscan_context *context, const bench *b)
{
    for (size_t k = 0; k < ANSWERS; k++) {
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.algorithm = all_algorithms[k / 3]);
        expect_ok(context, call_scan(context, (scan_kind)(k % 3), PARSCAN_U32, b->device_in,
                                     b->out + k * N, N, &options));
    }
}

static void expect_all(const bench *b)
{
    uint32_t *const out = host_copy_of(b->out, ANSWERS * N * sizeof *out);
    uint32_t *const expected = malloc(N * sizeof *expected);
    for (size_t k = 0; k < ANSWERS; k++) {
        const scan_kind kind = (scan_kind)(k % 3);
        plain_sums(kind, false, b->in, expected, N);
        const size_t results = kind == SCAN_REDUCE ? 1 : N;
        cr_assert_eq(memcmp(out + k * N, expected, results * sizeof *out), 0, "kind %d by %s",
                     (int)kind, parscan_algorithm_name(all_algorithms[k / 3]));
    }
    free(out);
    free(expected);
}

Test(call, returns_while_the_stream_is_held_up)
{
    cudaStream_t stream;
    bench b = bench_create();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    /* The first calls load kernels and grow scratch, which may wait. */
    call_all(context, &b);
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaMemset(b.out, 0, ANSWERS * N * sizeof *b.out));
    CUDA(cudaDeviceSynchronize());
    gate held = {false, false};
    CUDA(cudaLaunchHostFunc(stream, wait_at_gate, &held));
    call_all(context, &b);
    cr_assert_eq(cudaStreamQuery(stream), cudaErrorNotReady, "the stream was not held up");
    cr_assert_not(atomic_load(&held.gave_up), "a call waited for the stream");
    atomic_store(&held.open, true);
    expect_ok(context, parscan_synchronize(context));
    expect_all(&b);
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
    bench_destroy(&b);
}

Test(stream, of_the_caller_orders_scans_with_its_own_work)
{
    enum { ROUNDS = 200 };
    cudaStream_t stream;
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    uint32_t *const array = device_room(N * sizeof *array);
    uint32_t *last = NULL;
    CUDA(cudaMallocHost((void **)&last, ROUNDS * sizeof *last));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        CUDA(cudaMemsetAsync(array, (int)round, N * sizeof *array, stream));
        expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, array, array, N, NULL));
        CUDA(cudaMemcpyAsync(last + round, array + N - 1, sizeof *last, cudaMemcpyDeviceToHost,
                             stream));
    }
    CUDA(cudaStreamSynchronize(stream));
    for (uint32_t round = 0; round < ROUNDS; round++)
        cr_assert_eq(last[round], round * 0x01010101u * N, "round %u", round);
    CUDA(cudaFreeHost(last));
    CUDA(cudaFree(array));
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

Test(stream, may_be_one_of_the_default_ones_by_its_name)
{
    const cudaStream_t streams[] = {cudaStreamLegacy, cudaStreamPerThread};
    for (size_t s = 0; s < COUNT_OF(streams); s++) {
        bench b = bench_create();
        parscan_context *const context = context_on(streams[s]);
        call_all(context, &b);
        CUDA(cudaStreamSynchronize(streams[s]));
        expect_all(&b);
        parscan_context_destroy(context);
        bench_destroy(&b);
    }
}

Test(contexts, on_two_streams_of_one_thread_do_not_disturb_each_other)
{
    enum { ROUNDS = 40, SLOT = 1 << 20 };
    parscan_context *const contexts[2] = {context_on(NULL), context_on(NULL)};
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, SLOT);
    uint32_t *const device_in = device_copy_of(in, SLOT * sizeof *in);
    uint32_t *const out = device_room((size_t)2 * ROUNDS * SLOT * sizeof *out);
    for (size_t k = 0; k < 2 * ROUNDS; k++)
        expect_ok(contexts[k % 2], parscan_inclusive_scan(contexts[k % 2], PARSCAN_U32, device_in,
                                                          out + k * SLOT, SLOT - 1000 * k, NULL));
    for (int c = 0; c < 2; c++)
        expect_ok(contexts[c], parscan_synchronize(contexts[c]));
    uint32_t *const found = host_copy_of(out, (size_t)2 * ROUNDS * SLOT * sizeof *out);
    plain_sums(SCAN_INCLUSIVE, false, in, in, SLOT);
    for (size_t k = 0; k < 2 * ROUNDS; k++)
        cr_assert_eq(memcmp(found + k * SLOT, in, (SLOT - 1000 * k) * sizeof *in), 0, "scan %zu",
                     k);
    for (int c = 0; c < 2; c++)
        parscan_context_destroy(contexts[c]);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(out));
    free(found);
    free(in);
}

/* A context of its own and every call again and again, in one thread. */
typedef struct worker {
    bench b;
    parscan_status status;
} worker;

static void *call_again_and_again(void *argument)
{
    worker *const w = argument;
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA);
    w->status = parscan_context_create(&context, &options);
    for (size_t k = 0; k < ANSWERS * 20 && w->status == PARSCAN_OK; k++) {
        const size_t slot = k % ANSWERS;
        const parscan_scan_options call =
            PARSCAN_SCAN_OPTIONS(.algorithm = all_algorithms[slot / 3]);
        if (call.algorithm != PARSCAN_SEQUENTIAL || k < ANSWERS)
            w->status = call_scan(context, (scan_kind)(slot % 3), PARSCAN_U32, w->b.device_in,
                                  w->b.out + slot * N, N, &call);
    }
    if (w->status == PARSCAN_OK)
        w->status = parscan_synchronize(context);
    parscan_context_destroy(context);
    return NULL;
}

Test(contexts, in_four_threads_do_not_disturb_each_other)
{
    enum { WORKERS = 4 };
    worker workers[WORKERS];
    pthread_t threads[WORKERS];
    for (int w = 0; w < WORKERS; w++)
        workers[w].b = bench_create();
    for (int w = 0; w < WORKERS; w++)
        cr_assert_eq(pthread_create(&threads[w], NULL, call_again_and_again, &workers[w]), 0);
    for (int w = 0; w < WORKERS; w++)
        pthread_join(threads[w], NULL);
    for (int w = 0; w < WORKERS; w++) {
        cr_assert_eq(workers[w].status, PARSCAN_OK);
        expect_all(&workers[w].b);
        bench_destroy(&workers[w].b);
    }
}

Test(contexts, that_are_destroyed_finish_what_they_were_asked_for)
{
    bench b = bench_create();
    parscan_context *const context = context_on(NULL);
    call_all(context, &b);
    parscan_context_destroy(context);
    expect_all(&b);
    bench_destroy(&b);
}

/* ---- another stream ---- */

/* A scan on each of three streams in turn, in place, the first of which is held up: NULL is the
   context's own. */
Test(stream, that_follows_another_waits_for_what_the_context_did_there)
{
    bench b = bench_create();
    cudaStream_t streams[3] = {NULL};
    for (int k = 0; k < 2; k++)
        CUDA(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    parscan_context *const context = context_on(streams[0]);
    uint32_t *const expected = malloc(N * sizeof *expected);
    memcpy(expected, b.in, N * sizeof *expected);
    CUDA(cudaMemcpy(b.out, b.in, N * sizeof *b.in, cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    for (int round = 0; round < 2; round++) { /* nothing is allocated in the second one */
        gate held = {false, false};
        if (round == 1)
            CUDA(cudaLaunchHostFunc(streams[0], wait_at_gate, &held));
        for (int k = 0; k < 3; k++) {
            if (round > 0 || k > 0)
                expect_ok(context, parscan_context_set_stream(context, streams[k]));
            expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, b.out, b.out, N, NULL));
            plain_sums(SCAN_INCLUSIVE, false, expected, expected, N);
        }
        atomic_store(&held.open, true);
        expect_ok(context, parscan_synchronize(context));
        cr_assert(!atomic_load(&held.gave_up), "the host has waited");
        uint32_t *const found = host_copy_of(b.out, N * sizeof *found);
        cr_assert_eq(memcmp(found, expected, N * sizeof *found), 0, "round %d", round);
        free(found);
        expect_ok(context, parscan_context_set_stream(context, streams[0]));
        expect_ok(context, parscan_synchronize(context));
    }
    /* Host arrays, and a sort, on the stream that the context has moved to. */
    expect_ok(context, parscan_context_set_stream(context, streams[1]));
    expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, b.in);
    expect_ok(context, parscan_context_set_stream(context, NULL));
    expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, b.in);
    for (int k = 0; k < 2; k++)
        CUDA(cudaStreamDestroy(streams[k]));
    expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, b.in);
    parscan_context_destroy(context);
    free(expected);
    bench_destroy(&b);
}

Test(stream, in_capture_is_neither_left_nor_taken)
{
    bench b = bench_create();
    cudaStream_t streams[2];
    cudaGraph_t graph;
    for (int k = 0; k < 2; k++)
        CUDA(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    parscan_context *const context = context_on(streams[0]);
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, b.device_in, b.out, N, NULL));
    for (int k = 0; k < 2; k++) {
        CUDA(cudaStreamBeginCapture(streams[k], cudaStreamCaptureModeThreadLocal));
        const parscan_status status = parscan_context_set_stream(context, streams[1]);
        const parscan_status scanned =
            parscan_inclusive_scan(context, PARSCAN_U32, b.device_in, b.out, N, NULL);
        CUDA(cudaStreamEndCapture(streams[k], &graph));
        cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED);
        expect_ok(context, scanned);
        CUDA(cudaGraphDestroy(graph));
    }
    expect_ok(context, parscan_context_set_stream(context, streams[1]));
    expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, b.in);
    parscan_context_destroy(context);
    for (int k = 0; k < 2; k++)
        CUDA(cudaStreamDestroy(streams[k]));
    bench_destroy(&b);
}
