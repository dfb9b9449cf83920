/* The device's memory used up: what fails says so, writes nothing, and may be tried again. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/cuda/on_device.h"

TestSuite(memory, .timeout = 120);

#define MIB ((size_t)1 << 20)
#define N (64 * MIB) /* elements of 4 bytes */

typedef struct bench {
    parscan_context *context;
    uint32_t *in, *out; /* on the device: zeros, and ROOM_BYTE */
    void *hogged;
} bench;

/* Blocks of two elements: as much scratch as the array has. */
static const parscan_scan_options small_blocks = {
    .struct_size = sizeof small_blocks, .algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2};

/* Leaves about so many bytes of the device's memory, which are kept aside while the rest is taken: not all that is
   free can be allocated. */
static bench bench_create(size_t left)
{
    bench b = {.context = context_on(NULL)};
    size_t available = 0, all = 0;
    void *aside;
    b.in = device_room(N * sizeof *b.in);
    b.out = device_room(N * sizeof *b.out);
    CUDA(cudaMemset(b.in, 0, N * sizeof *b.in));
    /* The code of kernels takes memory at their first launch. */
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, 1000, NULL));
    expect_ok(b.context,
              parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, 1000, &small_blocks));
    expect_ok(b.context, parscan_synchronize(b.context));
    CUDA(cudaMemset(b.out, ROOM_BYTE, N * sizeof *b.out));
    CUDA(cudaMalloc(&aside, left));
    CUDA(cudaMemGetInfo(&available, &all));
    size_t hogged = available;
    while (cudaMalloc(&b.hogged, hogged) != cudaSuccess)
        hogged -= 2 * MIB;
    cudaGetLastError();
    CUDA(cudaFree(aside));
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    CUDA(cudaFree(b->hogged));
    CUDA(cudaFree(b->in));
    CUDA(cudaFree(b->out));
}

static void give_back(bench *b)
{
    CUDA(cudaFree(b->hogged));
    b->hogged = NULL;
}

/* With the bytes that are needed, those that are free, and all. */
static void expect_out_of_memory(bench *b, parscan_status status, size_t needed)
{
    const char *const said = parscan_context_error(b->context);
    char words[64];
    size_t available = 0, all = 0;
    CUDA(cudaMemGetInfo(&available, &all));
    cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY, "%s: %s", parscan_status_string(status),
                 said);
    snprintf(words, sizeof words, "memory for %zu bytes: ", needed);
    if (needed == 0) /* not known here */
        strcpy(words, "memory for ");
    cr_assert_not_null(strstr(said, words), "'%s' is not in: %s", words, said);
    snprintf(words, sizeof words, " of its %zu bytes are free", all);
    cr_assert_not_null(strstr(said, words), "'%s' is not in: %s", words, said);
}

Test(memory, beyond_the_device_is_refused_and_the_context_goes_on)
{
    bench b = bench_create(1024 * MIB);
    void *pointer = &b;
    expect_out_of_memory(&b, parscan_malloc(b.context, &pointer, (size_t)1 << 40), (size_t)1 << 40);
    cr_assert_null(pointer);
    expect_ok(b.context, parscan_malloc(b.context, &pointer, MIB));
    expect_ok(b.context, parscan_free(b.context, pointer));
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, NULL));
    expect_ok(b.context, parscan_synchronize(b.context));
    bench_destroy(&b);
}

Test(memory, for_scratch_that_the_device_has_not_fails_writes_nothing_and_comes_later)
{
    bench b = bench_create(32 * MIB);
    for (int again = 0; again < 3; again++)
        expect_out_of_memory(
            &b, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, &small_blocks), 0);
    void *const out = host_copy_of(b.out, N * sizeof *b.out);
    cr_assert_eq(first_other_than(ROOM_BYTE, out, N * sizeof *b.out), N * sizeof *b.out,
                 "a failed call wrote");
    free(out);
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, NULL));
    give_back(&b);
    expect_ok(b.context,
              parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, &small_blocks));
    expect_ok(b.context, parscan_synchronize(b.context));
    bench_destroy(&b);
}

/* A failed growth leaves the scratch that there was: what has run can be captured. */
Test(memory, for_more_scratch_leaves_calls_that_ran_fit_for_a_graph)
{
    bench b = bench_create(32 * MIB);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    CUDA(cudaStreamCreate(&stream));
    parscan_context *const context = context_on(stream);
    enum { FEW = 50000 };
    expect_ok(context,
              parscan_inclusive_scan(context, PARSCAN_U32, b.in, b.out, FEW, &small_blocks));
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, b.in, b.out, FEW, NULL));
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, b.in, b.out, N, &small_blocks),
                 PARSCAN_ERROR_OUT_OF_MEMORY);
    CUDA(cudaMemset(b.in, 1, N * sizeof *b.in));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status statuses[] = {
        parscan_inclusive_scan(context, PARSCAN_U32, b.in, b.out, FEW, &small_blocks),
        parscan_inclusive_scan(context, PARSCAN_U32, b.out, b.out, FEW, NULL),
    };
    CUDA(cudaStreamEndCapture(stream, &graph));
    for (size_t k = 0; k < 2; k++)
        expect_ok(context, statuses[k]);
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphLaunch(replayed, stream));
    expect_ok(context, parscan_synchronize(context));
    uint32_t *const out = host_copy_of(b.out, FEW * sizeof *out);
    for (uint32_t i = 0; i < FEW; i++) /* sums of sums of 0x01010101 */
        cr_assert_eq(out[i], (uint32_t)((uint64_t)(i + 1) * (i + 2) / 2 * 0x01010101u), "%u", i);
    free(out);
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaGraphDestroy(graph));
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
    bench_destroy(&b);
}

/* Copies of host arrays that an earlier call left make room for scratch. */
Test(memory, for_scratch_comes_from_copies_that_no_call_works_on)
{
    bench b = bench_create(400 * MIB);
    uint32_t *const array = calloc(N, sizeof *array);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2);
    cr_assert_not_null(array);
    array[0] = 7;
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, array, array, N, NULL));
    cr_assert_eq(array[N - 1], 7);
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, &options));
    void *const out = host_copy_of(b.out, N * sizeof *b.out);
    cr_assert_eq(first_other_than(0, out, N * sizeof *b.out), N * sizeof *b.out);
    free(out);
    bench_destroy(&b);
    free(array);
}

/* They go through the device in chunks, which then make room for scratch. */
Test(memory, for_host_arrays_that_the_device_has_not_is_not_needed)
{
    bench b = bench_create(128 * MIB);
    uint32_t *const in = calloc(N, sizeof *in), *const out = calloc(N, sizeof *out);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2);
    cr_assert(in != NULL && out != NULL);
    in[0] = 7;
    for (int again = 0; again < 3; again++) {
        memset(out, 0, N * sizeof *out);
        expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, in, out, N, NULL));
        size_t right = 0;
        while (right < N && out[right] == 7)
            right++;
        cr_assert_eq(right, N);
        expect_scan(b.context, (scan_case){.type = PARSCAN_U32, .n = 100003}, in);
    }
    size_t available = 0, all = 0;
    CUDA(cudaMemGetInfo(&available, &all));
    cr_assert_gt(available, 16 * MIB);
    expect_ok(b.context,
              parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N / 6, &options));
    give_back(&b);
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, in, out, N, NULL));
    cr_assert_eq(out[N - 1], 7);
    bench_destroy(&b);
    free(in);
    free(out);
}
