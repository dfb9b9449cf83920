/*
 * More than 2^32 elements of u32 on the device. The input is the odd numbers, whose sums are squares:
 * every element of every answer is checked, there.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/cuda/kernels_on_cuda.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

#define N (((size_t)1 << 32) + 5)
#define BYTES (N * sizeof(uint32_t))

typedef struct bench {
    parscan_context *context;
    uint32_t *in, *out;
    unsigned long long *wrong;
} bench;

static void expect_squares(bench *b, const uint32_t *array, scan_kind kind, bool reverse,
                           const char *what)
{
    /* Forward: (i + 1)^2, i^2. Reverse: n^2 - i^2, n^2 - (i + 1)^2. */
    const size_t shift = (kind == SCAN_INCLUSIVE) != reverse ? 1 : 0;
    const uint32_t all = (uint32_t)N * (uint32_t)N;
    unsigned long long wrong = 0;
    CUDA(cudaMemset(b->wrong, 0, sizeof *b->wrong));
    CUDA(count_no_squares_on_cuda(array, N, reverse ? (uint32_t)-1 : 1, shift, reverse ? all : 0,
                                  b->wrong, NULL));
    CUDA(cudaMemcpy(&wrong, b->wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    cr_assert_eq(wrong, 0, "%s, kind %d, reverse %d: %llu elements are wrong", what, (int)kind,
                 reverse, wrong);
}

static void expect_scan_of_odd_numbers(bench *b, scan_kind kind, bool reverse,
                                       parscan_algorithm algorithm, bool in_place)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = algorithm, .reverse = reverse);
    uint32_t *const in = in_place ? b->out : b->in;
    CUDA(cudaMemset(b->out, 0, BYTES));
    if (in_place)
        CUDA(odd_numbers_on_cuda(b->out, N, NULL));
    CUDA(cudaDeviceSynchronize());
    expect_ok(b->context, call_scan(b->context, kind, PARSCAN_U32, in, b->out, N, &options));
    expect_ok(b->context, parscan_synchronize(b->context));
    expect_squares(b, b->out, kind, reverse, parscan_algorithm_name(algorithm));
}

static void expect_sum_of_odd_numbers(bench *b, parscan_algorithm algorithm, bool reverse)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = algorithm, .reverse = reverse);
    uint32_t sum = 0;
    expect_ok(b->context, parscan_reduce(b->context, PARSCAN_U32, b->in, &sum, N, &options));
    cr_assert_eq(sum, (uint32_t)N * (uint32_t)N);
}

Test(device, takes_more_than_2_32_elements_of_u32, .timeout = 120)
{
    size_t available = 0, all = 0;
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &all));
    if (available < 3 * BYTES)
        cr_skip_test("2^32 elements: %zu MiB of device memory are available, %zu are needed\n",
                     available >> 20, 3 * BYTES >> 20);
    bench b = {.context = context_on(NULL)};
    CUDA(cudaMalloc((void **)&b.in, BYTES));
    CUDA(cudaMalloc((void **)&b.out, BYTES));
    CUDA(cudaMalloc((void **)&b.wrong, sizeof *b.wrong));
    CUDA(odd_numbers_on_cuda(b.in, N, NULL));
    for (int mode = 0; mode < 8; mode++)
        expect_scan_of_odd_numbers(&b, (scan_kind)(mode % 2), mode / 2 % 2, PARSCAN_AUTO, mode / 4);
    expect_scan_of_odd_numbers(&b, SCAN_INCLUSIVE, false, PARSCAN_THREE_PHASE, false);
    expect_scan_of_odd_numbers(&b, SCAN_EXCLUSIVE, true, PARSCAN_KOGGE_STONE, true);
    expect_scan_of_odd_numbers(&b, SCAN_INCLUSIVE, true, PARSCAN_BRENT_KUNG, false);
    expect_scan_of_odd_numbers(&b, SCAN_EXCLUSIVE, false, PARSCAN_WARP, false);
    expect_sum_of_odd_numbers(&b, PARSCAN_AUTO, false);
    expect_sum_of_odd_numbers(&b, PARSCAN_AUTO, true);
    expect_sum_of_odd_numbers(&b, PARSCAN_KOGGE_STONE, false);
    parscan_context_destroy(b.context);
    CUDA(cudaFree(b.in));
    CUDA(cudaFree(b.out));
    CUDA(cudaFree(b.wrong));
}
