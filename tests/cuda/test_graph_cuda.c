/* Calls captured in CUDA graphs: replayed on changed input, beside other calls, past the last tag. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "scan/cuda/cuda_context.h"
#include "tests/cuda/on_device.h"
#include "tests/support/test_engine.h"

TestSuite(graph, .timeout = 60);
TestSuite(capture, .timeout = 60);
TestSuite(tags, .timeout = 60);

#define N 100003u
#define LAST_TAG 0xffffffffu /* scan/cuda/tile_prefix.cuh */

/* A context on a stream of the test's, two inputs and the array that graphs read. */
typedef struct bench {
    cudaStream_t stream;
    parscan_context *context;
    uint32_t *inputs[2], *on_device[2]; /* the same, here and there */
    uint32_t *in, *out;
} bench;

static bench bench_create(void)
{
    bench b;
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    b.context = context_on(b.stream);
    for (int k = 0; k < 2; k++) {
        b.inputs[k] = random_array(PARSCAN_U32, PARSCAN_SUM, N);
        b.on_device[k] = device_copy_of(b.inputs[k], N * sizeof *b.in);
    }
    b.in = device_copy_of(b.inputs[0], N * sizeof *b.in);
    b.out = device_room(N * sizeof *b.out);
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    for (int k = 0; k < 2; k++) {
        free(b->inputs[k]);
        CUDA(cudaFree(b->on_device[k]));
    }
    CUDA(cudaFree(b->in));
    CUDA(cudaFree(b->out));
    CUDA(cudaStreamDestroy(b->stream));
}

/* The first n elements of the bench, by a call that is captured or not. */
typedef struct question {
    scan_kind kind;
    parscan_algorithm algorithm;
    bool reverse;
    size_t n;
} question;

static parscan_status ask(bench *b, const question *q)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = q->algorithm, .reverse = q->reverse);
    return call_scan(b->context, q->kind, PARSCAN_U32, b->in, b->out, q->n, &options);
}

/* Runs a call once and captures the second. */
static cudaGraphExec_t record(bench *b, const question *q)
{
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    expect_ok(b->context, ask(b, q));
    CUDA(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = ask(b, q);
    CUDA(cudaStreamEndCapture(b->stream, &graph));
    expect_ok(b->context, status);
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return replayed;
}

/* Replays on an input that is put there in stream order, and keeps the answer there. */
static void replay(bench *b, cudaGraphExec_t graph, int input, size_t results, uint32_t *answer)
{
    CUDA(cudaMemcpyAsync(b->in, b->on_device[input], N * sizeof *b->in, cudaMemcpyDeviceToDevice,
                         b->stream));
    CUDA(cudaGraphLaunch(graph, b->stream));
    CUDA(cudaMemcpyAsync(answer, b->out, results * sizeof *answer, cudaMemcpyDeviceToDevice,
                         b->stream));
}

static size_t results_of(const question *q)
{
    return q->kind == SCAN_REDUCE ? 1 : q->n;
}

/* Answers that came of the two inputs in turn. */
static void expect_answers(const bench *b, const question *q, const uint32_t *answers, size_t count)
{
    const size_t results = results_of(q);
    uint32_t *const found = host_copy_of(answers, count * results * sizeof *found);
    uint32_t *const expected = malloc(q->n * sizeof *expected);
    for (size_t k = 0; k < count; k++) {
        if (k < 2 || count > 2)
            plain_sums(q->kind, q->reverse, b->inputs[k % 2], expected, q->n);
        cr_assert_eq(memcmp(found + k * results, expected, results * sizeof *found), 0,
                     "kind %d by %s, reverse %d, n = %zu: replay %zu of %zu", (int)q->kind,
                     parscan_algorithm_name(q->algorithm), q->reverse, q->n, k, count);
    }
    free(found);
    free(expected);
}

static void expect_replays(bench *b, question q, size_t count)
{
    const size_t results = results_of(&q);
    cudaGraphExec_t graph = record(b, &q);
    uint32_t *const answers = device_room(count * results * sizeof *answers);
    for (size_t k = 0; k < count; k++)
        replay(b, graph, (int)(k % 2), results, answers + k * results);
    expect_ok(b->context, parscan_synchronize(b->context));
    expect_answers(b, &q, answers, count);
    CUDA(cudaGraphExecDestroy(graph));
    CUDA(cudaFree(answers));
}

Test(graph, of_a_scan_is_right_a_thousand_times)
{
    bench b = bench_create();
    expect_replays(&b, (question){.kind = SCAN_INCLUSIVE, .n = N}, 1000);
    expect_replays(&b, (question){.kind = SCAN_REDUCE, .n = N}, 1000);
    bench_destroy(&b);
}

Test(graph, of_every_call_is_right_on_changed_input)
{
    bench b = bench_create();
    for (size_t k = 0; k < (size_t)ALGORITHMS * 6; k++)
        expect_replays(&b,
                       (question){.kind = (scan_kind)(k % 3),
                                  .algorithm = all_algorithms[k / 6],
                                  .reverse = k / 3 % 2,
                                  .n = N},
                       10);
    bench_destroy(&b);
}

/* Calls between two replays: other lengths, types and algorithms, and after some replays such as
   need more scratch than there was when the graph was made. */
static void call_meanwhile(bench *b, const void *in, void *out, size_t k)
{
    static const size_t lengths[] = {1, 5003, N, 1u << 20, 1u << 22, 1u << 24};
    const size_t most = k < 20 ? 2 : COUNT_OF(lengths);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = k % 4 == 3 ? PARSCAN_BRENT_KUNG : PARSCAN_AUTO,
                             .reverse = k % 2);
    expect_ok(b->context, call_scan(b->context, (scan_kind)(k % 3), all_types[k % TYPES], in, out,
                                    lengths[k % most] / 8, &options));
}

static void expect_replays_between_calls(bench *b, question q)
{
    enum { REPLAYS = 60 };
    const size_t results = results_of(&q);
    void *const other_in = device_room(1u << 24), *const other_out = device_room(1u << 24);
    cudaGraphExec_t graph = record(b, &q);
    uint32_t *const answers = device_room(REPLAYS * results * sizeof *answers);
    for (size_t k = 0; k < REPLAYS; k++) {
        replay(b, graph, (int)(k % 2), results, answers + k * results);
        call_meanwhile(b, other_in, other_out, k);
    }
    expect_ok(b->context, parscan_synchronize(b->context));
    expect_answers(b, &q, answers, REPLAYS);
    CUDA(cudaGraphExecDestroy(graph));
    CUDA(cudaFree(answers));
    CUDA(cudaFree(other_in));
    CUDA(cudaFree(other_out));
}

Test(graph, stays_right_between_direct_calls_that_take_more_scratch)
{
    for (size_t k = 0; k < (size_t)ALGORITHMS * 3; k++) {
        /* A context of its own, whose scratch is what the captured call needs. */
        bench b = bench_create();
        const question q = {
            .kind = (scan_kind)(k % 3), .algorithm = all_algorithms[k / 3], .n = 20011};
        expect_replays_between_calls(&b, q);
        bench_destroy(&b);
    }
}

Test(graph, of_two_calls_and_two_graphs_of_one_context_are_right_in_turn)
{
    enum { ROUNDS = 50 };
    bench b = bench_create();
    const question questions[] = {{.kind = SCAN_INCLUSIVE, .n = N},
                                  {.kind = SCAN_EXCLUSIVE, .reverse = true, .n = 5003}};
    cudaGraphExec_t graphs[2];
    uint32_t *answers[2];
    for (int g = 0; g < 2; g++) {
        graphs[g] = record(&b, &questions[g]);
        answers[g] = device_room(ROUNDS * questions[g].n * sizeof(uint32_t));
    }
    for (size_t k = 0; k < ROUNDS; k++)
        for (int g = 0; g < 2; g++)
            replay(&b, graphs[g], (int)(k % 2), questions[g].n, answers[g] + k * questions[g].n);
    expect_ok(b.context, parscan_synchronize(b.context));
    for (int g = 0; g < 2; g++) {
        expect_answers(&b, &questions[g], answers[g], ROUNDS);
        CUDA(cudaGraphExecDestroy(graphs[g]));
        CUDA(cudaFree(answers[g]));
    }
    bench_destroy(&b);
}

/* A call in a capture is refused with a message; the capture ends well, and the call works after it. */
static void expect_refusal(bench *b, const question *q, const uint32_t *in)
{
    cudaGraph_t graph;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = q->algorithm);
    CUDA(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status =
        call_scan(b->context, q->kind, PARSCAN_U32, in, b->out, q->n, &options);
    CUDA(cudaStreamEndCapture(b->stream, &graph));
    CUDA(cudaGraphDestroy(graph));
    cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED, "%s by %s", parscan_status_string(status),
                 parscan_algorithm_name(q->algorithm));
    cr_assert_not_null(strstr(parscan_context_error(b->context), "captured in a graph"), "%s",
                       parscan_context_error(b->context));
}

Test(capture, of_a_call_that_needs_more_scratch_is_unsupported_and_survived)
{
    static const parscan_algorithm algorithms[] = {PARSCAN_AUTO, PARSCAN_KOGGE_STONE};
    for (size_t a = 0; a < COUNT_OF(algorithms); a++) {
        bench b = bench_create();
        const question q = {.kind = SCAN_INCLUSIVE, .algorithm = algorithms[a], .n = N};
        expect_refusal(&b, &q, b.in);
        expect_replays(&b, q, 2);
        bench_destroy(&b);
    }
}

Test(capture, of_a_call_with_host_memory_is_unsupported_and_survived)
{
    bench b = bench_create();
    const question q = {.kind = SCAN_INCLUSIVE, .n = N};
    expect_ok(b.context, ask(&b, &q));
    expect_refusal(&b, &q, b.inputs[0]);
    expect_replays(&b, q, 2);
    bench_destroy(&b);
}

/* CUDA would take these for the end of the capture. */
Test(capture, takes_no_allocation_and_no_wait_and_survives_them)
{
    bench b = bench_create();
    cudaGraph_t graph;
    void *pointer = &b, *memory = NULL;
    expect_ok(b.context, parscan_malloc(b.context, &memory, 1000));
    CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status statuses[] = {
        parscan_malloc(b.context, &pointer, 1000),
        parscan_free(b.context, memory),
        parscan_synchronize(b.context),
    };
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphDestroy(graph));
    cr_assert_null(pointer);
    for (size_t k = 0; k < COUNT_OF(statuses); k++)
        cr_assert_eq(statuses[k], PARSCAN_ERROR_UNSUPPORTED, "call %zu: %s", k,
                     parscan_status_string(statuses[k]));
    expect_ok(b.context, parscan_free(b.context, memory));
    expect_replays(&b, (question){.kind = SCAN_INCLUSIVE, .n = N}, 2);
    bench_destroy(&b);
}

Test(capture, takes_no_new_context_and_survives_it)
{
    bench b = bench_create();
    cudaGraph_t graph;
    char words[200] = "";
    parscan_context *context = b.context;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .stream = b.stream, .error = words,
                                .error_size = sizeof words);
    CUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = parscan_context_create(&context, &options);
    CUDA(cudaStreamEndCapture(b.stream, &graph));
    CUDA(cudaGraphDestroy(graph));
    cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED, "%s", parscan_status_string(status));
    cr_assert_null(context);
    cr_assert_str_eq(words, "a new context cannot be captured in a graph");
    expect_replays(&b, (question){.kind = SCAN_INCLUSIVE, .n = N}, 2);
    bench_destroy(&b);
}

/* The next launch on every piece of the tile chain's memory, which graphs may hold, has this tag. */
static void set_tag(bench *b, uint32_t tag)
{
    const uint64_t control = (uint64_t)tag << 32;
    const parscan_device_buffer *piece = &((struct parscan_context *)b->context)->cuda->chain;
    CUDA(cudaStreamSynchronize(b->stream));
    for (; piece != NULL; piece = piece->retired)
        if (piece->data != NULL)
            device_write(piece->data, &control, sizeof control);
    CUDA(cudaDeviceSynchronize());
}

/* Words of the first launches, whose tags come again after the last one. `small` scans leave most of
   them as they are until the words are cleared. */
static void expect_right_past_the_last_tag(question large, question small)
{
    enum { REPLAYS = 6 };
    for (uint32_t before = 0; before < 4; before++) {
        bench b = bench_create();
        const size_t results = results_of(&large);
        uint32_t *const answers = device_room(REPLAYS * results * sizeof *answers);
        cudaGraphExec_t large_graph = record(&b, &large), small_graph = record(&b, &small);
        set_tag(&b, LAST_TAG - before);
        for (uint32_t k = 0; k <= before; k++)
            replay(&b, small_graph, 1, results_of(&small), answers);
        for (size_t k = 0; k < REPLAYS; k++) /* the input that the first launch has not seen */
            replay(&b, large_graph, (int)((k + 1) % 2), results, answers + (k ^ 1) * results);
        expect_ok(b.context, parscan_synchronize(b.context));
        expect_answers(&b, &large, answers, REPLAYS);
        /* And the last tag itself on many tiles. */
        set_tag(&b, LAST_TAG - before);
        for (size_t k = 0; k < REPLAYS; k++)
            replay(&b, large_graph, (int)(k % 2), results, answers + k * results);
        expect_ok(b.context, parscan_synchronize(b.context));
        expect_answers(&b, &large, answers, REPLAYS);
        CUDA(cudaGraphExecDestroy(large_graph));
        CUDA(cudaGraphExecDestroy(small_graph));
        CUDA(cudaFree(answers));
        bench_destroy(&b);
    }
}

Test(tags, begin_again_after_the_last_one)
{
    const question scan = {.kind = SCAN_INCLUSIVE, .n = N}, one_tile = {.n = 100};
    const question sum = {.kind = SCAN_REDUCE, .n = N}, one_block = {.kind = SCAN_REDUCE, .n = 9};
    expect_right_past_the_last_tag(scan, one_tile);
    expect_right_past_the_last_tag(sum, one_block);
    expect_right_past_the_last_tag(scan, one_block);
}
