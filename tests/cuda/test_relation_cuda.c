/*
 * Relations of the caller's on CUDA: sorts by an order and runs by an equality, beside the CPU engine's answer by the
 * other form of the same text; arrays on either side, in place, lengths on the device, chunks, graphs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/lengths.h"
#include "parscan/operator.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(relations, .timeout = 240);

/* Elements of every number of a thread, and of every unit in which they are moved; few keys, so that many are equal and
   a sort that is not stable is found. */
PARSCAN_DEFINE_RELATION(of_1, uint8_t, (), { return a % 16 < b % 16; })
PARSCAN_DEFINE_RELATION(of_3, three, (typedef struct three { uint8_t a, b, c; } three;),
                        { return a.b % 8 < b.b % 8; })
PARSCAN_DEFINE_RELATION(of_8, couple, (typedef struct couple { uint32_t a, b; } couple;),
                        { return a.a % 512 < b.a % 512; })
PARSCAN_DEFINE_RELATION(of_16, four, (typedef struct four { uint64_t a, b; } four;),
                        { return a.b < b.b; })
PARSCAN_DEFINE_RELATION(of_24, six, (typedef struct six { uint64_t a, b, c; } six;),
                        { return a.c % 3 < b.c % 3; })
PARSCAN_DEFINE_RELATION(of_40, ten, (typedef struct ten { uint64_t of[5]; } ten;),
                        { return a.of[4] % 1000 < b.of[4] % 1000; })
PARSCAN_DEFINE_RELATION(of_64, wide, (typedef struct wide { uint64_t of[8]; } wide;), {
    const uint32_t by = *(const uint32_t *)state;
    return a.of[7] % by < b.of[7] % by;
})
/* An equality of bytes is one of few values, so that there are runs. */
PARSCAN_DEFINE_RELATION(same_1, uint8_t, (), { return a % 2 == b % 2; })
PARSCAN_DEFINE_RELATION(same_8, couple_2, (typedef struct couple_2 { uint32_t a, b; } couple_2;),
                        { return a.b % 3 == b.b % 3; })
PARSCAN_DEFINE_RELATION(same_64, wide_2, (typedef struct wide_2 { uint64_t of[8]; } wide_2;), {
    const uint32_t by = *(const uint32_t *)state;
    return a.of[0] % by == b.of[0] % by;
})

#define SUBJECT(name, T)                                                                    \
    {                                                                                       \
        .struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_RELATION(name, T), \
        .state = &divisor, .state_size = sizeof divisor                                     \
    }
static const uint32_t divisor = 5;
static const parscan_operator_options subjects[] = {
    SUBJECT(of_1, uint8_t), SUBJECT(of_3, three),     SUBJECT(of_8, couple),
    SUBJECT(of_16, four),   SUBJECT(of_24, six),      SUBJECT(of_40, ten),
    SUBJECT(of_64, wide),   SUBJECT(same_1, uint8_t), SUBJECT(same_8, couple_2),
    SUBJECT(of_3, three),   SUBJECT(same_64, wide_2),
};
enum {
    ORDERS = 7
}; /* of the subjects; the others are equalities. of_3 serves as both: none is equal to another */

static bool sorts(size_t s)
{
    return s < ORDERS;
}

static parscan_status call_relation(parscan_context *context, size_t s, const parscan_operator *op,
                                    const void *in, void *out, size_t n, uint64_t *count)
{
    return sorts(s) ? parscan_sort_by(context, op, in, out, n)
                    : parscan_unique_by(context, op, in, out, n, count);
}

static parscan_operator *operator_of(size_t s)
{
    parscan_operator *op;
    cr_assert_eq(parscan_operator_create(&op, &subjects[s]), PARSCAN_OK);
    return op;
}

/* Elements, and what the CPU engine makes of them. */
typedef struct answer {
    size_t s, size, n, results;
    uint8_t *in, *out;
} answer;

static answer answer_of(size_t s, const parscan_operator *op, size_t n)
{
    answer a = {.s = s, .size = subjects[s].element_size, .n = n};
    parscan_context *cpu;
    uint64_t count = n;
    a.in = malloc(n * a.size + 8);
    a.out = malloc(n * a.size + 1);
    for (size_t at = 0; at < n * a.size; at += 8) {
        const uint64_t bits = random_bits();
        memcpy(a.in + at, &bits, 8);
    }
    cr_assert_eq(
        parscan_context_create(&cpu, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    expect_ok(cpu, call_relation(cpu, s, op, a.in, a.out, n, &count));
    parscan_context_destroy(cpu);
    a.results = (size_t)count;
    return a;
}

static void answer_destroy(answer *a)
{
    free(a->in);
    free(a->out);
}

/* What has been written is in host memory; bytes beyond the results are as they were. */
static void expect_answer(const answer *a, const uint8_t *out, uint64_t count, const char *what)
{
    const size_t bytes = a->results * a->size;
    if ((!sorts(a->s) && count != a->results) || memcmp(out, a->out, bytes) != 0)
        cr_assert_fail("%s, subject %zu, %zu elements of %zu bytes: count %zu, should be %zu", what,
                       a->s, a->n, a->size, (size_t)count, a->results);
}

static void expect_on_host(parscan_context *context, const parscan_operator *op, const answer *a,
                           bool in_place)
{
    const size_t bytes = a->n * a->size;
    uint8_t *const in = malloc(bytes + 1), *const other = malloc(bytes + 64);
    uint64_t count = 77;
    memcpy(in, a->in, bytes);
    memset(other, ROOM_BYTE, bytes + 64);
    uint8_t *const out = in_place ? in : other + 1; /* of any alignment */
    expect_ok(context, call_relation(context, a->s, op, in, out, a->n, &count));
    expect_ok(context, parscan_synchronize(context));
    expect_answer(a, out, count, "host");
    if (!in_place)
        cr_assert(other[0] == ROOM_BYTE &&
                  first_other_than(ROOM_BYTE, other + 1 + bytes, 63) == 63);
    free(in);
    free(other);
}

/* With more elements than there are, if the length is on the device. Poison follows what is written. */
static void expect_on_device(parscan_context *context, const parscan_operator *op, const answer *a,
                             bool in_place, bool lengths)
{
    enum { BEYOND = 256 };
    const size_t bytes = a->n * a->size, most = a->n + (lengths ? 1001 : 0);
    const size_t room = most * a->size + BEYOND,
                 shift = subjects[a->s].alignment; /* of the array */
    const uint64_t numbers[2] = {a->n, 77};
    uint8_t *const in = device_room(room), *const other = device_room(room + 64);
    uint64_t *const counts = device_copy_of(numbers, sizeof numbers);
    uint8_t *const out = in_place ? in : other + (shift != 0 ? shift : 16);
    device_write(in, a->in, bytes);
    if (lengths)
        expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = counts)));
    expect_ok(context, call_relation(context, a->s, op, in, out, most, counts + 1));
    expect_ok(context, parscan_synchronize(context));
    uint64_t *const found = host_copy_of(counts, sizeof numbers);
    uint8_t *const written = host_copy_of(out, room);
    expect_answer(a, written, found[1], lengths ? "length on the device" : "device");
    const size_t end = in_place ? bytes : a->results * a->size;
    cr_assert_eq(first_other_than(ROOM_BYTE, written + end, room - end), room - end,
                 "something beyond the results was written");
    free(found);
    free(written);
    cudaFree(in);
    cudaFree(other);
    cudaFree(counts);
}

Test(relations, are_as_on_the_cpu)
{
    static const size_t lengths[] = {0, 1, 2, 31, 511, 512, 3840, 3841, 70001, 1000003};
    parscan_context *const context = context_on(NULL);
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        parscan_operator *const op = operator_of(s);
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            answer a = answer_of(s, op, lengths[k]);
            for (int in_place = 0; in_place < 2; in_place++) {
                expect_on_host(context, op, &a, in_place);
                expect_on_device(context, op, &a, in_place, false);
                expect_on_device(context, op, &a, in_place, true);
            }
            answer_destroy(&a);
        }
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
}

/* For compute-sanitizer (sanitize.sh). */
Test(sanitized_relations, are_right, .timeout = 600)
{
    static const size_t lengths[] = {1, 31, 3841, 20001};
    parscan_context *const context = context_of_blocks(NULL, 3);
    for (size_t s = 0; s < COUNT_OF(subjects); s += 3) {
        parscan_operator *const op = operator_of(s);
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            answer a = answer_of(s, op, lengths[k]);
            expect_on_device(context, op, &a, k % 2 == 0, k % 2 == 1);
            answer_destroy(&a);
        }
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
    CUDA(cudaDeviceReset());
}

/* Few blocks have many tiles each. */
Test(relations, by_few_blocks)
{
    parscan_context *const context = context_of_blocks(NULL, 2);
    for (size_t s = 0; s < COUNT_OF(subjects); s += 2) {
        parscan_operator *const op = operator_of(s);
        answer a = answer_of(s, op, 100003);
        expect_on_device(context, op, &a, false, false);
        expect_on_device(context, op, &a, true, true);
        answer_destroy(&a);
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
}

/* Host arrays larger than the scratch that a context may have: runs go through the device in chunks, a sort says what it
   needs. */
Test(relations, in_chunks_of_the_scratch)
{
    enum { LIMIT = 2 << 20, N = 600007 };
    parscan_context *context;
    need_cuda();
    cr_assert_eq(
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA,
                                                                  .scratch_limit = LIMIT)),
        PARSCAN_OK);
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        parscan_operator *const op = operator_of(s);
        answer a = answer_of(s, op, N);
        if (!sorts(s)) {
            expect_on_host(context, op, &a, false);
        } else if (N * a.size > LIMIT) {
            const parscan_status status = parscan_sort_by(context, op, a.in, a.out, N);
            cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY, "%d", status);
            cr_assert_not_null(strstr(parscan_context_error(context), "scratch_limit"), "%s",
                               parscan_context_error(context));
        }
        answer_destroy(&a);
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
}

/* A prepared call allocates nothing on the device after the first one, and a graph captures it. */
Test(relations, graphs_after_preparation)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    for (size_t s = 2; s < COUNT_OF(subjects); s += 6) {
        parscan_operator *const op = operator_of(s);
        answer a = answer_of(s, op, 300007);
        uint8_t *const in = device_copy_of(a.in, a.n * a.size), *const out =
                                                                    device_room(a.n * a.size);
        uint64_t *const count = device_room(sizeof *count);
        expect_ok(context,
                  parscan_operator_prepare(
                      context, op, sorts(s) ? PARSCAN_USE_SORT_BY : PARSCAN_USE_UNIQUE_BY, NULL));
        expect_ok(context, parscan_context_reserve(context, (size_t)64 << 20));
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        expect_ok(context, call_relation(context, s, op, in, out, a.n, count));
        CUDA(cudaStreamEndCapture(stream, &graph));
        parscan_operator_destroy(op);
        CUDA(cudaGraphInstantiate(&replayed, graph, 0));
        CUDA(cudaGraphLaunch(replayed, stream));
        CUDA(cudaGraphLaunch(replayed, stream));
        expect_ok(context, parscan_synchronize(context));
        uint64_t *const found = host_copy_of(count, sizeof *count);
        uint8_t *const written = host_copy_of(out, a.n * a.size);
        expect_answer(&a, written, *found, "graph");
        CUDA(cudaGraphExecDestroy(replayed));
        CUDA(cudaGraphDestroy(graph));
        free(found);
        free(written);
        cudaFree(in);
        cudaFree(out);
        cudaFree(count);
        answer_destroy(&a);
    }
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

Test(relations, that_are_wrong_are_refused)
{
    parscan_context *const context = context_on(NULL);
    parscan_operator_options options = subjects[2];
    parscan_operator *op;
    uint8_t *const in = device_room(64), *const out = device_room(64);
    uint64_t count;
    options.cuda_source = NULL;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    expect_error_words(context, parscan_sort_by(context, op, in, out, 4), PARSCAN_ERROR_UNSUPPORTED,
                       "no cuda_source");
    expect_error_words(context, parscan_operator_prepare(context, op, PARSCAN_USE_SORT_BY, NULL),
                       PARSCAN_ERROR_UNSUPPORTED, "nothing for CUDA");
    parscan_operator_destroy(op);
    options.cuda_source =
        "struct couple { unsigned a, b; };\n__device__ int of_8(couple x, couple y) { return }";
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    expect_error_words(context, parscan_unique_by(context, op, in, out, 4, &count),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "does not compile");
    parscan_operator_destroy(op);
    op = operator_of(2);
    expect_error_words(context, parscan_operator_prepare(context, op, PARSCAN_USE_PREDICATE, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "uses");
    expect_error_words(context, parscan_sort_by(context, op, in + 1, out, 4),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "in");
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    cudaFree(in);
    cudaFree(out);
}
