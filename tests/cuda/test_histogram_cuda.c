/* Histograms and counting sorts on CUDA, what the engines' common suites do not ask: graphs, many calls without a
   wait, more than 2^32 elements on the device, errors that only it knows of. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/histogram.h"
#include "tests/cuda/both_engines.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define LARGE (((size_t)1 << 32) + 5)

enum { BYTES, WORDS, REALS, RECORDS };
enum { OUT, OFFSETS };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Words below n, of which every third is one of two; numbers around [0, 1). */
static void fill(void *const in[CALL_INPUTS], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((uint8_t *)in[BYTES])[i] = (uint8_t)random_bits();
        ((uint32_t *)in[WORDS])[i] =
            (uint32_t)(random_below(3) == 0 ? random_below(n) / (n / 2 + 1) : random_below(n));
        ((float *)in[REALS])[i] = (float)random_below(1300) / 1024 - 0.1f;
    }
    random_fill(PARSCAN_U32, PARSCAN_SUM, in[RECORDS], 3 * n);
}

static parscan_status make_bytes(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_histogram(context, PARSCAN_U8, a->in[BYTES], n, least(n, 256), PARSCAN_U64,
                             a->out[OUT], NULL);
}

/* Words of n values in so many bins. */
static parscan_status make_words(parscan_context *context, const call_arrays *a, size_t n,
                                 size_t bins)
{
    const uint32_t lower = 0, upper = (uint32_t)n;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(context, PARSCAN_U32, a->in[WORDS], n, least(n, bins), PARSCAN_U32,
                             a->out[OUT], &options);
}

static parscan_status make_few(parscan_context *context, const call_arrays *a, size_t n)
{
    return make_words(context, a, n, 50);
}

static parscan_status make_hundreds(parscan_context *context, const call_arrays *a, size_t n)
{
    return make_words(context, a, n, 700);
}

static parscan_status make_thousands(parscan_context *context, const call_arrays *a, size_t n)
{
    return make_words(context, a, n, 10000);
}

static parscan_status make_many(parscan_context *context, const call_arrays *a, size_t n)
{
    return make_words(context, a, n, 65536);
}

static parscan_status make_all(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_histogram(context, PARSCAN_U32, a->in[WORDS], n, n, PARSCAN_U64, a->out[OUT],
                             NULL);
}

static parscan_status make_reals(parscan_context *context, const call_arrays *a, size_t n)
{
    const float lower = 0, upper = 1;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(context, PARSCAN_F32, a->in[REALS], n, least(n, 1000), PARSCAN_U32,
                             a->out[OUT], &options);
}

static parscan_status make_digits(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_bin(context, PARSCAN_U8, a->in[BYTES], 12, a->in[RECORDS], n, least(n, 200),
                       PARSCAN_U32, a->out[OFFSETS], a->out[OUT]);
}

static parscan_status make_rows(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_bin(context, PARSCAN_U32, a->in[WORDS], 4, a->in[RECORDS], n, n / 2 + 1,
                       PARSCAN_U64, a->out[OFFSETS], a->out[OUT]);
}

static parscan_status make_order(parscan_context *context, const call_arrays *a, size_t n)
{
    return parscan_bin(context, PARSCAN_U32, a->in[WORDS], 8, NULL, n, n, PARSCAN_U32,
                       a->out[OFFSETS], a->out[OUT]);
}

static const engine_call calls[] = {
    {"histogram of bytes", make_bytes},           {"histogram, up to 50 bins", make_few},
    {"histogram, up to 700 bins", make_hundreds}, {"histogram, up to 10000 bins", make_thousands},
    {"histogram, up to 65536 bins", make_many},   {"histogram, n bins", make_all},
    {"histogram of floats", make_reals},          {"bin of records", make_digits},
    {"bin of half the words", make_rows},         {"bin of indices", make_order},
};
static const engine_calls all = {calls, COUNT_OF(calls), fill};

Test(histograms, are_the_cpus_at_lengths_around_those_of_batches)
{
    for (size_t n = 8190; n < 8200; n += 3)
        expect_same(&all, n);
    for (size_t n = 4095; n < 4098; n++)
        expect_same(&all, n);
    expect_same(&all, 65536); /* the offsets of bins by ranges, and not */
    expect_same(&all, 65537);
    expect_same(&all, 1);
    expect_same(&all, 786431);
    expect_same(&all, 2097153);
    expect_same(&all, 3000017);
}

Test(histograms, in_graphs_are_right_on_changed_input)
{
    expect_same_in_graphs(&all, 100003);
    expect_same_in_graphs(&all, 50003);
    expect_same_in_graphs(&all, 2500);
}

Test(histograms, of_a_few_elements_are_right_many_times_in_a_row)
{
    expect_same_in_a_row(&all, 1000);
}

/* Few bits are set, and of each half other ones: bins that blocks count in shared memory make room for others. */
Test(histograms, of_many_bins_are_right_where_frequent_ones_change)
{
    const size_t n = 36000000, bins = (size_t)1 << 20;
    need_cuda();
    parscan_context *const context = context_on(NULL);
    uint32_t *const in = malloc(n * sizeof *in), *const right = calloc(bins, sizeof *right);
    uint32_t *const found = malloc(bins * sizeof *found);
    cr_assert(in != NULL && right != NULL && found != NULL);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = random_bits() & random_bits();
        in[i] = (uint32_t)((bits & bits >> 32) ^ (i < n / 2 ? 0 : 0x5a5a5)) & (uint32_t)(bins - 1);
        right[in[i]]++;
    }
    expect_ok(context,
              parscan_histogram(context, PARSCAN_U32, in, n, bins, PARSCAN_U32, found, NULL));
    cr_assert_eq(memcmp(found, right, bins * sizeof *found), 0);
    parscan_context_destroy(context);
    free(in), free(right), free(found);
}

/* Random bits, so NaNs and infinities, too; then one value in every second place. */
static void fill_two_bytes(uint16_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = random_bits();
        in[i] = (uint16_t)(i < n / 3 || bits >> 63 ? bits : 0x3c00);
    }
}

/* Elements in host memory, and the same on the device. */
typedef struct two_bytes {
    const uint16_t *host, *device;
    size_t n;
} two_bytes;

static void expect_the_cpus(parscan_type type, const two_bytes *in, size_t bins, const void *lower,
                            const void *upper)
{
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = lower, .upper = upper);
    parscan_context *const cuda = context_on(NULL), *cpu = NULL;
    uint64_t *const found = malloc(2 * bins * sizeof *found), *const right = found + bins;
    cr_assert_not_null(found);
    expect_ok(cpu, parscan_context_create(
                       &cpu, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)));
    expect_ok(cuda,
              parscan_histogram(cuda, type, in->device, in->n, bins, PARSCAN_U64, found, &options));
    expect_ok(cpu,
              parscan_histogram(cpu, type, in->host, in->n, bins, PARSCAN_U64, right, &options));
    cr_assert_eq(memcmp(found, right, bins * sizeof *found), 0, "%s, %zu bins, n = %zu",
                 parscan_type_name(type), bins, in->n);
    free(found);
    parscan_context_destroy(cuda);
    parscan_context_destroy(cpu);
}

/* So many elements that they are counted by value, with room for the bins beside the values, and without; and
   fewer. */
Test(histograms, of_many_elements_of_two_bytes_are_right, .timeout = 120)
{
    static const size_t lengths[] = {1 << 20, ((size_t)1 << 24) + 3, ((size_t)1 << 26) + 5};
    static const size_t bins[] = {1000, 65536, 120001};
    static const uint16_t f16[] = {0xb800, 0x4200}, bf16[] = {0xbf00, 0x4040}; /* -0.5, 3 */
    static const uint16_t u16[] = {5, 65535};
    static const int16_t i16[] = {-20000, 32767};
    const size_t most = lengths[2] + 2;
    need_cuda();
    uint16_t *const in = malloc(most * sizeof *in);
    cr_assert_not_null(in);
    fill_two_bytes(in, most);
    uint16_t *const on_device = device_copy_of(in, most * sizeof *in);
    for (size_t k = 0; k < COUNT_OF(lengths) * COUNT_OF(bins); k++) {
        const size_t shift = k % 3, of = bins[k % COUNT_OF(bins)];
        const two_bytes part = {in + shift, on_device + shift, lengths[k / COUNT_OF(bins)]};
        expect_the_cpus(PARSCAN_F16, &part, of, f16, f16 + 1);
        expect_the_cpus(PARSCAN_BF16, &part, of, bf16, bf16 + 1);
        expect_the_cpus(PARSCAN_U16, &part, of, u16, u16 + 1);
        expect_the_cpus(PARSCAN_I16, &part, of, i16, i16 + 1);
        expect_the_cpus(PARSCAN_U16, &part, of, NULL, NULL);
    }
    CUDA(cudaFree(on_device));
    free(in);
}

/* Zeros, but for two places. */
static void expect_counts(parscan_context *context, const uint8_t *in)
{
    uint64_t counts[256];
    expect_ok(context, parscan_histogram(context, PARSCAN_U8, in, LARGE, COUNT_OF(counts),
                                         PARSCAN_U64, counts, NULL));
    cr_assert(counts[0] == LARGE - 2 && counts[1] == 0 && counts[3] == 1 && counts[255] == 1);
}

/* A count that 32 bits do not hold: where counts stay on the device, only the device knows. */
static void expect_overflow(parscan_context *context, const uint8_t *in)
{
    uint32_t *const counts = device_room(256 * sizeof *counts);
    expect_ok(context,
              parscan_histogram(context, PARSCAN_U8, in, LARGE, 256, PARSCAN_U32, counts, NULL));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_ERROR_OVERFLOW);
    expect_ok(context, parscan_histogram(context, PARSCAN_U8, in, UINT32_MAX, 256, PARSCAN_U32,
                                         counts, NULL));
    expect_ok(context, parscan_synchronize(context));
    uint32_t *const found = host_copy_of(counts, 256 * sizeof *counts);
    cr_assert(found[0] == UINT32_MAX - 1 && found[3] == 1 && found[255] == 0);
    free(found);
    CUDA(cudaFree(counts));
}

/* Indices of 64 bits; the two that are not in bin 0 come last. */
static void expect_order(parscan_context *context, const uint8_t *in)
{
    uint64_t offsets[257], last[2];
    uint64_t *const order = device_room(LARGE * sizeof *order);
    expect_ok(context, parscan_bin(context, PARSCAN_U8, in, 8, NULL, LARGE, 256, PARSCAN_U64,
                                   offsets, order));
    cr_assert(offsets[1] == LARGE - 2 && offsets[4] == LARGE - 1 && offsets[256] == LARGE);
    CUDA(cudaMemcpy(last, order + LARGE - 2, sizeof last, cudaMemcpyDeviceToHost));
    cr_assert(last[0] == 77 && last[1] == LARGE - 1);
    CUDA(cudaFree(order));
}

Test(histograms, of_more_than_2_32_elements_on_the_device, .timeout = 120)
{
    size_t available = 0, most = 0;
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &most));
    if (available < 11 * LARGE)
        cr_skip_test("2^32 elements: %zu MiB of device memory are available\n", available >> 20);
    parscan_context *const context = context_on(NULL);
    uint8_t *const in = device_room(LARGE);
    CUDA(cudaMemset(in, 0, LARGE));
    CUDA(cudaMemset(in + 77, 3, 1));
    CUDA(cudaMemset(in + LARGE - 1, 255, 1));
    CUDA(cudaDeviceSynchronize());
    expect_counts(context, in);
    expect_overflow(context, in);
    expect_order(context, in);
    parscan_context_destroy(context);
    CUDA(cudaFree(in));
}

/* More bins than elements of 16 bits can name. */
Test(bins, are_2_32, .timeout = 120)
{
    static const uint16_t bin_of[] = {65535, 3, 0, 3, 70};
    const size_t bins = (size_t)1 << 32, room = (bins + 1) * sizeof(uint32_t);
    size_t available = 0, most = 0;
    uint32_t order[COUNT_OF(bin_of)], found[COUNT_OF(bin_of)];
    static const size_t places[COUNT_OF(found)] = {3, 4, 71, 65536, (size_t)1 << 32};
    need_cuda();
    CUDA(cudaMemGetInfo(&available, &most));
    if (available < room + room / 2)
        cr_skip_test("2^32 offsets: %zu MiB of device memory are available\n", available >> 20);
    parscan_context *const context = context_on(NULL);
    uint32_t *const offsets = device_room(room);
    expect_ok(context, parscan_bin(context, PARSCAN_U16, bin_of, sizeof *order, NULL,
                                   COUNT_OF(bin_of), bins, PARSCAN_U32, offsets, order));
    expect_ok(context, parscan_synchronize(context));
    cr_assert_eq(memcmp(order, (uint32_t[]){2, 1, 3, 4, 0}, sizeof order), 0);
    for (size_t k = 0; k < COUNT_OF(found); k++)
        CUDA(cudaMemcpy(&found[k], offsets + places[k], sizeof *found, cudaMemcpyDeviceToHost));
    cr_assert_eq(memcmp(found, (uint32_t[]){1, 3, 4, 5, 5}, sizeof found), 0);
    parscan_context_destroy(context);
    CUDA(cudaFree(offsets));
}

/* For compute-sanitizer. */
Test(sanitized_histograms, are_right)
{
    expect_same(&all, 1);
    expect_same(&all, 70001);
    expect_same(&all, 1100003);
}
