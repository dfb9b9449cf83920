/* Sorts along an axis on the device: what the CPU gives, also in graphs; lengths in device memory; scratch_limit. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(sort_lines, .timeout = 200);
TestSuite(sanitized_sort_lines, .timeout = 300);

static parscan_status sort(parscan_context *context, const call_arrays *a, size_t n,
                           parscan_type type, size_t outer, size_t inner)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = outer, .inner = inner);
    return parscan_sort_keys(context, type, a->in[0], a->out[0], n / outer / inner,
                             &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

#define SORT(name, type, outer, inner)                                                        \
    static parscan_status name(parscan_context *context, const call_arrays *arrays, size_t n) \
    {                                                                                         \
        return sort(context, arrays, n, PARSCAN_##type, outer, inner);                        \
    }
SORT(columns_of_u8, U8, 1, 5)
SORT(columns_of_u32, U32, 1, 1000)
SORT(columns_of_f64, F64, 1, 3)
SORT(middle_of_u16, U16, 7, 9)
SORT(rows_of_u32, U32, 11, 1)

/* Every second element of every second line, written where it was. */
static parscan_status with_gaps(parscan_context *context, const call_arrays *a, size_t n)
{
    const size_t length = n / 40;
    const int64_t strides[3] = {0, -2 * 40, 2 * 4};
    const char *const last = (const char *)a->in[0] + 2 * 40 * (length > 0 ? length - 1 : 0);
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 10, .in_strides = strides);
    return parscan_sort_keys(context, PARSCAN_F32, last, a->out[0], length,
                             &PARSCAN_SORT_OPTIONS(.shape = &shape, .descending = 1));
}

static parscan_status indices(parscan_context *context, const call_arrays *a, size_t n,
                              parscan_type index, size_t inner)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = inner);
    return parscan_argsort(context, PARSCAN_U32, a->in[0], index, a->out[0], n / inner,
                           &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

static parscan_status indices_of_columns(parscan_context *context, const call_arrays *a, size_t n)
{
    return indices(context, a, n, PARSCAN_U32, 100);
}

static parscan_status wide_indices(parscan_context *context, const call_arrays *a, size_t n)
{
    return indices(context, a, n, PARSCAN_I64, 2);
}

/* Values of 12 bytes, and of 8 in another order of the axes. */
static parscan_status pairs(parscan_context *context, const call_arrays *a, size_t n)
{
    const size_t length = n / 7;
    const int64_t strides[3] = {0, 8, (int64_t)length * 8};
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 7);
    const parscan_status status =
        parscan_sort_pairs(context, PARSCAN_U16, a->in[0], a->out[0], 12, a->in[1], a->out[1],
                           length, &PARSCAN_SORT_OPTIONS(.shape = &shape));
    return status == PARSCAN_OK
               ? parscan_sort_pairs(
                     context, PARSCAN_I32, a->in[0], a->out[0], 8, a->in[1], a->out[2], length,
                     &PARSCAN_SORT_OPTIONS(.shape = &shape, .values_in_strides = strides))
               : status;
}

/* In place, down columns. */
static parscan_status in_place(parscan_context *context, const call_arrays *a, size_t n)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 16);
    const parscan_status status = sort(context, a, n, PARSCAN_U32, 1, 8);
    return status == PARSCAN_OK ? parscan_sort_keys(context, PARSCAN_U32, a->out[0], a->out[0],
                                                    n / 16, &PARSCAN_SORT_OPTIONS(.shape = &shape))
                                : status;
}

static void fill(void *const in[CALL_INPUTS], size_t n)
{
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < n * MOST_BYTES / sizeof(uint32_t); i++)
            ((uint32_t *)in[k])[i] = (uint32_t)random_below(UINT32_MAX);
}

static const engine_call calls[] = {
    {"columns of u8", columns_of_u8},
    {"columns of u32", columns_of_u32},
    {"columns of f64", columns_of_f64},
    {"the middle axis of u16", middle_of_u16},
    {"rows of u32", rows_of_u32},
    {"with gaps", with_gaps},
    {"indices of columns", indices_of_columns},
    {"wide indices", wide_indices},
    {"pairs", pairs},
    {"in place", in_place},
};

static const engine_calls all = {calls, COUNT_OF(calls), fill};

Test(sort_lines, are_those_of_the_cpu)
{
    static const size_t lengths[] = {0, 1, 1000, 12345, 200000};
    for (size_t l = 0; l < COUNT_OF(lengths); l++)
        expect_same(&all, lengths[l]);
}

/* Lines of f64 that are sorted one after the other. */
Test(sort_lines, that_are_long_are_those_of_the_cpu)
{
    expect_same(&all, 3 << 20);
}

Test(sort_lines, in_graphs)
{
    expect_same_in_graphs(&all, 100000);
}

enum { N = 3000, LINES = 40 };

static parscan_status sort_lines(parscan_context *context, const uint32_t *in, uint32_t *out)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = LINES);
    return parscan_sort_keys(context, PARSCAN_U32, in, out, N,
                             &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

static uint32_t *random_keys(void)
{
    uint32_t *const keys = malloc(N * LINES * sizeof *keys);
    for (size_t i = 0; i < N * LINES; i++)
        keys[i] = (uint32_t)random_below(UINT32_MAX);
    return keys;
}

/* The host reads the length, which no capture can wait for. */
Test(sort_lines, of_a_length_on_the_device)
{
    const uint64_t length = N / 3;
    cudaStream_t stream;
    cudaGraph_t graph;
    need_cuda();
    CUDA(cudaStreamCreate(&stream));
    parscan_context *const context = context_on(stream);
    uint32_t *const keys = random_keys();
    uint32_t *const in = device_copy_of(keys, N * LINES * sizeof *in);
    uint32_t *const out = device_room(N * LINES * sizeof *in);
    uint32_t *const expected = device_room(N * LINES * sizeof *in);
    uint64_t *const at = device_copy_of(&length, sizeof length);
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &length)));
    expect_ok(context, sort_lines(context, in, expected));
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = at)));
    expect_ok(context, sort_lines(context, in, out));
    expect_ok(context, parscan_synchronize(context));
    uint32_t *const found = host_copy_of(out, N * LINES * sizeof *in);
    uint32_t *const right = host_copy_of(expected, N * LINES * sizeof *in);
    cr_assert_arr_eq(found, right, N * LINES * sizeof *in);
    cr_assert_neq(first_other_than(ROOM_BYTE, found, sizeof *in), sizeof *in);
    cr_assert_eq(first_other_than(ROOM_BYTE, found + length * LINES, 100), 100);
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = at)));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = sort_lines(context, in, out);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphDestroy(graph));
    cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(context), "captured in a graph"), "%s",
                       parscan_context_error(context));
    free(keys);
    free(found);
    free(right);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaFree(expected));
    CUDA(cudaFree(at));
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

static parscan_context *limited(size_t limit, int measure)
{
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .scratch_limit = limit,
                                .measure = measure);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    return context;
}

/* What is told is enough, and with less nothing is written. */
Test(sort_lines, within_a_limit)
{
    need_cuda();
    uint32_t *const keys = random_keys();
    uint32_t *const in = device_copy_of(keys, N * LINES * sizeof *in);
    uint32_t *const out = device_room(N * LINES * sizeof *in);
    parscan_context *const told = limited(0, 1);
    expect_ok(told, sort_lines(told, in, out));
    const size_t needed = parscan_context_scratch(told);
    for (int k = 0; k < 2; k++) {
        parscan_context *const context = limited(k == 0 ? N * LINES * sizeof *in : needed, 0);
        const parscan_status status = sort_lines(context, in, out);
        cr_assert_eq(status, k == 0 ? PARSCAN_ERROR_OUT_OF_MEMORY : PARSCAN_OK, "%s",
                     parscan_context_error(context));
        parscan_synchronize(context);
        uint32_t *const found = host_copy_of(out, N * LINES * sizeof *in);
        cr_assert_eq(first_other_than(ROOM_BYTE, found, N * LINES * sizeof *in) ==
                         N * LINES * sizeof *in,
                     k == 0);
        for (size_t i = LINES; i < N * LINES && k == 1; i++)
            cr_assert_leq(found[i - LINES], found[i]);
        free(found);
        parscan_context_destroy(context);
    }
    parscan_context_destroy(told);
    free(keys);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

Test(sanitized_sort_lines, are_those_of_the_cpu)
{
    expect_same(&all, 5000);
}
