/*
 * Predicates of the caller's on CUDA: what every call with one answers, beside the CPU engine's answer by the other
 * form of the same text; arrays on either side, in place, lengths on the device, chunks, graphs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/chunked.h"
#include "parscan/lengths.h"
#include "parscan/operator.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(predicates, .timeout = 240);

/* Elements of every way in which records are moved: as elements, and in pieces of 16, 8, 4 and 1 bytes. */
PARSCAN_DEFINE_PREDICATE(of_1, uint8_t, (), { return x % 3 == 0; })
PARSCAN_DEFINE_PREDICATE(of_3, three, (typedef struct three { uint8_t a, b, c; } three;),
                         { return (x.a + x.b + x.c) % 4 != 0; })
PARSCAN_DEFINE_PREDICATE(of_4, float, (), { return x != x || x > 0; })
PARSCAN_DEFINE_PREDICATE(of_8, couple, (typedef struct couple { uint32_t a, b; } couple;),
                         { return x.a % 16 < x.b % 8; })
PARSCAN_DEFINE_PREDICATE(of_12, triple, (typedef struct triple { uint32_t a, b, c; } triple;),
                         { return (x.a ^ x.b ^ x.c) % 16 == 5; })
PARSCAN_DEFINE_PREDICATE(of_64, wide, (typedef struct wide { uint64_t of[8]; } wide;),
                         { return (x.of[0] + x.of[7]) % *(const uint32_t *)state != 0; })

static const uint32_t divisor = 5;
static const parscan_operator_options subjects[] = {
    {.struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_PREDICATE(of_1, uint8_t)},
    {.struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_PREDICATE(of_3, three)},
    {.struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_PREDICATE(of_4, float)},
    {.struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_PREDICATE(of_8, couple)},
    {.struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_PREDICATE(of_12, triple)},
    {.struct_size = sizeof(parscan_operator_options),
     PARSCAN_DEFINED_PREDICATE(of_64, wide),
     .state = &divisor,
     .state_size = sizeof divisor},
};

typedef enum filter_kind { COMPACT, PARTITION, FLAGS, INDICES, BOTH, BY, KINDS } filter_kind;

/* One call: its arrays, which are the host's or the device's. */
typedef struct filter {
    filter_kind kind;
    const parscan_operator *op;
    void *in, *by, *out; /* by: what is tested of BY, whose records are in */
    uint32_t *indices;
    size_t n;
    uint64_t *count;
} filter;

enum { RECORD = 20 /* bytes of one, of BY */ };

static parscan_status call_filter(parscan_context *context, const filter *f)
{
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = f->op);
    const parscan_type custom = PARSCAN_CUSTOM;
    switch (f->kind) {
    case COMPACT:
        return parscan_compact_if(context, custom, f->in, &keep, f->out, f->n, f->count);
    case PARTITION:
        return parscan_partition(context, custom, f->in, &keep, f->out, f->n, f->count);
    case FLAGS:
        return parscan_flags_if(context, custom, f->in, &keep, f->out, f->n);
    case INDICES:
        return parscan_compact_indices(context, custom, f->in, &keep, PARSCAN_U32, f->indices, f->n,
                                       f->count);
    case BOTH:
        return parscan_compact_with_indices(context, custom, f->in, &keep, f->out, PARSCAN_U32,
                                            f->indices, f->n, f->count);
    default:
        return parscan_compact_by(context, RECORD, f->in, custom, f->by, &keep, f->out, f->n,
                                  f->count);
    }
}

/* A call's arrays, and what the CPU engine makes of them. */
typedef struct answer {
    filter_kind kind;
    size_t tested, size, n; /* bytes of what is tested, and of what is moved */
    uint8_t *in, *by, *out;
    uint32_t *indices;
    uint64_t count;
} answer;

static uint8_t *random_bytes(size_t bytes)
{
    uint8_t *const made = malloc(bytes + 8);
    for (size_t at = 0; at < bytes; at += 8) {
        const uint64_t bits = random_bits();
        memcpy(made + at, &bits, 8);
    }
    return made;
}

static answer answer_of(filter_kind kind, const parscan_operator *op, size_t size, size_t n)
{
    answer a = {.kind = kind, .tested = size, .size = kind == BY ? RECORD : size, .n = n};
    parscan_context *cpu;
    a.in = random_bytes(n * a.size);
    a.by = kind == BY ? random_bytes(n * size) : NULL;
    a.out = malloc(n * a.size + 1);
    a.indices = malloc((n + 1) * sizeof *a.indices);
    const filter f = {kind, op, a.in, a.by, a.out, a.indices, n, &a.count};
    cr_assert_eq(
        parscan_context_create(&cpu, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    expect_ok(cpu, call_filter(cpu, &f));
    parscan_context_destroy(cpu);
    return a;
}

static void answer_destroy(answer *a)
{
    free(a->in);
    free(a->by);
    free(a->out);
    free(a->indices);
}

/* What has been written is in host memory. */
static void expect_answer(const answer *a, const void *out, const uint32_t *indices, uint64_t count,
                          const char *what)
{
    const bool all = a->kind == PARTITION || a->kind == FLAGS;
    const size_t results = all ? a->n : (size_t)a->count;
    const size_t size = a->kind == FLAGS ? 1 : a->kind == INDICES ? 0 : a->size;
    const bool writes_indices = a->kind == INDICES || a->kind == BOTH;
    if ((a->kind != FLAGS && count != a->count) || memcmp(out, a->out, results * size) != 0 ||
        (writes_indices && memcmp(indices, a->indices, results * sizeof *indices) != 0))
        cr_assert_fail("%s, kind %d, %zu elements of %zu bytes: count %zu, should be %zu", what,
                       (int)a->kind, a->n, a->tested, (size_t)count, (size_t)a->count);
}

static void expect_on_host(parscan_context *context, const parscan_operator *op, const answer *a,
                           bool in_place)
{
    uint8_t *const in = malloc(a->n * a->size + 1), *const other = malloc(a->n * a->size + 1);
    uint32_t *const indices = malloc((a->n + 1) * sizeof *indices);
    uint64_t count = 77;
    memcpy(in, a->in, a->n * a->size);
    uint8_t *const out = in_place ? in : other;
    const filter f = {a->kind, op, in, a->by, out, indices, a->n, &count};
    expect_ok(context, call_filter(context, &f));
    expect_ok(context, parscan_synchronize(context));
    expect_answer(a, out, indices, count, "host");
    free(in);
    free(other);
    free(indices);
}

/* A call's arrays on the device. */
typedef struct on_device {
    uint8_t *in, *by, *other;
    uint32_t *indices;
    uint64_t *numbers; /* the length, the count */
    size_t most;
} on_device;

/* With more elements than there are, if the length is on the device. */
static on_device device_arrays(const answer *a, bool lengths)
{
    const size_t most = a->n + (lengths ? 1001 : 0);
    const uint64_t numbers[2] = {a->n, 77};
    const on_device d = {.in = device_room(most * a->size + 1),
                         .by = device_room(most * a->tested + 1),
                         .other = device_room(most * a->size + 1),
                         .indices = device_room((most + 1) * sizeof(uint32_t)),
                         .numbers = device_copy_of(numbers, sizeof numbers),
                         .most = most};
    device_write(d.in, a->in, a->n * a->size);
    if (a->by != NULL)
        device_write(d.by, a->by, a->n * a->tested);
    return d;
}

static void free_arrays(const on_device *d)
{
    cudaFree(d->in);
    cudaFree(d->by);
    cudaFree(d->other);
    cudaFree(d->indices);
    cudaFree(d->numbers);
}

static void expect_device_answer(const answer *a, const on_device *d, const uint8_t *out,
                                 const char *what)
{
    uint64_t *const numbers = host_copy_of(d->numbers, 2 * sizeof *numbers);
    uint8_t *const found = host_copy_of(out, d->most * a->size + 1);
    uint32_t *const indices = host_copy_of(d->indices, (d->most + 1) * sizeof *indices);
    expect_answer(a, found, indices, numbers[1], what);
    free(numbers);
    free(found);
    free(indices);
}

static void expect_on_device(parscan_context *context, const parscan_operator *op, const answer *a,
                             bool in_place, bool lengths)
{
    const on_device d = device_arrays(a, lengths);
    uint8_t *const out = in_place ? d.in : d.other;
    const filter f = {a->kind, op,        d.in,   a->by != NULL ? d.by : NULL,
                      out,     d.indices, d.most, d.numbers + 1};
    if (lengths)
        expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = d.numbers)));
    expect_ok(context, call_filter(context, &f));
    expect_ok(context, parscan_synchronize(context));
    expect_device_answer(a, &d, out, lengths ? "length on the device" : "device");
    free_arrays(&d);
}

static parscan_operator *predicate_of_subject(size_t s)
{
    parscan_operator *op;
    cr_assert_eq(parscan_operator_create(&op, &subjects[s]), PARSCAN_OK);
    return op;
}

/* Whether a call of this kind may be in place: flags only of bytes. */
static bool may_be_in_place(const answer *a)
{
    return a->kind == FLAGS ? a->size == 1 : a->kind != PARTITION && a->kind != INDICES;
}

static void expect_kind(parscan_context *context, const parscan_operator *op, filter_kind kind,
                        size_t size, size_t n)
{
    answer a = answer_of(kind, op, size, n);
    for (int in_place = 0; in_place <= may_be_in_place(&a); in_place++) {
        expect_on_host(context, op, &a, in_place);
        expect_on_device(context, op, &a, in_place, false);
        expect_on_device(context, op, &a, in_place, true);
    }
    answer_destroy(&a);
}

Test(predicates, are_as_on_the_cpu)
{
    static const size_t lengths[] = {0, 1, 31, 2048, 70001, 1000003};
    parscan_context *const context = context_on(NULL);
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        parscan_operator *const op = predicate_of_subject(s);
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t k = 0; k < COUNT_OF(lengths); k++)
                expect_kind(context, op, (filter_kind)kind, subjects[s].element_size, lengths[k]);
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
}

/* Host arrays larger than the scratch that a context may have go through the device in chunks. */
Test(predicates, in_chunks_of_the_scratch)
{
    parscan_context *context;
    need_cuda();
    cr_assert_eq(
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA,
                                                                  .scratch_limit = 2 << 20)),
        PARSCAN_OK);
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        parscan_operator *const op = predicate_of_subject(s);
        for (int kind = 0; kind < KINDS; kind++) {
            answer a = answer_of((filter_kind)kind, op, subjects[s].element_size, 600007);
            expect_on_host(context, op, &a, false);
            answer_destroy(&a);
        }
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
}

/* A prepared call allocates nothing on the device after the first one, and a graph captures it. */
Test(predicates, graphs_after_preparation)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    for (size_t s = 3; s < 5; s++)
        for (int kind = COMPACT; kind <= PARTITION; kind++) {
            parscan_operator *const op = predicate_of_subject(s);
            answer a = answer_of((filter_kind)kind, op, subjects[s].element_size, 300007);
            const on_device d = device_arrays(&a, false);
            const filter f = {a.kind, op, d.in, NULL, d.other, d.indices, a.n, d.numbers + 1};
            expect_ok(context, parscan_operator_prepare(context, op, PARSCAN_USE_PREDICATE, NULL));
            expect_ok(context, parscan_context_reserve(context, (size_t)64 << 20));
            CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            expect_ok(context, call_filter(context, &f));
            CUDA(cudaStreamEndCapture(stream, &graph));
            parscan_operator_destroy(op);
            CUDA(cudaGraphInstantiate(&replayed, graph, 0));
            CUDA(cudaGraphLaunch(replayed, stream));
            CUDA(cudaGraphLaunch(replayed, stream));
            expect_ok(context, parscan_synchronize(context));
            expect_device_answer(&a, &d, d.other, "graph");
            CUDA(cudaGraphExecDestroy(replayed));
            CUDA(cudaGraphDestroy(graph));
            free_arrays(&d);
            answer_destroy(&a);
        }
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

/* chunked.h: the chunks of a device array. */
Test(predicates, of_chunked_calls)
{
    enum { N = 100000, CHUNK = 30000 };
    parscan_context *const context = context_on(NULL);
    parscan_operator *const op = predicate_of_subject(4);
    answer a = answer_of(COMPACT, op, sizeof(triple), N);
    const on_device d = device_arrays(&a, false);
    parscan_chunked *chunked;
    uint64_t results = 0, written = 0;
    expect_ok(context, parscan_chunked_create_compact_if(&chunked, context, PARSCAN_CUSTOM,
                                                         &PARSCAN_PREDICATE(.custom = op)));
    for (size_t at = 0; at < N; at += CHUNK, results += written)
        expect_ok(context, parscan_chunked_update(
                               chunked, &PARSCAN_CHUNK(.in = d.in + at * a.size,
                                                       .out = d.other + (size_t)results * a.size,
                                                       .n = N - at < CHUNK ? N - at : CHUNK,
                                                       .written = &written)));
    device_write(d.numbers + 1, &results, sizeof results);
    expect_device_answer(&a, &d, d.other, "chunked");
    parscan_chunked_destroy(chunked);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    free_arrays(&d);
    answer_destroy(&a);
}

Test(predicates, that_are_wrong_are_refused)
{
    parscan_context *const context = context_on(NULL);
    parscan_operator_options options = subjects[3];
    parscan_operator *op;
    uint8_t *const in = device_room(64), *const out = device_room(64);
    uint64_t count;
    options.cuda_source = NULL;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    expect_error_words(context,
                       parscan_compact_if(context, PARSCAN_CUSTOM, in, &keep, out, 4, &count),
                       PARSCAN_ERROR_UNSUPPORTED, "no cuda_source");
    expect_error_words(context, parscan_operator_prepare(context, op, PARSCAN_USE_PREDICATE, NULL),
                       PARSCAN_ERROR_UNSUPPORTED, "nothing for CUDA");
    parscan_operator_destroy(op);
    options.cuda_source =
        "struct couple { unsigned a, b; };\n__device__ int of_8(couple x) { return }";
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    keep.custom = op;
    expect_error_words(context, parscan_flags_if(context, PARSCAN_CUSTOM, in, &keep, out, 4),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "does not compile");
    parscan_operator_destroy(op);
    cr_assert_eq(parscan_operator_create(&op, &subjects[3]), PARSCAN_OK);
    keep.custom = op;
    expect_error_words(context,
                       parscan_partition(context, PARSCAN_CUSTOM, in + 1, &keep, out, 4, &count),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "in");
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
    cudaFree(in);
    cudaFree(out);
}
