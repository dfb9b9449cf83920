/*
 * Segments by operators of the caller's on CUDA: scans, reductions, by flags, keys, offsets and rows, beside the CPU
 * engine's answer by the other form of the same text; arrays on the device, at any place, in place, with poison behind
 * them, lengths on the device, maps, graphs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/lengths.h"
#include "parscan/segmented.h"
#include "tests/cuda/on_device.h"
#include "tests/cuda/operator_subjects.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(custom_segments, .timeout = 300);

typedef enum segment_form { BY_FLAGS, BY_KEYS, BY_OFFSETS, BY_ROWS, BY_KEY, FORMS } segment_form;

enum { ROW = 37, BEYOND = 64 /* elements after a length on the device */ };

/* Elements in segments. data: flags, keys of 4 bytes, or offsets, some of which are equal. */
typedef struct question {
    segment_form form;
    scan_kind kind;
    bool reverse, in_place, lengths;
    size_t n, size, segments;
    const void *init;
    uint8_t *in;
    void *data;
    size_t data_bytes;
} question;

static void fill_segments(question *q, unsigned mean)
{
    uint32_t *const words = calloc(2 * q->n + 8, sizeof *words);
    q->segments = 0;
    for (size_t i = 0; i < q->n; i++) {
        const bool head = i == 0 || random_below(mean) == 0;
        if (q->form == BY_FLAGS)
            ((uint8_t *)words)[i] = head;
        else if (q->form == BY_OFFSETS && head)
            for (size_t k = 1 + (random_below(4) == 0 && q->segments + 4 < q->n); k > 0; k--)
                words[q->segments++] = (uint32_t)i;
        else if (q->form != BY_OFFSETS)
            words[i] = i == 0 ? 5 : words[i - 1] + head;
    }
    if (q->form == BY_OFFSETS)
        words[q->segments] = (uint32_t)q->n;
    q->data_bytes = q->form == BY_FLAGS     ? q->n
                    : q->form == BY_OFFSETS ? (q->segments + 1) * sizeof *words
                    : q->form == BY_ROWS    ? 0
                                            : q->n * sizeof *words;
    q->data = words;
}

static parscan_segments segments_at(const question *q, const void *data)
{
    static const parscan_segment_kind kinds[] = {PARSCAN_SEGMENTS_FLAGS, PARSCAN_SEGMENTS_KEYS,
                                                 PARSCAN_SEGMENTS_OFFSETS, PARSCAN_SEGMENTS_ROWS};
    parscan_segments segments = PARSCAN_SEGMENTS(.kind = kinds[q->form], .type = PARSCAN_U32,
                                                 .data = data, .count = q->segments);
    if (q->form == BY_FLAGS)
        segments.type = 0;
    if (q->form == BY_ROWS)
        segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = ROW);
    return segments;
}

/* Asks for n elements, of which lengths may tell fewer. */
static parscan_status ask(parscan_context *context, const parscan_operator *op, const question *q,
                          const void *in, const void *data, void *keys_out, void *out, size_t n,
                          uint64_t *count)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.custom = op, .reverse = q->reverse, .init = q->init);
    if (q->form == BY_KEY)
        return parscan_reduce_by_key(context, PARSCAN_U32, data, keys_out, PARSCAN_CUSTOM, in, out,
                                     n, count, &options);
    const parscan_segments segments = segments_at(q, data);
    if (q->kind == SCAN_INCLUSIVE)
        return parscan_segmented_inclusive_scan(context, PARSCAN_CUSTOM, in, out, n, &segments,
                                                &options);
    if (q->kind == SCAN_EXCLUSIVE)
        return parscan_segmented_exclusive_scan(context, PARSCAN_CUSTOM, in, out, n, &segments,
                                                &options);
    return parscan_segmented_reduce(context, PARSCAN_CUSTOM, in, out, n, &segments, count,
                                    &options);
}

/* The CPU engine's answer. Returns the number of results. */
static size_t answer(const parscan_operator *op, const question *q, void *keys_out, void *out)
{
    parscan_context *cpu;
    uint64_t count = 0;
    cr_assert_eq(
        parscan_context_create(&cpu, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    expect_ok(cpu, ask(cpu, op, q, q->in, q->data, keys_out, out, q->n, &count));
    parscan_context_destroy(cpu);
    return q->kind == SCAN_REDUCE ? (size_t)count : q->n;
}

typedef struct device_arrays {
    uint8_t *in, *data, *keys_out, *other;
    uint64_t *numbers; /* the length, the number of segments, the count */
    size_t most;       /* elements */
} device_arrays;

static device_arrays arrays_of(const question *q)
{
    const size_t most = q->n + (q->lengths ? ROW * 2 : 0);
    const uint64_t numbers[3] = {q->n, q->segments, 77};
    const device_arrays d = {
        .in = device_room((most + BEYOND) * q->size),
        .data = device_room((2 * most + BEYOND) * sizeof(uint32_t)),
        .keys_out = device_room((most + BEYOND) * sizeof(uint32_t)),
        .other =
            device_room((most + q->segments + BEYOND) * q->size), /* empty segments have results */
        .numbers = device_copy_of(numbers, sizeof numbers),
        .most = most,
    };
    device_write(d.in, q->in, q->n * q->size);
    device_write(d.data, q->data, q->data_bytes);
    return d;
}

static void free_arrays(const device_arrays *d)
{
    cudaFree(d->in);
    cudaFree(d->data);
    cudaFree(d->keys_out);
    cudaFree(d->other);
    cudaFree(d->numbers);
}

/* What is on the device is the CPU's answer, with poison behind it. */
static void expect_same(const parscan_operator *op, const question *q, const device_arrays *d)
{
    const size_t elements = d->most + BEYOND + (q->in_place ? 0 : q->segments);
    const size_t room = elements * q->size;
    uint8_t *const right = malloc(room), *const right_keys = malloc(4 * q->n + 4);
    const size_t results = answer(op, q, right_keys, right);
    uint8_t *const found = host_copy_of(q->in_place ? d->in : d->other, room);
    uint8_t *const keys = host_copy_of(d->keys_out, (d->most + BEYOND) * 4);
    uint64_t *const numbers = host_copy_of(d->numbers, 3 * sizeof *numbers);
    const size_t bytes = results * q->size, keys_end = q->form == BY_KEY ? results * 4 : 0;
    if (memcmp(found, right, bytes) != 0 ||
        first_other_than(ROOM_BYTE, found + bytes, room - bytes) != room - bytes ||
        memcmp(keys, right_keys, keys_end) != 0 ||
        first_other_than(ROOM_BYTE, keys + keys_end, BEYOND) != BEYOND ||
        (q->kind == SCAN_REDUCE && numbers[2] != results))
        cr_assert_fail("%zu elements of %zu bytes, form %d, kind %d, reverse %d, init %d, in place "
                       "%d, lengths %d: %zu results, should be %zu",
                       q->n, q->size, (int)q->form, (int)q->kind, q->reverse, q->init != NULL,
                       q->in_place, q->lengths, (size_t)numbers[2], results);
    free(right);
    free(right_keys);
    free(found);
    free(keys);
    free(numbers);
}

static parscan_status ask_device(parscan_context *context, const parscan_operator *op,
                                 const question *q, const device_arrays *d)
{
    if (q->lengths) {
        parscan_lengths lengths = PARSCAN_LENGTHS(.n = d->numbers);
        if (q->form == BY_OFFSETS)
            lengths.segment_count = d->numbers + 1;
        expect_ok(context, parscan_set_lengths(context, &lengths));
    }
    return ask(context, op, q, d->in, d->data, d->keys_out, q->in_place ? d->in : d->other, d->most,
               d->numbers + 2);
}

static void expect_question(parscan_context *context, const parscan_operator *op, question *q,
                            unsigned mean)
{
    fill_segments(q, mean);
    const device_arrays d = arrays_of(q);
    expect_ok(context, ask_device(context, op, q, &d));
    expect_ok(context, parscan_synchronize(context));
    expect_same(op, q, &d);
    free_arrays(&d);
    free(q->data);
}

/* Every form and kind of one number of elements; the other choices take turns. */
static void expect_all(parscan_context *context, const operator_subject *subject,
                       const parscan_operator *op, size_t n)
{
    static unsigned turn;
    static const unsigned means[] = {1, 9, 3000};
    uint8_t *const in = subject_elements(subject, n + 1), *const init =
                                                              subject_elements(subject, 1);
    for (int form = 0; form < FORMS; form++)
        for (int kind = form == BY_KEY ? SCAN_REDUCE : 0; kind < 3; kind++, turn++) {
            question q = {.form = (segment_form)form,
                          .kind = (scan_kind)kind,
                          .reverse = turn % 2,
                          .in_place = turn % 5 == 0 && kind != SCAN_REDUCE,
                          .lengths = turn / 2 % 2,
                          .n = form == BY_ROWS ? n / ROW * ROW : n,
                          .size = subject->options.element_size,
                          .in = in};
            if (turn % 3 == 0 || (subject->options.identity == NULL &&
                                  (kind == SCAN_EXCLUSIVE || form == BY_OFFSETS)))
                q.init = init;
            expect_question(context, op, &q, means[turn % 3]);
        }
    free(in);
    free(init);
}

Test(custom_segments, are_as_on_the_cpu)
{
    static const size_t lengths[] = {0, 1, 2, 255, 256, 1025, 4099, 70001, 600011};
    parscan_context *const contexts[] = {context_on(NULL), context_of_blocks(NULL, 3)};
    for (size_t s = 0; s < OPERATOR_SUBJECTS; s++) {
        parscan_operator *const op = subject_operator(&operator_subjects[s]);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (size_t turn = 0; turn < 4; turn++)
                expect_all(contexts[turn % 2], &operator_subjects[s], op, lengths[k]);
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(contexts[0]);
    parscan_context_destroy(contexts[1]);
}

/* For compute-sanitizer (sanitize.sh). */
Test(sanitized_custom_segments, are_right, .timeout = 600)
{
    static const size_t lengths[] = {1, 257, 4099}, chosen[] = {AFFINE_SUBJECT, BARE_SUBJECT, 7};
    parscan_context *const context = context_of_blocks(NULL, 3);
    for (size_t s = 0; s < COUNT_OF(chosen); s++) {
        const operator_subject *const subject = &operator_subjects[chosen[s]];
        parscan_operator *const op = subject_operator(subject);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            expect_all(context, subject, op, lengths[k]);
        parscan_operator_destroy(op);
    }
    parscan_context_destroy(context);
    CUDA(cudaDeviceReset());
}

PARSCAN_DEFINE_OPERATOR(sum_of_u64, uint64_t, (), { return earlier + later; })
PARSCAN_DEFINE_LOAD(one_more, uint64_t, (), { return ((const uint32_t *)in)[i] + (uint64_t)1; })
PARSCAN_DEFINE_STORE(low_half, uint64_t, (), { ((uint32_t *)out)[i] = (uint32_t)x; })

/* in and out are of 4 bytes: so is the question's size. */
Test(custom_segments, take_maps)
{
    enum { N = 70001 };
    static const uint64_t init = 5;
    parscan_context *const context = context_on(NULL);
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(sum_of_u64, uint64_t), PARSCAN_DEFINED_LOAD(one_more),
        PARSCAN_DEFINED_STORE(low_half), .in_size = 4, .out_size = 4);
    parscan_operator *const op = made_operator(&options);
    uint32_t *const in = malloc(N * sizeof *in);
    for (size_t i = 0; i < N; i++)
        in[i] = (uint32_t)random_bits();
    for (int form = 0; form < FORMS; form++)
        for (int kind = form == BY_KEY ? SCAN_REDUCE : 0; kind < 3; kind++) {
            question q = {.form = (segment_form)form,
                          .kind = (scan_kind)kind,
                          .reverse = (form + kind) % 2,
                          .lengths = form % 2,
                          .n = form == BY_ROWS ? N / ROW * ROW : N,
                          .size = 4,
                          .init = &init,
                          .in = (uint8_t *)in};
            expect_question(context, op, &q, 20);
        }
    free(in);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* A prepared call allocates nothing on the device after the first one, and a graph captures it. */
Test(custom_segments, graphs_after_preparation)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    need_cuda();
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    parscan_context *const context = context_on(stream);
    const operator_subject *const subject = &operator_subjects[AFFINE_SUBJECT];
    for (int form = 0; form < FORMS; form++) {
        parscan_operator *const op = subject_operator(subject);
        question q = {.form = (segment_form)form,
                      .kind = form % 2 == 0 ? SCAN_REDUCE : SCAN_EXCLUSIVE,
                      .n = ROW * 9000,
                      .size = subject->options.element_size,
                      .in = subject_elements(subject, ROW * 9000)};
        fill_segments(&q, 30);
        const device_arrays d = arrays_of(&q);
        expect_ok(context, parscan_operator_prepare(
                               context, op,
                               PARSCAN_USE_SEGMENTED_SCAN | PARSCAN_USE_SEGMENTED_REDUCE, NULL));
        expect_ok(context, parscan_context_reserve(context, (size_t)64 << 20));
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        expect_ok(context, ask_device(context, op, &q, &d));
        CUDA(cudaStreamEndCapture(stream, &graph));
        CUDA(cudaGraphInstantiate(&replayed, graph, 0));
        CUDA(cudaGraphLaunch(replayed, stream));
        CUDA(cudaGraphLaunch(replayed, stream));
        expect_ok(context, parscan_synchronize(context));
        expect_same(op, &q, &d);
        CUDA(cudaGraphExecDestroy(replayed));
        CUDA(cudaGraphDestroy(graph));
        parscan_operator_destroy(op);
        free_arrays(&d);
        free(q.data);
        free(q.in);
    }
    parscan_context_destroy(context);
    CUDA(cudaStreamDestroy(stream));
}

/* Fewer results than there are segments have room: the count is right, and the status tells it later. */
Test(custom_segments, with_room_for_few)
{
    enum { N = 50000, FEW = 100 };
    parscan_context *const context = context_on(NULL);
    const operator_subject *const subject = &operator_subjects[AFFINE_SUBJECT];
    parscan_operator *const op = subject_operator(subject);
    for (int form = BY_FLAGS; form < FORMS; form += BY_KEY) {
        question q = {.form = (segment_form)form,
                      .kind = SCAN_REDUCE,
                      .n = N,
                      .size = subject->options.element_size,
                      .in = subject_elements(subject, N)};
        fill_segments(&q, 10);
        const device_arrays d = arrays_of(&q);
        uint8_t *const right = malloc(N * q.size), *const keys = malloc(N * 4);
        const size_t results = answer(op, &q, keys, right);
        expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = FEW)));
        expect_ok(context, ask_device(context, op, &q, &d));
        cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_CAPACITY);
        uint8_t *const found = host_copy_of(d.other, N * q.size);
        uint64_t *const numbers = host_copy_of(d.numbers, 3 * sizeof *numbers);
        cr_assert_eq(numbers[2], results);
        cr_assert_eq(memcmp(found, right, FEW * q.size), 0);
        cr_assert_eq(first_other_than(ROOM_BYTE, found + FEW * q.size, 999), 999);
        free(right);
        free(keys);
        free(found);
        free(numbers);
        free_arrays(&d);
        free(q.data);
        free(q.in);
    }
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* Wrong offsets on the device are told later, and nothing beyond the results is written. */
Test(custom_segments, with_wrong_offsets)
{
    static const uint32_t wrong[][4] = {{0, 300, 200, 1000}, {0, 300, 500, 900}, {5, 9, 10, 1000}};
    parscan_context *const context = context_on(NULL);
    const operator_subject *const subject = &operator_subjects[AFFINE_SUBJECT];
    parscan_operator *const op = subject_operator(subject);
    for (size_t k = 0; k < 3 * COUNT_OF(wrong); k++) {
        question q = {.form = BY_OFFSETS,
                      .kind = (scan_kind)(k % 3),
                      .n = 1000,
                      .size = subject->options.element_size,
                      .segments = 3,
                      .in = subject_elements(subject, 1000),
                      .data = (void *)(uintptr_t)wrong[k / 3],
                      .data_bytes = sizeof wrong[0]};
        const device_arrays d = arrays_of(&q);
        expect_ok(context, ask_device(context, op, &q, &d));
        cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_INVALID_ARGUMENT);
        const size_t results = k % 3 == SCAN_REDUCE ? 3 : 1000, room = (1000 + BEYOND) * q.size;
        uint8_t *const found = host_copy_of(d.other, room);
        const size_t beyond = room - results * q.size;
        cr_assert_eq(first_other_than(ROOM_BYTE, found + room - beyond, beyond), beyond);
        free(found);
        free_arrays(&d);
        free(q.in);
    }
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}
