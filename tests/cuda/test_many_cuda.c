/* Many calls in a row without a wait, alone, beside a kernel that hogs the GPU, and beside both. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/kernels_on_cuda.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"

TestSuite(scans, .timeout = 120);
TestSuite(look_back, .timeout = 120);

#define CALLS 10000u
#define LONGEST 3000u
#define SLOT_BYTES (LONGEST * 8)

typedef struct batch {
    parscan_context *context;
    void *in[TYPES], *on_device[TYPES]; /* the same, here and there */
    scan_case calls[CALLS];
    char *out; /* a slot each */
} batch;

static batch *batch_create(void)
{
    batch *const b = calloc(1, sizeof *b);
    b->context = context_on(NULL);
    for (size_t t = 0; t < TYPES; t++) {
        b->in[t] = random_array(all_types[t], PARSCAN_SUM, LONGEST);
        b->on_device[t] = device_copy_of(b->in[t], LONGEST * parscan_type_size(all_types[t]));
    }
    b->out = device_room((size_t)CALLS * SLOT_BYTES);
    return b;
}

static void batch_destroy(batch *b)
{
    parscan_context_destroy(b->context);
    for (size_t t = 0; t < TYPES; t++) {
        free(b->in[t]);
        CUDA(cudaFree(b->on_device[t]));
    }
    CUDA(cudaFree(b->out));
    free(b);
}

/* A call of any kind, type, operator and length, mostly by the fast path. No product of floats: it
   would overflow in one grouping and not in another. */
static scan_case any_call(size_t k)
{
    scan_case call = {.kind = (scan_kind)(k % 3), .type = all_types[random_below(TYPES)]};
    do
        call.options.op = all_ops[random_below(OPS)];
    while (!type_has(call.type, call.options.op) ||
           (oracle_is_float(call.type) && call.options.op == PARSCAN_PRODUCT));
    if (random_below(8) == 0)
        call.options.algorithm = all_algorithms[random_below(ALGORITHMS)];
    call.options.reverse = (int)random_below(2);
    call.options.struct_size = sizeof call.options;
    call.n = 1 + random_below(random_below(2) == 0 ? 64 : LONGEST);
    return call;
}

Test(scans, ten_thousand_small_ones_in_a_row_are_right)
{
    batch *const b = batch_create();
    for (size_t k = 0; k < CALLS; k++) {
        const scan_case *const call = &b->calls[k];
        b->calls[k] = any_call(k);
        expect_ok(b->context, call_scan(b->context, call->kind, call->type,
                                        b->on_device[call->type - all_types[0]],
                                        b->out + k * SLOT_BYTES, call->n, &call->options));
    }
    expect_ok(b->context, parscan_synchronize(b->context));
    char *const found = host_copy_of(b->out, (size_t)CALLS * SLOT_BYTES);
    for (size_t k = 0; k < CALLS; k++) {
        char words[CASE_WORDS];
        const scan_case *const call = &b->calls[k];
        if (!answer_is_right(call, b->in[call->type - all_types[0]], found + k * SLOT_BYTES, words))
            cr_assert_fail("call %zu: %s", k, words);
        const size_t results = call->kind == SCAN_REDUCE ? 1 : call->n;
        const size_t written = results * parscan_type_size(call->type);
        cr_assert_eq(
            first_other_than(ROOM_BYTE, found + k * SLOT_BYTES + written, SLOT_BYTES - written),
            SLOT_BYTES - written, "call %zu wrote behind its output", k);
    }
    free(found);
    batch_destroy(b);
}

/* Sums of u32 of many lengths while something else has most of the GPU, or all of it by turns. */
static const size_t lengths[] = {100,     8192,    8193,     100003,        1u << 20,
                                 1500007, 2200001, 1u << 22, (1u << 22) + 1};
#define MOST ((1u << 22) + 1)
#define ROUNDS 12u

static void expect_sums(const uint32_t *in, const uint32_t *device_out, size_t calls)
{
    uint32_t *const found = host_copy_of(device_out, calls * MOST * sizeof *found);
    uint32_t *const expected = malloc(MOST * sizeof *expected);
    for (size_t k = 0; k < calls; k++) {
        const size_t n = lengths[k % COUNT_OF(lengths)];
        plain_sums((scan_kind)(k % 2), k / 2 % 2, in, expected, n);
        cr_assert_eq(memcmp(found + k * MOST, expected, n * sizeof *found), 0, "scan %zu, n = %zu",
                     k, n);
    }
    free(found);
    free(expected);
}

/* The k-th of them. */
static void call_sums(parscan_context *context, const uint32_t *in, uint32_t *out, size_t k)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = k / 2 % 2);
    expect_ok(context, call_scan(context, (scan_kind)(k % 2), PARSCAN_U32, in, out + k * MOST,
                                 lengths[k % COUNT_OF(lengths)], &options));
}

/* Hogs that come and go beside scans in `contexts` contexts: `less` multiprocessors are left free. */
static void expect_right_beside_hogs(size_t contexts, unsigned less, unsigned microseconds)
{
    enum { CALLS_EACH = 9 * 4, MOST_CONTEXTS = 2 };
    parscan_context *context[MOST_CONTEXTS];
    uint32_t *out[MOST_CONTEXTS];
    cudaStream_t beside;
    int multiprocessors = 0;
    for (size_t c = 0; c < contexts; c++) {
        context[c] = context_on(NULL);
        out[c] = device_room((size_t)CALLS_EACH * MOST * sizeof(uint32_t));
    }
    CUDA(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, MOST);
    uint32_t *const device_in = device_copy_of(in, MOST * sizeof *in);
    const unsigned blocks = (unsigned)multiprocessors - less;
    for (size_t k = 0; k < CALLS_EACH; k++) {
        for (unsigned h = 0; h < ROUNDS; h++)
            CUDA(hog_on_cuda(h % 3 == 0 ? blocks : blocks / (h % 3 + 1), microseconds, beside));
        for (size_t c = 0; c < contexts; c++)
            call_sums(context[c], device_in, out[c], k);
    }
    for (size_t c = 0; c < contexts; c++)
        expect_ok(context[c], parscan_synchronize(context[c]));
    CUDA(cudaStreamSynchronize(beside));
    for (size_t c = 0; c < contexts; c++) {
        expect_sums(in, out[c], CALLS_EACH);
        parscan_context_destroy(context[c]);
        CUDA(cudaFree(out[c]));
    }
    CUDA(cudaStreamDestroy(beside));
    CUDA(cudaFree(device_in));
    free(in);
}

Test(look_back, ends_and_is_right_beside_a_kernel_that_leaves_few_multiprocessors)
{
    expect_right_beside_hogs(1, 4, 1000);
    expect_right_beside_hogs(1, 1, 1000);
}

Test(look_back, ends_and_is_right_beside_a_kernel_that_leaves_none)
{
    expect_right_beside_hogs(1, 0, 200);
    expect_right_beside_hogs(1, 0, 20);
}

Test(look_back, of_two_contexts_ends_and_is_right_beside_a_kernel_that_hogs)
{
    expect_right_beside_hogs(2, 4, 200);
    expect_right_beside_hogs(2, 0, 50);
}
