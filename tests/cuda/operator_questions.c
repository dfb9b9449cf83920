#include "tests/cuda/operator_questions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"

/* Skips where there is no NVRTC. */
static void need_compiler(const operator_bench *b)
{
    const parscan_scan_options quickest = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_SEQUENTIAL);
    const parscan_status status =
        parscan_operator_prepare(b->context, b->op, PARSCAN_USE_INCLUSIVE_SCAN, &quickest);
    if (status == PARSCAN_ERROR_UNSUPPORTED &&
        strstr(parscan_context_error(b->context), "there is no NVRTC") != NULL)
        cr_skip_test("%s\n", parscan_context_error(b->context));
    expect_ok(b->context, status);
}

operator_bench operator_bench_of_blocks(const operator_subject *subject, unsigned blocks)
{
    operator_bench b = {.subject = subject, .size = subject->options.element_size};
    b.context = context_of_blocks(NULL, blocks);
    b.op = subject_operator(subject);
    need_compiler(&b);
    return b;
}

operator_bench operator_bench_create(const operator_subject *subject)
{
    return operator_bench_of_blocks(subject, 0);
}

void need_operator_compiler(void)
{
    operator_bench b = operator_bench_create(&operator_subjects[AFFINE_SUBJECT]);
    operator_bench_destroy(&b);
}

void operator_bench_destroy(operator_bench *b)
{
    parscan_operator_destroy(b->op);
    parscan_context_destroy(b->context);
}

/* Makes the call. init and length, both there: in host memory, and on the device. */
parscan_status ask_operator(const operator_bench *b, const operator_question *q, const void *in,
                            void *out, const void *init, const uint64_t *length)
{
    parscan_scan_options options = q->options;
    options.struct_size = sizeof options;
    options.custom = b->op;
    options.init = init;
    if (length != NULL)
        expect_ok(b->context, parscan_set_lengths(b->context, &PARSCAN_LENGTHS(.n = length)));
    return call_scan(b->context, q->kind, PARSCAN_CUSTOM, in, out, q->n, &options);
}

void expect_operator_bytes(const operator_bench *b, const operator_question *q,
                           const void *expected, const void *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp((const char *)expected + i * b->size, (const char *)out + i * b->size,
                   b->size) != 0)
            cr_assert_fail("%s: kind %d, %s, n = %zu, reverse %d, offsets %u and %u, place %d, "
                           "init %d%s, length on the device %d: element %zu is wrong",
                           b->subject->name, q->kind, parscan_algorithm_name(q->options.algorithm),
                           q->n, q->options.reverse, q->in_offset, q->out_offset, q->place, q->init,
                           q->init_on_device ? " on the device" : "", q->length_on_device, i);
}

/* The call on the first q->n elements at `in`, in host memory. */
void expect_operator(const operator_bench *b, const operator_question *q, const void *in)
{
    enum { ROOM = 64, BEYOND = 4001 }; /* BEYOND: what a length on the device may be more */
    const size_t results = q->kind == SCAN_REDUCE ? 1 : q->n;
    const size_t in_bytes = q->n * b->size, out_bytes = results * b->size;
    const size_t in_at = q->in_offset * b->size, out_at = q->out_offset * b->size;
    const uint64_t length = q->n;
    const size_t spare = q->length_on_device ? BEYOND * b->size : 0;
    unsigned char init[64];
    random_fill(PARSCAN_U8, PARSCAN_SUM, init, sizeof init);
    char *const expected = malloc(out_bytes + 1);
    subject_expected(b->subject, q->kind, q->options.reverse != 0, q->init ? init : NULL, in,
                     expected, q->n);
    void *const init_there = device_copy_of(init, sizeof init);
    void *const length_there = device_copy_of(&length, sizeof length);
    char *const from = device_room(in_at + in_bytes + spare + ROOM);
    char *const to = q->place == IN_PLACE ? from : device_room(out_at + out_bytes + spare + ROOM);
    const size_t at = q->place == IN_PLACE ? in_at : out_at;
    char *const host_out = malloc(out_bytes + 1);
    device_write(from + in_at, in, in_bytes);
    operator_question asked = *q;
    if (q->length_on_device)
        asked.n += BEYOND;
    expect_ok(b->context, ask_operator(b, &asked, q->place == ON_HOST ? in : from + in_at,
                                       q->place == ON_HOST ? host_out : to + at,
                                       !q->init            ? NULL
                                       : q->init_on_device ? init_there
                                                           : (const void *)init,
                                       q->length_on_device ? length_there : NULL));
    expect_ok(b->context, parscan_synchronize(b->context));
    if (q->place != ON_HOST) {
        char *const all = host_copy_of(to, at + out_bytes + ROOM);
        memcpy(host_out, all + at, out_bytes);
        cr_assert_eq(first_other_than(ROOM_BYTE, all, at), at, "before the output");
        cr_assert_eq(first_other_than(ROOM_BYTE, all + at + out_bytes, ROOM), ROOM,
                     "after the output");
        free(all);
    }
    expect_operator_bytes(b, q, expected, host_out, results);
    CUDA(cudaFree(init_there));
    CUDA(cudaFree(length_there));
    CUDA(cudaFree(from));
    if (to != from)
        CUDA(cudaFree(to));
    free(expected);
    free(host_out);
}

/* Calls of one algorithm, with whatever may differ. */
void expect_operator_algorithm(const operator_bench *b, parscan_algorithm algorithm,
                               const size_t *lengths, size_t count, const void *in)
{
    unsigned k = 0;
    for (size_t l = 0; l < count; l++)
        for (int kind = 0; kind < 3; kind++)
            for (int reverse = 0; reverse < 2; reverse++, k++) {
                operator_question q = {.kind = (scan_kind)kind, .n = lengths[l]};
                q.options.algorithm = algorithm;
                q.options.reverse = reverse;
                q.out_offset = k % 3;
                q.in_offset = b->subject->apart ? k % 5 : q.out_offset;
                q.place =
                    kind == SCAN_REDUCE && k % 4 == 2 ? ON_DEVICE : (operator_place)(k % 4 % 3);
                q.init =
                    k % 2 == 0 || (b->subject->options.identity == NULL &&
                                   (kind == SCAN_EXCLUSIVE || (kind == SCAN_REDUCE && q.n == 0)));
                q.init_on_device = k % 3 == 1 && k % 5 != 0;
                if (q.init_on_device && q.place == IN_PLACE)
                    q.init_on_device = k % 2 == 0;
                expect_operator(b, &q, in);
            }
}
