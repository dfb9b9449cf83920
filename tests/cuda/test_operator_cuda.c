#define _DEFAULT_SOURCE /* setenv(), mkdtemp() */

/*
 * Operators of the caller's on CUDA: results beside a loop, for elements of many sizes, by every algorithm; and
 * what is compiled when: preparation, graphs, blobs, folders, wrong texts, a machine without NVRTC.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/on_device.h"
#include "tests/cuda/operator_questions.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(operators, .timeout = 240);

#define NO_NVRTC "/nonexistent/libnvrtc.so"

/* In few blocks, so that each has many tiles, and in as many as fit. */
Test(operators, the_fast_path_is_right_for_elements_of_any_size, .timeout = 600)
{
    static const size_t lengths[] = {0, 1, 2, 31, 2048, 4097, 70001};
    static const size_t longer[] = {300007};
    for (size_t s = 0; s < OPERATOR_SUBJECTS; s++) {
        operator_bench b = operator_bench_of_blocks(&operator_subjects[s], 3);
        operator_bench whole = b;
        void *const in = subject_elements(b.subject, longer[0]);
        whole.context = context_on(NULL);
        expect_operator_algorithm(&b, PARSCAN_AUTO, lengths, COUNT_OF(lengths), in);
        expect_operator_algorithm(&whole, PARSCAN_AUTO, longer, COUNT_OF(longer), in);
        free(in);
        parscan_context_destroy(whole.context);
        operator_bench_destroy(&b);
    }
}

Test(operators, every_algorithm_is_right, .timeout = 600)
{
    static const size_t lengths[] = {1, 2, 31, 2048, 4097, 100003};
    static const size_t subjects[] = {AFFINE_SUBJECT, BARE_SUBJECT};
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        operator_bench b = operator_bench_create(&operator_subjects[subjects[s]]);
        void *const in = subject_elements(b.subject, 100003);
        for (size_t a = 0; a < ALGORITHMS; a++)
            expect_operator_algorithm(
                &b, all_algorithms[a], lengths,
                all_algorithms[a] == PARSCAN_SEQUENTIAL ? 5 : COUNT_OF(lengths), in);
        free(in);
        operator_bench_destroy(&b);
    }
}

Test(operators, block_shapes_of_the_caller)
{
    static const struct {
        parscan_algorithm algorithm;
        unsigned threads, items;
    } shapes[] = {{PARSCAN_KOGGE_STONE, 37, 1},
                  {PARSCAN_KOGGE_STONE, 1024, 1},
                  {PARSCAN_BRENT_KUNG, 64, 2},
                  {PARSCAN_THREE_PHASE, 100, 3}};
    operator_bench b = operator_bench_create(&operator_subjects[BARE_SUBJECT]);
    void *const in = subject_elements(b.subject, 100003);
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (int reverse = 0; reverse < 2; reverse++) {
            operator_question q = {.kind = SCAN_INCLUSIVE, .n = 100003};
            q.options.algorithm = shapes[s].algorithm;
            q.options.block_threads = shapes[s].threads;
            q.options.items_per_thread = shapes[s].items;
            q.options.reverse = reverse;
            expect_operator(&b, &q, in);
        }
    free(in);
    operator_bench_destroy(&b);
}

Test(operators, lengths_on_the_device)
{
    static const size_t lengths[] = {0, 1, 2048, 70001};
    for (size_t s = 0; s < OPERATOR_SUBJECTS; s += 8) {
        operator_bench b = operator_bench_create(&operator_subjects[s]);
        void *const in = subject_elements(b.subject, 70001 + 4001);
        for (size_t k = 0; k < COUNT_OF(lengths) * 6; k++) {
            operator_question q = {.kind = (scan_kind)(k % 3), .n = lengths[k / 6]};
            q.options.reverse = k / 3 % 2;
            q.options.algorithm = k % 2 == 0 ? PARSCAN_AUTO : PARSCAN_BRENT_KUNG;
            q.init = b.subject->options.identity == NULL;
            q.length_on_device = true;
            expect_operator(&b, &q, in);
        }
        free(in);
        operator_bench_destroy(&b);
    }
}

/* Host arrays larger than the scratch that a context may have go through the device in chunks. */
Test(operators, chunks)
{
    enum { N = 1000003 };
    const size_t subjects[] = {AFFINE_SUBJECT, 8};
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        operator_bench b = {.subject = &operator_subjects[subjects[s]]};
        b.size = b.subject->options.element_size;
        need_operator_compiler();
        cr_assert_eq(parscan_context_create(
                         &b.context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA,
                                                              .scratch_limit = 2 << 20)),
                     PARSCAN_OK);
        b.op = subject_operator(b.subject);
        void *const in = subject_elements(b.subject, N);
        for (int k = 0; k < 6; k++) {
            operator_question q = {.kind = (scan_kind)(k % 3), .n = N, .place = ON_HOST};
            q.options.reverse = k / 3;
            q.init = k % 2 == 0 || b.subject->options.identity == NULL;
            expect_operator(&b, &q, in);
        }
        free(in);
        operator_bench_destroy(&b);
    }
}

/* Squares of floats and their place, and integers out of them. */
PARSCAN_DEFINE_OPERATOR(add, double, (), { return earlier + later; })
PARSCAN_DEFINE_LOAD(square, double, (), {
    const int x = ((const int *)in)[i];
    return (double)x * x + (double)(i % 3);
})
PARSCAN_DEFINE_STORE(rounded, double, (), { ((int *)out)[i] = (int)x; })

Test(operators, maps_on_both_sides)
{
    enum { N = 300007 };
    static const double zero = 0;
    const parscan_operator_options both = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(add, double), .commutes = 1, .identity = &zero,
        PARSCAN_DEFINED_LOAD(square), .in_size = 4, PARSCAN_DEFINED_STORE(rounded), .out_size = 4);
    need_operator_compiler();
    parscan_context *const context = context_on(NULL);
    parscan_operator *const op = made_operator(&both);
    int *const in = malloc(N * sizeof *in), *const expected = malloc(N * sizeof *in);
    for (size_t i = 0; i < N; i++)
        in[i] = (int)(random_bits() % 50) - 25;
    int *const from = device_copy_of(in, N * sizeof *in), *const to = device_room(N * sizeof *in);
    for (int k = 0; k < 24; k++) {
        const scan_kind kind = (scan_kind)(k % 3);
        const bool reverse = k / 3 % 2 != 0;
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.custom = op, .reverse = reverse,
                                 .algorithm = k < 12   ? PARSCAN_AUTO
                                              : k < 18 ? PARSCAN_THREE_PHASE
                                                       : PARSCAN_SEQUENTIAL);
        const size_t n = k % 2 == 0 ? N : 1025, results = kind == SCAN_REDUCE ? 1 : n;
        double sum = 0;
        for (size_t j = 0; j < n; j++) {
            const size_t i = reverse ? n - 1 - j : j;
            expected[i] = (int)sum;
            sum += (double)in[i] * in[i] + (double)(i % 3);
            if (kind == SCAN_INCLUSIVE)
                expected[i] = (int)sum;
        }
        if (kind == SCAN_REDUCE)
            expected[0] = (int)sum;
        expect_ok(context, call_scan(context, kind, PARSCAN_CUSTOM, from, to, n, &options));
        expect_ok(context, parscan_synchronize(context));
        int *const out = host_copy_of(to, results * sizeof *out);
        for (size_t i = 0; i < results; i++)
            cr_assert_eq(out[i], expected[i], "kind %d, reverse %d, n = %zu: element %zu", kind,
                         reverse, n, i);
        free(out);
    }
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, to, N, &options),
                 PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(context), "host memory"));
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
    free(in);
    free(expected);
}

/* After preparation nothing is compiled: a context whose NVRTC is missing has the code of a blob. */
static parscan_context *context_without_nvrtc(void)
{
    setenv("PARSCAN_NVRTC", NO_NVRTC, 1);
    parscan_context *const context = context_on(NULL);
    unsetenv("PARSCAN_NVRTC");
    return context;
}

#define ALL_SCANS (PARSCAN_USE_INCLUSIVE_SCAN | PARSCAN_USE_EXCLUSIVE_SCAN | PARSCAN_USE_REDUCE)

Test(operators, without_nvrtc_it_is_told_and_a_blob_helps)
{
    size_t size;
    operator_bench b = operator_bench_create(&operator_subjects[AFFINE_SUBJECT]);
    operator_bench without = b;
    operator_question q = {.kind = SCAN_INCLUSIVE, .n = 70001};
    void *const in = subject_elements(b.subject, q.n);
    expect_ok(b.context, parscan_operator_prepare(b.context, b.op, ALL_SCANS, NULL));
    expect_operator(&b, &q, in);
    cr_assert_eq(parscan_operator_save(b.context, b.op, NULL, 0, &size), PARSCAN_ERROR_CAPACITY);
    void *const blob = malloc(size);
    expect_ok(b.context, parscan_operator_save(b.context, b.op, blob, size, &size));
    without.context = context_without_nvrtc();
    without.op = subject_operator(b.subject);
    cr_assert_eq(ask_operator(&without, &q, in, in, NULL, NULL), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(without.context), "NVRTC"), "%s",
                       parscan_context_error(without.context));
    expect_ok(without.context, parscan_operator_load(without.context, without.op, blob, size));
    expect_operator(&without, &q, in);
    ((char *)blob)[size / 2] ^= 1;
    cr_assert_eq(parscan_operator_load(b.context, b.op, blob, size),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(b.context), "damaged"));
    free(blob);
    free(in);
    operator_bench_destroy(&without);
    operator_bench_destroy(&b);
}

Test(operators, wrong_texts_are_told_and_the_next_call_is_right)
{
    static const char source[] = "__device__ int add(int a, int b, const void *state)\n"
                                 "{\n"
                                 "    return a + missing;\n"
                                 "}\n";
    const parscan_operator_options wrong =
        PARSCAN_OPERATOR_OPTIONS(.element_size = 4, .cuda_source = source, .cuda_type = "int",
                                 .cuda_function = "add");
    operator_bench b = operator_bench_create(&operator_subjects[AFFINE_SUBJECT]);
    parscan_operator *const op = made_operator(&wrong);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    int *const room = device_room(400);
    for (int turn = 0; turn < 2; turn++) {
        cr_assert_eq(parscan_inclusive_scan(b.context, PARSCAN_CUSTOM, room, room, 100, &options),
                     PARSCAN_ERROR_INVALID_ARGUMENT);
        cr_assert_not_null(strstr(parscan_context_error(b.context), "missing"), "%s",
                           parscan_context_error(b.context));
        cr_assert_not_null(strstr(parscan_operator_log(op), "operator(3)"), "%s",
                           parscan_operator_log(op));
        operator_question q = {.kind = SCAN_INCLUSIVE, .n = 5003};
        void *const in = subject_elements(b.subject, q.n);
        expect_operator(&b, &q, in);
        cr_assert_str_eq(parscan_operator_log(b.op), "");
        free(in);
    }
    CUDA(cudaFree(room));
    parscan_operator_destroy(op);
    operator_bench_destroy(&b);
}

/* A prepared call is captured, allocates nothing, and the graph outlives the operator. */
static void expect_graph(const operator_subject *subject, scan_kind kind,
                         parscan_algorithm algorithm)
{
    enum { N = 200003 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    operator_bench b = {.subject = subject, .size = subject->options.element_size};
    b.context = context_on(stream);
    b.op = subject_operator(subject);
    operator_question q = {.kind = kind, .n = N};
    q.options.algorithm = algorithm;
    const parscan_scan_options prepared = PARSCAN_SCAN_OPTIONS(.algorithm = algorithm);
    void *const in = subject_elements(subject, N);
    void *const from = device_copy_of(in, N * b.size), *const to = device_room(N * b.size);
    expect_ok(b.context, parscan_operator_prepare(b.context, b.op, ALL_SCANS, &prepared));
    expect_ok(b.context, parscan_context_reserve(b.context, 16 << 20));
    const size_t before = parscan_context_scratch(b.context);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const parscan_status status = ask_operator(&b, &q, from, to, NULL, NULL);
    CUDA(cudaStreamEndCapture(stream, &graph));
    expect_ok(b.context, status);
    cr_assert_eq(parscan_context_scratch(b.context), before, "a captured call has allocated");
    CUDA(cudaGraphInstantiate(&replayed, graph, 0));
    parscan_operator_destroy(b.op);
    const size_t results = kind == SCAN_REDUCE ? 1 : N;
    void *const expected = malloc(N * b.size);
    for (int turn = 0; turn < 3; turn++) {
        void *const other = subject_elements(subject, N);
        device_write(from, other, N * b.size);
        CUDA(cudaGraphLaunch(replayed, stream));
        CUDA(cudaStreamSynchronize(stream));
        subject_expected(subject, kind, false, NULL, other, expected, N);
        void *const out = host_copy_of(to, results * b.size);
        expect_operator_bytes(&b, &q, expected, out, results);
        free(out);
        free(other);
    }
    CUDA(cudaGraphExecDestroy(replayed));
    CUDA(cudaGraphDestroy(graph));
    parscan_context_destroy(b.context);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
    free(expected);
    free(in);
}

Test(operators, graphs_after_preparation)
{
    const operator_subject *const affine = &operator_subjects[AFFINE_SUBJECT];
    need_operator_compiler();
    expect_graph(affine, SCAN_INCLUSIVE, PARSCAN_AUTO);
    expect_graph(affine, SCAN_EXCLUSIVE, PARSCAN_AUTO);
    expect_graph(affine, SCAN_REDUCE, PARSCAN_AUTO);
    expect_graph(affine, SCAN_INCLUSIVE, PARSCAN_KOGGE_STONE);
    expect_graph(&operator_subjects[BARE_SUBJECT], SCAN_REDUCE, PARSCAN_AUTO);
    expect_graph(&operator_subjects[8], SCAN_INCLUSIVE, PARSCAN_AUTO);
}

Test(operators, a_folder_of_the_caller)
{
    char folder[] = "/tmp/parscan-operators-XXXXXX", command[96];
    need_cuda();
    cr_assert_not_null(mkdtemp(folder));
    operator_subject kept = operator_subjects[AFFINE_SUBJECT];
    kept.options.cache_folder = folder;
    operator_question q = {.kind = SCAN_INCLUSIVE, .n = 70001};
    void *const in = subject_elements(&kept, q.n);
    operator_bench b = operator_bench_create(&kept);
    expect_operator(&b, &q, in);
    operator_bench_destroy(&b);
    b.context = context_without_nvrtc();
    b.op = subject_operator(&kept);
    expect_operator(&b, &q, in);
    operator_bench_destroy(&b);
    free(in);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

/* Two contexts, one after the other's end. */
Test(operators, contexts_share_an_operator)
{
    operator_bench b = operator_bench_create(&operator_subjects[BARE_SUBJECT]), other = b;
    operator_question q = {.kind = SCAN_INCLUSIVE, .n = 70001};
    void *const in = subject_elements(b.subject, q.n);
    other.context = context_on(NULL);
    expect_operator(&b, &q, in);
    expect_operator(&other, &q, in);
    parscan_context_destroy(b.context);
    expect_operator(&other, &q, in);
    parscan_operator_destroy(b.op);
    parscan_context_destroy(other.context);
    free(in);
}

Test(operators, what_is_refused)
{
    operator_bench b = operator_bench_create(&operator_subjects[BARE_SUBJECT]);
    char *const room = device_room(4096);
    operator_question q = {.kind = SCAN_EXCLUSIVE, .n = 100};
    cr_assert_eq(ask_operator(&b, &q, room, room, NULL, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    q.kind = SCAN_REDUCE;
    q.n = 0;
    cr_assert_eq(ask_operator(&b, &q, room, room, NULL, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    const uint64_t none = 0;
    uint64_t *const length = device_copy_of(&none, sizeof none);
    q.n = 100;
    cr_assert_eq(ask_operator(&b, &q, room, room + 2048, NULL, length),
                 PARSCAN_ERROR_INVALID_ARGUMENT, "a length of 0 on the device");
    CUDA(cudaFree(length));
    q = (operator_question){.kind = SCAN_INCLUSIVE, .n = 100};
    cr_assert_eq(ask_operator(&b, &q, room + 4, room, NULL, NULL), PARSCAN_ERROR_INVALID_ARGUMENT,
                 "an array that is not aligned");
    operator_subject bare = *b.subject;
    bare.options.cuda_source = NULL;
    parscan_operator_destroy(b.op);
    b.op = subject_operator(&bare);
    cr_assert_eq(ask_operator(&b, &q, room, room, NULL, NULL), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(b.context), "cuda_source"));
    CUDA(cudaFree(room));
    operator_bench_destroy(&b);
}
