/*
 * Reproducible scans and reductions by operators of the caller's on CUDA: the bits of the CPU engine, and of the library's
 * own reproducible sums; operators of every size beside a loop; graphs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/operator_questions.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(custom_tree, .timeout = 240);

/* Ascending lengths of one subject; places, and forms of init and length, take turns. */
static void expect_subject(size_t s, const size_t *lengths, size_t count)
{
    operator_bench b = operator_bench_of_blocks(&operator_subjects[s], s % 2 == 0 ? 0 : 3);
    void *const in = subject_elements(b.subject, lengths[count - 1] + 4001);
    unsigned k = (unsigned)s;
    for (size_t l = 0; l < count; l++)
        for (int mode = 0; mode < 6; mode++, k++) {
            operator_question q = {.kind = (scan_kind)(mode % 3), .n = lengths[l]};
            q.options.reproducible = 1;
            q.options.reverse = mode / 3;
            q.in_offset = k % 3;
            q.out_offset = k % 5;
            q.place = (operator_place)(q.kind == SCAN_REDUCE ? k % 2 : k % 3);
            q.length_on_device = k % 7 == 0 && q.place == ON_DEVICE;
            q.init = k % 2 == 0 || b.subject->options.identity == NULL;
            q.init_on_device = q.init && k % 3 == 1;
            if (q.place == IN_PLACE)
                q.out_offset = q.in_offset;
            expect_operator(&b, &q, in);
        }
    free(in);
    operator_bench_destroy(&b);
}

/* Right, in whatever grouping. */
Test(custom_tree, is_right_for_elements_of_any_size)
{
    static const size_t lengths[] = {0, 1, 17, 2047, 2048, 2049, 8 * 2048, 70001, 1000003};
    for (size_t s = 0; s < OPERATOR_SUBJECTS; s++)
        expect_subject(s, lengths, COUNT_OF(lengths));
}

/* For compute-sanitizer (sanitize.sh). */
Test(sanitized_custom_tree, is_right, .timeout = 600)
{
    static const size_t lengths[] = {1, 2049, 9 * 2048 + 5};
    for (size_t s = 0; s < OPERATOR_SUBJECTS; s += 3)
        expect_subject(s, lengths, COUNT_OF(lengths));
    CUDA(cudaDeviceReset());
}

PARSCAN_DEFINE_OPERATOR(sum_of_f32, float, (), { return earlier + later; })
PARSCAN_DEFINE_OPERATOR(map_of_f64, float_map,
                        (typedef struct float_map { double a, b; } float_map;), {
                            float_map both;
                            both.a = later.a * earlier.a;
                            both.b = later.a * earlier.b;
                            both.b = both.b + later.b;
                            return both;
                        })

static parscan_context *context_of(parscan_backend backend)
{
    parscan_context *context;
    cr_assert_eq(parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = backend)),
                 PARSCAN_OK);
    return context;
}

/* Both engines on host arrays. */
static void expect_same_bits(const parscan_operator *op, size_t size, const void *in, size_t n)
{
    parscan_context *const cpu = context_of(PARSCAN_BACKEND_CPU);
    parscan_context *const cuda = context_of(PARSCAN_BACKEND_CUDA);
    char *const a = malloc(n * size), *const b = malloc(n * size);
    for (int mode = 0; mode < 12; mode++) {
        const scan_kind kind = (scan_kind)(mode % 3);
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.custom = op, .reproducible = 1, .reverse = mode / 3 % 2,
                                 .init = mode / 6 || kind == SCAN_EXCLUSIVE ? in : NULL);
        expect_ok(cpu, call_scan(cpu, kind, PARSCAN_CUSTOM, in, a, n, &options));
        expect_ok(cuda, call_scan(cuda, kind, PARSCAN_CUSTOM, in, b, n, &options));
        cr_assert_eq(memcmp(a, b, (kind == SCAN_REDUCE ? 1 : n) * size), 0,
                     "n = %zu, elements of %zu bytes, mode %d", n, size, mode);
    }
    free(a);
    free(b);
    parscan_context_destroy(cpu);
    parscan_context_destroy(cuda);
}

static const size_t bit_lengths[] = {1, 15, 2047, 2049, 3 * 2048, 100003, 2000003};

Test(custom_tree, has_the_bits_of_the_cpu)
{
    enum { MOST = 2000003 };
    need_operator_compiler();
    const parscan_operator_options sums =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(sum_of_f32, float));
    const parscan_operator_options maps =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(map_of_f64, float_map));
    parscan_operator *const sum = made_operator(&sums), *const map = made_operator(&maps);
    float *const x = random_array(PARSCAN_F32, PARSCAN_SUM, MOST);
    float_map *const y = malloc(MOST * sizeof *y);
    for (size_t i = 0; i < MOST; i++)
        y[i] = (float_map){1 + x[i] * 0x1p-30, x[i]};
    for (size_t k = 0; k < COUNT_OF(bit_lengths); k++) {
        expect_same_bits(sum, sizeof *x, x, bit_lengths[k]);
        expect_same_bits(map, sizeof *y, y, bit_lengths[k]);
    }
    parscan_operator_destroy(sum);
    parscan_operator_destroy(map);
    free(x);
    free(y);
}

/* The tree is that of the library's own sums. */
Test(custom_tree, has_the_bits_of_named_sums)
{
    need_operator_compiler();
    const parscan_operator_options sums =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(sum_of_f32, float));
    parscan_operator *const op = made_operator(&sums);
    parscan_context *const cuda = context_of(PARSCAN_BACKEND_CUDA);
    for (size_t k = 0; k < COUNT_OF(bit_lengths); k++) {
        const size_t n = bit_lengths[k];
        float *const in = random_array(PARSCAN_F32, PARSCAN_SUM, n);
        float *const a = malloc(n * sizeof *a), *const b = malloc(n * sizeof *b);
        for (int reverse = 0; reverse < 2; reverse++) {
            parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.reproducible = 1, .reverse = reverse);
            expect_ok(cuda, parscan_inclusive_scan(cuda, PARSCAN_F32, in, a, n, &options));
            options.custom = op;
            expect_ok(cuda, parscan_inclusive_scan(cuda, PARSCAN_CUSTOM, in, b, n, &options));
            cr_assert_eq(memcmp(a, b, n * sizeof *a), 0, "n = %zu, reverse %d", n, reverse);
        }
        free(in);
        free(a);
        free(b);
    }
    parscan_operator_destroy(op);
    parscan_context_destroy(cuda);
}

/* A prepared call is captured; replays count their halves anew. */
Test(custom_tree, graphs_after_preparation)
{
    enum { N = 300007 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    need_operator_compiler();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    operator_bench b = {.subject = &operator_subjects[AFFINE_SUBJECT],
                        .context = context_on(stream)};
    b.size = b.subject->options.element_size;
    b.op = subject_operator(b.subject);
    void *const in = subject_elements(b.subject, N), *const right = malloc(N * b.size);
    void *const from = device_copy_of(in, N * b.size), *const to = device_room(N * b.size);
    for (int kind = 0; kind < 3; kind++) {
        operator_question q = {.kind = (scan_kind)kind, .n = N};
        q.options = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
        expect_ok(b.context,
                  parscan_operator_prepare(b.context, b.op, PARSCAN_USE_REDUCE, &q.options));
        expect_ok(b.context, parscan_context_reserve(b.context, (size_t)64 << 20));
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        expect_ok(b.context, ask_operator(&b, &q, from, to, NULL, NULL));
        CUDA(cudaStreamEndCapture(stream, &graph));
        CUDA(cudaGraphInstantiate(&replayed, graph, 0));
        for (int k = 0; k < 3; k++)
            CUDA(cudaGraphLaunch(replayed, stream));
        expect_ok(b.context, parscan_synchronize(b.context));
        subject_expected(b.subject, kind, false, NULL, in, right, N);
        void *const found = host_copy_of(to, N * b.size);
        expect_operator_bytes(&b, &q, right, found, kind == SCAN_REDUCE ? 1 : N);
        CUDA(cudaGraphExecDestroy(replayed));
        CUDA(cudaGraphDestroy(graph));
        free(found);
    }
    free(in);
    free(right);
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
    operator_bench_destroy(&b);
    CUDA(cudaStreamDestroy(stream));
}
