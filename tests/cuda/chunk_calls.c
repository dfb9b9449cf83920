#include "tests/cuda/chunk_calls.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cuda/cuda_context.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

static const char *const place_names[] = {"pageable", "pinned", "mixed"};

static memory memory_of(place where, size_t k)
{
    return where == PINNED ? HOST_PINNED : where == MIXED && k % 2 == 1 ? ON_DEVICE : HOST;
}

static void *take_chunk_array(memory kind, size_t bytes)
{
    void *array = NULL;
    if (kind == HOST)
        array = malloc(bytes);
    else if (kind == HOST_PINNED)
        CUDA(cudaMallocHost(&array, bytes));
    else
        CUDA(cudaMalloc(&array, bytes));
    cr_assert_not_null(array);
    return array;
}

static void give(memory kind, void *array)
{
    if (kind == HOST)
        free(array);
    else
        CUDA(kind == HOST_PINNED ? cudaFreeHost(array) : cudaFree(array));
}

size_t chunk_bytes(size_t n)
{
    return (n + 2) * MOST_BYTES;
}

parscan_context *chunks_context(parscan_backend backend, size_t limit)
{
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = backend, .scratch_limit = limit, .threads = 2,
                                .error = words, .error_size = sizeof words);
    if (parscan_context_create(&context, &options) != PARSCAN_OK)
        cr_assert_fail("no context: %s", words);
    return context;
}

/* The memory of a context on the device, without the copies of whole arrays. */
static size_t held_by(const parscan_context *context)
{
    const parscan_cuda *const cuda = context->cuda;
    return cuda->scratch.size + cuda->chain.size + cuda->slots_size;
}

static size_t copied_by(const parscan_context *context)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < PARSCAN_CUDA_ARRAYS; k++)
        bytes += context->cuda->staged_size[k];
    return bytes;
}

side side_create(void *const in[CALL_INPUTS], size_t n, place where)
{
    side s;
    for (size_t k = 0; k < CALL_INPUTS; k++) {
        s.in_memory[k] = memory_of(where, k);
        void *const copy = take_chunk_array(s.in_memory[k], chunk_bytes(n));
        CUDA(cudaMemcpy(copy, in[k], chunk_bytes(n), cudaMemcpyDefault));
        s.arrays.in[k] = copy;
    }
    for (size_t k = 0; k < CALL_OUTPUTS; k++) {
        s.out_memory[k] = memory_of(where, k);
        s.arrays.out[k] = s.out[k] = take_chunk_array(s.out_memory[k], chunk_bytes(n));
    }
    return s;
}

void side_destroy(side *s)
{
    for (size_t k = 0; k < CALL_INPUTS; k++)
        give(s->in_memory[k], (void *)s->arrays.in[k]);
    for (size_t k = 0; k < CALL_OUTPUTS; k++)
        give(s->out_memory[k], s->out[k]);
}

static void clear_outputs(side *s, size_t n)
{
    for (size_t k = 0; k < CALL_OUTPUTS; k++) {
        if (s->out_memory[k] == ON_DEVICE)
            CUDA(cudaMemset(s->out[k], ROOM_BYTE, chunk_bytes(n)));
        else
            memset(s->out[k], ROOM_BYTE, chunk_bytes(n));
    }
    CUDA(cudaDeviceSynchronize());
}

static void expect_equal(const void *expected, const void *found, size_t bytes, const char *call,
                         place where, size_t array)
{
    unsigned char *const copy = malloc(bytes);
    cr_assert_not_null(copy);
    CUDA(cudaMemcpy(copy, found, bytes, cudaMemcpyDefault));
    size_t i = 0;
    while (i < bytes && copy[i] == ((const unsigned char *)expected)[i])
        i++;
    cr_assert_eq(i, bytes, "%s, %s: byte %zu of array %zu", call, place_names[where], i, array);
    free(copy);
}

void expect_call(const engine_call *call, parscan_context *cpu, parscan_context *cuda,
                 side *expected, side *found, size_t n, place where)
{
    clear_outputs(expected, n);
    clear_outputs(found, n);
    expect_ok(cpu, call->make(cpu, &expected->arrays, n));
    const parscan_status status = call->make(cuda, &found->arrays, n);
    cr_assert_eq(status, PARSCAN_OK, "%s, %s: %s", call->name, place_names[where],
                 parscan_context_error(cuda));
    expect_ok(cuda, parscan_synchronize(cuda));
    for (size_t k = 0; k < CALL_OUTPUTS; k++)
        expect_equal(expected->out[k], found->out[k], chunk_bytes(n), call->name, where, k);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        expect_equal(expected->arrays.in[k], found->arrays.in[k], chunk_bytes(n), call->name, where,
                     CALL_OUTPUTS + k);
    cr_assert_leq(held_by(cuda), cuda->scratch_limit, "%s, %s: %zu bytes", call->name,
                  place_names[where], held_by(cuda));
}

void expect_in_chunks(const engine_calls *calls, size_t n, size_t limit)
{
    need_cuda();
    parscan_context *const cpu = chunks_context(PARSCAN_BACKEND_CPU, 0);
    void *in[CALL_INPUTS];
    for (size_t k = 0; k < CALL_INPUTS; k++)
        cr_assert_not_null(in[k] = calloc(1, chunk_bytes(n)));
    calls->fill(in, n);
    side expected = side_create(in, n, PAGEABLE);
    for (place where = 0; where < PLACES; where++) {
        parscan_context *const cuda = chunks_context(PARSCAN_BACKEND_CUDA, limit);
        side found = side_create(in, n, where);
        for (size_t c = 0; c < calls->count; c++) {
            expect_call(&calls->calls[c], cpu, cuda, &expected, &found, n, where);
            if (where == MIXED)
                continue;
            cr_assert_not_null(cuda->cuda->slots, "%s: not in chunks", calls->calls[c].name);
            cr_assert_leq(copied_by(cuda), MIB / 2, "%s: an array was copied whole",
                          calls->calls[c].name);
        }
        side_destroy(&found);
        parscan_context_destroy(cuda);
    }
    side_destroy(&expected);
    for (size_t k = 0; k < CALL_INPUTS; k++)
        free(in[k]);
    parscan_context_destroy(cpu);
}

/* ---- the inputs ---- */

size_t chunk_segments(size_t n)
{
    return n / 8;
}

static void fill_runs(uint32_t *runs, size_t n)
{
    uint32_t value = 0;
    for (size_t i = 0; i < n; value += 1 + (uint32_t)random_below(3)) {
        size_t length = 1 + random_below(random_below(300) == 0 ? 60000 : 9);
        while (length-- > 0 && i < n)
            runs[i++] = value % 5;
    }
}

void fill_chunks(void *const in[CALL_INPUTS], size_t n)
{
    uint32_t *const bits = in[BITS], *const offsets = in[OFFSETS];
    uint8_t *const flags = in[FLAGS];
    for (size_t i = 0; i < chunk_bytes(n) / sizeof *bits; i++)
        bits[i] = (uint32_t)random_bits();
    for (size_t i = 0; i < n; i++)
        flags[i] = random_below(i / 50000 % 2 == 0 ? 3 : 3000) == 0;
    fill_runs(in[RUNS], n);
    const size_t count = chunk_segments(n);
    for (size_t k = 1; k < count; k++) {
        const size_t step = random_below(4) == 0 ? 0 : random_below(20);
        offsets[k] = offsets[k - 1] + step < n ? offsets[k - 1] + (uint32_t)step : (uint32_t)n;
    }
    offsets[count] = (uint32_t)n;
}

void copy_input(const call_arrays *a, size_t k, size_t bytes)
{
    CUDA(cudaMemcpy(a->out[0], a->in[k], bytes, cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
}
