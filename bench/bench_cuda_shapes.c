/*
 * Scans and reductions along an axis, for every shape outer x n x inner of powers of two:
 *     bench_cuda_shapes [LOG2_ELEMENTS [TYPE[:OUT_TYPE][/OPERATOR]]...] [--all]
 * prints for each type, operator (sum) and operation how many shapes take more than 1.1, 1.35, 2 times what a copy takes
 * for the bytes that the call must read and write, and the slowest ones; with --all, a line for each shape too. Times are
 * medians of three calls in a stream, after one that is not timed. Results are not compared: the suites do.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/context.h"
#include "parscan/scan.h"
#include "parscan/shape.h"
#include "parscan/types.h"

enum { RUNS = 3, SLOWEST = 12, MOST_SHAPES = 1024 };

typedef struct shape_time {
    unsigned outer, n, inner; /* logarithms */
    double us, ratio;
} shape_time;

typedef struct shapes {
    parscan_context *context;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *in, *out;
    unsigned log2_elements;
    parscan_type type, out_type;
    parscan_op op;
    int prints_all;
} shapes;

static void check(int failed, const char *words)
{
    if (!failed)
        return;
    fprintf(stderr, "bench_cuda_shapes: %s\n", words);
    exit(EXIT_FAILURE);
}

static void check_cuda(cudaError_t error)
{
    check(error != cudaSuccess, cudaGetErrorString(error));
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_ratios(const void *a, const void *b)
{
    return -compare_doubles(&((const shape_time *)a)->ratio, &((const shape_time *)b)->ratio);
}

typedef void shapes_call(const shapes *s, const void *state);

/* Microseconds: the median of RUNS. */
static double time_of(const shapes *s, shapes_call *call, const void *state)
{
    double us[RUNS];
    call(s, state);
    for (int run = 0; run < RUNS; run++) {
        float ms = 0;
        check_cuda(cudaEventRecord(s->begin, s->stream));
        call(s, state);
        check_cuda(cudaEventRecord(s->end, s->stream));
        check_cuda(cudaEventSynchronize(s->end));
        check_cuda(cudaEventElapsedTime(&ms, s->begin, s->end));
        us[run] = 1000.0 * (double)ms;
    }
    qsort(us, RUNS, sizeof *us, compare_doubles);
    return us[RUNS / 2];
}

static size_t bytes_of(const shapes *s)
{
    return parscan_type_size(s->type) << s->log2_elements;
}

static void copy_all(const shapes *s, const void *state)
{
    (void)state;
    check_cuda(cudaMemcpyAsync(s->out, s->in, bytes_of(s), cudaMemcpyDeviceToDevice, s->stream));
}

typedef struct axis_call {
    int reduces;
    shape_time shape;
} axis_call;

static void call_along_axis(const shapes *s, const void *state)
{
    const axis_call *const call = state;
    const parscan_shape shape = PARSCAN_SHAPE(.outer = (size_t)1 << call->shape.outer,
                                              .inner = (size_t)1 << call->shape.inner);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = s->op,
                             .out_type = s->out_type == s->type ? (parscan_type)0 : s->out_type,
                             .shape = &shape);
    const size_t n = (size_t)1 << call->shape.n;
    const parscan_status status =
        call->reduces ? parscan_reduce(s->context, s->type, s->in, s->out, n, &options)
                      : parscan_inclusive_scan(s->context, s->type, s->in, s->out, n, &options);
    check(status != PARSCAN_OK, parscan_context_error(s->context));
}

static void print_times(const shapes *s, int reduces, shape_time *times, unsigned count)
{
    static const double limits[] = {1.1, 1.35, 2};
    unsigned above[3] = {0, 0, 0};
    for (unsigned k = 0; k < count; k++)
        for (unsigned l = 0; l < 3; l++)
            above[l] += times[k].ratio > limits[l];
    qsort(times, count, sizeof *times, compare_ratios);
    printf("%s:%s %s, %s: %u shapes; above 1.1: %u, 1.35: %u, 2: %u; slowest:",
           parscan_type_name(s->type), parscan_type_name(s->out_type), parscan_op_name(s->op),
           reduces ? "reductions" : "scans", count, above[0], above[1], above[2]);
    for (unsigned k = 0; k < SLOWEST && k < count; k++)
        printf(" 2^%u x 2^%u x 2^%u %.0f us (%.2f)", times[k].outer, times[k].n, times[k].inner,
               times[k].us, times[k].ratio);
    printf("\n");
    for (unsigned k = 0; s->prints_all && k < count; k++)
        printf("%s,%s,%u,%u,%u,%.1f,%.3f\n", parscan_type_name(s->type),
               reduces ? "reduce" : "scan", times[k].outer, times[k].n, times[k].inner, times[k].us,
               times[k].ratio);
}

static void time_shapes(const shapes *s, int reduces)
{
    static shape_time times[MOST_SHAPES];
    const double copy = time_of(s, copy_all, NULL);
    const double wider =
        (double)parscan_type_size(s->out_type) / (double)parscan_type_size(s->type);
    unsigned count = 0;
    for (unsigned outer = 0; outer <= s->log2_elements; outer++)
        for (unsigned n = 0; outer + n <= s->log2_elements; n++) {
            const axis_call call = {
                reduces, {.outer = outer, .n = n, .inner = s->log2_elements - outer - n}};
            /* A copy reads and writes all. A reduction of lines of 2^n reads all, and writes a 2^n-th. */
            const double written = reduces ? 1 / (double)((size_t)1 << n) : 1;
            const double share = 0.5 + 0.5 * written * wider;
            times[count] = call.shape;
            times[count].us = time_of(s, call_along_axis, &call);
            times[count].ratio = times[count].us / (copy * share);
            count++;
        }
    print_times(s, reduces, times, count);
}

static parscan_type type_named(const char *name, size_t length)
{
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_I8,  PARSCAN_U16, PARSCAN_I16,
                                         PARSCAN_U32, PARSCAN_I32, PARSCAN_U64, PARSCAN_I64,
                                         PARSCAN_F16, PARSCAN_F32, PARSCAN_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strlen(parscan_type_name(types[t])) == length &&
            strncmp(name, parscan_type_name(types[t]), length) == 0)
            return types[t];
    check(1, "TYPE must be an integer of 8 to 64 bits, f16, f32 or f64: u8");
    return PARSCAN_U8;
}

static parscan_op op_named(const char *name)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT, PARSCAN_MIN, PARSCAN_MAX,
                                     PARSCAN_AND, PARSCAN_OR,      PARSCAN_XOR};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (strcmp(name, parscan_op_name(ops[k])) == 0)
            return ops[k];
    check(1, "OPERATOR must be sum, product, min, max, and, or or xor");
    return PARSCAN_SUM;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"u8", "u32", "f32", "f64"};
    char words[256] = "";
    const int prints_all = argc > 1 && strcmp(argv[argc - 1], "--all") == 0;
    argc -= prints_all;
    shapes s = {.prints_all = prints_all, .log2_elements = argc > 1 ? (unsigned)atoi(argv[1]) : 28};
    check(s.log2_elements < 1 || s.log2_elements > 30, "LOG2_ELEMENTS must be from 1 to 30");
    check_cuda(cudaStreamCreate(&s.stream));
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .stream = s.stream, .error = words,
                                .error_size = sizeof words);
    check(parscan_context_create(&s.context, &options) != PARSCAN_OK, words);
    check_cuda(cudaEventCreate(&s.begin));
    check_cuda(cudaEventCreate(&s.end));
    check_cuda(cudaMalloc(&s.in, (size_t)8 << s.log2_elements));
    check_cuda(cudaMalloc(&s.out, (size_t)8 << s.log2_elements));
    check_cuda(cudaMemset(s.in, 0, (size_t)8 << s.log2_elements));
    for (int k = 0; k < (argc > 2 ? argc - 2 : 4); k++) {
        const char *const name = argc > 2 ? argv[k + 2] : usual[k];
        const size_t length = strcspn(name, ":/"), types = strcspn(name, "/");
        s.type = type_named(name, length);
        s.out_type =
            name[length] == ':' ? type_named(name + length + 1, types - length - 1) : s.type;
        s.op = name[types] == '/' ? op_named(name + types + 1) : PARSCAN_SUM;
        time_shapes(&s, 0);
        time_shapes(&s, 1);
    }
    check_cuda(cudaFree(s.in));
    check_cuda(cudaFree(s.out));
    check_cuda(cudaEventDestroy(s.begin));
    check_cuda(cudaEventDestroy(s.end));
    parscan_context_destroy(s.context);
    check_cuda(cudaStreamDestroy(s.stream));
    return EXIT_SUCCESS;
}
