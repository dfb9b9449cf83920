/* parscan_expand() against plain loops: every type, every kind of skew, every error. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type size_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
static const parscan_type index_types[] = {PARSCAN_U32, PARSCAN_U64};

typedef enum skew { ONES, ZEROS, SMALL, RARE, ONE_HUGE, ZIPF, SORTED, TWO_ENDS, SKEWS } skew;

static uint64_t size_of(skew how, size_t i, size_t n)
{
    switch (how) {
    case ONES:
        return 1;
    case SMALL:
        return random_below(8);
    case RARE:
        return random_below(5000) == 0;
    case ONE_HUGE:
        return i == n / 3 ? 300000 : 0;
    case ZIPF:
        return 1000 / (1 + random_below(1000));
    case SORTED:
        return n < 1000 ? i : i * 50 / n;
    case TWO_ENDS:
        return i == 0 || i == n - 1 ? 50000 : 0;
    default:
        return 0;
    }
}

/* Sizes cut to their type. */
static void *skewed_sizes(parscan_type type, skew how, size_t n, uint64_t *total)
{
    void *const sizes = malloc(n * parscan_type_size(type) + 1);
    cr_assert_not_null(sizes);
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t size = size_of(how, i, n);
        oracle_set(type, sizes, i, size);
        *total += oracle_get(type, sizes, i);
    }
    return sizes;
}

/* A call with exactly the room that is needed, of any alignment, nothing written next to it. */
static void expect_expansion(parscan_context *context, parscan_type size_type, const void *sizes,
                             size_t n, parscan_type index_type, uint64_t needed, int wanted)
{
    const size_t bytes = needed * parscan_type_size(index_type), shift = random_below(9);
    unsigned char *memory[2];
    void *array[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        memory[k] = malloc(bytes + 2 * 9);
        cr_assert_not_null(memory[k]);
        memset(memory[k], 0xa5, bytes + 2 * 9);
        if (wanted >> k & 1)
            array[k] = memory[k] + shift;
    }
    uint64_t total = 1;
    cr_assert_eq(parscan_expand(context, size_type, sizes, n, index_type, array[0], array[1],
                                needed, &total),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(total, needed);
    const uint64_t wrong =
        oracle_slot_wrong_at(size_type, sizes, n, index_type, array[0], array[1]);
    cr_assert_eq(wrong, needed, "slot %llu of %llu, n = %zu, sizes %s", (unsigned long long)wrong,
                 (unsigned long long)needed, n, parscan_type_name(size_type));
    for (int k = 0; k < 2; k++) {
        const size_t end = array[k] == NULL ? bytes + 2 * 9 : shift;
        for (size_t i = 0; i < end; i++)
            cr_assert_eq(memory[k][i], 0xa5);
        for (size_t i = shift + bytes; i < bytes + 2 * 9; i++)
            cr_assert_eq(memory[k][i], 0xa5);
        free(memory[k]);
    }
}

static const size_t lengths[] = {0,    1,    2,    3,    15,   17,    64,    100,   1000,
                                 4095, 4096, 4097, 8192, 8193, 12289, 50021, 200003};

static void expect_every_skew(parscan_type size_type, parscan_type index_type)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (int how = 0; how < SKEWS; how++)
            for (size_t k = 0; k < COUNT_OF(lengths); k++) {
                if (!takes_larger_case())
                    continue;
                uint64_t total;
                void *const sizes = skewed_sizes(size_type, (skew)how, lengths[k], &total);
                expect_expansion(context, size_type, sizes, lengths[k], index_type, total, 3);
                free(sizes);
            }
        parscan_context_destroy(context);
    }
}

#define X(SIZE, INDEX)                                               \
    SimdTest(expand, names_the_owner_of_every_slot_##SIZE##_##INDEX) \
    {                                                                \
        expect_every_skew(PARSCAN_##SIZE, PARSCAN_##INDEX);          \
    }
/* clang-format off */
X(U8, U32) X(U16, U32) X(U32, U32) X(U64, U32)
X(U8, U64) X(U16, U64) X(U32, U64) X(U64, U64)
/* clang-format on */
#undef X

    SimdTest(expand, writes_owners_or_ranks_or_neither)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < COUNT_OF(index_types); t++)
        for (int wanted = 0; wanted < 4; wanted++) {
            uint64_t total;
            void *const sizes = skewed_sizes(PARSCAN_U16, SMALL, 60000, &total);
            expect_expansion(context, PARSCAN_U16, sizes, 60000, index_types[t], total, wanted);
            free(sizes);
        }
    parscan_context_destroy(context);
}

SimdTest(expand, is_the_inverse_of_an_allocation)
{
    parscan_context *const context = test_context();
    const size_t n = 30011;
    uint64_t slots, total;
    void *const sizes = skewed_sizes(PARSCAN_U32, ZIPF, n, &slots);
    uint64_t *const offsets = malloc(n * sizeof *offsets);
    uint64_t *const owner = malloc(slots * sizeof *owner), *const rank =
                                                               malloc(slots * sizeof *rank);
    cr_assert(offsets != NULL && owner != NULL && rank != NULL);
    cr_assert_eq(
        parscan_allocate(context, PARSCAN_U32, sizes, n, PARSCAN_U64, offsets, &total, NULL),
        PARSCAN_OK);
    cr_assert_eq(total, slots);
    cr_assert_eq(
        parscan_expand(context, PARSCAN_U32, sizes, n, PARSCAN_U64, owner, rank, slots, &total),
        PARSCAN_OK);
    for (uint64_t slot = 0; slot < slots; slot++)
        cr_assert_eq(offsets[owner[slot]] + rank[slot], slot);
    free(rank);
    free(owner);
    free(offsets);
    free(sizes);
    parscan_context_destroy(context);
}

static void expect_error(parscan_context *context, parscan_status expected, uint64_t needed,
                         parscan_type size_type, const void *sizes, size_t n,
                         parscan_type index_type, uint64_t capacity)
{
    unsigned char owner[64], rank[64];
    memset(owner, 0xa5, sizeof owner);
    memset(rank, 0xa5, sizeof rank);
    uint64_t total = 7;
    cr_assert_eq(
        parscan_expand(context, size_type, sizes, n, index_type, owner, rank, capacity, &total),
        expected);
    cr_assert_eq(total, needed);
    for (size_t k = 0; k < sizeof owner; k++)
        cr_assert(owner[k] == 0xa5 && rank[k] == 0xa5);
}

SimdTest(expand, writes_nothing_but_the_total_where_there_is_no_room)
{
    parscan_context *const context = test_context();
    const uint8_t sizes[] = {3, 0, 4, 9};
    for (uint64_t capacity = 0; capacity < 16; capacity++)
        expect_error(context, PARSCAN_ERROR_CAPACITY, 16, PARSCAN_U8, sizes, 4, PARSCAN_U32,
                     capacity);
    cr_assert_str_eq(parscan_context_error(context), "capacity = 15: total = 16 exceeds it");
    parscan_context_destroy(context);
}

SimdTest(expand, knows_a_total_beyond_64_bits)
{
    parscan_context *const context = test_context();
    uint64_t sizes[5000] = {0};
    sizes[10] = sizes[4999] = UINT64_C(1) << 63;
    expect_error(context, PARSCAN_ERROR_OVERFLOW, UINT64_MAX, PARSCAN_U64, sizes, 5000, PARSCAN_U64,
                 UINT64_MAX);
    sizes[11] = sizes[4999];
    sizes[4999] = 0;
    expect_error(context, PARSCAN_ERROR_OVERFLOW, UINT64_MAX, PARSCAN_U64, sizes, 5000, PARSCAN_U64,
                 UINT64_MAX);
    sizes[11]--;
    expect_error(context, PARSCAN_ERROR_CAPACITY, UINT64_MAX, PARSCAN_U64, sizes, 5000, PARSCAN_U64,
                 UINT64_MAX - 1);
    parscan_context_destroy(context);
}

SimdTest(expand, knows_a_rank_beyond_32_bits)
{
    parscan_context *const context = test_context();
    uint64_t sizes[5000] = {0};
    sizes[4998] = UINT32_MAX;
    sizes[4999] = (UINT64_C(1) << 32) + 1;
    const uint64_t total = sizes[4998] + sizes[4999];
    expect_error(context, PARSCAN_ERROR_OVERFLOW, total, PARSCAN_U64, sizes, 5000, PARSCAN_U32,
                 UINT64_MAX);
    expect_error(context, PARSCAN_ERROR_CAPACITY, total, PARSCAN_U64, sizes, 5000, PARSCAN_U64, 0);
    sizes[4999]--;
    expect_error(context, PARSCAN_ERROR_CAPACITY, total - 1, PARSCAN_U64, sizes, 5000, PARSCAN_U32,
                 0);
    parscan_context_destroy(context);
}

SimdTest(expand, streams_large_results)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (size_t t = 0; t < COUNT_OF(size_types); t++) {
        uint64_t total;
        void *const sizes = skewed_sizes(size_types[t], t % 2 == 0 ? ZIPF : SMALL, 700001, &total);
        expect_expansion(context, size_types[t], sizes, 700001, index_types[t / 2], total, 3);
        free(sizes);
    }
    parscan_context_destroy(context);
}
