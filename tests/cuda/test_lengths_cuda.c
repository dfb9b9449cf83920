/*
 * parscan_set_lengths() with lengths in device memory: each call gives what the same call gives with that n,
 * to the bit, and writes nothing else; in a stream, and in graphs that are replayed for other lengths.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/lengths_on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(lengths, .timeout = 300);
TestSuite(sanitized_lengths, .timeout = 300);

/* Edges of tiles and blocks, and their neighbours. */
static const size_t edges[] = {0,    1,    2,     31,    33,    1023,  1024,  1025,  4095,  4096,
                               4097, 8191, 16383, 16384, 16385, 32767, 65537, 99999, 100000};

/* The lengths of a call, in device memory. */
typedef struct device_words {
    uint64_t *n, *segments;
} device_words;

static device_words words_create(void)
{
    return (device_words){device_room(sizeof(uint64_t)), device_room(sizeof(uint64_t))};
}

static void words_destroy(device_words words)
{
    CUDA(cudaFree(words.n));
    CUDA(cudaFree(words.segments));
}

static void words_set(device_words words, uint64_t n)
{
    const uint64_t segments = n / SEGMENT_MEAN + 1;
    device_write(words.n, &n, sizeof n);
    device_write(words.segments, &segments, sizeof segments);
    CUDA(cudaDeviceSynchronize());
}

static void set_lengths(parscan_context *context, const length_call *call, device_words words)
{
    const parscan_lengths lengths =
        PARSCAN_LENGTHS(.n = call->fields != LENGTH_OF_N2 ? words.n : NULL,
                        .n2 = call->fields >= LENGTH_OF_N2 ? words.n : NULL,
                        .segment_count =
                            call->fields == LENGTH_OF_SEGMENTS ? words.segments : NULL);
    expect_ok(context, parscan_set_lengths(context, &lengths));
}

/* All outputs, and the count, in host memory. */
typedef struct found {
    char *out[LENGTH_OUTS];
    uint64_t count;
} found;

static void clear_outputs(const length_arrays *a)
{
    for (size_t k = 0; k < LENGTH_OUTS; k++)
        CUDA(cudaMemset(a->out[k], ROOM_BYTE, LENGTH_OUT_BYTES(a->most)));
    CUDA(cudaMemset(a->count, ROOM_BYTE, sizeof *a->count));
    CUDA(cudaDeviceSynchronize());
}

static found take_outputs(const length_arrays *a)
{
    found f;
    for (size_t k = 0; k < LENGTH_OUTS; k++)
        f.out[k] = host_copy_of(a->out[k], LENGTH_OUT_BYTES(a->most));
    CUDA(cudaMemcpy(&f.count, a->count, sizeof f.count, cudaMemcpyDeviceToHost));
    return f;
}

static void free_found(found *f)
{
    for (size_t k = 0; k < LENGTH_OUTS; k++)
        free(f->out[k]);
}

/* What the call gives with that n on the host. */
static found expected_of(parscan_context *context, const length_call *call, const length_arrays *a,
                         size_t n)
{
    clear_outputs(a);
    expect_ok(context, call->run(context, a, n));
    expect_ok(context, parscan_synchronize(context));
    return take_outputs(a);
}

static void expect_equal(const length_call *call, const length_arrays *a, size_t n,
                         const found *right)
{
    found f = take_outputs(a);
    cr_expect_eq(f.count, right->count, "%s of %zu in %zu: %llu are counted, not %llu", call->name,
                 n, a->most, (unsigned long long)f.count, (unsigned long long)right->count);
    for (size_t k = 0; k < LENGTH_OUTS; k++) {
        const size_t bytes = LENGTH_OUT_BYTES(a->most);
        size_t i = 0;
        if (memcmp(f.out[k], right->out[k], bytes) == 0)
            continue;
        while (f.out[k][i] == right->out[k][i])
            i++;
        cr_expect_fail("%s of %zu in %zu: output %zu differs at byte %zu", call->name, n, a->most,
                       k, i);
    }
    free_found(&f);
}

/* ---- in a stream ---- */

static void expect_lengths(parscan_context *context, const length_call *call, length_arrays *a,
                           const size_t *lengths, size_t count)
{
    const device_words words = words_create();
    for (size_t k = 0; k < count && lengths[k] * call->unit <= a->most; k++) {
        const size_t n = lengths[k];
        length_arrays_of(a, n);
        words_set(words, n);
        found right = expected_of(context, call, a, n);
        clear_outputs(a);
        set_lengths(context, call, words);
        const parscan_status status = call->run(context, a, a->most / call->unit);
        cr_expect_eq(status, PARSCAN_OK, "%s of %zu in %zu: %s", call->name, n, a->most,
                     parscan_context_error(context));
        if (status == PARSCAN_OK) {
            expect_ok(context, parscan_synchronize(context));
            expect_equal(call, a, n, &right);
        }
        free_found(&right);
    }
    words_destroy(words);
}

Test(lengths, on_the_device_are_those_of_every_call)
{
    static const size_t capacities[] = {1, 1000, 4097, 20000, 100000};
    parscan_context *const context = context_on(NULL);
    for (size_t c = 0; c < COUNT_OF(capacities); c++) {
        length_arrays a = length_arrays_create(capacities[c]);
        for (size_t k = 0; k < length_call_count; k++)
            expect_lengths(context, &length_calls[k], &a, edges, COUNT_OF(edges));
        length_arrays_destroy(&a);
    }
    parscan_context_destroy(context);
}

Test(lengths, far_below_a_large_argument)
{
    static const size_t lengths[] = {0, 5, 70001, (1u << 17) + 1};
    parscan_context *const context = context_on(NULL);
    length_arrays a = length_arrays_create((size_t)1 << 21);
    for (size_t k = 0; k < length_call_count; k++)
        expect_lengths(context, &length_calls[k], &a, lengths, COUNT_OF(lengths));
    length_arrays_destroy(&a);
    parscan_context_destroy(context);
}

/* The first elements are done, and the call says so, at once or when the context is synchronised. */
Test(lengths, above_the_argument_are_an_error_of_the_call)
{
    parscan_context *const context = context_on(NULL);
    const device_words words = words_create();
    length_arrays a = length_arrays_create(30000);
    for (size_t k = 0; k < length_call_count; k++) {
        const length_call *const call = &length_calls[k];
        const size_t n = a.most / call->unit;
        length_arrays_of(&a, n);
        found right = expected_of(context, call, &a, n);
        clear_outputs(&a);
        const uint64_t above = UINT64_C(1) << 40;
        words_set(words, n);
        device_write(words.n, &above, sizeof above);
        CUDA(cudaDeviceSynchronize());
        set_lengths(context, call, words);
        parscan_status status = call->run(context, &a, n);
        if (status == PARSCAN_OK)
            status = parscan_synchronize(context);
        cr_assert_eq(status, PARSCAN_ERROR_CAPACITY, "%s: %s", call->name,
                     parscan_context_error(context));
        cr_assert_not_null(strstr(parscan_context_error(context), "1099511627776"), "%s: %s",
                           call->name, parscan_context_error(context));
        expect_ok(context, parscan_synchronize(context));
        expect_equal(call, &a, n, &right);
        free_found(&right);
    }
    length_arrays_destroy(&a);
    words_destroy(words);
    parscan_context_destroy(context);
}

/* The columns of a matrix are its second length. words.segments has them. */
Test(lengths, of_the_rows_and_columns_of_a_matrix)
{
    static const length_call matrix = {"a matrix", 1, LENGTH_OF_N, NULL};
    static const uint64_t sizes[][2] = {{90, 110}, {0, 110}, {90, 0}, {1, 1}, {89, 7}, {20, 900}};
    enum { ROWS = 90, COLUMNS = 110 };
    parscan_context *const context = context_on(NULL);
    const device_words words = words_create();
    length_arrays a = length_arrays_create(ROWS * COLUMNS);
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        const size_t rows = (size_t)sizes[k][0], given = (size_t)sizes[k][1];
        const size_t columns = given < COLUMNS ? given : COLUMNS;
        clear_outputs(&a);
        expect_ok(context,
                  parscan_dense_to_csr(context, PARSCAN_U8, a.flags, rows, columns, PARSCAN_U32,
                                       a.out[0], a.out[1], a.out[2], a.count));
        expect_ok(context, parscan_synchronize(context));
        found right = take_outputs(&a);
        clear_outputs(&a);
        device_write(words.n, &sizes[k][0], sizeof rows);
        device_write(words.segments, &sizes[k][1], sizeof rows);
        CUDA(cudaDeviceSynchronize());
        expect_ok(context, parscan_set_lengths(
                               context, &PARSCAN_LENGTHS(.n = words.n, .n2 = words.segments)));
        expect_ok(context,
                  parscan_dense_to_csr(context, PARSCAN_U8, a.flags, ROWS, COLUMNS, PARSCAN_U32,
                                       a.out[0], a.out[1], a.out[2], a.count));
        cr_expect_eq(parscan_synchronize(context),
                     given > COLUMNS ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK);
        expect_equal(&matrix, &a, rows * columns, &right);
        free_found(&right);
    }
    length_arrays_destroy(&a);
    words_destroy(words);
    parscan_context_destroy(context);
}

/* Each of two arrays has its own. words.segments has the second one. */
Test(lengths, of_two_arrays_that_differ)
{
    static const length_call both = {"a union", 1, LENGTH_OF_N, NULL};
    static const uint64_t sizes[][2] = {{9000, 0}, {0, 7000}, {1, 7000}, {8999, 6999}, {0, 0}};
    enum { N = 9000, N2 = 7000, ROOM = 14000 };
    parscan_context *const context = context_on(NULL);
    const device_words words = words_create();
    length_arrays a = length_arrays_create(ROOM);
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        found right = {{NULL}, 0};
        for (int on_device = 0; on_device < 2; on_device++) {
            const size_t n = on_device ? N : (size_t)sizes[k][0];
            const size_t n2 = on_device ? N2 : (size_t)sizes[k][1];
            device_write(words.n, &sizes[k][0], sizeof n);
            device_write(words.segments, &sizes[k][1], sizeof n);
            clear_outputs(&a);
            const parscan_lengths lengths = PARSCAN_LENGTHS(.n = words.n, .n2 = words.segments);
            expect_ok(context, parscan_set_lengths(context, on_device ? &lengths : NULL));
            expect_ok(context, parscan_set_union(context, PARSCAN_U32, a.sorted, n, a.sorted + 5,
                                                 n2, a.out[0], ROOM, a.count));
            expect_ok(context, parscan_set_lengths(context, on_device ? &lengths : NULL));
            expect_ok(context, parscan_merge(context, PARSCAN_U32, a.sorted, n, a.sorted + 5, n2,
                                             a.out[1], 4, a.values, a.keys, a.out[2]));
            expect_ok(context, parscan_synchronize(context));
            if (on_device)
                expect_equal(&both, &a, n, &right);
            else
                right = take_outputs(&a);
        }
        free_found(&right);
    }
    length_arrays_destroy(&a);
    words_destroy(words);
    parscan_context_destroy(context);
}

/* A count that is the length of the call that writes it. */
Test(lengths, may_be_the_count_of_the_call)
{
    parscan_context *const context = context_on(NULL);
    length_arrays a = length_arrays_create(100000);
    for (size_t k = 0; k < length_call_count; k++) {
        const length_call *const call = &length_calls[k];
        const size_t n = 34567 / call->unit;
        const device_words words = {a.count, NULL};
        if (call->fields == LENGTH_OF_SEGMENTS)
            continue;
        found right = expected_of(context, call, &a, n);
        clear_outputs(&a);
        device_write(a.count, &(uint64_t){n}, sizeof n);
        CUDA(cudaDeviceSynchronize());
        set_lengths(context, call, words);
        expect_ok(context, call->run(context, &a, a.most / call->unit));
        expect_ok(context, parscan_synchronize(context));
        uint64_t untouched;
        memset(&untouched, ROOM_BYTE, sizeof untouched);
        if (right.count == untouched) /* it counts nothing */
            right.count = n;
        expect_equal(call, &a, n, &right);
        free_found(&right);
    }
    length_arrays_destroy(&a);
    parscan_context_destroy(context);
}

/* ---- in graphs ---- */

static cudaGraphExec_t record(cudaStream_t stream, parscan_context *context,
                              const length_call *call, const length_arrays *a, device_words words)
{
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    const size_t n = a->most / call->unit;
    words_set(words, 0);
    length_arrays_of((length_arrays *)a, 0);
    set_lengths(context, call, words);
    expect_ok(context, call->run(context, a, n)); /* it takes the scratch */
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    set_lengths(context, call, words);
    const parscan_status status = call->run(context, a, n);
    CUDA(cudaStreamEndCapture(stream, &graph));
    cr_expect_eq(status, PARSCAN_OK, "%s: %s", call->name, parscan_context_error(context));
    if (status != PARSCAN_OK)
        return NULL;
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return replayed;
}

static void expect_replays(const length_call *call, length_arrays *a, const size_t *lengths,
                           size_t count)
{
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream), *const other = context_on(NULL);
    const device_words words = words_create();
    const cudaGraphExec_t graph = record(stream, context, call, a, words);
    for (size_t k = 0; graph != NULL && k < count; k++) {
        const size_t n = lengths[k] / call->unit;
        length_arrays_of(a, n);
        words_set(words, n);
        found right = expected_of(other, call, a, n);
        clear_outputs(a);
        CUDA(cudaGraphLaunch(graph, stream));
        expect_ok(context, parscan_synchronize(context));
        expect_equal(call, a, n, &right);
        free_found(&right);
    }
    if (graph != NULL)
        CUDA(cudaGraphExecDestroy(graph));
    words_destroy(words);
    parscan_context_destroy(context);
    parscan_context_destroy(other);
    CUDA(cudaStreamDestroy(stream));
}

Test(lengths, of_a_graph_are_those_of_each_replay)
{
    need_cuda();
    static const size_t capacities[] = {1025, 100000};
    for (size_t c = 0; c < COUNT_OF(capacities); c++) {
        length_arrays a = length_arrays_create(capacities[c]);
        size_t lengths[COUNT_OF(edges)], count = 0;
        while (count < COUNT_OF(edges) && edges[count] <= capacities[c]) {
            lengths[count] = edges[count];
            count++;
        }
        for (size_t k = 0; k < length_call_count; k++)
            expect_replays(&length_calls[k], &a, lengths, count);
        length_arrays_destroy(&a);
    }
}

/* Few elements, for compute-sanitizer. */
Test(sanitized_lengths, on_the_device)
{
    static const size_t lengths[] = {0, 1, 1000, 4097};
    parscan_context *const context = context_on(NULL);
    length_arrays a = length_arrays_create(5000);
    for (size_t k = 0; k < length_call_count; k++)
        expect_lengths(context, &length_calls[k], &a, lengths, COUNT_OF(lengths));
    length_arrays_destroy(&a);
    parscan_context_destroy(context);
}
