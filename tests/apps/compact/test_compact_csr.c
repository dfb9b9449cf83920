/* parscan_dense_to_csr(): shapes, densities, index types, counting only. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test_engine.h"

typedef struct shape {
    size_t rows, columns;
} shape;

static const shape small_shapes[] = {
    {0, 0},   {0, 7},    {7, 0},    {1, 0},    {1, 1},    {1, 2},    {2, 1},    {3, 3},
    {1, 100}, {100, 1},  {1, 1000}, {1000, 1}, {17, 15},  {15, 16},  {16, 17},  {31, 33},
    {33, 64}, {65, 63},  {7, 129},  {129, 7},  {255, 3},  {3, 257},  {2, 513},  {300, 2},
    {5, 31},  {100, 32}, {64, 64},  {20, 127}, {4096, 1}, {1, 4097}, {1000, 0},
};
static const shape large_shapes[] = {
    {1, 1048573}, {1048573, 1}, {3, 100003}, {100003, 3}, {512, 512},
    {1000, 333},  {333, 1000},  {20000, 17}, {2, 150001}, {131072, 2},
};
static const pattern densities[] = {NONE, RARE, HALF, MOST, ALL, ALTERNATING, FIRST, LAST};

static void expect_csr(parscan_context *context, parscan_type type, shape s,
                       parscan_type index_type, bool count_only, const void *dense)
{
    const compact_case c = {.kind = COMPACT_CSR,
                            .type = type,
                            .index_type = index_type,
                            .no_values = count_only,
                            .no_indices = count_only,
                            .n = s.rows * s.columns,
                            .rows = s.rows,
                            .columns = s.columns};
    expect_compact(context, &c, dense);
}

static void expect_every_mode(parscan_context *context, parscan_type type, shape s,
                              const void *dense)
{
    for (int mode = 0; mode < 4; mode++)
        expect_csr(context, type, s, mode % 2 ? PARSCAN_U64 : PARSCAN_U32, mode / 2, dense);
}

static void expect_small_shapes(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(small_shapes) * COUNT_OF(densities); k++) {
        const shape s = small_shapes[k / COUNT_OF(densities)];
        void *const dense =
            patterned_array(type, NULL, densities[k % COUNT_OF(densities)], s.rows * s.columns);
        expect_every_mode(context, type, s, dense);
        free(dense);
    }
    parscan_context_destroy(context);
}

/* Every small number of rows and columns, so that rows start at every lane. */
static void expect_every_small_shape(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t rows = 0; rows < 12; rows++)
        for (size_t columns = 0; columns < 70; columns++) {
            if (!takes_case())
                continue;
            void *const dense = patterned_array(type, NULL, any_pattern(), rows * columns);
            expect_csr(context, type, (shape){rows, columns},
                       random_below(2) ? PARSCAN_U64 : PARSCAN_U32, false, dense);
            free(dense);
        }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                              \
    SimdTest(dense_to_csr, is_right_for_shapes_and_densities_##name) \
    {                                                                \
        expect_small_shapes(PARSCAN_##NAME);                         \
    }                                                                \
    SimdTest(dense_to_csr, is_right_for_every_small_shape_##name)    \
    {                                                                \
        expect_every_small_shape(PARSCAN_##NAME);                    \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(dense_to_csr, is_right_on_every_number_of_threads)
{
    static const unsigned thread_counts[] = {1, 2, 3, 7};
    for (size_t k = 0; k < COUNT_OF(large_shapes); k++) {
        const shape s = large_shapes[k];
        const parscan_type type = all_types[k % TYPES];
        void *const dense = patterned_array(type, NULL, any_pattern(), s.rows * s.columns);
        for (size_t t = FIRST_OF_1_2_3_7_THREADS; t < COUNT_OF(thread_counts); t++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = thread_counts[t]});
            expect_every_mode(context, type, s, dense);
            parscan_context_destroy(context);
        }
        free(dense);
    }
}

SimdTest(dense_to_csr, is_right_for_large_shapes_of_any_density)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t k = 0; k < COUNT_OF(densities); k++) {
        const shape s = {511, 1031};
        void *const dense = patterned_array(PARSCAN_F32, NULL, densities[k], s.rows * s.columns);
        expect_every_mode(context, PARSCAN_F32, s, dense);
        free(dense);
    }
    parscan_context_destroy(context);
}

/* The longest stretches without an entry: rows that are empty, all but one. */
SimdTest(dense_to_csr, gives_empty_rows_the_offset_of_the_next_entry)
{
    const shape s = {1000, 300};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    uint32_t *const dense = calloc(s.rows * s.columns, sizeof *dense);
    for (size_t row = 0; row < s.rows; row += 111) {
        const size_t at = row * s.columns + row % s.columns;
        dense[at] = 7;
        expect_csr(context, PARSCAN_U32, s, PARSCAN_U64, false, dense);
        dense[at] = 0;
    }
    free(dense);
    parscan_context_destroy(context);
}

SimdTest(dense_to_csr, keeps_nan_and_not_negative_zero)
{
    const float dense[] = {0.0f, -0.0f, NAN, -0.0f, 0.0f, -1.0f, 2.0f, -0.0f};
    uint32_t row_offsets[3], columns[8];
    float values[8];
    uint64_t count;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_F32, dense, 2, 4, PARSCAN_U32, row_offsets,
                                      columns, values, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, 3);
    cr_assert(row_offsets[0] == 0 && row_offsets[1] == 1 && row_offsets[2] == 3);
    cr_assert(columns[0] == 2 && columns[1] == 1 && columns[2] == 2);
    cr_assert(isnan(values[0]) && values[1] == -1 && values[2] == 2);
    parscan_context_destroy(context);
}
