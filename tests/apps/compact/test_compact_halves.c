/* Compaction of floats of 16 bits: all 65,536 values, compared with the values that comparisons get wrong. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/half_number.h"
#include "tests/support/number.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#include "parscan/compact.h"

#define VALUES 65536u
#define COMPARISONS 8

static const parscan_type half_types[] = {PARSCAN_F16, PARSCAN_BF16};

/* All values of a type: their bits, and as numbers. */
typedef struct all_values {
    uint16_t bits[VALUES], out[2 * VALUES], pairs[2 * VALUES];
    double numbers[VALUES];
    uint32_t lengths[2 * VALUES];
} all_values;

static all_values *values_of(parscan_type type)
{
    all_values *const all = malloc(sizeof *all);
    cr_assert_not_null(all);
    for (size_t k = 0; k < VALUES; k++) {
        all->bits[k] = (uint16_t)k;
        all->numbers[k] = half_to_number(type, (uint16_t)k);
    }
    return all;
}

static bool keeps(parscan_comparison comparison, double x, double value, double upper)
{
    switch (comparison) {
    case PARSCAN_EQUAL:
        return x == value;
    case PARSCAN_NOT_EQUAL:
        return x != value;
    case PARSCAN_LESS:
        return x < value;
    case PARSCAN_LESS_EQUAL:
        return x <= value;
    case PARSCAN_GREATER:
        return x > value;
    case PARSCAN_GREATER_EQUAL:
        return x >= value;
    case PARSCAN_BETWEEN:
        return x >= value && x <= upper;
    default:
        return x != 0;
    }
}

static void expect_predicate(parscan_context *context, parscan_type type, all_values *all,
                             parscan_comparison comparison, uint16_t value, uint16_t upper)
{
    const parscan_predicate keep =
        PARSCAN_PREDICATE(.comparison = comparison, .value = &value, .upper = &upper);
    uint64_t count = 0;
    size_t kept = 0;
    cr_assert_eq(parscan_compact_if(context, type, all->bits, &keep, all->out, VALUES, &count) ==
                         PARSCAN_OK &&
                     parscan_synchronize(context) == PARSCAN_OK,
                 true, "%s", parscan_context_error(context));
    for (size_t k = 0; k < VALUES; k++)
        if (keeps(comparison, all->numbers[k], all->numbers[value], all->numbers[upper])) {
            if (kept >= count || all->out[kept] != k)
                cr_assert_fail("%s, comparison %d with %#x, %#x: %#zx is missing",
                               parscan_type_name(type), (int)comparison, value, upper, k);
            kept++;
        }
    cr_assert_eq(count, kept, "%s, comparison %d with %#x, %#x", parscan_type_name(type),
                 (int)comparison, value, upper);
}

SimdTest(halves, are_kept_as_their_numbers_compare)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < COUNT_OF(half_types); t++) {
        const parscan_type type = half_types[t];
        uint16_t specials[NUMBER_SPECIALS];
        const size_t count = number_specials(type, specials);
        all_values *const all = values_of(type);
        for (parscan_comparison comparison = PARSCAN_NONZERO; comparison < COMPARISONS;
             comparison++)
            for (size_t a = 0; a < count; a++)
                for (size_t b = 0; b < (comparison == PARSCAN_BETWEEN ? count : 1); b++)
                    expect_predicate(context, type, all, comparison, specials[a], specials[b]);
        free(all);
    }
    parscan_context_destroy(context);
}

/* Every value beside one that comparisons get wrong, and beside its successor. */
SimdTest(halves, start_a_run_where_their_numbers_differ)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < COUNT_OF(half_types); t++) {
        const parscan_type type = half_types[t];
        uint16_t specials[NUMBER_SPECIALS];
        const size_t count = number_specials(type, specials);
        all_values *const all = values_of(type);
        for (size_t s = 0; s <= count; s++) {
            const size_t n = s < count ? 2 * VALUES : VALUES;
            for (size_t k = 0; k < VALUES && s < count; k++) {
                all->pairs[2 * k] = all->bits[k];
                all->pairs[2 * k + 1] = specials[s];
            }
            if (s == count)
                memcpy(all->pairs, all->bits, sizeof all->bits);
            uint64_t runs = 0;
            cr_assert_eq(parscan_run_length_encode(context, type, all->pairs, all->out, PARSCAN_U32,
                                                   all->lengths, n, &runs),
                         PARSCAN_OK);
            cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
            size_t at = 0;
            for (size_t run = 0; run < runs; run++) {
                const double x = all->numbers[all->pairs[at]];
                size_t end = at + 1;
                for (; end < n; end++) {
                    const double y = all->numbers[all->pairs[end]];
                    if (x != y && (x == x || y == y))
                        break;
                }
                cr_assert(all->out[run] == all->pairs[at] && all->lengths[run] == end - at,
                          "%s: run %zu starts with %#x", parscan_type_name(type), run,
                          all->pairs[at]);
                at = end;
            }
            cr_assert_eq(at, n);
        }
        free(all);
    }
    parscan_context_destroy(context);
}
