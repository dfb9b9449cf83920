/*
 * Errors of CUDA, the caller's and the device's. Linked with the static library, so that test and
 * library share one CUDA runtime and its last error, as a program may that links both.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/scan.h"
#include "scan/context/context_state.h"
#include "scan/cuda/cuda_context.h"
#include "scan/tables.h"
#include "tests/cuda/kernels_on_cuda.h"
#include "tests/support/test_engine.h"

TestSuite(last_error, .timeout = 60);
TestSuite(device, .timeout = 60);
TestSuite(kernels, .timeout = 60);

#define N 5003u

typedef struct bench {
    parscan_context *context;
    uint32_t *in, *out;
} bench;

static bench bench_create(void)
{
    bench b = {0};
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA);
    need_cuda();
    cudaGetLastError(); /* what a test before this one, in the same process, may have left */
    cr_assert_eq(parscan_context_create(&b.context, &options), PARSCAN_OK);
    cr_assert_eq(cudaMalloc((void **)&b.in, N * sizeof *b.in), cudaSuccess);
    cr_assert_eq(cudaMalloc((void **)&b.out, N * sizeof *b.out), cudaSuccess);
    cr_assert_eq(cudaMemset(b.in, 0, N * sizeof *b.in), cudaSuccess);
    return b;
}

/* It may be lost: cudaFuncSetAttribute(), which succeeds, clears it (CUDA 13.0). */
Test(last_error, of_the_callers_is_not_taken_for_the_librarys)
{
    static const parscan_algorithm algorithms[] = {
#define X(ctx, NAME, ...) PARSCAN_##NAME,
        PARSCAN_ALGORITHMS(X, )
#undef X
    };
    bench b = bench_create();
    uint32_t host[N] = {0};
    for (size_t a = 0; a < 2 * sizeof algorithms / sizeof algorithms[0]; a++) {
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = algorithms[a / 2]);
        uint32_t *const out = a % 2 == 0 ? b.out : host;
        cr_assert_neq(bad_launch_on_cuda(NULL), cudaSuccess);
        cr_assert_eq(parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, out, N, &options),
                     PARSCAN_OK, "%s: %s", parscan_algorithm_name(algorithms[a / 2]),
                     parscan_context_error(b.context));
        cr_assert_eq(parscan_reduce(b.context, PARSCAN_U32, b.in, out, N, &options), PARSCAN_OK);
        cr_assert_eq(parscan_synchronize(b.context), PARSCAN_OK);
    }
    parscan_context_destroy(b.context);
    cudaFree(b.in);
    cudaFree(b.out);
}

Test(last_error, of_the_callers_does_not_keep_a_context_from_being_made)
{
    bench b = bench_create();
    cr_assert_neq(bad_launch_on_cuda(NULL), cudaSuccess);
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA);
    parscan_context *context = NULL;
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    parscan_context_destroy(context);
    parscan_context_destroy(b.context);
    cudaFree(b.in);
    cudaFree(b.out);
}

Test(last_error, of_a_call_that_failed_is_not_left_behind)
{
    bench b = bench_create();
    uint32_t *const misplaced = (uint32_t *)((char *)b.in + 1);
    cr_assert_eq(parscan_inclusive_scan(b.context, PARSCAN_U32, misplaced, b.out, N - 1, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(cudaGetLastError(), cudaSuccess);
    parscan_context_destroy(b.context);
    cudaFree(b.in);
    cudaFree(b.out);
}

/* Blocks of the kernel that the device holds at once, as CUDA tells. */
static unsigned blocks_held(unsigned threads, size_t shared_bytes)
{
    struct cudaDeviceProp device;
    int each = 0;
    cr_assert_eq(cudaGetDeviceProperties(&device, 0), cudaSuccess);
    cr_assert_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, hog_kernel(), (int)threads,
                                                               shared_bytes),
                 cudaSuccess);
    return (unsigned)(each * device.multiProcessorCount);
}

Test(kernels, of_one_function_are_told_by_their_launch_shapes)
{
    static const struct shape {
        unsigned threads;
        size_t shared_bytes;
    } shapes[] = {{1024, 0}, {32, 0}, {256, 60000}, {256, 1024}, {1024, 0}, {256, 60000}};
    bench b = bench_create();
    parscan_cuda *const cuda = b.context->cuda;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const struct shape shape = shapes[k];
        parscan_cuda_kernel kernel;
        cr_assert_eq(
            parscan_cuda_kernel_of(cuda, hog_kernel(), shape.threads, shape.shared_bytes, &kernel),
            cudaSuccess);
        cr_assert_eq(kernel.blocks, blocks_held(shape.threads, shape.shared_bytes),
                     "%u blocks of %u threads and %zu bytes", kernel.blocks, shape.threads,
                     shape.shared_bytes);
    }
    /* What one shape needs is still allowed after a smaller one. */
    struct cudaFuncAttributes attributes;
    cr_assert_eq(cudaFuncGetAttributes(&attributes, hog_kernel()), cudaSuccess);
    cr_assert_geq(attributes.maxDynamicSharedSizeBytes, 60000);
    parscan_cuda_kernel untouched = {.blocks = 12345};
    cr_assert_neq(parscan_cuda_kernel_of(cuda, hog_kernel(), 4096, 0, &untouched), cudaSuccess);
    cr_assert_eq(untouched.blocks, 12345);
    parscan_context_destroy(b.context);
    cudaFree(b.in);
    cudaFree(b.out);
}

/* What follows leaves the device out of order. */
static void expect_words(parscan_status status, const char *found, cudaError_t error)
{
    cr_assert_eq(status, PARSCAN_ERROR_DEVICE, "%s: %s", parscan_status_string(status), found);
    cr_assert_not_null(strstr(found, cudaGetErrorString(error)), "\"%s\" has not CUDA's \"%s\"",
                       found, cudaGetErrorString(error));
}

Test(device, that_is_out_of_order_is_reported_with_the_words_of_cuda)
{
    bench b = bench_create();
    cr_assert_eq(fault_on_cuda(NULL), cudaSuccess);
    const cudaError_t error = cudaDeviceSynchronize();
    cr_assert_neq(error, cudaSuccess);
    expect_words(parscan_synchronize(b.context), parscan_context_error(b.context), error);
    expect_words(parscan_inclusive_scan(b.context, PARSCAN_U32, b.in, b.out, N, NULL),
                 parscan_context_error(b.context), error);
    char words[256] = "";
    parscan_context *context = NULL;
    parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .error = words,
                                .error_size = sizeof words);
    cr_assert_neq(parscan_context_create(&context, &options), PARSCAN_OK);
    cr_assert_null(context);
    cr_assert_gt(strlen(words), 0);
    /* The caller is told as well, and the CPU is still there. */
    cr_assert_eq(cudaDeviceSynchronize(), error);
    options.backend = PARSCAN_BACKEND_AUTO;
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK, "%s", words);
    cr_assert_eq(parscan_context_backend(context), PARSCAN_BACKEND_CPU);
    parscan_context_destroy(context);
    parscan_context_destroy(b.context);
}
