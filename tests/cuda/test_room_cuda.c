/*
 * out_capacity of parscan_set_lengths() on CUDA: as many results are written as there is room for, *count is
 * their number, and CAPACITY comes at the call if the host knows the count, else from parscan_synchronize().
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(room, .timeout = 300);
TestSuite(sanitized_room, .timeout = 300);

#define COLUMNS 13u

enum { OUTS = 3 };

/* What a call reads, and where it writes: in host memory or in device memory. */
typedef struct room_arrays {
    uint32_t *keys, *records; /* keys in short runs; records of 12 bytes */
    uint8_t *flags;
    char *out[OUTS];
    uint64_t *count;
} room_arrays;

typedef struct room_call {
    const char *name;
    size_t bytes[OUTS]; /* of a result in each output; 0: it has none */
    size_t
        row_bytes; /* of a row's offset, in the last output: all are written; 0: there are no rows */
    parscan_status (*run)(parscan_context *context, const room_arrays *a, size_t n);
} room_call;

#define CALL(name) \
    static parscan_status name(parscan_context *context, const room_arrays *a, size_t n)

CALL(by_flags)
{
    return parscan_compact(context, 4, a->keys, a->flags, a->out[0], n, a->count);
}

CALL(by_flags_records)
{
    return parscan_compact(context, 12, a->records, a->flags, a->out[0], n, a->count);
}

CALL(by_predicate)
{
    const uint32_t three = 3;
    const parscan_predicate below = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &three);
    return parscan_compact_if(context, PARSCAN_U32, a->keys, &below, a->out[0], n, a->count);
}

CALL(count_alone)
{
    return parscan_compact_if(context, PARSCAN_U8, a->flags, NULL, NULL, n, a->count);
}

CALL(indices)
{
    return parscan_compact_indices(context, PARSCAN_U8, a->flags, NULL, PARSCAN_U32, a->out[0], n,
                                   a->count);
}

CALL(with_indices)
{
    return parscan_compact_with_indices(context, PARSCAN_U8, a->flags, NULL, a->out[0], PARSCAN_U64,
                                        a->out[1], n, a->count);
}

CALL(unique)
{
    return parscan_unique(context, PARSCAN_U32, a->keys, a->out[0], n, a->count);
}

CALL(run_lengths)
{
    return parscan_run_length_encode(context, PARSCAN_U32, a->keys, a->out[0], PARSCAN_U64,
                                     a->out[1], n, a->count);
}

CALL(csr)
{
    return parscan_dense_to_csr(context, PARSCAN_U8, a->flags, n / COLUMNS, COLUMNS, PARSCAN_U32,
                                a->out[2], a->out[0], a->out[1], a->count);
}

static const room_call calls[] = {
    {"by flags", {4}, 0, by_flags},
    {"records by flags", {12}, 0, by_flags_records},
    {"by a predicate", {4}, 0, by_predicate},
    {"a count alone", {0}, 0, count_alone},
    {"indices", {4}, 0, indices},
    {"elements with indices", {1, 8}, 0, with_indices},
    {"unique", {4}, 0, unique},
    {"run lengths", {4, 8}, 0, run_lengths},
    {"dense to CSR", {4, 1}, 4, csr},
};

static size_t rows_of(const room_call *call, size_t n)
{
    return call->row_bytes > 0 ? n / COLUMNS + 1 : 0;
}

/* The bytes of output k with `results` results. */
static size_t bytes_of(const room_call *call, size_t k, size_t results, size_t n)
{
    return k == 2 ? call->row_bytes * rows_of(call, n) : call->bytes[k] * results;
}

/* In host memory. */
static room_arrays arrays_create(size_t n)
{
    room_arrays a = {.keys = malloc(n * 4 + 1),
                     .records = malloc(n * 12 + 1),
                     .flags = malloc(n + 1),
                     .count = malloc(sizeof *a.count)};
    for (size_t k = 0; k < OUTS; k++)
        a.out[k] = malloc(n * 12 + 16);
    for (size_t i = 0; i < n; i++) {
        a.keys[i] = i > 0 && random_below(3) != 0 ? a.keys[i - 1] : (uint32_t)random_below(6);
        a.flags[i] = random_below(3) == 0;
    }
    random_fill(PARSCAN_U32, PARSCAN_SUM, a.records, 3 * n);
    return a;
}

static void arrays_destroy(room_arrays *a)
{
    free(a->keys);
    free(a->records);
    free(a->flags);
    free(a->count);
    for (size_t k = 0; k < OUTS; k++)
        free(a->out[k]);
}

static room_arrays to_device(const room_arrays *host, size_t n)
{
    room_arrays a = {.keys = device_copy_of(host->keys, n * 4),
                     .records = device_copy_of(host->records, n * 12),
                     .flags = device_copy_of(host->flags, n),
                     .count = device_room(sizeof *a.count)};
    for (size_t k = 0; k < OUTS; k++)
        a.out[k] = device_room(n * 12 + 16);
    return a;
}

static void free_device(room_arrays *a)
{
    void *const all[] = {a->keys, a->records, a->flags, a->count, a->out[0], a->out[1], a->out[2]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CUDA(cudaFree(all[k]));
}

static void free_outputs(char *out[OUTS])
{
    for (size_t k = 0; k < OUTS; k++)
        free(out[k]);
}

static void clear(const room_arrays *a, size_t n)
{
    for (size_t k = 0; k < OUTS; k++)
        CUDA(cudaMemset(a->out[k], ROOM_BYTE, n * 12 + 16));
    CUDA(cudaDeviceSynchronize());
}

/* Compares what is written in host memory with the right results, of which there was room for some. */
static void expect_written(const room_call *call, char *const out[OUTS], char *const right[OUTS],
                           size_t n, size_t results, size_t room)
{
    const size_t written = results < room ? results : room;
    for (size_t k = 0; k < OUTS; k++) {
        const size_t bytes = bytes_of(call, k, written, n), all = n * 12 + 16;
        cr_assert_eq(memcmp(out[k], right[k], bytes), 0, "%s of %zu, room %zu: output %zu differs",
                     call->name, n, room, k);
        cr_assert_eq(first_other_than(ROOM_BYTE, out[k] + bytes, all - bytes), all - bytes,
                     "%s of %zu, room %zu: output %zu is written beyond it", call->name, n, room,
                     k);
    }
}

static void expect_in_device_memory(const room_call *call, const room_arrays *a,
                                    char *const right[OUTS], size_t n, uint64_t results,
                                    size_t room)
{
    char *out[OUTS];
    uint64_t count;
    for (size_t k = 0; k < OUTS; k++)
        out[k] = host_copy_of(a->out[k], n * 12 + 16);
    CUDA(cudaMemcpy(&count, a->count, sizeof count, cudaMemcpyDeviceToHost));
    cr_assert_eq(count, results, "%s of %zu, room %zu", call->name, n, room);
    expect_written(call, out, right, n, (size_t)results, room);
    free_outputs(out);
}

/* The status that is deferred. */
static void expect_deferred(parscan_context *context, const room_call *call, bool full)
{
    const parscan_status status = parscan_synchronize(context);
    cr_assert_eq(status, full ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s: %s", call->name,
                 parscan_context_error(context));
    cr_assert(!full || strstr(parscan_context_error(context), "exceeds lengths->out_capacity"),
              "%s: %s", call->name, parscan_context_error(context));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
}

/* All results, without a limit. */
static uint64_t take_right(parscan_context *context, const room_call *call, const room_arrays *a,
                           size_t n, char *right[OUTS])
{
    uint64_t count;
    clear(a, n);
    expect_ok(context, call->run(context, a, n));
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaMemcpy(&count, a->count, sizeof count, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < OUTS; k++)
        right[k] = host_copy_of(a->out[k], n * 12 + 16);
    return count;
}

/* The argument is the length, or a number in device memory. */
static void expect_room_on_device(parscan_context *context, const room_call *call,
                                  const room_arrays *a, char *const right[OUTS], size_t n,
                                  uint64_t results, size_t room)
{
    const uint64_t length = call->row_bytes > 0 ? n / COLUMNS : n;
    uint64_t *const on_device = device_copy_of(&length, sizeof length);
    for (int k = 0; k < 2; k++) {
        const parscan_lengths lengths =
            PARSCAN_LENGTHS(.n = k == 0 ? NULL : on_device, .out_capacity = room);
        clear(a, n);
        expect_ok(context, parscan_set_lengths(context, &lengths));
        expect_ok(context, call->run(context, a, n));
        expect_deferred(context, call, results > room);
        expect_in_device_memory(call, a, right, n, results, room);
    }
    CUDA(cudaFree(on_device));
}

static void expect_room_on_host(parscan_context *context, const room_call *call,
                                const room_arrays *a, char *const right[OUTS], size_t n,
                                uint64_t results, size_t room)
{
    uint64_t count;
    for (size_t k = 0; k < OUTS; k++)
        memset(a->out[k], ROOM_BYTE, n * 12 + 16);
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = room)));
    const parscan_status status = call->run(context, a, n);
    cr_assert_eq(status, results > room ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s: %s", call->name,
                 parscan_context_error(context));
    expect_ok(context, parscan_synchronize(context));
    CUDA(cudaMemcpy(&count, a->count, sizeof count, cudaMemcpyDefault));
    cr_assert_eq(count, results, "%s of %zu, room %zu", call->name, n, room);
    expect_written(call, a->out, right, n, (size_t)results, room);
}

/* The count alone, or the outputs alone, are in host memory: the call knows the count. */
static void expect_mixed(parscan_context *context, const room_call *call, const room_arrays *host,
                         const room_arrays *device, char *const right[OUTS], size_t n,
                         uint64_t results, size_t room)
{
    room_arrays mixed = *device;
    mixed.count = host->count;
    clear(device, n);
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = room)));
    const parscan_status status = call->run(context, &mixed, n);
    cr_assert_eq(status, results > room ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s: %s", call->name,
                 parscan_context_error(context));
    expect_ok(context, parscan_synchronize(context));
    device_write(device->count, host->count, sizeof results);
    expect_in_device_memory(call, device, right, n, results, room);
    if (call->bytes[0] == 0)
        return;
    mixed = *host;
    mixed.count = device->count;
    CUDA(cudaMemset(device->count, 0, sizeof results));
    expect_room_on_host(context, call, &mixed, right, n, results, room);
}

static void expect_rooms(parscan_context *context, size_t n)
{
    room_arrays host = arrays_create(n), device = to_device(&host, n);
    for (size_t c = 0; c < COUNT_OF(calls); c++) {
        char *right[OUTS];
        const uint64_t results = take_right(context, &calls[c], &device, n, right);
        const size_t all = (size_t)results;
        const size_t rooms[] = {1, 2,    all / 2 + 1, all > 1 ? all - 1 : 1, all + (all == 0),
                                n, n + 9};
        for (size_t r = 0; r < COUNT_OF(rooms); r++) {
            expect_room_on_device(context, &calls[c], &device, right, n, results, rooms[r]);
            expect_room_on_host(context, &calls[c], &host, right, n, results, rooms[r]);
            expect_mixed(context, &calls[c], &host, &device, right, n, results, rooms[r]);
        }
        free_outputs(right);
    }
    arrays_destroy(&host);
    free_device(&device);
}

Test(room, bounds_what_is_written)
{
    static const size_t lengths[] = {1, COLUMNS, 1000, 8191, 30000, 300000};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        expect_rooms(context, lengths[k]);
    parscan_context_destroy(context);
}

Test(sanitized_room, bounds_what_is_written)
{
    parscan_context *const context = context_on(NULL);
    expect_rooms(context, 3000);
    parscan_context_destroy(context);
}

/* In place, records of 12 bytes come back from scratch. */
Test(room, in_place)
{
    enum { N = 10000, ROOM = 1000 };
    parscan_context *const context = context_on(NULL);
    room_arrays host = arrays_create(N), a = to_device(&host, N);
    char *right[OUTS];
    const uint64_t results = take_right(context, &calls[1], &a, N, right);
    cr_assert_gt(results, ROOM);
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = ROOM)));
    expect_ok(context, parscan_compact(context, 12, a.records, a.flags, a.records, N, a.count));
    expect_deferred(context, &calls[1], true);
    char *const moved = host_copy_of(a.records, N * 12);
    cr_assert_eq(memcmp(moved, right[0], ROOM * 12), 0);
    cr_assert_eq(memcmp(moved + ROOM * 12, (char *)host.records + ROOM * 12, (N - ROOM) * 12), 0);
    free(moved);
    free_outputs(right);
    arrays_destroy(&host);
    free_device(&a);
    parscan_context_destroy(context);
}

/* Host arrays that go through the device in chunks. */
Test(room, in_chunks)
{
    enum { N = 1 << 20 };
    parscan_context *const context = context_on(NULL);
    parscan_context *const limited =
        test_context_with((parscan_context_options){.scratch_limit = (size_t)3 << 20});
    room_arrays host = arrays_create(N), device = to_device(&host, N);
    for (size_t c = 0; c < COUNT_OF(calls); c++) {
        if (calls[c].row_bytes > 0)
            continue; /* a matrix does not go through in chunks */
        char *right[OUTS];
        const uint64_t results = take_right(context, &calls[c], &device, N, right);
        const size_t rooms[] = {1, (size_t)results / 2, (size_t)results - 1, (size_t)results};
        for (size_t r = 0; r < COUNT_OF(rooms); r++)
            expect_room_on_host(limited, &calls[c], &host, right, N, results, rooms[r]);
        free_outputs(right);
    }
    arrays_destroy(&host);
    free_device(&device);
    parscan_context_destroy(limited);
    parscan_context_destroy(context);
}

/* A graph tells of each replay. */
Test(room, in_a_graph)
{
    enum { N = 50000, ROOM = 20000 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    need_cuda();
    CUDA(cudaStreamCreate(&stream));
    parscan_context *const context = context_on(stream);
    room_arrays host = arrays_create(N), a = to_device(&host, N);
    char *right[OUTS];
    const room_call *const call = &calls[4];
    const uint64_t results = take_right(context, call, &a, N, right), few = ROOM / 2, all = N;
    uint64_t *const length = device_copy_of(&few, sizeof few);
    cr_assert_lt(results, ROOM);
    clear(&a, N);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    expect_ok(context, parscan_set_lengths(
                           context, &PARSCAN_LENGTHS(.n = length, .out_capacity = results - 1)));
    expect_ok(context, call->run(context, &a, N));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&replay, graph, 0));
    for (int k = 0; k < 4; k++) {
        const uint64_t n = k % 2 == 0 ? few : all;
        device_write(length, &n, sizeof n);
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaGraphLaunch(replay, stream));
        expect_deferred(context, call, n == all);
    }
    expect_in_device_memory(call, &a, right, N, results, (size_t)results - 1);
    CUDA(cudaGraphExecDestroy(replay));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(length));
    free_outputs(right);
    arrays_destroy(&host);
    free_device(&a);
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}
