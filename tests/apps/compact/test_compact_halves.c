/* Compaction of floats of 16 bits: all 65,536 values, compared with the values that comparisons get wrong. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define VALUES 65536u
#define COMPARISONS 8

typedef struct halves {
    parscan_type type;
    uint16_t specials[NUMBER_SPECIALS];
    size_t special_count;
    uint16_t bits[VALUES]; /* every value */
    uint16_t in[2 * VALUES], out[2 * VALUES];
    uint32_t lengths[2 * VALUES];
    uint64_t indices[2 * VALUES];
} halves;

static halves *halves_of(parscan_type type)
{
    halves *const all = calloc(1, sizeof *all);
    cr_assert_not_null(all);
    all->type = type;
    all->special_count = number_specials(type, all->specials);
    for (size_t k = 0; k < VALUES; k++)
        all->bits[k] = (uint16_t)k;
    return all;
}

static void expect_kept(parscan_context *context, halves *all, parscan_comparison comparison,
                        const uint16_t *value, const uint16_t *upper)
{
    const parscan_predicate keep =
        PARSCAN_PREDICATE(.comparison = comparison, .value = value, .upper = upper);
    const size_t kept = oracle_kept(all->type, all->bits, VALUES, &keep, all->indices);
    uint64_t count = 0;
    cr_assert_eq(parscan_compact_if(context, all->type, all->bits, &keep, all->out, VALUES, &count),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    for (size_t k = 0; k < kept && k < count; k++)
        if (all->out[k] != all->indices[k])
            cr_assert_fail("%s, comparison %d with %#x, %#x: %#x, not %#x",
                           parscan_type_name(all->type), (int)comparison, *value, *upper,
                           all->out[k], (unsigned)all->indices[k]);
    cr_assert_eq(count, kept, "%s, comparison %d with %#x, %#x", parscan_type_name(all->type),
                 (int)comparison, *value, *upper);
}

static void expect_runs(parscan_context *context, halves *all, size_t n)
{
    const size_t expected = oracle_run_starts(all->type, all->in, n, all->indices);
    uint64_t runs = 0;
    cr_assert_eq(parscan_run_length_encode(context, all->type, all->in, all->out, PARSCAN_U32,
                                           all->lengths, n, &runs),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    cr_assert_eq(runs, expected);
    for (size_t run = 0; run < expected; run++) {
        const size_t begin = all->indices[run],
                     end = run + 1 < expected ? all->indices[run + 1] : n;
        cr_assert(all->out[run] == all->in[begin] && all->lengths[run] == end - begin,
                  "%s: run %zu starts with %#x", parscan_type_name(all->type), run, all->in[begin]);
    }
}

static void keep_by_every_predicate(parscan_context *context, halves *all)
{
    for (parscan_comparison comparison = PARSCAN_NONZERO; comparison < COMPARISONS; comparison++)
        for (size_t a = 0; a < all->special_count; a++)
            /* Of all pairs of bounds a third, by chance. */
            for (size_t b = comparison == PARSCAN_BETWEEN ? random_below(3) : 0;
                 b < (comparison == PARSCAN_BETWEEN ? all->special_count : 1); b += 3)
                expect_kept(context, all, comparison, &all->specials[a], &all->specials[b]);
}

/* Every value beside one that comparisons get wrong, and beside its successor. */
static void begin_runs(parscan_context *context, halves *all)
{
    for (size_t s = 0; s < all->special_count; s++) {
        for (size_t k = 0; k < VALUES; k++) {
            all->in[2 * k] = all->bits[k];
            all->in[2 * k + 1] = all->specials[s];
        }
        expect_runs(context, all, 2 * VALUES);
    }
    memcpy(all->in, all->bits, sizeof all->bits);
    expect_runs(context, all, VALUES);
}

static void with_both_types(void (*test)(parscan_context *context, halves *all))
{
    parscan_context *const context = test_context();
    for (size_t t = ARITHMETIC_TYPES; t < TYPES; t++) {
        halves *const all = halves_of(all_types[t]);
        test(context, all);
        free(all);
    }
    parscan_context_destroy(context);
}

SimdTest(halves, are_kept_as_their_numbers_compare)
{
    with_both_types(keep_by_every_predicate);
}

SimdTest(halves, start_a_run_where_their_numbers_differ)
{
    with_both_types(begin_runs);
}
