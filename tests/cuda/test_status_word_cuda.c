/* Errors that only the device sees: which call they name, in streams and graphs, and their status word. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/allocate.h"
#include "parscan/gather.h"
#include "parscan/scan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(status_word, .timeout = 60);

enum { N = 3000 };

typedef struct bench {
    cudaStream_t stream;
    parscan_context *context;
    const uint32_t *word;
    uint32_t *ones, *out; /* N each */
    uint64_t *total;
} bench;

static bench bench_create(void)
{
    bench b;
    uint32_t ones[N];
    need_cuda();
    for (unsigned i = 0; i < N; i++)
        ones[i] = 1;
    CUDA(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    b.context = context_on(b.stream);
    expect_ok(b.context, parscan_context_status_word(b.context, &b.word));
    b.ones = device_copy_of(ones, sizeof ones);
    b.out = device_room(sizeof ones);
    b.total = device_room(sizeof *b.total);
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    CUDA(cudaFree(b->ones));
    CUDA(cudaFree(b->out));
    CUDA(cudaFree(b->total));
    CUDA(cudaStreamDestroy(b->stream));
}

/* A call whose total is N. */
static void allocate(const bench *b, uint64_t capacity)
{
    expect_ok(b->context,
              parscan_allocate(b->context, PARSCAN_U32, b->ones, N, PARSCAN_U32, b->out, b->total,
                               &PARSCAN_ALLOCATE_OPTIONS(.capacity = capacity)));
}

static void scan(const bench *b)
{
    expect_ok(b->context,
              parscan_inclusive_scan(b->context, PARSCAN_U32, b->ones, b->out, N, NULL));
}

static uint32_t word_of(const bench *b)
{
    uint32_t word;
    CUDA(cudaMemcpyAsync(&word, b->word, sizeof word, cudaMemcpyDeviceToHost, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    return word;
}

static void expect_error(const bench *b, parscan_status status, const char *words)
{
    cr_assert_eq(word_of(b), status);
    cr_assert_eq(parscan_synchronize(b->context), status);
    cr_assert_str_eq(parscan_context_error(b->context), words);
    cr_assert_eq(word_of(b), PARSCAN_OK);
    expect_ok(b->context, parscan_synchronize(b->context));
}

Test(status_word, tells_the_first_error_and_which_call_it_was)
{
    bench b = bench_create();
    allocate(&b, N);
    scan(&b);
    cr_assert_eq(word_of(&b), PARSCAN_OK);
    allocate(&b, N - 1);
    allocate(&b, 5);
    scan(&b);
    expect_error(&b, PARSCAN_ERROR_CAPACITY,
                 "call 3 of this context: total = 3000 exceeds capacity");
    expect_ok(b.context, parscan_gather(b.context, 4, b.ones, 1, PARSCAN_U32, b.ones, b.out, 1));
    expect_error(&b, PARSCAN_ERROR_INVALID_ARGUMENT,
                 "call 6 of this context: indices[0] is out of range");
    bench_destroy(&b);
}

Test(status_word, names_the_call_that_was_captured_at_each_replay)
{
    bench b = bench_create();
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    allocate(&b, N); /* now there is scratch */
    CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    scan(&b);
    allocate(&b, 7);
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    for (unsigned k = 0; k < 3; k++) {
        scan(&b);
        CUDA(cudaGraphLaunch(replayed, b.stream));
        allocate(&b, 8);
        expect_error(&b, PARSCAN_ERROR_CAPACITY,
                     "call 3 of this context: total = 3000 exceeds capacity");
    }
    CUDA(cudaGraphExecDestroy(replayed));
    bench_destroy(&b);
}

/* On another stream, which the context's stream waits for. */
Test(status_word, has_the_error_of_a_replay_that_was_ordered_before)
{
    bench b = bench_create();
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    cudaStream_t other;
    cudaEvent_t done;
    allocate(&b, N);
    CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    allocate(&b, 7);
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    expect_ok(b.context, parscan_synchronize(b.context));
    CUDA(cudaGraphLaunch(replayed, other));
    CUDA(cudaEventRecord(done, other));
    CUDA(cudaStreamWaitEvent(b.stream, done, 0));
    expect_error(&b, PARSCAN_ERROR_CAPACITY,
                 "call 2 of this context: total = 3000 exceeds capacity");
    CUDA(cudaEventDestroy(done));
    CUDA(cudaStreamDestroy(other));
    CUDA(cudaGraphExecDestroy(replayed));
    bench_destroy(&b);
}
