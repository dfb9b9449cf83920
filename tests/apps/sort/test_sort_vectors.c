/* Keys alone that SIMD vectors sort: numbers without a NaN, of few, skewed and any values, in lengths around those of
   vectors, of what is sorted in registers, and of what one core sorts in its caches. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

typedef int32_t T;
#include "apps/merge/heap_sort.h"

static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I32, PARSCAN_F32,
                                     PARSCAN_U64, PARSCAN_I64, PARSCAN_F64};

typedef enum number_kind {
    UNIFORM,
    SKEWED,
    THOUSAND,
    TWO,
    ONE_IN_FOUR, /* of one value, in the middle */
    SAW,
    PIPE, /* up, then down */
    NUMBER_KINDS
} number_kind;

static double number(number_kind kind, size_t i, size_t n)
{
    const double u = (double)random_below(1u << 30) / (1u << 30);
    switch (kind) {
    case UNIFORM:
        return u - 0.5;
    case SKEWED:
        return floor(1 / (u * u * u + 1e-6)) / 1e9;
    case THOUSAND:
        return floor(u * 1000) / 1000 - 0.3;
    case TWO:
        return u < 0.5 ? -0.25 : 0.125;
    case ONE_IN_FOUR:
        return random_below(4) == 0 ? 0.0 : u - 0.5;
    case SAW:
        return (double)(i % 17) / 64;
    default:
        return (double)(i < n / 2 ? i : n - i) / (double)n - 0.2;
    }
}

/* Scaled to integers, of which unsigned ones wrap. */
static char *numbers(parscan_type type, number_kind kind, size_t n)
{
    const size_t size = parscan_type_size(type);
    char *const keys = malloc(n * size + 1);
    for (size_t i = 0; i < n; i++) {
        const double x = number(kind, i, n);
        const float narrow = (float)x;
        const int32_t of_32 = (int32_t)(x * 0x1p31);
        const int64_t of_64 = (int64_t)(x * 0x1p62);
        const void *const bits = type == PARSCAN_F64   ? (const void *)&x
                                 : type == PARSCAN_F32 ? (const void *)&narrow
                                 : size == 4           ? (const void *)&of_32
                                                       : (const void *)&of_64;
        memcpy(keys + i * size, bits, size);
    }
    return keys;
}

static void put_nan(parscan_type type, char *keys, size_t i)
{
    const float narrow = nanf("7");
    const double wide = nan("7");
    if (type == PARSCAN_F32)
        memcpy(keys + i * sizeof narrow, &narrow, sizeof narrow);
    else if (type == PARSCAN_F64)
        memcpy(keys + i * sizeof wide, &wide, sizeof wide);
}

static void expect_numbers(parscan_context *context, parscan_type type, number_kind kind, size_t n,
                           unsigned turn)
{
    sort_case sort = {.type = type, .n = n, .keys_in_place = turn & 1};
    sort.options.descending = turn >> 1 & 1;
    char *const keys = numbers(type, kind, n);
    if (n > 0 && turn % 5 == 4)
        put_nan(type, keys, random_below(n));
    expect_sort(context, sort, keys);
    free(keys);
}

SimdTest(sort_vectors, of_short_arrays_are_right)
{
    static const size_t lengths[] = {25,  31,  32,  33,  63,  64,  65,  95,   127,  128,
                                     129, 130, 191, 255, 256, 257, 300, 1000, 2049, 5003};
    parscan_context *const context = test_context();
    unsigned turn = (unsigned)random_below(20);
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (number_kind kind = 0; kind < NUMBER_KINDS; kind++)
            for (size_t s = 0; s < COUNT_OF(lengths); s++)
                expect_numbers(context, types[t], kind, lengths[s], turn++);
    parscan_context_destroy(context);
}

/* More than one core sorts in its caches, where skewed numbers are left to the vectors too. */
SimdTest(sort_vectors, of_long_arrays_are_right_with_every_number_of_threads)
{
    unsigned turn = (unsigned)random_below(20);
    for (unsigned threads = 1; threads <= 4; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            const number_kind kind = (number_kind)((t + 3 * threads + turn) % NUMBER_KINDS);
            expect_numbers(context, types[t], kind, 150000 + random_below(17), turn);
            expect_numbers(context, types[t], SKEWED, 140000 + random_below(17), ++turn);
        }
        parscan_context_destroy(context);
    }
}

/* Vectors refuse the array for its NaNs. A bucket of it may have none, and most of the keys, so that they sort that: the merge of
   their shares must leave the other buckets' bounds alone. One in 30 such arrays has such a bucket. */
SimdTest(sort_vectors, of_a_bucket_without_nans_leave_the_other_buckets_right)
{
    static const float far[] = {0, -1e-30f, 1e30f, INFINITY, NAN};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    sort_case sort = {.type = PARSCAN_F32, .n = 150001};
    float *const keys = malloc(sort.n * sizeof *keys);
    for (size_t k = 0; k < 60; k++) {
        for (size_t i = 0; i < sort.n; i++)
            keys[i] = random_below(1000) == 0 ? far[random_below(COUNT_OF(far))] : -0.0f;
        expect_sort(context, sort, keys);
    }
    free(keys);
    parscan_context_destroy(context);
}

Test(sort_vectors, heap_sorts_what_splits_badly)
{
    static const size_t lengths[] = {0, 1, 2, 3, 4, 7, 100, 1001};
    for (size_t s = 0; s < COUNT_OF(lengths); s++)
        for (number_kind kind = 0; kind < NUMBER_KINDS; kind++) {
            const size_t n = lengths[s];
            char *const keys = numbers(PARSCAN_I32, kind, n);
            T *const sorted = malloc(n * sizeof *sorted + 1);
            memcpy(sorted, keys, n * sizeof *sorted);
            sort_by_heap(sorted, n);
            const sort_case sort = {.type = PARSCAN_I32, .n = n};
            size_t *const order = sort_order(&sort, keys);
            for (size_t i = 0; i < n; i++)
                cr_assert_eq(sorted[i], ((const T *)(const void *)keys)[order[i]],
                             "kind %d, element %zu of %zu", (int)kind, i, n);
            free(order);
            free(sorted);
            free(keys);
        }
}
