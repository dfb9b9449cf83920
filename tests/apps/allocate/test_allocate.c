/* parscan_allocate() against plain loops in 128 bits: every type of sizes and offsets, alignments,
   lengths around vectors and tiles, and totals at the very edge of what fits. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type size_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
static const parscan_type offset_types[] = {PARSCAN_U32, PARSCAN_U64};

/* Around vectors, tiles (4096) and where threads and streams start (2^16, 2^18 of u64). */
static const size_t lengths[] = {0,    1,    2,    3,    7,    8,     9,     15,     16,     17,
                                 31,   33,   63,   64,   65,   127,   129,   255,    257,    1000,
                                 4095, 4096, 4097, 8191, 8193, 20011, 70001, 300007, 1048573};

static uint64_t highest_of(parscan_type type)
{
    return UINT64_MAX >> (64 - 8 * parscan_type_size(type));
}

/* Sizes up to `most`, many of them zero. */
static void *random_sizes(parscan_type type, size_t n, uint64_t most)
{
    void *const sizes = malloc(n * parscan_type_size(type) + 1);
    cr_assert_not_null(sizes);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = random_bits();
        oracle_set(type, sizes, i,
                   bits % 4 == 0        ? 0
                   : most == UINT64_MAX ? bits
                                        : bits % (most + 1));
    }
    return sizes;
}

/* One call into memory with a shift of `offset` bytes, or in place. */
static void expect_one_allocation(parscan_context *context, const oracle_allocation *a,
                                  size_t offset, bool in_place)
{
    const size_t count = oracle_offsets_count(a), bytes = count * parscan_type_size(a->offset_type);
    unsigned char *const memory = malloc(bytes + offset + 9);
    cr_assert_not_null(memory);
    memset(memory, 0xa5, bytes + offset + 9);
    unsigned char *const offsets = memory + offset;
    if (in_place && a->n > 0)
        memcpy(offsets, a->sizes, a->n * parscan_type_size(a->size_type));
    const parscan_allocate_options options =
        PARSCAN_ALLOCATE_OPTIONS(.alignment = a->alignment, .capacity = a->capacity,
                                 .close = a->close);
    uint64_t total = 1, expected;
    const parscan_status status =
        parscan_allocate(context, a->size_type, in_place ? offsets : a->sizes, a->n, a->offset_type,
                         offsets, &total, &options);
    cr_assert_eq(status, oracle_allocate_total(a, &expected), "n = %zu, sizes %s, offsets %s", a->n,
                 parscan_type_name(a->size_type), parscan_type_name(a->offset_type));
    cr_assert_eq(total, expected);
    if (status != PARSCAN_ERROR_OVERFLOW) {
        const size_t wrong = oracle_offset_wrong_at(a, offsets);
        cr_assert_eq(wrong, count, "offset %zu of %zu, sizes %s, offsets %s, alignment %llu", wrong,
                     count, parscan_type_name(a->size_type), parscan_type_name(a->offset_type),
                     (unsigned long long)a->alignment);
    }
    for (size_t k = 0; k < offset; k++)
        cr_assert_eq(memory[k], 0xa5);
    for (size_t k = 0; k < 9; k++)
        cr_assert_eq(offsets[bytes + k], 0xa5);
    free(memory);
}

/* With close and without, of many sizes one of the two. */
static void expect_allocation(parscan_context *context, const oracle_allocation *a, size_t offset,
                              bool in_place)
{
    enum { FEW = 200 };
    const unsigned only = (unsigned)random_below(2);
    for (unsigned close = 0; close < 2; close++) {
        oracle_allocation one = *a;
        one.close = close;
        if ((a->n < FEW || close == only) && takes_larger_case())
            expect_one_allocation(context, &one, offset, in_place);
    }
}

static void expect_every_length(parscan_context *context, parscan_type size_type,
                                parscan_type offset_type, uint64_t alignment)
{
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        const size_t n = lengths[k];
        const uint64_t most = highest_of(size_type) < 1000 ? highest_of(size_type) : 1000;
        void *const sizes = random_sizes(size_type, n, most);
        const oracle_allocation a = {size_type, offset_type, sizes, n, alignment, 0, false};
        expect_allocation(context, &a, k % 3 == 2 ? 1 : k % 3 * 4, false);
        if (parscan_type_size(size_type) == parscan_type_size(offset_type))
            expect_allocation(context, &a, 0, true);
        free(sizes);
    }
}

#define X(SIZE, OFFSET)                                                                   \
    SimdTest(allocate, gives_offsets_##OFFSET##_of_sizes_##SIZE)                          \
    {                                                                                     \
        for (unsigned threads = FEWEST_THREADS; threads <= 3; threads += 2) {             \
            parscan_context *const context =                                              \
                test_context_with((parscan_context_options){.threads = threads});         \
            expect_every_length(context, PARSCAN_##SIZE, PARSCAN_##OFFSET, threads == 1); \
            expect_every_length(context, PARSCAN_##SIZE, PARSCAN_##OFFSET, 8);            \
            parscan_context_destroy(context);                                             \
        }                                                                                 \
    }
/* clang-format off */
X(U8, U32) X(U16, U32) X(U32, U32) X(U64, U32)
X(U8, U64) X(U16, U64) X(U32, U64) X(U64, U64)
/* clang-format on */
#undef X

    SimdTest(allocate, rounds_up_to_every_power_of_two)
{
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(size_types); s++)
        for (size_t o = 0; o < COUNT_OF(offset_types); o++)
            for (unsigned shift = 0; shift < 64; shift++) {
                void *const sizes = random_sizes(size_types[s], 100, highest_of(size_types[s]));
                oracle_allocation a = {
                    size_types[s], offset_types[o], sizes, 100, UINT64_C(1) << shift, 0, false};
                expect_allocation(context, &a, 0, false);
                for (a.n = 0; a.n < 4; a.n++)
                    expect_allocation(context, &a, 0, false);
                memset(sizes, 0, 100);
                a.n = 12;
                expect_allocation(context, &a, 0, false);
                free(sizes);
            }
    parscan_context_destroy(context);
}

/* Sizes whose sum is just below, at and beyond the edge, the last of them large. */
static void expect_edge(parscan_context *context, parscan_type size_type, parscan_type offset_type,
                        size_t n, uint64_t alignment)
{
    const uint64_t edge = offset_type == PARSCAN_U32 ? UINT32_MAX : UINT64_MAX;
    const uint64_t even = edge / n < highest_of(size_type) ? edge / n : highest_of(size_type);
    uint64_t *const sizes = random_sizes(PARSCAN_U64, n, 0);
    for (size_t i = 0; i < n; i++)
        oracle_set(size_type, sizes, i, even);
    const uint64_t rest = edge - even * n;
    for (uint64_t more = 0; more < 3; more++) {
        const uint64_t last = even + rest - 1 + more;
        oracle_set(size_type, sizes, random_below(n), last);
        const oracle_allocation a = {size_type, offset_type, sizes, n, alignment, 0, false};
        expect_allocation(context, &a, 0, false);
        for (size_t i = 0; i < n; i++)
            oracle_set(size_type, sizes, i, even);
    }
    free(sizes);
}

SimdTest(allocate, knows_a_total_that_fits_from_one_that_does_not)
{
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 1; k < COUNT_OF(lengths); k++) {
            expect_edge(context, PARSCAN_U64, PARSCAN_U64, lengths[k], 1);
            expect_edge(context, PARSCAN_U64, PARSCAN_U64, lengths[k], 2);
            expect_edge(context, PARSCAN_U64, PARSCAN_U32, lengths[k], 1);
            expect_edge(context, PARSCAN_U32, PARSCAN_U32, lengths[k], 1);
            expect_edge(context, PARSCAN_U32, PARSCAN_U32, lengths[k], 16);
        }
        parscan_context_destroy(context);
    }
}

/* A sum of 2^64 or 2^32, or of any multiple: what wraps around to a small total. */
SimdTest(allocate, does_not_take_a_sum_that_wraps_around_for_a_small_one)
{
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (unsigned log2n = 1; log2n <= 20; log2n += log2n == 12 || log2n == 13 ? 1 : 3)
            for (size_t o = 0; o < COUNT_OF(offset_types); o++)
                for (size_t s = 0; s < COUNT_OF(size_types); s++) {
                    const size_t n = (size_t)1 << log2n;
                    void *const sizes = random_sizes(size_types[s], n, 0);
                    const unsigned bits = (unsigned)(8 * parscan_type_size(offset_types[o]));
                    for (size_t i = 0; i < n; i++)
                        oracle_set(size_types[s], sizes, i,
                                   bits - log2n < 64 ? UINT64_C(1) << (bits - log2n) : 0);
                    const oracle_allocation a = {size_types[s], offset_types[o], sizes, n, 0, 9,
                                                 false};
                    expect_allocation(context, &a, 0, false);
                    memset(sizes, 0xff, n * parscan_type_size(size_types[s]));
                    expect_allocation(context, &a, 0, false);
                    free(sizes);
                }
        parscan_context_destroy(context);
    }
}

SimdTest(allocate, says_what_capacity_is_needed_and_gives_the_offsets)
{
    parscan_context *const context = test_context();
    const uint32_t sizes[] = {3, 0, 9, 1};
    for (uint64_t capacity = 30; capacity <= 33; capacity++) {
        const oracle_allocation a = {PARSCAN_U32, PARSCAN_U64, sizes, 4, 8, capacity, false};
        expect_allocation(context, &a, 0, false);
    }
    uint64_t offsets[4], total;
    cr_assert_eq(parscan_allocate(context, PARSCAN_U32, sizes, 4, PARSCAN_U64, offsets, &total,
                                  &PARSCAN_ALLOCATE_OPTIONS(.alignment = 8, .capacity = 31)),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert_eq(total, 32);
    cr_assert_str_eq(parscan_context_error(context), "capacity = 31: total = 32 exceeds it");
    uint32_t closed[5];
    cr_assert_eq(parscan_allocate(context, PARSCAN_U32, sizes, 4, PARSCAN_U32, closed, &total,
                                  &PARSCAN_ALLOCATE_OPTIONS(.capacity = 9, .close = 2)),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert(total == 13 && closed[4] == 13 && closed[3] == 12);
    parscan_context_destroy(context);
}

SimdTest(allocate, gives_the_total_alone)
{
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (size_t s = 0; s < COUNT_OF(size_types); s++) {
                void *const sizes =
                    random_sizes(size_types[s], lengths[k], highest_of(size_types[s]));
                const oracle_allocation a = {
                    size_types[s], offset_types[k % 2], sizes, lengths[k], k % 3, 0, false};
                const parscan_allocate_options options =
                    PARSCAN_ALLOCATE_OPTIONS(.alignment = a.alignment);
                uint64_t total, expected;
                const parscan_status status = parscan_allocate(
                    context, a.size_type, sizes, a.n, a.offset_type, NULL, &total, &options);
                cr_assert_eq(status, oracle_allocate_total(&a, &expected));
                cr_assert_eq(total, expected);
                free(sizes);
            }
        parscan_context_destroy(context);
    }
}

SimdTest(allocate, takes_sizes_of_any_alignment)
{
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(size_types); s++)
        for (size_t shift = 0; shift < 9; shift++) {
            unsigned char *const memory = random_sizes(PARSCAN_U64, 40000, 255);
            const oracle_allocation a = {size_types[s], PARSCAN_U64, memory + shift, 39000, 4, 0,
                                         false};
            expect_allocation(context, &a, shift, false);
            free(memory);
        }
    parscan_context_destroy(context);
}
