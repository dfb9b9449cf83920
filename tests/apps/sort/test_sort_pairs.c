/* Sorts of pairs and of indices: values of every size move whole with their keys; the order of equal
   keys is kept. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

#define LARGEST_VALUE 64u

/* The pairs of keys with one order, in one of the four places, or their indices. */
static void expect_place(parscan_context *context, sort_case sort, unsigned place, const void *keys,
                         const size_t *order)
{
    sort.keys_in_place = place & 1;
    sort.values_in_place = place >> 1 & 1;
    expect_order(context, sort, keys, order);
}

static void expect_indices(parscan_context *context, sort_case sort, const void *keys,
                           const size_t *order)
{
    sort.value_size = 0;
    sort.index_type = PARSCAN_U32;
    expect_order(context, sort, keys, order);
    sort.index_type = PARSCAN_U64;
    expect_order(context, sort, keys, order);
}

/* Every size of values, in every place. */
static void expect_every_size_of_value(parscan_type type)
{
    static const size_t lengths[] = {0, 1, 2, 3, 16, 33, 100, 257, 1025, 3001};
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(lengths); s++)
        for (int descending = 0; descending < 2; descending++) {
            sort_case sort = {.type = type, .n = lengths[s]};
            sort.options.descending = descending;
            const key_pattern pattern = random_below(2) == 0 ? KEYS_RANDOM : KEYS_FEW;
            void *const keys = patterned_keys(type, pattern, sort.n);
            size_t *const order = sort_order(&sort, keys);
            for (size_t size = 1; size <= LARGEST_VALUE; size++) {
                sort.value_size = size;
                expect_place(context, sort, (unsigned)random_below(4), keys, order);
            }
            free(keys);
            free(order);
        }
    parscan_context_destroy(context);
}

/* Every pattern, in every place, with the sizes of values that machines like. */
static void expect_every_pattern_of(parscan_type type)
{
    static const size_t lengths[] = {2, 3, 20, 65, 300, 1000, 9001};
    static const size_t value_sizes[] = {1, 2, 4, 8, 12, 16};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 2 * COUNT_OF(lengths) * KEY_PATTERNS; k++) {
        if (!takes_larger_case())
            continue;
        sort_case sort = {.type = type, .n = lengths[k / 2 / KEY_PATTERNS]};
        sort.options.descending = (int)(k % 2);
        void *const keys = patterned_keys(type, (key_pattern)(k / 2 % KEY_PATTERNS), sort.n);
        size_t *const order = sort_order(&sort, keys);
        for (unsigned place = 0; place < 4; place++) {
            sort.value_size = value_sizes[random_below(COUNT_OF(value_sizes))];
            expect_place(context, sort, place, keys, order);
        }
        expect_indices(context, sort, keys, order);
        free(keys);
        free(order);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                                \
    SimdTest(pairs, of_every_size_go_where_their_keys_go_##name)       \
    {                                                                  \
        expect_every_size_of_value(PARSCAN_##NAME);                    \
    }                                                                  \
    SimdTest(pairs, and_indices_of_equal_keys_keep_their_order_##name) \
    {                                                                  \
        expect_every_pattern_of(PARSCAN_##NAME);                       \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(argsort, takes_every_length_to_600)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 600; n++) {
        if (!takes_larger_case())
            continue;
        sort_case sort = {.type = all_types[n % TYPES], .n = n};
        sort.options.descending = (int)(n / 2 % 2);
        void *const keys = patterned_keys(sort.type, n % 2 == 0 ? KEYS_FEW : KEYS_RANDOM, n);
        size_t *const order = sort_order(&sort, keys);
        expect_indices(context, sort, keys, order);
        sort.value_size = 8;
        expect_place(context, sort, 3, keys, order);
        free(keys);
        free(order);
    }
    parscan_context_destroy(context);
}

SimdTest(pairs, and_indices_take_pointers_of_any_alignment)
{
    static const size_t lengths[] = {3, 70, 1029, 30011};
    static const size_t value_sizes[] = {1, 2, 3, 4, 7, 8, 16, 24, 63, 64};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < COUNT_OF(lengths); s++) {
            if (!takes_larger_case())
                continue;
            sort_case sort = {.type = all_types[t], .n = lengths[s]};
            void *const keys = patterned_keys(sort.type, KEYS_RANDOM, sort.n);
            size_t *const order = sort_order(&sort, keys);
            for (size_t k = 0; k < COUNT_OF(value_sizes); k++) {
                sort.value_size = value_sizes[k];
                sort.in_offset = (unsigned)random_below(8);
                sort.out_offset = 1 + (unsigned)random_below(63);
                expect_place(context, sort, k % 4, keys, order);
            }
            expect_indices(context, sort, keys, order);
            free(keys);
            free(order);
        }
    parscan_context_destroy(context);
}

SimdTest(pairs, and_indices_are_right_on_1_2_3_and_7_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    static const size_t value_sizes[] = {4, 8, 1, 24};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_REVERSED_FEW, KEYS_SPECIAL};
    const size_t step = LESS_UNDER_SANITIZER(1, 5);
    for (size_t k = 0; k < TYPES * COUNT_OF(patterns); k += step) {
        if (!takes_larger_case())
            continue;
        sort_case sort = {.type = all_types[k % TYPES], .n = 90001};
        sort.options.descending = (int)((k + k / TYPES) % 2);
        void *const keys = patterned_keys(sort.type, patterns[k / TYPES], sort.n);
        size_t *const order = sort_order(&sort, keys);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = threads[t]});
            sort.value_size = value_sizes[(t + k) % COUNT_OF(value_sizes)];
            expect_place(context, sort, t, keys, order);
            expect_indices(context, sort, keys, order);
            parscan_context_destroy(context);
        }
        free(keys);
        free(order);
    }
}

SimdTest(pairs, and_indices_take_a_prime_near_2_20)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F32, PARSCAN_I64, PARSCAN_U16};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(types); k++) {
        sort_case sort = {.type = types[k], .n = 1048573};
        sort.value_size = k % 2 == 0 ? 4 : 8;
        void *const keys = patterned_keys(types[k], KEYS_RANDOM, sort.n);
        size_t *const order = sort_order(&sort, keys);
        expect_place(context, sort, (unsigned)k, keys, order);
        expect_indices(context, sort, keys, order);
        free(keys);
        free(order);
    }
    parscan_context_destroy(context);
}

/* Keys and values start anywhere in a cache line, and not in the same place. */
static void expect_streams(parscan_type type, size_t value_size)
{
    const size_t size = parscan_type_size(type);
    parscan_context *const context = test_context();
    sort_case sort = {.type = type, .n = 4300007 / size, .value_size = value_size};
    void *const keys = patterned_keys(type, KEYS_RANDOM, sort.n);
    size_t *const order = sort_order(&sort, keys);
    for (unsigned place = 0; place < 4; place += LESS_UNDER_SANITIZER(1, 3)) {
        sort.out_offset = (unsigned)(random_below(64) / size * size);
        expect_place(context, sort, place, keys, order);
    }
    sort.out_offset = 1;
    expect_place(context, sort, 0, keys, order);
    expect_indices(context, sort, keys, order);
    free(keys);
    free(order);
    parscan_context_destroy(context);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_u32_4)
{
    expect_streams(PARSCAN_U32, 4);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_f32_8)
{
    expect_streams(PARSCAN_F32, 8);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_i64_4)
{
    expect_streams(PARSCAN_I64, 4);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_f64_8)
{
    expect_streams(PARSCAN_F64, 8);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_u16_8)
{
    expect_streams(PARSCAN_U16, 8);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_i8_4)
{
    expect_streams(PARSCAN_I8, 4);
}

SimdTest(pairs, of_keys_larger_than_the_caches_are_right_u64_12)
{
    expect_streams(PARSCAN_U64, 12);
}

/* So many share the memory for buckets that these are small; values fill it sooner. */
SimdTest(pairs, are_right_on_64_threads)
{
    static const size_t value_sizes[] = {64, 4, 33};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 64});
    for (size_t k = 0; k < 2 * COUNT_OF(value_sizes); k++) {
        sort_case sort = {.type = k < 3 ? PARSCAN_U32 : PARSCAN_F64, .n = 200003};
        sort.value_size = value_sizes[k % COUNT_OF(value_sizes)];
        void *const keys = patterned_keys(sort.type, k % 2 ? KEYS_CLUSTERED : KEYS_ZIPF, sort.n);
        expect_sort(context, sort, keys);
        sort.keys_in_place = true;
        expect_sort(context, sort, keys);
        free(keys);
    }
    parscan_context_destroy(context);
}

/* Keys that are cut by octaves: most near a place where many bits change at once, with a long tail above, below and on
   both sides; at the ends of the type too. */
SimdTest(pairs, of_keys_with_long_tails_are_right)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_U64, PARSCAN_I32, PARSCAN_I64};
    static const uint64_t places[] = {0, UINT64_C(0x4000000040000000), UINT64_MAX};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (size_t k = 0; k < COUNT_OF(types) * COUNT_OF(places) * 3; k++) {
        sort_case sort = {.type = types[k % 4], .n = 150001, .value_size = k % 2 == 0 ? 4 : 8};
        const size_t size = parscan_type_size(sort.type), tail = k / 12;
        char *const keys = malloc(sort.n * size);
        if (!takes_larger_case()) {
            free(keys);
            continue;
        }
        for (size_t i = 0; i < sort.n; i++) {
            const uint64_t any = random_below(UINT64_MAX) >> (64 - 8 * size);
            const uint64_t far = any >> random_below(8 * size);
            const bool below = tail == 2 ? random_below(2) == 0 : tail == 1;
            const uint64_t key = places[k / 4 % 3] + (below ? -far : far);
            memcpy(keys + i * size, &key, size);
        }
        size_t *const order = sort_order(&sort, keys);
        expect_place(context, sort, (unsigned)(k % 4), keys, order);
        expect_indices(context, sort, keys, order);
        free(keys);
        free(order);
    }
    parscan_context_destroy(context);
}

/* Floats that are cut into equal parts of what a sample covers: around 0, far from it, so wide and so near each other
   that there are no parts; a few, or half of them, are zeros, infinities and NaNs of both signs, or beyond the sample. */
SimdTest(pairs, of_floats_in_equal_parts_are_right)
{
    static const double scales[] = {1, 1e-40, 1e37, 1e300, 1e-310}, centers[] = {0, 0.5, -1000};
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1e30, -1e-30};
    for (size_t k = 0; k < COUNT_OF(scales) * COUNT_OF(centers) * 4; k++) {
        if (!takes_larger_case())
            continue;
        sort_case sort = {.type = k % 2 ? PARSCAN_F64 : PARSCAN_F32, .n = 150001, .value_size = 4};
        sort.options.descending = k / 2 % 2;
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = 1 + (unsigned)random_below(3)});
        char *const keys = malloc(sort.n * 8);
        const uint64_t odds = random_below(2) ? 2 : 1000;
        for (size_t i = 0; i < sort.n; i++) {
            const double u = (double)random_below(1u << 30) / (1u << 30) + centers[k / 4 % 3];
            const double x =
                random_below(odds) == 0 ? odd[random_below(COUNT_OF(odd))] : u * scales[k / 12];
            const float narrow = (float)x;
            if (k % 2)
                memcpy(keys + i * sizeof x, &x, sizeof x);
            else
                memcpy(keys + i * sizeof narrow, &narrow, sizeof narrow);
        }
        size_t *const order = sort_order(&sort, keys);
        expect_place(context, sort, (unsigned)(k % 4), keys, order);
        expect_indices(context, sort, keys, order);
        sort.value_size = 0;
        expect_sort(context, sort, keys);
        free(keys);
        free(order);
        parscan_context_destroy(context);
    }
}

/* Millions of elements, which CUDA copies if they are in order; fewer of them on the CPU. */
Test(pairs, of_many_keys_in_order_are_right)
{
    static const struct {
        parscan_type type;
        key_pattern pattern;
    } cases[] = {{PARSCAN_U32, KEYS_SORTED},      {PARSCAN_F32, KEYS_REVERSED},
                 {PARSCAN_I64, KEYS_REVERSED},    {PARSCAN_U32, KEYS_REVERSED_FEW},
                 {PARSCAN_F64, KEYS_LAST_ASTRAY}, {PARSCAN_I32, KEYS_MIDDLE_ASTRAY}};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        sort_case sort = {.type = cases[k].type,
                          .n = test_backend() == PARSCAN_BACKEND_CUDA ? 8500003 : 20011};
        void *const keys = patterned_keys(sort.type, cases[k].pattern, sort.n);
        size_t *const order = sort_order(&sort, keys);
        sort.keys_in_place = k % 3 == 2;
        expect_order(context, sort, keys, order);
        expect_indices(context, sort, keys, order);
        sort.value_size = k % 2 == 0 ? 4 : 8;
        expect_place(context, sort, k % 4, keys, order);
        free(keys);
        free(order);
    }
    parscan_context_destroy(context);
}

SimdTest(pairs, of_equal_keys_are_copied_as_they_are)
{
    static const size_t lengths[] = {1, 2, 100, 5003, 200003};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lengths) * TYPES; k++) {
        sort_case sort = {.type = all_types[k % TYPES], .n = lengths[k / TYPES], .value_size = 4};
        sort.options.descending = (int)(k % 2);
        void *const keys = patterned_keys(sort.type, KEYS_EQUAL, sort.n);
        expect_sort(context, sort, keys);
        sort.keys_in_place = sort.values_in_place = true;
        expect_sort(context, sort, keys);
        free(keys);
    }
    parscan_context_destroy(context);
}
