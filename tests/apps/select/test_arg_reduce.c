/* Extremes and their indices beside a plain loop over numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "parscan/lengths.h"
#include "parscan/scan.h"
#include "parscan/select.h"
#include "tests/apps/select/placed.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segment_shapes.h"
#include "tests/support/test_engine.h"

/* Whether b, after a, is the better extreme. */
static bool is_better(parscan_op op, number a, number b)
{
    if (a.is_float && isnan(a.real))
        return false;
    if (b.is_float && isnan(b.real))
        return true;
    if (a.is_float && a.real == 0 && b.real == 0)
        return op == PARSCAN_MIN ? signbit(b.real) && !signbit(a.real)
                                 : signbit(a.real) && !signbit(b.real);
    return number_compare(a, b) == (op == PARSCAN_MIN ? NUMBER_GREATER : NUMBER_LESS);
}

static size_t best_of(parscan_type type, parscan_op op, const void *in, size_t begin, size_t end)
{
    size_t best = begin;
    for (size_t i = begin + 1; i < end; i++)
        if (is_better(op, number_read(type, in, best), number_read(type, in, i)))
            best = i;
    return best;
}

/* cut: the segments; NULL: one. */
static void expect_extremes(parscan_context *context, parscan_type type, const void *in, size_t n,
                            const cut_array *cut)
{
    const size_t size = parscan_type_size(type), whole[] = {0, n};
    const size_t *const bounds = cut == NULL ? whole : cut->bounds;
    const size_t segments = cut == NULL ? 1 : cut->count;
    for (parscan_op op = PARSCAN_MIN; op <= PARSCAN_MAX; op++) {
        const parscan_type index_type = index_types[random_below(4)];
        const size_t index_bytes = segments * parscan_type_size(index_type);
        const size_t shift = random_below(2) * size, index_shift = random_below(2) * 3;
        char *const from = placed(in, n * size, shift);
        char *const values = placed(NULL, segments * size, shift);
        char *const indices = placed(NULL, index_bytes, index_shift);
        uint64_t count = 12345;
        const parscan_arg_reduce_options options =
            PARSCAN_ARG_REDUCE_OPTIONS(.segments = cut == NULL ? NULL : &cut->segments,
                                       .count = &count);
        cr_assert_eq(parscan_arg_reduce(context, type, from + shift, n, op, values + shift,
                                        index_type, indices + index_shift, &options),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert_eq(count, segments);
        for (size_t s = 0; s < segments; s++) {
            const size_t begin = bounds[s], end = bounds[s + 1];
            const size_t found = index_at(index_type, indices + index_shift, s);
            if (begin == end) {
                char identity[8];
                const parscan_scan_options reduce = PARSCAN_SCAN_OPTIONS(.op = op);
                cr_assert_eq(parscan_reduce(context, type, NULL, identity, 0, &reduce), PARSCAN_OK);
                cr_assert_eq(found, 0);
                cr_assert_eq(memcmp(values + shift + s * size, identity, size), 0);
                continue;
            }
            const size_t best = best_of(type, op, in, begin, end);
            cr_assert_eq(found, best - begin,
                         "%s of %zu %s, segment %zu of %zu to %zu: %zu, not %zu",
                         parscan_op_name(op), n, parscan_type_name(type), s, begin, end, found,
                         best - begin);
            cr_assert_eq(memcmp(values + shift + s * size, (const char *)in + best * size, size),
                         0);
        }
        expect_untouched(values, segments * size, shift);
        expect_untouched(indices, index_bytes, index_shift);
        free(from);
        free(values);
        free(indices);
    }
}

/* ---- all elements ---- */

static const size_t lengths[] = {0,   1,    2,    3,     31,    32,    33,    64,   65,
                                 127, 1000, 8191, 16384, 16385, 32769, 65536, 65537};

static void expect_every_length(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        const size_t n = lengths[k];
        for (key_pattern pattern = 0; pattern<KEY_PATTERNS; pattern += n> 1000 ? 3 : 1) {
            if (!takes_larger_case())
                continue;
            void *const in = patterned_keys(type, pattern, n);
            expect_extremes(context, type, in, n, NULL);
            free(in);
        }
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                          \
    SimdTest(arg_reduce, finds_the_first_of_all_extremes_##name) \
    {                                                            \
        expect_every_length(PARSCAN_##NAME);                     \
    }
PARSCAN_TYPES(X, )
#undef X

/* One element is better than all others: at every place around the edges of tiles. */
SimdTest(arg_reduce, finds_one_extreme_at_any_place)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        const parscan_type type = all_types[t];
        const size_t tile = 65536 / parscan_type_size(type), n = 2 * tile + 777;
        const size_t places[] = {0,    1,        31,           32,       tile - 1,
                                 tile, tile + 1, 2 * tile - 1, 2 * tile, n - 1};
        char *const in = calloc(n, parscan_type_size(type));
        cr_assert_not_null(in);
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            const number zero = number_read(type, in, places[p]);
            number_write_real(type, in, places[p], 3);
            expect_extremes(context, type, in, n, NULL);
            number_write_real(type, in, places[p], zero.is_float ? NAN : 1);
            expect_extremes(context, type, in, n, NULL);
            number_write_real(type, in, places[p], 0);
        }
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(arg_reduce, agrees_on_1_2_3_7_and_64_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7, 64};
    enum { N = 1000003 };
    for (size_t k = 0; k < COUNT_OF(threads); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k]});
        const parscan_type type = all_types[random_below(TYPES)];
        void *const in = patterned_keys(type, KEYS_RANDOM, N);
        expect_extremes(context, type, in, N, NULL);
        free(in);
        parscan_context_destroy(context);
    }
}

/* ---- segments ---- */

static void expect_cut(parscan_context *context, parscan_type type, size_t n, segment_shape shape,
                       segment_form form, key_pattern pattern)
{
    if (!takes_larger_case())
        return;
    cut_array cut = cut_create(n, shape, form);
    void *const in = patterned_keys(type, pattern, n);
    expect_extremes(context, type, in, n, &cut);
    free(in);
    cut_destroy(&cut);
}

static void expect_every_shape(parscan_type type)
{
    static const size_t some[] = {0, 1, 2, 17, 100, 1025, 7001};
    parscan_context *const context = test_context();
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t s = 0; s < COUNT_OF(some); s++)
            for (size_t form = 0; form < SEGMENT_FORMS; form += 3 + random_below(4))
                expect_cut(context, type, some[s], shape, all_segment_forms[form],
                           random_below(2) == 0 ? KEYS_SPECIAL : KEYS_FEW);
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                        \
    SimdTest(arg_reduce, takes_segments_of_every_shape_##name) \
    {                                                          \
        expect_every_shape(PARSCAN_##NAME);                    \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(arg_reduce, divides_long_segments_among_threads)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t form = 0; form < 5; form += 2)
            expect_cut(context, all_types[random_below(TYPES)], 600007, shape,
                       all_segment_forms[form], KEYS_RANDOM);
    parscan_context_destroy(context);
}

SimdTest(arg_reduce, takes_rows)
{
    static const size_t rows[] = {1, 2, 7, 64, 65, 1000, 70000};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        const size_t count = 1 + 300000 / rows[k] / 4, n = count * rows[k];
        const parscan_type type = all_types[random_below(TYPES)];
        void *const in = patterned_keys(type, KEYS_RANDOM, n);
        size_t *const bounds = malloc((count + 1) * sizeof *bounds);
        cr_assert_not_null(bounds);
        for (size_t r = 0; r <= count; r++)
            bounds[r] = r * rows[k];
        const cut_array cut = {
            .n = n,
            .count = count,
            .bounds = bounds,
            .segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = rows[k])};
        expect_extremes(context, type, in, n, &cut);
        free(bounds);
        free(in);
    }
    parscan_context_destroy(context);
}

Test(arg_reduce, leaves_out_what_is_not_wanted)
{
    parscan_context *const context = test_context();
    const float in[] = {3, NAN, 7, -NAN, 1};
    float value = 0;
    uint64_t index = 99;
    cr_assert_eq(parscan_arg_reduce(context, PARSCAN_F32, in, 5, PARSCAN_MIN, &value,
                                    (parscan_type)0, NULL, NULL),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(&value, &in[1], sizeof value), 0);
    cr_assert_eq(parscan_arg_reduce(context, PARSCAN_F32, in, 5, PARSCAN_MAX, NULL, PARSCAN_U64,
                                    &index, NULL),
                 PARSCAN_OK);
    cr_assert_eq(index, 1);
    cr_assert_eq(
        parscan_arg_reduce(context, PARSCAN_F32, in, 5, PARSCAN_MAX, NULL, PARSCAN_U64, NULL, NULL),
        PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(arg_reduce, ends_where_the_lengths_end)
{
    parscan_context *const context = test_context();
    const int32_t in[] = {3, 1, 7, 0, 4, 1, 6, 9};
    const uint32_t offsets[] = {0, 3, 6, 8};
    const uint64_t n = 6, segments = 2;
    uint32_t index[3] = {99, 99, 99};
    parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n));
    cr_assert_eq(parscan_arg_reduce(context, PARSCAN_I32, in, 8, PARSCAN_MAX, NULL, PARSCAN_U32,
                                    index, NULL),
                 PARSCAN_OK);
    cr_assert_eq(index[0], 2);
    const parscan_segments cut = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS,
                                                  .type = PARSCAN_U32, .data = offsets, .count = 3);
    parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &n, .segment_count = &segments));
    cr_assert_eq(parscan_arg_reduce(context, PARSCAN_I32, in, 8, PARSCAN_MIN, NULL, PARSCAN_U32,
                                    index, &PARSCAN_ARG_REDUCE_OPTIONS(.segments = &cut)),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert(index[0] == 1 && index[1] == 0 && index[2] == 99);
    parscan_set_lengths(context, &PARSCAN_LENGTHS(.segment_count = &segments));
    cr_assert_eq(parscan_arg_reduce(context, PARSCAN_I32, in, 8, PARSCAN_MIN, NULL, PARSCAN_U32,
                                    index, NULL),
                 PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}
