/* Device memory of the caller's: what it is asked for and gets back. Memory reserved for a capture. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(device_allocator, .timeout = 120);
TestSuite(reserve, .timeout = 60);

#define N 100003u
enum { PIECES = 64 };

/* An allocator that knows each piece that is out, and fails when it is told to. */
typedef struct pool {
    void *pieces[PIECES], *stream;
    size_t sizes[PIECES], live, calls, fails_at, shift;
} pool;

#define NEVER SIZE_MAX

static void *take(size_t size, void *stream, void *user)
{
    pool *const p = user;
    unsigned k = 0;
    void *piece;
    cr_assert(size > 0 && stream == p->stream);
    if (p->calls++ == p->fails_at)
        return NULL;
    while (k < PIECES && p->pieces[k] != NULL)
        k++;
    cr_assert_lt(k, PIECES);
    CUDA(cudaMalloc(&piece, size + 256));
    CUDA(cudaMemset(piece, 0xff, size + 256)); /* new memory is not clear */
    CUDA(cudaDeviceSynchronize());
    p->pieces[k] = piece;
    p->sizes[k] = size;
    p->live += size;
    return (char *)piece + p->shift;
}

static void give_back(void *pointer, size_t size, void *stream, void *user)
{
    pool *const p = user;
    unsigned k = 0;
    while (k < PIECES && (p->pieces[k] == NULL || (char *)p->pieces[k] + p->shift != pointer))
        k++;
    cr_assert_lt(k, PIECES, "released what was not given");
    cr_assert(p->sizes[k] == size && stream == p->stream);
    CUDA(cudaFree(p->pieces[k])); /* waits for the device */
    p->pieces[k] = NULL;
    p->live -= size;
}

static parscan_status create_on(pool *p, cudaStream_t stream, parscan_context **context)
{
    const parscan_device_allocator allocator =
        PARSCAN_DEVICE_ALLOCATOR(.allocate = take, .release = give_back, .user = p);
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .stream = stream,
                                .device_allocator = &allocator);
    p->stream = stream;
    return parscan_context_create(context, &options);
}

/* Scans, a sort and a compaction, on the device and from the host; each is tried again if it fails. */
static void call_all(parscan_context *context, const uint32_t *in, uint32_t *there, uint32_t *out)
{
    const parscan_scan_options blocks =
        PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_KOGGE_STONE, .block_threads = 2);
    uint64_t count;
    for (int k = 0; k < 4; k++)
        for (int again = 0; again < 2; again++) {
            const parscan_status status =
                k == 0   ? parscan_inclusive_scan(context, PARSCAN_U32, there, out, N, NULL)
                : k == 1 ? parscan_inclusive_scan(context, PARSCAN_U32, there, out, N, &blocks)
                : k == 2 ? parscan_sort_keys(context, PARSCAN_U32, there, out, N, NULL)
                         : parscan_compact_if(context, PARSCAN_U32, there, NULL, out, N, &count);
            cr_assert(status == PARSCAN_OK || (again == 0 && status == PARSCAN_ERROR_OUT_OF_MEMORY),
                      "%d: %s", k, parscan_context_error(context));
        }
    uint32_t *const expected = malloc(N * sizeof *expected);
    plain_sums(SCAN_INCLUSIVE, false, in, expected, N);
    expect_ok(context, parscan_inclusive_scan(context, PARSCAN_U32, there, out, N, NULL));
    expect_ok(context, parscan_synchronize(context));
    uint32_t *const found = host_copy_of(out, N * sizeof *found);
    cr_assert_eq(memcmp(expected, found, N * sizeof *found), 0);
    free(expected);
    free(found);
}

/* Whether allocation number fails_at came. */
static bool survives(size_t fails_at, cudaStream_t stream, const uint32_t *in, uint32_t *there,
                     uint32_t *out)
{
    pool p = {.fails_at = fails_at};
    parscan_context *context;
    void *piece = NULL;
    cr_assert_eq(create_on(&p, stream, &context), PARSCAN_OK);
    if (parscan_malloc(context, &piece, 12345) != PARSCAN_OK) {
        cr_assert_null(piece);
        expect_ok(context, parscan_malloc(context, &piece, 12345));
    }
    cr_assert_eq(p.live, 12345);
    call_all(context, in, there, out);
    cr_assert_eq(p.live, 12345 + parscan_context_scratch(context));
    expect_ok(context, parscan_free(context, piece));
    if (fails_at == NEVER) { /* copies of host arrays come from it, too */
        expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, in);
        cr_assert_eq(p.live, parscan_context_scratch(context));
    }
    parscan_context_destroy(context);
    cr_assert_eq(p.live, 0);
    return p.calls > fails_at;
}

Test(device_allocator, gives_all_memory_gets_it_back_and_may_fail_at_any_call)
{
    cudaStream_t stream;
    need_cuda();
    CUDA(cudaStreamCreate(&stream));
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    uint32_t *const there = device_copy_of(in, N * sizeof *in);
    uint32_t *const out = device_room(N * sizeof *in);
    size_t k = 0;
    while (survives(k, stream, in, there, out))
        cr_assert_lt(++k, 100);
    cr_assert_geq(k, 3);
    survives(NEVER, stream, in, there, out);
    free(in);
    CUDA(cudaFree(there));
    CUDA(cudaFree(out));
    CUDA(cudaStreamDestroy(stream));
}

Test(device_allocator, without_a_function_or_with_memory_that_is_not_aligned_is_refused)
{
    cudaStream_t stream;
    parscan_context *context;
    need_cuda();
    CUDA(cudaStreamCreate(&stream));
    for (int k = 0; k < 2; k++) {
        char words[256];
        const parscan_device_allocator allocator =
            PARSCAN_DEVICE_ALLOCATOR(.allocate = k == 0 ? NULL : take,
                                     .release = k == 0 ? give_back : NULL);
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .error = words,
                                    .error_size = sizeof words, .device_allocator = &allocator);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_ERROR_INVALID_ARGUMENT);
        cr_assert_not_null(strstr(words, k == 0 ? "allocate is NULL" : "release is NULL"), "%s",
                           words);
    }
    pool p = {.fails_at = NEVER, .shift = 128};
    void *piece;
    cr_assert_eq(create_on(&p, stream, &context), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &piece, 100), PARSCAN_ERROR_DEVICE);
    cr_assert(piece == NULL && p.live == 0);
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

/* The first calls of a context are captured. */
Test(reserve, of_what_calls_need_lets_the_first_ones_be_captured)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    need_cuda();
    CUDA(cudaStreamCreate(&stream));
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    uint32_t *const there = device_copy_of(in, N * sizeof *in);
    uint32_t *const sorted = device_room(N * sizeof *in), *const sums = device_room(N * sizeof *in);
    parscan_context *const first = context_on(NULL), *const second = context_on(stream);
    expect_ok(first, parscan_sort_keys(first, PARSCAN_U32, there, sorted, N, NULL));
    expect_ok(first, parscan_inclusive_scan(first, PARSCAN_U32, sorted, sums, N, NULL));
    expect_ok(first, parscan_synchronize(first));
    uint32_t *const expected = host_copy_of(sums, N * sizeof *in);
    CUDA(cudaMemset(sums, ROOM_BYTE, N * sizeof *in));
    const size_t needed = parscan_context_scratch(first);
    expect_ok(second, parscan_context_reserve(second, needed));
    const size_t reserved = parscan_context_scratch(second);
    cr_assert_geq(reserved, needed);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(parscan_context_reserve(second, 2 * reserved), PARSCAN_ERROR_UNSUPPORTED);
    const parscan_status statuses[] = {
        parscan_sort_keys(second, PARSCAN_U32, there, sorted, N, NULL),
        parscan_inclusive_scan(second, PARSCAN_U32, sorted, sums, N, NULL),
    };
    CUDA(cudaStreamEndCapture(stream, &graph));
    for (int k = 0; k < 2; k++)
        expect_ok(second, statuses[k]);
    cr_assert_eq(parscan_context_scratch(second), reserved);
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    for (int k = 0; k < 3; k++)
        CUDA(cudaGraphLaunch(replayed, stream));
    expect_ok(second, parscan_synchronize(second));
    uint32_t *const found = host_copy_of(sums, N * sizeof *in);
    cr_assert_eq(memcmp(expected, found, N * sizeof *in), 0);
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaGraphDestroy(graph));
    parscan_context_destroy(first);
    parscan_context_destroy(second);
    free(in);
    free(expected);
    free(found);
    CUDA(cudaFree(there));
    CUDA(cudaFree(sorted));
    CUDA(cudaFree(sums));
    CUDA(cudaStreamDestroy(stream));
}
