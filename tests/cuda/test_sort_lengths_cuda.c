/*
 * Sorts, histograms and sorts by bins of many elements whose length is in device memory (parscan_set_lengths()):
 * each variant of their plans gives what the call with that n gives, to the bit, and writes nothing else.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

TestSuite(sort_lengths, .timeout = 300);

enum { ROOM = 68 << 20, OUTS = 2, FLAGS = 1 << 20 };

/* Random bytes, and outputs of the call with its length on the device and of the other one. */
typedef struct many_arrays {
    char *keys, *values;
    uint8_t *flags; /* few are not 0 */
    char *out[2][OUTS];
    uint64_t *n;
} many_arrays;

/* out: where the call writes. */
typedef parscan_status many_call(parscan_context *context, const many_arrays *a, char *const *out,
                                 size_t n);

typedef struct many_case {
    const char *name;
    size_t most, sizes[OUTS]; /* sizes: bytes of an output for each element */
    size_t bytes;             /* of each output, beside those */
    many_call *run;
    bool in_place; /* the outputs hold keys and values before */
} many_case;

static many_arrays arrays_create(void)
{
    many_arrays a;
    uint64_t *const words = malloc(ROOM);
    uint8_t *const flags = malloc(FLAGS);
    cr_assert(words != NULL && flags != NULL);
    for (size_t i = 0; i < ROOM / sizeof *words; i++)
        words[i] = random_bits();
    for (size_t i = 0; i < FLAGS; i++)
        flags[i] = random_below(4000) == 0;
    a.keys = device_copy_of(words, ROOM);
    a.values = device_copy_of(words, ROOM);
    a.flags = device_copy_of(flags, FLAGS);
    for (size_t k = 0; k < 2 * OUTS; k++)
        a.out[k / OUTS][k % OUTS] = device_room(ROOM);
    a.n = device_room(sizeof *a.n);
    free(words);
    free(flags);
    return a;
}

static void arrays_destroy(many_arrays *a)
{
    CUDA(cudaFree(a->keys));
    CUDA(cudaFree(a->values));
    CUDA(cudaFree(a->flags));
    for (size_t k = 0; k < 2 * OUTS; k++)
        CUDA(cudaFree(a->out[k / OUTS][k % OUTS]));
    CUDA(cudaFree(a->n));
}

static parscan_status keys_u32(parscan_context *context, const many_arrays *a, char *const *out,
                               size_t n)
{
    return parscan_sort_keys(context, PARSCAN_U32, a->keys, out[0], n, NULL);
}

static parscan_status keys_in_place(parscan_context *context, const many_arrays *a,
                                    char *const *out, size_t n)
{
    (void)a;
    return parscan_sort_keys(context, PARSCAN_U32, out[0], out[0], n, NULL);
}

static parscan_status bits_of_keys(parscan_context *context, const many_arrays *a, char *const *out,
                                   size_t n)
{
    return parscan_sort_keys(context, PARSCAN_U32, a->keys, out[0], n,
                             &PARSCAN_SORT_OPTIONS(.begin_bit = 3, .end_bit = 20));
}

static parscan_status keys_u64(parscan_context *context, const many_arrays *a, char *const *out,
                               size_t n)
{
    return parscan_sort_keys(context, PARSCAN_U64, a->keys, out[0], n,
                             &PARSCAN_SORT_OPTIONS(.descending = true));
}

static parscan_status keys_f32(parscan_context *context, const many_arrays *a, char *const *out,
                               size_t n)
{
    return parscan_sort_keys(context, PARSCAN_F32, a->keys, out[0], n, NULL);
}

static parscan_status keys_u8(parscan_context *context, const many_arrays *a, char *const *out,
                              size_t n)
{
    return parscan_sort_keys(context, PARSCAN_U8, a->keys, out[0], n, NULL);
}

static parscan_status keys_f16(parscan_context *context, const many_arrays *a, char *const *out,
                               size_t n)
{
    return parscan_sort_keys(context, PARSCAN_F16, a->keys, out[0], n, NULL);
}

static parscan_status pairs_u32(parscan_context *context, const many_arrays *a, char *const *out,
                                size_t n)
{
    return parscan_sort_pairs(context, PARSCAN_U32, a->keys, out[0], 4, a->values, out[1], n, NULL);
}

static parscan_status pairs_u64(parscan_context *context, const many_arrays *a, char *const *out,
                                size_t n)
{
    return parscan_sort_pairs(context, PARSCAN_U64, a->keys, out[0], 8, a->values, out[1], n, NULL);
}

static parscan_status wide_values_in_place(parscan_context *context, const many_arrays *a,
                                           char *const *out, size_t n)
{
    (void)a;
    return parscan_sort_pairs(context, PARSCAN_U16, out[0], out[0], 12, out[1], out[1], n, NULL);
}

static parscan_status argsort_f32(parscan_context *context, const many_arrays *a, char *const *out,
                                  size_t n)
{
    return parscan_argsort(context, PARSCAN_F32, a->keys, PARSCAN_U32, out[0], n, NULL);
}

static parscan_status segments_by_flags(parscan_context *context, const many_arrays *a,
                                        char *const *out, size_t n)
{
    return parscan_sort_segments(
        context, PARSCAN_U32, a->keys, out[0], 4, a->values, out[1], n,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = a->flags), NULL);
}

static parscan_status histogram_of(parscan_context *context, const many_arrays *a, char *const *out,
                                   parscan_type type, size_t n, size_t bins)
{
    const float lower = -1, upper = 1;
    const parscan_histogram_options of_floats =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(context, type, a->keys, n, bins, PARSCAN_U32, out[0],
                             type == PARSCAN_F32 ? &of_floats : NULL);
}

static parscan_status count_bytes(parscan_context *context, const many_arrays *a, char *const *out,
                                  size_t n)
{
    return histogram_of(context, a, out, PARSCAN_U8, n, 256);
}

static parscan_status count_codes(parscan_context *context, const many_arrays *a, char *const *out,
                                  size_t n)
{
    return histogram_of(context, a, out, PARSCAN_U16, n, 1000);
}

static parscan_status count_words(parscan_context *context, const many_arrays *a, char *const *out,
                                  size_t n)
{
    return histogram_of(context, a, out, PARSCAN_F32, n, 5000);
}

static parscan_status count_halves(parscan_context *context, const many_arrays *a, char *const *out,
                                   size_t n)
{
    return histogram_of(context, a, out, PARSCAN_U32, n, 16400);
}

static parscan_status count_cached(parscan_context *context, const many_arrays *a, char *const *out,
                                   size_t n)
{
    return histogram_of(context, a, out, PARSCAN_U64, n, 1 << 20);
}

static parscan_status bin_to_many(parscan_context *context, const many_arrays *a, char *const *out,
                                  size_t n)
{
    return parscan_bin(context, PARSCAN_U16, a->keys, 4, NULL, n, 60000, PARSCAN_U32, out[0],
                       out[1]);
}

static parscan_status bin_to_few(parscan_context *context, const many_arrays *a, char *const *out,
                                 size_t n)
{
    return parscan_bin(context, PARSCAN_U8, a->keys, 12, a->values, n, 200, PARSCAN_U64, out[0],
                       out[1]);
}

static parscan_status only_offsets(parscan_context *context, const many_arrays *a, char *const *out,
                                   size_t n)
{
    return parscan_bin(context, PARSCAN_U16, a->keys, 0, NULL, n, 60000, PARSCAN_U32, out[0], NULL);
}

static const many_case cases[] = {
    {"keys u32", 6000000, {4}, 0, keys_u32, false},
    {"keys u32, small tiles", 1000000, {4}, 0, keys_u32, false},
    {"keys u32, one block", 4096, {4}, 0, keys_u32, false},
    {"keys u32 in place", 5000000, {4}, 0, keys_in_place, true},
    {"bits of u32", 2000000, {4}, 0, bits_of_keys, false},
    {"keys u64 down", 2000000, {8}, 0, keys_u64, false},
    {"keys f32, NaNs", 2000000, {4}, 0, keys_f32, false},
    {"keys u8, counted", 1000000, {1}, 0, keys_u8, false},
    {"keys f16, NaNs", 5000000, {2}, 0, keys_f16, false},
    {"pairs u32", 6000000, {4, 4}, 0, pairs_u32, false},
    {"pairs u64", 1500000, {8, 8}, 0, pairs_u64, false},
    {"u16 and 12 bytes in place", 300000, {2, 12}, 0, wide_values_in_place, true},
    {"argsort f32", 6000000, {4}, 0, argsort_f32, false},
    {"long segments by flags", FLAGS, {4, 4}, 0, segments_by_flags, false},
    {"histogram u8", 30000000, {0}, 256 * 4, count_bytes, false},
    {"histogram u16", 17000000, {0}, 1000 * 4, count_codes, false},
    {"histogram f32", 6000000, {0}, 5000 * 4, count_words, false},
    {"histogram u32, halves", 17000000, {0}, 16400 * 4, count_halves, false},
    {"histogram u64, cached", 3000000, {0}, 4 << 20, count_cached, false},
    {"bin u16 to many", 3000000, {0, 4}, 60001 * 4, bin_to_many, false},
    {"bin u16 to ranges", 60000, {0, 4}, 60001 * 4, bin_to_many, false},
    {"bin u16 in a block", 4000, {0, 4}, 60001 * 4, bin_to_many, false},
    {"bin u8 and 12 bytes", 3000000, {0, 12}, 201 * 8, bin_to_few, false},
    {"bin u16, offsets", 3000000, {0}, 60001 * 4, only_offsets, false},
};

static size_t bytes_of(const many_case *c, size_t k)
{
    return c->most * c->sizes[k] + c->bytes + 64;
}

static void prepare(const many_case *c, const many_arrays *a, size_t n)
{
    const uint64_t length = n;
    for (size_t k = 0; k < 2 * OUTS; k++) {
        char *const out = a->out[k / OUTS][k % OUTS];
        CUDA(cudaMemset(out, ROOM_BYTE, bytes_of(c, k % OUTS)));
        if (c->in_place)
            CUDA(cudaMemcpy(out, k % OUTS == 0 ? a->keys : a->values, c->most * c->sizes[k % OUTS],
                            cudaMemcpyDeviceToDevice));
    }
    device_write(a->n, &length, sizeof length);
    CUDA(cudaDeviceSynchronize());
}

static void expect_same(parscan_context *context, const many_case *c, const many_arrays *a,
                        size_t n)
{
    prepare(c, a, n);
    expect_ok(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = a->n)));
    expect_ok(context, c->run(context, a, a->out[0], c->most));
    expect_ok(context, c->run(context, a, a->out[1], n));
    expect_ok(context, parscan_synchronize(context));
    for (size_t k = 0; k < OUTS; k++) {
        char *const here = malloc(bytes_of(c, k)), *const expected = malloc(bytes_of(c, k));
        cr_assert(here != NULL && expected != NULL);
        CUDA(cudaMemcpy(here, a->out[0][k], bytes_of(c, k), cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(expected, a->out[1][k], bytes_of(c, k), cudaMemcpyDeviceToHost));
        cr_expect_eq(memcmp(here, expected, bytes_of(c, k)), 0, "%s, %zu of %zu: output %zu",
                     c->name, n, c->most, k);
        free(here);
        free(expected);
    }
}

/* The kernels of many elements with few. */
Test(sanitized, lengths_far_below_the_most_are_right)
{
    parscan_context *const context = context_on(NULL);
    many_arrays a = arrays_create();
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        expect_same(context, &cases[k], &a, k % 2 == 0 ? 3001 : 1);
    arrays_destroy(&a);
    parscan_context_destroy(context);
}

Test(sort_lengths, are_those_that_the_host_would_have_given)
{
    parscan_context *const context = context_on(NULL);
    many_arrays a = arrays_create();
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const size_t most = cases[k].most;
        const size_t lengths[] = {0, 1, most / 16 + 3, most - 1, most};
        for (size_t l = 0; l < COUNT_OF(lengths); l++)
            expect_same(context, &cases[k], &a, lengths[l]);
    }
    arrays_destroy(&a);
    parscan_context_destroy(context);
}
