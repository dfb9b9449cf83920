#include "tests/cuda/both_engines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define REPLAYS 6

/* Inputs, here and there. */
typedef struct sample {
    size_t n;
    void *in[CALL_INPUTS], *device_in[CALL_INPUTS];
} sample;

static size_t bytes_of(size_t n)
{
    return (n + 2) * MOST_BYTES;
}

static sample sample_create(const engine_calls *calls, size_t n)
{
    sample s = {.n = n};
    for (size_t k = 0; k < CALL_INPUTS; k++)
        if ((s.in[k] = calloc(1, bytes_of(n))) == NULL)
            abort();
    calls->fill(s.in, n);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        s.device_in[k] = device_copy_of(s.in[k], bytes_of(n));
    return s;
}

static void sample_destroy(sample *s)
{
    for (size_t k = 0; k < CALL_INPUTS; k++) {
        free(s->in[k]);
        CUDA(cudaFree(s->device_in[k]));
    }
}

/* An answer lies in one piece, its outputs one after another. */
static call_arrays arrays_at(void *const in[CALL_INPUTS], char *answer, size_t n)
{
    call_arrays arrays;
    for (size_t k = 0; k < CALL_INPUTS; k++)
        arrays.in[k] = in[k];
    for (size_t k = 0; k < CALL_OUTPUTS; k++)
        arrays.out[k] = answer + k * ((bytes_of(n) + 15) / 16 * 16);
    return arrays;
}

static size_t answer_bytes(size_t n)
{
    return CALL_OUTPUTS * ((bytes_of(n) + 15) / 16 * 16);
}

static void expect_answer(parscan_context *cpu, const engine_call *call, const sample *s,
                          const char *found, const char *where)
{
    const size_t bytes = answer_bytes(s->n);
    char *const expected = malloc(bytes);
    if (expected == NULL)
        abort();
    memset(expected, ROOM_BYTE, bytes);
    const call_arrays arrays = arrays_at(s->in, expected, s->n);
    expect_ok(cpu, call->make(cpu, &arrays, s->n));
    size_t i = 0;
    while (i < bytes && found[i] == expected[i])
        i++;
    cr_assert_eq(i, bytes, "%s, %s, n = %zu: byte %zu of %zu", call->name, where, s->n, i, bytes);
    free(expected);
}

static parscan_context *cpu_context(void)
{
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 1);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    return context;
}

void expect_same(const engine_calls *calls, size_t n)
{
    expect_same_on_blocks(calls, n, 0);
}

void expect_same_on_blocks(const engine_calls *calls, size_t n, unsigned blocks)
{
    parscan_context *const cuda = context_of_blocks(NULL, blocks), *const cpu = cpu_context();
    sample s = sample_create(calls, n);
    for (size_t c = 0; c < calls->count; c++) {
        char *const answer = device_room(answer_bytes(n));
        const call_arrays arrays = arrays_at(s.device_in, answer, n);
        expect_ok(cuda, calls->calls[c].make(cuda, &arrays, n));
        expect_ok(cuda, parscan_synchronize(cuda));
        char *const found = host_copy_of(answer, answer_bytes(n));
        expect_answer(cpu, &calls->calls[c], &s, found, "once");
        free(found);
        CUDA(cudaFree(answer));
    }
    sample_destroy(&s);
    parscan_context_destroy(cpu);
    parscan_context_destroy(cuda);
}

static cudaGraphExec_t record(parscan_context *context, cudaStream_t stream,
                              const engine_call *call, const call_arrays *arrays, size_t n)
{
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    expect_ok(context, call->make(context, arrays, n));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = call->make(context, arrays, n);
    CUDA(cudaStreamEndCapture(stream, &graph));
    if (status != PARSCAN_OK)
        cr_assert_fail("%s: %s", call->name, parscan_context_error(context));
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return replayed;
}

static void expect_replays(parscan_context *cpu, const engine_call *call, const sample samples[2])
{
    const size_t n = samples[0].n, bytes = answer_bytes(n);
    void *in[CALL_INPUTS];
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        in[k] = device_copy_of(samples[0].in[k], bytes_of(n));
    char *const answer = device_room(bytes), *const answers = device_room(REPLAYS * bytes);
    const call_arrays arrays = arrays_at(in, answer, n);
    cudaGraphExec_t graph = record(context, stream, call, &arrays, n);
    for (size_t r = 0; r < REPLAYS; r++) {
        for (size_t k = 0; k < CALL_INPUTS; k++)
            CUDA(cudaMemcpyAsync(in[k], samples[(r + 1) % 2].device_in[k], bytes_of(n),
                                 cudaMemcpyDeviceToDevice, stream));
        CUDA(cudaMemsetAsync(answer, ROOM_BYTE, bytes, stream));
        CUDA(cudaGraphLaunch(graph, stream));
        CUDA(cudaMemcpyAsync(answers + r * bytes, answer, bytes, cudaMemcpyDeviceToDevice, stream));
    }
    expect_ok(context, parscan_synchronize(context));
    char *const found = host_copy_of(answers, REPLAYS * bytes);
    for (size_t r = 0; r < REPLAYS; r++)
        expect_answer(cpu, call, &samples[(r + 1) % 2], found + r * bytes, "a replay");
    free(found);
    CUDA(cudaGraphExecDestroy(graph));
    CUDA(cudaFree(answer));
    CUDA(cudaFree(answers));
    for (size_t k = 0; k < CALL_INPUTS; k++)
        CUDA(cudaFree(in[k]));
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

void expect_same_in_graphs(const engine_calls *calls, size_t n)
{
    need_cuda();
    parscan_context *const cpu = cpu_context();
    sample samples[2] = {sample_create(calls, n), sample_create(calls, n)};
    for (size_t c = 0; c < calls->count; c++)
        expect_replays(cpu, &calls->calls[c], samples);
    for (size_t k = 0; k < 2; k++)
        sample_destroy(&samples[k]);
    parscan_context_destroy(cpu);
}

void expect_same_in_a_row(const engine_calls *calls, size_t rounds)
{
    enum { SAMPLES = 24, LONGEST = 12000 };
    parscan_context *const cuda = context_on(NULL), *const cpu = cpu_context();
    const size_t slot = answer_bytes(LONGEST);
    sample samples[SAMPLES];
    for (size_t k = 0; k < SAMPLES; k++)
        samples[k] = sample_create(calls, 1 + random_below(k % 2 == 0 ? 64 : LONGEST));
    char *const answers = device_room(rounds * slot);
    for (size_t r = 0; r < rounds; r++) {
        const sample *const s = &samples[r % SAMPLES];
        const call_arrays arrays = arrays_at(s->device_in, answers + r * slot, s->n);
        expect_ok(cuda, calls->calls[r % calls->count].make(cuda, &arrays, s->n));
    }
    expect_ok(cuda, parscan_synchronize(cuda));
    char *const found = host_copy_of(answers, rounds * slot);
    for (size_t r = 0; r < rounds; r++)
        expect_answer(cpu, &calls->calls[r % calls->count], &samples[r % SAMPLES], found + r * slot,
                      "in a row");
    free(found);
    CUDA(cudaFree(answers));
    for (size_t k = 0; k < SAMPLES; k++)
        sample_destroy(&samples[k]);
    parscan_context_destroy(cpu);
    parscan_context_destroy(cuda);
}
