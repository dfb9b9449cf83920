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

/* Leaves about so many bytes of the device's memory. */
static bench bench_create(size_t left)
{
    bench b = {.context = context_on(NULL)};
    size_t available = 0, all = 0;
    b.in = device_room(N * sizeof *b.in);
    b.out = device_room(N * sizeof *b.out);
    CUDA(cudaMemset(b.in, 0, N * sizeof *b.in));
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, 1000, NULL));
    expect_ok(b.context, parscan_synchronize(b.context));
    CUDA(cudaMemset(b.out, ROOM_BYTE, N * sizeof *b.out));
    CUDA(cudaMemGetInfo(&available, &all));
    size_t hogged = available - left;
    while (cudaMalloc(&b.hogged, hogged) != cudaSuccess)
        hogged -= 2 * MIB;
    cudaGetLastError();
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

/* Blocks of two elements: as much scratch as the array has. */
Test(memory, for_scratch_that_the_device_has_not_fails_writes_nothing_and_comes_later)
{
    bench b = bench_create(32 * MIB);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2);
    for (int again = 0; again < 3; again++)
        expect_out_of_memory(
            &b, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, &options), 0);
    void *const out = host_copy_of(b.out, N * sizeof *b.out);
    cr_assert_eq(first_other_than(ROOM_BYTE, out, N * sizeof *b.out), N * sizeof *b.out,
                 "a failed call wrote");
    free(out);
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, NULL));
    give_back(&b);
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, &options));
    expect_ok(b.context, parscan_synchronize(b.context));
    bench_destroy(&b);
}

Test(memory, for_host_arrays_that_the_device_has_not_fails_writes_nothing_and_comes_later)
{
    bench b = bench_create(128 * MIB);
    uint32_t *const in = calloc(N, sizeof *in), *const out = calloc(N, sizeof *out);
    cr_assert(in != NULL && out != NULL);
    in[0] = 7;
    for (int again = 0; again < 3; again++)
        expect_out_of_memory(&b, parscan_inclusive_scan(b.context, PARSCAN_U32, in, out, N, NULL),
                             2 * N * sizeof *in);
    cr_assert_eq(first_other_than(0, out, N * sizeof *out), N * sizeof *out, "a failed call wrote");
    expect_scan(b.context, (scan_case){.type = PARSCAN_U32, .n = 100003}, in);
    /* What the failed call would have copied it has not kept. */
    size_t available = 0, all = 0;
    CUDA(cudaMemGetInfo(&available, &all));
    cr_assert_gt(available, 32 * MIB);
    give_back(&b);
    expect_ok(b.context, parscan_inclusive_scan(b.context, PARSCAN_U32, in, out, N, NULL));
    size_t right = 0;
    while (right < N && out[right] == 7)
        right++;
    cr_assert_eq(right, N);
    bench_destroy(&b);
    free(in);
    free(out);
}
